"""Protobuf with a schema registry; it needs the extra [protobuf]."""

from __future__ import annotations

import base64
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

try:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from google.protobuf.message import DecodeError, EncodeError, Message
except ImportError as error:
    raise ImportError(
        "confluent_kafka.schema_registry.protobuf needs protobuf: "
        f"pip install grpcio-tools httpx protobuf ({error})",
        name=error.name,
    ) from error

from confluent_kafka.error import SerializationError
from confluent_kafka.serialization import (
    SerializationContext,
)

from ._builders import BuilderOfDeserializer, BuilderOfSerializer, BuilderWithMessageType
from ._core import (
    DESERIALIZER_DEFAULTS,
    SERIALIZER_DEFAULTS,
    AwaitingDeserializer,
    AwaitingSerializer,
    BlockingDeserializer,
    BlockingSerializer,
    DeserializerCore,
    SerializerCore,
    refuse_rule_arguments,
)
from ._fields import FieldType
from ._protobuf_decimal import decimal_to_protobuf, protobuf_to_decimal
from ._protobuf_messages import indexes_of, messages_of, name_without_package, names_at
from ._protobuf_tags import get_inline_tags
from ._protobuf_variant import protobuf_to_variant, variant_to_protobuf
from .schema import Schema, SchemaReference
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient
from .serde import GUID_MAGIC, ID_MAGIC, read_indexes, reference_subject_name_strategy

__all__ = [
    "AsyncProtobufDeserializer",
    "AsyncProtobufDeserializerBuilder",
    "AsyncProtobufSerializer",
    "AsyncProtobufSerializerBuilder",
    "ProtobufDeserializer",
    "ProtobufDeserializerBuilder",
    "ProtobufSerializer",
    "ProtobufSerializerBuilder",
    "decimal_to_protobuf",
    "get_inline_tags",
    "get_type",
    "is_map_field",
    "protobuf_to_decimal",
    "protobuf_to_variant",
    "variant_to_protobuf",
]

# Files that all registries and compilers have.
_KNOWN_FILES = ("google/protobuf/", "google/type/", "confluent/")


def _checked_type(message_type: Any, name: str) -> Any:
    if not isinstance(message_type, type) or not issubclass(message_type, Message):
        given = getattr(message_type, "__name__", type(message_type).__name__)
        raise TypeError(f"{name} must be a class of Protobuf messages, not {given}")
    return message_type


def _refuse_old_format(options: Mapping[str, Any]) -> None:
    if options["use.deprecated.format"]:
        raise ValueError(
            "use.deprecated.format must be False: messages of clients before 1.8 have indexes "
            "in another encoding, which no other client reads"
        )


_TYPES = {
    FieldDescriptor.CPPTYPE_INT32: FieldType.INT,
    FieldDescriptor.CPPTYPE_UINT32: FieldType.INT,
    FieldDescriptor.CPPTYPE_INT64: FieldType.LONG,
    FieldDescriptor.CPPTYPE_UINT64: FieldType.LONG,
    FieldDescriptor.CPPTYPE_DOUBLE: FieldType.DOUBLE,
    FieldDescriptor.CPPTYPE_FLOAT: FieldType.FLOAT,
    FieldDescriptor.CPPTYPE_BOOL: FieldType.BOOLEAN,
    FieldDescriptor.CPPTYPE_ENUM: FieldType.ENUM,
    FieldDescriptor.CPPTYPE_STRING: FieldType.STRING,
    FieldDescriptor.CPPTYPE_MESSAGE: FieldType.RECORD,
}


def is_map_field(fd: FieldDescriptor) -> bool:
    """Return whether a field is a map.

    Args:
        fd: the descriptor of the field.
    """
    return fd.message_type is not None and fd.message_type.GetOptions().map_entry


