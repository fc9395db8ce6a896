"""Client metrics that brokers collect (KIP-714)."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import Uuid, protocol
from confluent_kafka.testing import MockCluster, RequestContext
from tests.embedded.conftest import MakeProducer
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytestmark = needs("mock-on-request")

PUSH = protocol.PushTelemetryRequest.api_key
SUBSCRIPTIONS = protocol.GetTelemetrySubscriptionsRequest.api_key
INSTANCE = Uuid(1, 2)


@pytest.fixture
def pushed(kafka_cluster: MockCluster) -> list[Any]:
    """The metrics that clients have pushed: the brokers want all of them, 20 times a second."""
    wanted = protocol.GetTelemetrySubscriptionsResponse(
        client_instance_id=INSTANCE,
        subscription_id=7,
        accepted_compression_types=[0],
        push_interval_ms=50,
        telemetry_max_bytes=100_000,
        requested_metrics=["*"],
    )
    requests: list[Any] = []

    def push(request: Any, context: RequestContext) -> protocol.PushTelemetryResponse:
        requests.append(request)
        return protocol.PushTelemetryResponse()

    kafka_cluster.on_request(SUBSCRIPTIONS, lambda *_: wanted)
    kafka_cluster.on_request(PUSH, push)
    return requests


def test_metrics_are_pushed(pushed: list[Any], make_producer: MakeProducer) -> None:
    """A client sends its metrics by itself, and its last ones when it is closed."""
    producer = make_producer()
    wait_until(lambda: len(pushed) > 1)
    producer.close(10)
    assert {each.client_instance_id for each in pushed} == {INSTANCE}
    assert {each.subscription_id for each in pushed} == {7}
    assert b"org.apache.kafka.producer.connection.creation.total" in pushed[0].metrics
    assert [each.terminating for each in pushed] == [False] * (len(pushed) - 1) + [True]


def test_metrics_are_switched_off(
    pushed: list[Any], kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """With enable.metrics.push=false the client does not even ask what is wanted."""
    kafka_cluster.start_request_tracking()
    producer = make_producer({"enable.metrics.push": False})
    producer.produce(kafka_topic, b"value")
    assert producer.flush(10) == 0
    assert pushed == []
    assert SUBSCRIPTIONS not in {each.api_key for each in kafka_cluster.requests()}
