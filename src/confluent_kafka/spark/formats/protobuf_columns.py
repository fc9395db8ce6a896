"""Decode Protobuf: compile the schemas of a registry for ProtobufDecoder."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from pyspark.sql import types as t

from confluent_kafka.columns import ProtobufColumns, ProtobufDecoder
from confluent_kafka.columns._protobuf_registered import (
    CompiledSchema,
    ProtobufSchemaError,
    compile_registered,
)
from confluent_kafka.columns.registry import RegistryColumns
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from .registry import Unreadable

# The unit of Spark's times.
UNIT = "us"
_SIMPLE: dict[pa.DataType, t.DataType] = {
    pa.bool_(): t.BooleanType(),
    pa.float64(): t.DoubleType(),
    pa.float32(): t.FloatType(),
    pa.int32(): t.IntegerType(),
    pa.int64(): t.LongType(),
    # Spark has no unsigned types, so these become wider ones.
    pa.uint32(): t.LongType(),
    pa.uint64(): t.DecimalType(20, 0),
    pa.string(): t.StringType(),
    pa.binary(): t.BinaryType(),
    pa.timestamp("us", "UTC"): t.TimestampType(),
    pa.duration("us"): t.DayTimeIntervalType(),
}


class Compiled(CompiledSchema):
    """A schema of a registry, with all its imports."""

    def message(self, name: str | None) -> Descriptor:
        """Return the message with a full name; without a name, the first message of the schema.

        Raises:
            Unreadable: there is no such message.
        """
        try:
            return super().message(name)
        except ProtobufSchemaError as error:
            raise Unreadable(str(error)) from None


def compile_schema(schema: Schema, registry: SchemaRegistryClient) -> Compiled:
    """Compile a schema of a registry.

    Raises:
        Unreadable: the compiler refuses the schema.
    """
    try:
        return Compiled(compile_registered(schema, registry).files)
    except ProtobufSchemaError as error:
        raise Unreadable(str(error)) from None


def columns_of(files: bytes, message: str) -> pa.DataType:
    """Return the type of the columns that ProtobufDecoder returns for a message.

    Raises:
        Unreadable: the message contains itself.
    """
    try:
        decoder = ProtobufDecoder(files, message, unit=UNIT)
    except ValueError as error:
        raise Unreadable(str(error)) from None
    return pa.struct(pa.schema(decoder))


def spark_type(kind: pa.DataType) -> t.DataType:
    """Return the Spark type for a column of ProtobufDecoder."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if pa.types.is_map(kind):
        return t.MapType(spark_type(kind.key_type), spark_type(kind.item_type))
    if pa.types.is_list(kind):
        return t.ArrayType(spark_type(kind.value_type))
    return t.StructType([t.StructField(one.name, spark_type(one.type)) for one in kind])


@dataclass(frozen=True)
class ProtobufReader:
    """Makes the decoder of rows of a message. It identifies the fields by their numbers.

    Args:
        schema: the schema that defines the columns.
        files: the compiled schema: a FileDescriptorSet.
        message: the full name of the message.
    """

    schema: Schema
    files: bytes
    message: str

    def __call__(self, registry: SchemaRegistryClient) -> RegistryColumns:
        """Return the decoder for this process."""
        return _SparkColumns(registry, self)


class _SparkColumns(ProtobufColumns):
    """ProtobufColumns with a schema that the driver has compiled, and with Spark's time unit."""

    def __init__(self, registry: SchemaRegistryClient, reader: ProtobufReader) -> None:
        super().__init__(registry, reader.message, subject="", unit=UNIT)
        self._driver = reader

    def _reader_schema(self) -> Schema:
        return self._driver.schema

    def _compiled(self, schema: Schema) -> Descriptor:
        if schema != self._driver.schema:
            return super()._compiled(schema)
        files = FileDescriptorSet.FromString(self._driver.files)
        return CompiledSchema(files).message(self._driver.message)
