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

    The schema is compiled once; decoding then takes no Python for a row, and releases the GIL. A
    payload that is not of the schema becomes a null row and an error.

    Args:
        schema: what the columns are to be: an Arrow schema or type (anything with
            `__arrow_c_schema__`, such as pyarrow.schema([...])), or a JSON Schema, as a dict or
            JSON text. A schema that is not of objects gives one column, `value`.
        columns (list of str, optional): the fields to decode, in this order, with dots for those
            within objects ("address.city"); the others are skipped. Default: all.
        missing (str, optional): "null" (the default): a field that is not there is null, if it may
            be; "error": the payload is bad.
        extra (str, optional): "ignore" (the default): fields that the schema does not have are
            skipped; "error": the payload is bad.
        duplicates (str, optional): "last" (the default): of a field that is there twice, the last
            one counts, whatever the others are; "error": the payload is bad. Both hold for the
            keys of maps, too.
        epoch (bool, optional): whether dates and times may also be whole numbers: the column's
            units (days for dates) since 1970, or since midnight. Default False: only text.
        enums (str, optional): "string" (the default) or "dictionary": what an enum of strings in a
            JSON Schema becomes. As strings they are not compared with the enum's values.

    Raises:
        TypeError: an argument has a wrong type.
        JSONSchemaError: the JSON Schema is not valid, or has what cannot be a column.
        ValueError: a type of the Arrow schema cannot be read from JSON, `columns` names a field
            that there is not, or another argument is not one of its values.

    What is read into which column:

    - Integers: a number without a fraction, within the type's range; 1.0 and 1e2 are such numbers,
      as in JSON Schema. Floats: the nearest number; one beyond the largest is an error.
    - Decimals: a number, or text with a number, of no more digits than the column has.
    - Strings: escapes resolved; half of a surrogate pair is an error. Binary: base64 (RFC 4648)
      with padding. UUIDs: their text.
    - Dates and times: RFC 3339. A timestamp with a zone needs an offset and is stored in UTC; one
      without a zone may have none. Times of day with an offset are stored in UTC. Digits beyond the
      column's unit are left out. A leap second is an error.
    - Lists, maps (of objects with any keys) and structs, nested to any depth that columns can have;
      what no column takes may be nested 64 deep.

    In a JSON Schema, a field that is not `required` may be missing or null; `integer` is int64,
    `number` float64, or what the formats int8 to uint64, float and double say; `date-time` is
    timestamp[us, UTC], and `date`, `time` and `uuid` have their types; `contentEncoding` base64 is
    binary; an object without `properties` whose `additionalProperties` or `patternProperties` have
    a type is a map; the items of an array are of one type, also those of `prefixItems`.

    Keywords beside each other apply together: `properties`, `$ref`, `allOf`, `anyOf`, `oneOf`,
    `if`, `dependentSchemas`. An object has the fields of all of them; those that only one of
    several schemas has may be missing. In documents whose `$schema` names a draft up to 7, keywords
    beside `$ref` do not count, as with the validators of registries; without `$schema` they do.
    Schemas of `anyOf` or `oneOf` whose values have one type, or null, give that type.

    A value that may be of several types is a string column that has its JSON text, as it is in the
    payload: `{}`, an object without properties, an array's items without a schema, unions of
    several types, and a reference to a schema that the value is a part of (recursion). So the
    schemas of pydantic's models can be used as they are.

    A `$ref` names a schema of the same document, by a JSON pointer, an `$anchor` or an `$id`; no
    other document is read. A field that no column can be made of is refused unless `columns` leaves
    it out. Other keywords are not checked. All columns are nullable, since bad payloads are nulls.

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
    """Return the values of an Arrow schema or a JSON Schema; see JSONDecoder."""
    if hasattr(schema, "__arrow_c_schema__"):  # also polars.Schema, which is a dict
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
