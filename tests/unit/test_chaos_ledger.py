"""The ledger of the chaos scenarios counts lost, duplicated and misordered messages."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.chaos.ledger import KEYS, Ledger, key_of, value_of


def ledger_of(numbers: Iterable[int]) -> Ledger:
    ledger = Ledger()
    for number in numbers:
        ledger.add(key_of(number), value_of(number))
    return ledger


@pytest.mark.parametrize(
    ("numbers", "lost", "duplicated", "out_of_order"),
    [
        ([0, 1, 2, 3], 0, 0, 0),
        ([], 4, 0, 0),
        ([0, 1, 2], 1, 0, 0),
        ([1, 3], 2, 0, 0),
        ([3, 2, 1, 0], 0, 0, 0),  # each message has another key, so the messages have no order
        ([0, 1, 1, 2, 3, 1], 0, 2, 0),
        ([0, 0, 0], 3, 2, 0),
    ],
)
def test_what_is_lost_and_duplicated(
    numbers: list[int], lost: int, duplicated: int, out_of_order: int
) -> None:
    """The ledger counts the lost and the duplicated messages of the four sent messages."""
    ledger = ledger_of(numbers)
    assert ledger.lost(4) == lost
    assert ledger.duplicated == duplicated
    assert ledger.out_of_order == out_of_order


def test_what_is_out_of_order() -> None:
    """A message is out of order if its first copy comes after a later message of the same key.

    A second copy is only a duplicate.
    """
    assert ledger_of([0, 2 * KEYS, KEYS]).out_of_order == 1
    assert ledger_of([0, KEYS, 0, 2 * KEYS]).out_of_order == 0


def test_what_was_not_sent() -> None:
    """The ledger refuses a message whose number was not sent, or whose key belongs to another
    message."""
    with pytest.raises(AssertionError, match="not sent"):
        ledger_of([0, 1, 2]).lost(2)
    with pytest.raises(AssertionError, match="key"):
        Ledger().add(key_of(1), value_of(2))
    with pytest.raises(AssertionError, match="not a value"):
        Ledger().add(key_of(1), b"1")
