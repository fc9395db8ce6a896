"""Client metrics that brokers collect (KIP-714)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaError, Uuid, protocol
from confluent_kafka.testing import MockCluster, RequestContext
from tests.embedded.conftest import MakeProducer
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("mock-on-request")

PUSH = protocol.PushTelemetryRequest.api_key
SUBSCRIPTIONS = protocol.GetTelemetrySubscriptionsRequest.api_key
INSTANCE = Uuid(1, 2)


@pytest.fixture
def kafka_cluster() -> Iterator[MockCluster]:
    """A cluster of one broker, which answers in the order of the requests."""
    with MockCluster(brokers=1) as cluster:
        yield cluster


@pytest.fixture
def pushed(kafka_cluster: MockCluster) -> list[Any]:
    """The metrics that clients have pushed: all of them, every 50 ms at first.

    The second push is refused, and the next subscription requests no push for ten minutes.
    Therefore, no push is on its way when a test closes its client: librdkafka would not send
    another one then.
    """
    intervals = [600_000, 50]
    requests: list[Any] = []

    def wanted(*_: Any) -> protocol.GetTelemetrySubscriptionsResponse:
        return protocol.GetTelemetrySubscriptionsResponse(
            client_instance_id=INSTANCE,
            subscription_id=9 - len(intervals),
            accepted_compression_types=[0],
            push_interval_ms=intervals.pop(),
            telemetry_max_bytes=100_000,
            requested_metrics=["*"],
        )

    def push(request: Any, context: RequestContext) -> protocol.PushTelemetryResponse:
        requests.append(request)
        refused = KafkaError.UNKNOWN_SUBSCRIPTION_ID if len(requests) == 2 else 0
        return protocol.PushTelemetryResponse(error_code=refused)

    kafka_cluster.on_request(SUBSCRIPTIONS, wanted)
    kafka_cluster.on_request(PUSH, push)
    return requests


def test_metrics_are_pushed(
    pushed: list[Any], kafka_cluster: MockCluster, make_producer: MakeProducer
) -> None:
    """A client sends its metrics without a call, and sends its last metrics when it is closed."""
    kafka_cluster.start_request_tracking()
    producer = make_producer()
    wait_until(
        lambda: [each.api_key for each in kafka_cluster.requests()].count(SUBSCRIPTIONS) == 2
    )
    producer.list_topics(timeout=TIMEOUT)  # the answer of the subscription has come before this one
    # librdkafka's main thread has handled that answer before it sends this request.
    producer.api_versions(timeout=TIMEOUT)
    producer.close(10)
    # the broker may read the push after the client has sent it
    wait_until(lambda: len(pushed) >= 3)
    assert {each.client_instance_id for each in pushed} == {INSTANCE}
    assert [each.subscription_id for each in pushed] == [7, 7, 8]
    assert b"org.apache.kafka.producer.connection.creation.total" in pushed[0].metrics
    assert [each.terminating for each in pushed] == [False, False, True]


def test_metrics_are_switched_off(
    pushed: list[Any], kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """With enable.metrics.push=false the client does not request the subscription of metrics."""
    kafka_cluster.start_request_tracking()
    producer = make_producer({"enable.metrics.push": False})
    producer.produce(kafka_topic, b"value")
    assert producer.flush(10) == 0
    assert pushed == []
    assert SUBSCRIPTIONS not in {each.api_key for each in kafka_cluster.requests()}
