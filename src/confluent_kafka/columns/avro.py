"""Payloads in Avro's binary encoding as Arrow columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from confluent_kafka.cimpl import _RowProgram
from confluent_kafka.columns._avro_layout import check_decimals, layout
from confluent_kafka.columns._avro_program import compile_program
from confluent_kafka.columns._avro_schema import parse
from confluent_kafka.columns._layout import check_enums
from confluent_kafka.columns.batch import ProgramDecoder

# JSON text, or the result of json.loads() on it.
AvroSchema = str | dict[str, Any] | list[Any]


class AvroDecoder(ProgramDecoder):
    """Decodes payloads that were written with one Avro schema.

    The schemas are compiled once. Decoding then runs no Python code for a row and releases the GIL.

    Args:
        writer_schema (str, dict or list): the schema that the payloads were written with: JSON
            text, or the result of json.loads() on it.
        reader_schema (str, dict or list, optional): the schema of the columns. The two schemas are
            resolved as in the Avro specification (names and aliases, defaults, promotions).
            Timestamps are converted to the reader's unit; other logical types with different units
            or scales do not resolve. Default: the writer's schema.
        columns (list of str, optional): the fields to decode, in this order, with dots for nested
            fields ("address.city"); all other fields are skipped without being decoded. Default:
            all.
        enums (str, optional): "string" (the default) or "dictionary".
        decimals (str, optional): "exact" (the default) makes decimals of more than 38 digits
            decimal256, which Polars, DuckDB and Spark cannot read. "decimal128" gives them 38
            digits; payloads whose values have more digits are bad rows.
        writer_references (iterable of schemas, optional): the schemas that define names which
            `writer_schema` refers to. Each must come after the schemas that it refers to.
        reader_references (iterable of schemas, optional): the same for `reader_schema`.
        registered (bool, optional): whether a registry's serializer wrote the payloads, and the
            framing before them was removed. These serializers write no size before a payload that
            consists of bytes alone. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        AvroSchemaError: a schema is not valid, or a field cannot become a column: a recursive
            record, or a decimal of more than 76 digits. Fields that `columns` or the reader's
            schema leaves out may have any type.
        AvroResolutionError: the writer's schema cannot be read as the reader's schema.
        ValueError: `columns` names a field that does not exist, or `enums` or `decimals` has a
            wrong value.

    If entries of a map have the same key, the last one is used. If the reader's default for a uuid
    is `""`, the row is null.

    Source: the Avro specification 1.12, and the Arrow PyCapsule protocol.
    """

    def __init__(
        self,
        writer_schema: AvroSchema,
        reader_schema: AvroSchema | None = None,
        *,
        columns: Sequence[str] | None = None,
        enums: str = "string",
        decimals: str = "exact",
        writer_references: Iterable[AvroSchema] = (),
        reader_references: Iterable[AvroSchema] = (),
        registered: bool = False,
    ) -> None:
        check_enums(enums)
        check_decimals(decimals)
        reader = writer = parse(writer_schema, "writer_schema", writer_references)
        if reader_schema is not None:
            reader = parse(reader_schema, "reader_schema", reader_references)
        root = layout(reader, columns, enums=enums, decimals=decimals)
        program = compile_program(writer, reader, root, registered=registered)
        super().__init__(_RowProgram("avro", root.description(), program))
