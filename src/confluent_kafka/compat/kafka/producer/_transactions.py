"""Transactions: their state, and their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from confluent_kafka import KafkaException, Producer
from confluent_kafka import TopicPartition as Position

from ..._common.groups import written
from .. import errors
from .._failures import failure_of
from ..structs import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition

_UNINITIALIZED, _READY, _OPEN = "UNINITIALIZED", "READY", "IN_TRANSACTION"


class Transactions:
    """The transactions of a producer, one after the other.

    Args:
        engine: the client.
        name: the transactional id.
        timeout: seconds that a step may take.
    """

    def __init__(self, engine: Producer, name: str, timeout: float) -> None:
        self._engine = engine
        self._name = name
        self._timeout = timeout
        self._state = _UNINITIALIZED
        self._failure: errors.KafkaError | None = None

    def check_open(self) -> None:
        """Raise unless a transaction is open.

        Raises:
            IllegalStateError: none is.
            KafkaError: the producer can do nothing more.
        """
        if self._failure is not None:
            raise self._failure
        if self._state != _OPEN:
            raise errors.IllegalStateError(
                f"Cannot send in state {self._state}: call init_transactions() once, and "
                "begin_transaction() first"
            )

    def init(self) -> None:
        """End what an earlier producer of the same id left; the second time, do nothing."""
        if self._state == _UNINITIALIZED:
            self._step(lambda: self._engine.init_transactions(self._timeout))
            self._state = _READY

    def begin(self) -> None:
        """Begin one."""
        self._require(_READY, _OPEN)
        self._step(self._engine.begin_transaction)
        self._state = _OPEN

    def commit(self) -> None:
        """Commit the open one."""
        self._require(_OPEN, "COMMITTING_TRANSACTION")
        self._step(lambda: self._engine.commit_transaction(self._timeout))
        self._state = _READY

    def abort(self) -> None:
        """Abort the open one."""
        self._require(_OPEN, "ABORTING_TRANSACTION")
        self._step(lambda: self._engine.abort_transaction(self._timeout))
        self._state = _READY

    def send_offsets(self, offsets: Any, group: Any) -> None:
        """Commit a group's offsets with the open one."""
        self.check_open()
        positions = _positions(offsets)
        metadata = _group(group)
        self._step(
            lambda: self._engine.send_offsets_to_transaction(positions, metadata, self._timeout)
        )

    def _require(self, state: str, wanted: str) -> None:
        if self._failure is not None:
            raise self._failure
        if self._state != state:
            raise errors.KafkaError(
                f"TransactionalId {self._name}: Invalid transition attempted from state "
                f"{self._state} to state {wanted}"
            )

    def _step(self, step: Callable[[], object]) -> None:
        try:
            step()
        except KafkaException as failure:
            exception = failure_of(failure)
            if failure.args[0].fatal():
                self._failure = exception
            raise exception from failure


def _positions(offsets: Any) -> list[Position]:
    if not isinstance(offsets, Mapping):
        raise TypeError("offsets must be dict[TopicPartition, OffsetAndMetadata]")
    positions = []
    for one, to in offsets.items():
        if not isinstance(one, TopicPartition) or not isinstance(to, OffsetAndMetadata):
            raise TypeError("offsets must be dict[TopicPartition, OffsetAndMetadata]")
        epoch = None if to.leader_epoch is None or to.leader_epoch < 0 else to.leader_epoch
        positions.append(Position(*one, to.offset, to.metadata or None, epoch))
    return positions


def _group(group: Any) -> bytes:
    """Return a group as librdkafka writes one down: generation, id, member, instance."""
    if isinstance(group, str):
        group = ConsumerGroupMetadata(group)
    if not isinstance(group, ConsumerGroupMetadata) or not group.group_id:
        raise ValueError(
            f"group_metadata must be a group's id or ConsumerGroupMetadata, not {group!r}"
        )
    return written(group.group_id, group.generation_id, group.member_id, group.group_instance_id)
