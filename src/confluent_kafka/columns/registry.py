"""Payloads that a schema registry's serializers wrote, as Arrow columns of one schema."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from threading import Lock
from typing import Any

from confluent_kafka.cimpl import DecodedRows, EncodedRows, _decode_framed, _RowProgram
from confluent_kafka.columns._avro_layout import layout
from confluent_kafka.columns._avro_program import compile_program
from confluent_kafka.columns._avro_schema import (
    AvroResolutionError,
    AvroSchemaError,
    AvroType,
    parse,
)
from confluent_kafka.columns._layout import Column, check_enums
from confluent_kafka.columns.avro_encoder import AvroEncoder
from confluent_kafka.columns.batch import ColumnDecoder, ColumnEncoder
from confluent_kafka.columns.json_encoder import JSONEncoder
from confluent_kafka.columns.json_text import JSONDecoder
from confluent_kafka.columns.protobuf import ProtobufDecoder
from confluent_kafka.columns.protobuf_encoder import ProtobufEncoder


class RegistryColumns(ColumnDecoder, ColumnEncoder):
    """What columns of a registry's formats have in common: the schemas of writers, by their ids.

    Payloads begin with a zero byte and the id of the schema that they were written with. Each
    schema is asked for once; rows of all of them become columns of one schema.
    """

    _schema_type: str

    def __init__(self, registry: Any, subject: str | None, schema: Any) -> None:
        if not hasattr(registry, "get_schema"):
            raise TypeError(
                f"registry must be a SchemaRegistryClient, not {type(registry).__name__}"
            )
        if subject is None and schema is None:
            raise TypeError("give a subject, whose latest schema the columns get, or a schema")
        if subject is not None and schema is not None:
            raise TypeError("give either a subject or a schema, not both")
        self._registry = registry
        self._subject = _checked_subject(subject)
        self._schema = schema
        self._programs: dict[int, _RowProgram | str] = {}
        self._own: _RowProgram | None = None  # of the reader's schema: it knows the columns
        self._encoder: ColumnEncoder | None = None
        self._lock = Lock()

    def decode(self, payloads: Any) -> DecodedRows:
        """Decode an array of payloads in the registry's framing.

        Args:
            payloads: an array of binary values with the Arrow PyCapsule protocol.

        Returns:
            DecodedRows: a row for each payload, null where it is null or cannot be decoded:
            `errors` tells why. That the registry has no schema of an id, or one that cannot be read
            as the columns' schema, is an error of the row.

        Raises:
            SchemaRegistryError: the registry cannot be asked; nothing is lost, ask again.
            TypeError: `payloads` is something else.
        """
        return _decode_framed(payloads, self._programs_for)

    def _programs_for(self, ids: set[int]) -> tuple[_RowProgram, dict[int, _RowProgram | str]]:
        """Return the program of the columns' own schema, and what there is for each id."""
        with self._lock:
            if self._own is None:
                self._own = self._reader_program(self._reader_schema())
            return self._own, {one: self._known(one) for one in sorted(ids)}

    def _known(self, schema_id: int) -> _RowProgram | str:
        """Return the program for rows of an id, or why there is none."""
        if schema_id in self._programs:
            return self._programs[schema_id]
        try:
            schema = self._registry.get_schema(schema_id)
        except Exception as error:
            if getattr(error, "http_status_code", None) != HTTPStatus.NOT_FOUND:
                raise
            return f"the registry has no schema {schema_id}"  # now: it is asked again
        return self._programs.setdefault(schema_id, self._writer_program(schema_id, schema))

    def _reader_schema(self) -> Any:
        """Return the schema of the columns, a Schema of the registry or what the user gave."""
        if self._subject is None:
            return self._schema
        return self._registry.get_latest_version(self._subject).schema

    def _writer_program(self, schema_id: int, schema: Any) -> _RowProgram | str:
        if schema.schema_type not in (None, self._schema_type):
            return f"schema {schema_id} is {schema.schema_type}, not {self._schema_type}"
        try:
            return self._program(schema)
        except (AvroResolutionError, AvroSchemaError) as error:
            return f"schema {schema_id}: {error}"

    def _texts(self, schema: Any) -> Iterator[str]:
        """Yield the texts that a schema refers to, each after those that it needs itself."""
        for reference in schema.references or ():
            found = self._registry.get_version(reference.subject, reference.version)
            yield from self._texts(found.schema)
            yield found.schema.schema_str

    @abstractmethod
    def _reader_program(self, schema: Any) -> _RowProgram:
        """Set what the columns are; return the program for payloads of this schema itself."""

    def _program(self, schema: Any) -> _RowProgram:
        """Return the program that reads payloads of a writer's schema into the columns.

        The same for all, where payloads say themselves what they have.
        """
        assert self._own is not None
        return self._own

    def encode(self, batch: Any) -> EncodedRows:
        """Encode each row of a batch with the subject's latest schema, in the registry's framing.

        Args:
            batch: a record batch, table or data frame; see AvroEncoder.encode().

        Returns:
            EncodedRows: a payload for each row; see AvroEncoder.encode().

        Raises:
            SchemaRegistryError: the registry cannot be asked, or has no such subject.
            TypeError: no subject was given, or the columns are not those of the schema.
        """
        with self._lock:
            if self._encoder is None:
                if self._subject is None:
                    raise TypeError(
                        "to encode, give the subject whose latest schema is written with"
                    )
                latest = self._registry.get_latest_version(self._subject)
                self._encoder = self._new_encoder(latest)
        return self._encoder.encode(batch)

    @abstractmethod
    def _new_encoder(self, latest: Any) -> ColumnEncoder:
        """Return what encodes with a schema that is registered."""


