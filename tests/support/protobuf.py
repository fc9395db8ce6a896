"""Makes message types and payloads, and reads payloads with google.protobuf."""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet

JSON = {"google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"}
TIMES = {"google.protobuf.Timestamp", "google.protobuf.Duration"}
WRAPPERS = {
    f"google.protobuf.{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
}


def compiled(text: str) -> bytes:
    """A .proto file and its imports as a FileDescriptorSet."""
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test.proto").write_text(text, encoding="utf-8")
        known = files("grpc_tools") / "_proto"
        output = Path(folder, "set")
        arguments = [f"-I{folder}", f"-I{known}", "--include_imports", f"-o{output}", "test.proto"]
        assert protoc.main(["protoc", *arguments]) == 0
        return output.read_bytes()


def message_class(descriptors: bytes, name: str) -> Any:
    """The class of a message of a FileDescriptorSet."""
    pool = DescriptorPool()
    for file in FileDescriptorSet.FromString(descriptors).file:
        pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName(name))


def is_repeated(field: Any) -> bool:
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == 3


def is_map(field: Any) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


# ---- the rows that google.protobuf reads


def expected(message: Any, enums: str = "string") -> dict[str, Any]:
    """The row that the columns of a message should have, in the same form as from plain()."""
    return {
        field.name: _expected_field(message, field, enums) for field in message.DESCRIPTOR.fields
    }


def _expected_field(message: Any, field: Any, enums: str) -> Any:
    value = getattr(message, field.name)
    if is_map(field):
        inner = field.message_type.fields_by_name["value"]
        return {key: _expected_value(inner, value[key], enums) for key in value}
    if is_repeated(field):
        return [_expected_value(field, item, enums) for item in value]
    if field.has_presence and not message.HasField(field.name):
        return None
    return _expected_value(field, value, enums)


def _expected_value(field: Any, value: Any, enums: str) -> Any:
    if field.enum_type is not None:
        symbol = field.enum_type.values_by_number.get(value)
        if enums == "number":
            return value
        if symbol is None:
            return str(value) if enums == "string" else None
        return symbol.name
    if field.message_type is None:
        return exact(value)
    name = field.message_type.full_name
    if name in JSON:
        return json_format.MessageToDict(value)
    if name in TIMES:
        return value.seconds * 10**9 + value.nanos
    if name in WRAPPERS:
        return exact(value.value)
    return expected(value, enums)


def exact(value: Any) -> Any:
    """A form of a value in which a NaN equals a NaN, and 0.0 differs from -0.0."""
    return struct.pack("<d", value) if isinstance(value, float) else value


# ---- the rows of columns


def plain(scalar: Any, descriptor: Any) -> Any:
    """A row (a scalar of pyarrow) in the form that expected() returns."""
    if not scalar.is_valid:
        return None
    return {
        field.name: _plain_field(scalar[field.name], field)
        for field in descriptor.fields
        if field.name in scalar
    }


def _plain_field(scalar: Any, field: Any) -> Any:
    if is_map(field):
        inner = field.message_type.fields_by_name["value"]
        entries = [(entry["key"], entry["value"]) for entry in scalar.values]
        keys = [key.as_py() for key, _ in entries]
        assert len(keys) == len(set(keys))
        return {key.as_py(): _plain_value(value, inner) for key, value in entries}
    if is_repeated(field):
        return [_plain_value(item, field) for item in scalar.values]
    return _plain_value(scalar, field)


def _plain_value(scalar: Any, field: Any) -> Any:
    if not scalar.is_valid:
        return None
    name = None if field.message_type is None else field.message_type.full_name
    if name is None or name in WRAPPERS:
        return exact(scalar.as_py())
    if name in JSON:
        return json.loads(scalar.as_py(), object_pairs_hook=_unique)
    if name in TIMES:
        return scalar.value
    return plain(scalar, field.message_type)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)


def holds_json(descriptor: Any) -> bool:
    """Whether a message type has fields whose columns are JSON."""
    return descriptor.full_name in JSON or any(
        field.message_type is not None and holds_json(field.message_type)
        for field in descriptor.fields
    )


def has_dropped_entries(message: Any) -> bool:
    """Whether google.protobuf has dropped entries of maps because they had unknown fields."""
    maps = {field.number for field in message.DESCRIPTOR.fields if is_map(field)}
    if any(one.field_number in maps for one in UnknownFieldSet(message)):
        return True
    return any(has_dropped_entries(inner) for inner in _inner_messages(message))


def _inner_messages(message: Any) -> Iterator[Any]:
    for field, value in message.ListFields():
        if is_map(field):
            if field.message_type.fields_by_name["value"].message_type is not None:
                yield from value.values()
        elif field.message_type is not None:
            yield from value if is_repeated(field) else [value]


# ---- payloads in any form that the encoding allows


def varint(value: int) -> bytes:
    data = bytearray()
    value &= 2**64 - 1
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def tag(number: int, wire: int) -> bytes:
    return varint(number << 3 | wire)


def sized(data: bytes) -> bytes:
    return varint(len(data)) + data


