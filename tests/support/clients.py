"""Clients that never reach a broker, and one call of each of their methods."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.cimpl import MessageBatch

# Nobody listens on this port: clients go on trying, and requests wait for their timeouts.
UNREACHABLE = "127.0.0.1:1"

_quiet = logging.Logger("quiet")
_quiet.addHandler(logging.NullHandler())


def config(more: dict[str, Any] | None = None) -> dict[str, Any]:
    """A configuration for any client, without log records on stderr.

    close() waits for commits in the background, and they are given up after the session
    timeout.
    """
    base = {
        "bootstrap.servers": UNREACHABLE,
        "group.id": "group",
        "session.timeout.ms": 1000,
        "heartbeat.interval.ms": 300,
        "logger": _quiet,
    }
    return base | (more or {})


def partitions() -> list[TopicPartition]:
    return [TopicPartition("topic", 0, 0)]


@functools.cache
def empty_batch() -> MessageBatch:
    with Consumer(config()) as consumer:
        return consumer.consume_arrow(0)


@functools.cache
def group_metadata() -> bytes:
    with Consumer(config()) as consumer:
        return consumer.consumer_group_metadata()


# Public methods other than close(), each with arguments that it takes. What they raise on an
# open client is KafkaException at most: nothing here waits for a broker.
_COMMON: dict[str, Callable[[Any], object]] = {
    "list_topics": lambda client: client.list_topics(timeout=0),
    "cluster_id": lambda client: client.cluster_id(0),
    "set_sasl_credentials": lambda client: client.set_sasl_credentials("name", "word"),
    "wakeup": lambda client: client.wakeup(),
    "connect": lambda client: client.connect(0),
    "stats": lambda client: client.stats(),
}
PRODUCER_CALLS: dict[str, Callable[[Producer], object]] = _COMMON | {
    "produce": lambda producer: producer.produce("topic", b"value"),
    "produce_batch": lambda producer: producer.produce_batch("topic", [b"value"]),
    "produce_arrow": lambda producer: producer.produce_arrow(empty_batch(), "topic"),
    "poll": lambda producer: producer.poll(0),
    "flush": lambda producer: producer.flush(0),
    "purge": lambda producer: producer.purge(),
    "init_transactions": lambda producer: producer.init_transactions(0),
    "begin_transaction": lambda producer: producer.begin_transaction(),
    "commit_transaction": lambda producer: producer.commit_transaction(0),
    "abort_transaction": lambda producer: producer.abort_transaction(0),
    "send_offsets_to_transaction": lambda producer: producer.send_offsets_to_transaction(
        partitions(), group_metadata(), 0
    ),
}
CONSUMER_CALLS: dict[str, Callable[[Consumer], object]] = _COMMON | {
    "poll": lambda consumer: consumer.poll(0),
    "consume": lambda consumer: consumer.consume(1, 0),
    "consume_arrow": lambda consumer: consumer.consume_arrow(1, 0),
    "subscribe": lambda consumer: consumer.subscribe(["topic"]),
    "unsubscribe": lambda consumer: consumer.unsubscribe(),
    "assign": lambda consumer: consumer.assign(partitions()),
    "unassign": lambda consumer: consumer.unassign(),
    "incremental_assign": lambda consumer: consumer.incremental_assign(partitions()),
    "incremental_unassign": lambda consumer: consumer.incremental_unassign(partitions()),
    "assignment": lambda consumer: consumer.assignment(),
    "pause": lambda consumer: consumer.pause(partitions()),
    "resume": lambda consumer: consumer.resume(partitions()),
    "commit": lambda consumer: consumer.commit(Message("topic", 0, 0)),
    "store_offsets": lambda consumer: consumer.store_offsets(offsets=partitions()),
    "committed": lambda consumer: consumer.committed(partitions(), 0),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times(partitions(), 0),
    "seek": lambda consumer: consumer.seek(partitions()[0]),
    "position": lambda consumer: consumer.position(partitions()),
    "get_watermark_offsets": lambda consumer: consumer.get_watermark_offsets(partitions()[0], 0),
    "pause_while": lambda consumer: consumer.pause_while(),
    "lag": lambda consumer: consumer.lag(),
    "memberid": lambda consumer: consumer.memberid(),
    "consumer_group_metadata": lambda consumer: consumer.consumer_group_metadata(),
}
