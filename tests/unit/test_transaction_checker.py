"""The checker of transactions finds each kind of anomaly, and finds none in a correct log."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from tests.chaos.transactions.application import ABORTED, COMMITTED, UNKNOWN
from tests.chaos.transactions.checker import (
    Anomalies,
    Copied,
    Histories,
    Key,
    Transaction,
    check,
    parsed,
)

ONE, TWO, THREE = (Key("app", 7, number) for number in range(3))
TRANSACTIONS = {
    ONE: Transaction(range(2), COMMITTED),
    TWO: Transaction(range(2, 4), ABORTED),
    THREE: Transaction(range(2, 4), UNKNOWN),
}
RIGHT = [[Copied(ONE, 0), Copied(THREE, 2)], [Copied(ONE, 1), Copied(THREE, 3)]]


def test_nothing_wrong() -> None:
    """The checker finds no anomaly if the log has each committed transaction once, and each unknown
    transaction completely or not at all."""
    assert check(TRANSACTIONS, RIGHT, {"app": 4}) == Anomalies()
    without = [[each for each in partition if each.key != THREE] for partition in RIGHT]
    assert check(TRANSACTIONS, without, {"app": 2}) == Anomalies()


@pytest.mark.parametrize(
    ("log", "committed", "found"),
    [
        ([[Copied(ONE, 0)], []], 2, {"lost_writes": 1, "torn": 1, "offsets_ahead": 1}),
        (
            [[Copied(ONE, 0)], [Copied(ONE, 1), Copied(TWO, 2), Copied(TWO, 3)]],
            4,
            {"aborted_reads": 2},
        ),
        ([RIGHT[0], [Copied(ONE, 1)]], 3, {"torn": 1}),
        ([[*RIGHT[0], Copied(ONE, 0)], RIGHT[1]], 4, {"duplicates": 1, "reordered": 1}),
        ([RIGHT[0][::-1], RIGHT[1]], 4, {"reordered": 1}),
        ([[*RIGHT[0], Copied(Key("app", 8, 0), 0)], RIGHT[1]], 4, {"copied_twice": 1}),
        (RIGHT, 5, {"offsets_ahead": 1}),
        (RIGHT, 3, {"offsets_behind": 1}),
    ],
)
def test_each_anomaly(log: list[list[Copied]], committed: int, found: dict[str, int]) -> None:
    """Each kind of anomaly is counted, and no other kind."""
    assert check(TRANSACTIONS, log, {"app": committed}) == Anomalies(**found)


def test_all_are_tested() -> None:
    """Each kind of anomaly has a case above, so that its detection is tested."""
    marks = test_each_anomaly.pytestmark
    shown = {name for mark in marks for _, _, found in mark.args[1] for name in found}
    assert shown == {each.name for each in fields(Anomalies)}


def test_histories(tmp_path: Path) -> None:
    """A transaction is unknown if its end is missing or only half written."""
    file = tmp_path / "history"
    lines = [
        {"run": 7, "begin": 0, "first": 0, "count": 2},
        {"run": 7, "end": 0, "outcome": COMMITTED},
        {"run": 7, "lost": "x"},
        {"run": 7, "begin": 1, "first": 2, "count": 2},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    file.write_text(text + '{"run": 7, "end": 1, "outc')
    histories = Histories()
    histories.read("app", file)
    assert histories.transactions == {
        ONE: Transaction(range(2), COMMITTED),
        TWO: Transaction(range(2, 4), UNKNOWN),
    }


def test_values() -> None:
    """A record's value identifies its application, run, transaction and number."""
    value = json.dumps({"app": "app", "run": 7, "transaction": 2, "number": 3}).encode()
    assert parsed(value) == Copied(THREE, 3)
