"""AdminClient on the embedded cluster: the requests that the cluster supports, and faulty
brokers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
    libversion,
    protocol,
)
from confluent_kafka.admin import (
    AdminClient,
    ClientQuotaFilter,
    ConfigResource,
    OffsetSpec,
)
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER, send
from tests.support.mock_brokers import withdraw
from tests.support.patches import needs
from tests.support.scripts import check_script
from tests.support.threads import Thread
from tests.support.waiting import TIMEOUT, wait_until


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "retry.backoff.ms": 10}
    with AdminClient(settings) as admin:
        yield admin


def latest(admin: AdminClient, place: TopicPartition, **options: Any) -> Any:
    return admin.list_offsets({place: OffsetSpec.latest()}, **options)[place]


@needs("raw-request")
def test_offsets_that_the_broker_does_not_know(
    kafka_cluster: MockCluster, kafka_topic: str, request: pytest.FixtureRequest
) -> None:
    """An older broker would treat the number that stands for such an offset as a time, so the
    client does not send the request."""
    kafka_cluster.set_api_versions("ListOffsets", 0, 7)
    admin = request.getfixturevalue("admin")  # it requests the versions once, when it connects
    place = TopicPartition(kafka_topic, 0)
    for spec, version in (
        (OffsetSpec.earliest_local(), 8),
        (OffsetSpec.latest_tiered(), 9),
        (OffsetSpec.earliest_pending_upload(), 11),
    ):
        error = admin.list_offsets({place: spec})[place].exception(TIMEOUT)
        assert isinstance(error, KafkaException)
        assert error.code() == KafkaError._UNSUPPORTED_FEATURE
        assert f"needs version {version}" in error.args[0].str()


def test_offsets(admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Offsets of partitions are looked up without a consumer."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        send(producer, kafka_topic, [b"value"] * 7)
    place = TopicPartition(kafka_topic, 0)
    assert latest(admin, place).result(TIMEOUT).offset == 7


def test_names_that_are_given_twice(admin: AdminClient, kafka_topic: str) -> None:
    """A name that is given twice is sent once, because brokers answer it once."""
    resource = ConfigResource("topic", kafka_topic)
    (future,) = admin.describe_configs([resource] * 2).values()
    assert "retention.ms" in future.result(TIMEOUT)
    (deleted,) = admin.delete_topics([kafka_topic] * 2).values()
    deleted.result(TIMEOUT)
    wait_until(lambda: kafka_topic not in admin.list_topics(timeout=TIMEOUT).topics)


def test_length_while_the_first_requests_are_sent(admin: AdminClient, kafka_topic: str) -> None:
    """One thread starts the thread that waits for answers; meanwhile the other threads may send
    requests and call len()."""
    barrier = threading.Barrier(4)
    place = TopicPartition(kafka_topic, 0)

    def send_request() -> Any:
        barrier.wait(TIMEOUT)
        return latest(admin, place)

    def ask() -> int:
        barrier.wait(TIMEOUT)
        return len(admin)

    asking, sending = ([Thread(call) for _ in range(2)] for call in (ask, send_request))
    assert {thread.result() for thread in asking} <= {0, 1, 2}
    assert [thread.result().result(TIMEOUT).offset for thread in sending] == [0, 0]
    wait_until(lambda: len(admin) == 0)


def test_group_offsets(admin: AdminClient, kafka_topic: str) -> None:
    """Offsets of a group are set and read."""
    group = [ConsumerGroupTopicPartitions("group", [TopicPartition(kafka_topic, 0, 5)])]
    altered = admin.alter_consumer_group_offsets(group)["group"].result(TIMEOUT)
    assert [each.error for each in altered.topic_partitions or []] == [None]
    place = ConsumerGroupTopicPartitions("group", [TopicPartition(kafka_topic, 0)])
    listed = admin.list_consumer_group_offsets([place])["group"].result(TIMEOUT)
    assert [each.offset for each in listed.topic_partitions or []] == [5]


def test_broker_that_says_no(
    admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """If the broker returns an error, the future raises it, or the partition contains it."""
    kafka_cluster.inject_errors("OffsetFetch", [KafkaError.GROUP_AUTHORIZATION_FAILED])
    group = [ConsumerGroupTopicPartitions("group", [TopicPartition(kafka_topic, 0)])]
    future = admin.list_consumer_group_offsets(group)["group"]
    with pytest.raises(KafkaException) as raised:
        future.result(TIMEOUT)
    assert raised.value.args[0].code() == KafkaError.GROUP_AUTHORIZATION_FAILED


def test_broker_that_is_slow(
    admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The future fails after its timeout, and the client still works."""
    place = TopicPartition(kafka_topic, 0)
    assert latest(admin, place).result(TIMEOUT).offset == 0
    kafka_cluster.set_round_trip_time(None, 6)
    error = latest(admin, place, request_timeout=0.5).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.args[0].code() == KafkaError._TIMED_OUT
    assert len(admin) == 0
    kafka_cluster.set_round_trip_time(None, 0.001)
    wait_until(lambda: latest(admin, place, request_timeout=5).exception(TIMEOUT) is None)


