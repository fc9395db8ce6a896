"""A program for kafka-python 2 and for compat.kafka: prints what calls return and raise, as JSON.

python kafka_2_calls.py SERVERS PREFIX
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from typing import Any

import kafka.errors as errors
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ConfigResource,
    ConfigResourceType,
    NewPartitions,
    NewTopic,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)
from kafka.partitioner import DefaultPartitioner
from kafka.serializer import Deserializer, Serializer
from kafka.structs import OffsetAndMetadata

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

SERVERS, PREFIX = sys.argv[1:]
TOPIC, GROUP = f"{PREFIX}-topic", f"{PREFIX}-group"
ZERO, ONE = TopicPartition(TOPIC, 0), TopicPartition(TOPIC, 1)
PATIENCE = 30
COMMON: dict[str, Any] = {
    "bootstrap_servers": SERVERS,
    "api_version_auto_timeout_ms": PATIENCE * 1000,
}
# The classes of exceptions that a program catches.
CAUGHT = (
    errors.TopicAlreadyExistsError,
    errors.UnknownTopicOrPartitionError,
    errors.NoBrokersAvailable,
    errors.KafkaConfigurationError,
    AssertionError,
    errors.IllegalStateError,
    errors.KafkaError,
    errors.MessageSizeTooLargeError,
    TypeError,
    KeyError,
)


def note(name: str, call: Callable[[], Any]) -> None:
    """Print the result of a call, or the classes that catch its exception."""
    try:
        outcome = repr(call())
    except Exception as error:
        caught = [kind.__name__ for kind in CAUGHT if isinstance(error, kind)]
        print(json.dumps([name, ["raises", *caught]]), flush=True)
        return
    outcome = re.sub(rf"{PREFIX}|confluent_kafka\.compat\.|object at 0x\w+", "", outcome)
    print(json.dumps([name, outcome]), flush=True)


class Text(Serializer, Deserializer):
    """Serializes numbers as text."""

    def serialize(self, topic: str, value: Any) -> bytes:
        return str(value).encode()

    def deserialize(self, topic: str, bytes_: Any) -> Any:
        return int(bytes_)


def last(key: Any, everything: list[int], available: list[int]) -> int:
    """A partitioner that chooses the last partition."""
    return everything[-1]


def without_epochs(topic: dict[str, Any]) -> dict[str, Any]:
    """The description of a topic without leader epochs, which version 2.0.2 does not request."""
    for partition in topic["partitions"]:
        partition.pop("leader_epoch", None)
    return topic


def administering() -> None:
    """Print the results of the admin client."""
    admin = KafkaAdminClient(**COMMON)
    new = [NewTopic(TOPIC, 2, 1), NewTopic(f"{PREFIX}-gone", 1, 1)]
    note("create", lambda: admin.create_topics(new).to_object())
    note("create again", lambda: admin.create_topics(new[:1]))
    note("delete", lambda: admin.delete_topics([f"{PREFIX}-gone"]).to_object())
    note("delete again", lambda: admin.delete_topics([f"{PREFIX}-gone"]))
    more = {TOPIC: NewPartitions(3)}
    note("partitions", lambda: admin.create_partitions(more).to_object())
    topic = ConfigResource(ConfigResourceType.TOPIC, TOPIC, {"retention.ms": "86400000"})
    note("alter", lambda: admin.alter_configs([topic]).to_object())
    note("configs", lambda: [one.to_object() for one in admin.describe_configs([topic])])
    none = ConfigResource(ConfigResourceType.TOPIC, f"{PREFIX}-none")
    note("no configs", lambda: [one.resources[0][0] for one in admin.describe_configs([none])])
    note("describe", lambda: [without_epochs(one) for one in admin.describe_topics([TOPIC])])
    note("describe none", lambda: admin.describe_topics([f"{PREFIX}-none"]))
    note("cluster", admin.describe_cluster)
    rule = ACL(
        f"User:{PREFIX}",
        "*",
        ACLOperation.READ,
        ACLPermissionType.ALLOW,
        ResourcePattern(ResourceType.TOPIC, TOPIC),
    )
    pattern = ResourcePatternFilter(ResourceType.TOPIC, TOPIC, ACLResourcePatternType.ANY)
    every = ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, pattern)
    note("create acls", lambda: admin.create_acls([rule]))
    note("acls", lambda: len(admin.describe_acls(every)[0]))
    note("delete acls", lambda: len(admin.delete_acls([every])[0][1]))
    admin.close()


def sending() -> None:
    """Print the results of send() with different arguments, and its future."""
    producer = KafkaProducer(**COMMON)
    future = producer.send(TOPIC, b"5", key=b"k", partition=0, timestamp_ms=5)
    # Only kafka-python returns the start of the broker's log.
    note("get", lambda: future.get(PATIENCE)._replace(log_start_offset=None))
    note("fields", lambda: future.value._fields)
    for name, arguments in {
        "nothing": {},
        "text": {"value": "v"},
        "no partition": {"value": b"v", "partition": 77},
        "text header": {"value": b"v", "headers": [("a", "b")]},
        "too large": {"value": b"v" * 2_000_000},
    }.items():
        note(name, lambda given=arguments: producer.send(TOPIC, **given).get(PATIENCE))
    note("partitions for", lambda: producer.partitions_for(TOPIC))
    note("flush", producer.flush)
    note("close", producer.close)
    note("send closed", lambda: producer.send(TOPIC, b"v"))
    other = KafkaProducer(**COMMON, value_serializer=Text(), partitioner=last)
    note("partitioner", lambda: other.send(TOPIC, 7).get(PATIENCE).partition)
    other.close()


def reading() -> None:
    """Print the results of a member of a group, and the admin client's description of the group."""
    given: dict[str, Any] = COMMON | {"auto_offset_reset": "earliest"}
    member = KafkaConsumer(
        TOPIC,
        group_id=GROUP,
        enable_auto_commit=False,
        session_timeout_ms=2 * PATIENCE * 1000,
        value_deserializer=Text(),
        **given,
    )
    found: list[Any] = []
    until = time.monotonic() + PATIENCE
    while len(found) < 2 and time.monotonic() < until:
        found += [one for batch in member.poll(100).values() for one in batch]
    note("values", lambda: sorted((one.partition, one.key, one.value) for one in found))
    note("assignment", lambda: sorted(member.assignment()))
    note("subscription", member.subscription)
    note("no topic", lambda: member.partitions_for_topic(f"{PREFIX}-none"))
    note("commit", member.commit)
    note("committed", lambda: (member.committed(ZERO), member.committed(ONE)))
    note("metadata", lambda: member.committed(ZERO, metadata=True)[:2])
    note("position", lambda: member.position(ZERO))
    note("end", lambda: member.end_offsets([ZERO]))
    for name, call in {
        "seek negative": lambda: member.seek(ZERO, -1),
        "seek elsewhere": lambda: member.seek(TopicPartition("zz", 0), 1),
        "seek number": lambda: member.seek(5, 1),
        "position elsewhere": lambda: member.position(TopicPartition("zz", 0)),
        "pause elsewhere": lambda: member.pause(TopicPartition("zz", 0)),
        "assign": lambda: member.assign([ZERO]),
        "subscribe nothing": member.subscribe,
        "poll negative": lambda: member.poll(-1),
        "poll none": lambda: member.poll(max_records=0),
        "commit text": lambda: member.commit("x"),
    }.items():
        note(name, call)
    admin = KafkaAdminClient(**COMMON)
    note("groups", lambda: (GROUP, "consumer") in admin.list_consumer_groups())
    ((group,), nobody) = (admin.describe_consumer_groups([GROUP]), f"{PREFIX}-nobody")
    note("group", lambda: (group.error_code, group.state, group.protocol_type, group.protocol))
    (one,) = group.members
    note("member", lambda: one.member_metadata.subscription)
    note("assigned", lambda: [tuple(each) for each in one.member_assignment.assignment])
    note("nobody", lambda: admin.describe_consumer_groups([nobody])[0][:6])
    note(
        "offsets",
        lambda: sorted(
            (each, place.offset) for each, place in admin.list_consumer_group_offsets(GROUP).items()
        ),
    )
    note("delete busy", lambda: [kind.errno for _, kind in admin.delete_consumer_groups([GROUP])])
    note("close member", member.close)
    note("poll closed", member.poll)
    both = [GROUP, nobody]
    note("delete groups", lambda: [kind.errno for _, kind in admin.delete_consumer_groups(both)])
    admin.close()
    alone = KafkaConsumer(**given)
    note("commit alone", alone.commit)
    alone.close()


