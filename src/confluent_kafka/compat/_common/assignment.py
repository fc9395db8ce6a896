"""The life of assigned partitions: this module receives events, and returns the steps to do.

All code here is synchronous and never waits. Some functions are generators, which are called
scripts. If a step has to wait, the script yields the step. The API that runs the script does the
step, blocking or awaiting: see `Step`. So all APIs share one set of rules, and tests can run the
lives of thousands of partitions per second.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from confluent_kafka import OFFSET_INVALID, KafkaError
from confluent_kafka import TopicPartition as Place

from .structs import TopicPartition

_NONE: frozenset[Any] = frozenset()
# librdkafka does not fetch the partition yet.
_NOT_YET = frozenset({KafkaError._STATE, KafkaError._UNKNOWN_PARTITION})


class Client(Protocol):
    """The client's calls that do not wait."""

    def assign(self, partitions: list[Place]) -> Any: ...
    def incremental_assign(self, partitions: list[Place]) -> Any: ...
    def incremental_unassign(self, partitions: list[Place]) -> Any: ...
    def pause(self, partitions: list[Place]) -> Any: ...
    def resume(self, partitions: list[Place]) -> Any: ...
    def _next_position(self, partitions: list[Place]) -> list[Place]: ...


class Rules(NamedTuple):
    """The differences between the APIs, and between their generations."""

    keeps_in_group: bool
    """Whether a partition that an eager rebalance leaves to its owner keeps position and pause."""
    keeps_by_hand: bool
    """Whether a partition that a second assign() names again keeps its position and pause."""
    tells_all: bool
    """Whether a listener gets all partitions, even if a rebalance changes only some of them."""
    settles_in_rebalance: bool
    """Whether a rebalance ends only when the start of each partition is known."""
    no_offset: Callable[[TopicPartition], Exception]
    """Makes the exception for a partition without a start offset."""
    out_of_range: Callable[[TopicPartition, int | None], Exception]
    """Makes the exception for a partition that does not have the offset."""


class Tell(NamedTuple):
    """Step: call the listener. The caller of the script keeps its exception."""

    what: str
    """"assigned", "revoked" or "lost"."""
    partitions: Set[TopicPartition]


class Find(NamedTuple):
    """Step: send the found offsets of the partitions into the script.

    If brokers cannot answer now, None ends the script, and the caller asks again later.
    """

    where: str
    """"committed": the group's offsets. "reset": the offsets of auto_offset_reset."""
    partitions: list[TopicPartition]


Step = Tell | Find
Script = Generator[Step, Any, None]


@dataclass(slots=True)
class Life:
    """An assigned partition. It waits, is read, or has failed until the next seek."""

    offset: int | None = None
    """The offset of the next message, unless librdkafka reads the partition."""
    is_read: bool = False
    """Whether librdkafka reads it; then librdkafka has the position."""
    is_sought: bool = False
    """Whether librdkafka reads the partition, but has not yet done the seek to the offset."""
    is_parked: bool = False
    """Whether librdkafka has paused it, because its start is unknown (incremental protocols)."""
    is_paused: bool = False
    """Whether the application has paused it."""
    failure: Exception | None = None
    """The reason why it cannot be read."""
    may_be_answered: bool = False
    """Whether a broker has refused to return the start, and may still answer."""


