"""The rows of the report: the workload, the topic and the goal of each row."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

PARTITIONS = 8
SMALL = "small"  # values of 100 bytes
LARGE = "large"  # values of 1,000 bytes
AVRO = "avro"  # records of six fields with the framing of a schema registry
TRICKLE = "trickle"
KEY_BYTES = 8


VALUE_BYTES = {SMALL: 100, LARGE: 1_000}


class Side(StrEnum):
    """The side that reads or writes. The value is the name of its format."""

    OURS = "rdkafka"
    THEIRS = "kafka"
    CEILING = "ceiling"


KAFKA_SIDES = (Side.OURS, Side.THEIRS)


@dataclass(frozen=True)
class Sizes:
    """The numbers of messages. The goals are for scale 1."""

    small: int
    large: int
    avro: int
    written: int

    @classmethod
    def scaled(cls, scale: float) -> Sizes:
        """Return the sizes for a scale, as multiples of the number of partitions."""
        whole = [max(1, round(full * scale / 8_000)) * 8_000 for full in (20e6, 2e6, 10e6, 5e6)]
        return cls(*whole)

    def messages(self, topic: str) -> int:
        """Return the number of messages in a topic."""
        return {SMALL: self.small, LARGE: self.large, AVRO: self.avro}[topic]


@dataclass(frozen=True)
class Row:
    """A workload on a topic, and the goal for its rate.

    The rate must be at least ``goal`` times the connector's rate, and ``of_ceiling`` times the rate
    of ceiling.py, if it has such rows. The CPU time must be at most CPU_GOAL times the connector's.
    """

    name: str
    workload: str
    topic: str
    goal: float
    of_ceiling: float | None = 0.75

    @property
    def sides(self) -> tuple[Side, ...]:
        """Return the sides that run this workload."""
        return KAFKA_SIDES if self.of_ceiling is None else tuple(Side)

    def command(self, sizes: Sizes) -> dict[str, Any]:
        """Return the command for a session."""
        rows = sizes.written if self.workload == "write" else sizes.messages(self.topic)
        return {"workload": self.workload, "topic": self.topic, "rows": rows}


ROWS = (
    Row("scan, 100 bytes", "scan", SMALL, 1.2),
    Row("scan, 1 kB", "scan", LARGE, 1.2),
    Row("scan of value and offset, 100 bytes", "columns", SMALL, 1.2),
    Row("scan of value and offset, 1 kB", "columns", LARGE, 1.2),
    Row("streaming catch-up, 100 bytes", "catch_up", SMALL, 1.0),
    Row("streaming catch-up, 1 kB", "catch_up", LARGE, 1.0),
    Row("scan of Avro", "avro", AVRO, 1.0, of_ceiling=None),
    Row("write, 100 bytes", "write", "written", 1.0, of_ceiling=0.8),
)

CPU_GOAL = 0.8
LATENCY = "micro-batch latency"
MESSAGES_PER_SECOND = 300
LATENCY_GOAL = 1.0
MEMORY_GOAL_MB = 300
