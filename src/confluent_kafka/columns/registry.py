"""Arrow columns from payloads that a schema registry's serializers wrote, and back."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from threading import Lock
from typing import Any
from uuid import UUID

from confluent_kafka.cimpl import (
    DecodedRows,
    EncodedRows,
    _ColumnBatch,
    _decode_framed,
    _RowProgram,
    _split_frames,
)
from confluent_kafka.columns._avro_layout import check_decimals, layout
from confluent_kafka.columns._avro_program import compile_program
from confluent_kafka.columns._avro_schema import (
    AvroResolutionError,
    AvroSchemaError,
    AvroType,
    parse,
)
from confluent_kafka.columns._json_references import with_references
from confluent_kafka.columns._layout import ENUMS, Column, check_enums
from confluent_kafka.columns._protobuf_descriptor import find_descriptor, message_indexes_of
from confluent_kafka.columns._protobuf_layout import check_unit
from confluent_kafka.columns._protobuf_registered import ProtobufSchemaError, compile_registered
from confluent_kafka.columns.avro_encoder import AvroEncoder
from confluent_kafka.columns.batch import ColumnDecoder, ColumnEncoder, header_name
from confluent_kafka.columns.json_encoder import JSONEncoder
from confluent_kafka.columns.json_text import JSONDecoder
from confluent_kafka.columns.protobuf import ProtobufDecoder
from confluent_kafka.columns.protobuf_encoder import ProtobufEncoder

# The number of bytes that name a schema, by their first byte: with its id, and with its GUID.
_NAME_SIZES = {b"\0": 5, b"\1": 17}


class SchemaTypeError(ValueError):
    """A schema in the registry has another format."""


class RegistryColumns(ColumnDecoder, ColumnEncoder):
    """What the columns of all registry formats have in common: finding the writer's schemas.

    Either a header of the message contains the GUID of the schema, or the payload begins with a
    byte 0 and the id, or with a byte 1 and the GUID. The registry is asked for each schema once.
    Rows of all schemas become columns of one schema.
    """

    _schema_type: str
    _reads_headers = True
    # The error of _program() for a schema whose payloads cannot be read.
    _refusals: tuple[type[Exception], ...] = (
        AvroResolutionError,
        AvroSchemaError,
        ProtobufSchemaError,
    )

    def __init__(
        self, registry: Any, subject: str | None, schema: Any, schema_id_serializer: Any
    ) -> None:
        if not hasattr(registry, "get_schema"):
            raise TypeError(
                f"registry must be a SchemaRegistryClient, not {type(registry).__name__}"
            )
        if subject is None and schema is None:
            raise TypeError("give a subject or a schema for the columns")
        if subject is not None and schema is not None:
            raise TypeError("give either a subject or a schema, not both")
        self._registry = registry
        self._subject = _checked_subject(subject)
        self._schema = schema
        self._programs: dict[bytes, _RowProgram | str] = {}
        self._own: _RowProgram | None = None  # the program of the reader's schema, with its columns
        self._is_marked = _writes_header(schema_id_serializer)
        self._encoder: ColumnEncoder | None = None
        self._written_mark: bytes | None = None
        self._lock = Lock()

    def decode(self, payloads: Any, headers: Any = None, *, part: str = "value") -> DecodedRows:
        """Decode an array of payloads that a registry's serializers wrote.

        Args:
            payloads: an array of binary values with the Arrow PyCapsule protocol.
            headers: the headers of the messages, an array of lists of structs of key and value. If
                the header `__value_schema_id` has the GUID of the schema, the payload has no
                framing.
            part: "value"; or "key", which uses the header `__key_schema_id`.

        Returns:
            DecodedRows: a row for each payload. A row is null if its payload is null or cannot be
            decoded; `errors` has the reasons. If the registry does not have a schema, or if the
            schema cannot be read as the columns' schema, this is an error of the row.

        Raises:
            SchemaRegistryError: the registry cannot be asked. Nothing is lost; try again.
            SchemaTypeError: the schema of the columns has another format.
            TypeError, ValueError: `payloads`, `headers` or `part` is wrong.
        """
        batch = _batch_of(headers)
        return _decode_framed(payloads, batch, header_name(part), self._programs_for)

    def _split(
        self, payloads: Any, headers: Any = None, *, part: str = "value"
    ) -> tuple[list[bytes | None], list[bytes | None]]:
        """Return for each payload the name of its schema, and the payload without framing.

        Both are None if the payload is null or its schema is not named. If a header names the
        schema, the name is the whole value of the header.
        """
        return _split_frames(payloads, _batch_of(headers), header_name(part))

    def _named(self, mark: bytes) -> Any:
        """Return the schema for a name that _split() returned."""
        return self._registered(mark[: _NAME_SIZES[mark[:1]]])

    def _programs_for(
        self, frames: set[bytes], marks: set[bytes]
    ) -> tuple[_RowProgram, dict[bytes, _RowProgram | str], dict[bytes, _RowProgram | str]]:
        """Return the program of the columns' own schema, and the program for each name.

        Args:
            frames: the bytes before the payloads that name a schema.
            marks: the headers' values. Each value names a schema; more bytes may follow the name.
        """
        with self._lock:
            if self._own is None:
                self._own = self._reader_program(self._reader_schema())
            return (
                self._own,
                {one: self._known(one) for one in sorted(frames)},
                {one: self._marked(one) for one in sorted(marks)},
            )

    def _marked(self, mark: bytes) -> _RowProgram | str:
        """Return the program for payloads without framing, or the reason why there is none."""
        size = _NAME_SIZES.get(mark[:1])
        if size is None or len(mark) < size:
            return (
                f"its header has no schema's GUID: {len(mark)} bytes {mark[:17].hex(' ')}".strip()
            )
        program = self._known(mark[:size])
        return program if isinstance(program, str) else self._unframed(mark[:size], mark[size:])

    def _unframed(self, name: bytes, rest: bytes) -> _RowProgram | str:
        """Return the program for payloads without framing whose schema is known.

        Args:
            name: the name of the schema.
            rest: the rest of the header's value.
        """
        return self._programs[name]

    def _known(self, name: bytes) -> _RowProgram | str:
        """Return the program for payloads of a schema, or the reason why there is none."""
        if name in self._programs:
            return self._programs[name]
        try:
            program = self._writer_program(name, self._registered(name))
        except Exception as error:
            if getattr(error, "http_status_code", None) != HTTPStatus.NOT_FOUND:
                raise
            # The schema or one of its references is missing now; the next call asks again.
            return f"the registry has no schema {_shown(name)}"
        return self._programs.setdefault(name, program)

    def _registered(self, name: bytes) -> Any:
        if len(name) == _NAME_SIZES[b"\0"]:
            return self._registry.get_schema(int.from_bytes(name[1:]))
        return self._registry.get_schema_by_guid(_shown(name))

    def _reader_schema(self) -> Any:
        """Return the schema of the columns: from the registry, or as the user gave it."""
        if self._subject is None:
            self._check_type("schema", self._schema)
            return self._schema
        return self._latest(self._subject).schema

    def _latest(self, subject: str) -> Any:
        """Return the latest version of a subject."""
        found = self._registry.get_latest_version(subject)
        self._check_type(f"the schema of subject {subject!r}", found.schema)
        return found

    def _check_type(self, what: str, schema: Any) -> None:
        """Refuse a schema of another format, which would be misread."""
        kind = getattr(schema, "schema_type", None)
        if kind not in (None, self._schema_type):
            raise SchemaTypeError(f"{what} is {kind}, not {self._schema_type}")

    def _writer_program(self, name: bytes, schema: Any) -> _RowProgram | str:
        try:
            self._check_type(f"schema {_shown(name)}", schema)
        except SchemaTypeError as error:
            return str(error)
        try:
            return self._program(name, schema)
        except self._refusals as error:
            return f"schema {_shown(name)}: {error}"

    def _texts(self, schema: Any) -> Iterator[str]:
        """Yield the texts of a schema's references, each after those that it needs itself."""
        return (text for _, text in self._named_texts(schema))

    def _named_texts(self, schema: Any) -> Iterator[tuple[str, str]]:
        """Yield the names and the texts of a schema's references, in the same order as _texts()."""
        yield from self._unseen_texts(schema, set())

    def _unseen_texts(
        self, schema: Any, seen: set[tuple[str, str, int]]
    ) -> Iterator[tuple[str, str]]:
        """Yield each text once, even if several schemas refer to it."""
        for reference in schema.references or ():
            key = (reference.name, reference.subject, reference.version)
            if key not in seen:
                seen.add(key)
                found = self._registry.get_version(reference.subject, reference.version)
                yield from self._unseen_texts(found.schema, seen)
                yield reference.name, found.schema.schema_str

    @abstractmethod
    def _reader_program(self, schema: Any) -> _RowProgram:
        """Set the columns from this schema. Return the program for payloads of this schema."""

    def _program(self, name: bytes, schema: Any) -> _RowProgram:
        """Return the program that reads payloads of a writer's schema into the columns.

        If payloads describe themselves, it is the same program for all schemas.
        """
        assert self._own is not None
        return self._own

    def encode(self, batch: Any) -> EncodedRows:
        """Encode each row of a batch with the subject's latest schema, in the registry's framing.

        With `schema_id_serializer=header_schema_id_serializer` there is no framing: encode_batch()
        and produce_arrow() add a header with the schema's GUID to each message.

        Args:
            batch: a record batch, table or data frame; see AvroEncoder.encode().

        Returns:
            EncodedRows: a payload for each row; see AvroEncoder.encode().

        Raises:
            SchemaRegistryError: the registry cannot be asked, or does not have the subject.
            SerializationError: the registry has no GUID of the schema, which the header needs.
            TypeError: no subject was given, or the columns do not match the schema.
            SchemaTypeError: the subject's schema has another format.
        """
        return self._latest_encoder().encode(batch)

    def _mark(self) -> bytes | None:
        self._latest_encoder()
        return self._written_mark

    def _latest_encoder(self) -> ColumnEncoder:
        """Return the encoder for the subject's latest schema; the registry is asked once."""
        with self._lock:
            if self._encoder is None:
                if self._subject is None:
                    raise TypeError("to encode, give the subject that has the schema")
                latest = self._latest(self._subject)
                schema_id = None if self._is_marked else latest.schema_id
                encoder = self._new_encoder(latest.schema, schema_id)
                if self._is_marked:
                    indexes = self._indexes_of(encoder)
                    self._written_mark = mark_of(self._registry, self._subject, latest, indexes)
                self._encoder = encoder
            return self._encoder

    def _indexes_of(self, encoder: Any) -> list[int] | None:
        """Return the message indexes of an encoder, if the format has any."""
        return None

    @abstractmethod
    def _new_encoder(self, schema: Any, schema_id: int | None) -> ColumnEncoder:
        """Return an encoder for a registered schema, with framing if an id is given."""