def get_type(fd: FieldDescriptor) -> FieldType:
    """Return the kind of a field, or of each of its values if it is repeated.

    Args:
        fd: the descriptor of the field.
    """
    if is_map_field(fd):
        return FieldType.MAP
    if fd.type == FieldDescriptor.TYPE_BYTES:
        return FieldType.BYTES
    return _TYPES[fd.cpp_type]


def message_indexes(descriptor: Descriptor) -> list[int]:
    """Return the path of a message in its file: the outer messages' indexes, then its own."""
    indexes: list[int] = []
    while descriptor is not None:
        outer = descriptor.containing_type
        if outer is None:
            siblings = list(descriptor.file.message_types_by_name.values())
        else:
            siblings = list(outer.nested_types)
        names = [one.full_name for one in siblings]
        indexes.insert(0, names.index(descriptor.full_name))
        descriptor = outer
    return indexes


def schema_text(file: FileDescriptor) -> str:
    """Return a file in the form that registries store: its FileDescriptorProto in base64."""
    proto = FileDescriptorProto()
    file.CopyToProto(proto)
    return base64.b64encode(proto.SerializeToString()).decode()


class _ProtobufSerializing(SerializerCore):
    _type = "PROTOBUF"

    def __init__(
        self,
        msg_type: Any,
        schema_registry_client: Any,
        conf: Mapping[str, Any] | None = None,
        rule_conf: dict[str, Any] | None = None,
        rule_registry: Any = None,
    ) -> None:
        super().__init__()
        refuse_rule_arguments(rule_conf, rule_registry)
        self._kind: Any = _checked_type(msg_type, "msg_type")
        defaults = SERIALIZER_DEFAULTS | {
            "reference.subject.name.strategy": reference_subject_name_strategy,
            "skip.known.types": True,
            "use.deprecated.format": False,
        }
        options = self._configure(schema_registry_client, conf, defaults)
        _refuse_old_format(options)
        self._reference_subject = options["reference.subject.name.strategy"]
        self._skip_known: bool = options["skip.known.types"]
        self._name = self._kind.DESCRIPTOR.full_name

    def _indexes(self, schema: Schema) -> list[int] | None:
        descriptor = self._kind.DESCRIPTOR
        messages = () if self._writes_own_schema() else messages_of(schema.schema_str)
        if not messages:
            return message_indexes(descriptor)
        # Readers look the message up in this schema, not in the file of the class.
        found = indexes_of(messages, name_without_package(descriptor))
        if found is None:
            known = ", ".join(one.name for one in messages)
            raise SerializationError(f"the schema has no message {self._name}, only {known:.300}")
        return found

    async def _own_schema(self, ctx: SerializationContext | None) -> Schema:
        file = self._kind.DESCRIPTOR.file
        return await self._schema_of(file, ctx, {})

    async def _schema_of(
        self,
        file: FileDescriptor,
        ctx: SerializationContext | None,
        done: dict[str, SchemaReference],
    ) -> Schema:
        """Return the schema of a file, after registering the files that it imports."""
        references = []
        for imported in file.dependencies:
            if self._skip_known and imported.name.startswith(_KNOWN_FILES):
                continue
            if imported.name not in done:
                done[imported.name] = await self._reference(imported, ctx, done)
            references.append(done[imported.name])
        return Schema(schema_text(file), "PROTOBUF", references)

    async def _reference(
        self,
        file: FileDescriptor,
        ctx: SerializationContext | None,
        done: dict[str, SchemaReference],
    ) -> SchemaReference:
        schema = await self._schema_of(file, ctx, done)
        subject = self._reference_subject(ctx, file)
        if self._register:
            await self._calls.register_schema(subject, schema, self._normalize)
        # The answer to a registration may not contain the version.
        found = await self._calls.lookup_schema(subject, schema, self._normalize)
        if found.version is None:
            raise SerializationError(f"the registry returned no version of subject {subject!r}")
        return SchemaReference(file.name, subject, found.version)

    async def _writer(self, schema: Schema, subject: str) -> Callable[[Any], bytes]:
        kind, name = self._kind, self._name
        where = f"the schema of subject {subject!r}"

        def work(obj: Any) -> bytes:
            if not isinstance(obj, kind):
                given = getattr(getattr(obj, "DESCRIPTOR", None), "full_name", type(obj).__name__)
                raise SerializationError(f"{where}: a message must be a {name}, not a {given}")
            try:
                data: bytes = obj.SerializeToString()
            except EncodeError as error:
                raise SerializationError(f"{where} ({name}): {error}") from error
            return data

        return work


