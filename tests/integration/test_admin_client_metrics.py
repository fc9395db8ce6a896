"""Client metrics resources of real brokers."""

from __future__ import annotations

import uuid

import pytest

from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ClientMetricsResourceListing,
    ConfigEntry,
    ConfigResource,
)
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]


def _configure(
    admin: AdminClient, name: str, operation: AlterConfigOpType, value: str | None
) -> None:
    entry = ConfigEntry("interval.ms", value, incremental_operation=operation)
    resource = ConfigResource("client_metrics", name, incremental_configs=[entry])
    admin.incremental_alter_configs([resource])[resource].result(TIMEOUT)


def test_list(kafka: KafkaCluster, topic: str) -> None:
    """A resource is listed while it has a configuration; topics are not listed."""
    name = f"metrics-{uuid.uuid4().hex[:12]}"
    with AdminClient(kafka.config()) as admin:

        def listed() -> list[ClientMetricsResourceListing]:
            return admin.list_client_metrics_resources().result(TIMEOUT)

        _configure(admin, name, AlterConfigOpType.SET, "60000")
        wait_until(lambda: ClientMetricsResourceListing(name) in listed())
        assert ClientMetricsResourceListing(topic) not in listed()
        _configure(admin, name, AlterConfigOpType.DELETE, None)
        wait_until(lambda: ClientMetricsResourceListing(name) not in listed())
