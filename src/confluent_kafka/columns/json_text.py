"""Payloads of JSON as Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka.cimpl import _RowProgram
from confluent_kafka.columns._json_arrow import from_arrow
from confluent_kafka.columns._json_layout import Options, Value, compile_program, layout
from confluent_kafka.columns._json_schema import from_json_schema
from confluent_kafka.columns._layout import check_enums
from confluent_kafka.columns.batch import ProgramDecoder


class JSONDecoder(ProgramDecoder):
    """Decodes payloads that are JSON texts (RFC 8259, UTF-8), each an object of one schema.

    The schema is compiled once. Decoding then runs no Python code for a row and releases the GIL. A
    payload that does not match the schema becomes a null row and an error.

    Args:
        schema: the schema of the columns: an Arrow schema or type (an object with
            `__arrow_c_schema__`, such as pyarrow.schema([...])), or a JSON Schema, as a dict or
            JSON text. If it is not the schema of an object, there is one column, `value`.
        columns (list of str, optional): the fields to decode, in this order, with dots for nested
            fields ("address.city"); all other fields are skipped. Default: all.
        missing (str, optional): what to do if a field is missing. "null" (the default) makes it
            null if the schema allows null; "error" makes the payload bad.
        extra (str, optional): what to do with fields that the schema does not have. "ignore" (the
            default) skips them; "error" makes the payload bad.
        duplicates (str, optional): what to do if a field or a key of a map occurs twice. "last"
            (the default) takes the last value and does not check the others; "error" makes the
            payload bad.
        epoch (bool, optional): whether dates and times may also be whole numbers: the time since
            1970 or since midnight in the column's unit (days for dates). Default False: only text.
        enums (str, optional): the column for an enum of strings in a JSON Schema: "string" (the
            default) or "dictionary". Strings are not compared with the enum's values.

    Raises:
        TypeError: an argument has a wrong type.
        JSONSchemaError: the JSON Schema is not valid, or a part of it cannot be a column.
        ValueError: a type of the Arrow schema cannot be read from JSON, `columns` names a field
            that does not exist, or another argument has a wrong value.

    Columns are read as follows:

    - Integers: a number without a fraction, within the type's range. 1.0 and 1e2 are such numbers,
      as in JSON Schema. Floats: the nearest float; a number beyond the largest float is an error.
    - Decimals: a number, or text with a number, that has no more digits than the column.
    - Strings: escapes are resolved; half of a surrogate pair is an error. Binary: base64 (RFC 4648)
      with padding. UUIDs: their text.
    - Dates and times: RFC 3339. A timestamp column with a zone needs an offset in the text and
      stores UTC; a timestamp column without a zone accepts no offset. Times of day with an offset
      are stored in UTC. Digits beyond the column's unit are dropped. A leap second is an error.
    - Lists, maps (objects with any keys) and structs, nested as deep as columns can be. Values that
      no column takes may be nested 64 deep.

    In a JSON Schema, a field that is not `required` may be missing or null. `integer` is int64 and
    `number` is float64, unless a format (int8 to uint64, float, double) names another type;
    `date-time` is timestamp[us, UTC]; `date`, `time` and `uuid` have their Arrow types;
    `contentEncoding` base64 is binary. An object without `properties` is a map if its
    `additionalProperties` or `patternProperties` have a type. All items of an array have one type,
    including those of `prefixItems`.

    Keywords in the same schema apply together: `properties`, `$ref`, `allOf`, `anyOf`, `oneOf`,
    `if`, `dependentSchemas`. An object has the fields of all of them. If only some of
    several alternative schemas have a field, the field may be missing. In documents whose `$schema`
    names a draft up to 7, keywords beside `$ref` are ignored, as the validators of registries do;
    without `$schema` they apply. If the values of all schemas of an `anyOf` or `oneOf` have one
    type, or are null, the column has that type.

    A value that may have several types becomes a string column with its JSON text, exactly as in
    the payload. This applies to `{}`, an object without properties, an array without a schema for
    its items, unions of several types, and a reference to a schema that contains the value
    (recursion). So the schemas of pydantic models work without changes.

    A `$ref` names a schema in the same document, by a JSON pointer, an `$anchor` or an `$id`; no
    other document is read. A field that cannot become a column is refused, unless `columns` leaves
    it out. Other keywords are not checked. All columns are nullable, because bad payloads are null.

    Source: RFC 8259, RFC 3339, JSON Schema 2020-12, and the Arrow PyCapsule protocol.
    """

    def __init__(
        self,
        schema: Any,
        *,
        columns: Sequence[str] | None = None,
        missing: str = "null",
        extra: str = "ignore",
        duplicates: str = "last",
        epoch: bool = False,
        enums: str = "string",
    ) -> None:
        options = Options(
            epoch=_flag(epoch, "epoch"),
            no_missing=_is_error(missing, "missing", "null"),
            no_extra=_is_error(extra, "extra", "ignore"),
            no_duplicates=_is_error(duplicates, "duplicates", "last"),
        )
        check_enums(enums)
        root = read_schema(schema, enums)
        row = layout(root, columns)
        super().__init__(
            _RowProgram("json", row.description(), compile_program(root, row, options))
        )


def read_schema(schema: Any, enums: str) -> Value:
    """Return the values that an Arrow schema or a JSON Schema describes; see JSONDecoder."""
    if hasattr(schema, "__arrow_c_schema__"):  # check this first: polars.Schema is also a dict
        return from_arrow(schema)
    if isinstance(schema, (str, Mapping)):
        return from_json_schema(schema, enums)
    raise TypeError(
        "schema must be an Arrow schema (with __arrow_c_schema__) or a JSON Schema (a dict or JSON "
        f"text), not {type(schema).__name__}"
    )


def _is_error(given: str, name: str, otherwise: str) -> bool:
    if given not in (otherwise, "error"):
        raise ValueError(f"{name} must be {otherwise!r} or 'error', not {given!r}")
    return given == "error"


def _flag(given: bool, name: str) -> bool:
    if not isinstance(given, bool):
        raise TypeError(f"{name} must be bool, not {type(given).__name__}")
    return given
