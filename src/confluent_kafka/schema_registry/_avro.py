"""Reads Avro schemas, and encodes and decodes records, with fastavro."""

from __future__ import annotations

import functools
import io
import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

try:
    import fastavro
    from fastavro.read import SchemaResolutionError
    from fastavro.repository.base import AbstractSchemaRepository
    from fastavro.schema import SchemaParseException as AvroSchemaError
except ImportError as error:
    raise ImportError(
        "confluent_kafka.schema_registry.avro needs fastavro: "
        f"pip install fastavro httpx ({error})",
        name=error.name,
    ) from error

from confluent_kafka.cimpl import _AvroWriter
from confluent_kafka.error import SerializationError

from ._avro_shapes import Shapes
from ._both import both
from ._fields import TAGS, FieldType
from .error import SchemaParseException
from .schema import Schema

# The exceptions that fastavro raises for objects and bytes that do not fit a schema.
FAILURES = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    AvroSchemaError,
    SchemaResolutionError,
    struct.error,
)


class ParsedSchema:
    """A schema in fastavro's form.

    Args:
        text: the schema, JSON or the name of a primitive type.
        named: the types that the schema refers to.
        name: its name in errors.

    Raises:
        SchemaParseException: it is not an Avro schema.
    """

    def __init__(self, text: str, named: Mapping[str, Any], name: str) -> None:
        try:
            document = _document(text)
            known = dict(named)
            schema = fastavro.parse_schema(document, named_schemas=known)
        except (*FAILURES, json.JSONDecodeError) as error:
            why = f"{type(error).__name__} {error}" if isinstance(error, LookupError) else error
            raise SchemaParseException(f"{name} is not an Avro schema: {why}") from error
        self.schema: Any = _with_names(schema, known) if named else schema
        self.named = known
        self.document = document
        self.name: str | None = record_name(document)


def _with_names(schema: Any, named: Mapping[str, Any]) -> Any:
    """Return a parsed schema that contains the types that it refers to.

    fastavro adds these types only to records. In a union, it looks for them in the first type.
    """
    if isinstance(schema, list) and schema:
        return [_with_names(schema[0], named), *schema[1:]]
    if isinstance(schema, str):
        schema = named.get(schema, {"type": schema})
    return {**schema, "__fastavro_parsed": True, "__named_schemas": named}


def _document(text: str) -> Any:
    """Return a schema as a JSON value; a bare name is a primitive type."""
    return text.strip() if text.strip().isalpha() else json.loads(text)


def record_name(document: Any) -> str | None:
    """Return the full name of a schema's type, or of a primitive type; None for a union."""
    if isinstance(document, str):
        return document
    if not isinstance(document, dict):
        return None
    name, kind = document.get("name"), document.get("type")
    if not isinstance(name, str):
        return kind if isinstance(kind, str) else None
    namespace = document.get("namespace")
    return f"{namespace}.{name}" if namespace and "." not in name else name


def unparsed_name(text: str) -> str | None:
    """Return the name of a schema's type, from its text alone.

    Raises:
        SchemaParseException: it is not JSON.
    """
    try:
        return record_name(_document(text))
    except ValueError as error:
        raise SchemaParseException(f"the schema is not JSON: {error}") from error


def parse(schema: Schema, referenced: Mapping[str, Schema], name: str) -> ParsedSchema:
    """Return a parsed schema, with the schemas that it refers to.

    Raises:
        SchemaParseException: it is not an Avro schema.
    """
    named: dict[str, Any] = {}
    for other, one in referenced.items():
        named |= ParsedSchema(one.schema_str, named, f"{other!r}, which {name} refers to,").named
    return ParsedSchema(schema.schema_str, named, name)


def writer(
    parsed: ParsedSchema, where: str, strict: bool, strict_allow_default: bool
) -> Callable[[Any], bytes]:
    """Return a function that encodes objects.

    Args:
        parsed: their schema.
        where: its name in errors.
        strict: whether a record must have all fields of the schema and no other fields.
        strict_allow_default: whether a strict record may leave out fields with a default.
    """
    # In fastavro, strict forbids missing fields with a default, whatever strict_allow_default is.
    strict = strict and not strict_allow_default
    shapes = Shapes(parsed.schema, parsed.named, strict, strict_allow_default)
    write = functools.partial(
        fastavro.schemaless_writer, strict=strict, strict_allow_default=strict_allow_default
    )
    write_known = _AvroWriter(shapes.all).write

    def work(obj: Any) -> bytes:
        data = write_known(obj)
        if data is not None:
            return data
        buffer, why = io.BytesIO(), None
        cause: BaseException | None = None
        try:
            why = shapes.misfit(obj)
            write(buffer, shapes.schema, obj)
        except FAILURES as error:
            cause, why = error, _said(error) if why is None else why
        if why is None:
            return buffer.getvalue()
        raise _misfit(f"{where} ({parsed.name or 'a union'}): {why}", cause) from cause

    return work


def _misfit(text: str, cause: BaseException | None) -> SerializationError:
    """Return the error of an object that does not fit.

    Like fastavro's own error, it is also a TypeError or a ValueError, for programs that catch
    those.
    """
    kind = TypeError if isinstance(cause, TypeError) else ValueError
    error: SerializationError = both(SerializationError, kind)(text)
    return error


