"""The sticky assignor."""

from __future__ import annotations

from typing import ClassVar

from .....kafka.coordinator.assignors.sticky import sticky_assignor


class StickyPartitionAssignor(sticky_assignor.StickyPartitionAssignor):
    """The assignor of version 3, which consumers refuse; the error names alternatives."""

    generation: ClassVar[int] = -1

    @classmethod
    def on_generation_assignment(cls, generation: int) -> None:
        """Does nothing: librdkafka does not call it."""
