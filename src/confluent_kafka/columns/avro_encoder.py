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

    Columns are matched with the schema's fields by name, also within structs, in any order. A field
    without a column gets its default, or null if it is nullable. A null in a column becomes the
    null of a union; without such a union it makes a bad row. If the schema is not a record, the
    rows have only the column "value", which is written with the schema.

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
                                  become entries unless they are null
    record                        structs
    date                          date32, date64; integers
    time-millis, time-micros      time32, time64; integers
    timestamp-*                   timestamps of any unit; without a time zone they count as UTC;
                                  integers
    local-timestamp-*             timestamps without a zone, or in UTC; integers
    decimal                       decimals of any width, rescaled if that loses nothing
    uuid                          UUIDs as 16 bytes, or as text
    duration                      month_day_nano_interval, duration; binary of 12 bytes
    union                         a column that a branch takes. The first branch that loses nothing
                                  is chosen; or else the first of the same kind; or else the first.
                                  Arrow unions: by the names of their children, or in the same way
    ============================  ==================================================================

    Each column may be dictionary-encoded. Times with a finer unit than the schema's are rounded
    down. Integers are written as the underlying type of a logical type.

    Args:
        schema (str, dict or list): the schema to write with: JSON text, or the result of
            json.loads() on it.
        schema_id (int, optional): the schema's id in a registry. It is written before each payload
            in the registry's framing: a zero byte and four bytes, big-endian.
        extra (str, optional): what to do with a column that the schema has no field for: "error"
            (the default) raises a TypeError, "ignore" leaves it out.
        references (iterable of schemas, optional): the schemas that define names which `schema`
            refers to. Each must come after the schemas that it refers to.
        registered (bool, optional): whether to write as a registry's serializers do, without a size
            before a payload that consists of bytes alone. Default: True with a `schema_id`.

    Raises:
        TypeError: an argument has a wrong type.
        AvroSchemaError: the schema is not valid, or is recursive.
        ValueError: `extra` has a wrong value, or `schema_id` does not fit into 32 bits.

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
