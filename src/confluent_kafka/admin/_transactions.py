"""Transactions and their producers: list, describe, abort, fence."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from confluent_kafka import protocol
from confluent_kafka._values.cluster import Node
from confluent_kafka.admin._brokers import BrokerRequests
from confluent_kafka.admin._leaders import LeaderRequests
from confluent_kafka.admin._protocol import broker as node
from confluent_kafka.admin._protocol import (
    by_topic,
    error_of,
    known,
    only,
    raise_error_of,
    transaction_coordinator,
)
from confluent_kafka.admin._requests import (
    check_partition,
    checked,
    name_of,
    names_of,
    new_futures,
    partitions_of,
    set_of,
)
from confluent_kafka.cimpl import KafkaError, TopicPartition

T = TypeVar("T")

_FENCE_SECONDS = 60.0  # the limit for fencing a producer, including the abort of its transaction
_FENCED_TIMEOUT_MS = 60_000  # transaction.timeout.ms of the producer that only fences


class TransactionState(Enum):
    """What a transaction is doing. Kafka: org.apache.kafka.clients.admin.TransactionState."""

    UNKNOWN = "Unknown"
    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"
    PREPARE_EPOCH_FENCE = "PrepareEpochFence"


@dataclass(frozen=True)
class TransactionListing:
    """A transactional id in a list.

    Attributes:
        transactional_id: the ``transactional.id`` of the producer.
        producer_id: the id that its coordinator gave it.
        state: the state of its latest transaction, a TransactionState.

    Kafka: org.apache.kafka.clients.admin.TransactionListing (KIP-664).
    """

    transactional_id: str
    producer_id: int
    state: TransactionState


@dataclass(frozen=True)
class ListTransactionsResult:
    """The transactional ids that the brokers listed.

    Attributes:
        valid: a list of TransactionListing.
        errors: a KafkaError for each broker that did not answer; the transactional ids that these
            brokers coordinate are missing.

    Kafka: org.apache.kafka.clients.admin.ListTransactionsResult (KIP-664).
    """

    valid: list[TransactionListing]
    errors: list[KafkaError]


@dataclass(frozen=True)
class TransactionDescription:
    """The latest transaction of a transactional id.

    Attributes:
        coordinator_id: the broker that coordinates it.
        state: TransactionState.
        producer_id: the id that the coordinator gave the producer.
        producer_epoch: distinguishes it from earlier producers with the same transactional id.
        transaction_timeout_ms: after how many milliseconds the coordinator aborts it.
        transaction_start_time_ms: when it began, in milliseconds since 1970, or None if it has
            ended.
        topic_partitions: the partitions that it has written to and in which it is still open, as a
            set of TopicPartition.

    Kafka: org.apache.kafka.clients.admin.TransactionDescription (KIP-664).
    """

    coordinator_id: int
    state: TransactionState
    producer_id: int
    producer_epoch: int
    transaction_timeout_ms: int
    transaction_start_time_ms: int | None
    topic_partitions: frozenset[TopicPartition]


@dataclass(frozen=True)
class ProducerState:
    """An idempotent or transactional producer that has written to a partition.

    Attributes:
        producer_id: its id.
        producer_epoch: its epoch.
        last_sequence: the sequence number of its last record, or -1 after a transaction's marker.
        last_timestamp: the timestamp of its last batch, in milliseconds since 1970.
        coordinator_epoch: the epoch of the coordinator that ended its last transaction in this
            partition, or None if no transaction has ended.
        current_transaction_start_offset: the offset at which its open transaction began, or None if
            no transaction is open in this partition.

    Kafka: org.apache.kafka.clients.admin.ProducerState (KIP-664).
    """

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int | None
    current_transaction_start_offset: int | None


@dataclass(frozen=True)
class AbortTransactionSpec:
    """A transaction that is open in a partition, as describe_producers() found it.

    Args:
        topic_partition: the partition.
        producer_id: the producer_id of the ProducerState.
        producer_epoch: the producer_epoch of the ProducerState.
        coordinator_epoch: the coordinator_epoch of the ProducerState, or 0 if that is None.

    Kafka: org.apache.kafka.clients.admin.AbortTransactionSpec (KIP-664).
    """

    topic_partition: TopicPartition
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int = 0


@dataclass(frozen=True)
class FencedProducer:
    """The producer id and epoch that a transactional id has after its producer was fenced.

    Attributes:
        producer_id: the current producer id of the transactional id.
        producer_epoch: the current epoch. Brokers refuse producers with an earlier epoch.

    Kafka: org.apache.kafka.clients.admin.FenceProducersResult.
    """

    producer_id: int
    producer_epoch: int


class TransactionRequests(BrokerRequests, LeaderRequests):
    """Requests about transactions."""

    __slots__ = ()

    def list_transactions(
        self,
        *,
        states: set[TransactionState] | None = None,
        producer_ids: set[int] | None = None,
        duration: float | None = None,
        transactional_id_pattern: str | None = None,
        request_timeout: float | None = None,
    ) -> Future[ListTransactionsResult]:
        """List the transactional ids that the brokers coordinate, with their latest transaction.

        Args:
            states: list only transactions in one of these states, a set of TransactionState.
            producer_ids: list only transactions of these producers, a set of int.
            duration: list only transactions that are open and began more than this number of
                seconds ago (KIP-994; Kafka 3.8).
            transactional_id_pattern: list only ids that match this regular expression (RE2) as a
                whole (KIP-1152; Kafka 4.1).
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a ListTransactionsResult, including the errors of brokers that
            did not answer or do not support a filter. Transactional ids that this client may not
            describe are missing.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ListTransactions (KIP-664).
        """
        request = protocol.ListTransactionsRequest(
            state_filters=[each.value for each in _members(states, TransactionState, "states")],
            producer_id_filters=_producer_ids(producer_ids),
            duration_filter=_milliseconds(duration),
            transactional_id_pattern=transactional_id_pattern,
        )
        return self._ask_every_broker(request, request_timeout, _listings, ListTransactionsResult)

    def describe_transactions(
        self, transactional_ids: list[str], *, request_timeout: float | None = None
    ) -> dict[str, Future[TransactionDescription]]:
        """Describe the latest transactions of transactional ids.

        Args:
            transactional_ids: the transactional ids.
            request_timeout: as for list_transactions().

        Returns:
            A future for each id; its result is a TransactionDescription. It fails with
            TRANSACTIONAL_ID_AUTHORIZATION_FAILED, or the code 105 (the id does not exist) ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeTransactions (KIP-664).
        """
        return {
            each: self._ask_coordinator(
                protocol.DescribeTransactionsRequest(transactional_ids=[each]),
                transaction_coordinator(each),
                request_timeout,
                _transaction,
                _description,
            )
            for each in names_of(transactional_ids, "transactional_ids")
        }

    def describe_producers(
        self,
        topic_partitions: list[TopicPartition],
        *,
        broker: int | None = None,
        request_timeout: float | None = None,
    ) -> dict[TopicPartition, Future[list[ProducerState]]]:
        """Describe the idempotent and transactional producers that write to partitions.

        Args:
            topic_partitions: the partitions.
            broker: the id of the broker to ask, which must have a replica; None asks each
                partition's leader.
            request_timeout: as for list_transactions().

        Returns:
            A future for each partition; its result is a list of ProducerState. It fails with
            UNKNOWN_TOPIC_OR_PART, TOPIC_AUTHORIZATION_FAILED, NOT_LEADER_FOR_PARTITION (only if
            `broker` is given) ... Without `broker`, a request whose leader has moved is sent to the
            new leader.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeProducers (KIP-664).
        """
        partitions = partitions_of(topic_partitions, "topic_partitions")
        if broker is None:
            return self._ask_leaders(partitions, request_timeout, _producers_request, _producers)
        futures = new_futures(partitions)
        request = _producers_request(list(futures))
        self._exchange_each(request, node(broker), request_timeout, futures, _producers)
        return futures

    def abort_transaction(
        self, spec: AbortTransactionSpec, *, request_timeout: float | None = None
    ) -> Future[None]:
        """Abort a transaction in one partition, without its coordinator.

        Use it for a hanging transaction: one that is open in a partition although its coordinator
        no longer knows it, so that ``read_committed`` consumers wait there. If the partition's
        leader has moved, the new leader is asked.

        Args:
            spec: the transaction, an AbortTransactionSpec.
            request_timeout: as for list_transactions().

        Returns:
            A future; its result is None. It fails with INVALID_PRODUCER_EPOCH,
            TRANSACTION_COORDINATOR_FENCED, CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: WriteTxnMarkers (KIP-664).
        """
        place = checked(spec, AbortTransactionSpec, "spec").topic_partition
        check_partition(
            checked(place, TopicPartition, "spec.topic_partition"), "spec.topic_partition"
        )
        request = _abort_request(spec)
        return self._ask_leaders([place], request_timeout, lambda _: request, _aborted)[place]

    def fence_producers(
        self, transactional_ids: list[str], *, request_timeout: float | None = None
    ) -> dict[str, Future[FencedProducer]]:
        """Fence the producers that have transactional ids, and abort their open transactions.

        Args:
            transactional_ids: the ids; an id that has not been used before is registered.
            request_timeout: seconds until the request fails, at most 3600; 60 when None. The
                request is repeated until the transaction has ended.

        Returns:
            A future for each id; its result is a FencedProducer. It fails with
            TRANSACTIONAL_ID_AUTHORIZATION_FAILED, _TIMED_OUT ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: InitProducerId (Admin.fenceProducers()).
        """
        return {
            each: self._fence(each, request_timeout, _fenced)
            for each in names_of(transactional_ids, "transactional_ids")
        }

    def force_terminate_transaction(
        self, transactional_id: str, *, request_timeout: float | None = None
    ) -> Future[None]:
        """Abort the open transaction of a transactional id, and fence its producer.

        Args:
            transactional_id: the id.
            request_timeout: as for fence_producers().

        Returns:
            A future; its result is None. It fails with the errors of fence_producers().

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: InitProducerId (Admin.forceTerminateTransaction(), KIP-939).
        """
        name_of(transactional_id, "transactional_id")
        return self._fence(transactional_id, request_timeout, _terminated)

    def _fence(
        self, transactional_id: str, request_timeout: float | None, convert: Any
    ) -> Future[Any]:
        """Request the id's next epoch, as a new producer with this transactional.id does."""
        return self._exchange(
            protocol.InitProducerIdRequest(
                transactional_id=transactional_id, transaction_timeout_ms=_FENCED_TIMEOUT_MS
            ),
            transaction_coordinator(transactional_id),
            _FENCE_SECONDS if request_timeout is None else request_timeout,
            convert,
            repeat_on=KafkaError.CONCURRENT_TRANSACTIONS,
        )


