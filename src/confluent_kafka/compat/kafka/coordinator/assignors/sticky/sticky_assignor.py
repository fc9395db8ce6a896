"""The sticky assignor's name."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from ..abstract import AbstractPartitionAssignor


class StickyPartitionAssignor(AbstractPartitionAssignor):
    """A balanced assignment that leaves each member what it had, as far as possible.

    librdkafka has it in its cooperative form only: a consumer refuses this one, and says what it
    can use instead.
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