class Assignment:
    """The assigned partitions of a consumer.

    librdkafka always gets a number as the start, never "the committed offset" or "the end". So
    positions are known at once, and an early seek is not forgotten.

    Args:
        rules: the rules of the API.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._lives: dict[TopicPartition, Life] = {}
        self._wanted: dict[tuple[TopicPartition, ...], list[Place] | None] = {}
        self._is_lost = False
        self._is_told = False  # whether the listener was told of a revocation
        self._is_rebalancing = False
        self.client: Client | None = None
        """The client; None before the API has made it."""
        self.is_incremental = False
        """Whether members keep reading their remaining partitions during a rebalance."""
        self.takings = 0
        """How often the group has revoked partitions."""
        self.partitions: frozenset[TopicPartition] = _NONE
        """The partitions that the application may read."""
        self.is_assigned = False
        """Whether there is an assignment, which may be empty."""
        self.is_revoked = False
        """Whether a rebalance has revoked the partitions, and has not assigned new ones yet."""
        self.previous: Set[TopicPartition] = _NONE
        """The partitions of the earlier subscription, which the group revokes later."""
        self.is_whole = False
        """Whether messages of every partition may be returned."""
        self.is_settled = True
        """Whether no step is left to do before messages can come."""

    # ---- what is assigned ----

    def forget(self) -> None:
        """Note that nothing is assigned until the next assignment."""
        self._lives = {}
        self._is_told = self._is_rebalancing = False
        self.is_assigned = self.is_revoked = self._is_lost = False
        self._change()

    def leave(self) -> None:
        """Note that another subscription begins: the next assignment revokes the old partitions."""
        self.previous = self.partitions or self.previous
        self.forget()

    def assign_by_hand(self, partitions: Iterable[TopicPartition]) -> None:
        """Note what the application has assigned; begin() starts to read it."""
        self._replace(partitions, self._rules.keeps_by_hand)

    def follow(self, partitions: Iterable[TopicPartition]) -> bool:
        """Note what a consumer without a group reads; return whether that is a change."""
        named = frozenset(partitions)
        if named == self.partitions and self.is_assigned:
            return False
        self._replace(named, True)
        return True

    def _replace(self, partitions: Iterable[TopicPartition], keeps: bool) -> None:
        """Replace the partitions, which librdkafka is about to forget."""
        had = self._lives if keeps else {}
        self._stop_all()
        self._lives = {each: had.get(each) or Life() for each in partitions}
        self.is_assigned, self.previous = True, _NONE
        self.is_revoked = self._is_lost = False
        self._change()

    def _stop_all(self) -> None:
        """Remember the positions, because librdkafka is about to stop reading."""
        for each, life in self._lives.items():
            life.offset = self.position(each)
            life.is_read = life.is_sought = life.is_parked = False

    # ---- the group ----

    def given(self, partitions: Set[TopicPartition]) -> Script:
        """Take partitions from the group: all, or additional ones with an incremental protocol."""
        self._is_rebalancing = True
        try:
            yield from self._given(partitions)
        finally:
            self._is_rebalancing = False
        self.begin(always=True)

    def _given(self, partitions: Set[TopicPartition]) -> Script:
        whole = self._rules.tells_all or not self.is_incremental
        if whole and not self._is_told:
            yield Tell("revoked", self.previous or self.partitions)
        if self.is_incremental:
            self._extend(partitions)
        else:
            # Another member has continued to read lost partitions.
            self._replace(partitions, self._rules.keeps_in_group and not self._is_lost)
        self._is_told = False
        if whole or partitions:
            yield Tell("assigned", self.partitions if whole else partitions)
        if self._rules.settles_in_rebalance:
            yield from self.settle()

    def taken(self, partitions: Set[TopicPartition], how: str) -> Script:
        """Give partitions back to the group, or note that they are lost.

        Args:
            partitions: the partitions that an incremental protocol revokes; other protocols revoke
                all.
            how: "revoked" or "lost".
        """
        self._is_rebalancing = True
        try:
            yield from self._taken(partitions, how)
            self.takings += 1
        finally:
            self._is_rebalancing = False
        if not self.is_incremental:
            self._stop_all()
            self.is_revoked, self._is_lost = True, how == "lost"
            self._change()
        self.begin()

    def _taken(self, partitions: Set[TopicPartition], how: str) -> Script:
        if not self.is_incremental:
            self._is_told = True
            yield Tell(how, self.previous or self.partitions)
            return
        tells_all = self._rules.tells_all
        self._is_told = tells_all
        yield Tell(how, (self.previous or self.partitions) if tells_all else partitions)
        for each in partitions:
            self._lives.pop(each, None)
        self.previous = _NONE
        self._change()
        if tells_all and self.partitions:
            self._is_told = False
            yield Tell("assigned", self.partitions)

    def timed_out(self) -> None:
        """Note that the member is about to leave, because nobody has read for too long.

        The listener is called at the next assignment. Nothing can be committed until then.
        """
        self._stop_all()
        self.is_revoked = self._is_lost = True
        self.takings += 1
        self._change()

    def _extend(self, partitions: Iterable[TopicPartition]) -> None:
        for each in partitions:
            self._lives.setdefault(each, Life())
        self.is_assigned, self.previous = True, _NONE
        self.is_revoked = self._is_lost = False
        self._change()

    def may_commit(self, generation: int, takings: int) -> bool:
        """Return whether positions may be committed.

        Brokers accept offsets of any partition from any member. A late commit, after the partitions
        went to other members, would set their offsets back. The broker refuses a commit after a
        revocation, but only once the group has its next generation.

        Args:
            generation: the member's present generation; negative if it has none.
            takings: the value of ``takings`` when the positions were read.
        """
        return generation >= 0 and takings == self.takings and not self.is_revoked

    # ---- where to begin ----

    def settle(self) -> Script:
        """Find the start of each partition; partitions without a start fail."""
        for where in ("committed", "reset"):
            unknown = self.unknown()
            if unknown:
                found = yield Find(where, unknown)
                if found is None:
                    return
                self.found(found)
        for each in self.unknown():
            self.fail(each, self._rules.no_offset(each))

    def unknown(self) -> list[TopicPartition]:
        """Return the partitions whose start is unknown."""
        return [
            each
            for each, life in self._lives.items()
            if life.offset is None and life.failure is None
        ]

    def found(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Note where partitions start, except partitions whose offset a seek has set meanwhile."""
        for each, offset in offsets.items():
            life = self._lives.get(each)
            if life is not None and life.offset is None:
                life.offset = offset
                if life.may_be_answered:
                    life.failure, life.may_be_answered = None, False
        self._change()

    def refused(self, failure: Exception) -> None:
        """Note why brokers do not return the starts of partitions with an unknown start."""
        for each in self.unknown():
            self.fail(each, failure)
            self._lives[each].may_be_answered = True

    def answerable(self) -> list[TopicPartition]:
        """Return the partitions whose starts brokers refused to return, but may return later."""
        return [each for each, life in self._lives.items() if life.may_be_answered]

    def ask_again(self) -> Script:
        """Find the starts of partitions for which brokers have refused to answer."""
        asked = self.answerable()
        for where in ("committed", "reset"):
            unknown = [each for each in asked if each in self.answerable()]
            if unknown:
                found = yield Find(where, unknown)
                if found is None:
                    return
                self.found(found)
        for each in asked:
            if each in self.answerable():
                self._lives[each].may_be_answered = False
                self.fail(each, self._rules.no_offset(each))
        self.begin()

    def begin(self, always: bool = False) -> None:
        """Let librdkafka read the waiting partitions that have an offset.

        Args:
            always: whether to answer the group even if no partition can begin.
        """
        client = self.client
        if client is None or self.is_revoked or self._is_rebalancing:
            return  # the group may be revoking partitions
        new = [each for each, life in self._lives.items() if _can_begin(life)]
        if self.is_incremental:
            self._begin_some(client, new)
        elif new or always:
            self._stop_all()
            new = [each for each, life in self._lives.items() if _can_begin(life)]
            client.assign(self._starts(new))
        for each in new:
            life = self._lives[each]
            life.is_read, life.is_parked = True, False
        self._pause_or_resume(client, new)
        self._change()

    def _begin_some(self, client: Client, new: list[TopicPartition]) -> None:
        """Assign additional partitions. A partition without an offset is assigned, but paused.

        A member that does not assign its partitions cannot give them back, and could never leave.
        """
        parked = [each for each in new if self._lives[each].is_parked]
        if parked:
            client.incremental_unassign(_places(parked))
        others = [
            each
            for each, life in self._lives.items()
            if not (life.is_read or life.is_parked or _can_begin(life))
        ]
        starts = self._starts(new) + [Place(*each, 0) for each in others]
        if starts:
            client.incremental_assign(starts)
        if others:
            client.pause(_places(others))
        for each in others:
            self._lives[each].is_parked = True

    def _starts(self, partitions: Iterable[TopicPartition]) -> list[Place]:
        return [Place(*each, self._lives[each].offset or 0) for each in partitions]

    # ---- pauses ----

    @property
    def paused(self) -> set[TopicPartition]:
        """The partitions that the application has paused."""
        return {each for each, life in self._lives.items() if life.is_paused}

    def pause(self, partitions: Collection[TopicPartition], is_paused: bool = True) -> None:
        """Stop returning messages of partitions, or start to return them again.

        A partition that librdkafka does not read yet is paused when it begins.
        """
        for each in partitions:
            self._lives[each].is_paused = is_paused
        if self.client is not None:
            read = [each for each in partitions if self._lives[each].is_read]
            self._pause_or_resume(self.client, read)

    def _pause_or_resume(self, client: Client, partitions: Iterable[TopicPartition]) -> None:
        """Pause or resume in librdkafka if a pause lasts longer than an assignment."""
        paused = [each for each in partitions if self._lives[each].is_paused]
        others = [each for each in partitions if not self._lives[each].is_paused]
        if paused:
            client.pause(_places(paused))
        if others:
            client.resume(_places(others))

    # ---- positions ----

    def position(self, partition: TopicPartition) -> int | None:
        """Return the offset of the next message; None if it is not known yet.

        The position comes from librdkafka, which resets offsets, and starts again when a topic was
        created again. While it looks up the start, the position is unknown.
        """
        life = self._lives.get(partition)
        if life is None:
            return None
        if life.is_read and not life.is_sought and self.client is not None:
            (place,) = self.client._next_position([Place(*partition)])
            if place.offset != OFFSET_INVALID:  # librdkafka has begun to read
                return int(place.offset) if place.offset >= 0 else None
        return life.offset

    def positions(self) -> dict[TopicPartition, int]:
        """Return the offsets of the next messages, of the partitions whose offset is known."""
        found = {each: self.position(each) for each in self._lives}
        return {each: at for each, at in found.items() if at is not None}

    # ---- seeks ----

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Continue at an offset.

        Until librdkafka has done the seek, no message of the partition is returned.
        """
        life = self._lives[partition]
        life.offset, life.may_be_answered = offset, False
        life.failure = None
        if life.is_read:
            life.is_sought = True
        self._change()
        if self.is_assigned and not life.is_read:
            self.begin()

    def seeks(self) -> list[Place]:
        """Return the seeks that librdkafka still has to do."""
        return self._starts(each for each, life in self._lives.items() if life.is_sought)

    def sought(self, place: Place, error: KafkaError | None, failure: Exception | None) -> bool:
        """Note the answer to a seek; return whether to try the seek again.

        Args:
            place: the partition and the offset.
            error: librdkafka's answer.
            failure: the API's exception for the error.
        """
        partition = TopicPartition(place.topic, place.partition)
        life = self._lives.get(partition)
        if life is None or not life.is_sought:
            return False
        if error is not None and error.code() not in _NOT_YET:
            self._end(partition, life)
            assert failure is not None
            self.fail(partition, failure)
            return False
        if error is None and life.offset == place.offset:
            life.is_sought = False
            self._change()
            return False
        return True

    # ---- partitions that cannot be read ----

    def out_of_range(self, partition: TopicPartition) -> None:
        """Note that a partition does not have the offset, so librdkafka has stopped reading it."""
        life = self._lives.get(partition)
        if life is not None and life.is_read:
            life.offset = self.position(partition)
            self._end(partition, life)
            self.fail(partition, self._rules.out_of_range(partition, life.offset))

    def fail(self, partition: TopicPartition, failure: Exception) -> None:
        """Note why a partition cannot be read until the next seek."""
        self._lives[partition].failure = failure
        self._change()

    def check(self, partitions: tuple[TopicPartition, ...] = ()) -> None:
        """Raise the error of partitions that cannot be read.

        Args:
            partitions: the partitions; () means all.
        """
        for each in partitions or self._lives:
            life = self._lives.get(each)
            if life is not None and life.failure is not None:
                raise type(life.failure)(*life.failure.args) from life.failure.__cause__

    def _end(self, partition: TopicPartition, life: Life) -> None:
        """Note that librdkafka has a partition, but no longer reads it."""
        life.is_read = life.is_sought = False
        life.is_parked = self.is_incremental

    # ---- messages ----

    def wanted(self, partitions: tuple[TopicPartition, ...] = ()) -> list[Place] | None:
        """Return the partitions whose messages may be returned now; None for all.

        Args:
            partitions: the partitions that the application asks for; () means all.
        """
        try:
            return self._wanted[partitions]
        except KeyError:
            wanted = self._wanted[partitions] = self._select(partitions)
            return wanted

    def _select(self, partitions: tuple[TopicPartition, ...]) -> list[Place] | None:
        for partition in partitions:
            if not isinstance(partition, TopicPartition):
                kind = type(partition).__name__
                raise TypeError(f"partitions must be TopicPartition, not {kind}")
        if self.is_whole and not partitions:
            return None
        named = set(partitions or self.partitions) & self.partitions
        return _places(sorted(each for each in named if not _is_hidden(self._lives[each])))

    def _change(self) -> None:
        lives = self._lives.values()
        if self._lives.keys() != self.partitions:
            self.partitions = frozenset(self._lives)
        self._wanted = {}
        self.is_whole = bool(lives) and not any(map(_is_hidden, lives))
        self.is_settled = self.is_revoked or all(
            life.is_read and not life.is_sought for life in lives
        )


def _can_begin(life: Life) -> bool:
    return not life.is_read and life.offset is not None and life.failure is None


def _is_hidden(life: Life) -> bool:
    return life.is_sought or life.failure is not None


def _places(partitions: Iterable[TopicPartition]) -> list[Place]:
    return [Place(*each) for each in partitions]