class AvroColumns(RegistryColumns):
    """Avro payloads of a schema registry as Arrow columns, and back.

    Args:
        registry (SchemaRegistryClient): the client of the schema registry.
        subject (str, optional): the columns have the subject's latest schema. The registry is asked
            for it once, when the first payloads are decoded.
        schema (str, dict, list or Schema, optional): the columns have this schema. Give either
            `subject` or `schema`.
        columns (list of str, optional): the fields to decode; see AvroDecoder.
        enums (str, optional): "string" (the default) or "dictionary".
        decimals (str, optional): "exact" (the default) or "decimal128"; see AvroDecoder.
        schema_id_serializer (optional): how messages name their schema when encoding:
            prefix_schema_id_serializer of confluent_kafka.schema_registry (the default) writes the
            id before each payload, header_schema_id_serializer puts the GUID into a header.

    Payloads of other versions of the schema are resolved as in the Avro specification. If you pass
    the object as `value` to produce_arrow(), it encodes rows with the subject's latest schema.
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
        decimals: str = "exact",
        schema_id_serializer: Any = None,
    ) -> None:
        super().__init__(registry, subject, schema, schema_id_serializer)
        check_enums(enums)
        check_decimals(decimals)
        self._columns = columns
        self._enums = enums
        self._decimals = decimals
        self._reader: AvroType
        self._root: Column

    def _new_encoder(self, schema: Any, schema_id: int | None) -> AvroEncoder:
        *references, own = self._documents(schema, is_reader=False)
        return AvroEncoder(own, schema_id=schema_id, references=references, registered=True)

    def _reader_program(self, schema: Any) -> _RowProgram:
        reader = self._parsed(schema, is_reader=True)
        root = layout(reader, self._columns, enums=self._enums, decimals=self._decimals)
        self._reader, self._root = reader, root
        return _RowProgram("avro", root.description(), compile_program(reader, reader, root))

    def _program(self, name: bytes, schema: Any) -> _RowProgram:
        writer = self._parsed(schema, is_reader=False)
        program = compile_program(writer, self._reader, self._root, registered=True)
        return _RowProgram("avro", self._root.description(), program)

    def _parsed(self, schema: Any, *, is_reader: bool) -> AvroType:
        what = "schema" if is_reader else "a schema of the registry"
        if not hasattr(schema, "schema_str"):
            return parse(schema, what)
        *references, own = self._documents(schema, is_reader=is_reader)
        return parse(own, what, references)

    def _documents(self, schema: Any, *, is_reader: bool) -> list[Any]:
        """Return the references of a registry's schema, each after those it needs; then itself."""
        return [_schema_or_name(text) for text in (*self._texts(schema), schema.schema_str)]


