"""Share groups: their configuration, and members that read in steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from confluent_kafka import KafkaException, Message, ShareConsumer, TopicPartition
from tests.integration.broker_requests import set_group_config
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.waiting import wait_until


def configure_group(kafka: KafkaCluster, group: str, **config: str) -> None:
    """Sets a group's configuration; the group reads from the beginning."""
    set_group_config(kafka, group, share_auto_offset_reset="earliest", **config)


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
