"""Base classes for applications: listeners to rebalances, and sources of tokens."""

from __future__ import annotations

import abc
from collections.abc import Collection
from typing import Any

from .structs import TopicPartition

__all__ = ["AbstractTokenProvider", "ConsumerRebalanceListener"]


class ConsumerRebalanceListener(abc.ABC):
    """Called when the group assigns and revokes a consumer's partitions. Pass it to subscribe().

    Both methods may be coroutines; the group waits for them.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> Any:
        """Called before a rebalance, after the last message: commit offsets here.

        Args:
            revoked: the partitions that the consumer gives up.
        """

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> Any:
        """Called after a rebalance, before the first message: call seek() here.

        Args:
            assigned: all partitions that the consumer has now.
        """


class AbstractTokenProvider(abc.ABC):
    """A source of tokens for SASL/OAUTHBEARER.

    Args:
        config: no effect; providers may pass their arguments to it.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    async def token(self) -> str:
        """Return a token that is valid now.

        The client calls this method at the start, and again before the last token expires. It reads
        the end from the ``exp`` of a JWT. For any other token, it calls the method every five
        minutes.
        """

    def extensions(self) -> dict[str, str]:
        """Return the SASL extensions (KIP-342) that are sent with a token."""
        return {}