class JSONColumns(RegistryColumns):
    """JSON payloads of a schema registry as Arrow columns, and back.

    Args:
        registry (SchemaRegistryClient): the client of the schema registry.
        subject (str, optional): the columns have the subject's latest schema. The registry is asked
            for it once, when the first payloads are decoded.
        schema (dict, str, Schema, or an Arrow schema, optional): the columns have this schema. Give
            either `subject` or `schema`.
        schema_id_serializer (optional): how messages name their schema when encoding:
            prefix_schema_id_serializer of confluent_kafka.schema_registry (the default) writes the
            id before each payload, header_schema_id_serializer puts the GUID into a header.
        options: the options of JSONDecoder: `columns`, `missing`, `extra`, `duplicates`, `epoch`,
            `enums`.

    JSON payloads describe themselves, so payloads of all versions are read in the same way. If you
    pass the object as `value` to produce_arrow(), it encodes rows as JSONEncoder does, with the
    subject's latest schema.
    """

    _schema_type = "JSON"

    def __init__(
        self,
        registry: Any,
        subject: str | None = None,
        *,
        schema: Any = None,
        schema_id_serializer: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(registry, subject, schema, schema_id_serializer)
        # Check the options now; the schema may be asked for later.
        JSONDecoder({"type": "string"}, **options | {"columns": None})
        self._options = options

    def _reader_program(self, schema: Any) -> _RowProgram:
        own = self._document(schema) if hasattr(schema, "schema_str") else schema
        return JSONDecoder(own, **self._options)._program

    def _new_encoder(self, schema: Any, schema_id: int | None) -> JSONEncoder:
        return JSONEncoder(self._document(schema), schema_id=schema_id)

    def _document(self, schema: Any) -> Any:
        """Return a registry's schema as one document that contains its references."""
        return with_references(schema.schema_str, dict(self._named_texts(schema)))


class ProtobufColumns(RegistryColumns):
    """Protocol Buffers payloads of a schema registry as Arrow columns, and back.

    Args:
        registry (SchemaRegistryClient): the client of the schema registry.
        message (message class, Descriptor or str, optional): the columns are the fields of this
            message. A str is the full name of a message in the subject's latest schema. Default:
            the first message of that schema.
        columns (list of str, optional): the fields to decode; see ProtobufDecoder.
        enums (str, optional): "string" (the default), "dictionary" or "number".
        unit (str, optional): the unit of Timestamp and Duration: "ns" (the default), whose 64 bits
            cover the years 1678 to 2261, or "us", which covers all their values.
        subject (str, optional): the subject whose latest schema has the message. The registry is
            asked for it once, when the first payloads are decoded, and grpcio-tools compiles it.
            With a message class, it is needed only for encoding.
        schema_id_serializer (optional): how messages name their schema when encoding:
            prefix_schema_id_serializer of confluent_kafka.schema_registry (the default) writes the
            id before each payload, header_schema_id_serializer puts the GUID into a header.

    Field numbers identify fields in payloads of all versions; fields that the message does not have
    are skipped. The message indexes are looked up in each version of the schema, by the message's
    name without the package; payloads of other messages are bad rows. If you pass the object as
    `value` to produce_arrow(), it encodes rows as ProtobufEncoder does, with the id of the
    subject's latest schema.
    """

    _schema_type = "PROTOBUF"

    def __init__(
        self,
        registry: Any,
        message: Any = None,
        *,
        columns: Sequence[str] | None = None,
        enums: str = "string",
        unit: str = "ns",
        subject: str | None = None,
        schema_id_serializer: Any = None,
    ) -> None:
        self._is_registered = message is None or isinstance(message, str)
        if self._is_registered:
            super().__init__(registry, subject, None, schema_id_serializer)
        else:
            super().__init__(registry, None, message, schema_id_serializer)
            self._subject = _checked_subject(subject)
        check_enums(enums, (*ENUMS, "number"))
        check_unit(unit)
        self._unit = unit
        self._message = message
        self._columns = columns
        self._enums = enums
        self._indexes: dict[bytes, list[int]] = {}  # the message's indexes, by schema name
        self._written_indexes: list[int]
        self._descriptor: Any
        self._bare: _RowProgram  # the program for payloads without framing
        if not self._is_registered:  # check the arguments now
            self._own = self._reader_program(message)

    def _reader_program(self, schema: Any) -> _RowProgram:
        self._descriptor = (
            self._compiled(schema) if self._is_registered else find_descriptor(schema, None)
        )
        self._bare = self._decoder(message_indexes=False)
        return self._decoder(message_indexes=True)

    def _program(self, name: bytes, schema: Any) -> _RowProgram:
        if self._is_registered:
            indexes = message_indexes_of(self._compiled(schema))
        else:
            indexes = _indexes_in(schema, self._descriptor)
        self._indexes[name] = indexes
        return self._decoder(message_indexes=indexes)

    def _unframed(self, name: bytes, rest: bytes) -> _RowProgram | str:
        # The header contains the message indexes as well.
        if _message_indexes(rest) != self._indexes[name]:
            return "message indexes of another message in its header"
        return self._bare

    def _compiled(self, schema: Any) -> Any:
        """Return the Descriptor of the message in a registry's schema."""
        return compile_registered(schema, self._registry).message(self._message)

    def _decoder(self, message_indexes: bool | list[int]) -> _RowProgram:
        return ProtobufDecoder(
            self._descriptor,
            columns=self._columns,
            enums=self._enums,
            message_indexes=message_indexes,
            unit=self._unit,
        )._program

    def _new_encoder(self, schema: Any, schema_id: int | None) -> ProtobufEncoder:
        if self._is_registered:
            message = self._compiled(schema)
            self._written_indexes = message_indexes_of(message)
        else:
            message = self._message
            self._written_indexes = _indexes_in(schema, self._descriptor)
        indexes = None if schema_id is None else self._written_indexes
        return ProtobufEncoder(message, schema_id=schema_id, message_indexes=indexes)

    def _indexes_of(self, encoder: ProtobufEncoder) -> list[int]:
        return self._written_indexes


def _indexes_in(schema: Any, descriptor: Any) -> list[int]:
    """Return the message indexes of a message type in a registry's schema.

    Raises:
        ProtobufSchemaError: the schema does not have the message.
    """
    from confluent_kafka.schema_registry._protobuf_messages import (
        indexes_of,
        messages_of,
        name_without_package,
    )

    found = indexes_of(messages_of(schema.schema_str), name_without_package(descriptor))
    if found is None:
        raise ProtobufSchemaError(f"the schema has no message {descriptor.full_name}")
    return found


def _message_indexes(data: bytes) -> list[int] | None:
    """Return the message indexes after the GUID in a header; None if they are not valid."""
    from confluent_kafka.schema_registry.serde import read_indexes
    from confluent_kafka.serialization import SerializationError

    try:
        return read_indexes(data, 0)[0]
    except SerializationError:
        return None


def _checked_subject(subject: str | None) -> str | None:
    if not isinstance(subject, (str, type(None))):
        raise TypeError(f"subject must be str, not {type(subject).__name__}")
    return subject


def _writes_header(schema_id_serializer: Any) -> bool:
    """Return whether a header names the schema, so that payloads have no framing."""
    if schema_id_serializer is None:
        return False
    from confluent_kafka.schema_registry.serde import (
        header_schema_id_serializer,
        prefix_schema_id_serializer,
    )

    if schema_id_serializer not in (header_schema_id_serializer, prefix_schema_id_serializer):
        raise ValueError(
            "schema_id_serializer must be prefix_schema_id_serializer or "
            f"header_schema_id_serializer of confluent_kafka.schema_registry, not "
            f"{schema_id_serializer!r}"
        )
    return schema_id_serializer is header_schema_id_serializer


def mark_of(registry: Any, subject: str, found: Any, indexes: list[int] | None) -> bytes:
    """Return the value of the header that names a schema.

    Args:
        registry: the SchemaRegistryClient.
        subject: the subject of the schema.
        found: the schema, as the registry has it.
        indexes: for Protobuf, the message indexes; otherwise None.

    Raises:
        SerializationError: the registry has no GUID of the schema.
        SchemaRegistryError: the registry cannot be asked for the GUID.
    """
    from confluent_kafka.schema_registry.serde import SchemaId

    guid = found.guid
    if guid is None:  # some answers of registries do not contain it
        guid = registry.lookup_schema(subject, found.schema).guid
    return SchemaId(found.schema.schema_type, None, guid, indexes).guid_to_bytes()


def _batch_of(headers: Any) -> _ColumnBatch | None:
    return None if headers is None else _ColumnBatch.of({"headers": headers})


def _shown(name: bytes) -> str:
    """Return the id or the GUID of a schema, as people write it."""
    if len(name) == _NAME_SIZES[b"\0"]:
        return str(int.from_bytes(name[1:]))
    return str(UUID(bytes=name[1:]))


def _schema_or_name(text: str) -> Any:
    """Parse a registry's text, which is JSON; names of primitive types may come without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text
