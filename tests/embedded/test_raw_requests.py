"""request() and api_versions(): any request of Kafka's protocol, over a client's connections."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient
from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.hostile import HostileProxy
from tests.support.patches import needs
from tests.support.protocol import text
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("raw-request")

METADATA, FIND_COORDINATOR, HEARTBEAT, API_VERSIONS, VOTE = 3, 10, 12, 18, 52
NULL_ARRAY = struct.pack(">i", -1)
NO_TAGS = b"\0"


@pytest.fixture(autouse=True)
def tracked(kafka_cluster: MockCluster) -> None:
    kafka_cluster.start_request_tracking()


@pytest.fixture
def producer(make_producer: MakeProducer) -> Producer:
    return make_producer()


def code_of(error: pytest.ExceptionInfo[KafkaException]) -> int:
    return error.value.args[0].code()


def find_coordinator(key: str, kind: int) -> bytes:
    """The body of FindCoordinator version 1: kind 0 means a group, and kind 1 a transaction."""
    return text(key) + struct.pack(">b", kind)


def node_of(answer: bytes) -> int:
    """The broker's id in the answer of FindCoordinator, after throttle time, error code and
    message."""
    code, length = struct.unpack_from(">hh", answer, 4)
    assert (code, length) == (0, -1)
    return int(struct.unpack_from(">i", answer, 8)[0])


# ---- answers ----


@needs("raw-request")
def test_answer(kafka_cluster: MockCluster, producer: Producer) -> None:
    """request() returns the bytes of the answer without its header."""
    kafka_cluster.create_topic("topic", partitions=1)
    answer = producer.request(METADATA, 1, struct.pack(">i", 1) + text("topic"), timeout=TIMEOUT)
    assert struct.unpack_from(">i", answer) == (len(producer.list_topics().brokers),)
    assert text("topic") in answer


def test_flexible_versions(kafka_cluster: MockCluster, producer: Producer) -> None:
    """The client writes and reads the tags of the headers, so the caller need not (KIP-482)."""
    kafka_cluster.create_topic("topic", partitions=1)
    one_topic = b"\x02" + b"\x06topic" + NO_TAGS
    body = one_topic + struct.pack(">???", False, False, False) + NO_TAGS
    answer = producer.request(METADATA, 9, body, timeout=TIMEOUT)
    throttle_ms, brokers = struct.unpack_from(">ib", answer)
    assert (throttle_ms, brokers - 1) == (0, len(producer.list_topics().brokers))
    assert b"\x06topic" in answer


FLEXIBLE = 3  # a version of FindCoordinator
FLEXIBLE_BODY = b"\x02g" + b"\0" + NO_TAGS


@contextmanager
def changed_answers(change: Callable[[bytes], bytes]) -> Iterator[Producer]:
    """A client behind a proxy that changes answers to FindCoordinator.

    The client itself sends no such request.
    """

    def of_find_coordinator(api_key: int, frame: bytes) -> bytes:
        return change(frame) if api_key == FIND_COORDINATOR else frame

    with (
        MockCluster(1) as cluster,
        HostileProxy(cluster.bootstrap_servers, change=of_find_coordinator) as proxy,
        Producer({"bootstrap.servers": proxy.address}) as producer,
    ):
        yield producer


def test_answers_with_tags_in_their_header() -> None:
    """Tags in the header of an answer are removed; no present broker sends such tags."""
    answers = []
    tags = [NO_TAGS, b"\x02" + b"\x00\x03abc" + b"\x81\x01\x00"]

    def with_tags(frame: bytes) -> bytes:
        assert frame[4:5] == NO_TAGS
        return frame[:4] + tags[len(answers)] + frame[5:]

    with changed_answers(with_tags) as producer:
        for _ in tags:
            answer = producer.request(FIND_COORDINATOR, FLEXIBLE, FLEXIBLE_BODY, timeout=TIMEOUT)
            answers += [answer]
    assert answers[0] == answers[1] != b""


@pytest.mark.parametrize(
    "header", [b"", b"\xff", b"\xff" * 6, b"\x01\x00\x05abc", b"\x01\x00\xff\xff\xff\xff\x0f"]
)
def test_answers_whose_header_cannot_be_read(header: bytes) -> None:
    """If the header of an answer cannot be read, request() raises instead of returning wrong
    bytes."""
    with (
        changed_answers(lambda frame: frame[:4] + header) as producer,
        pytest.raises(KafkaException, match="the header of the answer") as error,
    ):
        producer.request(FIND_COORDINATOR, FLEXIBLE, FLEXIBLE_BODY, timeout=TIMEOUT)
    assert code_of(error) == KafkaError._BAD_MSG


def test_large_body_and_answer(producer: Producer) -> None:
    """A request and an answer can have several MiB, such as Metadata of many missing topics."""
    count, name = 20_000, "topic-" + "x" * 100
    body = struct.pack(">i", count) + b"".join(text(f"{name}-{i}") for i in range(count))
    answer = producer.request(METADATA, 4, body + b"\0", timeout=TIMEOUT)
    assert len(answer) > len(body) > 2_000_000


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_kinds_of_bytes(producer: Producer, kind: Callable[[bytes], Any]) -> None:
    """Any contiguous buffer can be a body."""
    body = NULL_ARRAY
    expected = producer.request(METADATA, 1, body, timeout=TIMEOUT)
    assert producer.request(METADATA, 1, kind(body), timeout=TIMEOUT) == expected


# ---- which broker is asked ----


def test_the_first_request_of_a_client(kafka_cluster: MockCluster) -> None:
    """The request does not use a connection of bootstrap.servers, which ends when brokers are
    known."""
    for _ in range(30):
        with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
            assert producer.api_versions(timeout=TIMEOUT)


def received_by(cluster: MockCluster, api_key: int) -> set[int]:
    return {request.broker_id for request in cluster.requests() if request.api_key == api_key}


def test_broker(kafka_cluster: MockCluster, producer: Producer) -> None:
    """The given broker gets the request."""
    producer.connect(TIMEOUT)
    for broker in (1, 2, 3):
        kafka_cluster.clear_requests()
        producer.request(FIND_COORDINATOR, 1, find_coordinator("g", 0), broker=broker)
        assert received_by(kafka_cluster, FIND_COORDINATOR) == {broker}


def test_controller(kafka_cluster: MockCluster, producer: Producer) -> None:
    """The controller gets the request."""
    controller = producer.list_topics().controller_id
    kafka_cluster.clear_requests()
    producer.request(FIND_COORDINATOR, 1, find_coordinator("g", 0), controller=True)
    assert received_by(kafka_cluster, FIND_COORDINATOR) == {controller}


@pytest.mark.parametrize(("kind", "number"), [("group", 0), ("transaction", 1)])
def test_coordinator(
    kafka_cluster: MockCluster, producer: Producer, kind: str, number: int
) -> None:
    """The coordinator is looked up, and gets the request."""
    key = "the-key"
    for coordinator in (1, 3):
        kafka_cluster.set_coordinator(kind, key, coordinator)
        answer = producer.request(
            FIND_COORDINATOR, 1, find_coordinator(key, number), timeout=TIMEOUT
        )
        assert node_of(answer) == coordinator
    # Heartbeat, because a producer does not send it by itself; it sends ApiVersions to each broker.
    body = text(key) + struct.pack(">i", 0) + text("member")
    producer.request(HEARTBEAT, 0, body, coordinator=(kind, key), timeout=TIMEOUT)
    assert received_by(kafka_cluster, HEARTBEAT) == {3}


# ---- versions ----


def test_versions(producer: Producer) -> None:
    """api_versions() returns the versions that the broker has, by API key."""
    versions = producer.api_versions(timeout=TIMEOUT)
    assert versions == producer.api_versions(broker=2, timeout=TIMEOUT)
    lowest, highest = versions[METADATA]
    assert 0 <= lowest < highest
    assert VOTE not in versions


@pytest.mark.parametrize(
    ("api_key", "version", "told"),
    [
        (METADATA, 99, "does not have version 99 of API key 3: the highest that it has is"),
        (VOTE, 1, "does not know requests of API key 52"),
        (32_767, 0, "does not know requests of API key 32767"),
    ],
)
def test_versions_that_a_broker_does_not_have(
    kafka_cluster: MockCluster, producer: Producer, api_key: int, version: int, told: str
) -> None:
    """The call raises, nothing is sent, and the connection stays."""
    producer.request(API_VERSIONS, 0, broker=1, timeout=TIMEOUT)
    kafka_cluster.clear_requests()
    with pytest.raises(KafkaException, match=told) as error:
        producer.request(api_key, version, broker=1, timeout=TIMEOUT)
    assert code_of(error) == KafkaError._UNSUPPORTED_FEATURE
    assert not received_by(kafka_cluster, api_key)
    assert producer.request(API_VERSIONS, 0, broker=1, timeout=TIMEOUT)


# ---- failures ----


@contextmanager
def asked(cluster: MockCluster, producer: Producer) -> Iterator[Future[bytes]]:
    """A request that broker 1 has received, and will answer in a minute."""
    producer.request(METADATA, 1, NULL_ARRAY, broker=1, timeout=TIMEOUT)
    cluster.set_round_trip_time(1, 60)
    with ThreadPoolExecutor() as pool:
        body = find_coordinator("g", 0)
        answer = pool.submit(producer.request, FIND_COORDINATOR, 1, body, broker=1)
        wait_until(lambda: received_by(cluster, FIND_COORDINATOR) == {1})
        yield answer


def test_unknown_broker(producer: Producer) -> None:
    """If the broker does not exist within the timeout, request() times out."""
    with pytest.raises(KafkaException) as error:
        producer.request(METADATA, 1, NULL_ARRAY, broker=77, timeout=0.1)
    assert code_of(error) == KafkaError._TIMED_OUT


def test_answer_that_is_late(kafka_cluster: MockCluster, producer: Producer) -> None:
    """The request ends at its timeout, and the late answer has no effect."""
    producer.request(METADATA, 1, NULL_ARRAY, broker=1, timeout=TIMEOUT)
    kafka_cluster.set_round_trip_time(1, 0.5)
    with pytest.raises(KafkaException) as error:
        producer.request(METADATA, 1, NULL_ARRAY, broker=1, timeout=0.05)
    assert code_of(error) == KafkaError._TIMED_OUT
    kafka_cluster.set_round_trip_time(1, 0)
    assert producer.request(METADATA, 1, NULL_ARRAY, broker=1, timeout=TIMEOUT)


def test_connection_that_breaks(kafka_cluster: MockCluster, producer: Producer) -> None:
    """The request is not sent again, because the broker may have carried it out."""
    with asked(kafka_cluster, producer) as answer:
        kafka_cluster.set_broker_down(1)
        error = answer.exception(TIMEOUT)
        assert isinstance(error, KafkaException)
        assert error.code() == KafkaError._TRANSPORT
        kafka_cluster.set_round_trip_time(1, 0)
        kafka_cluster.set_broker_up(1)
    assert producer.request(METADATA, 1, NULL_ARRAY, broker=1, timeout=TIMEOUT)
    sent = [one for one in kafka_cluster.requests() if one.api_key == FIND_COORDINATOR]
    assert len(sent) == 1


def test_close_while_a_request_waits(kafka_cluster: MockCluster, producer: Producer) -> None:
    """close() in another thread ends the request."""
    with asked(kafka_cluster, producer) as answer:
        producer.close()
        error = answer.exception(TIMEOUT)
        assert isinstance(error, KafkaException)
        assert error.code() == KafkaError._INTR


def test_wrong_targets(producer: Producer) -> None:
    """The error names the allowed targets."""
    both: dict[str, Any] = {"broker": 1, "controller": True}
    with pytest.raises(ValueError, match="give only one of broker, controller and coordinator"):
        producer.request(METADATA, 1, **both)
    with pytest.raises(TypeError, match=r"coordinator must be a tuple \(kind, key\).*not str"):
        producer.request(METADATA, 1, coordinator="group")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='must be "group" or "transaction", not \'share\''):
        producer.request(METADATA, 1, coordinator=("share", "group"))
    with pytest.raises(ValueError, match="timeout must be at most 3600 seconds, not 3601"):
        producer.request(METADATA, 1, timeout=3601)
    with pytest.raises(TypeError, match="body must be bytes-like, not str"):
        producer.request(METADATA, 1, "body")  # type: ignore[arg-type]


def test_body_that_is_too_long(producer: Producer) -> None:
    """A body that is too long for any broker is refused before it is copied."""
    with pytest.raises(ValueError, match="body must be at most 100 MiB"):
        producer.request(METADATA, 1, bytearray(100 * 1024 * 1024 + 1))


# ---- every client ----


@pytest.mark.parametrize("client", [Producer, Consumer, ShareConsumer, AdminClient])
def test_clients(kafka_cluster: MockCluster, client: type[Any]) -> None:
    """Each kind of client has request()."""
    settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    if client is not Producer and client is not AdminClient:
        settings["group.id"] = "group"
    with client(settings) as one:
        versions = one.api_versions(timeout=TIMEOUT)
        assert one.request(METADATA, versions[METADATA][0], NULL_ARRAY, timeout=TIMEOUT)


@pytest.mark.parametrize("client", [AIOProducer, AIOConsumer, AIOAdminClient])
def test_asyncio(kafka_cluster: MockCluster, client: type[Any]) -> None:
    """While an awaited request() waits, other tasks run, and many requests can be sent at the same
    time."""
    settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    if client is AIOConsumer:
        settings["group.id"] = "group"

    async def ask() -> None:
        async with client(settings) as one:
            assert METADATA in await one.api_versions(timeout=TIMEOUT)
            answers = await asyncio.gather(
                *(
                    one.request(METADATA, 1, NULL_ARRAY, broker=broker, timeout=TIMEOUT)
                    for broker in (1, 2, 3) * 5
                )
            )
            assert len(set(answers)) == 1

    asyncio.run(ask())
