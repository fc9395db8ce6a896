"""Runs a few cases of the matrix of changed responses. `make matrix` runs all cases."""

from __future__ import annotations

import pytest

from tests.matrix.runs import run
from tests.support.patches import needs

pytestmark = needs("admin-replies", "coordinator-lookup", "mock-on-request")

DRAWN = (
    "admin.describe_acls",
    "admin.describe_consumer_groups",
    "admin.list_consumer_group_offsets",
    "admin.list_consumer_groups",
    "consumer.offsets",
    "producer.produce",
    "aio.produce",
)


@pytest.mark.parametrize("call", DRAWN)
def test_answers_that_are_changed(call: str) -> None:
    """After any change to a response, the call returns or raises a documented exception, in
    time."""
    figures = run(call, "--cases=8", "--seconds=4", "--seed=1")
    assert figures.found == []
    assert figures.cases > 0
