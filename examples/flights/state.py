"""The state of a run, which the display and the report read."""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .produce import Deliveries


@dataclass
class Batch:
    """A micro-batch of the job."""

    started: float
    """Seconds since 1970."""
    seconds: float
    rows: int


@dataclass
class Job:
    """The state of the Spark job, from its messages."""

    version: str = ""
    done: bool = False
    batches: list[Batch] = field(default_factory=list)
    rows: int = 0
    windows: int = 0
    dropped: int = 0
    watermark: str = ""

    def on_event(self, message: dict[str, Any]) -> None:
        """Update the state from one message of the job."""
        match message["event"]:
            case "ready":
                self.version = message["version"]
            case "batch":
                batch = Batch(message["started"], message["seconds"], message["rows"])
                self.batches.append(batch)
                self.rows += message["rows"]
                self.windows = message["windows"]
                self.dropped += message["dropped"]
                self.watermark = message["watermark"]
            case "done":
                self.done = True


@dataclass
class Member:
    """The state of a consumer of the group, from its messages."""

    name: str
    rows: int = 0
    positions: dict[str, int] = field(default_factory=dict)
    """The next offset of each partition that it has read."""
    partitions: set[int] = field(default_factory=set)
    rebalances: int = 0
    commits: int = 0
    read: list[tuple[float, int]] = field(default_factory=list)
    """Pairs of a time in seconds since 1970, and the number of rows read until then."""

    def on_event(self, message: dict[str, Any]) -> None:
        """Update the state from one message of the consumer."""
        match message["event"]:
            case "rows":
                self.rows = message["rows"]
                self.positions = message["positions"]
                self.read.append((time.time(), self.rows))
            case "assigned":
                self.rebalances += 1
                self.partitions |= set(message["partitions"])
            case "revoked":
                self.rebalances += 1
                self.partitions -= set(message["partitions"])
            case "committed":
                self.commits += 1


@dataclass
class Run:
    """All parts of a run."""

    flights: int
    members: list[Member]
    started: float = field(default_factory=time.time)
    deliveries: Deliveries = field(default_factory=Deliveries)
    job: Job = field(default_factory=Job)
    results: int = 0
    """The number of results that are expected from the job."""

    @property
    def results_read(self) -> int:
        """The number of results that the group has read.

        A result that two members have read counts once.
        """
        furthest: Counter[str] = Counter()
        for member in self.members:
            furthest |= Counter(member.positions)
        return furthest.total()

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.time() - self.started
