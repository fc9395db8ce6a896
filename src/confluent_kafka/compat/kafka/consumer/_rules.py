"""The rules of kafka-python's consumers."""

from __future__ import annotations

from ..._common.assignment import Rules
from ..errors import NoOffsetForPartitionError, OffsetOutOfRangeError

RULES = Rules(
    keeps_in_group=True,
    keeps_by_hand=True,
    tells_all=False,
    settles_in_rebalance=False,
    no_offset=lambda partition: NoOffsetForPartitionError({partition}),
    out_of_range=lambda partition, offset: OffsetOutOfRangeError({partition: offset}),
)
