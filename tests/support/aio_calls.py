"""Lists every public call of the asyncio clients, with arguments, for tests that make them all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import TopicPartition
from confluent_kafka.aio import (
    AIOAdminClient,
    AIOConsumer,
    AIOProducer,
    AsyncDeserializingConsumer,
    AsyncSerializingProducer,
)

# Names that are not called on a client, or do not use it.
_NOT_CALLS = {"create", "executor", "last_error"}

Call = Callable[[Any, str], Any]

_CLIENT: dict[str, Call] = {
    "list_topics": lambda client, topic: client.list_topics(topic, 5),
    "cluster_id": lambda client, _: client.cluster_id(5),
    "request": lambda client, _: client.request(18, 0, timeout=5),
    "api_versions": lambda client, _: client.api_versions(timeout=5),
    "set_sasl_credentials": lambda client, _: client.set_sasl_credentials("user", "secret"),
    "connect": lambda client, _: client.connect(5),
    "stats": lambda client, _: client.stats(),
    "close": lambda client, _: client.close(),
}


async def _transaction(producer: AIOProducer) -> None:
    async with producer.transaction(5):
        pass


async def _pause_while(consumer: AIOConsumer) -> None:
    async with consumer.pause_while():
        pass


def _place(topic: str, offset: int = 0) -> TopicPartition:
    return TopicPartition(topic, 0, offset)


_PRODUCER: dict[str, Call] = _CLIENT | {
    "produce": lambda producer, topic: producer.produce(topic, b"value", partition=0),
    "produce_batch": lambda producer, topic: producer.produce_batch(topic, [{"value": b"value"}]),
    "produce_many": lambda producer, topic: producer.produce_many(topic, [b"value"]),
    "produce_arrow": lambda producer, topic: producer.produce_arrow(_rows(), topic),
    "poll": lambda producer, _: producer.poll(0.01),
    "flush": lambda producer, _: producer.flush(5),
    "purge": lambda producer, _: producer.purge(),
    "init_transactions": lambda producer, _: producer.init_transactions(5),
    "begin_transaction": lambda producer, _: producer.begin_transaction(),
    "send_offsets_to_transaction": lambda producer, topic: producer.send_offsets_to_transaction(
        [_place(topic, 1)], _group_metadata(), 5
    ),
    "commit_transaction": lambda producer, _: producer.commit_transaction(5),
    "abort_transaction": lambda producer, _: producer.abort_transaction(5),
    "transaction": lambda producer, _: _transaction(producer),
}

_CONSUMER: dict[str, Call] = _CLIENT | {
    "poll": lambda consumer, _: consumer.poll(5),
    "consume": lambda consumer, _: consumer.consume(3, 5),
    "getone": lambda consumer, _: consumer.getone(),
    "getmany": lambda consumer, _: consumer.getmany(timeout=5, max_records=3),
    "consume_arrow": lambda consumer, _: consumer.consume_arrow(3, 5),
    "subscribe": lambda consumer, topic: consumer.subscribe([topic]),
    "unsubscribe": lambda consumer, _: consumer.unsubscribe(),
    "assign": lambda consumer, topic: consumer.assign([_place(topic)]),
    "unassign": lambda consumer, _: consumer.unassign(),
    "incremental_assign": lambda consumer, topic: consumer.incremental_assign([_place(topic)]),
    "incremental_unassign": lambda consumer, topic: consumer.incremental_unassign([_place(topic)]),
    "subscription": lambda consumer, _: consumer.subscription(),
    "assignment": lambda consumer, _: consumer.assignment(),
    "pause": lambda consumer, topic: consumer.pause([_place(topic)]),
    "resume": lambda consumer, topic: consumer.resume([_place(topic)]),
    "paused": lambda consumer, _: consumer.paused(),
    "pause_while": lambda consumer, _: _pause_while(consumer),
    "seek": lambda consumer, topic: consumer.seek(_place(topic)),
    "seek_to_beginning": lambda consumer, topic: consumer.seek_to_beginning(_place(topic)),
    "seek_to_end": lambda consumer, topic: consumer.seek_to_end(_place(topic)),
    "position": lambda consumer, topic: consumer.position([_place(topic)]),
    "lag": lambda consumer, _: consumer.lag(),
    "commit": lambda consumer, topic: consumer.commit(
        offsets=[_place(topic, 1)], asynchronous=False
    ),
    "store_offsets": lambda consumer, topic: consumer.store_offsets(offsets=[_place(topic, 1)]),
    "committed": lambda consumer, topic: consumer.committed([_place(topic)], 5),
    "get_watermark_offsets": lambda consumer, topic: consumer.get_watermark_offsets(
        _place(topic), 5
    ),
    "offsets_for_times": lambda consumer, topic: consumer.offsets_for_times([_place(topic)], 5),
    "beginning_offsets": lambda consumer, topic: consumer.beginning_offsets([_place(topic)], 5),
    "end_offsets": lambda consumer, topic: consumer.end_offsets([_place(topic)], 5),
    "highwater": lambda consumer, topic: consumer.highwater(_place(topic)),
    "last_stable_offset": lambda consumer, topic: consumer.last_stable_offset(_place(topic)),
    "memberid": lambda consumer, _: consumer.memberid(),
    "consumer_group_metadata": lambda consumer, _: consumer.consumer_group_metadata(),
}


def public(kind: type[Any]) -> set[str]:
    """The names of a client's calls."""
    names = {name for name in dir(kind) if not name.startswith("_")}
    return {name for name in names - _NOT_CALLS if inspect.isfunction(getattr(kind, name))}


def arguments_of(function: Callable[..., Any]) -> list[Any]:
    """One None for each argument without a default. A call checks the loop before its arguments."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [
        None
        for each in parameters
        if each.default is each.empty and each.kind < each.VAR_POSITIONAL
    ]


def _admin() -> dict[str, Call]:
    def calling(name: str) -> Call:
        arguments = arguments_of(getattr(AIOAdminClient, name))
        return lambda admin, _: getattr(admin, name)(*arguments)

    others = public(AIOAdminClient) - _CLIENT.keys()
    return _CLIENT | {name: calling(name) for name in others}


# The calls of each client; test_every_call_is_here() checks that none is missing.
CALLS: dict[type[Any], dict[str, Call]] = {
    AIOProducer: _PRODUCER,
    AsyncSerializingProducer: _PRODUCER,
    AIOConsumer: _CONSUMER,
    AsyncDeserializingConsumer: _CONSUMER,
    AIOAdminClient: _admin(),
}


def config_of(kind: type[Any], servers: str) -> dict[str, Any]:
    """A configuration for a client of a kind."""
    config: dict[str, Any] = {"bootstrap.servers": servers, "reconnect.backoff.ms": 10}
    if issubclass(kind, AIOConsumer):
        more = {"auto.offset.reset": "earliest", "enable.auto.commit": False}
        return config | more | {"group.id": "calls", "fetch.wait.max.ms": 20}
    return config


def _rows() -> Any:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    return polars.DataFrame({"value": [b"value"]})


def _group_metadata() -> bytes:
    from confluent_kafka import Consumer

    with Consumer({"group.id": "calls"}) as consumer:
        metadata: bytes = consumer.consumer_group_metadata()
        return metadata
