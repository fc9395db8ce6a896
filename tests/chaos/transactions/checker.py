"""Compare the applications' histories with the logs, and count the anomalies.

The anomalies have the names of Jepsen's analyses of Kafka and similar systems.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.chaos.transactions.application import ABORTED, COMMITTED, UNKNOWN


class Transaction(NamedTuple):
    """A transaction's planned writes, and the outcome that the application saw."""

    numbers: range
    outcome: str


class Key(NamedTuple):
    """A transaction's application, process, and number in this process."""

    app: str
    run: int
    transaction: int


class Copied(NamedTuple):
    """A record of the log."""

    key: Key
    number: int


@dataclass(frozen=True)
class Anomalies:
    """Counts; each must be zero."""

    lost_writes: int = 0  # records of a committed transaction that no reader sees
    aborted_reads: int = 0  # records of an aborted transaction that readers see
    torn: int = 0  # transactions of which readers see only a part
    duplicates: int = 0  # records that exist twice
    reordered: int = 0  # records before an earlier record of their process and partition
    copied_twice: int = 0  # numbers in more than one transaction
    offsets_ahead: int = 0  # numbers that are committed as copied, but are missing
    offsets_behind: int = 0  # numbers that are copied, but not committed

    @property
    def any(self) -> bool:
        return any(vars(self).values())


@dataclass
class Histories:
    """The applications' histories, by transaction."""

    transactions: dict[Key, Transaction] = field(default_factory=dict)

    def read(self, app: str, file: Path) -> None:
        """Add the history of an application.

        A transaction without an end has an unknown outcome.
        """
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                # A killed process may leave an incomplete line.
                if line.endswith("\n"):
                    self._add(app, json.loads(line))

    def _add(self, app: str, step: dict[str, Any]) -> None:
        if "begin" in step:
            key = Key(app, step["run"], step["begin"])
            numbers = range(step["first"], step["first"] + step["count"])
            self.transactions[key] = Transaction(numbers, UNKNOWN)
        elif "outcome" in step:
            key = Key(app, step["run"], step["end"])
            self.transactions[key] = self.transactions[key]._replace(outcome=step["outcome"])


def parsed(value: bytes) -> Copied:
    """Parse a record's value, which application.py wrote."""
    found = json.loads(value)
    return Copied(Key(found["app"], found["run"], found["transaction"]), found["number"])


def check(
    transactions: dict[Key, Transaction],
    log: Sequence[Iterable[Copied]],
    committed: dict[str, int],
) -> Anomalies:
    """Count the anomalies.

    Args:
        transactions: the transactions of all applications.
        log: for each partition, the records that a read_committed consumer sees, in order.
        committed: for each application, the next number in its group's committed offset.
    """
    seen: Counter[Copied] = Counter()
    reordered = 0
    for partition in log:
        last: dict[tuple[str, int], tuple[int, int]] = {}
        for record in partition:
            seen[record] += 1
            process = (record.key.app, record.key.run)
            place = (record.key.transaction, record.number)
            reordered += place < last.get(process, place)
            last[process] = max(place, last.get(process, place))
    visible: dict[Key, set[int]] = {}
    copies: dict[str, Counter[int]] = {app: Counter() for app in committed}
    for record in seen:
        visible.setdefault(record.key, set()).add(record.number)
        copies[record.key.app][record.number] += 1
    lost = aborted = torn = 0
    for key, (numbers, outcome) in transactions.items():
        there = visible.get(key, set())
        torn += 0 < len(there) < len(numbers)
        lost += len(numbers) - len(there) if outcome == COMMITTED else 0
        aborted += len(there) if outcome == ABORTED else 0
    return Anomalies(
        lost_writes=lost,
        aborted_reads=aborted,
        torn=torn,
        duplicates=sum(count - 1 for count in seen.values()),
        reordered=reordered,
        copied_twice=sum(count - 1 for each in copies.values() for count in each.values()),
        offsets_ahead=sum(
            1
            for app, end in committed.items()
            for number in range(end)
            if number not in copies[app]
        ),
        offsets_behind=sum(
            1 for app, end in committed.items() for number in copies[app] if number >= end
        ),
    )
