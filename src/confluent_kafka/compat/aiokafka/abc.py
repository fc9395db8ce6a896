"""What applications implement: listeners to rebalances, and sources of tokens."""

from __future__ import annotations

import abc
from collections.abc import Collection
from typing import Any

from .structs import TopicPartition

__all__ = ["AbstractTokenProvider", "ConsumerRebalanceListener"]


class ConsumerRebalanceListener(abc.ABC):
    """Told when the group gives partitions to a consumer, and takes them. See subscribe().

    Both methods may be coroutines; the group waits for them.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> Any:
        """Called before a rebalance, when no more messages come: the place to commit.

        Args:
            revoked: the partitions that the consumer had.
        """

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> Any:
        """Called after a rebalance, before the first message: the place to seek.

        Args:
            assigned: the partitions that the consumer has now, all of them.
        """


class AbstractTokenProvider(abc.ABC):
    """A source of tokens for SASL/OAUTHBEARER.

    Args:
        config: no effect: for providers that hand on what they were made with.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    async def token(self) -> str:
        """Return a token that is valid now.

        Called when a token is needed: at the start, and before the last one expires, by the ``exp``
        of a JWT. A token of another kind is asked for again every five minutes.
        """

    def extensions(self) -> dict[str, str]:
        """Return the SASL extensions (KIP-342) that are sent with a token."""
        return {}
