"""Requests of AdminClient to brokers that do not lead a partition yet, or not any more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pytest

from confluent_kafka import KafkaError, KafkaException, TopicPartition, protocol
from confluent_kafka.admin import AbortTransactionSpec, AdminClient, OffsetSpec
from confluent_kafka.aio import AIOAdminClient
from confluent_kafka.testing import MockAction, MockCluster, RequestContext
from tests.support.aio import in_loop
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "raw-request")

FIRST, SECOND = (TopicPartition("topic", each) for each in (0, 1))
MOVING = [
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.REPLICA_NOT_AVAILABLE,
    KafkaError.FENCED_LEADER_EPOCH,
]


class Operation(NamedTuple):
    """An operation of the admin client that asks leaders.

    Attributes:
        request: the class of the operation's message.
        partitions: returns the numbers of the partitions in a message.
        response: makes the answer from a dict of partitions to error codes.
        call: carries out the operation for one partition.
    """

    request: Any
    partitions: Callable[[Any], Iterable[int]]
    response: Callable[[dict[int, int]], Any]
    call: Callable[..., Any]


def _offsets(codes: dict[int, int]) -> Any:
    response = protocol.ListOffsetsResponse
    partitions = [
        response.ListOffsetsPartitionResponse(partition_index=each, error_code=code, offset=5)
        for each, code in codes.items()
    ]
    return response(topics=[response.ListOffsetsTopicResponse(name="topic", partitions=partitions)])


def _producers(codes: dict[int, int]) -> Any:
    response = protocol.DescribeProducersResponse
    partitions = [
        response.PartitionResponse(partition_index=each, error_code=code)
        for each, code in codes.items()
    ]
    return response(topics=[response.TopicResponse(name="topic", partitions=partitions)])


def _markers(codes: dict[int, int]) -> Any:
    response = protocol.WriteTxnMarkersResponse
    partitions = [
        response.WritableTxnMarkerPartitionResult(partition_index=each, error_code=code)
        for each, code in codes.items()
    ]
    topic = response.WritableTxnMarkerTopicResult(name="topic", partitions=partitions)
    return response(markers=[response.WritableTxnMarkerResult(producer_id=7, topics=[topic])])


OPERATIONS = {
    "list_offsets": Operation(
        protocol.ListOffsetsRequest,
        lambda request: (each.partition_index for each in request.topics[0].partitions),
        _offsets,
        lambda admin, place, **keywords: admin.list_offsets(
            {place: OffsetSpec.earliest_local()}, **keywords
        )[place],
    ),
    "describe_producers": Operation(
        protocol.DescribeProducersRequest,
        lambda request: request.topics[0].partition_indexes,
        _producers,
        lambda admin, place, **keywords: admin.describe_producers([place], **keywords)[place],
    ),
    "abort_transaction": Operation(
        protocol.WriteTxnMarkersRequest,
        lambda request: request.markers[0].topics[0].partition_indexes,
        _markers,
        lambda admin, place, **keywords: admin.abort_transaction(
            AbortTransactionSpec(place, 7, 0), **keywords
        ),
    ),
}


class Brokers:
    """A topic of two partitions, as the brokers describe it; broker 1 leads them at first.

    Attributes:
        leader: the id of the present leader.
        finding: codes of the topic in the next metadata; afterwards there is no error.
        codes: the codes of the next answers, by partition; afterwards there is no error.
            If a code is a MockAction, the broker does this instead of an answer.
        asked: the brokers that were asked, with the numbers of partitions.
        on_asked: called before each answer.
    """

    def __init__(self, cluster: MockCluster, operation: Operation) -> None:
        self.leader = 1
        self.finding: list[int] = []
        self.codes: dict[int, list[Any]] = {0: [], 1: []}
        self.asked: list[tuple[int, list[int]]] = []
        self.on_asked: Callable[[], object] = lambda: None
        self._operation = operation
        cluster.on_request(protocol.MetadataRequest.api_key, self._find)
        known = operation.request.valid_versions
        cluster.on_request(
            operation.request.api_key, self._answer, versions=(known.start, known.stop - 1)
        )

    def _find(self, request: Any, context: RequestContext) -> Any:
        if not request.topics:  # librdkafka's own request for brokers
            return None
        response = protocol.MetadataResponse
        code = self.finding.pop(0) if self.finding else 0
        partitions = [
            response.MetadataResponsePartition(partition_index=each, leader_id=self.leader)
            for each in ([] if code else (0, 1))
        ]
        topic = response.MetadataResponseTopic(name="topic", error_code=code, partitions=partitions)
        return response(topics=[topic])

    def _answer(self, request: Any, context: RequestContext) -> Any:
        numbers = list(self._operation.partitions(request))
        self.asked.append((context.broker_id, numbers))
        self.on_asked()
        codes = {each: self.codes[each].pop(0) if self.codes[each] else 0 for each in numbers}
        actions = [code for code in codes.values() if isinstance(code, MockAction)]
        return actions[0] if actions else self._operation.response(codes)

    def move(self, leader: int) -> None:
        """Give the partitions to another leader as soon as the present one has received a
        request."""

        def moved() -> None:
            self.leader = leader

        self.on_asked = moved


@pytest.fixture(params=OPERATIONS)
def operation(request: pytest.FixtureRequest) -> Operation:
    return OPERATIONS[request.param]


@pytest.fixture
def brokers(kafka_cluster: MockCluster, operation: Operation) -> Brokers:
    return Brokers(kafka_cluster, operation)


@pytest.fixture
def admin(kafka_cluster: MockCluster, brokers: Brokers) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


@pytest.mark.parametrize("code", MOVING)
def test_another_broker_leads(
    admin: AdminClient, brokers: Brokers, operation: Operation, code: int
) -> None:
    """The client requests metadata again, and sends the request to the new leader."""
    brokers.codes[0] = [code]
    brokers.move(2)
    operation.call(admin, FIRST).result(TIMEOUT)
    assert brokers.asked == [(1, [0]), (2, [0])]


@in_loop
async def test_another_broker_leads_awaited(kafka_cluster: MockCluster) -> None:
    """If the leader has moved, AIOAdminClient asks the new leader, too."""
    for operation in OPERATIONS.values():
        brokers = Brokers(kafka_cluster, operation)
        brokers.codes[0] = [KafkaError.NOT_LEADER_FOR_PARTITION]
        brokers.move(2)
        servers = kafka_cluster.bootstrap_servers
        async with AIOAdminClient({"bootstrap.servers": servers}) as admin:
            await operation.call(admin, FIRST)
        assert brokers.asked == [(1, [0]), (2, [0])]


def test_a_leader_goes(admin: AdminClient, brokers: Brokers, operation: Operation) -> None:
    """If a leader stops before it answers, the client asks the next leader."""
    brokers.codes[0] = [MockAction.DISCONNECT]
    brokers.move(2)
    operation.call(admin, FIRST).result(TIMEOUT)
    assert {broker for broker, _ in brokers.asked} == {1, 2}
    assert brokers.asked[-1] == (2, [0])


def test_a_leader_is_elected(admin: AdminClient, brokers: Brokers, operation: Operation) -> None:
    """The client requests metadata until there is a leader."""
    brokers.finding = [KafkaError.LEADER_NOT_AVAILABLE] * 2
    operation.call(admin, FIRST).result(TIMEOUT)
    assert brokers.finding == []
    assert brokers.asked == [(1, [0])]


def test_a_topic_that_is_not_there(
    admin: AdminClient, brokers: Brokers, operation: Operation
) -> None:
    """The request fails with the error for a missing topic, and does not wait until the topic is
    created."""
    brokers.finding = [KafkaError.UNKNOWN_TOPIC_OR_PART]
    error = operation.call(admin, FIRST).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert brokers.asked == []


def test_other_errors(admin: AdminClient, brokers: Brokers, operation: Operation) -> None:
    """The operation fails with the leader's error, and the client does not ask again."""
    brokers.codes[0] = [KafkaError.TOPIC_AUTHORIZATION_FAILED]
    error = operation.call(admin, FIRST).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert brokers.asked == [(1, [0])]


