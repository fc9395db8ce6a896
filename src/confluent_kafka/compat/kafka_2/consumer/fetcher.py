"""What a consumer returns: as in version 3, with ``leader_epoch``, as since version 2.1."""

from __future__ import annotations

from ...kafka.consumer.fetcher import ConsumerRecord

__all__ = ["ConsumerRecord"]