def test_broker_that_comes_back(
    admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """A request made while all brokers are down is answered when one is up again."""
    place = TopicPartition(kafka_topic, 0)
    assert latest(admin, place).result(TIMEOUT).offset == 0
    for broker in (1, 2, 3):
        kafka_cluster.set_broker_down(broker)
    future = latest(admin, place, request_timeout=TIMEOUT)
    for broker in (1, 2, 3):
        kafka_cluster.set_broker_up(broker)
    assert future.result(TIMEOUT).offset == 0


# ---- what the embedded cluster does not do ----


@needs("raw-request")
@pytest.mark.skipif(libversion()[1] < 0x020F0000, reason="mock clusters have no controller")
def test_what_the_embedded_cluster_does_not_do(
    admin: AdminClient, kafka_cluster: MockCluster
) -> None:
    """The error has the code and the text of an old broker; a note names the embedded cluster."""
    withdraw(kafka_cluster, protocol.DescribeClientQuotasRequest.api_key)
    error = admin.describe_client_quotas(ClientQuotaFilter.all()).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError._UNSUPPORTED_FEATURE
    assert error.__notes__ == ["the embedded cluster does not do this"]
    assert "embedded" not in str(error)


def test_groups_of_every_kind(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """If brokers do not list groups, list_groups(), which blocks, also raises with the note."""
    withdraw(kafka_cluster, protocol.ListGroupsRequest.api_key)
    with pytest.raises(KafkaException) as raised:
        admin.list_groups(timeout=TIMEOUT)
    assert raised.value.code() == KafkaError._UNSUPPORTED_FEATURE
    assert raised.value.__notes__ == ["the embedded cluster does not do this"]


# ---- out of memory ----


@pytest.mark.parametrize("answered", [True, False])
def test_without_memory(kafka_cluster: MockCluster, answered: bool) -> None:
    """If any allocation of the client's thread fails, the request still gets its answer or an
    error, even if the client is closed first."""
    pytest.importorskip("_testcapi", reason="this CPython was built without its test modules")
    script = """
        import sys, threading
        from _testcapi import remove_mem_hooks, set_nomemory
        from confluent_kafka.admin import AdminClient

        servers, answered = sys.argv[1:]
        told, come = [None], threading.Lock()
        come.acquire()

        def on_answer(result, exception, cluster_id):  # allocates nothing
            remove_mem_hooks()  # the end of a thread is Python's to get right
            told[0] = result if exception is None else exception
            come.release()

        def make():
            return AdminClient({"bootstrap.servers": servers, "log_level": 0})

        failures = 0
        client = make()
        for _ in range(300 if answered else 0):  # CPython keeps objects for small numbers
            client._request("list_consumer_groups", None, {}, on_answer)
            assert come.acquire(timeout=30)
        for attempt in range(1200):
            allocation = attempt % 60
            if attempt >= 60 and failures:  # where they fall depends on the threads' turns
                break
            told[0] = None
            client._request("list_consumer_groups", None, {}, on_answer)
            set_nomemory(allocation, allocation + 1)
            try:
                if not answered:
                    client.close()
                arrived = come.acquire(True, 10)
            except MemoryError:  # of this thread
                arrived = True
            finally:
                remove_mem_hooks()
            if not answered:
                client.close()
                client = make()
            assert arrived, allocation
            failures += isinstance(told[0], MemoryError)
        client.close()
        print(failures)
    """
    servers = kafka_cluster.bootstrap_servers if answered else NO_BROKER
    assert int(check_script(script, servers, "yes" if answered else "")) > 0


def test_a_result_for_which_there_is_no_memory(
    admin: AdminClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a future cannot take its result, it ends with the MemoryError, so no thread waits for
    ever."""

    def set_result(future: Future[Any], result: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Future, "set_result", set_result)
    place = TopicPartition("no-such-topic", 0)
    assert isinstance(admin.list_consumer_groups().exception(TIMEOUT), MemoryError)
    offsets = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions("group", [place])])
    assert isinstance(offsets["group"].exception(TIMEOUT), MemoryError)
