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

    What it writes, JSONDecoder reads as the same rows with the same schema. Texts are compact, with
    the fields in the schema's order, or without a schema in that of the columns.

    Columns are matched with the schema's fields by name, also within structs. A field without a
    column is null, if it may be. A schema that is not of objects is that of one column, "value".

    Args:
        schema (optional): what payloads are to be: an Arrow schema or a JSON Schema, as for
            JSONDecoder. Default: what the columns are.
        schema_id (int, optional): the schema's id in a registry, which is then written before each
            payload in the registry's framing: a zero byte and four bytes, big-endian.
        extra (str, optional): what to do with a column that the schema has no field for:
            "error" (the default) for a TypeError, or "ignore".
        nulls (str, optional): "write" (the default): a field that is null is written as `null`;
            "omit": it is left out. What a JSON Schema says goes first: a field that is `required`
            is always written, and one that may be missing, but not null, is left out.
        decimals (str, optional): "string" (the default): decimals are text, which keeps their
            digits with every reader; "number": they are numbers.

    Raises:
        TypeError: an argument has a wrong type.
        JSONSchemaError: the JSON Schema is not valid. encode() raises it for a column of a field
            that no column can be made of.
        ValueError: a type of the Arrow schema has no JSON, or another argument is not one of its
            values.

    What is written, and from which column:

    - Integers from integers of any width, and from decimals of any width whose scale is 0, within
      the type's range. Floats from floats of any width and from integers: the fewest digits that
      are read as the same number. NaN and the infinities are errors of their rows, since JSON has
      no text for them.
    - Strings from strings and binary of any kind; text must be UTF-8. Binary as base64 with
      padding. UUIDs from 16 bytes or text, as RFC 9562 writes them; without a schema, columns of
      the extension type arrow.uuid are UUIDs, and other columns of 16 bytes are binary.
    - Decimals from decimals of any width, rescaled if nothing is lost by it.
    - Dates and times as RFC 3339 has them, with the digits that the column has, or no fraction if
      it is zero; years are 0 to 9999. A timestamp of a zone is written in UTC, with "Z"; without a
      zone in the column it counts as UTC. Text of that form is written as it is.
    - Lists from lists of any kind; maps from maps, lists of structs of `key` and `value`, and
      structs, whose fields are entries, without those that are null. Unions as their children.

    - What may be of several types in a JSON Schema (see JSONDecoder) from text that is JSON itself,
      which is written as it is, and from other columns as without a schema. Text that is not JSON,
      or of a type that the schema does not have, is an error of its row.

    Each may be dictionary-encoded. An `enum` of a JSON Schema is not checked.

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
