"""Read the logs of a rebalance storm's members, and check Kafka's promises."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass
class Span:
    """A partition's time with one member, from its assignment to its end."""

    partition: int
    assigned: float
    offsets: list[int] = field(default_factory=list)
    committed: int = -1
    # The end: R(evoked), L(ost), U(ncommitted), or "" if the member died with the partition.
    end: str = ""

    @property
    def in_order(self) -> bool:
        return all(b == a + 1 for a, b in zip(self.offsets, self.offsets[1:], strict=False))

    @property
    def uncommitted(self) -> list[int]:
        return [offset for offset in self.offsets if offset >= self.committed]


@dataclass(frozen=True)
class Commit:
    begun: float
    confirmed: float
    partition: int
    offset: int


class StormLog:
    """The logs of all members."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.spans: list[Span] = []
        self.commits: list[Commit] = []
        self.refused: Counter[str] = Counter()
        self.overruns = 0
        # Processed records of partitions that the member did not own, or no longer owned.
        self.strays: list[tuple[int, int]] = []
        for file in files:
            self._read(file)
        self._copies = Counter(self.strays)
        for span in self.spans:
            self._copies.update((span.partition, offset) for offset in span.offsets)

    def _read(self, file: Path) -> None:
        mine: dict[int, Span] = {}
        for line in file.read_text().splitlines():
            kind, at, *rest = line.split()
            if kind == "X":
                self.refused[rest[0]] += 1
                continue
            if kind == "O":
                self.overruns += 1
                continue
            partition = int(rest[1] if kind == "C" else rest[0])
            if kind == "A":
                mine[partition] = Span(partition, float(at))
                self.spans.append(mine[partition])
            elif partition not in mine:
                assert kind in "MC", f"{file}: {line}"
                if kind == "M":
                    self.strays.append((partition, int(rest[1])))
            elif kind == "M":
                mine[partition].offsets.append(int(rest[1]))
            elif kind == "C":
                commit = Commit(float(at), float(rest[0]), partition, int(rest[2]))
                self.commits.append(commit)
                mine[partition].committed = commit.offset
            else:
                mine.pop(partition).end = kind

    def lost(self, ends: dict[int, int]) -> int:
        """How many records below `ends` no member processed."""
        seen = Counter(partition for partition, _ in self._copies)
        return sum(ends.values()) - sum(seen.values())

    @property
    def copies(self) -> int:
        """How many records were processed again, for any reason."""
        return sum(self._copies.values()) - len(self._copies)

    @property
    def duplicated(self) -> int:
        """How many records were processed again although no earlier owner had an excuse.

        The next owner of a partition does not get records that the member has committed. So at most
        one owner of a record may be without an excuse. A crash, a lost partition and a refused
        commit are excuses: the application notices a refused commit.
        """
        owners = Counter(self.strays)
        for span in self.spans:
            excused = set(span.uncommitted) if span.end != "R" else set()
            owners.update(
                (span.partition, offset) for offset in span.offsets if offset not in excused
            )
        return sum(count - 1 for count in owners.values() if count > 1)

    @property
    def out_of_order(self) -> int:
        """How many assignments had offsets out of order."""
        return sum(not span.in_order for span in self.spans)

    @property
    def backwards(self) -> int:
        """How many commits were below a commit that was confirmed before they began."""
        return sum(
            commit.offset < self._confirmed(commit.partition, commit.begun)
            for commit in self.commits
        )

    @property
    def read_again(self) -> int:
        """How many assignments began below the committed offset of that time."""
        return sum(
            span.offsets[0] < self._confirmed(span.partition, span.assigned)
            for span in self.spans
            if span.offsets
        )

    def _confirmed(self, partition: int, before: float) -> int:
        """The highest offset whose commit was confirmed before the time `before`."""
        times, highest = self._history.get(partition, ([], []))
        found = bisect_left(times, before)
        return highest[found - 1] if found else 0

    @cached_property
    def _history(self) -> dict[int, tuple[list[float], list[int]]]:
        """For each partition: the times of confirmed commits, and the highest offset until then."""
        history: dict[int, tuple[list[float], list[int]]] = {}
        for commit in sorted(self.commits, key=lambda commit: commit.confirmed):
            times, highest = history.setdefault(commit.partition, ([], []))
            times.append(commit.confirmed)
            highest.append(max(commit.offset, highest[-1] if highest else 0))
        return history
