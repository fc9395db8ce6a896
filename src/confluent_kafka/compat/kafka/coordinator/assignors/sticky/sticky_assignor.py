"""The sticky assignor."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from ..abstract import AbstractPartitionAssignor


class StickyPartitionAssignor(AbstractPartitionAssignor):
    """A balanced assignment in which members keep as many of their partitions as possible.

    librdkafka has only the cooperative form. A consumer refuses this assignor, and the error names
    alternatives.
    """

    DEFAULT_GENERATION_ID: ClassVar[int] = -1
    name = "sticky"

    @classmethod
    def parse_member_metadata(cls, metadata: Any) -> NoReturn:
        """Not supported: librdkafka reads what members send.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"{cls.__name__} is a name: librdkafka reads the metadata")