def test_until_the_time_is_over(admin: AdminClient, brokers: Brokers, operation: Operation) -> None:
    """A request fails after its timeout if no broker becomes the leader."""
    brokers.codes[0] = [KafkaError.NOT_LEADER_FOR_PARTITION] * 1000
    error = operation.call(admin, FIRST, request_timeout=1).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() in {KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError._TIMED_OUT}


def test_the_client_is_closed_meanwhile(
    admin: AdminClient, brokers: Brokers, operation: Operation
) -> None:
    """If the client is closed, pending requests end."""
    brokers.codes[0] = [KafkaError.NOT_LEADER_FOR_PARTITION] * 1000
    future = operation.call(admin, FIRST, request_timeout=3600)
    admin.close()
    assert future.exception(TIMEOUT) is not None


@pytest.mark.parametrize("operation", ["describe_producers"], indirect=True)
def test_only_what_has_moved(admin: AdminClient, brokers: Brokers) -> None:
    """The client does not repeat the request for a partition that was already answered."""
    brokers.codes = {0: [], 1: [KafkaError.NOT_LEADER_FOR_PARTITION]}
    brokers.move(2)
    futures = admin.describe_producers([FIRST, SECOND])
    assert [futures[each].result(TIMEOUT) for each in (FIRST, SECOND)] == [[], []]
    assert brokers.asked == [(1, [0, 1]), (2, [1])]
