"""Compares the rows of the demo with the expected rows."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.dataset

from .data import HourOfCarrier

_EXAMPLES = 3


def read_parquet(directory: Path) -> list[HourOfCarrier]:
    """Return the rows that the job wrote to Parquet."""
    table = pyarrow.dataset.dataset(directory).to_table(columns=list(HourOfCarrier._fields))
    return [HourOfCarrier(**row) for row in table.to_pylist()]


def read_members(files: Iterable[Path]) -> list[HourOfCarrier]:
    """Return the rows that the consumers wrote to files, each message once.

    A message is read twice if another consumer got its partition before its offset was committed.
    """
    messages = {
        (partition, offset): value for file in files for partition, offset, value in _lines(file)
    }
    return [HourOfCarrier(**json.loads(value)) for _, value in sorted(messages.items())]


def _lines(file: Path) -> Iterator[tuple[int, int, str]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            partition, offset, value = json.loads(line)
            yield partition, offset, value


def differences(
    name: str, wanted: Iterable[HourOfCarrier], found: Iterable[HourOfCarrier]
) -> list[str]:
    """Return the differences; an empty list if the rows are equal.

    The order of the rows does not matter, but the number of equal rows must be the same.
    """
    wanted, found = Counter(wanted), Counter(found)
    return [
        *_describe(f"missing from {name}", wanted - found),
        *_describe(f"too many in {name}", found - wanted),
    ]


def _describe(what: str, rows: Counter[HourOfCarrier]) -> list[str]:
    if not rows:
        return []
    lines = [f"{rows.total():,} rows {what}, such as"]
    return [*lines, *(f"  {row}" for row in sorted(rows, key=lambda row: row[:2])[:_EXAMPLES])]
