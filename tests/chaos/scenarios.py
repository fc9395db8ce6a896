"""Every chaos scenario, at its two scales: the short one runs with the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.chaos import (
    broker_kill,
    exactly_once,
    log_dirs,
    network,
    queue_full,
    rebalance_storm,
    soak,
    spark_exactly_once,
    topic_deleted,
    worker_storm,
    wrong_cluster,
)
from tests.chaos.row import Row


@dataclass(frozen=True)
class Scenario:
    """A scenario: `run(kafka, **scale)` runs it and returns its row."""

    name: str
    run: Callable[..., Row]
    short: dict[str, Any]  # at most 20 seconds; Spark needs longer, because it starts twice
    full: dict[str, Any]


SCENARIOS = [
    Scenario("broker kill", broker_kill.run, broker_kill.SHORT, broker_kill.FULL),
    Scenario("network", network.run, network.SHORT, network.FULL),
    Scenario("exactly once", exactly_once.run, exactly_once.SHORT, exactly_once.FULL),
    Scenario(
        "spark exactly once",
        spark_exactly_once.run,
        spark_exactly_once.SHORT,
        spark_exactly_once.FULL,
    ),
    *(
        Scenario(
            f"rebalance storm, {protocol}",
            rebalance_storm.run,
            {"protocol": protocol, **rebalance_storm.SHORT},
            {"protocol": protocol, **rebalance_storm.FULL},
        )
        for protocol in rebalance_storm.PROTOCOLS
    ),
    *(
        Scenario(
            f"workers, {protocol}, {fault}",
            worker_storm.run,
            {"protocol": protocol, "fault": fault, **worker_storm.SHORT},
            {"protocol": protocol, "fault": fault, **worker_storm.FULL},
        )
        for protocol, fault in (("cooperative", "SIGTERM"), ("KIP-848", "SIGKILL"))
    ),
    Scenario("queue full", queue_full.run, queue_full.SHORT, queue_full.FULL),
    Scenario("disk full", log_dirs.disk_full, log_dirs.SHORT, log_dirs.FULL),
    Scenario("read-only log dir", log_dirs.read_only, log_dirs.SHORT, log_dirs.FULL),
    Scenario("wrong cluster", wrong_cluster.run, wrong_cluster.SHORT, wrong_cluster.FULL),
    Scenario("topic deleted", topic_deleted.run, topic_deleted.SHORT, topic_deleted.FULL),
    Scenario("soak", soak.run, soak.SHORT, soak.FULL),
]
