"""The schema registry's client for Avro, under its former name."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self, TypeVar

from confluent_kafka.schema_registry import (
    ConfigCompatibilityLevel,
    Schema,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from confluent_kafka.schema_registry._both import both
from confluent_kafka.schema_registry._core import referenced
from confluent_kafka.schema_registry._http import _ACCEPT as ACCEPT_HDR
from confluent_kafka.schema_registry._settings import read_settings
from confluent_kafka.schema_registry.error import OAuthTokenError
from confluent_kafka.serialization._coroutines import run

from ._conf import translate
from ._schema import AvroSchema, as_schema, from_registry
from .error import ClientError

__all__ = ["ACCEPT_HDR", "CachedSchemaRegistryClient"]

T = TypeVar("T")
Version = tuple[int | None, AvroSchema | None, int | None]

_NOT_FOUND = 404
_URL_DEPRECATED = (
    "CachedSchemaRegistryClient with a URL and locations of certificates is deprecated: give a "
    "dict with the keys 'url', 'ssl.ca.location', 'ssl.certificate.location' and "
    "'ssl.key.location', or use confluent_kafka.schema_registry.SchemaRegistryClient"
)


class CachedSchemaRegistryClient:
    """A client of a schema registry for Avro schemas: SchemaRegistryClient with its former API.

    Args:
        url: a dict with the keys of SchemaRegistryClient, ``auto.register.schemas`` (default True),
            and ``basic.auth.credentials.source``: ``URL``, ``USER_INFO``, or ``SASL_INHERIT``,
            which uses ``sasl.username`` and ``sasl.password``. You can also pass only the URL, as a
            str; this is deprecated.
        max_schemas_per_subject: how many schemas to cache.
        ca_location: deprecated, the key ``ssl.ca.location``.
        cert_location: deprecated, the key ``ssl.certificate.location``.
        key_location: deprecated, the key ``ssl.key.location``.

    Raises:
        TypeError: a value has a wrong type.
        ValueError: a key is unknown or missing, or a value is out of range.
    """

    def __init__(
        self,
        url: Mapping[str, Any] | str,
        max_schemas_per_subject: int = 1000,
        ca_location: str | None = None,
        cert_location: str | None = None,
        key_location: str | None = None,
    ) -> None:
        if not isinstance(url, Mapping):
            warnings.warn(_URL_DEPRECATED, DeprecationWarning, stacklevel=2)
        if not isinstance(max_schemas_per_subject, int) or max_schemas_per_subject < 1:
            given = max_schemas_per_subject
            raise ValueError(f"max_schemas_per_subject must be an int above 0, not {given!r:.100}")
        locations = {
            "ssl.ca.location": ca_location,
            "ssl.certificate.location": cert_location,
            "ssl.key.location": key_location,
        }
        conf: dict[str, Any] = {"cache.capacity": max_schemas_per_subject}
        conf |= {name: value for name, value in locations.items() if value is not None}
        conf |= url if isinstance(url, Mapping) else {"url": url}
        self.auto_register_schemas: bool
        self._conf, self.auto_register_schemas = translate(conf)
        self.url: str = ",".join(read_settings(self._conf).urls)
        self.id_to_schema: dict[int, AvroSchema] = {}
        """Cached schemas by id; get_by_id() needs no request for them."""
        self._lock = threading.Lock()
        self._opened: SchemaRegistryClient | None = None

    @property
    def _client(self) -> SchemaRegistryClient:
        """The client. It is made at its first use, because making it reads certificate files."""
        with self._lock:
            if self._opened is None:
                self._opened = SchemaRegistryClient(self._conf)
            return self._opened

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the registry."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()

    def register(self, subject: str, avro_schema: AvroSchema | str) -> int:
        """Register a schema under a subject, unless it is registered, and return its id.

        Args:
            subject: the subject.
            avro_schema: the schema.

        Raises:
            ClientError: the registry refuses the request or cannot be reached.
        """
        schema = as_schema(avro_schema, "avro_schema")
        with _client_errors():
            schema_id = self._client.register_schema(subject, schema.definition)
        return self._keep(schema_id, schema)

    def check_registration(self, subject: str, avro_schema: AvroSchema | str) -> int:
        """Return the id of a schema that is registered under a subject.

        Args:
            subject: the subject.
            avro_schema: the schema.

        Raises:
            ClientError: the subject does not have the schema; the registry refuses the request or
                cannot be reached.
        """
        schema = as_schema(avro_schema, "avro_schema")
        with _client_errors():
            found = self._client.lookup_schema(subject, schema.definition).schema_id
        if found is None:
            raise ClientError(f"the registry returned no id for the schema of {subject!r}")
        return self._keep(found, schema)

    def get_version(self, subject: str, avro_schema: AvroSchema | str) -> int | None:
        """Return the version of a schema under a subject; None if the subject does not have it.

        Args:
            subject: the subject.
            avro_schema: the schema.

        Raises:
            ClientError: the registry refuses the request or cannot be reached.
        """
        definition = as_schema(avro_schema, "avro_schema").definition
        found = _unless_absent(lambda: self._client.lookup_schema(subject, definition))
        return None if found is None else found.version

    def get_by_id(self, schema_id: int) -> AvroSchema | None:
        """Return the schema with an id; None if there is none.

        Args:
            schema_id: the id.

        Raises:
            ClientError: the registry refuses the request or cannot be reached, or the schema is
                not Avro.
        """
        known = self.id_to_schema.get(schema_id)
        if known is not None:
            return known
        definition = _unless_absent(lambda: self._client.get_schema(schema_id))
        if definition is None:
            return None
        schema = self._schema_of(definition, f"schema {schema_id}")
        self._keep(schema_id, schema)
        return schema

    def get_latest_schema(self, subject: str) -> Version:
        """Return a subject's latest (id, schema, version); all are None if there is none.

        Args:
            subject: the subject.

        Raises:
            ClientError: the registry refuses the request or cannot be reached, or the schema is
                not Avro.
        """
        return self.get_by_version(subject, "latest")

    def get_by_version(self, subject: str, version: int | str) -> Version:
        """Return (id, schema, version) of one version of a subject. All are None if there is none.

        Args:
            subject: the subject.
            version: its number, or ``latest``.

        Raises:
            ClientError: the registry refuses the request or cannot be reached, or the schema is
                not Avro.
        """
        found = _unless_absent(lambda: self._client.get_version(subject, version))
        if found is None:
            return None, None, None
        schema = self._schema_of(found.schema, f"version {version} of subject {subject!r}")
        return found.schema_id, schema, found.version

    def delete_subject(self, subject: str) -> list[int]:
        """Delete a subject and return the versions that it had.

        Args:
            subject: the subject.

        Raises:
            ClientError: there is no such subject; the registry refuses the request or cannot be
                reached.
        """
        with _client_errors():
            return self._client.delete_subject(subject)

    def test_compatibility(
        self, subject: str, avro_schema: AvroSchema | str, version: int | str = "latest"
    ) -> bool:
        """Return whether a schema is compatible with a version; False if the version is missing.

        Args:
            subject: the subject.
            avro_schema: the schema.
            version: the version's number, or ``latest``.

        Raises:
            ClientError: the registry refuses the request or cannot be reached.
        """
        definition = as_schema(avro_schema, "avro_schema").definition
        client = self._client
        return bool(_unless_absent(lambda: client.test_compatibility(subject, definition, version)))

    def update_compatibility(self, level: str, subject: str | None = None) -> str:
        """Set the compatibility level of new versions, and return it.

        Args:
            level: one of ConfigCompatibilityLevel.
            subject: the subject; None for the global level.

        Raises:
            ClientError: there is no such level; the registry refuses the request or cannot be
                reached.
        """
        if not isinstance(level, str) or level.upper() not in set(ConfigCompatibilityLevel):
            known = ", ".join(ConfigCompatibilityLevel)
            raise ClientError(f"level must be one of {known}, not {level!r:.100}")
        with _client_errors():
            answer = self._client.set_compatibility(subject, level)
        return str(answer.get("compatibility", level.upper()))

    def get_compatibility(self, subject: str | None = None) -> str:
        """Return the compatibility level of new versions.

        Args:
            subject: the subject; None for the global level.

        Raises:
            ClientError: the subject has no level of its own; the registry refuses the request or
                cannot be reached.
        """
        with _client_errors():
            return self._client.get_compatibility(subject)

    def _keep(self, schema_id: int, schema: AvroSchema) -> int:
        if len(self.id_to_schema) >= self._conf["cache.capacity"]:
            self.id_to_schema.clear()
        self.id_to_schema[schema_id] = schema
        return schema_id

    def _schema_of(self, definition: Schema, name: str) -> AvroSchema:
        """Return a schema, including the schemas that it refers to, from the registry."""
        with _client_errors():
            others = run(referenced(self._client._calls, definition))
        return from_registry(definition, others, name)


@contextmanager
def _client_errors() -> Iterator[None]:
    """Convert the registry's errors to the former error class."""
    try:
        yield
    except SchemaRegistryError as error:
        kind = ClientError if error.http_status_code else _no_answer()
        raise kind(str(error), error.http_status_code or None) from error
    except OAuthTokenError as error:
        raise ClientError(str(error), error.status_code) from error


def _no_answer() -> type[ClientError]:
    """Return the error class for a registry that cannot be reached.

    Former versions raised the ConnectionError of requests. If a program has imported requests, the
    class inherits from it, so that the program's except clauses still work.
    """
    requests = sys.modules.get("requests")
    return ClientError if requests is None else both(ClientError, requests.ConnectionError)


def _unless_absent(ask: Callable[[], T]) -> T | None:
    """Return the registry's answer; None if the registry does not have the object."""
    try:
        with _client_errors():
            return ask()
    except ClientError as error:
        if error.http_code != _NOT_FOUND:
            raise
        return None
