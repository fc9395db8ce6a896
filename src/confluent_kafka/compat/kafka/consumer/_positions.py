"""Where the consumer reads: first offsets, seeks, and partitions that have none to read from."""

from __future__ import annotations

from collections.abc import Collection, Set

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as Place

from .. import errors
from ..structs import TopicPartition
from ._engine import Engine, places
from .subscription_state import SubscriptionState

# librdkafka does not fetch the partition yet.
_NOT_YET = frozenset({KafkaError._STATE, KafkaError._UNKNOWN_PARTITION})


class Positions:
    """The offsets that partitions are read from.

    A partition that was assigned waits until its first offset is known; librdkafka is given numbers
    to begin at, never "the committed offset" or "the end", so that position() is right at once. And
    it refuses a seek where it has not begun to fetch: such a partition's messages are held back
    until it has done it.

    Args:
        engine: the client.
        subscription: what is assigned.
        reset: "earliest", "latest" or "error".
        has_group: whether offsets are committed.
        is_incremental: whether the group's protocol is.
    """

    def __init__(
        self,
        engine: Engine,
        subscription: SubscriptionState,
        reset: str,
        has_group: bool,
        is_incremental: bool,
    ) -> None:
        self._engine = engine
        self._subscription = subscription
        self._reset = reset
        self._has_group = has_group
        self._is_incremental = is_incremental
        self._offsets: dict[TopicPartition, int] = {}
        self._read: set[TopicPartition] = set()
        self._waiting: set[TopicPartition] = set()  # for their first offsets
        self._paused: set[TopicPartition] = set()  # in librdkafka, as it has stopped
        self._unsought: set[TopicPartition] = set()
        self._failed: dict[TopicPartition, errors.KafkaError] = {}
        self.is_settled = True
        """Whether there is nothing for settle() to do."""

    # ---- what is assigned ----

    def replace(self, partitions: Collection[TopicPartition]) -> None:
        """Read these partitions, in place of those before."""
        self.forget()
        self._engine.assign([])
        self.extend(partitions)

    def extend(self, partitions: Collection[TopicPartition]) -> None:
        """Read these partitions, too, without a group."""
        self._waiting |= set(partitions)
        self._change()

    def extend_in_group(self, partitions: Collection[TopicPartition]) -> None:
        """Read these partitions, too, which an incremental rebalance has given.

        A member that has not assigned what it is given cannot give it back: it never leaves. So
        partitions without a first offset are assigned, too, but paused.
        """
        if partitions:
            self._paused |= set(partitions)
            self._engine.incremental_assign([Place(*each, 0) for each in partitions])
            self._engine.pause(places(partitions))
        self.extend(partitions)

    def remove(self, partitions: Set[TopicPartition]) -> None:
        """Read these partitions no more."""
        for partition in partitions:
            self._offsets.pop(partition, None)
            self._failed.pop(partition, None)
        for held in (self._read, self._waiting, self._paused, self._unsought):
            held -= partitions
        self._change()

    def remove_without_group(self, partitions: Set[TopicPartition]) -> None:
        """Read these partitions no more, which are not there any more."""
        self.remove(partitions)
        self._assign_whole()

    def forget(self) -> None:
        """Forget everything: nothing is assigned any more."""
        self._offsets, self._failed = {}, {}
        self._read, self._waiting = set(), set()
        self._paused, self._unsought = set(), set()
        self._change()

    def _change(self) -> None:
        self.is_settled = not (self._waiting or self._unsought or self._failed)

    # ---- where to begin ----

    def settle(self, timeout: float) -> None:
        """Do what is to be done before messages can come.

        Args:
            timeout: seconds that a request may take.

        Raises:
            NoOffsetForPartitionError, OffsetOutOfRangeError: partitions cannot be read.
            KafkaException: a broker's answer, or none in time.
        """
        for partition in tuple(self._unsought):
            self._try_to_seek(partition)
        if self._waiting:
            self._settle_waiting(timeout)
        for failure in self._failed.values():
            raise type(failure)(*failure.args)

    def _settle_waiting(self, timeout: float) -> None:
        for ask in (self._committed, self._bounds):
            unknown = [each for each in self._waiting if each not in self._offsets]
            if unknown:
                self._offsets |= ask(unknown, timeout)
        for each in self._waiting - self._offsets.keys():
            self._fail(each, errors.NoOffsetForPartitionError({each}))
        begun = self._waiting & self._offsets.keys()
        self._waiting = set()
        self._begin(begun)
        self._change()

    def _committed(
        self, partitions: list[TopicPartition], timeout: float
    ) -> dict[TopicPartition, int]:
        if not self._has_group:
            return {}
        found = self._engine.committed_offsets(partitions, timeout)
        return {each: place.offset for each, place in found.items() if place.offset >= 0}

    def _bounds(
        self, partitions: list[TopicPartition], timeout: float
    ) -> dict[TopicPartition, int]:
        if self._reset == "error":
            return {}
        return self._engine.bounds(partitions, self._reset, timeout)

    def _begin(self, partitions: Set[TopicPartition]) -> None:
        """Let librdkafka read partitions, from their offsets on."""
        self._read |= partitions
        stopped = partitions & self._paused
        if partitions - stopped:
            self._assign_whole()
        if stopped:
            self._paused -= stopped
            self._engine.incremental_unassign(places(stopped))
            self._engine.incremental_assign([Place(*each, self._offsets[each]) for each in stopped])
            self._pause_or_resume(stopped)

    def _assign_whole(self) -> None:
        """Assign what is read: only incremental protocols let members change a part of it."""
        for each in self._read:
            at = self.known(each)
            if at is not None:  # librdkafka is about to forget it
                self._offsets[each] = at
        self._engine.assign([Place(*each, self._offsets[each]) for each in self._read])
        self._pause_or_resume(self._read)

    def _pause_or_resume(self, partitions: Set[TopicPartition]) -> None:
        paused = partitions & self._subscription.paused
        if paused:
            self._engine.pause(places(paused))
        if partitions - paused:
            self._engine.resume(places(partitions - paused))

    # ---- questions ----

    def known(self, partition: TopicPartition) -> int | None:
        """Return the offset of the next message; None if it is not known yet."""
        if partition in self._read and partition not in self._unsought:
            (place,) = self._engine.position([Place(*partition)])
            if place.offset >= 0:
                return int(place.offset)
        return self._offsets.get(partition)

    def begun(self, partitions: Collection[TopicPartition]) -> list[TopicPartition]:
        """Return those of the partitions that librdkafka reads."""
        return [each for each in partitions if each in self._read]

    def all_known(self) -> dict[TopicPartition, int]:
        """Return the offsets of the next messages, of the partitions where they are known."""
        found = {each: self.known(each) for each in self._subscription.partitions}
        return {each: at for each, at in found.items() if at is not None}

    # ---- seeks ----

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Read on at an offset."""
        self._offsets[partition] = offset
        if self._failed.pop(partition, None) is not None:
            self._subscription.show(partition)
            self._read.discard(partition)
            self._waiting.add(partition)
        elif partition in self._read:
            self._unsought.add(partition)
            self._subscription.hide(partition)
            self._try_to_seek(partition)
        self._change()

    def _try_to_seek(self, partition: TopicPartition) -> None:
        try:
            self._engine.seek(Place(*partition, self._offsets[partition]))
        except KafkaException as failure:
            if failure.args[0].code() not in _NOT_YET:
                raise
            return
        self._unsought.discard(partition)
        self._subscription.show(partition)
        self._change()

    # ---- partitions that have no offset to read from ----

    def out_of_range(self, partition: TopicPartition) -> None:
        """Note that a partition does not have the offset, and that librdkafka has stopped."""
        if partition in self._read:
            at = self.known(partition)
            self._unsought.discard(partition)
            self._read.discard(partition)
            if self._is_incremental:
                self._paused.add(partition)
            if at is not None:
                self._offsets[partition] = at
            self._fail(partition, errors.OffsetOutOfRangeError({partition: at}))

    def _fail(self, partition: TopicPartition, failure: errors.KafkaError) -> None:
        self._failed[partition] = failure
        self._subscription.hide(partition)
        self._change()
