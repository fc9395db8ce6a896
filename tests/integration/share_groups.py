"""Share groups: their configuration, and members that read in steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, ShareConsumer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.integration.broker_requests import set_group_config
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.waiting import TIMEOUT, wait_until


def configure_group(kafka: KafkaCluster, group: str, **config: str) -> None:
    """Sets a group's configuration; the group reads from the beginning."""
    set_group_config(kafka, group, share_auto_offset_reset="earliest", **config)


def wait_for_coordinator(kafka: KafkaCluster, group: str, *topics: str) -> None:
    """Waits until the coordinator of a new share group knows the topics.

    A group's coordinator has its own copy of the topics, which it updates after its broker's
    metadata names a new topic. Until then it refuses to set offsets with UNKNOWN_TOPIC_OR_PART.
    """
    with AdminClient(kafka.config()) as admin:

        def is_known(place: TopicPartition) -> bool:
            error = admin.alter_share_group_offsets(group, {place: 0})[place].exception(TIMEOUT)
            if error is None:
                return True
            assert isinstance(error, KafkaException)
            assert error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART
            return False

        for topic in topics:
            wait_until(lambda topic=topic: is_known(TopicPartition(topic, 0)))  # type: ignore[misc]
        admin.delete_share_groups([group])[group].result(TIMEOUT)


class Member(ShareConsumer):
    """A member that records the answers to its acknowledgements."""

    def __init__(
        self, kafka: KafkaCluster, group: str, mode: str = "explicit", **config: Any
    ) -> None:
        common = {"group.id": group, "share.acknowledgement.mode": mode, "fetch.wait.max.ms": 50}
        super().__init__(
            kafka.config() | common | {key.replace("_", "."): config[key] for key in config}
        )
        self.answers: list[tuple[dict[TopicPartition, set[int]], KafkaException | None]] = []
        self.set_acknowledgement_commit_callback(lambda *answer: self.answers.append(answer))

    @property
    def acknowledged(self) -> set[int]:
        """The offsets, in all partitions, whose acknowledgements the brokers have accepted."""
        return {
            offset
            for offsets, exception in self.answers
            if exception is None
            for each in offsets.values()
            for offset in each
        }

    def fetch(self) -> list[Message]:
        """The next batch, which is not empty."""
        batches: list[Any] = []
        wait_until(lambda: batches and batches[-1], lambda: batches.append(self.poll(0.5)))
        records = batches[-1].records()
        assert [record.error() for record in records] == [None] * len(records)
        return list(records)

    def accept(self, records: Sequence[Message]) -> None:
        for record in records:
            self.acknowledge(record)


def nothing_comes(member: Member, seconds: float = 0.5) -> bool:
    """Whether the member gets no record for this time."""
    return member.poll(seconds).is_empty()


def wait_for_answer(member: Member, acknowledge: Callable[[], object]) -> None:
    """Acknowledges, and polls until brokers have answered; no record may come meanwhile."""
    before = len(member.answers)
    acknowledge()

    def step() -> None:
        assert nothing_comes(member, 0.1)

    wait_until(lambda: len(member.answers) > before, step)


MakeMember = Callable[..., Member]
