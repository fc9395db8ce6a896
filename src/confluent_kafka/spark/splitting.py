"""Ranges cut into more ranges: the options ``minPartitions`` and ``maxRecordsPerPartition``."""

from collections.abc import Sequence
from itertools import pairwise

from .ranges import OffsetRange


def split_ranges(
    ranges: Sequence[OffsetRange], *, min_partitions: int | None, max_records: int | None
) -> list[OffsetRange]:
    """Cut ranges into pieces of about equal size, in order.

    Args:
        ranges: ranges with at least one offset each.
        min_partitions: about how many pieces there should be at least, shared by size; a piece
            has at least one offset, so there may be fewer. With fewer than there are ranges,
            nothing is cut.
        max_records: how many offsets a piece has at most. It goes first: it may make more pieces.

    Returns:
        The pieces; the ranges themselves where neither is given.
    """
    pieces = [part for one in ranges for part in _cut(one, _parts(one, max_records))]
    if min_partitions is None or len(pieces) >= min_partitions:
        return pieces
    total = sum(_size(one) for one in ranges)
    return [
        part
        for one in ranges
        for part in _cut(
            one,
            max(_parts(one, max_records), -(-_size(one) * min_partitions // total)),
        )
    ]


def _size(one: OffsetRange) -> int:
    return one.end - one.start


def _parts(one: OffsetRange, max_records: int | None) -> int:
    """Return how many pieces a range needs so that none is larger than allowed."""
    return 1 if max_records is None else -(-_size(one) // max_records)


def _cut(one: OffsetRange, parts: int) -> list[OffsetRange]:
    """Cut a range into pieces whose sizes differ by one at most."""
    size = _size(one)
    parts = min(parts, size)
    edges = [one.start + size * number // parts for number in range(parts + 1)]
    return [OffsetRange(one.partition, *pair) for pair in pairwise(edges)]
