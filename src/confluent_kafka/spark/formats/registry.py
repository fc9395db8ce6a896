"""Decode rows with the schemas of a registry: find the schema with which a row was written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from confluent_kafka.columns import RowError
from confluent_kafka.columns.registry import RegistryColumns
from confluent_kafka.schema_registry import (
    RegisteredSchema,
    Schema,
    SchemaRegistryClient,
    SchemaRegistryError,
)

from .model import Payload, Registry
from .pieces import Decoded, described, fitted

# The HTTP status if there is no such schema.
_NOT_FOUND = 404

# Each object belongs to the process that created it. The key contains the process id.
_clients: dict[tuple[int, Registry], SchemaRegistryClient] = {}
_decoders: dict[tuple[int, object], RegistryColumns] = {}


def client(registry: Registry) -> SchemaRegistryClient:
    """Return this process's client of a registry, which caches the schemas."""
    key = (os.getpid(), registry)
    if key not in _clients:
        conf: dict[str, Any] = {"url": registry.url, "timeout": registry.timeout}
        if registry.username is not None:
            conf["basic.auth.user.info"] = f"{registry.username}:{registry.password or ''}"
        if registry.ca is not None:
            conf["ssl.ca.location"] = registry.ca
        _clients[key] = SchemaRegistryClient(conf)
    return _clients[key]


class Unreadable(ValueError):
    """A schema cannot be used."""


def latest(registry: Registry, subject: str | None, wanted: str) -> RegisteredSchema:
    """Return the current schema of a subject.

    Raises:
        Unreadable: the schema has another format.
        SchemaRegistryError: there is no schema, or the registry refuses the request or cannot be
            reached.
    """
    assert subject is not None
    # get_latest_version() caches its answer, and the client outlives this plan.
    found = client(registry).get_version(subject, "latest")
    if (kind := found.schema.schema_type) != wanted:
        raise Unreadable(f"the schema of subject {subject!r} is {kind}, not {wanted}")
    return found


def written(registry: Registry, payload: Payload, wanted: str) -> RegisteredSchema:
    """Return the schema with which a column is written, and its id.

    Args:
        registry: the registry that has the schema, or gets it.
        payload: the schema and its subject.
        wanted: the name of the format in the registry.

    Raises:
        Unreadable: the subject does not have the schema, or the schema has another format.
        SchemaRegistryError: the registry refuses the request or cannot be reached.
    """
    if payload.schema is None:
        return latest(registry, payload.subject, wanted)
    assert payload.subject is not None
    schema = Schema(payload.schema, wanted)
    if payload.register:
        return client(registry).register_schema_full_response(payload.subject, schema)
    try:
        return client(registry).lookup_schema(payload.subject, schema)
    except SchemaRegistryError as error:
        if error.http_status_code != _NOT_FOUND:
            raise
        raise Unreadable(
            f"the subject {payload.subject!r} does not have the schema that is given: register "
            "it, or set the option registerSchemas"
        ) from error


def texts(schema: Schema, registry: SchemaRegistryClient) -> Iterator[str]:
    """Yield the texts of a schema and of all schemas that it refers to, in order of dependency.

    Each text is yielded once, even if several schemas refer to it.
    """

    def found(one: Schema) -> Iterator[str]:
        for reference in one.references:
            yield from found(registry.get_version(reference.subject, reference.version).schema)
        yield one.schema_str

    yield from dict.fromkeys(found(schema))


@contextmanager
def asking() -> Iterator[None]:
    """Turn an error of the registry during planning into an error of the pipeline."""
    try:
        yield
    except SchemaRegistryError as error:
        raise Unreadable(str(error)) from error


class Columns(Protocol):
    """Makes the decoder of rows of all schemas. Spark sends it to the executors."""

    def __call__(self, registry: SchemaRegistryClient) -> RegistryColumns:
        """Return the decoder for this process."""


@dataclass(frozen=True)
class Framed:
    """Decodes rows that name their schema by a GUID in a header, or by an id before the payload.

    Args:
        registry: the registry with the schemas.
        part: ``key`` or ``value``, which have different headers.
        kind: the type of the column.
        columns: makes the decoder.
        what: a text before the reason for which a payload cannot be decoded.
    """

    registry: Registry
    part: str
    kind: pa.DataType
    columns: Columns
    what: str = ""

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of framed rows.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        rows = self.decoder().decode(values, headers, part=self.part)
        return fitted(rows, self.kind, self._describe)

    def decoder(self) -> RegistryColumns:
        """Return this process's decoder, which caches the schemas."""
        key = (os.getpid(), self)
        if key not in _decoders:
            _decoders[key] = self.columns(client(self.registry))
        return _decoders[key]

    def _describe(self, error: RowError) -> str:
        # If the schema cannot be used, the error has no place in the payload.
        is_of_payload = error.offset > 0 or error.field
        return self.what + described(error) if is_of_payload else error.reason
