"""An administrative request while the controller that the metadata names is not reachable."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import protocol
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

pytestmark = needs("controller-lost", "mock-on-request")

DEAD = 9  # the id of a broker that does not listen
BACKOFF = 0.05  # seconds


class Metadata:
    """The metadata of a cluster of one broker and a second one, DEAD, that does not listen.

    Attributes:
        controller: the id of the controller.
        asked: how often a client has asked.
    """

    def __init__(self, cluster: MockCluster, dead_port: int) -> None:
        self.controller = DEAD
        self.asked = 0
        host, port = cluster.bootstrap_servers.split(":")
        self._brokers = {1: (host, int(port)), DEAD: ("127.0.0.1", dead_port)}
        cluster.on_request(protocol.MetadataRequest.api_key, self._answer)

    def _answer(self, request: Any, context: object) -> protocol.MetadataResponse:
        self.asked += 1
        response = protocol.MetadataResponse
        brokers = [
            response.MetadataResponseBroker(node_id=number, host=host, port=port)
            for number, (host, port) in self._brokers.items()
        ]
        return response(
            brokers=brokers, controller_id=self.controller, cluster_id="cluster", topics=[]
        )


@pytest.fixture
def metadata() -> Iterator[tuple[MockCluster, Metadata]]:
    # A socket that is bound and does not listen refuses connections, and keeps its port.
    with MockCluster(brokers=1) as cluster, socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        yield cluster, Metadata(cluster, dead.getsockname()[1])


def client(cluster: MockCluster, **config: Any) -> AdminClient:
    common = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "reconnect.backoff.ms": int(BACKOFF * 1000),
        "reconnect.backoff.max.ms": 1000,
        "topic.metadata.refresh.interval.ms": -1,  # only a request asks for metadata
        "log_level": 0,
    }
    return AdminClient(common | config)


def attempts(admin: AdminClient) -> int:
    """How often the client has tried to connect to the controller."""
    statistics = admin.stats()
    if statistics is None:
        return 0
    return sum(each.connects for each in statistics.brokers.values() if each.nodeid == DEAD)


@needs("controller-lost")
def test_pauses_between_connections(metadata: tuple[MockCluster, Metadata]) -> None:
    """The client pauses for reconnect.backoff.ms before it connects again, and asks for the
    controller at most once a second."""
    cluster, answers = metadata
    with client(cluster, **{"statistics.interval.ms": 50}) as admin:
        watch = Stopwatch()
        created = admin.create_topics([NewTopic("topic", 1, 1)])["topic"]
        wait_until(lambda: attempts(admin) >= 5)
        # librdkafka's jitter shortens a pause by up to a quarter.
        assert attempts(admin) <= watch.elapsed / (0.75 * BACKOFF) + 2
        # One for the first broker, one for the controller, and one a second.
        assert answers.asked <= watch.elapsed + 3
        assert not created.done()


def test_the_next_controller(metadata: tuple[MockCluster, Metadata]) -> None:
    """A request that waits for a dead controller goes to the next one, as soon as the metadata
    names it."""
    cluster, answers = metadata
    with client(cluster, **{"statistics.interval.ms": 50}) as admin:
        created = admin.create_topics([NewTopic("topic", 1, 1)])["topic"]
        wait_until(lambda: attempts(admin) > 0)
        answers.controller = 1
        assert created.result(TIMEOUT) is None
