"""Defaults of fields, encoded as the bytes that a writer would have sent."""

from __future__ import annotations

import re
import struct
from typing import Any

from confluent_kafka.columns._avro_schema import (
    Array,
    AvroSchemaError,
    AvroType,
    Enum,
    Fixed,
    Map,
    Primitive,
    Record,
    Union,
    resolved,
)

# Exceptions that a default of the wrong type causes.
_WRONG = (TypeError, ValueError, KeyError, AttributeError, OverflowError, struct.error)

# The exclusive upper limit of a time of day in each unit.
A_DAY = {"time-millis": 86_400_000, "time-micros": 86_400_000_000}

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class _NoValue(ValueError):
    """The text is empty, which means that there is no uuid."""


def encode_default(schema: AvroType, default: Any, path: str) -> bytes | None:
    """Return a field's default, given as JSON, in Avro's binary encoding.

    Returns None for the empty text of a uuid, which many writers use for "no uuid".

    Raises:
        AvroSchemaError: the default is not a value of its type.
    """
    try:
        return _encode(schema, default)
    except _NoValue:
        return None
    except _WRONG as error:
        raise AvroSchemaError(
            f"the default of the field {path!r} is not a value of its type: {default!r}"
        ) from error


def _encode(schema: AvroType, value: Any) -> bytes:
    schema = resolved(schema)
    match schema:
        case Union():
            return _union(schema, value)
        case Record() if isinstance(value, dict):
            return b"".join(_field(one, value) for one in schema.fields)
        case Enum():
            return encode_number(schema.symbols.index(value))
        case Array() if isinstance(value, list):
            items = [_encode(schema.items, item) for item in value]
            return _block(items)
        case Map() if isinstance(value, dict):
            items = [encode_text(key) + _encode(schema.values, item) for key, item in value.items()]
            return _block(items)
        case Fixed() if isinstance(value, str):
            data = value.encode("latin-1")
            if len(data) != schema.size:
                raise ValueError
            return _logical(schema, data, data)
        case Primitive():
            return _logical(schema, value, _primitive(schema.kind, value))
    raise TypeError


def _logical(schema: Primitive | Fixed, value: Any, data: bytes) -> bytes:
    """Return the data; raise if the value is not a value of the logical type."""
    match schema.logical.get("name"):
        case "uuid" if isinstance(schema, Primitive) and not _UUID.fullmatch(value):
            raise ValueError if value else _NoValue
        case "decimal":
            digits = value if isinstance(value, bytes) else value.encode("latin-1")
            if abs(int.from_bytes(digits, signed=True)) >= 10 ** schema.logical["precision"]:
                raise ValueError
        case "time-millis" | "time-micros" as name if not 0 <= value < A_DAY[name]:
            raise ValueError
        case "duration" if any(value[place] & 0x80 for place in (3, 7)):
            raise ValueError  # months and days have 31 bits
    return data


def _field(one: Any, value: dict[str, Any]) -> bytes:
    if one.name not in value and one.default is not None:
        return _encode(one.type, one.default[0])
    return _encode(one.type, value[one.name])


def _union(schema: Union, value: Any) -> bytes:
    """Encode for the first branch that takes the value.

    Until version 1.11 of the specification, the default had to match the first branch.
    """
    failure = ValueError()
    for number, branch in enumerate(schema.branches):
        try:
            return encode_number(number) + _encode(branch, value)
        except _NoValue as error:
            failure = error
        except _WRONG:
            continue
    raise failure


def _primitive(kind: str, value: Any) -> bytes:
    match kind, value:
        case "null", None:
            return b""
        case "boolean", bool():
            return bytes([value])
        case (("int" | "long"), int()) if not isinstance(value, bool):
            return _integer(value, 32 if kind == "int" else 64)
        case "float", (int() | float()) if not isinstance(value, bool):
            return struct.pack("<f", value)
        case "double", (int() | float()) if not isinstance(value, bool):
            return struct.pack("<d", value)
        case "bytes", str():
            data = value.encode("latin-1")
            return encode_number(len(data)) + data
        case "string", str():
            return encode_text(value)
    raise TypeError


def _integer(value: int, bits: int) -> bytes:
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise ValueError
    return encode_number(value)


def encode_number(value: int) -> bytes:
    """Return a number in zigzag, seven bits a byte."""
    value = value << 1 ^ value >> 63
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def encode_text(value: str) -> bytes:
    """Return a text with its size."""
    data = value.encode()
    return encode_number(len(data)) + data


def _block(items: list[bytes]) -> bytes:
    return (encode_number(len(items)) + b"".join(items) if items else b"") + encode_number(0)
