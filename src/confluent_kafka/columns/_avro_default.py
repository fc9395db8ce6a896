"""Defaults of a reader's schema, as the bytes that a writer of them would have sent."""

from __future__ import annotations

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
)


def encode_default(schema: AvroType, default: Any, path: str) -> bytes:
    """Return a field's default, given as JSON, in Avro's binary encoding.

    Raises:
        AvroSchemaError: it is no value of the type.
    """
    try:
        return _encode(schema, default)
    except (TypeError, ValueError, KeyError, AttributeError, struct.error) as error:
        raise AvroSchemaError(
            f"the default of the reader's field {path!r} is no value of its type: {default!r}"
        ) from error


def _encode(schema: AvroType, value: Any) -> bytes:
    match schema:
        case Union():
            return _union(schema, value)
        case Record():
            return b"".join(_field(one, value) for one in schema.fields)
        case Enum():
            return _number(schema.symbols.index(value))
        case Array():
            items = [_encode(schema.items, item) for item in value]
            return _block(items)
        case Map():
            items = [_text(key) + _encode(schema.values, item) for key, item in value.items()]
            return _block(items)
        case Fixed():
            data = value.encode("latin-1")
            if len(data) != schema.size:
                raise ValueError
            return bytes(data)
        case Primitive():
            return _primitive(schema.kind, value)


def _field(one: Any, value: Any) -> bytes:
    if one.name not in value and one.default is not None:
        return _encode(one.type, one.default[0])
    return _encode(one.type, value[one.name])


def _union(schema: Union, value: Any) -> bytes:
    """Of the first branch that takes it (until 1.11 of the specification: of the first)."""
    for number, branch in enumerate(schema.branches):
        try:
            return _number(number) + _encode(branch, value)
        except (TypeError, ValueError, KeyError, AttributeError, struct.error):
            continue
    raise ValueError


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
            return _number(len(data)) + data
        case "string", str():
            return _text(value)
    raise TypeError


def _integer(value: int, bits: int) -> bytes:
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise ValueError
    return _number(value)


def _number(value: int) -> bytes:
    """Zigzag, seven bits a byte."""
    value = value << 1 ^ value >> 63
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def _text(value: str) -> bytes:
    data = value.encode()
    return _number(len(data)) + data


def _block(items: list[bytes]) -> bytes:
    return (_number(len(items)) + b"".join(items) if items else b"") + _number(0)
