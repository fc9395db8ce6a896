"""The cooperative sticky assignor."""

from __future__ import annotations

from typing import ClassVar

from .abstract import RebalanceProtocol
from .sticky.sticky_assignor import StickyPartitionAssignor


class CooperativeStickyAssignor(StickyPartitionAssignor):
    """A balanced assignment that moves few partitions; members continue to read the other ones."""

    version: ClassVar[int] = 1
    name = "cooperative-sticky"
    _protocols = (RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER)
