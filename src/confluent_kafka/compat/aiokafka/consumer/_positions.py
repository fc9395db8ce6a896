"""Where the consumer reads: first offsets, seeks, and partitions that have none to read from."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as Place

from .._failures import failure_of, is_final
from ..errors import NoOffsetForPartitionError, OffsetOutOfRangeError
from ..structs import TopicPartition
from ._engine import Engine, places
from ._subscription import Subscription

_AGAIN = 0.01  # seconds until librdkafka is asked again to seek what it does not fetch yet
_REFUSED_AGAIN = 0.5  # seconds until a broker is asked again for what it has refused


class Positions:
    """The offsets that partitions are read from.

    librdkafka is given numbers to begin at, never "the committed offset" or "the end": while it
    asks for those, it forgets a seek without the patch late-offset. And it waits in a seek, and
    refuses it where it has not begun to fetch; aiokafka's seek() takes effect at once. So a sought
    partition's messages are held back until librdkafka has done it.

    Args:
        engine: the client.
        subscription: what is assigned.
        reset: "earliest", "latest" or "none".
        has_group: whether offsets are committed.
        timeout: seconds to wait for a broker.
        is_incremental: whether the group's protocol is.
    """

    def __init__(
        self,
        engine: Engine,
        subscription: Subscription,
        reset: str,
        has_group: bool,
        timeout: float,
        is_incremental: bool,
    ) -> None:
        self._is_incremental = is_incremental
        self._engine = engine
        self._subscription = subscription
        self._reset = reset
        self._has_group = has_group
        self._timeout = timeout
        self._offsets: dict[TopicPartition, int] = {}
        self._read: set[TopicPartition] = set()
        self._ended: set[TopicPartition] = set()  # assigned, but librdkafka has stopped
        self._seeking: dict[TopicPartition, asyncio.Task[None]] = {}
        self._failed: dict[TopicPartition, Exception] = {}
        self._refused: set[TopicPartition] = set()  # those of _failed that a broker may yet answer
        self._asking: asyncio.Task[None] | None = None
        self._is_held = False

    # ---- where to begin ----

    def forget(self) -> None:
        """Forget everything: nothing is assigned any more."""
        for task in self._seeking.values():
            task.cancel()
        self._stop_asking()
        self._offsets = {}
        self._read = set()
        self._ended = set()
        self._seeking = {}
        self._failed = {}
        self._refused = set()

    def forget_some(self, partitions: Collection[TopicPartition]) -> None:
        """Forget partitions that are not assigned any more."""
        for partition in partitions:
            if partition in self._seeking:
                self._seeking.pop(partition).cancel()
            self._offsets.pop(partition, None)
            self._failed.pop(partition, None)
            self._refused.discard(partition)
            self._read.discard(partition)
            self._ended.discard(partition)

    async def settle(self, partitions: Collection[TopicPartition]) -> list[Place]:
        """Return where to begin to read partitions; those without a place are left out.

        What a broker refuses has no place, until it answers otherwise.

        Raises:
            KafkaException: a broker's answer that will be another later, or none in time.
        """
        try:
            await self._find(partitions)
        except KafkaException as failure:
            if not is_final(failure.args[0]):
                raise
            self._refuse(partitions, failure_of(failure))
        else:
            for each in partitions:
                if each not in self._offsets:
                    self._fail(each, NoOffsetForPartitionError(each))
        begun = [each for each in partitions if each not in self._failed]
        return [Place(*each, self._offsets[each]) for each in begun]

    async def _find(self, partitions: Collection[TopicPartition]) -> None:
        """Ask for the offsets that are not known."""
        for offsets in (self._committed, self._bounds):
            unknown = [each for each in partitions if each not in self._offsets]
            if unknown:
                for each, offset in (await offsets(unknown)).items():
                    self._offsets.setdefault(each, offset)  # unless it was sought meanwhile

    def _refuse(self, partitions: Collection[TopicPartition], failure: Exception) -> None:
        """Note what a broker refuses to say where to begin."""
        for each in partitions:
            if each not in self._offsets:
                self._fail(each, failure)
                self._refused.add(each)
        self._start_asking()

    def hold(self) -> None:
        """Begin nowhere in the background: the group may be taking partitions away."""
        self._is_held = True
        self._stop_asking()

    def release(self) -> None:
        """Ask again for what was refused: the rebalance is over."""
        self._is_held = False
        self._start_asking()

    def _start_asking(self) -> None:
        is_asking = self._asking is not None and not self._asking.done()
        if self._refused and not self._is_held and not is_asking:
            self._asking = asyncio.get_running_loop().create_task(self._ask_again())

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    async def _ask_again(self) -> None:
        """Ask for what was refused until it is answered, and begin to read there."""
        while self._refused:
            await asyncio.sleep(_REFUSED_AGAIN)
            asked = list(self._refused)
            with contextlib.suppress(KafkaException):
                await self._find(asked)
                self._answered(asked)

    def _answered(self, partitions: list[TopicPartition]) -> None:
        for each in self._refused.intersection(partitions):
            if each in self._offsets:
                self.seek(each, self._offsets[each])
            else:
                self._refused.discard(each)
                self._fail(each, NoOffsetForPartitionError(each))
        self._engine.wake()

    def begin(self, starts: list[Place]) -> None:
        """Note that librdkafka reads from these offsets now."""
        for place in starts:
            partition = TopicPartition(place.topic, place.partition)
            self._read.add(partition)
            if self._offsets[partition] != place.offset:
                self.seek(partition, self._offsets[partition])

    def assign_incrementally(
        self, partitions: Collection[TopicPartition], starts: list[Place]
    ) -> None:
        """Assign partitions; those that have no place to begin, too, but paused.

        A member that has not assigned what it is given cannot give it back: it never leaves.
        """
        client = self._engine.client
        begun = {(place.topic, place.partition) for place in starts}
        others = [Place(*each, 0) for each in partitions if each not in begun]
        client.incremental_assign(starts + others)
        if others:
            client.pause(others)
            self._ended |= {TopicPartition(one.topic, one.partition) for one in others}

    async def _committed(self, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
        if not self._has_group:
            return {}
        found = await self.committed(partitions)
        return {each: offset for each, offset in found.items() if offset is not None}

    async def _bounds(self, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
        return {} if self._reset == "none" else await self.bounds(partitions, self._reset)

    # ---- questions ----

    async def committed(
        self, partitions: Collection[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        """Return the group's committed offsets; None where there is none."""
        answer = await self._engine.committed(places(partitions), self._timeout)
        found: dict[TopicPartition, int | None] = {}
        for place in answer:
            if place.error is not None:
                raise KafkaException(place.error)
            partition = TopicPartition(place.topic, place.partition)
            found[partition] = place.offset if place.offset >= 0 else None
        return found

    async def bounds(
        self, partitions: Collection[TopicPartition], which: str
    ) -> dict[TopicPartition, int]:
        """Return partitions' first offsets ("earliest"), or those behind the last ("latest")."""
        engine = self._engine
        ask = engine.beginning_offsets if which == "earliest" else engine.end_offsets
        answer = await ask(places(partitions), self._timeout)
        return {
            TopicPartition(place.topic, place.partition): offset for place, offset in answer.items()
        }

    def known(self, partition: TopicPartition) -> int | None:
        """Return the offset of the next message; None if it is not known yet."""
        if partition in self._read and partition not in self._seeking:
            (place,) = self._engine.client.position([Place(*partition)])
            if place.offset >= 0:
                return int(place.offset)
        return self._offsets.get(partition)

    def all_known(self) -> list[Place]:
        """Return the offsets of the next messages, of the partitions where they are known."""
        found = {each: self.known(each) for each in self._subscription.partitions}
        return [Place(*each, at) for each, at in found.items() if at is not None]

    # ---- seeks ----

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Read on at an offset."""
        self._offsets[partition] = offset
        self._refused.discard(partition)
        if self._failed.pop(partition, None) is not None:
            self._subscription.show(partition)
            self._assign_again(partition)
        elif partition in self._read and partition not in self._seeking:
            self._subscription.hide(partition)
            task = asyncio.get_running_loop().create_task(self._seek(partition))
            self._seeking[partition] = task

    def _assign_again(self, partition: TopicPartition) -> None:
        """Read a partition that librdkafka does not read."""
        client = self._engine.client
        if self._is_incremental:
            if partition in self._ended:
                self._ended.discard(partition)
                client.incremental_unassign(places([partition]))
            self._read.add(partition)
            client.incremental_assign([Place(*partition, self._offsets[partition])])
            if partition not in self._subscription.paused:
                client.resume(places([partition]))
            return
        # Other protocols allow members to change their assignment only as a whole.
        for each in self._read:
            at = self.known(each)
            if at is not None:  # librdkafka is about to forget it
                self._offsets[each] = at
        self._read.add(partition)
        client.assign([Place(*each, self._offsets[each]) for each in self._read])

    async def _seek(self, partition: TopicPartition) -> None:
        """Repeat until librdkafka has sought the newest offset."""
        offset = None
        try:
            while offset != self._offsets[partition]:
                offset = self._offsets[partition]
                if not await self._try_to_seek(Place(*partition, offset)):
                    offset = None
                    await asyncio.sleep(_AGAIN)
        finally:
            if self._seeking.get(partition) is asyncio.current_task():
                del self._seeking[partition]
                self._subscription.show(partition)
                self._engine.wake()

    async def _try_to_seek(self, place: Place) -> bool:
        try:
            await self._engine.seek(place)
        except KafkaException as failure:
            if failure.args[0].code() not in (KafkaError._STATE, KafkaError._UNKNOWN_PARTITION):
                raise failure_of(failure) from failure
            return False
        return True

    # ---- partitions that have no offset to read from ----

    def check(self, partitions: tuple[TopicPartition, ...]) -> None:
        """Raise why partitions cannot be read, until they are sought.

        Args:
            partitions: () for all.
        """
        for partition, failure in self._failed.items():
            if not partitions or partition in partitions:
                raise type(failure)(*failure.args) from failure.__cause__

    def out_of_range(self, partition: TopicPartition) -> None:
        """Note that a partition does not have the offset, and that librdkafka has stopped."""
        if partition in self._read:
            at = self.known(partition)
            if partition in self._seeking:
                self._seeking.pop(partition).cancel()
            self._read.discard(partition)
            self._ended.add(partition)
            if at is not None:
                self._offsets[partition] = at  # for position()
            self._fail(partition, OffsetOutOfRangeError({partition: at}))

    def _fail(self, partition: TopicPartition, failure: Exception) -> None:
        self._failed[partition] = failure
        self._subscription.hide(partition)
