"""The chaos scenarios at their short scale."""

from __future__ import annotations

import pytest

from tests.chaos.scenarios import SCENARIOS, Scenario
from tests.integration.kafka_cluster import OwnKafkaCluster

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_keeps_its_promises(own_kafka: OwnKafkaCluster, scenario: Scenario) -> None:
    """No message is lost, duplicated or out of order, as the scenario promises."""
    row = scenario.run(own_kafka, **scenario.short)
    assert row.messages > 0
    assert row.kept, row
