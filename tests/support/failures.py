"""Shows the name of a failed test at once, as a hook for pytest.

If a run is stopped early, pytest does not print its list of failures.
"""

from __future__ import annotations

from typing import Any

import pytest


class Failures:
    """Writes the names of failed tests to the terminal, between the dots."""

    def __init__(self, reporter: Any) -> None:
        self._reporter = reporter

    # This hook runs after pytest's own hook, which shows the F.
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.failed:
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = crash.message if crash else str(report.longrepr)
        first_line = reason.partition("\n")[0]  # the reason may be empty
        self._reporter.write_line(f"\nfailed: {report.nodeid}: {first_line}")


def pytest_sessionstart(session: pytest.Session) -> None:
    # The worker processes of pytest-xdist have no terminal. The main process shows their reports.
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Failures(reporter), "failures at once")
