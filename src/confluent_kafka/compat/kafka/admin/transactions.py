"""Transactions and producers."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import transaction_coordinator

from .. import errors
from .._enums import EnumHelper, answered
from ..structs import TopicPartition
from ._wire import Wire, broker, by_topic, check, only

_NO_DURATION = -1


class TransactionState(str, EnumHelper):
    """The state of a transaction."""

    UNKNOWN = "Unknown"
    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"
    DEAD = "Dead"
    PREPARE_EPOCH_FENCE = "PrepareEpochFence"


class TransactionListing(NamedTuple):
    """A transactional id."""

    transactional_id: str
    producer_id: int
    state: TransactionState


class TransactionDescription(NamedTuple):
    """A transactional id, with its transaction."""

    coordinator_id: int
    state: TransactionState
    producer_id: int
    producer_epoch: int
    transaction_timeout_ms: int
    transaction_start_time_ms: int | None
    topic_partitions: set[TopicPartition]


class ProducerState(NamedTuple):
    """A producer that writes to a partition."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    current_transaction_start_offset: int
    """-1 if no transaction is open."""


class PartitionProducerState(NamedTuple):
    """The producers of a partition."""

    active_producers: list[ProducerState]


class AbortTransactionSpec(NamedTuple):
    """A transaction that hangs in a partition."""

    topic_partition: TopicPartition
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int = -1


