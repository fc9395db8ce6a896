"""The embedded cluster leaks no requests, answers, handlers or clusters."""

from __future__ import annotations

import contextlib
import gc
import threading
from typing import Any

import pytest

from confluent_kafka import KafkaException, cimpl, protocol
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.testing import MockAction, MockCluster
from tests.support.patches import needs
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")

LOG_DIRS = protocol.DescribeLogDirsRequest.api_key
MANY, SOME, CLUSTERS = 100, 40, 5  # a leaked cluster shows after few rounds


def answer(request: Any, context: Any) -> Any:
    response = protocol.DescribeLogDirsResponse
    return response(results=[response.DescribeLogDirsResult(log_dir="/data")])


def ask(admin: AdminClient) -> None:
    with contextlib.suppress(KafkaException):
        admin.describe_log_dirs([1], request_timeout=TIMEOUT)[1].result(TIMEOUT)


def test_answers(kafka_cluster: MockCluster) -> None:
    """Handlers that answer and are removed do not leak, nor do refused arguments."""
    kafka_cluster.on_request(LOG_DIRS, answer)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:

        def work() -> None:
            data: list[Any] = []
            kafka_cluster.on_request(LOG_DIRS, lambda *args: data.append(args) or answer(*args))
            ask(admin)
            assert data
            kafka_cluster.on_request(LOG_DIRS, None)
            with pytest.raises(TypeError):
                kafka_cluster.on_request(LOG_DIRS, data)  # type: ignore[arg-type]
            with pytest.raises(ValueError, match="versions"):
                kafka_cluster.on_request(LOG_DIRS, answer, versions=(5, 1))
            with pytest.raises(TypeError):
                kafka_cluster._answer(1, 0, 1)  # type: ignore[arg-type]

        assert_no_leaks(work, MANY)


def test_administration(kafka_cluster: MockCluster) -> None:
    """Reads and changes of the embedded administration leak nothing, nor do calls that it
    refuses."""
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:

        def work() -> None:
            admin.create_topics([NewTopic("made", 1)])["made"].result(TIMEOUT)
            assert b"made" in kafka_cluster._snapshot()
            kafka_cluster._add_partitions("made", 2)
            assert kafka_cluster._records("made", 1) == b""
            kafka_cluster._delete_records("made", 0, 0)
            kafka_cluster._delete_offset("g", "made", 0)
            kafka_cluster._set_replicas("made", 0, [2, 1])
            kafka_cluster._write_marker("made", 0, 1, 0, False)
            kafka_cluster._set_client_quota("me", 1000, 0)
            kafka_cluster._set_client_quota("me", 0, 0)
            kafka_cluster._set_share_offset("shared", "made", 0, 0)
            kafka_cluster._set_share_offset("shared", "made", 0, -1)
            kafka_cluster._delete_group("shared")
            admin.delete_topics(["made"])["made"].result(TIMEOUT)
            with pytest.raises(KafkaException):
                kafka_cluster._records("made", 0)
            with pytest.raises(KafkaException):
                kafka_cluster._delete_group("g")

        assert_no_leaks(work, SOME)


@pytest.mark.parametrize("answered", [MockAction.NO_ANSWER, None, 1])
def test_closed(answered: Any) -> None:
    """A cluster does not leak if it is closed during a request or after a handler has failed."""

    def work() -> None:
        asked = threading.Event()
        cluster = MockCluster(brokers=1)
        cluster.on_request(LOG_DIRS, lambda *_: asked.set() or (cluster and answered))
        with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
            future = admin.describe_log_dirs([1], request_timeout=TIMEOUT)[1]
            assert asked.wait(TIMEOUT)
            if answered is not MockAction.NO_ANSWER:
                with contextlib.suppress(KafkaException):
                    future.result(TIMEOUT)
        if answered == 1:
            with pytest.raises(TypeError, match="a handler of DescribeLogDirsRequest"):
                cluster.close()
        else:
            cluster.close()
        gc.collect()

    assert_no_leaks(work, CLUSTERS)


def test_offers() -> None:
    """The cluster's internal iterators over requests do not leak, also if a second one is
    refused."""

    def work() -> None:
        cluster = cimpl.MockCluster(brokers=1)
        offers = cluster._offers()
        with pytest.raises(RuntimeError, match="already takes"):
            cluster._offers()
        cluster.close()
        assert list(offers) == []
        cluster = cimpl.MockCluster(brokers=1)
        cluster.close()
        for _ in range(2):
            with pytest.raises(RuntimeError, match="has been closed"):
                cluster._offers()

    assert_no_leaks(work, SOME)