class AvroColumns(RegistryColumns):
    """Avro payloads of a schema registry as Arrow columns, and back.

    Args:
        registry (SchemaRegistryClient): where the schemas are.
        subject (str, optional): the columns are those of its latest schema, which is asked for
            once, when the first payloads come.
        schema (str, dict, list or Schema, optional): the columns are those of this one. Either
            `subject` or `schema` must be given.
        columns (list of str, optional): the fields to decode; see AvroDecoder.
        enums (str, optional): "string" (the default) or "dictionary".

    Payloads of other versions of the schema are resolved as the Avro specification says. As
    `value` of produce_arrow() it encodes rows with the subject's latest schema.
    """

    _schema_type = "AVRO"

    def __init__(
        self,
        registry: Any,
        subject: str | None = None,
        *,
        schema: Any = None,
        columns: Sequence[str] | None = None,
        enums: str = "string",
    ) -> None:
        super().__init__(registry, subject, schema)
        check_enums(enums)
        self._columns = columns
        self._enums = enums
        self._reader: AvroType
        self._root: Column

    def _new_encoder(self, latest: Any) -> AvroEncoder:
        *references, schema = map(
            _schema_or_name, [*self._texts(latest.schema), latest.schema.schema_str]
        )
        return AvroEncoder(schema, schema_id=latest.schema_id, references=references)

    def _reader_program(self, schema: Any) -> _RowProgram:
        reader = self._parsed(schema, "schema")
        root = layout(reader, self._columns, enums=self._enums)
        self._reader, self._root = reader, root
        return _RowProgram("avro", root.description(), compile_program(reader, reader, root))

    def _program(self, schema: Any) -> _RowProgram:
        writer = self._parsed(schema, "a schema of the registry")
        program = compile_program(writer, self._reader, self._root, registered=True)
        return _RowProgram("avro", self._root.description(), program)

    def _parsed(self, schema: Any, what: str) -> AvroType:
        text = getattr(schema, "schema_str", None)
        if text is None:
            return parse(schema, what)
        return parse(_schema_or_name(text), what, [json.loads(one) for one in self._texts(schema)])


class JSONColumns(RegistryColumns):
    """JSON payloads of a schema registry as Arrow columns, and back.

    Args:
        registry (SchemaRegistryClient): where the schemas are.
        subject (str, optional): the columns are those of its latest schema, which is asked for
            once, when the first payloads come.
        schema (dict, str, Schema, or an Arrow schema, optional): the columns are those of this
            one. Either `subject` or `schema` must be given.
        options: those of JSONDecoder: `columns`, `missing`, `extra`, `duplicates`, `epoch`,
            `enums`.

    Payloads say themselves what they have: those of all versions are read in the same way. As
    `value` of produce_arrow() it encodes rows as JSONEncoder does, with the latest schema.
    """

    _schema_type = "JSON"

    def __init__(
        self, registry: Any, subject: str | None = None, *, schema: Any = None, **options: Any
    ) -> None:
        super().__init__(registry, subject, schema)
        # Wrong options are refused now, whatever the schema will be.
        JSONDecoder({"type": "string"}, **options | {"columns": None})
        self._options = options

    def _reader_program(self, schema: Any) -> _RowProgram:
        text = getattr(schema, "schema_str", schema)
        return JSONDecoder(text, **self._options)._program

    def _new_encoder(self, latest: Any) -> JSONEncoder:
        return JSONEncoder(latest.schema.schema_str, schema_id=latest.schema_id)


class ProtobufColumns(RegistryColumns):
    """Protocol Buffers payloads of a schema registry as Arrow columns, and back.

    Args:
        registry (SchemaRegistryClient): where the schemas are.
        message (message class or Descriptor): the columns are its fields.
        columns (list of str, optional): the fields to decode; see ProtobufDecoder.
        enums (str, optional): "string" (the default), "dictionary" or "number".
        subject (str, optional): to encode: the subject whose latest schema has the message.

    Fields are known by their numbers in payloads of all versions; those that the message does not
    have are skipped. The message indexes after a schema's id are not looked at: all payloads are
    taken for this message. As `value` of produce_arrow() it encodes rows as this message, as
    ProtobufEncoder does, with the id of the subject's latest schema.
    """

    _schema_type = "PROTOBUF"

    def __init__(
        self,
        registry: Any,
        message: Any,
        *,
        columns: Sequence[str] | None = None,
        enums: str = "string",
        subject: str | None = None,
    ) -> None:
        super().__init__(registry, None, message)
        self._subject = _checked_subject(subject)
        self._columns = columns
        self._enums = enums
        self._own = self._reader_program(message)  # wrong arguments are refused now

    def _reader_program(self, schema: Any) -> _RowProgram:
        return ProtobufDecoder(
            schema, columns=self._columns, enums=self._enums, message_indexes=True
        )._program

    def _new_encoder(self, latest: Any) -> ProtobufEncoder:
        return ProtobufEncoder(self._schema, schema_id=latest.schema_id)


def _checked_subject(subject: str | None) -> str | None:
    if not isinstance(subject, (str, type(None))):
        raise TypeError(f"subject must be str, not {type(subject).__name__}")
    return subject


def _schema_or_name(text: str) -> Any:
    """A registry's text is JSON, but for primitives, which may come without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text
