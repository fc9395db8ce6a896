"""A hook for pytest: a test fails when a secret stands in what it wrote or logged."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.support.secrets import reveals


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The last report of a test has all of its output: stdout, stderr and log records."""
    report = yield
    shown = [title for title, text in report.sections if reveals(text)]
    if call.when == "teardown" and shown:
        report.outcome = "failed"
        report.longrepr = f"a secret of tests/support/secrets.py is in: {', '.join(shown)}"
    return report
