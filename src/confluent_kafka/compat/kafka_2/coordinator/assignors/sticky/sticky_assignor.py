"""The sticky assignor's name."""

from __future__ import annotations

from typing import ClassVar

from .....kafka.coordinator.assignors.sticky import sticky_assignor


class StickyPartitionAssignor(sticky_assignor.StickyPartitionAssignor):
    """That of version 3, which consumers refuse: they say what to use instead."""

    generation: ClassVar[int] = -1

    @classmethod
    def on_generation_assignment(cls, generation: int) -> None:
        """Called by nobody."""
