"""Protobuf: a registry's schemas are compiled by its compiler, for ProtobufDecoder.

Registries have them as ``.proto`` texts, or as descriptors in base64 where a serializer registered
them so. One kind may import the other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from pyspark.sql import types as t

from confluent_kafka.columns import ProtobufDecoder
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import message_indexes, schema_file

from .pieces import Decoded, fitted
from .registry import Unreadable

# A name that no import has.
_ROOT = "the schema.proto"
# Of times: Spark's.
UNIT = "us"
_SIMPLE: dict[pa.DataType, t.DataType] = {
    pa.bool_(): t.BooleanType(),
    pa.float64(): t.DoubleType(),
    pa.float32(): t.FloatType(),
    pa.int32(): t.IntegerType(),
    pa.int64(): t.LongType(),
    # Without a sign, which Spark's types have.
    pa.uint32(): t.LongType(),
    pa.uint64(): t.DecimalType(20, 0),
    pa.string(): t.StringType(),
    pa.binary(): t.BinaryType(),
    pa.timestamp("us", "UTC"): t.TimestampType(),
    pa.duration("us"): t.DayTimeIntervalType(),
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
            file = pool.FindFileByName(_ROOT)
            if name is None:
                return next(iter(file.message_types_by_name.values()))
            found = pool.FindMessageTypeByName(name)
        except (KeyError, StopIteration):
            found = None
        # Payloads cannot be of one that is imported: they name it by its place in the schema.
        if found is None or found.file.name != _ROOT:
            raise Unreadable(f"the schema has no message {name or ''}".rstrip())
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


def columns_of(files: bytes, message: str) -> pa.DataType:
    """Return what ProtobufDecoder makes of a message.

    Raises:
        Unreadable: the message contains itself.
    """
    try:
        decoder = ProtobufDecoder(files, message, unit=UNIT)
    except ValueError as error:
        raise Unreadable(str(error)) from None
    return pa.struct(pa.schema(decoder))


def spark_type(kind: pa.DataType) -> t.DataType:
    """Return the type that Spark has for a column of ProtobufDecoder."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if pa.types.is_map(kind):
        return t.MapType(spark_type(kind.key_type), spark_type(kind.item_type))
    if pa.types.is_list(kind):
        return t.ArrayType(spark_type(kind.value_type))
    return t.StructType([t.StructField(one.name, spark_type(one.type)) for one in kind])


@dataclass(frozen=True)
class ProtobufReader:
    """Makes what decodes rows of a message, whose fields are known by their numbers.

    Args:
        schema: the schema that the columns are those of.
        files: the same, compiled: a FileDescriptorSet.
        message: the full name of the message.
        kind: the type of the column.
    """

    schema: Schema
    files: bytes
    message: str
    kind: pa.StructType

    def __call__(
        self, schema: Schema, registry: SchemaRegistryClient
    ) -> Callable[[pa.Array], Decoded]:
        """Return what decodes payloads that a schema was written with.

        Raises:
            Unreadable: it does not have the message.
        """
        if schema == self.schema:
            written = Compiled(FileDescriptorSet.FromString(self.files))
        else:
            written = compile_schema(schema, registry)
        indexes = message_indexes(written.message(self.message))
        decoder = ProtobufDecoder(self.files, self.message, message_indexes=indexes, unit=UNIT)
        return lambda payloads: fitted(decoder.decode(payloads), self.kind, "corrupt Protobuf: ")