# ---- arguments


def _members(given: set[T] | None, kind: type[T], name: str) -> list[T]:
    return [] if given is None else list(set_of(given, kind, name))


def _producer_ids(given: set[int] | None) -> list[int]:
    ids = _members(given, int, "producer_ids")
    for each in ids:
        if not 0 <= each < 2**63:
            raise ValueError(f"producer_ids must be from 0 to 2**63 - 1, not {each}")
    return ids


def _milliseconds(duration: float | None) -> int:
    if duration is None:
        return -1
    if isinstance(duration, bool) or not isinstance(duration, (int, float)):
        raise TypeError(f"duration must be float, not {type(duration).__name__}")
    if not 0 <= duration < 2**53:
        raise ValueError(f"duration must be seconds from 0 to 2**53, not {duration}")
    return round(duration * 1000)


def _producers_request(places: list[TopicPartition]) -> protocol.DescribeProducersRequest:
    request = protocol.DescribeProducersRequest
    return request(
        topics=[
            request.TopicRequest(name=topic, partition_indexes=[each.partition for each in some])
            for topic, some in by_topic(places).items()
        ]
    )


def _abort_request(spec: AbortTransactionSpec) -> protocol.WriteTxnMarkersRequest:
    request = protocol.WriteTxnMarkersRequest
    place = spec.topic_partition
    topic = request.WritableTxnMarkerTopic(name=place.topic, partition_indexes=[place.partition])
    marker = request.WritableTxnMarker(
        producer_id=spec.producer_id,
        producer_epoch=spec.producer_epoch,
        transaction_result=False,  # abort
        topics=[topic],
        coordinator_epoch=spec.coordinator_epoch,
    )
    return request(markers=[marker])


