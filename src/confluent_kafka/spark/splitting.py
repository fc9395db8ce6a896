"""Ranges dealt out to tasks: large ones are cut into several, small ones share a task."""

from collections.abc import Sequence
from itertools import pairwise

from .ranges import OffsetRange, TaskRanges
from .read_options import ReadOptions

# To start a task costs Spark about as much as it costs to read so many messages.
_WORTH_A_TASK = 10_000
# Tasks that are left where nothing says how many there should be: Spark does not tell the driver's
# side of a source how many cores there are.
_LEAST_TASKS = 64


def plan_tasks(ranges: Sequence[OffsetRange], options: ReadOptions) -> list[TaskRanges]:
    """Return what each task reads.

    Args:
        ranges: ranges with at least one offset each.
        options: those of the read: how ranges are cut and put together.
    """
    pieces = split_ranges(
        ranges,
        min_partitions=options.min_partitions,
        max_records=options.max_records_per_partition,
    )
    return group_ranges(
        pieces,
        least_tasks=options.min_partitions or _LEAST_TASKS,
        max_ranges=options.max_ranges_per_task,
        max_records=min(options.max_records_per_partition or _WORTH_A_TASK, _WORTH_A_TASK),
    )


def group_ranges(
    ranges: Sequence[OffsetRange], *, least_tasks: int, max_ranges: int, max_records: int
) -> list[TaskRanges]:
    """Put small ranges together, in order.

    Args:
        ranges: what is to be read.
        least_tasks: how many tasks there are at least; as many as there are ranges, if those are
            fewer.
        max_ranges: how many ranges a task has at most.
        max_records: how many offsets a task has at most that has several ranges.
    """
    most = min(max_ranges, max(1, len(ranges) // least_tasks))
    tasks: list[list[OffsetRange]] = []
    room = 0
    for one in ranges:
        # One consumer cannot read a partition at two places.
        is_apart = bool(tasks) and tasks[-1][-1].partition != one.partition
        if is_apart and len(tasks[-1]) < most and _size(one) <= room:
            tasks[-1].append(one)
        else:
            tasks.append([one])
            room = max_records
        room -= _size(one)
    return [TaskRanges(tuple(task)) for task in tasks]


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
    if parts == 1:
        return [one]  # ten thousand of them are planned with every micro-batch
    size = _size(one)
    parts = min(parts, size)
    edges = [one.start + size * number // parts for number in range(parts + 1)]
    return [OffsetRange(one.partition, *pair) for pair in pairwise(edges)]
