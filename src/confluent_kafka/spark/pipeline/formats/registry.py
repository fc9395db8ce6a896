"""The registry's part in decoding: which schema a row was written with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient, SchemaRegistryError
from confluent_kafka.spark.pipeline.model import Registry

from .pieces import Decoded

_MAGIC = b"\0"
_FRAME = 5
# Arrow fails at slices without an end.
_END = (1 << 31) - 1
_NOT_FOUND = 404

# A client belongs to the process that made it: the key says which.
_clients: dict[tuple[int, Registry], SchemaRegistryClient] = {}
_readers: dict[tuple[int, object, int], Callable[[pa.Array], Decoded] | str] = {}


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


def latest(registry: Registry, subject: str | None, wanted: str) -> Schema:
    """Return the schema that a subject has now.

    Raises:
        Unreadable: it is of another format.
        SchemaRegistryError: there is none, or the registry refuses or is not there.
    """
    assert subject is not None
    # get_latest_version() keeps what it once learned, and the client outlives this plan.
    schema = client(registry).get_version(subject, "latest").schema
    if schema.schema_type != wanted:
        raise Unreadable(f"the schema of subject {subject!r} is {schema.schema_type}, not {wanted}")
    return schema


@contextmanager
def asking() -> Iterator[None]:
    """Make what a registry refuses while a pipeline is planned a fault of the pipeline."""
    try:
        yield
    except SchemaRegistryError as error:
        raise Unreadable(str(error)) from error


@dataclass(frozen=True)
class Framed:
    """Decodes rows that begin with a zero byte and the four bytes of a schema's id.

    The rows of a batch are taken apart by schema, and those of each schema decoded at once.

    Args:
        registry: where the schemas are.
        format: what the registry calls their type.
        kind: the type of the column.
        prepare: returns, for a schema, what decodes payloads written with it.
    """

    registry: Registry
    format: str
    kind: pa.DataType
    prepare: Callable[[Schema, SchemaRegistryClient], Callable[[pa.Array], Decoded]]

    def __call__(self, values: pa.Array) -> Decoded:
        """Decode one column of framed rows.

        Raises:
            SchemaRegistryError: the registry refuses or is not there.
        """
        ids = _schema_ids(values)
        failures: dict[int, str] = {}
        parts: list[pa.Array] = []
        rows: list[pa.Array] = []
        for schema_id in pc.unique(ids).to_pylist():
            where = (
                pc.indices_nonzero(pc.equal(ids, schema_id))
                if schema_id is not None
                else (pc.indices_nonzero(pc.is_null(ids)))
            )
            part = values.take(where)
            if schema_id is None:
                decoded = _unframed(part, self.kind)
            else:
                decoded = self._decode(schema_id, pc.binary_slice(part, _FRAME, _END))
            parts.append(decoded.column)
            rows.append(where)
            numbers = where.to_pylist()
            failures.update({numbers[row]: why for row, why in decoded.failures.items()})
        if not parts:
            return Decoded(pa.nulls(0, self.kind), failures)
        order = pc.sort_indices(pa.concat_arrays(rows))
        return Decoded(pa.concat_arrays(parts).take(order), failures)

    def _decode(self, schema_id: int, payloads: pa.Array) -> Decoded:
        reader = self._reader(schema_id)
        if isinstance(reader, str):
            return Decoded(
                pa.nulls(len(payloads), self.kind), dict.fromkeys(range(len(payloads)), reader)
            )
        return reader(payloads)

    def _reader(self, schema_id: int) -> Callable[[pa.Array], Decoded] | str:
        """Return what reads rows of a schema, or why nothing can."""
        key = (os.getpid(), self, schema_id)
        if key not in _readers:
            registry = client(self.registry)
            try:
                schema = registry.get_schema(schema_id)
                if schema.schema_type != self.format:
                    raise Unreadable(
                        f"schema {schema_id} is {schema.schema_type}, not {self.format}"
                    )
                _readers[key] = self.prepare(schema, registry)
            except SchemaRegistryError as error:
                if error.http_status_code != _NOT_FOUND:
                    raise
                # Not kept: it may be registered later.
                return f"the registry has no schema {schema_id}"
            except Unreadable as error:
                _readers[key] = str(error)
        return _readers[key]


def _schema_ids(values: pa.Array) -> pa.Array:
    """Return the id of each row's schema; null where there is none, or the row is null."""
    framed = pc.and_(
        pc.greater_equal(pc.binary_length(values), _FRAME),
        pc.equal(pc.binary_slice(values, 0, 1), _MAGIC),
    )
    ids = pc.if_else(framed, pc.binary_slice(values, 1, _FRAME), None)
    distinct = pc.unique(ids)
    numbers = pa.array(
        [None if one is None else int.from_bytes(one, "big") for one in distinct.to_pylist()],
        pa.uint32(),
    )
    return numbers.take(pc.index_in(ids, distinct))


def _unframed(values: pa.Array, kind: pa.DataType) -> Decoded:
    why = "does not begin with a zero byte and the id of a schema"
    failed = pc.indices_nonzero(pc.is_valid(values)).to_pylist()
    return Decoded(pa.nulls(len(values), kind), dict.fromkeys(failed, why))
