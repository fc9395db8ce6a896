"""The rebalance listener of version 3."""

from __future__ import annotations

from ...kafka.consumer.subscription_state import ConsumerRebalanceListener

__all__ = ["ConsumerRebalanceListener"]
