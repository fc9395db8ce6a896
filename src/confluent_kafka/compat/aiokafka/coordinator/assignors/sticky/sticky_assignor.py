"""The sticky assignor."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from ..abstract import AbstractPartitionAssignor


class StickyPartitionAssignor(AbstractPartitionAssignor):
    """A balanced assignment in which members keep as many of their partitions as possible.

    librdkafka does not have this assignor. A consumer refuses it, and the error names alternatives.
    """

    DEFAULT_GENERATION_ID: ClassVar[int] = -1
    generation: ClassVar[int] = DEFAULT_GENERATION_ID
    name = "sticky"

    @classmethod
    def on_generation_assignment(cls, generation: int) -> None:
        """Does nothing: librdkafka does not call it."""

    @classmethod
    def parse_member_metadata(cls, metadata: Any) -> NoReturn:
        """Not supported: librdkafka reads what members send.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"{cls.__name__} is a name: librdkafka reads the metadata")
