"""compat.kafka_0_9: KafkaClient, its metadata and its requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, protocol
from confluent_kafka.admin import AdminClient
from confluent_kafka.compat.kafka_0_9 import KafkaClient, SimpleConsumer, _engine
from confluent_kafka.compat.kafka_0_9 import client as client_module
from confluent_kafka.compat.kafka_0_9.common import (
    BrokerMetadata,
    ConsumerFetchSizeTooSmall,
    FailedPayloadsError,
    FetchRequest,
    KafkaConfigurationError,
    KafkaTimeoutError,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    Message,
    MessageSizeTooLargeError,
    NotLeaderForPartitionError,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetOutOfRangeError,
    OffsetRequest,
    ProduceRequest,
    ProduceResponse,
    RequestTimedOutError,
    TopicAndPartition,
    UnknownError,
    UnknownTopicOrPartitionError,
    UnsupportedCodecError,
)
from confluent_kafka.testing import MockAction, MockCluster
from tests.support.kafka import read, values_of
from tests.support.kafka_0_9 import patient as patient
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.kafka_topic(partitions=4), pytest.mark.usefixtures("patient")]


@pytest.fixture
def client(kafka_cluster: MockCluster, kafka_topic: str) -> Iterator[KafkaClient]:
    """A client that has the topic's metadata."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    yield client
    client.close()


def request(topic: str | bytes, partition: int, *values: bytes) -> ProduceRequest:
    """A request that sends messages without keys."""
    name: Any = topic
    return ProduceRequest(name, partition, [Message(0, 0, None, value) for value in values])


def test_topics(client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A client has the metadata of all topics, and can request topics that it has forgotten."""
    name = kafka_topic.encode()
    assert client.topics == [name]
    assert client.has_metadata_for_topic(kafka_topic)
    assert client.get_partition_ids_for_topic(name) == [0, 1, 2, 3]
    assert len(client.brokers) == kafka_cluster.brokers
    client.reset_topic_metadata(kafka_topic, b"another")
    assert not client.has_metadata_for_topic(name)
    assert client.get_partition_ids_for_topic(name) == []
    client.load_metadata_for_topics(kafka_topic)
    assert client.topics == [name]
    client.reset_all_metadata()
    assert client.topics == []
    client.load_metadata_for_topics()
    assert client.topics == [name]


def test_a_topic_is_created(client: KafkaClient) -> None:
    """Requesting a topic creates it, if the broker does that."""
    client.ensure_topic_exists("new")
    assert client.has_metadata_for_topic(b"new")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (KafkaError.UNKNOWN_TOPIC_OR_PART, UnknownTopicOrPartitionError),
        (KafkaError.LEADER_NOT_AVAILABLE, LeaderNotAvailableError),
    ],
)
def test_a_topic_with_an_error(
    client: KafkaClient,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    code: int,
    error: type[Exception],
) -> None:
    """A request for the topic raises; a request for all topics does not."""
    kafka_cluster.set_topic_error(kafka_topic, code)
    with pytest.raises(error):
        client.load_metadata_for_topics(kafka_topic)
    client.load_metadata_for_topics()
    assert client.topics == []
    with pytest.raises(KafkaTimeoutError, match=f"Unable to create topic {kafka_topic}"):
        client.ensure_topic_exists(kafka_topic, timeout=0)
    with pytest.raises(error):
        client.send_produce_request([request(kafka_topic, 0, b"v")], fail_on_error=False)


def test_a_partition_without_a_leader(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The partition is listed, but requests for it raise an exception."""
    kafka_cluster.set_leader(kafka_topic, 1, None)
    client.load_metadata_for_topics()
    assert client.get_partition_ids_for_topic(kafka_topic) == [0, 1, 2, 3]
    with pytest.raises(LeaderNotAvailableError):
        client.send_offset_request([OffsetRequest(kafka_topic.encode(), 1, -1, 1)])


def test_answers_in_order(client: KafkaClient, kafka_topic: str, consumer: Consumer) -> None:
    """Answers, or the callback's results for them, are in the order of the payloads."""
    payloads = [request(kafka_topic, number, b"a", b"b") for number in (2, 0, 3)]
    answers = client.send_produce_request(payloads)
    assert answers == [ProduceResponse(kafka_topic.encode(), one, 0, 0) for one in (2, 0, 3)]
    offsets = client.send_produce_request(payloads, callback=lambda answer: answer.offset)
    assert offsets == [2, 2, 2]
    assert client.send_produce_request([]) == []
    assert client.send_produce_request(payloads, acks=0) == []
    assert values_of(read(consumer, kafka_topic, 2)) == [b"a", b"b"]


def test_one_partition_twice(client: KafkaClient, kafka_topic: str) -> None:
    """A request contains each partition once, whether the topic's name is str or bytes."""
    payloads = [request(kafka_topic, 0, b"v"), request(kafka_topic.encode(), 0, b"v")]
    with pytest.raises(AssertionError, match=r"Duplicate ProduceRequests for b'.*' 0"):
        client.send_produce_request(payloads)


def test_an_unknown_partition(client: KafkaClient, kafka_topic: str) -> None:
    """If one of the payloads has an unknown partition, nothing is sent."""
    payloads = [request(kafka_topic, 0, b"v"), request(kafka_topic, 9, b"v")]
    with pytest.raises(UnknownTopicOrPartitionError):
        client.send_produce_request(payloads, fail_on_error=False)
    (end,) = client.send_offset_request([OffsetRequest(kafka_topic.encode(), 0, -1, 1)])
    assert end.offsets == (0,)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (KafkaError.REQUEST_TIMED_OUT, RequestTimedOutError),
        (KafkaError.MSG_SIZE_TOO_LARGE, MessageSizeTooLargeError),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, UnknownError),
    ],
)
def test_a_broker_refuses_messages(
    client: KafkaClient,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    code: int,
    error: type[Exception],
) -> None:
    """The broker's error is raised or in the answer, and the messages are not sent again."""
    kafka_cluster.inject_errors("Produce", [code])
    with pytest.raises(error):
        client.send_produce_request([request(kafka_topic, 0, b"v")])
    kafka_cluster.inject_errors("Produce", [code])
    (answer,) = client.send_produce_request([request(kafka_topic, 0, b"v")], fail_on_error=False)
    assert answer == ProduceResponse(kafka_topic.encode(), 0, code, -1)
    (end,) = client.send_offset_request([OffsetRequest(kafka_topic.encode(), 0, -1, 1)])
    assert end.offsets == (0,)


