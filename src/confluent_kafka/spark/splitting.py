"""Distributes ranges to tasks: large ranges are cut into pieces, and small ranges share a task."""

from collections.abc import Sequence
from itertools import pairwise

from .ranges import OffsetRange, TaskRanges
from .read_options import ReadOptions

# To start a task costs about as much as to read this many messages.
_WORTH_A_TASK = 10_000
# The least number of tasks if no option sets one: Spark does not tell a source on the driver how
# many cores there are.
_LEAST_TASKS = 64


def plan_tasks(ranges: Sequence[OffsetRange], options: ReadOptions) -> list[TaskRanges]:
    """Return the ranges that each task reads.

    Args:
        ranges: ranges with at least one offset each.
        options: the options of the read, which set how ranges are cut and joined.
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
    """Join small ranges, in order.

    Args:
        ranges: the ranges to read.
        least_tasks: the least number of tasks; if there are fewer ranges, the number of ranges.
        max_ranges: the largest number of ranges of a task.
        max_records: the largest number of offsets of a task with several ranges.
    """
    most = min(max_ranges, max(1, len(ranges) // least_tasks))
    tasks: list[list[OffsetRange]] = []
    room = 0
    for one in ranges:
        # One consumer cannot read a partition in two places.
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
        min_partitions: about the least number of pieces. Larger ranges get more pieces. A piece has
            at least one offset, so there may be fewer pieces. If this is less than the number of
            ranges, nothing is cut.
        max_records: the largest number of offsets of a piece. It takes precedence: it may lead to
            more pieces.

    Returns:
        The pieces; if neither limit is given, the ranges themselves.
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
    """Return how many pieces a range needs so that no piece is too large."""
    return 1 if max_records is None else -(-_size(one) // max_records)


def _cut(one: OffsetRange, parts: int) -> list[OffsetRange]:
    """Cut a range into pieces whose sizes differ by at most one."""
    if parts == 1:
        return [one]  # a micro-batch may have ten thousand of them
    size = _size(one)
    parts = min(parts, size)
    edges = [one.start + size * number // parts for number in range(parts + 1)]
    return [OffsetRange(one.partition, *pair) for pair in pairwise(edges)]
