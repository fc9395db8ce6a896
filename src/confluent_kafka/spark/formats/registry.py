"""The registry's part in decoding: which schema a row was written with."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from confluent_kafka.schema_registry import (
    RegisteredSchema,
    Schema,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from confluent_kafka.schema_registry.serde import ID_HEADERS
from confluent_kafka.serialization import MessageField

from .model import Payload, Registry
from .pieces import Decoded

# How an id of a schema begins, and the size of both.
_ID, _ID_SIZE = b"\0", 5
# The same of a GUID.
_GUID, _GUID_SIZE = b"\1", 17
# Arrow fails at slices without an end.
_END = (1 << 31) - 1
# The status of an answer that there is no such schema.
_NOT_FOUND = 404

# A client belongs to the process that made it: the key says which.
_clients: dict[tuple[int, Registry], SchemaRegistryClient] = {}
_readers: dict[tuple[int, object, bytes], Callable[[pa.Array], Decoded] | str] = {}


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
    """Yield the texts that a schema refers to, each after those that it needs, and its own."""
    for reference in schema.references:
        yield from texts(
            registry.get_version(reference.subject, reference.version).schema, registry
        )
    yield schema.schema_str


@contextmanager
def asking() -> Iterator[None]:
    """Make what a registry refuses while a pipeline is planned a fault of the pipeline."""
    try:
        yield
    except SchemaRegistryError as error:
        raise Unreadable(str(error)) from error


@dataclass(frozen=True)
class Framed:
    """Decodes rows whose schema is named by its GUID in a header, or by an id before the payload.

    An id is a zero byte and four bytes, a GUID is a one and sixteen bytes. The rows of a batch are
    taken apart by schema, and those of each schema decoded at once.

    Args:
        registry: where the schemas are.
        format: what the registry calls their type.
        part: ``key`` or ``value``, which have headers of their own.
        kind: the type of the column.
        prepare: returns, for a schema, what decodes payloads written with it.
    """

    registry: Registry
    format: str
    part: str
    kind: pa.DataType
    prepare: Callable[[Schema, SchemaRegistryClient], Callable[[pa.Array], Decoded]]

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of framed rows.

        Raises:
            SchemaRegistryError: the registry refuses or is not there.
        """
        marks = self._marks(headers, values)
        names, framed = _schema_names(values), values
        if marks is not None:
            names = _schema_names(pc.coalesce(marks, values))
            # As if the header's bytes were before the payload: those of Protobuf go on behind the
            # GUID.
            joined = pc.binary_join_element_wise(marks, values, pa.scalar(b"", values.type))
            framed = pc.coalesce(joined, values)
        return self._by_schema(names, framed)

    def _by_schema(self, names: pa.Array, framed: pa.Array) -> Decoded:
        """Decode rows whose schemas have these names, which they begin with."""
        failures: dict[int, str] = {}
        parts: list[pa.Array] = []
        rows: list[pa.Array] = []
        every = pc.unique(names).to_pylist()
        if len(every) == 1 and every[0] is not None:
            return self._decode(every[0], pc.binary_slice(framed, len(every[0]), _END))
        for name in every:
            here = pc.is_null(names) if name is None else pc.equal(names, name)
            where = pc.indices_nonzero(here)
            part = framed.take(where)
            if name is None:
                decoded = _unnamed(part, self.kind)
            else:
                decoded = self._decode(name, pc.binary_slice(part, len(name), _END))
            parts.append(decoded.column)
            rows.append(where)
            numbers = where.to_pylist()
            failures.update({numbers[row]: why for row, why in decoded.failures.items()})
        if not parts:
            return Decoded(pa.nulls(0, self.kind), failures)
        order = pc.sort_indices(pa.concat_arrays(rows))
        return Decoded(pa.concat_arrays(parts).take(order), failures)

    def _marks(self, headers: pa.Array | None, values: pa.Array) -> pa.Array | None:
        """Return the header of each row that names its schema, the last of several; else null.

        None is returned if there is no row that has one.
        """
        if headers is None:
            return None
        every = headers.flatten()
        name = ID_HEADERS[MessageField(self.part)]
        found = pc.indices_nonzero(pc.equal(pc.struct_field(every, "key"), name))
        if len(found) == 0:
            return None
        # The last one first, as index_in() finds the first.
        found = found.take(pa.array(range(len(found) - 1, -1, -1)))
        rows = pc.list_parent_indices(headers).take(found)
        marks = pc.struct_field(every, "value").take(found).cast(values.type)
        return marks.take(pc.index_in(pa.array(range(len(values)), rows.type), rows))

    def _decode(self, name: bytes, payloads: pa.Array) -> Decoded:
        reader = self._reader(name)
        if isinstance(reader, str):
            return Decoded(
                pa.nulls(len(payloads), self.kind), dict.fromkeys(range(len(payloads)), reader)
            )
        return reader(payloads)

    def _reader(self, name: bytes) -> Callable[[pa.Array], Decoded] | str:
        """Return what reads rows of a schema, or why nothing can."""
        key = (os.getpid(), self, name)
        if key not in _readers:
            registry = client(self.registry)
            shown = _shown(name)
            try:
                schema = _schema(registry, name)
                if schema.schema_type != self.format:
                    raise Unreadable(f"schema {shown} is {schema.schema_type}, not {self.format}")
                _readers[key] = self.prepare(schema, registry)
            except SchemaRegistryError as error:
                if error.http_status_code != _NOT_FOUND:
                    raise
                # Not kept: it may be registered later.
                return f"the registry has no schema {shown}"
            except Unreadable as error:
                _readers[key] = str(error)
        return _readers[key]


def _schema_names(leads: pa.Array) -> pa.Array:
    """Return the id or the GUID that values begin with, each with its first byte; else null."""
    size, first = pc.binary_length(leads), pc.binary_slice(leads, 0, 1)
    has_id = pc.and_(pc.greater_equal(size, _ID_SIZE), pc.equal(first, _ID))
    has_guid = pc.and_(pc.greater_equal(size, _GUID_SIZE), pc.equal(first, _GUID))
    return pc.case_when(
        pa.StructArray.from_arrays(
            [pc.fill_null(has_id, False), pc.fill_null(has_guid, False)], ["id", "guid"]
        ),
        pc.binary_slice(leads, 0, _ID_SIZE),
        pc.binary_slice(leads, 0, _GUID_SIZE),
    )


def _schema(registry: SchemaRegistryClient, name: bytes) -> Schema:
    if name[:1] == _GUID:
        return registry.get_schema_by_guid(_shown(name))
    return registry.get_schema(int.from_bytes(name[1:], "big"))


def _shown(name: bytes) -> str:
    if name[:1] == _GUID:
        return str(uuid.UUID(bytes=name[1:]))
    return str(int.from_bytes(name[1:], "big"))


def _unnamed(values: pa.Array, kind: pa.DataType) -> Decoded:
    why = "neither a header nor the first bytes name a schema by its GUID or its id"
    failed = pc.indices_nonzero(pc.is_valid(values)).to_pylist()
    return Decoded(pa.nulls(len(values), kind), dict.fromkeys(failed, why))
