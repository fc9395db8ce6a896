"""The size of a micro-batch, and whether it waits for more messages."""

import time
from collections.abc import Mapping

from .offsets import Offsets, Partition


def share_out(starts: Mapping[Partition, int], ends: Mapping[Partition, int], most: int) -> Offsets:
    """Return ends that leave about ``most`` offsets to read, shared by what each has waiting.

    Every partition advances by the same fraction, so none is done much before the others, and each
    that has something gets at least one. A partition that ends before its start was created again:
    its end stays, so that the loss is noticed.
    """
    waiting = {one: max(0, ends[one] - starts[one]) for one in ends}
    total = sum(waiting.values())
    if total <= most:
        return dict(ends)
    return {
        one: min(ends[one], starts[one] + max(1, size * most // total))
        for one, size in waiting.items()
    }


class Waiting:
    """Waits until enough offsets are there for a micro-batch, or for long enough.

    Args:
        least: offsets that a micro-batch has at least; None if it may have any number.
        delay: seconds since the last micro-batch after which the next one has what is there.
    """

    def __init__(self, least: int | None, delay: float) -> None:
        self._least = least
        self._delay = delay
        # As in Spark's own source, the first micro-batch of a run does not wait.
        self._last = float("-inf")

    def goes_on(self, starts: Mapping[Partition, int], ends: Mapping[Partition, int]) -> bool:
        """Whether the next micro-batch has to wait."""
        if self._least is None:
            return False
        now = time.monotonic()
        there = sum(max(0, ends[one] - starts[one]) for one in ends)
        if there < self._least and now < self._last + self._delay:
            return True
        if there > 0:
            self._last = now
        return False
