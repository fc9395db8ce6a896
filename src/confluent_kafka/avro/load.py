"""Loads Avro schemas from files and texts."""

from __future__ import annotations

import os

from ._schema import AvroSchema, parse
from .error import ClientError

__all__ = ["load", "loads"]


def load(fp: str | os.PathLike[str]) -> AvroSchema:
    """Return the schema in a file.

    Args:
        fp: the path of the file.

    Raises:
        ClientError: its content is not an Avro schema.
        OSError: the file cannot be read.
        TypeError: ``fp`` is not a path.
    """
    # open() also accepts file descriptors, and reading from the one of stdin would block for ever.
    path = os.fspath(fp)
    with open(path, "rb") as file:
        content = file.read()
    try:
        return loads(content)
    except ClientError as error:
        raise ClientError(f"{path}: {error}") from error


def loads(schema_str: str | bytes) -> AvroSchema:
    """Return the schema that a text defines.

    Args:
        schema_str: the schema as JSON, or the name of a primitive type.

    Raises:
        ClientError: it is not an Avro schema.
        TypeError: it is not text.
    """
    if isinstance(schema_str, bytes):
        try:
            return parse(schema_str.decode())
        except UnicodeDecodeError as error:
            raise ClientError(f"the schema is not UTF-8: {error}") from error
    if not isinstance(schema_str, str):
        raise TypeError(f"schema_str must be a str, not {type(schema_str).__name__}")
    return parse(schema_str)
