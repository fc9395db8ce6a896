"""Every chaos scenario, at its two scales: the short one runs with the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.chaos import broker_kill, exactly_once, network
from tests.chaos.row import Row


@dataclass(frozen=True)
class Scenario:
    """`run(kafka, **scale)` does it and says what it found."""

    name: str
    run: Callable[..., Row]
    short: dict[str, Any]  # at most 20 seconds
    full: dict[str, Any]


SCENARIOS = [
    Scenario("broker kill", broker_kill.run, broker_kill.SHORT, broker_kill.FULL),
    Scenario("network", network.run, network.SHORT, network.FULL),
    Scenario("exactly once", exactly_once.run, exactly_once.SHORT, exactly_once.FULL),
]
