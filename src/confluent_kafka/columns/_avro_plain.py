"""Which columns can be written as which Avro types that contain no other types."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from confluent_kafka.columns._avro_schema import MAX_PRECISION, Fixed, Primitive
from confluent_kafka.columns._input import INTEGERS, REALS, TEXTS, Input, zone_of

# For each type: the integer formats whose values all fit, and the formats with the same bits.
_WITHIN = {"int": "cCsSi", "long": "cCsSiIl"}
_SAME = {"int": {"i", "tdD"}, "long": {"l", "tss", "tsm", "tsu", "tsn"}}

# Times of day and times since 1970: units in nanoseconds, and the beginnings of Arrow's formats.
_DAY = 86_400 * 10**9
_UNITS = {"s": 10**9, "m": 10**6, "u": 10**3, "n": 1, "D": _DAY}
_TIMES = {
    "date": ("td", _DAY),
    "time-millis": ("tt", 10**6),
    "time-micros": ("tt", 10**3),
    "timestamp-millis": ("ts", 10**6),
    "timestamp-micros": ("ts", 10**3),
    "timestamp-nanos": ("ts", 1),
    "local-timestamp-millis": ("ts", 10**6),
    "local-timestamp-micros": ("ts", 10**3),
    "local-timestamp-nanos": ("ts", 1),
}
# The zones in which a column, which holds UTC, has the local time. Other zones are refused.
_LOCAL_ZONES = frozenset({"", "UTC", "Etc/UTC", "Z", "+00:00"})

# The sizes of decimals in bytes: csrc/columns/decimal.h.
_DECIMAL_SIZE = 32


class Fit(IntEnum):
    """How well a type takes the values of a column; a higher value is better.

    Attributes:
        ANOTHER_KIND: text as bytes, an integer as a double or a date, a struct as a map.
        LOSSY: a value may not fit, or may lose precision.
        EXACT: each value stays the same.
    """

    ANOTHER_KIND = 0
    LOSSY = 1
    EXACT = 2


@dataclass(frozen=True)
class PlainStep:
    """The instruction that writes a column as a type.

    Attributes:
        name: the name of the step.
        fit: how well the type takes the column.
        parts: the other parts of the instruction.
    """

    name: str
    fit: Fit
    parts: dict[str, Any] = field(default_factory=dict)


def plain_step(schema: Primitive | Fixed, column: Input) -> PlainStep | None:
    """Return how a column is written as a type; None if it cannot be."""
    match schema.logical.get("name"), schema:
        case "decimal", _:
            return _decimal(schema, column)
        case "duration", _:
            return _duration(column)
        case "uuid", _:
            return _uuid(schema, column)
        case _, Fixed():
            return _fixed(schema.size, column)
        case logical, Primitive(kind="int" | "long"):
            return _integer(schema, column) or _time(schema, logical, column)
    if schema.kind in ("float", "double"):
        return _real(schema.kind, column)
    if schema.kind == "boolean":
        return PlainStep("boolean", Fit.EXACT) if column.format == "b" else None
    if schema.kind == "string" and column.is_uuid:
        return PlainStep("uuid-of-bytes", Fit.ANOTHER_KIND)  # 16 bytes are not text
    if schema.kind in ("bytes", "string") and column.is_bytes:
        is_same = (schema.kind == "string") == (column.format in TEXTS)
        return PlainStep(schema.kind, Fit.EXACT if is_same else Fit.ANOTHER_KIND)
    return None


def _fixed(size: int, column: Input) -> PlainStep | None:
    if not column.is_bytes or column.size not in (None, size):
        return None
    if column.format in TEXTS:
        fit = Fit.ANOTHER_KIND
    else:
        fit = Fit.LOSSY if column.size is None else Fit.EXACT
    return PlainStep("fixed", fit, {"argument": size})


def _integer(schema: Primitive | Fixed, column: Input) -> PlainStep | None:
    """Write integers, also as the underlying type of a logical type."""
    if column.format not in INTEGERS:
        return None
    if schema.logical:
        fit = Fit.ANOTHER_KIND
    else:
        fit = Fit.EXACT if column.format in _WITHIN[schema.kind] else Fit.LOSSY
    return _number(schema, fit, 1, is_same=column.format in _SAME[schema.kind])


def _time(schema: Primitive | Fixed, logical: str | None, column: Input) -> PlainStep | None:
    if logical not in _TIMES:
        return None
    prefix, target = _TIMES[logical]
    arrow = column.format
    if not arrow.startswith(prefix) or arrow[2:3] not in _UNITS:
        return None
    if logical.startswith("local-") and zone_of(arrow) not in _LOCAL_ZONES:
        return None
    unit = _UNITS[arrow[2]]
    scale = unit // target if unit >= target else -(target // unit)
    fit = Fit.EXACT if scale > 0 else Fit.LOSSY
    return _number(schema, fit, scale, is_same=arrow[:3] in _SAME[schema.kind])


def _number(schema: Primitive | Fixed, fit: Fit, scale: int, *, is_same: bool) -> PlainStep:
    """Write an integer; `is_same` shows whether the column's values have the same bits."""
    logical = schema.logical.get("name", "")
    if logical.startswith("time-"):  # times of day have an upper limit
        return PlainStep(logical, fit, {"argument": scale})
    if is_same and scale == 1:
        return PlainStep(schema.kind, fit)
    return PlainStep(f"as-{schema.kind}", fit, {"argument": scale})


def _real(kind: str, column: Input) -> PlainStep | None:
    if column.format in REALS:
        is_narrower = kind == "float" and column.format == "g"
        return PlainStep(f"real-as-{kind}", Fit.LOSSY if is_narrower else Fit.EXACT)
    if column.format in INTEGERS:
        return PlainStep(f"integer-as-{kind}", Fit.ANOTHER_KIND, {"argument": 1})
    return None


def _uuid(schema: Primitive | Fixed, column: Input) -> PlainStep | None:
    is_fixed = isinstance(schema, Fixed)
    if column.format in TEXTS:
        return PlainStep("uuid-to-fixed" if is_fixed else "uuid-of-text", Fit.ANOTHER_KIND)
    if is_fixed:
        return _fixed(16, column)
    return PlainStep("uuid-of-bytes", Fit.EXACT) if column.size == 16 else None


def _decimal(schema: Primitive | Fixed, column: Input) -> PlainStep | None:
    if not column.format.startswith("d:"):
        return None
    precision, scale = map(int, column.format[2:].split(",")[:2])
    shift = schema.logical["scale"] - scale
    limit = 10 ** min(schema.logical["precision"], MAX_PRECISION)
    parts = {
        "argument": schema.size if isinstance(schema, Fixed) else 0,
        "table": (shift,),
        "data": limit.to_bytes(_DECIMAL_SIZE, "little"),
    }
    is_exact = shift >= 0 and precision + shift <= schema.logical["precision"]
    return PlainStep(f"decimal-{schema.kind}", Fit.EXACT if is_exact else Fit.LOSSY, parts)


def _duration(column: Input) -> PlainStep | None:
    if column.format == "tin":
        return PlainStep("duration-of-interval", Fit.LOSSY)
    if column.format.startswith("tD") and column.format[2:] in _UNITS:
        unit, target = _UNITS[column.format[2]], _UNITS["m"]
        scale = unit // target if unit >= target else -(target // unit)
        return PlainStep("duration-of-time", Fit.LOSSY, {"argument": scale})
    return _fixed(12, column) if column.format not in TEXTS else None
