"""Compare sent and received messages: lost, duplicated, out of order.

The messages of a run are numbered. A message's value is its number, and its key follows from the
number, so a reader needs nothing else. The numbers of each key must ascend.
"""

from __future__ import annotations

KEYS = 997
# A typical length of a value; int() can read the padded number.
WIDTH = 100


def key_of(number: int) -> bytes:
    return b"key-%d" % (number % KEYS)


def value_of(number: int) -> bytes:
    return b"%0*d" % (WIDTH, number)


class Ledger:
    """Counts how often each number was seen, and checks the order per key."""

    def __init__(self) -> None:
        self._seen = bytearray()
        self._highest = [-1] * KEYS
        self.out_of_order = 0

    def add(self, key: bytes | None, value: bytes | None) -> None:
        assert value is not None
        assert len(value) == WIDTH, f"not a value of the run: {value!r}"
        number = int(value)
        assert key == key_of(number), f"{number} came with the key {key!r}"
        if number >= len(self._seen):
            self._seen.extend(bytes(number + 1 - len(self._seen)))
        if self._seen[number] == 0 and number < self._highest[number % KEYS]:
            self.out_of_order += 1
        self._highest[number % KEYS] = max(number, self._highest[number % KEYS])
        # A byte counts at most 255 copies.
        self._seen[number] = min(self._seen[number] + 1, 255)

    def lost(self, sent: int) -> int:
        """How many of the numbers below `sent` never came."""
        assert len(self._seen) <= sent, f"{len(self._seen) - 1} came and was not sent"
        return sent - len(self._seen) + self._seen.count(0)

    @property
    def duplicated(self) -> int:
        """How many messages repeat an earlier number."""
        return sum(self._seen) - (len(self._seen) - self._seen.count(0))
