"""Consumers against the model, for some seconds: `make model` runs for longer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from confluent_kafka.testing import MockCluster
from tests.model.adapters import ADAPTERS
from tests.model.machine import machine_of
from tests.support.patches import needs

pytestmark = needs("next-position", "mock-holes")

BUDGET = settings(
    max_examples=10,
    stateful_step_count=20,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[MockCluster]:
    with MockCluster(3) as cluster:
        yield cluster


@pytest.mark.parametrize("kind", ADAPTERS)
def test_assigned_partitions(cluster: MockCluster, kind: str) -> None:
    """No message is lost or repeated, and the consumer always knows where it is."""
    run_state_machine_as_test(machine_of(kind, cluster), settings=BUDGET)
