"""Prints versions at the start of each test run, and the reasons for skipped tests at its end."""

from __future__ import annotations

import gc
import platform
import signal
from collections import Counter
from collections.abc import Generator, Iterator

import pytest

import confluent_kafka
from tests.support.children import watch_over_children
from tests.support.failures import pytest_sessionstart as pytest_sessionstart
from tests.support.java import start_java_quickly
from tests.support.real_kafka import kafka as kafka
from tests.support.real_kafka import make_topic as make_topic
from tests.support.real_kafka import own_kafka as own_kafka
from tests.support.real_kafka import real_kafka as real_kafka
from tests.support.secret_search import pytest_runtest_makereport as pytest_runtest_makereport
from tests.support.side_by_side import (
    pytest_collection_modifyitems as pytest_collection_modifyitems,
)
from tests.support.side_by_side import (
    pytest_xdist_auto_num_workers as pytest_xdist_auto_num_workers,
)
from tests.support.side_by_side import pytest_xdist_make_scheduler as pytest_xdist_make_scheduler
from tests.support.side_by_side import times_of_lines


def pytest_configure() -> None:
    watch_over_children()
    start_java_quickly()
    # If a shell starts pytest in the background, pytest ignores Ctrl-C. Every program that a test
    # starts and interrupts would then ignore Ctrl-C, too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    return (
        f"confluent_kafka {confluent_kafka.version()} ({confluent_kafka.__file__}), "
        f"librdkafka {confluent_kafka.libversion()[0]}, "
        f"{platform.python_implementation()} {platform.python_version()}"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude the collected tests and their modules from garbage collection.

    They live until the end of the run. Leak checks collect garbage often. Each collection looked at
    all these objects, which took minutes of every run.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Collect the garbage of a test that ignores ResourceWarning, while its filters still apply.

    Such a test can leave a socket or a client in a reference cycle. Without this collection the
    warning appears in a later test, whose filters turn it into an error.
    """
    try:
        return (yield)
    finally:
        marks = item.iter_markers("filterwarnings")
        if any("ResourceWarning" in text for mark in marks for text in mark.args):
            gc.collect()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Print one line with every reason for a skip, so that a successful run cannot hide a skip.

    If several processes ran the tests, another line shows when each group of tests ran.
    """
    yield
    # Below the list of failures, right above pytest's own last line.
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    left_out = ", ".join(
        f"{count} {'test' if count == 1 else 'tests'} ({reason})"
        for reason, count in sorted(reasons.items())
    )
    terminalreporter.write_line(f"not run: {left_out or 'nothing'}")
    if terminalreporter.config.getoption("numprocesses", None):
        reports = [
            report
            for kind in terminalreporter.stats.values()
            for report in kind
            if isinstance(report, pytest.TestReport)
        ]
        terminalreporter.write_line(f"minutes: {times_of_lines(reports)}")


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    longrepr = report.longrepr
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix("Skipped: ")
