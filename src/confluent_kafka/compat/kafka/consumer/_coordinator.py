"""Gets the partitions to read: from a group, from the cluster, or by hand."""

from __future__ import annotations

import asyncio
import inspect
import logging
import math
import time
from collections.abc import Set
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as Place

from ..._common.assignment import Script, Tell
from .. import errors
from .._failures import failure_of
from ..cluster import FINAL, Cluster
from ..structs import TopicPartition
from ._engine import Engine, partitions_of
from ._positions import Positions
from .subscription_state import SubscriptionState

_log = logging.getLogger(__name__)
_AGAIN = 0.1  # seconds until the cluster is asked again


class Coordinator:
    """Carries out subscribe() and assign() when the consumer polls, like kafka-python.

    This class matches patterns itself, every ``metadata_max_age_ms``, because the regular
    expressions of Python and librdkafka differ. Without a group, the consumer assigns all
    partitions to itself.

    Args:
        engine: the client.
        subscription: the subscription.
        positions: the positions of partitions.
        cluster: fetches the cluster's topics.
        has_group: whether the consumer is in a group.
        is_incremental: whether members keep reading their remaining partitions during a rebalance.
        every: seconds between two requests for the cluster's topics.
    """

    def __init__(
        self,
        engine: Engine,
        subscription: SubscriptionState,
        positions: Positions,
        cluster: Cluster,
        has_group: bool,
        is_incremental: bool,
        every: float,
    ) -> None:
        self._engine = engine
        self._subscription = subscription
        self._assigned = subscription.assigned
        self._positions = positions
        self._cluster = cluster
        self._has_group = has_group
        self._is_incremental = is_incremental
        self._every = every
        self._joined: Set[str] = frozenset()
        self._rejoins = False
        self._wait = _AGAIN
        self.looks_at = math.inf
        """The time of time.monotonic() at which follow() has something to do."""

    # ---- what the application does ----

    def subscribed(self) -> None:
        """Note that subscribe() was called."""
        self.looks_at, self._wait = 0.0, _AGAIN

    def assigned_by_hand(self) -> None:
        """Note that assign() was called."""
        self.looks_at, self._wait = 0.0, _AGAIN
        self._assigned.is_incremental = False
        self._assigned.begin(always=True)

    def unsubscribed(self) -> None:
        """Leave the group, or give up the partitions that were assigned by hand."""
        self.looks_at, self._rejoins = math.inf, False
        if self._joined:
            self._joined = frozenset()
            self._engine.unsubscribe()
        else:
            self._engine.unassign()

    def follow(self, timeout: float) -> None:
        """Join a group, and look for new topics if it is time for that.

        Args:
            timeout: seconds that a request may take.
        """
        if time.monotonic() < self.looks_at:
            return
        try:
            is_whole = self._look(timeout)
        except (errors.KafkaTimeoutError, errors.KafkaConnectionError, KafkaException) as failure:
            _log.warning("could not find the topics to read: %s", failure)
            is_whole = False
        looks_again = self._subscription.pattern is not None or (
            self._subscription.is_subscribed and not self._has_group
        )
        self._wait = self._every if is_whole else min(2 * self._wait, self._every)
        if looks_again or not is_whole:
            self.looks_at = time.monotonic() + self._wait
        else:
            self.looks_at = math.inf

    # ---- the cluster ----

    def _look(self, timeout: float) -> bool:
        """Look for the topics once; return whether the cluster has all of them."""
        subscription = self._subscription
        if not subscription.is_subscribed:
            topics = {each.topic for each in self._assigned.partitions}
            return self._look_for_topics(topics, timeout)
        is_whole = True
        if subscription.pattern is not None:
            self._cluster.ask(None, timeout)
            subscription.topics = subscription.matching(self._cluster.known.topics(False))
        else:
            is_whole = self._look_for_topics(subscription.topics, timeout)
        if self._has_group:
            self._join(subscription.topics)
        else:
            self._assign_all()
        return is_whole

    def _look_for_topics(self, topics: Set[str], timeout: float) -> bool:
        """Ask for each topic by name, so that a broker may create it; return whether all exist.

        Raises:
            TopicAuthorizationFailedError, InvalidTopicError: a broker refuses a topic.
        """
        for topic in sorted(topics):
            error = self._cluster.ask(topic, timeout)
            if error is not None and error.code() in FINAL:
                raise failure_of(error)
        return topics <= self._cluster.known.topics(False)

    def _join(self, topics: Set[str]) -> None:
        """Join the group with these topics; librdkafka joins only if one of them exists."""
        self._assigned.is_incremental = self._is_incremental
        if topics and (topics != self._joined or self._rejoins):
            self._leave_what_was_refused()
            self._engine.subscribe(sorted(topics), self._given, self._taken, self._lost)
            self._joined = frozenset(topics)

    def _leave_what_was_refused(self) -> None:
        """Leave the group after a refusal, so that subscribing to the same topics joins again."""
        if self._rejoins and self._is_incremental:
            self._assigned.leave()
            self._engine.unsubscribe()
        self._rejoins = False

    def _assign_all(self) -> None:
        known = self._cluster.known
        if self._assigned.follow(
            TopicPartition(topic, partition)
            for topic in self._subscription.topics
            for partition in known.partitions_for_topic(topic) or ()
        ):
            self._assigned.begin(always=True)

    # ---- the group ----

    def _given(self, _: Any, partitions: list[Place]) -> None:
        strange = {each.topic for each in partitions} - self._wanted(partitions)
        if strange and self._subscription.is_subscribed:
            self._refuse(partitions, strange)
            return
        self._run(self._assigned.given(partitions_of(partitions)))

    def _wanted(self, partitions: list[Place]) -> Set[str]:
        """Return the topics to read. The group's leader may find a new topic earlier."""
        if self._subscription.pattern is None:
            return self._subscription.topics
        return self._subscription.matching({each.topic for each in partitions})

    def _refuse(self, partitions: list[Place], strange: Set[str]) -> None:
        """Ignore an assignment of topics that are not subscribed to, and join again."""
        _log.warning("joining again: the group assigned topics %s", sorted(strange))
        if self._is_incremental:  # partitions that are not assigned could not be given back
            self._engine.incremental_assign(partitions)
            self._engine.pause(partitions)
        else:
            self._engine.assign([])
        self._rejoins, self.looks_at = True, 0.0

    def _taken(self, _: Any, partitions: list[Place]) -> None:
        if self._rejoins:
            return
        self._run(self._assigned.taken(partitions_of(partitions), "revoked"))

    def _lost(self, _: Any, partitions: list[Place]) -> None:
        self._run(self._assigned.taken(partitions_of(partitions), "lost"))

    def _run(self, script: Script) -> None:
        """Do all steps of a script; then raise the listener's exception."""
        if not self._subscription.is_subscribed:
            return
        failures: list[BaseException] = []
        self._positions.run(script, 0, lambda step: failures.extend(self._tell(step)))
        if failures:
            raise errors.KafkaError("User rebalance callback throws an error") from failures[0]

    def _tell(self, step: Tell) -> list[BaseException]:
        """Call the listener; return its exceptions."""
        listener = self._subscription.listener
        if listener is None:
            return []
        try:
            told = getattr(listener, f"on_partitions_{step.what}")(set(step.partitions))
            if inspect.iscoroutine(told):
                asyncio.run(told)
        except Exception as failure:
            _log.exception("on_partitions_%s() of a rebalance listener failed", step.what)
            return [failure]
        return []
