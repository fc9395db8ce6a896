"""Ranges are split and combined for tasks, and limits bound a micro-batch."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark import admission
from confluent_kafka.spark.admission import Waiting, share_out
from confluent_kafka.spark.offsets import Partition
from confluent_kafka.spark.ranges import OffsetRange
from confluent_kafka.spark.read_options import read_options
from confluent_kafka.spark.splitting import group_ranges, plan_tasks, split_ranges

A, B = Partition("a", 0), Partition("b", 0)
RANGES = [OffsetRange(A, 10, 110), OffsetRange(B, 0, 900)]


def sizes(pieces: list[OffsetRange], partition: Partition) -> list[int]:
    return [one.end - one.start for one in pieces if one.partition == partition]


def check_covered(pieces: list[OffsetRange], ranges: list[OffsetRange]) -> None:
    """Every offset is in one piece, and no piece is empty."""
    offsets = [(one.partition, offset) for one in pieces for offset in range(one.start, one.end)]
    assert offsets == [
        (one.partition, offset) for one in ranges for offset in range(one.start, one.end)
    ]
    assert all(one.start < one.end for one in pieces)


def test_nothing_is_cut_without_a_reason() -> None:
    """One range per partition is the default; the plan never has fewer."""
    assert split_ranges(RANGES, min_partitions=None, max_records=None) == RANGES
    assert split_ranges(RANGES, min_partitions=2, max_records=900) == RANGES
    assert split_ranges([], min_partitions=5, max_records=1) == []


@pytest.mark.parametrize("least", [3, 10, 37, 999])
def test_min_partitions_are_shared_by_size(least: int) -> None:
    """A large partition is cut into more pieces, which are about as large as the pieces of other
    partitions."""
    pieces = split_ranges(RANGES, min_partitions=least, max_records=None)
    check_covered(pieces, RANGES)
    assert least <= len(pieces) <= least + 1
    largest = max(sizes(pieces, A) + sizes(pieces, B))
    assert largest <= -(-1000 // least)


def test_a_piece_has_at_least_one_offset() -> None:
    """More pieces than offsets would be tasks with nothing to do."""
    small = [OffsetRange(A, 5, 8), OffsetRange(B, 0, 1)]
    pieces = split_ranges(small, min_partitions=100, max_records=None)
    check_covered(pieces, small)
    assert len(pieces) == 4


def test_max_records_bounds_every_piece() -> None:
    """If minPartitions is given too, the option that makes more pieces takes precedence."""
    pieces = split_ranges(RANGES, min_partitions=None, max_records=300)
    check_covered(pieces, RANGES)
    assert (sizes(pieces, A), sizes(pieces, B)) == ([100], [300, 300, 300])
    both = split_ranges(RANGES, min_partitions=20, max_records=300)
    check_covered(both, RANGES)
    assert 20 <= len(both) <= 21
    assert max(sizes(both, A) + sizes(both, B)) <= 300


def tiny(count: int, size: int = 1) -> list[OffsetRange]:
    """Return `count` ranges, each of a partition of its own."""
    return [OffsetRange(Partition("t", number), 7, 7 + size) for number in range(count)]


def tasks_of(ranges: list[OffsetRange], **options: str) -> list[list[OffsetRange]]:
    """The ranges of each task of a read with these options."""
    given = {"kafka.bootstrap.servers": "localhost:1", "subscribe": "t", **options}
    read = read_options({name.lower(): text for name, text in given.items()}, streaming=True)
    return [list(task.ranges) for task in plan_tasks(ranges, read)]


def test_nearly_empty_partitions_share_tasks() -> None:
    """The ranges of 10,000 partitions share enough tasks for a few machines; each range is in one
    task."""
    tasks = tasks_of(tiny(10_000))
    assert 64 <= len(tasks) <= 66
    assert [one for task in tasks for one in task] == tiny(10_000)


def test_what_keeps_a_task_busy_has_one() -> None:
    """Each large range has its own task, and so has each range of a topic with few partitions."""
    assert tasks_of(tiny(1_000, 10_000)) == [[one] for one in tiny(1_000, 10_000)]
    assert tasks_of(tiny(127)) == [[one] for one in tiny(127)]
    mixed = [*tiny(200), OffsetRange(B, 0, 50_000)]
    tasks = tasks_of(mixed)
    assert tasks[-1] == mixed[-1:]
    assert len(tasks) == 68


def test_a_task_of_several_ranges_stays_small() -> None:
    """The ranges of a task have no more offsets together than one range may have."""
    tasks = tasks_of(tiny(1_000, 3_000))
    assert {len(task) for task in tasks[:-1]} == {3}
    tasks = tasks_of(tiny(1_000, 300), maxRecordsPerPartition="700")
    assert {len(task) for task in tasks} == {2}


def test_the_number_of_tasks_follows_options() -> None:
    """minPartitions limits how many ranges are combined; maxRangesPerTask=1 combines none."""
    assert [len(task) for task in tasks_of(tiny(20), minPartitions="4")] == [5, 5, 5, 5]
    assert len(tasks_of(tiny(10_000), maxRangesPerTask="20")) == 500
    assert tasks_of(tiny(300), maxRangesPerTask="1") == [[one] for one in tiny(300)]
    assert tasks_of([], minPartitions="4") == []


def test_a_task_has_no_partition_twice() -> None:
    """Each task has at most one range of a partition, because a consumer has one position in it."""
    pieces = [OffsetRange(A, 0, 1), OffsetRange(A, 1, 2), OffsetRange(B, 0, 1)]
    tasks = group_ranges(pieces, least_tasks=1, max_ranges=10, max_records=10)
    assert [task.ranges for task in tasks] == [tuple(pieces[:1]), tuple(pieces[1:])]


def test_a_loss_is_not_hidden_by_a_limit() -> None:
    """If a partition ends before its start, the plan keeps that end, so the loss is noticed."""
    assert share_out({A: 50, B: 0}, {A: 3, B: 100}, 10) == {A: 3, B: 10}


def test_a_micro_batch_waits_for_enough_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first micro-batch of a run does not wait; other micro-batches wait at most for the
    delay."""
    now = 100.0
    monkeypatch.setattr(admission.time, "monotonic", lambda: now)
    waiting = Waiting(10, delay=60)
    assert not waiting.goes_on({A: 0}, {A: 1})
    assert waiting.goes_on({A: 1}, {A: 10})
    assert not waiting.goes_on({A: 1}, {A: 11})
    now += 59
    assert waiting.goes_on({A: 11}, {A: 12})
    now += 1
    assert not waiting.goes_on({A: 11}, {A: 12})
    assert waiting.goes_on({A: 12}, {A: 12})


def test_without_a_minimum_nothing_waits() -> None:
    """Without a minimum, a micro-batch may have any number of offsets."""
    assert not Waiting(None, delay=60).goes_on({A: 0}, {A: 0})