def is_bytes(parsed: ParsedSchema) -> bool:
    """Return whether a schema is bytes, with any logical type or none.

    Messages of such a schema are the bytes themselves: a registry's serializers write no length
    before them, and do not apply the logical type.
    """
    return get_type(parsed.document) is FieldType.BYTES


def raw_writer(where: str) -> Callable[[Any], bytes]:
    """Return a function that returns bytes unchanged, and text as UTF-8.

    Args:
        where: the name of the schema in errors.
    """

    def work(obj: Any) -> bytes:
        if isinstance(obj, bytes | bytearray | memoryview):
            return bytes(obj)
        if not isinstance(obj, str):
            raise SerializationError(
                f"{where} (bytes) takes bytes or a str, not {type(obj).__name__}: put the type "
                "into a record or a union to apply its logical type"
            )
        try:
            return obj.encode()
        except UnicodeEncodeError as error:
            raise SerializationError(f"{where} (bytes): {error}") from error

    return work


def reader(
    written: ParsedSchema, wanted: ParsedSchema | None, where: str, with_names: bool
) -> Callable[[bytes], Any]:
    """Return a function that decodes bytes.

    Args:
        written: the writer's schema.
        wanted: the reader's schema; None for the writer's.
        where: the name of the schema in errors.
        with_names: whether records in unions are pairs of a name and the record.
    """
    read, stream_of = fastavro.schemaless_reader, io.BytesIO
    schema, other = written.schema, None if wanted is None else wanted.schema

    def work(payload: bytes) -> Any:
        stream = stream_of(payload)
        try:
            obj = read(stream, schema, other, with_names)
        except FAILURES as error:
            raise SerializationError(f"{where} ({written.name}): {_said(error)}") from error
        if stream.tell() != len(payload):
            behind = len(payload) - stream.tell()
            name = written.name or "a union"
            raise SerializationError(f"{where} ({name}): {behind} bytes after the end")
        return obj

    return work


def _said(error: BaseException) -> str:
    """Return the text of an error, without the schemas that fastavro adds to some errors."""
    text = str(error).partition("__fastavro_parsed")[0][:500]
    return f"{type(error).__name__} {text}".rstrip() if len(text) < 30 else text


_TYPES = {
    "record": FieldType.RECORD,
    "enum": FieldType.ENUM,
    "array": FieldType.ARRAY,
    "map": FieldType.MAP,
    "union": FieldType.COMBINED,
    "fixed": FieldType.FIXED,
    "string": FieldType.STRING,
    "bytes": FieldType.BYTES,
    "int": FieldType.INT,
    "long": FieldType.LONG,
    "float": FieldType.FLOAT,
    "double": FieldType.DOUBLE,
    "boolean": FieldType.BOOLEAN,
}


def get_type(schema: Any) -> FieldType:
    """Return the kind of an Avro schema; NULL if it is not a schema.

    Args:
        schema: the schema, as decoded JSON.
    """
    if isinstance(schema, list):
        return FieldType.COMBINED
    kind = schema.get("type") if isinstance(schema, dict) else schema
    return _TYPES.get(kind, FieldType.NULL) if isinstance(kind, str) else FieldType.NULL


def get_inline_tags(schema: Any) -> dict[str, set[str]]:
    """Return the tags of the fields of an Avro schema, by their full names.

    Args:
        schema: the schema, as decoded JSON.
    """
    found: dict[str, set[str]] = {}
    _collect_tags(schema, "", found)
    return found


def _collect_tags(schema: Any, namespace: str, found: dict[str, set[str]]) -> None:
    if isinstance(schema, list):
        for one in schema:
            _collect_tags(one, namespace, found)
    if not isinstance(schema, dict):
        return
    for place in ("items", "values", "type"):
        if isinstance(schema.get(place), dict | list):
            _collect_tags(schema[place], namespace, found)
    if schema.get("type") != "record":
        return
    namespace = schema.get("namespace", namespace)
    name = record_name({"namespace": namespace, **schema})
    for field in schema["fields"]:
        if field.get(TAGS):
            found.setdefault(f"{name}.{field['name']}", set()).update(field[TAGS])
        _collect_tags(field["type"], (name or "").rpartition(".")[0], found)


class LocalSchemaRepository(AbstractSchemaRepository):
    """A repository of schemas by name, for fastavro.

    Args:
        schemas: the schemas.
    """

    def __init__(self, schemas: dict[str, Any]) -> None:
        self.schemas = schemas

    def load(self, subject: str) -> Any:
        """Return the schema of a name; None if there is none."""
        return self.schemas.get(subject)


def parse_schema_with_repo(schema_str: str, named_schemas: dict[str, Any]) -> Any:
    """Return a schema in fastavro's form, with the types that it refers to.

    Args:
        schema_str: the schema.
        named_schemas: the types that it refers to, by name.
    """
    repository = LocalSchemaRepository({**named_schemas, "": _document(schema_str)})
    return fastavro.schema.load_schema("", repo=repository)
