"""Decides which tests run at the same time, if pytest-xdist runs tests in several processes.

Most tests wait most of the time and share nothing, so any process can run them. Other tests share
brokers or Spark, which take long to start, or keep a processor busy. Such tests form a line: they
run one after the other in one process. The longest lines begin first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest

# A small machine has fewer cores. There is a process for each long line, and one for the other
# tests.
PROCESSES = 4

# The line of each test. The first key that the name of the test starts with applies.
LINES = {
    # These tests break brokers and executors, so they start brokers and executors of their own.
    "tests/integration/test_chaos.py": "faults",
    "tests/integration/test_aio_faults.py": "faults",
    "tests/spark/test_standalone.py": "faults",
    # These tests look at all objects of their process. In a new process, they take a tenth of the
    # time.
    "tests/leaks/": "leaks",
    # These tests never wait. If several of them kept all processors busy for minutes, a broker
    # would get no processor for up to 15 s at a time (Linux 6.18), and tests would time out.
    "tests/fuzz/": "computing",
    "tests/matrix/": "computing",
    "tests/model/": "computing",
    "tests/unit/": "computing",
    "tests/embedded/test_aiokafka_cancellation.py": "computing",
    "tests/embedded/test_cancellation.py": "computing",
    # These programs start Spark themselves. The machine can run only one of them at a time.
    "tests/spark/test_declarative.py": "Spark programs",
    "tests/spark/test_flights.py": "Spark programs",
    "tests/spark/test_pipeline.py::test_the_command": "Spark programs",
    "tests/integration/": "brokers and Spark",
    "tests/spark/test_bad_rows.py::test_a_wrong_password_is_named": "brokers and Spark",
    "tests/spark/test_batch": "brokers and Spark",
    "tests/spark/test_documents.py": "brokers and Spark",
    "tests/spark/test_exactly_once.py": "brokers and Spark",
    "tests/spark/test_pipeline.py": "brokers and Spark",
    "tests/spark/test_pipeline_kafka.py": "brokers and Spark",
    "tests/spark/test_read_kafka.py": "brokers and Spark",
    "tests/spark/test_read_spark.py": "brokers and Spark",
    "tests/spark/test_stream": "brokers and Spark",
    "tests/spark/test_typed_columns.py": "brokers and Spark",
    "tests/spark/test_typed_writes.py": "brokers and Spark",
}

# These fixtures take long to start. Each process starts them once, when a test needs them.
DEAR = {"kafka", "spark"}
# Lines that need neither Kafka nor Spark. Tests in no line (None) do not need them either.
CHEAP = {"computing", "leaks", None}


def line_of(test: str) -> str | None:
    if _is_embedded(test):
        return None
    return next((LINES[start] for start in LINES if test.startswith(start)), None)


def _is_embedded(test: str) -> bool:
    """Whether a test of `tests/integration` has an embedded cluster of its own."""
    return bool(re.match(r"tests/integration/.*[\[-]embedded[]-]", test))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests that would start a second cluster in another process.

    Such tests would only make the run slower, and nobody would notice.
    """
    stray = [
        item.nodeid
        for item in items
        if DEAR & set(getattr(item, "fixturenames", ()))
        and line_of(item.nodeid) in CHEAP
        and not _is_embedded(item.nodeid)
    ]
    if stray:
        raise pytest.UsageError(f"these tests need a line in {__file__}: {', '.join(stray)}")


def times_of_lines(reports: Iterable[pytest.TestReport]) -> str:
    """The start and the end of each line, in minutes since the start of the run.

    The line that ends last shows how the run can become shorter.
    """
    parts: dict[str | None, list[pytest.TestReport]] = defaultdict(list)
    for report in reports:
        if report.start:  # if its process crashed, there is no start
            parts[line_of(report.nodeid)].append(report)
    begin = min((each.start for part in parts.values() for each in part), default=0.0)
    times = {
        line or "others": [
            (when - begin) / 60
            for when in (min(each.start for each in part), max(each.stop for each in part))
        ]
        for line, part in parts.items()
    }
    ordered = sorted(times.items(), key=lambda each: each[1])
    return ", ".join(f"{line} {start:.1f} to {stop:.1f}" for line, (start, stop) in ordered)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The number for `-n auto`.

    A few tests run in one process, because starting more takes longer.
    """
    files = sum(".py" in name for name in config.args)
    few = config.getoption("keyword") or config.getoption("lf", False) or 0 < files < PROCESSES
    shown = config.getoption("capture") == "no"  # only one process can write to the terminal
    return 0 if few or shown else PROCESSES


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    # The import is here, because not every environment that runs tests has pytest-xdist.
    from xdist.scheduler import LoadScopeScheduling

    class Lines(LoadScopeScheduling):
        """Schedules like `--dist loadgroup`, which does not work with the names of pytest 9.2."""

        def _split_scope(self, nodeid: str) -> str:
            return line_of(nodeid) or nodeid

        def remove_node(self, node: Any) -> str | None:
            """Return the test that ended its process, and free the rest of its lines.

            pytest-xdist itself would run that test again, so that it would also end the next
            process.
            """
            lines = self.assigned_work.pop(node)
            left = [
                (line, test) for line in lines.values() for test, ended in line.items() if not ended
            ]
            if not left:
                return None
            line, crashed = left[0]
            line[crashed] = True
            self.workqueue.update(
                {name: line for name, line in lines.items() if not all(line.values())}
            )
            for other in self.assigned_work:
                self._reschedule(other)
            return crashed

        def _reschedule(self, node: Any) -> None:
            """Give a process two tests, because it begins a test only when it has the next one.

            pytest-xdist gives only one test to a process that replaces a crashed one, and then
            waits for ever.
            """
            super()._reschedule(node)
            while self.workqueue and not node.shutting_down and self._few(node):
                self._assign_work_unit(node)

        def _few(self, node: Any) -> bool:
            return self._pending_of(self.assigned_work[node]) <= 1

    return Lines(config, log)