class ProtobufSerializer(_ProtobufSerializing, BlockingSerializer):
    """Serializes Protobuf messages, with the id of their schema and their path in it.

    Args:
        msg_type: the class of the messages.
        schema_registry_client: the registry.
        conf: the keys of AvroSerializer except ``validate.strict`` and
            ``validate.strict.allow.default``, plus: ``reference.subject.name.strategy`` (by default
            reference_subject_name_strategy, which uses the name of an imported file as its
            subject), ``skip.known.types`` (True: files that every registry has are not registered),
            and ``use.deprecated.format`` (only False is supported).
        rule_conf: must be None, because this client runs no rules.
        rule_registry: must be None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a key of the configuration is unknown, or has a wrong value.
    """

    def __call__(self, message: Any, ctx: SerializationContext | None = None) -> bytes | None:
        """Return the bytes of a message; None stays None.

        Args:
            message: the message.
            ctx: the context of the message.

        Raises:
            SerializationError: the message has another type, or the schema cannot be used.
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return super().__call__(message, ctx)


class AsyncProtobufSerializer(_ProtobufSerializing, AwaitingSerializer):
    """The asyncio ProtobufSerializer, for AsyncSchemaRegistryClient. Await its calls.

    The arguments and errors are the same as for ProtobufSerializer.
    """

    def __call__(  # type: ignore[override]
        self, message: Any, ctx: SerializationContext | None = None
    ) -> Coroutine[Any, Any, bytes | None]:
        """Return an awaitable of the bytes of a message; None stays None.

        Args:
            message: the message.
            ctx: the context of the message.

        Raises:
            SerializationError: the message has another type, or the schema cannot be used.
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return super().__call__(message, ctx)


class _ProtobufDeserializing(DeserializerCore):
    _type = "PROTOBUF"
    _has_indexes = True

    def __init__(
        self,
        message_type: Any,
        conf: Mapping[str, Any] | None = None,
        schema_registry_client: Any = None,
        rule_conf: dict[str, Any] | None = None,
        rule_registry: Any = None,
    ) -> None:
        super().__init__()
        refuse_rule_arguments(rule_conf, rule_registry)
        self._kind: Any = _checked_type(message_type, "message_type")
        defaults = DESERIALIZER_DEFAULTS | {"use.deprecated.format": False}
        _refuse_old_format(self._configure(schema_registry_client, conf, defaults))

    def _indexes_end(self, frame: bytes, start: int) -> int:
        if frame[start : start + 1] == b"\0":  # the first message of its file, as most are
            return start + 1
        if not frame.startswith((ID_MAGIC, GUID_MAGIC)):
            return start
        return read_indexes(frame, start)[1]

    def _check_indexes(self, written: Schema | None, indexes: list[int] | None, name: str) -> None:
        descriptor = self._kind.DESCRIPTOR
        text = schema_text(descriptor.file) if written is None else written.schema_str
        messages = messages_of(text)
        if indexes is None or not messages:
            return
        try:
            found = names_at(messages, indexes)
        except LookupError as error:
            raise SerializationError(f"{name}: {error}") from error
        if name_without_package(descriptor) not in found:
            raise SerializationError(
                f"{name}: the message is of type {found[0]}, not {descriptor.full_name}: its "
                f"message indexes are {indexes}"
            )

    def _record_name(self, schema: Schema) -> str | None:
        name: str = self._kind.DESCRIPTOR.full_name
        return name

    async def _reader(
        self, written: Schema | None, wanted: Schema | None, name: str
    ) -> Callable[[bytes], Any]:
        read, called = self._kind.FromString, self._kind.DESCRIPTOR.full_name

        def work(payload: bytes) -> Any:
            try:
                return read(payload)
            except DecodeError as error:
                raise SerializationError(f"{name} ({called}): {error}") from error

        return work


