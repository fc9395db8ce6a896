"""What librdkafka does for each message, as counted by tests/native/counting.c.

The times that these patches save differ between machines. The number of times that the clock is
read, memory is allocated and a mutex is locked is the same everywhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.native import ROOT, build_program, run_program
from tests.support.patches import needs

WRAPPED = (
    "malloc calloc free clock_gettime strcmp mtx_init mtx_lock mtx_unlock cnd_wait cnd_timedwait"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = ROOT / "tests" / "native" / "counting.c"
    options = [f"-Wl,--wrap={name}" for name in WRAPPED.split()]
    return build_program(source, tmp_path_factory.mktemp("native"), *options)


def count(program: Path, what: str) -> dict[str, float]:
    """The program's numbers. If it handles many messages, a number is for one message."""
    result = run_program(program, what)
    assert result.returncode == 0, result.stderr
    return {name: float(number) for name, number in map(str.split, result.stdout.splitlines())}


@needs("produce-once")
def test_producing(program: Path) -> None:
    """The clock is read once for each message (three times without the patch), and freeing ten
    thousand delivery reports takes a few locks instead of ten thousand.
    """
    counts = count(program, "produce")
    assert counts["clocks"] < 1.1
    assert counts["locks_of_reports"] < 0.1


@needs("message-costs")
def test_produced_messages(program: Path) -> None:
    """librdkafka's threads lock a mutex for each batch, not for each message."""
    assert count(program, "produce")["locks_of_librdkafka"] < 0.5


@needs("fetched-messages")
def test_fetched_messages(program: Path) -> None:
    """Ten thousand waiting messages need only the memory of the broker's answers.

    Without the patch, each message needs 312 bytes more. Reading the messages takes a few locks.
    Freeing them frees blocks of memory that many messages share.
    """
    counts = count(program, "fetch")
    assert counts["bytes"] < 150
    assert counts["locks"] < 0.1
    assert counts["frees"] < 0.1


@needs("headers")
def test_headers(program: Path) -> None:
    """Reading a message without headers allocates no memory for headers."""
    assert count(program, "fetch")["mallocs_for_headers"] < 0.1


@needs("headers")
def test_encoded_headers(program: Path) -> None:
    """An application reads a record's headers within the record's bytes, and allocates nothing."""
    assert count(program, "fetch")["mallocs_to_read_headers"] == 0


@needs("atomic-read")
def test_reading_a_counter(tmp_path: Path) -> None:
    """Reading a counter does not write, so it also works in read-only memory."""
    result = run_program(build_program(ROOT / "tests" / "native" / "read_only.c", tmp_path))
    assert (result.returncode, result.stdout) == (0, "NO_ERROR\n"), result.stderr


@needs("large-lists")
def test_answers_about_many_partitions(program: Path) -> None:
    """Each of two thousand partitions is found with a few string comparisons, and not with a
    thousand."""
    assert max(count(program, "partitions").values()) < 100


@needs("mock-overdue-lock")
def test_no_mutex_is_unlocked_by_others(program: Path) -> None:
    """The mock cluster looks for overdue members of a KIP-848 group with its own lock held."""
    assert count(program, "mutexes")["foreign_unlocks"] == 0
