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

# JSON text, or what json.loads() makes of it.
AvroSchema = str | dict[str, Any] | list[Any]


class AvroDecoder(ProgramDecoder):
    """Decodes payloads that were written with one Avro schema.

    The schemas are compiled once; decoding then takes no Python for a row, and releases the GIL.

    Args:
        writer_schema (str, dict or list): what the payloads were written with: JSON text, or what
            json.loads() makes of it.
        reader_schema (str, dict or list, optional): what the columns are to be: the two are
            resolved as the Avro specification says (names and aliases, defaults, promotions),
            timestamps of another unit are converted, but other logical types of another unit or
            scale do not resolve. Default: the writer's.
        columns (list of str, optional): the fields to decode, in this order, with dots for those
            within records ("address.city"); the others are skipped without being decoded.
            Default: all.
        enums (str, optional): "string" (the default) or "dictionary".
        decimals (str, optional): "exact" (the default): decimals of more than 38 digits are
            decimal256, which Polars, DuckDB and Spark cannot read; "decimal128": they have 38
            digits, and values of more digits are bad rows.
        writer_references (iterable of schemas, optional): those that define names which
            `writer_schema` refers to, each after those that it needs itself.
        reader_references (iterable of schemas, optional): the same for `reader_schema`.
        registered (bool, optional): whether a registry's serializer wrote the payloads, of which
            what is before them was taken away: it puts no size before bytes that are the whole
            payload. Default: False.

    Raises:
        TypeError: an argument has a wrong type.
        AvroSchemaError: a schema is not valid, or no column can be made of a field: a record within
            itself, or a decimal of more than 76 digits. Fields that `columns` or the reader's
            schema leaves out may be anything.
        AvroResolutionError: one schema cannot be read as the other.
        ValueError: `columns` names a field that there is not, or `enums` or `decimals` is
            something else.

    Of a map's entries with one key the last counts. A reader's default of `""` for a uuid is null.

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