def values() -> None:
    """Print the results of calls that need no broker."""
    for name, make in {
        "no broker": lambda: KafkaProducer(bootstrap_servers="127.0.0.1:1"),
        "no broker for a consumer": lambda: KafkaConsumer(bootstrap_servers="127.0.0.1:1"),
        "unknown": lambda: KafkaProducer(foo=1),
        "consumer unknown": lambda: KafkaConsumer(foo=1),
        "admin unknown": lambda: KafkaAdminClient(foo=1),
    }.items():
        note(name, make)
    for error in (errors.KafkaError("a", 1), errors.NoBrokersAvailable()):
        note("error", lambda e=error: (str(e), e.retriable, isinstance(e, RuntimeError)))
    note("queue full", lambda: errors.AsyncProducerQueueFull([1], "x").failed_msgs)
    note("payload", lambda: errors.FailedPayloadsError("p", "x").payload)
    note("check", lambda: errors.check_error(type("Response", (), {"error": 3})))
    note("struct", lambda: OffsetAndMetadata(5, "text", -1)[:2] if _HAS_EPOCH else (5, "text"))
    choose = DefaultPartitioner()
    note("partition", lambda: [choose(b"%d" % i, [0, 1, 2], [0, 1]) for i in range(9)])
    note("available", lambda: choose(None, [0, 1, 2], [1]))


_HAS_EPOCH = "leader_epoch" in OffsetAndMetadata._fields

values()
administering()
sending()
reading()
