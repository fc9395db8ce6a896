"""A program for kafka-python and for compat.kafka: prints what calls return and raise, as JSON.

python kafka_python_calls.py SERVERS PREFIX
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from typing import Any

import kafka.errors
from kafka.partitioner import DefaultPartitioner, Partitioner, murmur2

import kafka
from kafka import (
    ConsumerRebalanceListener,
    KafkaConsumer,
    KafkaProducer,
    OffsetAndMetadata,
    TopicPartition,
)

SERVERS, PREFIX = sys.argv[1:]
# An embedded cluster creates topics with four partitions.
TOPIC = f"{PREFIX}-topic"
ZERO = TopicPartition(TOPIC, 0)
PATIENCE = 30


def note(name: str, call: Callable[[], Any]) -> None:
    """Print the result of a call, or the class of its exception."""
    try:
        outcome = repr(call())
    except Exception as error:
        public = (kind for kind in type(error).__mro__ if kind.__module__ in _PUBLIC)
        outcome = f"raises {next(public).__name__}"
    outcome = re.sub(rf"{PREFIX}|timestamp=\d+|object at 0x\w+", "", outcome)
    print(json.dumps([name, outcome]), flush=True)


_PUBLIC = ("builtins", kafka.errors.__name__)


def producer(**keywords: Any) -> Any:
    return KafkaProducer(bootstrap_servers=SERVERS, **keywords)


def consumer(*topics: str, **keywords: Any) -> Any:
    given = {"auto_offset_reset": "earliest", "enable_auto_commit": False} | keywords
    return KafkaConsumer(*topics, bootstrap_servers=SERVERS, **given)


class ToTheLast(Partitioner):
    """Chooses the last partition."""

    def partition(self, topic: str, *message: Any) -> int:
        return int(max(message[-1].partitions_for_topic(topic)))


def sending() -> None:
    """Print the results of send() with different arguments, and its future."""
    plain = producer()
    future = plain.send(TOPIC, b"v", key=b"k", headers=[("h", b"x")], partition=0, timestamp_ms=5)
    note("get", lambda: future.get(PATIENCE))
    note("value", lambda: future.value)
    note("states", lambda: (future.is_done, future.succeeded(), future.failed(), future.args))
    null = plain.send(TOPIC, key=b"x", partition=0).get(PATIENCE)
    note("no value", lambda: null._replace(timestamp=0))
    for name, arguments in {
        "nothing": {},
        "text": {"value": "v"},
        "number": {"value": 5},
        "text key": {"value": b"v", "key": "k"},
        "bad topic": {"topic": "a b", "value": b"v"},
        "no topic": {"topic": "", "value": b"v"},
        "number topic": {"topic": 5, "value": b"v"},
        "no partition": {"value": b"v", "partition": 77},
        "negative partition": {"value": b"v", "partition": -1},
        "text partition": {"value": b"v", "partition": "0"},
        "text header": {"value": b"v", "headers": [("a", "b")]},
        "dict headers": {"value": b"v", "headers": {"a": b"b"}},
        "null header": {"value": b"v", "headers": [("a", None)]},
        "too large": {"value": b"v" * 2_000_000},
    }.items():
        note(name, lambda given=arguments: plain.send(**{"topic": TOPIC} | given))
    for step in ("init_transactions", "begin_transaction", "commit_transaction"):
        note(step, getattr(plain, step))
    for key in (b"a", b"b", b"", b"123456789"):
        note(f"key {key!r}", lambda k=key: plain.send(TOPIC, b"v", k).get(PATIENCE).partition)
    note("flush", plain.flush)
    note("partitions", lambda: plain.partitions_for(TOPIC))
    note("close", plain.close)
    note("close again", plain.close)
    note("send closed", lambda: plain.send(TOPIC, b"v"))
    last = producer(partitioner=ToTheLast())
    note("partitioner", lambda: last.send(TOPIC, b"v").get(PATIENCE).partition)
    last.close()


def keywords() -> None:
    """Print the results of creating producers and consumers with different keywords."""
    for name, make in {
        "unknown": lambda: producer(foo=1),
        "acks and idempotence": lambda: producer(acks=1, enable_idempotence=True),
        "transaction without": lambda: producer(transactional_id="x", enable_idempotence=False),
        "compression": lambda: producer(compression_type="foo"),
        "linger": lambda: producer(linger_ms=100_000),
        "consumer unknown": lambda: consumer(foo=1),
        "consumer waits": lambda: consumer(request_timeout_ms=100),
        "idle": lambda: consumer(connections_max_idle_ms=1000),
        "heartbeat": lambda: consumer(group_id="g", heartbeat_interval_ms=60_000),
    }.items():
        note(name, make)


def reading() -> None:
    """Print the results of a consumer with manually assigned partitions."""
    with producer() as filling:
        for i in range(10):
            filling.send(TOPIC, b"%d" % i, partition=1, headers=[("n", b"%d" % i)])
    one = TopicPartition(TOPIC, 1)
    with consumer() as reader:
        reader.assign([one])
        note("assignment", reader.assignment)
        note("subscription", reader.subscription)
        note("position", lambda: reader.position(one))
        reader.seek_to_end(one)
        end = reader.position(one)
        reader.seek(one, end - 10)
        first = next(reader)
        note("first", lambda: first._replace(offset=0, timestamp=0, leader_epoch=0))
        note("paused", lambda: (reader.pause(one), reader.paused(), reader.resume(one)))
        for name, call in {
            "seek negative": lambda: reader.seek(one, -5),
            "seek text": lambda: reader.seek(one, "a"),
            "seek elsewhere": lambda: reader.seek(ZERO, 0),
            "seek tuple": lambda: reader.seek("x", 0),
            "position elsewhere": lambda: reader.position(ZERO),
            "position tuple": lambda: reader.position((TOPIC, 1)),
            "highwater elsewhere": lambda: reader.highwater(ZERO),
            "pause elsewhere": lambda: reader.pause(ZERO),
            "begin elsewhere": lambda: reader.seek_to_beginning(ZERO),
            "poll negative": lambda: reader.poll(-1),
            "poll none": lambda: reader.poll(0, max_records=0),
            "commit": reader.commit,
            "commit_async": reader.commit_async,
            "committed": lambda: reader.committed(one),
            "subscribe": lambda: reader.subscribe([TOPIC]),
            "times": lambda: reader.offsets_for_times({one: 2**42}),
            "times negative": lambda: reader.offsets_for_times({one: -1}),
            "group": reader.group_metadata,
        }.items():
            note(name, call)
        reader.unsubscribe()
        note("unsubscribed", lambda: (reader.subscription(), reader.assignment()))
        for name, arguments in {
            "no topics": {},
            "empty": {"topics": []},
            "text": {"topics": "t"},
            "set": {"topics": {"t"}},
            "numbers": {"topics": [1]},
            "both": {"topics": ["t"], "pattern": "t"},
            "listener": {"topics": ["t"], "listener": 5},
            "illegal": {"topics": ["a b"]},
        }.items():
            note(f"subscribe {name}", lambda given=arguments: reader.subscribe(**given))
    note("closed poll", reader.poll)
    note("closed next", lambda: list(reader))
    with consumer(auto_offset_reset="none") as none:
        none.assign([one])
        note("no offset", lambda: none.poll(PATIENCE * 1000))
        none.seek(one, 10**6)
        note("out of range", lambda: none.poll(PATIENCE * 1000))


class Told(ConsumerRebalanceListener):
    """Records its calls and their partitions."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def on_partitions_revoked(self, revoked: Any) -> None:
        self.calls.append(("revoked", sorted(revoked)))

    def on_partitions_assigned(self, assigned: Any) -> None:
        self.calls.append(("assigned", sorted(assigned)))


