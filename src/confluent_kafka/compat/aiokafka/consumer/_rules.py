"""The rules of aiokafka's consumers."""

from __future__ import annotations

from ..._common.assignment import Rules
from ..errors import NoOffsetForPartitionError, OffsetOutOfRangeError

RULES = Rules(
    keeps_in_group=False,
    keeps_by_hand=False,
    tells_all=True,
    settles_in_rebalance=True,
    no_offset=NoOffsetForPartitionError,
    out_of_range=lambda partition, offset: OffsetOutOfRangeError({partition: offset}),
)
