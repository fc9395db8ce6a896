"""Arrow columns as payloads in Avro's binary encoding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka.columns._avro_encode import compile_encoder
from confluent_kafka.columns._avro_schema import parse
from confluent_kafka.columns._encoder import ProgramEncoder, frame
from confluent_kafka.columns._input import Input
from confluent_kafka.columns._instructions import Instruction


class AvroEncoder(ProgramEncoder):
    """Encodes rows of columns with one Avro schema.

    Columns are matched with the schema's fields by name, also within structs; their order is free.
    A field without a column gets its default, or null if it is nullable; a null in a column is the
    null of a union, or else makes a bad row. A schema that is not a record is that of one column,
    "value".

    ============================  ==================================================================
    Avro                          Arrow
    ============================  ==================================================================
    boolean                       bool
    int, long                     integers of any width; a value that does not fit is a bad row
    float, double                 floats of any width, rounded to the nearest; integers
    string, bytes                 strings and binary of any kind; text must be UTF-8
    fixed                         binary of any kind, whose size must be right
    enum                          strings
    array                         lists of any kind
    map                           maps; lists of structs of `key` and `value`; structs, whose fields
                                  are entries, without those that are null
    record                        structs
    date                          date32, date64; integers
    time-millis, time-micros      time32, time64; integers
    timestamp-*                   timestamps of any unit; without a time zone they count as UTC;
                                  integers
    local-timestamp-*             timestamps without a zone, or of UTC; integers
    decimal                       decimals of any width; rescaled if nothing is lost by it
    uuid                          UUIDs as 16 bytes, or as text
    duration                      month_day_nano_interval, duration; binary of 12 bytes
    union                         a column that one of its branches takes: of those the first that
                                  loses nothing, or else is of the same kind, or else the first;
                                  unions, by the names of their children or in the same way
    ============================  ==================================================================

    Each may be dictionary-encoded. Times of a finer unit than the schema's are rounded down;
    integers stand for what the type is written as.

    Args:
        schema (str, dict or list): what payloads are written with: JSON text, or what json.loads()
            makes of it.
        schema_id (int, optional): the schema's id in a registry, which is then written before each
            payload in the registry's framing: a zero byte and four bytes, big-endian.
        extra (str, optional): what to do with a column that the schema has no field for:
            "error" (the default) for a TypeError, or "ignore".
        references (iterable of schemas, optional): those that define names which `schema` refers
            to, each after those that it needs itself.
        registered (bool, optional): whether to write what a registry's serializers do, which put no
            size before bytes that are the whole payload. Default: where `schema_id` is given.

    Raises:
        TypeError: an argument has a wrong type.
        AvroSchemaError: the schema is not valid, or is recursive.
        ValueError: `extra` is something else, or `schema_id` is not of 32 bits.

    Source: the Avro specification 1.12, and the Arrow PyCapsule protocol.
    """

    def __init__(
        self,
        schema: str | dict[str, Any] | list[Any],
        *,
        schema_id: int | None = None,
        extra: str = "error",
        references: Iterable[str | dict[str, Any] | list[Any]] = (),
        registered: bool | None = None,
    ) -> None:
        super().__init__("avro", frame(schema_id), extra)
        self._schema = parse(schema, "schema", references)
        self._registered = schema_id is not None if registered is None else registered

    def _compile(self, root: Input) -> tuple[Instruction, ...]:
        return compile_encoder(
            self._schema, root, ignore_extra=self._ignore_extra, registered=self._registered
        )
