"""``bench share``: the throughput of a member of a share group."""

from __future__ import annotations

import shlex
import time
from typing import TYPE_CHECKING, Annotated

from confluent_kafka import AcknowledgeType, KafkaException
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.base.terminal import counted, printable
from confluent_kafka.cli.bench.figures import (
    MILLION,
    THROUGHPUT,
    Count,
    Timeout,
    Topic,
    throughput,
)
from confluent_kafka.cli.connection.administration import AsJson, show
from confluent_kafka.cli.connection.settings import Connection, settings
from confluent_kafka.cli.messages.places import places_of
from confluent_kafka.cli.messages.share_reading import share_consumer

if TYPE_CHECKING:
    from confluent_kafka import ShareConsumer, TopicPartition

_SLICE = 0.1


def share(
    topic: Topic,
    group: Annotated[
        str,
        option("--group", "-g", help="Share group to join. The messages are accepted in it."),
    ],
    connection: Connection,
    count: Count = MILLION,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Read messages as a member of a share group, accept them, and show the throughput.

    The measurement begins when the command joins the group, and ends when the brokers have
    answered the last acknowledgement. A new share group starts at the end of the topic.
    """
    config = settings(connection)
    with ending():
        with configuring():
            consumer = share_consumer(config, group, count)
        try:
            consumer.connect(timeout)
            places_of(consumer, [topic], None, timeout)
            began = time.monotonic()
            consumer.set_acknowledgement_commit_callback(_check)
            consumer.subscribe([topic])
            size, first = _read(consumer, group, count, timeout)
            seconds = time.monotonic() - began
        finally:
            consumer.close()
    row = (*throughput(count, size, seconds), round(first - began, 6))
    show((*THROUGHPUT, "first s"), [row], as_json)


def _read(consumer: ShareConsumer, group: str, count: int, timeout: float) -> tuple[int, float]:
    """Read and accept `count` messages.

    Returns:
        Their size in bytes, and when the first one came.
    """
    messages = size = 0
    first = last = time.monotonic()
    while messages < count:
        batch = consumer.poll(_SLICE).records()
        now = time.monotonic()
        for message in batch:
            if (error := message.error()) is not None:
                raise KafkaException(error)
            if messages == 0:
                first = now
            if messages < count:
                messages += 1
                size += len(message)
                consumer.acknowledge(message)
            else:
                consumer.acknowledge(message, AcknowledgeType.RELEASE)
        if batch:
            last = now
        elif now - last > timeout:
            fail(
                f"no message for {timeout:g} s, after {counted(messages, 'message')}",
                advice="A new share group starts at the end of the topic. To let it start at the "
                f"beginning: confluent-kafka configs set group {printable(shlex.quote(group))} "
                "share.auto.offset.reset=earliest",
            )
    consumer.commit_sync(timeout)
    return size, first


def _check(offsets: dict[TopicPartition, set[int]], error: KafkaException | None) -> None:
    """Raise the error of an acknowledgement."""
    if error is not None:
        raise error
