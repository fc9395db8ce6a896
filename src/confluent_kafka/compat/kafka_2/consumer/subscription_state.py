"""Who is told of a rebalance: as in version 3."""

from __future__ import annotations

from ...kafka.consumer.subscription_state import ConsumerRebalanceListener

__all__ = ["ConsumerRebalanceListener"]
