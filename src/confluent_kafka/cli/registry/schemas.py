"""Schemas as files and texts: their types, their references, and what a reader sees of them."""

from __future__ import annotations

import contextlib
import difflib
import json
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from confluent_kafka.cli.base.terminal import printable

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient

ENDINGS = {".avsc": "AVRO", ".proto": "PROTOBUF", ".json": "JSON"}
# The kind, the place and the text of what is not compatible.
Problem = tuple[str | None, str | None, str]
_CONFLICT = 409
_REFERENCE = re.compile(r"(?P<name>[^=]+)=(?P<subject>.+):(?P<version>\d+)")
# The registry's messages: {errorType:'X', description:'Y', additionalInfo:'Z'}
_MESSAGE = re.compile(
    r"\{errorType:'?(?P<kind>[^',]*)'?, description:'(?P<text>.*?)'"
    r"(?:, additionalInfo:'(?P<place>.*)')?\}",
    re.DOTALL,
)
_COMPARED = re.compile(
    r"\{(oldSchema|oldSchemaVersion|compatibility|validateFields): ?(.*)\}", re.S
)


class Type(StrEnum):
    """The types of schemas."""

    avro = "avro"
    protobuf = "protobuf"
    json = "json"


def schema_of(file: Path, kind: Type | None, references: Iterable[str]) -> Schema:
    """Return the schema that a file contains.

    Args:
        file: the file.
        kind: its type; None for the type that the ending of its name means.
        references: values of --reference.
    """
    from confluent_kafka.schema_registry import Schema

    found = kind.value.upper() if kind else ENDINGS.get(file.suffix.lower())
    if found is None:
        raise click.BadParameter(
            f"is needed: {file.name} ends with none of {', '.join(ENDINGS)}", param_hint="--type"
        )
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise click.BadParameter(f"{file}: not UTF-8", param_hint="FILE") from None
    if not text.strip():
        raise click.BadParameter(f"{file} is empty", param_hint="FILE")
    return Schema(text, found, [_reference(each) for each in references])


def _reference(text: str) -> SchemaReference:
    from confluent_kafka.schema_registry import SchemaReference

    found = _REFERENCE.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r}: needs NAME=SUBJECT:VERSION", param_hint="--reference")
    return SchemaReference(found["name"], found["subject"], int(found["version"]))


def lines(schema: Schema) -> list[str]:
    """Return a schema as lines for a reader: JSON is indented, Protobuf stays as it is.

    Args:
        schema: the schema.
    """
    text = schema.schema_str
    if schema.schema_type != "PROTOBUF":
        with contextlib.suppress(ValueError):  # a registry can contain anything
            text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    return [printable(line.expandtabs(4)) for line in text.splitlines()]


def difference(old: Schema, new: Schema, names: tuple[str, str]) -> list[str]:
    """Return the lines in which two schemas differ, with some lines around them.

    Args:
        old: the older schema.
        new: the newer schema.
        names: what to call them.
    """
    return list(difflib.unified_diff(lines(old), lines(new), *names, lineterm=""))


def explained(messages: Iterable[str]) -> Iterator[Problem]:
    """Yield the kind, the place and the text of each problem that a registry has found.

    Messages that only repeat what was compared are left out.

    Args:
        messages: the registry's messages.
    """
    for message in messages:
        if found := _MESSAGE.fullmatch(message):
            yield found["kind"], found["place"], found["text"]
        elif not _COMPARED.fullmatch(message):
            yield None, None, message


def incompatibilities(
    client: SchemaRegistryClient,
    subject: str,
    schema: Schema,
    error: Exception,
    normalize: bool = False,
) -> list[Problem]:
    """Return why a registry has refused to register a schema, as `explained` has it.

    Args:
        client: the client.
        subject: the subject.
        schema: the schema.
        error: what the registry answered. It is raised if the schema is not the reason.
        normalize: whether the registry may normalize the schema first.
    """
    if getattr(error, "http_status_code", None) != _CONFLICT:
        raise error
    messages = client.explain_compatibility(subject, schema, None, normalize)
    if not messages:
        raise error
    return list(explained(messages))
