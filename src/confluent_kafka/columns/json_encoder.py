"""Arrow columns as payloads that are JSON texts."""

from __future__ import annotations

from typing import Any

from confluent_kafka.columns._encoder import ProgramEncoder, frame, one_of
from confluent_kafka.columns._input import Input
from confluent_kafka.columns._instructions import Instruction
from confluent_kafka.columns._json_encode import Options, compile_encoder
from confluent_kafka.columns.json_text import read_schema


class JSONEncoder(ProgramEncoder):
    """Encodes rows of columns as JSON texts (RFC 8259, UTF-8), each an object of one schema.

    JSONDecoder reads the texts as the same rows if it has the same schema. Texts are compact. The
    fields have the order of the schema, or without a schema the order of the columns.

    Columns are matched with the schema's fields by name, also within structs. A field without a
    column is null, if the schema allows null. If the schema does not describe an object, the rows
    have only the column "value", which is written with the schema.

    Args:
        schema (optional): the schema of the payloads: an Arrow schema or a JSON Schema, as for
            JSONDecoder. Default: the types of the columns.
        schema_id (int, optional): the schema's id in a registry. It is written before each payload
            in the registry's framing: a zero byte and four bytes, big-endian.
        extra (str, optional): what to do with a column that the schema has no field for: "error"
            (the default) raises a TypeError, "ignore" leaves it out.
        nulls (str, optional): what to do with null fields. "write" (the default) writes `null`;
            "omit" leaves the field out. A JSON Schema takes precedence: a `required` field is
            always written, and a field that may be missing but not null is left out.
        decimals (str, optional): "string" (the default) writes decimals as text, which keeps their
            digits with every reader; "number" writes them as numbers.

    Raises:
        TypeError: an argument has a wrong type.
        JSONSchemaError: the JSON Schema is not valid. encode() raises it for a column whose field
            cannot be a column.
        ValueError: a type of the Arrow schema cannot be written as JSON, or another argument has a
            wrong value.

    Values are written as follows:

    - Integers: from integers of any width, and from decimals of any width whose scale is 0, within
      the type's range. Floats: from floats of any width and from integers, with the fewest digits
      that are read as the same number. NaN and the infinities are errors of their rows, because
      JSON has no text for them.
    - Strings: from strings and binary of any kind; text must be UTF-8. Binary: base64 with padding.
      UUIDs: from 16 bytes or text, in the form of RFC 9562. Without a schema, columns of the
      extension type arrow.uuid are UUIDs, and other columns of 16 bytes are binary.
    - Decimals: from decimals of any width, rescaled if that loses nothing.
    - Dates and times: RFC 3339, with the digits of the column's unit, or without a fraction if it
      is zero; years are 0 to 9999. A timestamp with a zone is written in UTC, with "Z". A column
      without a zone counts as UTC. Text in that form is written unchanged.
    - Lists: from lists of any kind. Maps: from maps, from lists of structs of `key` and `value`,
      and from structs, whose fields become entries unless they are null. Unions: as their children.
    - Values that may have several types in a JSON Schema (see JSONDecoder): text must be JSON and
      is written unchanged; other columns are written as without a schema. Text that is not JSON, or
      whose type the schema does not allow, is an error of its row.

    Each column may be dictionary-encoded. An `enum` of a JSON Schema is not checked.

    Source: RFC 8259, RFC 3339, RFC 4648, RFC 9562, and the Arrow PyCapsule protocol.
    """

    def __init__(
        self,
        schema: Any = None,
        *,
        schema_id: int | None = None,
        extra: str = "error",
        nulls: str = "write",
        decimals: str = "string",
    ) -> None:
        super().__init__("json", frame(schema_id), extra)
        self._options = Options(
            ignore_extra=self._ignore_extra,
            write_nulls=one_of(nulls, "nulls", ("write", "omit")) == "write",
            decimals_as_text=one_of(decimals, "decimals", ("string", "number")) == "string",
        )
        self._schema = None if schema is None else read_schema(schema, "string")

    def _compile(self, root: Input) -> tuple[Instruction, ...]:
        return compile_encoder(self._schema, root, self._options)
