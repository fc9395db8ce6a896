"""The size of a micro-batch, and whether it waits for more messages."""

import time
from collections.abc import Mapping

from .offsets import Offsets, Partition


def share_out(starts: Mapping[Partition, int], ends: Mapping[Partition, int], most: int) -> Offsets:
    """Return the ends of a micro-batch of about ``most`` offsets.

    Each partition advances by the same fraction of its waiting offsets, and by at least one offset
    if it has any. So no partition is done much earlier than another one. If a partition ends before
    its start, its topic was created again: the end stays as it is, and the loss is noticed later.
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
    """Delays a micro-batch until enough offsets are there, or a time has passed.

    Args:
        least: the least number of offsets in a micro-batch; None if there is no minimum.
        delay: seconds since the last micro-batch, after which the next one starts with fewer
            offsets.
    """

    def __init__(self, least: int | None, delay: float) -> None:
        self._least = least
        self._delay = delay
        # As in Spark's own source, the first micro-batch of a run does not wait.
        self._last = float("-inf")

    def goes_on(self, starts: Mapping[Partition, int], ends: Mapping[Partition, int]) -> bool:
        """Return whether the next micro-batch has to wait."""
        if self._least is None:
            return False
        now = time.monotonic()
        there = sum(max(0, ends[one] - starts[one]) for one in ends)
        if there < self._least and now < self._last + self._delay:
            return True
        if there > 0:
            self._last = now
        return False
