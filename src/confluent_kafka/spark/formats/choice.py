"""The decoder of a format, and the type of the decoded column.

The libraries of a format are imported only if a pipeline uses it.
"""

from __future__ import annotations

from pyspark.sql.types import DataType

from confluent_kafka.spark.pyspark_internals import to_arrow_type

from .ddl import nullable, parse_ddl
from .json_columns import JsonDecoder
from .model import Decoding, Registry
from .pieces import Decoder


def choose(
    decoding: Decoding, part: str, subject: str | None, registry: Registry | None
) -> tuple[DataType, Decoder]:
    """Return the type of a decoded column, and its decoder.

    Args:
        decoding: the format, which must need decoding.
        part: ``key`` or ``value``.
        subject: the subject whose latest schema defines the type, for formats with a registry.
        registry: the registry.

    Raises:
        ValueError: there is no such subject, its schema has another format or a type that Spark
            does not have, or the registry cannot be reached.
    """
    if decoding.format == "json":
        assert decoding.schema is not None
        return _documents(parse_ddl(decoding.schema))
    assert registry is not None
    if decoding.format == "avro":
        return _avro(decoding, part, subject, registry)
    if decoding.format == "protobuf":
        return _protobuf(decoding, part, subject, registry)
    return _json_schema(decoding, part, subject, registry)


def _avro(
    decoding: Decoding, part: str, subject: str | None, registry: Registry
) -> tuple[DataType, Decoder]:
    from confluent_kafka.schema_registry import Schema

    from .avro_columns import AvroReader, parse_registered, spark_type
    from .registry import Framed, asking, client, latest

    with asking():
        given = decoding.schema
        schema = Schema(given) if given is not None else latest(registry, subject, "AVRO").schema
        kind = spark_type(*parse_registered(schema, client(registry)))
    reader = AvroReader(schema)
    return kind, Framed(registry, part, to_arrow_type(kind), reader, "corrupt Avro: ")


def _protobuf(
    decoding: Decoding, part: str, subject: str | None, registry: Registry
) -> tuple[DataType, Decoder]:
    from .protobuf_columns import ProtobufReader, columns_of, compile_schema, spark_type
    from .registry import Framed, asking, client, latest

    with asking():
        schema = latest(registry, subject, "PROTOBUF").schema
        compiled = compile_schema(schema, client(registry))
    message = compiled.message(decoding.message).full_name
    files = compiled.files.SerializeToString()
    kind = spark_type(columns_of(files, message))
    reader = ProtobufReader(schema, files, message)
    return kind, Framed(registry, part, to_arrow_type(kind), reader, "corrupt Protobuf: ")


def _json_schema(
    decoding: Decoding, part: str, subject: str | None, registry: Registry
) -> tuple[DataType, Decoder]:
    from .json_schema_columns import JsonReader, Validated, parse, read_field, spark_type
    from .registry import Framed, asking, client, latest

    if decoding.schema is not None:
        kind, decode = _documents(parse_ddl(decoding.schema))
        reader = JsonReader(decode.documents)
    else:
        with asking():
            value = parse(latest(registry, subject, "JSON").schema, client(registry))
        kind = spark_type(value)
        reader = JsonReader(read_field(value))
    framed = Framed(registry, part, to_arrow_type(kind), reader)
    return kind, Validated(framed) if decoding.validate else framed


def _documents(declared: DataType) -> tuple[DataType, JsonDecoder]:
    """Return the type of a column of JSON documents, and its decoder."""
    kind = nullable(declared)
    return kind, JsonDecoder(to_arrow_type(declared), to_arrow_type(kind))
