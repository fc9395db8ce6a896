"""Calls with any arguments raise only documented exceptions, and neither crash nor hang.

The inputs are few and always the same. `python -m tests.fuzz` is the long version.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confluent_kafka import cimpl
from tests.fuzz.arrow import ArrowImport
from tests.fuzz.boundary import SIMULATES_CTRL_C, TARGETS, Boundary
from tests.fuzz.conversions import Configurations, Headers
from tests.support.arguments import MATRIX

# An open client warns when it is garbage-collected. Some calls create such clients.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect garbage after each test, and not in the middle of another test."""
    yield
    gc.collect()


settings.register_profile(
    "tests", derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("tests")
# Hypothesis draws the inputs, so that it can shrink a failure to the fewest and simplest calls.
randoms = st.randoms(use_true_random=False)


def run(target: Callable[[Random], Any], random: Random, steps: int) -> None:
    with target(random) as running:
        for _ in range(steps):
            try:
                running.step()
            except Exception as error:
                error.add_note(f"in {running.last}")
                raise


def test_every_callable_takes_part() -> None:
    """The targets include each callable in tests/support/arguments.py, and attributes."""
    names = {target.name for target in TARGETS}
    assert {name for name in MATRIX if SIMULATES_CTRL_C not in name} <= names
    assert {"setattr TopicPartition.offset", "KafkaException", "Producer"} <= names
    assert not any("_mark_clients_forked" in name for name in names)
    assert cimpl.MockCluster.__name__ in names


# Hypothesis draws only the seed, because later draws depend on the timing of the cluster's threads.
@settings(max_examples=20)
@given(st.randoms(use_true_random=True))
def test_calls_of_everything(random: Random) -> None:
    """Every public callable, called on open, closed and incomplete objects, raises only documented
    exceptions."""
    run(Boundary, random, 20)


@settings(max_examples=30)
@given(randoms)
def test_configurations(random: Random) -> None:
    """Clients refuse wrong configurations. A client with any other configuration can be closed."""
    run(Configurations, random, 10)


@settings(max_examples=30)
@given(randoms)
def test_headers(random: Random) -> None:
    """Random headers are refused, or sent unchanged."""
    run(Headers, random, 10)


@pytest.mark.parametrize("target", [Boundary, Configurations, Headers, ArrowImport])
def test_drawn_from_a_seed(target: Callable[[Random], Any]) -> None:
    """A thousand inputs of each kind, drawn as in the long run, raise only documented exceptions.

    Accepted Arrow data is released exactly once, and no other data is released twice.
    """
    run(target, Random("suite"), 1000)
