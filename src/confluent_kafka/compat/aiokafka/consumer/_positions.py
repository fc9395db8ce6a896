"""Where the consumer reads: what an assignment asks of brokers and of librdkafka."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection

from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as Place

from ..._common.assignment import Assignment, Find, Script, Tell
from .._failures import failure_of, is_final
from ..structs import TopicPartition
from ._engine import Engine, places

_log = logging.getLogger(__name__)
_AGAIN = 0.01  # seconds until librdkafka is asked again to seek what it does not fetch yet
_COORDINATOR_AGAIN = 0.1  # seconds until a coordinator that cannot answer yet is asked again
_REFUSED_AGAIN = 0.5  # seconds until a broker is asked again for what it has refused

Telling = Callable[[Tell], Awaitable[None]]


class Positions:
    """Does what waits in the life of assigned partitions.

    librdkafka waits in a seek, and refuses it where it has not begun to fetch; aiokafka's seek()
    takes effect at once. So seeks are done in the background.

    Args:
        engine: the client.
        assigned: what is assigned.
        reset: "earliest", "latest" or "none".
        has_group: whether offsets are committed.
        timeout: seconds to wait for a broker.
    """

    def __init__(
        self, engine: Engine, assigned: Assignment, reset: str, has_group: bool, timeout: float
    ) -> None:
        self._engine = engine
        self._assigned = assigned
        self._reset = reset
        self._has_group = has_group
        self._timeout = timeout
        self._seeking: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None

    def end(self) -> None:
        """Do nothing any more in the background."""
        for task in (self._seeking, self._asking):
            if task is not None:
                task.cancel()
        self._seeking = self._asking = None

    # ---- scripts ----

    async def run(
        self,
        script: Script,
        tell: Telling | None = None,
        goes_on: Callable[[], bool] | None = None,
    ) -> None:
        """Do the steps of an assignment's script.

        Args:
            script: the script.
            tell: does the steps that tell the listener.
            goes_on: whether to go on, asking brokers again after what they will answer otherwise.

        Raises:
            KafkaException: without `goes_on`, such an answer, or none in time.
        """
        found: dict[TopicPartition, int] | None = None
        try:
            while goes_on is None or goes_on():
                step = script.send(found)
                found = None
                if isinstance(step, Tell):
                    assert tell is not None
                    await tell(step)
                else:
                    found = await self._answered(step, goes_on)
        except StopIteration:
            self.follow_up()
        finally:
            script.close()

    async def settle(self) -> None:
        """Find out where to begin; see run()."""
        await self.run(self._assigned.settle())

    async def _answered(
        self, step: Find, goes_on: Callable[[], bool] | None
    ) -> dict[TopicPartition, int]:
        while True:
            try:
                return await self.find(step)
            except KafkaException as failure:
                if is_final(failure.args[0]):
                    self._assigned.refused(failure_of(failure))
                    return {}
                if goes_on is None:
                    raise
                _log.warning("where to begin could not be read: %s", failure)
            await asyncio.sleep(_COORDINATOR_AGAIN)
            if not goes_on():
                return {}

    async def find(self, step: Find) -> dict[TopicPartition, int]:
        """Ask brokers where partitions begin."""
        if step.where == "committed":
            if not self._has_group:
                return {}
            found = await self.committed(step.partitions)
            return {each: offset for each, offset in found.items() if offset is not None}
        return {} if self._reset == "none" else await self.bounds(step.partitions, self._reset)

    def follow_up(self) -> None:
        """Begin in the background what an event has made necessary."""
        if self._assigned.seeks() and _is_over(self._seeking):
            self._seeking = asyncio.get_running_loop().create_task(self._seek())
        if self._assigned.answerable() and _is_over(self._asking):
            self._asking = asyncio.get_running_loop().create_task(self._ask_again())

    async def _ask_again(self) -> None:
        """Ask for what was refused until it is answered, and begin to read there."""
        while self._assigned.answerable():
            await asyncio.sleep(_REFUSED_AGAIN)
            script = self._assigned.ask_again()
            try:
                step: Find = next(script)  # type: ignore[assignment]
                while True:
                    step = script.send(await self.find(step))  # type: ignore[assignment]
            except StopIteration:
                self._engine.wake()
            except KafkaException:
                script.close()

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

    # ---- seeks ----

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Read on at an offset."""
        self._assigned.seek(partition, offset)
        self.follow_up()

    async def _seek(self) -> None:
        """Repeat until librdkafka has sought everything."""
        while seeks := self._assigned.seeks():
            again = [await self._try_to_seek(place) for place in seeks]
            self._engine.wake()
            if any(again):
                await asyncio.sleep(_AGAIN)

    async def _try_to_seek(self, place: Place) -> bool:
        try:
            await self._engine.seek(place)
        except KafkaException as failure:
            return self._assigned.sought(place, failure.args[0], failure_of(failure))
        return self._assigned.sought(place, None, None)


def _is_over(task: asyncio.Task[None] | None) -> bool:
    return task is None or task.done()
