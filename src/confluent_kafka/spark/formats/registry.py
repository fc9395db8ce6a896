"""The registry's part in decoding: which schema a row was written with."""

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

# The status of an answer that there is no such schema.
_NOT_FOUND = 404

# Each belongs to the process that made it: the key says which.
_clients: dict[tuple[int, Registry], SchemaRegistryClient] = {}
_decoders: dict[tuple[int, object], RegistryColumns] = {}


def client(registry: Registry) -> SchemaRegistryClient:
    """Return this process's client of a registry; it keeps the schemas that it has seen."""
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
    """Return the schema that a subject has now.

    Raises:
        Unreadable: it is of another format.
        SchemaRegistryError: there is none, or the registry refuses or is not there.
    """
    assert subject is not None
    # get_latest_version() keeps what it once learned, and the client outlives this plan.
    found = client(registry).get_version(subject, "latest")
    if (kind := found.schema.schema_type) != wanted:
        raise Unreadable(f"the schema of subject {subject!r} is {kind}, not {wanted}")
    return found


def written(registry: Registry, payload: Payload, wanted: str) -> RegisteredSchema:
    """Return the schema that a column is written with, and its id.

    Args:
        registry: where it is, or is registered.
        payload: which one.
        wanted: what the registry calls its type.

    Raises:
        Unreadable: the subject does not have it, or it is of another format.
        SchemaRegistryError: the registry refuses or is not there.
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
    """Yield the texts that a schema refers to, each after those that it needs, and its own.

    Each once, also where several schemas refer to one.
    """

    def found(one: Schema) -> Iterator[str]:
        for reference in one.references:
            yield from found(registry.get_version(reference.subject, reference.version).schema)
        yield one.schema_str

    yield from dict.fromkeys(found(schema))


@contextmanager
def asking() -> Iterator[None]:
    """Make what a registry refuses while a pipeline is planned a fault of the pipeline."""
    try:
        yield
    except SchemaRegistryError as error:
        raise Unreadable(str(error)) from error


class Columns(Protocol):
    """Makes what decodes rows of all schemas into columns; it goes to the executors."""

    def __call__(self, registry: SchemaRegistryClient) -> RegistryColumns:
        """Return the decoder, for a process."""


@dataclass(frozen=True)
class Framed:
    """Decodes rows whose schema is named by its GUID in a header, or by an id before the payload.

    Args:
        registry: where the schemas are.
        part: ``key`` or ``value``, which have headers of their own.
        kind: the type of the column.
        columns: makes what decodes.
        what: said before the reasons of payloads that do not decode.
    """

    registry: Registry
    part: str
    kind: pa.DataType
    columns: Columns
    what: str = ""

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of framed rows.

        Raises:
            SchemaRegistryError: the registry refuses or is not there.
        """
        rows = self.decoder().decode(values, headers, part=self.part)
        return fitted(rows, self.kind, self._describe)

    def decoder(self) -> RegistryColumns:
        """Return this process's decoder, which knows the schemas that it has seen."""
        key = (os.getpid(), self)
        if key not in _decoders:
            _decoders[key] = self.columns(client(self.registry))
        return _decoders[key]

    def _describe(self, error: RowError) -> str:
        # A schema that cannot be used is at fault in no place of the payload.
        is_of_payload = error.offset > 0 or error.field
        return self.what + described(error) if is_of_payload else error.reason