def test_a_leader_changes_while_messages_are_sent(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Messages that the old leader has refused are sent to the new leader."""
    kafka_cluster.inject_errors("Produce", [KafkaError.NOT_LEADER_FOR_PARTITION])
    (answer,) = client.send_produce_request([request(kafka_topic, 0, b"v")])
    assert (answer.error, answer.offset) == (0, 0)


def test_no_broker_answers(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Payloads fail; with fail_on_error=False, the errors are among the answers. Requests that any
    broker can answer raise an exception."""
    client.send_produce_request([request(kafka_topic, 0, b"v")])
    kafka_cluster.set_broker_down()
    payload = request(kafka_topic.encode(), 0, b"v")
    with pytest.raises(FailedPayloadsError) as raised:
        client.send_produce_request([payload])
    assert raised.value.payload == payload
    (failed,) = client.send_produce_request([payload], fail_on_error=False)
    assert isinstance(failed, FailedPayloadsError)
    other = client.copy()
    fetch = FetchRequest(kafka_topic.encode(), 0, 0, 4096)
    (failed,) = other.send_fetch_request([fetch], fail_on_error=False)
    assert failed.payload == fetch
    assert isinstance(failed.__cause__, KafkaUnavailableError)
    with pytest.raises(KafkaUnavailableError):
        other.send_metadata_request()


def test_unknown_codecs(client: KafkaClient, kafka_topic: str) -> None:
    """Messages with an unknown codec are not sent."""
    payload = ProduceRequest(kafka_topic.encode(), 0, [Message(0, 7, None, b"v")])
    with pytest.raises(UnsupportedCodecError, match="Codec 0x07 unsupported"):
        client.send_produce_request([payload])


def test_fetch(client: KafkaClient, kafka_topic: str) -> None:
    """Messages are returned one at a time, from the offset on. An unknown offset, or a message that
    is too large, raises an exception."""
    name = kafka_topic.encode()
    client.send_produce_request([request(name, 1, b"a", b"b" * 100, b"c")])
    (answer,) = client.send_fetch_request([FetchRequest(name, 1, 1, 4096)])
    assert (answer.error, answer.highwaterMark) == (0, 3)
    assert [(one.offset, one.message.value) for one in answer.messages] == [
        (1, b"b" * 100),
        (2, b"c"),
    ]
    (answer,) = client.send_fetch_request([FetchRequest(name, 1, 3, 4096)], min_bytes=0)
    assert list(answer.messages) == []
    (answer,) = client.send_fetch_request([FetchRequest(name, 1, 1, 125)])
    with pytest.raises(ConsumerFetchSizeTooSmall):
        next(answer.messages)
    with pytest.raises(OffsetOutOfRangeError):
        client.send_fetch_request([FetchRequest(name, 1, 4, 4096)])
    (answer,) = client.send_fetch_request([FetchRequest(name, 1, 4, 4096)], fail_on_error=False)
    assert answer.error == 1


def test_a_leader_that_has_changed(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The first request raises, and the second one goes to the new leader."""
    name = kafka_topic.encode()
    client.send_produce_request([request(name, 0, b"v")])
    leader = client.topic_partitions[name][0].leader
    kafka_cluster.set_leader(kafka_topic, 0, leader % kafka_cluster.brokers + 1)
    with pytest.raises(NotLeaderForPartitionError):
        client.send_fetch_request([FetchRequest(name, 0, 0, 4096)])
    (answer,) = client.send_fetch_request([FetchRequest(name, 0, 0, 4096)])
    assert [one.message.value for one in answer.messages] == [b"v"]


@pytest.mark.kafka_topic(partitions=1, replication_factor=2)
def test_a_leader_that_is_down(
    client: KafkaClient,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The client waits a short time for the leader, and sends the next request to the new
    leader."""
    client.send_produce_request([request(kafka_topic, 0, b"v")], acks=-1)
    fetch = FetchRequest(kafka_topic.encode(), 0, 0, 4096)
    client.send_fetch_request([fetch])
    leader = client.topic_partitions[fetch.topic][0].leader
    kafka_cluster.set_broker_down(leader)
    kafka_cluster.set_leader(kafka_topic, 0, leader % kafka_cluster.brokers + 1)
    monkeypatch.setattr(client_module, "_PATIENCE", 0.1)
    (failed,) = client.send_fetch_request([fetch], fail_on_error=False)
    assert isinstance(failed, FailedPayloadsError)
    monkeypatch.undo()
    (answer,) = client.send_fetch_request([fetch])
    assert [one.message.value for one in answer.messages] == [b"v"]


@pytest.mark.kafka_topic(partitions=1, replication_factor=2)
def test_another_one_leads_while_offsets_are_asked_for(
    client: KafkaClient,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The client waits for a missing leader for less than its timeout."""
    client.send_produce_request([request(kafka_topic, 0, b"v")], acks=-1)
    end = OffsetRequest(kafka_topic.encode(), 0, -1, 1)
    leader = client._get_leader_for_partition(end.topic, 0).nodeId
    kafka_cluster.set_broker_down(leader)
    kafka_cluster.set_leader(kafka_topic, 0, leader % kafka_cluster.brokers + 1)
    monkeypatch.setattr(client_module, "_PATIENCE", 0.1)
    (failed,) = client.send_offset_request([end], fail_on_error=False)
    assert isinstance(failed, FailedPayloadsError)
    monkeypatch.undo()
    (answer,) = client.send_offset_request([end])
    assert answer.offsets == (1,)


@needs("mock-on-request")
def test_a_leader_that_takes_its_time(
    client: KafkaClient,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If the leader does not change, the client waits for the offsets up to the client's
    timeout."""
    client.send_produce_request([request(kafka_topic, 0, b"v")])
    looks: list[Any] = []
    ask = client.send_metadata_request

    def look(*args: Any, **keywords: Any) -> Any:
        looks.append(args)
        return ask(*args, **keywords)

    def answer(_: Any, __: Any) -> None:
        wait_until(lambda: looks)

    kafka_cluster.on_request(protocol.ListOffsetsRequest.api_key, answer)
    monkeypatch.setattr(client, "send_metadata_request", look)
    monkeypatch.setattr(client_module, "_PATIENCE", 0.05)
    (found,) = client.send_offset_request([OffsetRequest(kafka_topic.encode(), 0, -1, 1)])
    assert found.offsets == (1,)


@needs("mock-on-request")
@pytest.mark.parametrize("call", [SimpleConsumer.pending, lambda consumer: consumer.seek(0, 2)])
def test_a_leader_that_never_answers(
    client: KafkaClient,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    monkeypatch: pytest.MonkeyPatch,
    call: Callable[[SimpleConsumer], object],
) -> None:
    """If a leader never answers, the client stops waiting after its timeout."""
    consumer = SimpleConsumer(client, None, kafka_topic, auto_commit=False)
    kafka_cluster.on_request(
        protocol.ListOffsetsRequest.api_key, lambda _, __: MockAction.NO_ANSWER
    )
    monkeypatch.setattr(client._engine, "_timeout", 0.5)
    with pytest.raises(FailedPayloadsError):
        call(consumer)


def test_brokers_that_are_new_or_gone(
    client: KafkaClient, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If librdkafka does not know a broker, the client waits for it, but not for long."""
    place = TopicAndPartition(kafka_topic.encode(), 0)
    client.topics_to_brokers[place] = BrokerMetadata(9, b"host", 1)
    monkeypatch.setattr(_engine, "_ARRIVAL", 0.1)
    looks: list[Any] = []
    look = AdminClient.list_topics

    def noted(*args: Any, **options: Any) -> Any:
        looks.append(look(*args, **options))
        return looks[-1]

    monkeypatch.setattr(AdminClient, "list_topics", noted)
    fetch = FetchRequest(*place, 0, 4096)
    (failed,) = client.send_fetch_request([fetch], fail_on_error=False)
    assert "broker 9 is not in the cluster" in str(failed.__cause__)
    assert len(looks) > 1
    (answer,) = client.send_fetch_request([fetch], min_bytes=0)  # goes to the right broker
    assert answer.error == 0


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.NOT_COORDINATOR,
    ],
)
def test_a_coordinator_that_is_not_ready(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str, code: int
) -> None:
    """A request to a coordinator that is not ready is repeated."""
    kafka_cluster.inject_errors("OffsetCommit", [code])
    commit = OffsetCommitRequest(kafka_topic.encode(), 0, 7, b"note")
    (answer,) = client.send_offset_commit_request("g", [commit])
    assert answer.error == 0
    (found,) = client.send_offset_fetch_request("g", [OffsetFetchRequest(commit.topic, 0)])
    assert (found.offset, found.metadata) == (7, b"note")


def test_no_offset(client: KafkaClient, kafka_topic: str) -> None:
    """If there is no offset, one of the two requests reports an error, and the other does not."""
    wanted = [OffsetFetchRequest(kafka_topic.encode(), 0)]
    with pytest.raises(UnknownTopicOrPartitionError):
        client.send_offset_fetch_request("g", wanted)
    assert client.has_metadata_for_topic(kafka_topic)
    (found,) = client.send_offset_fetch_request_kafka("g", wanted)
    assert (found.offset, found.error) == (-1, 0)


def test_groups(client: KafkaClient) -> None:
    """A group may be given alone or in a list; the list must have one group."""
    found = client.send_consumer_metadata_request([b"g"], callback=lambda answer: answer.nodeId)
    assert found == client.send_consumer_metadata_request("g").nodeId
    with pytest.raises(ValueError, match="payloads must be one group, not 2"):
        client.send_consumer_metadata_request(["g", "h"])


def test_a_copy(client: KafkaClient, kafka_topic: str) -> None:
    """A copy of a client has the same metadata, and its own connection."""
    other = client.copy()
    assert other.topics == client.topics
    assert (other.hosts, other.client_id, other.timeout) == (
        client.hosts,
        client.client_id,
        client.timeout,
    )
    other.reset_all_metadata()
    assert client.has_metadata_for_topic(kafka_topic)
    client.close()
    other.reinit()
    assert other.topics == client.topics
    other.close()


def test_use_after_close(client: KafkaClient, kafka_topic: str) -> None:
    """A client that was closed connects again."""
    for _ in range(2):
        client.send_produce_request([request(kafka_topic, 0, b"v")])
        client.close()
    (end,) = client.send_offset_request([OffsetRequest(kafka_topic.encode(), 0, -1, 1)])
    assert end.offsets == (2,)


def test_properties(kafka_cluster: MockCluster) -> None:
    """The client accepts librdkafka's properties; the error for other names contains them."""
    with pytest.raises(KafkaUnavailableError):
        KafkaClient(
            kafka_cluster.bootstrap_servers,
            timeout=1,
            properties={"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
            | {"sasl.username": "u", "sasl.password": "p"},
        )
    with pytest.raises(KafkaConfigurationError, match="nonsense"):
        KafkaClient(kafka_cluster.bootstrap_servers, properties={"nonsense": 1})
