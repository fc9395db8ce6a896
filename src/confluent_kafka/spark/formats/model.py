"""The formats of the bytes of keys and values, and the place of their schemas."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

SourceFormat: TypeAlias = Literal["raw", "string", "json", "avro", "json-schema", "protobuf"]
REGISTERED: tuple[SourceFormat, ...] = ("avro", "json-schema", "protobuf")
"""The formats whose schemas are in the registry."""

PayloadFormat: TypeAlias = Literal["raw", "json", "avro", "json-schema", "protobuf"]


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How the bytes of keys or of values become a column. A string in TOML is its ``format``."""

    format: SourceFormat = "raw"
    schema: str | None = None
    """json: the columns, in Spark's DDL. avro: the reader's schema, as JSON. Others: None."""
    subject: str | None = None
    """The subject whose latest schema defines the columns; by default ``<topic>-value`` or
    ``<topic>-key``."""
    message: str | None = None
    """protobuf: the full name of the message; by default the first one of the schema."""
    validate: bool = True
    """json-schema: whether each row is checked against its schema."""


@dataclass(frozen=True, kw_only=True)
class Payload:
    """The form in which a column is written."""

    format: PayloadFormat
    schema: str | None = None
    """The schema to write with; by default the latest schema of the subject. json: None."""
    subject: str | None = None
    """The subject of the schema. json: None."""
    message: str | None = None
    """protobuf: the full name of the message; by default the first one of the schema."""
    register: bool = False
    """Whether to register the schema if the subject does not have it."""
    in_header: bool = False
    """Whether a header with the GUID names the schema, instead of bytes before the payload."""


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The schema registry."""

    url: str = field(repr=False)
    """The URL, which can contain a password."""
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: str | None = None
    """A PEM file with the certificates of the authorities that sign the registry's certificate."""
    timeout: int = 10
    """The timeout of a request in seconds."""
