"""Lets a test fail if its output or log records contain a secret, as a hook for pytest."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.support.secrets import reveals


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Check the last report of a test, which has all stdout, stderr and log records."""
    report = yield
    shown = [title for title, text in report.sections if reveals(text)]
    if call.when == "teardown" and shown:
        report.outcome = "failed"
        report.longrepr = f"a secret of tests/support/secrets.py is in: {', '.join(shown)}"
    return report
