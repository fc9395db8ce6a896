"""The topics or partitions that an application wants to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import Any

from .assignment import Assignment
from .cluster import INTERNAL_TOPICS

_NONE: frozenset[Any] = frozenset()


class Reading:
    """What a consumer reads: topics, a pattern, or partitions that are assigned by hand.

    Args:
        exclude_internal_topics: whether a pattern leaves out Kafka's own topics.
        assigned: the partitions that are read.
    """

    def __init__(self, exclude_internal_topics: bool, assigned: Assignment) -> None:
        self._excluded = INTERNAL_TOPICS if exclude_internal_topics else _NONE
        self.assigned = assigned
        self.topics: Set[str] = set()
        self.pattern: re.Pattern[str] | None = None
        self.listener: Any = None
        self.is_subscribed = False
        self.is_by_hand = False

    def matching(self, topics: Iterable[str]) -> frozenset[str]:
        """Return the cluster's topics that match the pattern."""
        assert self.pattern is not None
        match = self.pattern.match
        return frozenset(name for name in topics if name not in self._excluded and match(name))

    def forget(self) -> None:
        """Note that unsubscribe() was called."""
        self.topics, self.pattern, self.listener = set(), None, None
        self.is_subscribed = self.is_by_hand = False
        self.assigned.forget()