_FIXED_32 = {FieldDescriptor.TYPE_FIXED32, FieldDescriptor.TYPE_SFIXED32}
_FIXED_64 = {FieldDescriptor.TYPE_FIXED64, FieldDescriptor.TYPE_SFIXED64}
_FLOATS = [0.0, -0.0, 1.0, -2.5, 1e300, 3.141592653589793, 1e15, 2.0**53, 5e-324, 0.1, -1e22]
_TEXTS = ["", "a", "héé", 'q"\\\n\x01', "\U0001f600", "longer than eight bytes", "a", "b"]
_NUMBERS = [
    0,
    1,
    2,
    3,
    127,
    128,
    300,
    2**31 - 1,
    2**31,
    2**32,
    2**63 - 1,
    -1,
    -2,
    -(2**31),
    -(2**63),
]


def random_payload(rng: Random, descriptor: Any, depth: int = 0) -> bytes:
    """Fields in any order, any number of times, with unknown fields between them."""
    parts = []
    # google.protobuf drops an entry of a map if the entry has an unknown field. Other readers keep
    # it.
    is_entry = descriptor.GetOptions().map_entry
    for _ in range(rng.randrange(0, 9 if depth < 3 else 2)):
        if not is_entry and rng.random() < 0.1:
            parts.append(_unknown(rng, descriptor))
        elif descriptor.fields:
            field = rng.choice(list(descriptor.fields))
            parts.append(_occurrence(rng, field, depth, mismatch=not is_entry))
    return b"".join(parts)


def _unknown(rng: Random, descriptor: Any) -> bytes:
    number = rng.choice([n for n in (15, 16, 3000, 2**29 - 1) if not _has(descriptor, n)])
    match rng.randrange(5):
        case 0:
            return tag(number, 0) + varint(rng.choice(_NUMBERS))
        case 1:
            return tag(number, 1) + bytes(8)
        case 2:
            return tag(number, 2) + sized(b"unknown")
        case 3:
            inner = b"".join(_unknown(rng, descriptor) for _ in range(rng.randrange(3)))
            return tag(number, 3) + inner + tag(number, 4)
    return tag(number, 5) + bytes(4)


def _has(descriptor: Any, number: int) -> bool:
    return number in descriptor.fields_by_number


def _occurrence(rng: Random, field: Any, depth: int, mismatch: bool) -> bytes:
    if mismatch and rng.random() < 0.03:  # with a wrong wire type, the field counts as unknown
        return tag(field.number, 1 if _wire(field) != 1 else 5) + bytes(
            8 if _wire(field) != 1 else 4
        )
    if field.type == FieldDescriptor.TYPE_GROUP:
        inner = random_payload(rng, field.message_type, depth + 1)
        return tag(field.number, 3) + inner + tag(field.number, 4)
    if field.message_type is not None:
        return tag(field.number, 2) + sized(_message(rng, field.message_type, depth + 1))
    if is_repeated(field) and _wire(field) != 2 and rng.random() < 0.5:
        items = b"".join(_scalar(rng, field) for _ in range(rng.randrange(6)))
        return tag(field.number, 2) + sized(items)
    return tag(field.number, _wire(field)) + _scalar(rng, field)


def _message(rng: Random, descriptor: Any, depth: int) -> bytes:
    if descriptor.full_name not in TIMES:
        return random_payload(rng, descriptor, depth)
    seconds = rng.choice([0, 1, 5, 9_000_000_000])
    nanos = rng.choice([0, 1, 999_999_999])
    if descriptor.name == "Timestamp":
        seconds = -seconds if rng.random() < 0.5 else seconds
    parts = [tag(1, 0) + varint(seconds), tag(2, 0) + varint(nanos)]
    return b"".join(rng.choice(parts) for _ in range(rng.randrange(4)))


def _wire(field: Any) -> int:
    if field.type in _FIXED_32 or field.type == FieldDescriptor.TYPE_FLOAT:
        return 5
    if field.type in _FIXED_64 or field.type == FieldDescriptor.TYPE_DOUBLE:
        return 1
    if field.type == FieldDescriptor.TYPE_GROUP:
        return 3
    sized_types = (FieldDescriptor.CPPTYPE_STRING, FieldDescriptor.CPPTYPE_MESSAGE)
    return 2 if field.cpp_type in sized_types else 0


def _scalar(rng: Random, field: Any) -> bytes:
    wire = _wire(field)
    if wire == 2:
        return sized(rng.choice(_TEXTS).encode())
    if field.type == FieldDescriptor.TYPE_FLOAT:
        return struct.pack("<f", rng.choice([0.0, -0.0, 1.5, float("inf")]))
    if field.type == FieldDescriptor.TYPE_DOUBLE:
        return struct.pack("<d", rng.choice(_FLOATS))
    if wire in (1, 5):
        return rng.randbytes(8 if wire == 1 else 4)
    data = varint(rng.choice(_NUMBERS[:4] if field.enum_type is not None else _NUMBERS))
    if rng.random() < 0.05 and len(data) < 9:  # an encoding that is longer than necessary
        data = data[:-1] + bytes([data[-1] | 0x80, 0])
    return data
