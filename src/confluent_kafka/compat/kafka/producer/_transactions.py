"""The state and the steps of transactions."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any

from confluent_kafka import KafkaException, Producer
from confluent_kafka import TopicPartition as Position

from ..._common.groups import written
from .. import errors
from .._failures import failure_of
from ..structs import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition

_UNINITIALIZED, _INITIALIZING = "UNINITIALIZED", "INITIALIZING"
_READY, _OPEN = "READY", "IN_TRANSACTION"
_COMMITTING, _ABORTING = "COMMITTING_TRANSACTION", "ABORTING_TRANSACTION"

_BACKOFF = 0.1  # seconds until a step that timed out in librdkafka is resumed


class Transactions:
    """The transactions of a producer, one after another.

    If a step is interrupted, for example by Ctrl-C, it continues in librdkafka, and the next call
    completes it.

    Args:
        engine: the client.
        name: the transactional id.
        timeout: how long init() may take, in seconds.
    """

    def __init__(self, engine: Producer, name: str, timeout: float) -> None:
        self._engine = engine
        self._name = name
        self._timeout = timeout
        self._state = _UNINITIALIZED
        self._failure: errors.KafkaError | None = None
        self._cut_off: Callable[[], None] | None = None  # completes an interrupted step

    def check_open(self) -> None:
        """Raise an error unless a transaction is open.

        Raises:
            IllegalStateError: no transaction is open, or it is ending.
            KafkaError: the producer is unusable.
        """
        if self._failure is not None:
            raise self._failure
        if self._state != _OPEN:
            raise errors.IllegalStateError(
                f"Cannot call send in state {self._state}: no transaction is open"
            )

    def init(self) -> None:
        """End the transaction of an earlier producer with the same id; a second call does nothing.

        Raises:
            KafkaTimeoutError: it took too long and still continues. Call it again.
        """
        if self._state in (_UNINITIALIZED, _INITIALIZING):
            self._state = _INITIALIZING
            self._step(lambda: self._engine.init_transactions(self._timeout))
            self._state = _READY

    def begin(self) -> None:
        """Begin a transaction."""
        self._require(_READY, _OPEN)
        try:
            self._step(self._engine.begin_transaction)
        except errors.KafkaError:
            raise
        except BaseException:  # it may have begun unnoticed
            self._cut_off = self._take_back
            raise
        self._state = _OPEN

    def commit(self) -> None:
        """Commit the open transaction; wait until that is done."""
        self._require(_OPEN, _COMMITTING)
        self._end(_COMMITTING, self._engine.commit_transaction)

    def abort(self) -> None:
        """Abort the open transaction; wait until that is done."""
        self._require(_OPEN, _ABORTING)
        self._end(_ABORTING, self._engine.abort_transaction)

    def send_offsets(self, offsets: Any, group: Any) -> None:
        """Commit a group's offsets with the open transaction; wait until that is done."""
        self.check_open()
        positions = _positions(offsets)
        metadata = _group(group)
        self._until_done(lambda: self._engine.send_offsets_to_transaction(positions, metadata))

    def _require(self, state: str, wanted: str) -> None:
        if self._failure is not None:
            raise self._failure
        if self._cut_off is not None:
            self._cut_off()
        if self._state != state:
            raise errors.KafkaError(
                f"TransactionalId {self._name}: Invalid transition attempted from state "
                f"{self._state} to state {wanted}"
            )

    def _end(self, state: str, step: Callable[[], object], is_resumed: bool = False) -> None:
        """Commit or abort; from now on the transaction accepts no messages.

        After an error of the commit the transaction is open again, so that it can be aborted.
        """
        self._state = state
        try:
            self._until_done(step)
        except errors.IllegalStateError:
            if not is_resumed:  # otherwise librdkafka has ended it meanwhile
                raise
        except errors.KafkaError:
            self._state = _OPEN
            self._cut_off = None
            raise
        except BaseException:
            self._cut_off = lambda: self._end(state, step, is_resumed=True)
            raise
        self._state, self._cut_off = _READY, None

    def _take_back(self) -> None:
        """Abort the transaction of a begin() that was interrupted, if there is one."""
        with contextlib.suppress(errors.IllegalStateError):  # it had not begun
            self._until_done(self._engine.abort_transaction)
        self._cut_off = None

    def _until_done(self, step: Callable[[], object]) -> None:
        """Do a step, and repeat it after a timeout: librdkafka then resumes it."""
        while True:
            try:
                step()
            except KafkaException as failure:
                if not failure.args[0].retriable():
                    raise self._failed(failure) from failure
                time.sleep(_BACKOFF)
            else:
                return

    def _step(self, step: Callable[[], object]) -> None:
        try:
            step()
        except KafkaException as failure:
            raise self._failed(failure) from failure

    def _failed(self, failure: KafkaException) -> errors.KafkaError:
        exception: errors.KafkaError = failure_of(failure)
        if failure.args[0].fatal():
            self._failure = exception
        return exception


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
    """Return a group in librdkafka's form: generation, id, member, instance."""
    if isinstance(group, str):
        group = ConsumerGroupMetadata(group)
    if not isinstance(group, ConsumerGroupMetadata) or not group.group_id:
        raise ValueError(
            f"group_metadata must be a group's id or ConsumerGroupMetadata, not {group!r}"
        )
    return written(group.group_id, group.generation_id, group.member_id, group.group_instance_id)
