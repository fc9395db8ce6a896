"""Schemas as a registry has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SchemaReference:
    """Another schema that a schema needs."""

    name: str
    """How the schema calls it: the file of an import, the name of a type."""
    subject: str
    version: int


@dataclass(frozen=True)
class Schema:
    """A schema."""

    schema_str: str
    schema_type: str = "AVRO"
    """``AVRO``, ``JSON`` or ``PROTOBUF``."""
    references: tuple[SchemaReference, ...] = ()


@dataclass(frozen=True)
class RegisteredSchema:
    """A schema with its place in the registry."""

    schema_id: int
    schema: Schema
    subject: str
    version: int
