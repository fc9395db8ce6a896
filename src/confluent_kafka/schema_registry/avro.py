"""Avro with a schema registry; it needs the extra [avro]."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from confluent_kafka.serialization import (
    SerializationContext,
)

from . import _avro
from ._avro import LocalSchemaRepository, get_inline_tags, get_type, parse_schema_with_repo
from ._builders import BuilderOfDeserializer, BuilderOfSerializer, BuilderWithSchema
from ._core import (
    DESERIALIZER_DEFAULTS,
    SERIALIZER_DEFAULTS,
    AwaitingDeserializer,
    AwaitingSerializer,
    BlockingDeserializer,
    BlockingSerializer,
    DeserializerCore,
    SerializerCore,
    callable_or_none,
    refuse_rule_arguments,
)
from .schema import Schema
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient

__all__ = [
    "AsyncAvroDeserializer",
    "AsyncAvroDeserializerBuilder",
    "AsyncAvroSerializer",
    "AsyncAvroSerializerBuilder",
    "AvroDeserializer",
    "AvroDeserializerBuilder",
    "AvroSerializer",
    "AvroSerializerBuilder",
    "LocalSchemaRepository",
    "get_inline_tags",
    "get_type",
    "parse_schema_with_repo",
]

_WRITER_DEFAULTS = SERIALIZER_DEFAULTS | {
    "validate.strict": False,
    "validate.strict.allow.default": False,
}

ToDict = Callable[[Any, SerializationContext | None], Any]
FromDict = Callable[[Any, SerializationContext | None], Any]


def _schema_of(schema_str: str | Schema | None) -> Schema | None:
    if schema_str is None or isinstance(schema_str, Schema):
        return schema_str
    if not isinstance(schema_str, str):
        kind = type(schema_str).__name__
        raise TypeError(f"schema_str must be a str or a Schema, not {kind}")
    # The bare name of a primitive type is not JSON, which registries require.
    bare = schema_str.strip()
    return Schema(json.dumps(bare) if bare.isalpha() else schema_str, "AVRO")


class _AvroSerializing(SerializerCore):
    _type = "AVRO"

    def __init__(
        self,
        schema_registry_client: Any,
        schema_str: str | Schema | None = None,
        to_dict: ToDict | None = None,
        conf: Mapping[str, Any] | None = None,
        rule_conf: dict[str, Any] | None = None,
        rule_registry: Any = None,
    ) -> None:
        super().__init__()
        refuse_rule_arguments(rule_conf, rule_registry)
        self._to_dict = callable_or_none(
            "to_dict", to_dict, "to_dict(object, SerializationContext) -> dict"
        )
        options = self._configure(schema_registry_client, conf, _WRITER_DEFAULTS)
        self._strict: bool = options["validate.strict"]
        self._strict_allow_default: bool = options["validate.strict.allow.default"]
        self._schema = _schema_of(schema_str)
        if self._schema is not None and not self._schema.references:
            # An invalid schema is refused here instead of with the first message.
            self._name = _avro.parse(self._schema, {}, "schema_str").name
        elif self._schema is not None:
            self._name = _avro.unparsed_name(self._schema.schema_str)

    async def _own_schema(self, ctx: SerializationContext | None) -> Schema:
        return self._needed(self._schema)

    async def _writer(self, schema: Schema, subject: str) -> Callable[[Any], bytes]:
        where = f"the schema of subject {subject!r}"
        parsed = _avro.parse(schema, await self._referenced(schema), where)
        if _avro.is_bytes(parsed):
            return _avro.raw_writer(where)
        return _avro.writer(parsed, where, self._strict, self._strict_allow_default)


class AvroSerializer(_AvroSerializing, BlockingSerializer):
    """Serializes objects as Avro, with the id of their schema.

    Args:
        schema_registry_client: the registry.
        schema_str: the schema of the objects; None if the registry has it (``use.latest.version``
            and similar).
        to_dict: converts an object, with its SerializationContext, to the form that fastavro
            writes.
        conf: ``auto.register.schemas`` (True), ``normalize.schemas`` (False),
            ``use.latest.version`` (False), ``use.latest.with.metadata`` (None: a dict of
            properties), ``use.schema.id`` (None), ``schema.id.serializer``
            (prefix_schema_id_serializer), ``subject.name.strategy``,
            ``subject.name.strategy.type``, ``subject.name.strategy.conf``,
            ``validate.strict`` (False) and ``validate.strict.allow.default`` (False).
        rule_conf: must be None, because this client runs no rules.
        rule_registry: must be None.

    Raises:
        SchemaParseException: the schema is not an Avro schema.
        TypeError: an argument has a wrong type.
        ValueError: a key of the configuration is unknown, or has a wrong value.
    """


class AsyncAvroSerializer(_AvroSerializing, AwaitingSerializer):
    """The asyncio AvroSerializer, for AsyncSchemaRegistryClient. Await its calls.

    The arguments and errors are the same as for AvroSerializer.
    """


class _AvroDeserializing(DeserializerCore):
    _type = "AVRO"

    def __init__(
        self,
        schema_registry_client: Any,
        schema_str: str | Schema | None = None,
        from_dict: FromDict | None = None,
        return_record_name: bool = False,
        conf: Mapping[str, Any] | None = None,
        rule_conf: dict[str, Any] | None = None,
        rule_registry: Any = None,
    ) -> None:
        super().__init__()
        if schema_registry_client is None:
            raise TypeError("schema_registry_client must not be None")
        refuse_rule_arguments(rule_conf, rule_registry)
        self._from_dict = callable_or_none(
            "from_dict", from_dict, "from_dict(dict, SerializationContext) -> object"
        )
        if not isinstance(return_record_name, bool):
            kind = type(return_record_name).__name__
            raise ValueError(f"return_record_name must be a bool, not {kind}")
        self._with_names = return_record_name
        self._configure(schema_registry_client, conf, DESERIALIZER_DEFAULTS)
        self._schema = _schema_of(schema_str)
        if self._schema is not None and not self._schema.references:
            _avro.parse(self._schema, {}, "schema_str")

    def _record_name(self, schema: Schema) -> str | None:
        return _avro.unparsed_name(schema.schema_str)

    async def _reader(
        self, written: Schema | None, wanted: Schema | None, name: str
    ) -> Callable[[bytes], Any]:
        assert written is not None
        wanted = wanted or self._schema
        parsed = _avro.parse(written, await self._referenced(written), name)
        if _avro.is_bytes(parsed):
            return bytes
        other = None
        if wanted is not None and wanted.schema_str != written.schema_str:
            other = _avro.parse(wanted, await self._referenced(wanted), "the reader's schema")
        return _avro.reader(parsed, other, name, self._with_names)


class AvroDeserializer(_AvroDeserializing, BlockingDeserializer):
    """Deserializes Avro that was written with a registry's schema.

    Args:
        schema_registry_client: the registry.
        schema_str: the reader's schema; None for the schema that the objects were written with.
        from_dict: converts an object that fastavro read, with its SerializationContext, to another
            object.
        return_record_name: whether records in unions are pairs of a name and the record.
        conf: ``use.latest.version`` (False), ``use.latest.with.metadata`` (None),
            ``schema.id.deserializer`` (dual_schema_id_deserializer), ``subject.name.strategy``,
            ``subject.name.strategy.type`` and ``subject.name.strategy.conf``.
        rule_conf: must be None, because this client runs no rules.
        rule_registry: must be None.

    Raises:
        SchemaParseException: the schema is not an Avro schema.
        TypeError: an argument has a wrong type.
        ValueError: a key of the configuration is unknown, or has a wrong value.
    """


class AsyncAvroDeserializer(_AvroDeserializing, AwaitingDeserializer):
    """The asyncio AvroDeserializer, for AsyncSchemaRegistryClient. Await its calls.

    The arguments and errors are the same as for AvroDeserializer.
    """


@dataclass(eq=False, repr=False)
class AvroSerializerBuilder(BuilderWithSchema, BuilderOfSerializer):
    """Makes an AvroSerializer for a producer.

    Args:
        schema_registry_config: the configuration of the registry's client.
        schema_registry_client: the client to use; None to make one from the configuration.
        schema: see AvroSerializer.
        to_dict: see AvroSerializer.
        serializer_config: see AvroSerializer.
        rule_config: see AvroSerializer.
        rule_registry: see AvroSerializer.
        serializer_init: called with the serializer.
    """

    _kind: ClassVar[type[Any]] = AvroSerializer

    schema_registry_config: Mapping[str, Any] | None = None
    schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient | None = None
    schema: str | Schema | None = None
    to_dict: ToDict | None = None
    serializer_config: Mapping[str, Any] | None = None
    rule_config: dict[str, Any] | None = None
    rule_registry: Any = None
    serializer_init: Callable[[Any], object] | None = None

    def set_to_dict(self, to_dict: ToDict | None) -> Self:
        """Set the function that converts an object to the form that fastavro writes."""
        return self._set("to_dict", to_dict)


class AsyncAvroSerializerBuilder(AvroSerializerBuilder):
    """Makes an AsyncAvroSerializer; the arguments are the same as for AvroSerializerBuilder."""

    _kind = AsyncAvroSerializer
    _awaiting = True


@dataclass(eq=False, repr=False)
class AvroDeserializerBuilder(BuilderWithSchema, BuilderOfDeserializer):
    """Makes an AvroDeserializer for a consumer.

    Args:
        schema_registry_config: the configuration of the registry's client.
        schema_registry_client: the client to use; None to make one from the configuration.
        schema: see AvroDeserializer.
        from_dict: see AvroDeserializer.
        return_record_name: see AvroDeserializer.
        deserializer_config: see AvroDeserializer.
        rule_config: see AvroDeserializer.
        rule_registry: see AvroDeserializer.
        deserializer_init: called with the deserializer.
    """

    _kind: ClassVar[type[Any]] = AvroDeserializer

    schema_registry_config: Mapping[str, Any] | None = None
    schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient | None = None
    schema: str | Schema | None = None
    from_dict: FromDict | None = None
    return_record_name: bool = False
    deserializer_config: Mapping[str, Any] | None = None
    rule_config: dict[str, Any] | None = None
    rule_registry: Any = None
    deserializer_init: Callable[[Any], object] | None = None

    def set_from_dict(self, from_dict: FromDict | None) -> Self:
        """Set the function that converts an object that fastavro read to another object."""
        return self._set("from_dict", from_dict)

    def set_return_record_name(self, return_record_name: bool) -> Self:
        """Set whether records in unions are pairs of a name and the record."""
        return self._set("return_record_name", return_record_name)


class AsyncAvroDeserializerBuilder(AvroDeserializerBuilder):
    """Makes an AsyncAvroDeserializer; the arguments are the same as for AvroDeserializerBuilder."""

    _kind = AsyncAvroDeserializer
    _awaiting = True