class ProtobufDeserializer(_ProtobufDeserializing, BlockingDeserializer):
    """Deserializes Protobuf messages that were written with a registry's schema.

    Args:
        message_type: the class of the messages.
        conf: the keys of AvroDeserializer, plus ``use.deprecated.format`` (only False is
            supported).
        schema_registry_client: the registry, or None. A registry must have the schema of each
            message; the message indexes must name a message with the class's name in this schema.
            Without a registry, the indexes must name it in the file of the class.
        rule_conf: must be None, because this client runs no rules.
        rule_registry: must be None.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a key of the configuration is unknown, or has a wrong value.
    """


class AsyncProtobufDeserializer(_ProtobufDeserializing, AwaitingDeserializer):
    """The asyncio ProtobufDeserializer, for AsyncSchemaRegistryClient. Await its calls.

    The arguments and errors are the same as for ProtobufDeserializer.
    """


@dataclass(eq=False, repr=False)
class ProtobufSerializerBuilder(BuilderWithMessageType, BuilderOfSerializer):
    """Makes a ProtobufSerializer for a producer.

    Args:
        schema_registry_config: the configuration of the registry's client.
        schema_registry_client: the client to use; None to make one from the configuration.
        message_type: the class of the messages.
        serializer_config: see ProtobufSerializer.
        rule_config: see ProtobufSerializer.
        rule_registry: see ProtobufSerializer.
        serializer_init: called with the serializer.
    """

    _kind: ClassVar[type[Any]] = ProtobufSerializer
    _renamed: ClassVar = {**BuilderWithMessageType._renamed, "message_type": "msg_type"}

    schema_registry_config: Mapping[str, Any] | None = None
    schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient | None = None
    message_type: Any = None
    serializer_config: Mapping[str, Any] | None = None
    rule_config: dict[str, Any] | None = None
    rule_registry: Any = None
    serializer_init: Callable[[Any], object] | None = None


class AsyncProtobufSerializerBuilder(ProtobufSerializerBuilder):
    """Makes an AsyncProtobufSerializer; the arguments are as for ProtobufSerializerBuilder."""

    _kind = AsyncProtobufSerializer
    _awaiting = True


@dataclass(eq=False, repr=False)
class ProtobufDeserializerBuilder(BuilderWithMessageType, BuilderOfDeserializer):
    """Makes a ProtobufDeserializer for a consumer.

    Args:
        schema_registry_config: the configuration of the registry's client.
        schema_registry_client: the client to use. If neither a client nor a configuration is given,
            the deserializer asks no registry.
        message_type: the class of the messages.
        deserializer_config: see ProtobufDeserializer.
        rule_config: see ProtobufDeserializer.
        rule_registry: see ProtobufDeserializer.
        deserializer_init: called with the deserializer.
    """

    _kind: ClassVar[type[Any]] = ProtobufDeserializer
    _works_without_registry = True

    schema_registry_config: Mapping[str, Any] | None = None
    schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient | None = None
    message_type: Any = None
    deserializer_config: Mapping[str, Any] | None = None
    rule_config: dict[str, Any] | None = None
    rule_registry: Any = None
    deserializer_init: Callable[[Any], object] | None = None


class AsyncProtobufDeserializerBuilder(ProtobufDeserializerBuilder):
    """Makes an AsyncProtobufDeserializer; the arguments are as for ProtobufDeserializerBuilder."""

    _kind = AsyncProtobufDeserializer
    _awaiting = True
