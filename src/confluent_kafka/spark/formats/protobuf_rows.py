"""Protobuf, by its own runtime; a registry's schemas are compiled by its compiler.

Registries have them as ``.proto`` texts, or as descriptors in base64 where a serializer registered
them so. One kind may import the other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from pyspark.sql import types as t

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import schema_file

from .pieces import Decoded, piecewise
from .registry import Unreadable

# A name that no import has.
_ROOT = "the schema.proto"
_TIMESTAMP = "google.protobuf.Timestamp"
_Field = FieldDescriptor
_SIMPLE: dict[int, t.DataType] = {
    _Field.CPPTYPE_BOOL: t.BooleanType(),
    _Field.CPPTYPE_DOUBLE: t.DoubleType(),
    _Field.CPPTYPE_ENUM: t.StringType(),
    _Field.CPPTYPE_FLOAT: t.FloatType(),
    _Field.CPPTYPE_INT32: t.IntegerType(),
    _Field.CPPTYPE_INT64: t.LongType(),
    _Field.CPPTYPE_STRING: t.StringType(),
    # Without a sign, which Spark's types have.
    _Field.CPPTYPE_UINT32: t.LongType(),
    _Field.CPPTYPE_UINT64: t.DecimalType(20, 0),
}


@dataclass(frozen=True)
class Compiled:
    """A schema of a registry, with all that it imports."""

    files: FileDescriptorSet

    def message(self, name: str | None) -> Descriptor:
        """Return a message by its full name; the first of the schema without one.

        Raises:
            Unreadable: there is none.
        """
        pool = self._pool()
        try:
            if name is not None:
                return pool.FindMessageTypeByName(name)
            file = pool.FindFileByName(_ROOT)
            return next(iter(file.message_types_by_name.values()))
        except (KeyError, StopIteration):
            raise Unreadable(f"the schema has no message {name or ''}".rstrip()) from None

    def at(self, indexes: list[int]) -> Descriptor:
        """Return a message by its place: among the schema's, then those in it, and so on."""
        file = self._pool().FindFileByName(_ROOT)
        messages = list(file.message_types_by_name.values())
        found = messages[indexes[0]]
        for index in indexes[1:]:
            found = found.nested_types[index]
        return found

    def _pool(self) -> DescriptorPool:
        pool = DescriptorPool()
        for file in self.files.file:
            pool.Add(file)
        return pool


