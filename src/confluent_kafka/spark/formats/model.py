"""What the bytes of keys and values are, or are to be, and where their schemas are."""

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
    """json: the columns, as Spark's DDL. avro: the reader's schema, as JSON. Others: none."""
    subject: str | None = None
    """Whose latest schema gives the columns; by default ``<topic>-value`` or ``<topic>-key``."""
    message: str | None = None
    """protobuf: the full name of the message; by default the first one of the schema."""
    validate: bool = True
    """json-schema: whether each row is checked against its schema."""


@dataclass(frozen=True, kw_only=True)
class Payload:
    """What a column is written as."""

    format: PayloadFormat
    schema: str | None = None
    """The schema to write with; by default the latest of the subject. json: none."""
    subject: str | None = None
    """The subject that the schema is one of. json: none."""
    message: str | None = None
    """protobuf: the full name of the message; by default the first one of the schema."""
    register: bool = False
    """Whether the schema is registered if the subject does not have it."""
    in_header: bool = False
    """Whether a header names the schema, by its GUID, and nothing before the payload."""


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The schema registry."""

    url: str = field(repr=False)
    """It may contain a password."""
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: str | None = None
    """A file with the certificates of who may sign the registry's, as PEM."""
    timeout: int = 10
    """Seconds for one request."""