def grouping() -> None:
    """Print the results of a member of a group."""
    told = Told()
    member = consumer(group_id=f"{PREFIX}-group")
    member.subscribe([TOPIC], listener=told)
    note("before", lambda: (member.assignment(), member.subscription(), told.calls))
    note("metadata", member.group_metadata)
    until = time.monotonic() + PATIENCE
    while len(member.assignment()) < 4 and time.monotonic() < until:
        member.poll(100)
    note("assigned", lambda: sorted(member.assignment()))
    note("uncommitted", lambda: member.committed(ZERO, metadata=True))
    place = {ZERO: OffsetAndMetadata(1, "text", -1)}
    note("commit", lambda: (member.commit(place), member.committed(ZERO)))
    note("text", lambda: member.committed(ZERO, metadata=True)._replace(leader_epoch=-1))
    wrong = {"number": {ZERO: 3}, "tuple": {("t", 0): place[ZERO]}, "list": [1]}
    for name, offsets in wrong.items():
        note(f"commit {name}", lambda given=offsets: member.commit(given))
    note("committed text", lambda: member.committed("t"))
    member.close()
    note("told", lambda: told.calls)


def values() -> None:
    """Print the results of calls that need no broker."""
    errors = kafka.errors
    for error in (
        errors.KafkaError("a", 1),
        errors.NotControllerError("x"),
        errors.KafkaTimeoutError(),
        errors.CommitFailedError("why"),
    ):
        note("error", lambda e=error: (str(e), e.retriable, e.invalid_metadata))
    note("codes", lambda: [errors.for_code(code).__name__ for code in range(-1, 128)])
    note("unknown code", lambda: errors.for_code(9999).__name__)
    note("structs", lambda: (OffsetAndMetadata(5), kafka.ConsumerGroupMetadata("g")))
    note("spec", lambda: [kafka.OffsetSpec.build_from(one) for one in ("earliest", -1)])
    note("spec unknown", lambda: kafka.OffsetSpec.build_from("foo"))
    note("json", lambda: kafka.JsonSerializer().serialize("t", None, {"a": 1}))
    note("murmur2", lambda: [murmur2(b"x" * n) for n in range(9)])
    note("default", lambda: DefaultPartitioner().__class__.__name__)


values()
keywords()
sending()
reading()
grouping()