class TransactionsAdminMixin:
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def list_transactions(
        self,
        broker_ids: Iterable[int] | None = None,
        producer_id_filters: Iterable[int] | None = None,
        state_filters: Iterable[Any] | None = None,
        duration_filter_ms: int | None = None,
        transactional_id_pattern: str | None = None,
    ) -> dict[int, list[TransactionListing]]:
        """Return transactional ids by the broker that coordinates them.

        Args:
            broker_ids: the ids of the brokers to ask; None means all.
            producer_id_filters: return only transactions of these producers.
            state_filters: TransactionStates, or their values.
            duration_filter_ms: return only transactions that have been open for more milliseconds.
            transactional_id_pattern: a regular expression for transactional ids.
        """
        request = protocol.ListTransactionsRequest(
            state_filters=[TransactionState.value_for(one) for one in state_filters or ()],
            producer_id_filters=list(producer_id_filters or ()),
            duration_filter=_NO_DURATION if duration_filter_ms is None else duration_filter_ms,
            transactional_id_pattern=transactional_id_pattern,
        )
        found = {}
        for each in self._wire.brokers(broker_ids):
            answer = self._wire.ask(request, broker(each))
            check(answer)
            found[each] = [
                TransactionListing(
                    one.transactional_id,
                    one.producer_id,
                    answered(TransactionState, one.transaction_state),
                )
                for one in answer.transaction_states
            ]
        return found

    def describe_transactions(
        self, transactional_ids: Iterable[str]
    ) -> dict[str, TransactionDescription]:
        """Return transactional ids with their transactions.

        Raises:
            BrokerResponseError: the error of the first id that failed.
        """
        found = {}
        for name in transactional_ids:
            request = protocol.DescribeTransactionsRequest(transactional_ids=[name])
            one = only(self._wire.ask(request, transaction_coordinator(name)).transaction_states)
            check(one, name)
            found[name] = TransactionDescription(
                self._coordinator_of(name),
                answered(TransactionState, one.transaction_state),
                one.producer_id,
                one.producer_epoch,
                one.transaction_timeout_ms,
                one.transaction_start_time_ms if one.transaction_start_time_ms >= 0 else None,
                {TopicPartition(each.topic, p) for each in one.topics for p in each.partitions},
            )
        return found

    def describe_producers(
        self, partitions: Iterable[TopicPartition], broker_id: int | None = None
    ) -> dict[TopicPartition, PartitionProducerState]:
        """Return the producers that write to partitions.

        Args:
            partitions: the partitions.
            broker_id: the replica to ask; None asks the leaders.

        Raises:
            BrokerResponseError: the error of the first partition that failed.
        """
        kind = protocol.DescribeProducersRequest
        found = {}
        for leader, led in self._wire.by_leader(partitions, broker_id).items():
            topics = [
                kind.TopicRequest(name=topic, partition_indexes=numbers)
                for topic, numbers in by_topic(led).items()
            ]
            for topic in self._wire.ask(kind(topics=topics), broker(leader)).topics:
                for one in topic.partitions:
                    check(one, topic.name)
                    place = TopicPartition(topic.name, one.partition_index)
                    found[place] = PartitionProducerState(
                        [ProducerState(*tuple(each)[:6]) for each in one.active_producers]
                    )
        return found

    def abort_transaction(self, spec: AbortTransactionSpec) -> None:
        """Abort a transaction that hangs in a partition.

        Raises:
            BrokerResponseError: the broker's error.
        """
        kind = protocol.WriteTxnMarkersRequest
        place = spec.topic_partition
        topic = kind.WritableTxnMarkerTopic(name=place.topic, partition_indexes=[place.partition])
        marker = kind.WritableTxnMarker(
            producer_id=spec.producer_id,
            producer_epoch=spec.producer_epoch,
            transaction_result=False,
            topics=[topic],
            coordinator_epoch=spec.coordinator_epoch,
        )
        ((leader, _),) = self._wire.by_leader([place]).items()
        answer = self._wire.ask(kind(markers=[marker]), broker(leader))
        for one in (each for m in answer.markers for t in m.topics for each in t.partitions):
            check(one, str(place))

    def find_hanging_transactions(
        self, broker_ids: Iterable[int] | None = None, max_transaction_timeout_ms: int = 900000
    ) -> list[AbortTransactionSpec]:
        """Return hanging transactions, which no coordinator will end, in the partitions of brokers.

        Args:
            broker_ids: the ids of the brokers to ask; None means all.
            max_transaction_timeout_ms: how long a transaction may be open, in milliseconds.
        """
        wanted = self._wire.brokers(broker_ids)
        answer = self._wire.ask(protocol.MetadataRequest(topics=None))
        led: dict[tuple[str, int], list[TopicPartition]] = {}
        for topic in answer.topics:
            for one in topic.partitions:
                if one.leader_id in wanted:
                    place = TopicPartition(topic.name, one.partition_index)
                    led.setdefault((topic.name, one.leader_id), []).append(place)
        since = time.time() * 1000 - max_transaction_timeout_ms
        suspects = [
            AbortTransactionSpec(place, one.producer_id, one.producer_epoch, one.coordinator_epoch)
            for (_, leader), places in led.items()
            for place, one in self._producers_of(places, leader)
            if one.current_transaction_start_offset >= 0 and one.last_timestamp < since
        ]
        known = self._open_transactions() if suspects else set()
        return [one for one in suspects if (one.producer_id, one.topic_partition) not in known]

    def _producers_of(
        self, partitions: list[TopicPartition], leader: int
    ) -> Iterator[tuple[TopicPartition, ProducerState]]:
        """Return producers by partition; a topic that is deleted or moved meanwhile has none."""
        with contextlib.suppress(errors.InvalidMetadataError):
            for place, state in self.describe_producers(partitions, leader).items():
                yield from ((place, one) for one in state.active_producers)

    def _open_transactions(self) -> set[tuple[int, TopicPartition]]:
        """Return the producer id and each partition of every transaction that is listed."""
        known: set[tuple[int, TopicPartition]] = set()
        for listed in self.list_transactions().values():
            for one in listed:
                with contextlib.suppress(errors.TransactionalIdNotFoundError):  # it has expired
                    name = one.transactional_id
                    described = self.describe_transactions([name])[name]
                    known |= {(one.producer_id, place) for place in described.topic_partitions}
        return known

    def _coordinator_of(self, name: str) -> int:
        request = protocol.FindCoordinatorRequest(key_type=1, coordinator_keys=[name])
        found = only(self._wire.ask(request).coordinators)
        return int(found.node_id)
