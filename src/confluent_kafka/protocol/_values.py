"""Checks and converts the values for the fields of a message."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable

from confluent_kafka.cimpl import Uuid
from confluent_kafka.protocol._schema import LONGEST_STRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # Takes the name of the argument, for error texts, and its value. Returns the converted value.
    Check = Callable[[str, Any], Any]


def _wrong_type(name: str, wanted: str, value: object) -> TypeError:
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def _integer(bits: int, signed: bool) -> Check:
    least = -(1 << bits - 1) if signed else 0
    most = least + (1 << bits) - 1

    def check(name: str, value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise _wrong_type(name, "int", value) from None
        if not least <= number <= most:
            raise ValueError(f"{name} must be from {least} to {most}, not {number}")
        return int(number)

    return check


def _boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong_type(name, "bool", value)
    return value


def _float(name: str, value: Any) -> float:
    if not isinstance(value, int | float):
        raise _wrong_type(name, "float", value)
    return float(value)


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong_type(name, "str", value)
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} must be text that UTF-8 can write: {error}") from None
    if size > LONGEST_STRING:
        raise ValueError(f"{name} must have at most {LONGEST_STRING} bytes of UTF-8, not {size}")
    return str(value)


def _bytes(name: str, value: Any) -> bytes:
    if not isinstance(value, bytes | bytearray | memoryview):
        raise _wrong_type(name, "bytes", value)
    return bytes(value)


def instance_of(wanted: type) -> Check:
    """Return a check that accepts only instances of `wanted`."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, wanted):
            raise _wrong_type(name, wanted.__qualname__, value)
        return value

    return check


def array_of(element: Check, structs: type) -> Check:
    """Return a check that accepts any iterable and makes a tuple of it.

    Args:
        element: checks each element.
        structs: the class of structs, which are iterable but are single values.
    """

    def check(name: str, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str | bytes | structs) or not isinstance(value, Iterable):
            raise _wrong_type(name, "an iterable", value)
        return tuple([element(f"{name}[{number}]", item) for number, item in enumerate(value)])

    return check


def nullable(check: Check) -> Check:
    """Return a check that accepts None, or what `check` accepts."""
    return lambda name, value: None if value is None else check(name, value)


CHECKS: dict[str, Check] = {
    "bool": _boolean,
    "int8": _integer(8, True),
    "int16": _integer(16, True),
    "uint16": _integer(16, False),
    "int32": _integer(32, True),
    "uint32": _integer(32, False),
    "int64": _integer(64, True),
    "float64": _float,
    "string": _string,
    "uuid": instance_of(Uuid),
    "bytes": _bytes,
    "records": _bytes,
}


def tagged_fields(name: str, value: Any) -> tuple[tuple[int, bytes], ...]:
    """Check pairs of tag and bytes; return them in the order of the tags."""
    if not isinstance(value, Iterable):
        raise _wrong_type(name, "an iterable of pairs", value)
    pairs: dict[int, bytes] = {}
    for number, pair in enumerate(value):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise _wrong_type(f"{name}[{number}]", "a pair of tag and bytes", pair)
        tag = CHECKS["uint32"](f"{name}[{number}][0]", pair[0])
        if tag in pairs:
            raise ValueError(f"{name} has tag {tag} twice")
        pairs[tag] = _bytes(f"{name}[{number}][1]", pair[1])
    return tuple(sorted(pairs.items()))
