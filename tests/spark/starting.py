"""Repeat tests that failed because Spark did not start a Python process in time."""

from __future__ import annotations

import pytest

# Spark gives the Python process of a source ten seconds to start, which cannot be configured.
NOT_STARTED = "Python worker failed to connect back"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Repeat a test only after this failure of Spark, and limit the number of repeats."""
    for item in items:
        if item.get_closest_marker("spark") is not None:
            item.add_marker(pytest.mark.flaky(reruns=4, only_rerun=[NOT_STARTED]))
