"""Runs consumers against the model for some seconds. `make model` runs longer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from confluent_kafka.testing import MockCluster
from tests.model.machines import MACHINES, kinds
from tests.support.patches import needs

pytestmark = needs("next-position", "mock-holes", "mock-commit-epoch", "recreated-topic")

BUDGET = settings(
    max_examples=4,
    stateful_step_count=15,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[MockCluster]:
    with MockCluster(3) as cluster:
        yield cluster


@pytest.mark.parametrize(("machine", "kind"), list(kinds("assigned")))
def test_no_message_is_lost_or_repeated(cluster: MockCluster, machine: str, kind: str) -> None:
    """Consumers return each message once, and report positions, pauses and committed offsets
    correctly."""
    run_state_machine_as_test(MACHINES[machine](kind, cluster), settings=BUDGET)
