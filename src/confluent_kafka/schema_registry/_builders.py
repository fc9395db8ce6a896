"""Builders: serdes that a client makes, and closes with itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from confluent_kafka.serialization import DeserializerBuilder, SerializerBuilder
from confluent_kafka.serialization._coroutines import run

from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient
from .serde import async_build_serde, build_serde


class Builder:
    """The base of builders of all formats: the registry and its client."""

    _kind: type[Any]
    _awaiting = False
    # Whether there are serdes of this kind that ask no registry.
    _works_without_registry = False

    def __init__(self, client_conf: Any, client: Any, options: dict[str, Any], init: Any) -> None:
        self._client_conf: Mapping[str, Any] | None = client_conf
        self._client: Any = client
        self._options = options
        self._init: Callable[[Any], object] | None = init

    def _set(self, name: str, value: Any) -> Self:
        self._options[name] = value
        return self

    def set_schema_registry_config(self, schema_registry_conf: Mapping[str, Any]) -> Self:
        """Set the configuration of the registry's client, which is closed with the serde."""
        self._client_conf = schema_registry_conf
        return self

    def set_schema_registry_client(
        self, schema_registry_client: SchemaRegistryClient | AsyncSchemaRegistryClient
    ) -> Self:
        """Set the registry's client."""
        self._client = schema_registry_client
        return self

    def set_rule_config(self, rule_conf: dict[str, Any] | None) -> Self:
        """Set the configuration of rules: must be empty, since this client runs none."""
        return self._set("rule_conf", rule_conf)

    def set_rule_registry(self, rule_registry: Any) -> Self:
        """Set the registry of rules: must be empty, since this client runs none."""
        return self._set("rule_registry", rule_registry)

    def _construct(self, client: Any) -> Any:
        return self._kind(schema_registry_client=client, **self._options)

    def _build(self, conf: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        client, client_conf = self._client, self._client_conf
        if self._works_without_registry and client is None and client_conf is None:
            serde = self._construct(None)
            if self._init is not None:
                self._init(serde)
        elif self._awaiting:

            async def construct(made: Any) -> Any:
                return self._construct(made)

            # Nothing in it waits: the registry is asked with the first message.
            serde = run(async_build_serde(client, client_conf, construct, self._init))
        else:
            serde = build_serde(client, client_conf, self._construct, self._init)
        return serde, conf


class BuilderOfSerializer(Builder, SerializerBuilder):
    """The base of builders of serializers."""

    def set_serializer_config(self, serializer_conf: Mapping[str, Any] | None) -> Self:
        """Set the configuration of the serializer."""
        return self._set("conf", serializer_conf)

    def set_serializer_init(self, serializer_init: Callable[[Any], object] | None) -> Self:
        """Set the function to call with the serializer."""
        self._init = serializer_init
        return self

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Any, dict[str, Any]]:
        """Return the serializer, and the configuration as it is."""
        return self._build(conf)


class BuilderOfDeserializer(Builder, DeserializerBuilder):
    """The base of builders of deserializers."""

    def set_deserializer_config(self, deserializer_conf: Mapping[str, Any] | None) -> Self:
        """Set the configuration of the deserializer."""
        return self._set("conf", deserializer_conf)

    def set_deserializer_init(self, deserializer_init: Callable[[Any], object] | None) -> Self:
        """Set the function to call with the deserializer."""
        self._init = deserializer_init
        return self

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Any, dict[str, Any]]:
        """Return the deserializer, and the configuration as it is."""
        return self._build(conf)
