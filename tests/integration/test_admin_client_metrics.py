"""Client metrics resources of real brokers."""

from __future__ import annotations

import uuid

import pytest

from confluent_kafka import protocol
from confluent_kafka.admin import AdminClient, ClientMetricsResourceListing
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request")]

CLIENT_METRICS = 16
SET, DELETE = 0, 1
PLAIN_VERSION = 0


def _configure(admin: AdminClient, name: str, operation: int, value: str | None) -> None:
    message = protocol.IncrementalAlterConfigsRequest
    config = message.AlterableConfig(name="interval.ms", config_operation=operation, value=value)
    resource = message.AlterConfigsResource(
        resource_type=CLIENT_METRICS, resource_name=name, configs=[config]
    )
    body = message(resources=[resource]).encode(PLAIN_VERSION)
    answer = admin.request(message.api_key, PLAIN_VERSION, body, timeout=TIMEOUT)
    decoded = protocol.IncrementalAlterConfigsResponse.decode(answer, PLAIN_VERSION)
    assert [one.error_code for one in decoded.responses] == [0]


def test_list(kafka: KafkaCluster, topic: str) -> None:
    """A resource is listed from its first configuration until it has none; topics are not."""
    name = f"metrics-{uuid.uuid4().hex[:12]}"
    with AdminClient(kafka.config()) as admin:

        def listed() -> list[ClientMetricsResourceListing]:
            return admin.list_client_metrics_resources().result(TIMEOUT)

        _configure(admin, name, SET, "60000")
        wait_until(lambda: ClientMetricsResourceListing(name) in listed())
        assert ClientMetricsResourceListing(topic) not in listed()
        _configure(admin, name, DELETE, None)
        wait_until(lambda: ClientMetricsResourceListing(name) not in listed())
