"""Builders of serializers and deserializers, which a client owns and closes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

from confluent_kafka.serialization import DeserializerBuilder, SerializerBuilder
from confluent_kafka.serialization._coroutines import run

from .schema import Schema
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient
from .serde import async_build_serde, build_serde


class Builder:
    """The base of the builders of all formats: it has the registry's configuration and client.

    Builders are dataclasses. Their constructors take the fields, and ``set_...()`` sets a field
    later.
    """

    _kind: ClassVar[type[Any]]
    _awaiting: ClassVar[bool] = False
    # Whether a serde of this kind can work without a registry.
    _works_without_registry: ClassVar[bool] = False
    # Fields that have another name in the serdes.
    _renamed: ClassVar[Mapping[str, str]] = {
        "schema": "schema_str",
        "serializer_config": "conf",
        "deserializer_config": "conf",
        "rule_config": "rule_conf",
    }

    schema_registry_config: Mapping[str, Any] | None
    schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient | None
    rule_config: dict[str, Any] | None
    rule_registry: Any

    def _set(self, name: str, value: Any) -> Self:
        setattr(self, name, value)
        return self

    def set_schema_registry_config(self, schema_registry_conf: Mapping[str, Any]) -> Self:
        """Set the configuration of the registry's client, which is closed with the serde."""
        return self._set("schema_registry_config", schema_registry_conf)

    def set_schema_registry_client(
        self, schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient
    ) -> Self:
        """Set the registry's client."""
        return self._set("schema_registry_client", schema_registry_client)

    def set_rule_config(self, rule_conf: dict[str, Any] | None) -> Self:
        """Set the configuration of rules. It must be empty, because this client runs no rules."""
        return self._set("rule_config", rule_conf)

    def set_rule_registry(self, rule_registry: Any) -> Self:
        """Set the registry of rules. It must be empty, because this client runs no rules."""
        return self._set("rule_registry", rule_registry)

    def _construct(self, client: Any) -> Any:
        own = {"schema_registry_config", "serializer_init", "deserializer_init"}
        names = [one.name for one in fields(self) if one.name not in own]  # type: ignore[arg-type]
        options = {self._renamed.get(name, name): getattr(self, name) for name in names}
        return self._kind(**options | {"schema_registry_client": client})

    def _build(
        self, conf: dict[str, Any], init: Callable[[Any], object] | None
    ) -> tuple[Any, dict[str, Any]]:
        client: Any = self.schema_registry_client
        client_conf = self.schema_registry_config
        if self._works_without_registry and client is None and client_conf is None:
            serde = self._construct(None)
            if init is not None:
                init(serde)
        elif self._awaiting:

            async def construct(made: Any) -> Any:
                return self._construct(made)

            # Nothing here waits: the serde asks the registry with its first message.
            serde = run(async_build_serde(client, client_conf, construct, init))
        else:
            serde = build_serde(client, client_conf, self._construct, init)
        return serde, conf


class BuilderOfSerializer(Builder, SerializerBuilder):
    """The base of builders of serializers."""

    serializer_config: Mapping[str, Any] | None
    serializer_init: Callable[[Any], object] | None

    def set_serializer_config(self, serializer_conf: Mapping[str, Any] | None) -> Self:
        """Set the configuration of the serializer."""
        return self._set("serializer_config", serializer_conf)

    def set_serializer_init(self, serializer_init: Callable[[Any], object] | None) -> Self:
        """Set the function to call with the serializer."""
        return self._set("serializer_init", serializer_init)

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Any, dict[str, Any]]:
        """Return the serializer, and the client's configuration unchanged."""
        return self._build(conf, self.serializer_init)


class BuilderOfDeserializer(Builder, DeserializerBuilder):
    """The base of builders of deserializers."""

    deserializer_config: Mapping[str, Any] | None
    deserializer_init: Callable[[Any], object] | None

    def set_deserializer_config(self, deserializer_conf: Mapping[str, Any] | None) -> Self:
        """Set the configuration of the deserializer."""
        return self._set("deserializer_config", deserializer_conf)

    def set_deserializer_init(self, deserializer_init: Callable[[Any], object] | None) -> Self:
        """Set the function to call with the deserializer."""
        return self._set("deserializer_init", deserializer_init)

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Any, dict[str, Any]]:
        """Return the deserializer, and the client's configuration unchanged."""
        return self._build(conf, self.deserializer_init)


class BuilderWithSchema(Builder):
    """The base of builders of serdes that have a schema."""

    schema: str | Schema | None

    def set_schema(self, schema_str: str | Schema | None) -> Self:
        """Set the schema of the written objects, or the reader's schema."""
        return self._set("schema", schema_str)


class BuilderWithMessageType(Builder):
    """The base of builders of serdes of Protobuf messages."""

    message_type: Any

    def set_message_type(self, msg_type: Any) -> Self:
        """Set the class of the messages."""
        return self._set("message_type", msg_type)
