"""The parts that kafka-python's enumerations share."""

from __future__ import annotations

from enum import Enum
from typing import Any, Self, TypeVar

_Kind = TypeVar("_Kind", bound=Enum)


def answered(kind: type[_Kind], value: object) -> _Kind:
    """Return the member for a value in a broker's answer.

    A broker can be newer than this client. As in Kafka's own clients, an unknown value becomes
    UNKNOWN, and the rest of the answer can be read.

    Args:
        kind: an enumeration with a member UNKNOWN.
        value: the value in the broker's answer.
    """
    try:
        return kind(value)
    except ValueError:
        return kind["UNKNOWN"]


class EnumHelper(Enum):
    """An enumeration whose members can be named in several spellings."""

    @classmethod
    def build_from(cls, val: Any) -> Self:
        """Return a member.

        Args:
            val: the member, its value, or its name in any case, with ``-`` or ``_``.

        Raises:
            ValueError: there is no such member.
        """
        if isinstance(val, str):
            name = val.upper().replace("-", "_")
            if name in cls.__members__:
                return cls[name]
        try:
            return cls(val)
        except ValueError:
            raise ValueError(
                f"{cls.__name__} has no {val!r}, only: {', '.join(cls.__members__)}"
            ) from None

    @classmethod
    def value_for(cls, val: Any) -> Any:
        """Return the value of a member; see build_from()."""
        return cls.build_from(val).value