# ---- answers


def _state(name: str) -> TransactionState:
    known = {each.value: each for each in TransactionState}
    return known.get(name, TransactionState.UNKNOWN)


def _listings(response: protocol.ListTransactionsResponse) -> list[TransactionListing]:
    raise_error_of(response)
    return [
        TransactionListing(each.transactional_id, each.producer_id, _state(each.transaction_state))
        for each in response.transaction_states
    ]


def _transaction(
    response: protocol.DescribeTransactionsResponse,
) -> protocol.DescribeTransactionsResponse.TransactionState:
    state = only(response.transaction_states)
    raise_error_of(state)
    return state


def _description(
    state: protocol.DescribeTransactionsResponse.TransactionState, coordinator: Node
) -> TransactionDescription:
    return TransactionDescription(
        coordinator.id,
        _state(state.transaction_state),
        state.producer_id,
        state.producer_epoch,
        state.transaction_timeout_ms,
        known(state.transaction_start_time_ms),
        frozenset(
            TopicPartition(topic.topic, partition)
            for topic in state.topics
            for partition in topic.partitions
        ),
    )


def _producers(
    response: protocol.DescribeProducersResponse,
) -> Iterator[tuple[TopicPartition, list[ProducerState] | KafkaError]]:
    for topic in response.topics:
        for partition in topic.partitions:
            place = TopicPartition(topic.name, partition.partition_index)
            producers = [_producer(each) for each in partition.active_producers]
            yield place, error_of(partition) or producers


def _producer(state: protocol.DescribeProducersResponse.ProducerState) -> ProducerState:
    return ProducerState(
        state.producer_id,
        state.producer_epoch,
        state.last_sequence,
        state.last_timestamp,
        known(state.coordinator_epoch),
        known(state.current_txn_start_offset),
    )


def _aborted(
    response: protocol.WriteTxnMarkersResponse,
) -> Iterator[tuple[TopicPartition, KafkaError | None]]:
    for marker in response.markers:
        for topic in marker.topics:
            for partition in topic.partitions:
                yield TopicPartition(topic.name, partition.partition_index), error_of(partition)


def _fenced(response: protocol.InitProducerIdResponse) -> FencedProducer:
    raise_error_of(response)
    return FencedProducer(response.producer_id, response.producer_epoch)


def _terminated(response: protocol.InitProducerIdResponse) -> None:
    raise_error_of(response)