def compile_schema(schema: Schema, registry: SchemaRegistryClient) -> Compiled:
    """Return a registry's schema, compiled.

    Raises:
        Unreadable: the compiler refuses it.
    """
    with tempfile.TemporaryDirectory() as folder:
        descriptors = FileDescriptorSet()
        _write(schema, _ROOT, Path(folder), descriptors, registry)
        output, known = Path(folder, "descriptors"), Path(folder, "known descriptors")
        known.write_bytes(descriptors.SerializeToString())
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", "--include_imports"]
        done = subprocess.run(
            [*command, f"--descriptor_set_in={known}", f"--descriptor_set_out={output}", _ROOT],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            # Above them stand the compiler's own log messages.
            errors = [line for line in done.stderr.splitlines() if line.startswith(folder)]
            said = "; ".join(errors).replace(f"{folder}/", "") or done.stderr.strip()
            raise Unreadable(f"not a Protobuf schema: {said}")
        return Compiled(FileDescriptorSet.FromString(output.read_bytes()))


def _write(
    schema: Schema,
    name: str,
    folder: Path,
    descriptors: FileDescriptorSet,
    registry: SchemaRegistryClient,
) -> None:
    """Put a schema, and those that it imports, where the compiler looks for them."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise Unreadable(f"the schema imports {name!r}, which is outside of the registry")
    file = schema_file(schema.schema_str)
    if file is not None:
        file.name = name
        descriptors.file.append(file)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(schema.schema_str, encoding="utf-8")
    for reference in schema.references:
        imported = registry.get_version(reference.subject, reference.version).schema
        _write(imported, reference.name, folder, descriptors, registry)


def spark_type(message: Descriptor, inside: tuple[str, ...] = ()) -> t.StructType:
    """Return the type that Spark has for a message.

    Raises:
        Unreadable: the message contains itself.
    """
    if message.full_name in inside:
        raise Unreadable(
            f"the message {message.full_name} contains itself; Spark has no recursive types"
        )
    path = (*inside, message.full_name)
    return t.StructType([t.StructField(one.name, _field_type(one, path)) for one in message.fields])


def _field_type(field: FieldDescriptor, inside: tuple[str, ...]) -> t.DataType:
    if _is_map(field):
        key, value = field.message_type.fields
        return t.MapType(_single_type(key, inside), _single_type(value, inside))
    single = _single_type(field, inside)
    return t.ArrayType(single) if field.is_repeated else single


def _single_type(field: FieldDescriptor, inside: tuple[str, ...]) -> t.DataType:
    if field.type == _Field.TYPE_BYTES:
        return t.BinaryType()
    if field.cpp_type != _Field.CPPTYPE_MESSAGE:
        return _SIMPLE[field.cpp_type]
    if field.message_type.full_name == _TIMESTAMP:
        return t.TimestampType()
    return spark_type(field.message_type, inside)


def _is_map(field: FieldDescriptor) -> bool:
    kind = field.message_type
    return kind is not None and kind.GetOptions().map_entry


def _row(message: Message) -> dict[str, Any]:
    """Return the fields of a message; those that can be absent, and are, as None."""
    row: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if _is_map(field):
            of_value = field.message_type.fields[1]
            row[field.name] = {key: _value(of_value, one) for key, one in value.items()}
        elif field.is_repeated:
            row[field.name] = [_value(field, one) for one in value]
        elif field.has_presence and not message.HasField(field.name):
            row[field.name] = None
        else:
            row[field.name] = _value(field, value)
    return row


def _value(field: FieldDescriptor, value: Any) -> Any:
    if field.cpp_type == _Field.CPPTYPE_ENUM:
        named = field.enum_type.values_by_number.get(value)
        return named.name if named is not None else str(value)
    if field.cpp_type == _Field.CPPTYPE_UINT64:
        return Decimal(value)
    if field.cpp_type != _Field.CPPTYPE_MESSAGE:
        return value
    if field.message_type.full_name == _TIMESTAMP:
        return value.seconds * 1_000_000 + value.nanos // 1000
    return _row(value)


@dataclass(frozen=True)
class ProtobufReader:
    """Makes what decodes rows of one schema.

    Fields are matched by name: one that a schema does not have is null.

    Args:
        message: the full name of the message; None for the one that each row names.
        kind: the type of the column.
    """

    message: str | None
    kind: pa.StructType

    def __call__(
        self, schema: Schema, registry: SchemaRegistryClient
    ) -> Callable[[pa.Array], Decoded]:
        """Return what decodes payloads that a schema was written with."""
        compiled = compile_schema(schema, registry)
        classes: dict[tuple[int, ...], Any] = {}

        def read(payload: bytes | None) -> dict[str, Any] | None:
            if payload is None:
                return None
            indexes, start = _indexes(payload)
            if indexes not in classes:
                found = compiled.at(list(indexes))
                if self.message is not None and found.full_name != self.message:
                    raise ValueError(f"a message {found.full_name}, not {self.message}")
                classes[indexes] = GetMessageClass(found)
            return _row(classes[indexes].FromString(payload[start:]))

        def convert(payloads: pa.Array) -> pa.Array:
            return pa.array([read(payload) for payload in payloads.to_pylist()], self.kind)

        failed = (DecodeError, LookupError, ValueError, TypeError)
        return lambda payloads: piecewise(payloads, convert, self.kind, failed)


def _indexes(payload: bytes) -> tuple[tuple[int, ...], int]:
    """Return which message of its schema a row is, and where the message begins.

    The framing has the number of indexes, then the indexes, all as zigzag varints; a single
    zero is short for the first message.
    """
    count, start = _varint(payload, 0)
    indexes = []
    for _ in range(count):
        index, start = _varint(payload, start)
        indexes.append(index)
    if any(index < 0 for index in indexes) or count < 0:
        raise ValueError("corrupt Protobuf: no message index")
    return tuple(indexes) or (0,), start


def _varint(data: bytes, start: int) -> tuple[int, int]:
    shift = number = 0
    while shift < 64:
        if start >= len(data):
            raise ValueError("corrupt Protobuf: ends within its message index")
        byte = data[start]
        start += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1), start
        shift += 7
    raise ValueError("corrupt Protobuf: no message index")
