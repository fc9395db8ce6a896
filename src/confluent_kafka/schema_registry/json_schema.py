"""JSON with JSON Schemas of a schema registry; it needs the extra [json]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from confluent_kafka.error import SerializationError
from confluent_kafka.serialization import (
    SerializationContext,
)

from . import _json
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
from ._json import get_inline_tags, get_type
from ._json_validation import checker, parse
from .schema import Schema
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient

__all__ = [
    "AsyncJSONDeserializer",
    "AsyncJSONDeserializerBuilder",
    "AsyncJSONSerializer",
    "AsyncJSONSerializerBuilder",
    "JSONDeserializer",
    "JSONDeserializerBuilder",
    "JSONSerializer",
    "JSONSerializerBuilder",
    "get_inline_tags",
    "get_type",
]

ToDict = Callable[[Any, SerializationContext | None], Any]
FromDict = Callable[[Any, SerializationContext | None], Any]
# The exceptions that encoders raise for objects, and decoders for bytes.
_FAILURES = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


def _schema_of(schema_str: str | Schema | None) -> Schema | None:
    if schema_str is None or isinstance(schema_str, Schema):
        return schema_str
    if not isinstance(schema_str, str):
        kind = type(schema_str).__name__
        raise TypeError(f"schema_str must be a str or a Schema, not {kind}")
    return Schema(schema_str, "JSON")


class _JSONSerializing(SerializerCore):
    _type = "JSON"

    def __init__(
        self,
        schema_str: str | Schema | None,
        schema_registry_client: Any,
        to_dict: ToDict | None = None,
        conf: Mapping[str, Any] | None = None,
        rule_conf: dict[str, Any] | None = None,
        rule_registry: Any = None,
        json_encode: Callable[[Any], str | bytes] | None = None,
    ) -> None:
        super().__init__()
        refuse_rule_arguments(rule_conf, rule_registry)
        self._to_dict = callable_or_none(
            "to_dict", to_dict, "to_dict(object, SerializationContext) -> dict"
        )
        given = callable_or_none("json_encode", json_encode, "json_encode(object) -> str or bytes")
        self._encode = given or _json.encode
        defaults = SERIALIZER_DEFAULTS | {"validate": True}
        options = self._configure(schema_registry_client, conf, defaults)
        self._validate: bool = options["validate"]
        self._schema = _schema_of(schema_str)
        if self._schema is not None:
            self._name = _json.title(parse(self._schema.schema_str, "schema_str"))

    async def _own_schema(self, ctx: SerializationContext | None) -> Schema:
        return self._needed(self._schema)

    async def _writer(self, schema: Schema, subject: str) -> Callable[[Any], bytes]:
        where = f"the schema of subject {subject!r}"
        parsed = parse(schema.schema_str, where)
        check = None
        if self._validate:
            check = checker(parsed, await self._referenced(schema), where)
        encode = self._encode

        def work(obj: Any) -> bytes:
            if check is not None:
                check(obj)
            try:
                text = encode(obj)
                return text.encode() if isinstance(text, str) else text
            except _FAILURES as error:
                called = _json.title(parsed) or "no title"
                raise SerializationError(f"{where} ({called}): {error}") from error

        return work


class JSONSerializer(_JSONSerializing, BlockingSerializer):
    """Serializes objects as JSON, with the id of their JSON Schema.

    Args:
        schema_str: the schema of the objects; its title names their type. None if the registry has
            it (``use.latest.version`` and similar).
        schema_registry_client: the registry.
        to_dict: converts an object, with its SerializationContext, to the form to encode.
        conf: the keys of AvroSerializer except ``validate.strict`` and
            ``validate.strict.allow.default``, plus ``validate`` (True): whether objects are
            validated.
        rule_conf: must be None, because this client runs no rules.
        rule_registry: must be None.
        json_encode: converts an object to text or bytes; orjson's if it is installed.

    Raises:
        SchemaParseException: the schema is not a JSON Schema.
        TypeError: an argument has a wrong type.
        ValueError: a key of the configuration is unknown, or has a wrong value.
    """


class AsyncJSONSerializer(_JSONSerializing, AwaitingSerializer):
    """The asyncio JSONSerializer, for AsyncSchemaRegistryClient. Await its calls.

    The arguments and errors are the same as for JSONSerializer.
    """


class _JSONDeserializing(DeserializerCore):
    _type = "JSON"

    def __init__(
        self,
        schema_str: str | Schema | None,
        from_dict: FromDict | None = None,
        schema_registry_client: Any = None,
        conf: Mapping[str, Any] | None = None,
        rule_conf: dict[str, Any] | None = None,
        rule_registry: Any = None,
        json_decode: Callable[[bytes], Any] | None = None,
    ) -> None:
        super().__init__()
        refuse_rule_arguments(rule_conf, rule_registry)
        self._from_dict = callable_or_none(
            "from_dict", from_dict, "from_dict(dict, SerializationContext) -> object"
        )
        given = callable_or_none("json_decode", json_decode, "json_decode(bytes) -> object")
        self._decode = given or _json.decode
        defaults = DESERIALIZER_DEFAULTS | {"validate": True}
        options = self._configure(schema_registry_client, conf, defaults)
        self._validate: bool = options["validate"]
        self._schema = _schema_of(schema_str)
        if self._schema is not None:
            parse(self._schema.schema_str, "schema_str")
            if self._schema.references and schema_registry_client is None:
                raise ValueError("a schema with references needs a schema_registry_client")
        elif schema_registry_client is None:
            raise ValueError("schema_registry_client is required if schema_str is None")

    def _record_name(self, schema: Schema) -> str | None:
        return _json.title(parse(schema.schema_str, "the schema"))

    async def _reader(
        self, written: Schema | None, wanted: Schema | None, name: str
    ) -> Callable[[bytes], Any]:
        schema = wanted or self._schema or written
        assert schema is not None
        where = name if schema is not self._schema else "the reader's schema"
        parsed = parse(schema.schema_str, where)
        check = None
        if self._validate:
            check = checker(parsed, await self._referenced(schema), where)
        decode = self._decode

        def work(payload: bytes) -> Any:
            try:
                obj = decode(payload)
            except _FAILURES as error:
                raise SerializationError(f"a message of {name} is not JSON: {error}") from error
            if check is not None:
                check(obj)
            return obj

        return work


class JSONDeserializer(_JSONDeserializing, BlockingDeserializer):
    """Deserializes JSON that was written with a registry's schema.

    Args:
        schema_str: the schema that validates objects; None for the schema that they were written
            with.
        from_dict: converts the decoded form, with its SerializationContext, to an object.
        schema_registry_client: the registry; may be None for a schema without references.
        conf: the keys of AvroDeserializer, plus ``validate`` (True): whether objects are validated.
        rule_conf: must be None, because this client runs no rules.
        rule_registry: must be None.
        json_decode: converts bytes to an object; orjson's if it is installed.

    Raises:
        SchemaParseException: the schema is not a JSON Schema.
        TypeError: an argument has a wrong type.
        ValueError: a key of the configuration is unknown, or has a wrong value.
    """


class AsyncJSONDeserializer(_JSONDeserializing, AwaitingDeserializer):
    """The asyncio JSONDeserializer, for AsyncSchemaRegistryClient. Await its calls.

    The arguments and errors are the same as for JSONDeserializer.
    """


@dataclass(eq=False, repr=False)
class JSONSerializerBuilder(BuilderWithSchema, BuilderOfSerializer):
    """Makes a JSONSerializer for a producer.

    Args:
        schema_registry_config: the configuration of the registry's client.
        schema_registry_client: the client to use; None to make one from the configuration.
        schema: see JSONSerializer.
        to_dict: see JSONSerializer.
        serializer_config: see JSONSerializer.
        rule_config: see JSONSerializer.
        rule_registry: see JSONSerializer.
        json_encode: see JSONSerializer.
        serializer_init: called with the serializer.
    """

    _kind: ClassVar[type[Any]] = JSONSerializer

    schema_registry_config: Mapping[str, Any] | None = None
    schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient | None = None
    schema: str | Schema | None = None
    to_dict: ToDict | None = None
    serializer_config: Mapping[str, Any] | None = None
    rule_config: dict[str, Any] | None = None
    rule_registry: Any = None
    json_encode: Callable[[Any], str | bytes] | None = None
    serializer_init: Callable[[Any], object] | None = None

    def set_to_dict(self, to_dict: ToDict | None) -> Self:
        """Set the function that converts an object to the form to encode."""
        return self._set("to_dict", to_dict)

    def set_json_encode(self, json_encode: Callable[[Any], str | bytes] | None) -> Self:
        """Set the function that encodes an object to text or bytes."""
        return self._set("json_encode", json_encode)


class AsyncJSONSerializerBuilder(JSONSerializerBuilder):
    """Makes an AsyncJSONSerializer; the arguments are the same as for JSONSerializerBuilder."""

    _kind = AsyncJSONSerializer
    _awaiting = True


@dataclass(eq=False, repr=False)
class JSONDeserializerBuilder(BuilderWithSchema, BuilderOfDeserializer):
    """Makes a JSONDeserializer for a consumer.

    Args:
        schema_registry_config: the configuration of the registry's client.
        schema_registry_client: the client to use. If neither a client nor a configuration is given,
            the deserializer asks no registry.
        schema: see JSONDeserializer.
        from_dict: see JSONDeserializer.
        deserializer_config: see JSONDeserializer.
        rule_config: see JSONDeserializer.
        rule_registry: see JSONDeserializer.
        json_decode: see JSONDeserializer.
        deserializer_init: called with the deserializer.
    """

    _kind: ClassVar[type[Any]] = JSONDeserializer
    _works_without_registry = True

    schema_registry_config: Mapping[str, Any] | None = None
    schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient | None = None
    schema: str | Schema | None = None
    from_dict: FromDict | None = None
    deserializer_config: Mapping[str, Any] | None = None
    rule_config: dict[str, Any] | None = None
    rule_registry: Any = None
    json_decode: Callable[[bytes], Any] | None = None
    deserializer_init: Callable[[Any], object] | None = None

    def set_from_dict(self, from_dict: FromDict | None) -> Self:
        """Set the function that converts the decoded form to an object."""
        return self._set("from_dict", from_dict)

    def set_json_decode(self, json_decode: Callable[[bytes], Any] | None) -> Self:
        """Set the function that decodes bytes to an object."""
        return self._set("json_decode", json_decode)


class AsyncJSONDeserializerBuilder(JSONDeserializerBuilder):
    """Makes an AsyncJSONDeserializer; the arguments are the same as for JSONDeserializerBuilder."""

    _kind = AsyncJSONDeserializer
    _awaiting = True
