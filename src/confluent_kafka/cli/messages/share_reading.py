"""Reads messages as a member of a share group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka import AcknowledgeType, KafkaException, Message
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import fail, note
from confluent_kafka.cli.base.interrupts import HeldInterrupts
from confluent_kafka.cli.messages.flow import Flow

if TYPE_CHECKING:
    from confluent_kafka import ShareConsumer

# The default of max.poll.records, and how many seconds to wait for a batch and for an answer.
_BATCH = 500
_SLICE = 0.2
_ANSWER = 30

ShareGroup = Annotated[
    str | None,
    option(
        "--share-group",
        help="Join this share group: read the messages that the brokers hand out, and accept each "
        "message that was written. A new share group starts at the end of the topic.",
    ),
]


def check_share_group(name: str, topics: list[str], others: Mapping[str, bool]) -> None:
    """Refuse what a member of a share group cannot do.

    Args:
        name: value of --share-group.
        topics: the topics to read.
        others: options that need partitions and offsets, and whether they are given.
    """
    if not name:
        raise click.BadParameter("the name is empty", param_hint="--share-group")
    for other, given in others.items():
        if given:
            raise click.BadParameter(
                f"cannot be combined with {other}: the brokers choose the messages of a share "
                "group, and it has no end; -n stops after a number of messages",
                param_hint="--share-group",
            )
    for topic in topics:
        if topic.startswith("^"):
            raise click.BadParameter(
                f"needs names of topics, not a regular expression ({topic})",
                param_hint="--share-group",
            )


def share_consumer(config: dict[str, Any], name: str, count: int | None) -> ShareConsumer:
    """Return a consumer that joins a share group when it subscribes.

    Args:
        config: the configuration of the consumer.
        name: the name of the group.
        count: how many messages to write; None is no limit.
    """
    try:
        from confluent_kafka import ShareConsumer
    except ImportError as error:  # a librdkafka of the system that is too old
        fail(str(error))
    config = config | {"group.id": name, "share.acknowledgement.mode": "explicit"}
    if count is not None:  # other members would wait for messages beyond the count
        config.setdefault("max.poll.records", min(count, _BATCH))
    # At level 4, librdkafka logs for every share consumer that the feature is a preview.
    config.setdefault("log_level", 3)
    return ShareConsumer(config)


class ShareReader:
    """Hands messages to a flow until the count is reached, and accepts them.

    Accepted messages are written, or left out by a filter. All other messages are released: the
    brokers deliver them again, also after an error or Ctrl-C.

    Args:
        consumer: the consumer, which has subscribed and acknowledges explicitly.
        flow: what happens with the messages.
        count: how many messages to write; None is no limit.

    Attributes:
        written (int): how many messages were written.
        tick: is called with `written` after each batch, and whenever no message came for a moment.
    """

    def __init__(self, consumer: ShareConsumer, flow: Flow, count: int | None) -> None:
        self.tick: Callable[[int], object] = int
        self.written = 0
        self._consumer = consumer
        self._flow = flow
        self._count = count

    def run(self) -> None:
        """Read until the count is reached."""
        with HeldInterrupts() as interrupts:
            while self._count is None or self.written < self._count:
                messages = self._consumer.poll(_SLICE).records()
                if messages:
                    self._take(list(messages))
                self.tick(self.written)
                interrupts.check()

    def _take(self, messages: list[Message]) -> None:
        done = 0
        try:
            bad = next((place for place, each in enumerate(messages) if each.error()), None)
            most = None if self._count is None else self._count - self.written
            records = messages[:bad]
            # A flow without filters writes all messages that it gets.
            taken = self._flow.take(records if self._flow.filters else records[:most], most)
            self.written += taken.written
            done = taken.done
        finally:
            self._acknowledge(messages, done)
        if taken.failure is not None:
            raise taken.failure
        if bad is not None and done == bad and (self._count is None or self.written < self._count):
            raise KafkaException(messages[bad].error())

    def _acknowledge(self, messages: list[Message], done: int) -> None:
        """Accept the first `done` messages, release the rest, and wait for the brokers."""
        for place, message in enumerate(messages):
            accepted = place < done
            kind = AcknowledgeType.ACCEPT if accepted else AcknowledgeType.RELEASE
            self._consumer.acknowledge(message, kind)
        for partition, error in self._consumer.commit_sync(_ANSWER).items():
            if error is not None:
                note(
                    f"{partition.topic} [{partition.partition}]: the brokers will deliver messages "
                    f"again that were written: {error.args[0].str()}"
                )
