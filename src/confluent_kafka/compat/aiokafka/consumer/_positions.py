"""The consumer's positions: the requests of an assignment to brokers and to librdkafka."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection

from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as Place

from ..._common.assignment import Assignment, Find, Script, Tell
from ..._common.events import UNKNOWN
from .._failures import failure_of, is_final
from ..client import AIOKafkaClient
from ..errors import KafkaError
from ..structs import TopicPartition
from ._background import Background
from ._engine import Engine, places

_log = logging.getLogger(__name__)
_SEEK_AGAIN = 0.01  # seconds until a refused seek is repeated
_AGAIN = 0.1  # seconds until brokers that cannot answer yet are asked again
_REFUSED_AGAIN = 0.5  # seconds until a refused request is repeated

Telling = Callable[[Tell], Awaitable[None]]


class Positions:
    """Does the steps of assigned partitions that wait.

    librdkafka's seek waits, and fails if librdkafka has not begun to fetch. aiokafka's seek() takes
    effect at once. So seeks run in the background.

    Args:
        engine: the client.
        assigned: the assigned partitions.
        reset: "earliest", "latest" or "none".
        has_group: whether offsets are committed.
        timeout: seconds to wait for a broker.
        client: asks for topics, which brokers may then create.
    """

    def __init__(
        self,
        engine: Engine,
        assigned: Assignment,
        reset: str,
        has_group: bool,
        timeout: float,
        client: AIOKafkaClient,
    ) -> None:
        self._engine = engine
        self._assigned = assigned
        self._reset = reset
        self._has_group = has_group
        self._timeout = timeout
        self._client = client
        self._seeking = Background(self._seek, engine.fail)
        self._asking = Background(self._ask_again, engine.fail)
        self._told = ""  # the reason why brokers did not answer

    def ensure(self) -> None:
        """Start the tasks again if somebody else has cancelled them."""
        self._seeking.ensure()
        self._asking.ensure()

    def end(self) -> None:
        """Stop the background tasks."""
        self._seeking.end()
        self._asking.end()

    # ---- scripts ----

    async def run(
        self,
        script: Script,
        tell: Telling | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """Do the steps of an assignment's script; requests without an answer are repeated later.

        Args:
            script: the script.
            tell: does the steps that call the listener.
            goes_on: returns whether to continue.
        """
        answer: dict[TopicPartition, int] | None = None
        try:
            while goes_on():
                step = script.send(answer)
                answer = None
                if isinstance(step, Tell):
                    assert tell is not None
                    await tell(step)
                else:
                    answer = await self._answered(step)
        except StopIteration:
            self.follow_up()
        finally:
            script.close()

    async def settle(self) -> None:
        """Find the starts of partitions, and begin to read there."""
        await self.run(self._assigned.settle())
        self._assigned.begin()

    async def _answered(self, step: Find) -> dict[TopicPartition, int] | None:
        """Ask brokers; return None if they cannot answer now: a rebalance does not wait."""
        try:
            return await self.find(step)
        except KafkaException as failure:
            if is_final(failure.args[0]):
                self._assigned.refused(failure_of(failure))
                return {}
            self._log(failure)
            return None

    def _log(self, failure: KafkaException) -> None:
        text = str(failure)
        if text != self._told:
            _log.warning("could not find the offsets to begin at: %s", text)
        self._told = text

    async def find(self, step: Find) -> dict[TopicPartition, int]:
        """Ask brokers for the starts of partitions."""
        if step.where == "committed":
            if not self._has_group:
                return {}
            found = await self.committed(step.partitions)
            return {each: offset for each, offset in found.items() if offset is not None}
        return {} if self._reset == "none" else await self._resets(step.partitions)

    async def _resets(self, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
        """Ask for all partitions.

        If one fails, note the other answers before raising its error.
        """
        try:
            return await self.bounds(partitions, self._reset)
        except KafkaException:
            for each in partitions if len(partitions) > 1 else ():
                with contextlib.suppress(KafkaException):
                    self._assigned.found(await self.bounds([each], self._reset))
            raise

    def follow_up(self) -> None:
        """Start background work that an event has made necessary."""
        if self._assigned.seeks():
            self._seeking.begin_if_over()
        if self._assigned.answerable() or self._assigned.unknown():
            self._asking.begin_if_over()

    async def _ask_again(self) -> None:
        """Ask brokers until they return the starts, and begin to read there."""
        assigned = self._assigned
        while unknown := assigned.unknown() or assigned.answerable():
            await asyncio.sleep(_AGAIN if assigned.unknown() else _REFUSED_AGAIN)
            with contextlib.suppress(KafkaError):
                for topic in sorted({each.topic for each in unknown}):
                    await self._client._ask(topic)
            await self._ask(assigned.settle())
            await self._ask(assigned.ask_again())
            assigned.begin()
            self._engine.wake()

    async def _ask(self, script: Script) -> None:
        """Do the steps of a script that only asks brokers, once."""
        try:
            step = next(script)
            while isinstance(step, Find):
                step = script.send(await self.find(step))
        except StopIteration:
            pass
        except KafkaException as failure:
            self._log(failure)
        finally:
            script.close()

    # ---- requests ----

    async def committed(
        self, partitions: Collection[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        """Return the group's committed offsets; None for a partition without one."""
        answer = await self._engine.committed(places(partitions), self._timeout)
        found: dict[TopicPartition, int | None] = {}
        for place in answer:
            if place.error is not None and place.error.code() not in UNKNOWN:
                raise KafkaException(place.error)
            partition = TopicPartition(place.topic, place.partition)
            found[partition] = place.offset if place.offset >= 0 else None
        return found

    async def bounds(
        self, partitions: Collection[TopicPartition], which: str
    ) -> dict[TopicPartition, int]:
        """Return the first offsets of partitions ("earliest"), or their end offsets ("latest")."""
        engine = self._engine
        ask = engine.beginning_offsets if which == "earliest" else engine.end_offsets
        answer = await ask(places(partitions), self._timeout)
        return {
            TopicPartition(place.topic, place.partition): offset for place, offset in answer.items()
        }

    # ---- seeks ----

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Continue at an offset."""
        self._assigned.seek(partition, offset)
        self.follow_up()

    async def _seek(self) -> None:
        """Repeat until librdkafka has done all seeks."""
        while seeks := self._assigned.seeks():
            again = [await self._try_to_seek(place) for place in seeks]
            self._engine.wake()
            if any(again):
                await asyncio.sleep(_SEEK_AGAIN)

    async def _try_to_seek(self, place: Place) -> bool:
        try:
            await self._engine.seek(place)
        except KafkaException as failure:
            return self._assigned.sought(place, failure.args[0], failure_of(failure))
        return self._assigned.sought(place, None, None)
