"""The consumer's positions: the requests of an assignment to brokers and to librdkafka."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException

from ..._common.assignment import Assignment, Find, Script, Tell
from .._failures import failure_of
from ..structs import TopicPartition
from ._engine import Engine


class Positions:
    """Does the steps of assigned partitions that wait, when the consumer polls.

    Args:
        engine: the client.
        assigned: the assigned partitions.
        reset: "earliest", "latest" or "error".
        has_group: whether offsets are committed.
    """

    def __init__(self, engine: Engine, assigned: Assignment, reset: str, has_group: bool) -> None:
        self._engine = engine
        self._assigned = assigned
        self._reset = reset
        self._has_group = has_group

    def run(
        self, script: Script, timeout: float, tell: Callable[[Tell], Any] | None = None
    ) -> None:
        """Do the steps of an assignment's script.

        Args:
            script: the script.
            timeout: seconds that a request may take.
            tell: does the steps that call the listener.

        Raises:
            KafkaException: a broker's error, or no answer came in time.
        """
        found: dict[TopicPartition, int] | None = None
        try:
            while True:
                step = script.send(found)
                found = None
                if isinstance(step, Find):
                    found = self._find(step, timeout)
                else:
                    assert tell is not None
                    tell(step)
        except StopIteration:
            pass
        finally:
            script.close()

    def settle(self, timeout: float) -> None:
        """Do the steps that are necessary before messages can come.

        Args:
            timeout: seconds that a request may take.

        Raises:
            NoOffsetForPartitionError, OffsetOutOfRangeError: partitions cannot be read.
            KafkaException: a broker's error, or no answer came in time.
        """
        self.try_to_seek()
        self.run(self._assigned.settle(), timeout)
        self._assigned.begin()
        self._assigned.check()

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Continue at an offset."""
        self._assigned.seek(partition, offset)
        self.try_to_seek()

    def try_to_seek(self) -> None:
        """Let librdkafka seek; it refuses this if it has not begun to fetch."""
        for place in self._assigned.seeks():
            error: KafkaError | None = None
            failure: Any = None
            try:
                self._engine.seek(place)
            except KafkaException as refusal:
                error, failure = refusal.args[0], failure_of(refusal)
            self._assigned.sought(place, error, failure)

    def _find(self, step: Find, timeout: float) -> dict[TopicPartition, int]:
        """Ask brokers for the starts of partitions."""
        if step.where == "committed":
            if not self._has_group:
                return {}
            found = self._engine.committed_offsets(step.partitions, timeout)
            return {each: place.offset for each, place in found.items() if place.offset >= 0}
        if self._reset == "error":
            return {}
        return self._engine.bounds(step.partitions, self._reset, timeout)
