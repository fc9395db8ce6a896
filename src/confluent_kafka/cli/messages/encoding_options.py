"""The options that say how keys and values are encoded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.settings import Connection, Registry
from confluent_kafka.cli.messages.decoding import TYPES, Format
from confluent_kafka.cli.messages.encoding import SIMPLE, Encoder, Simple

if TYPE_CHECKING:
    from confluent_kafka.cli.messages.writings import Subject

_ENCODING = "Encoding"


class EncodingOptions(NamedTuple):
    """How a command encodes keys and values."""

    value: Annotated[
        Format | None,
        option(
            panel=_ENCODING,
            metavar="FORMAT",
            help="Format of values: string, json, int32, int64, float, double, bytes; with a "
            "schema registry avro, protobuf, json-schema, or auto for the format of the schema. "
            "Values with a schema are read as JSON.",
        ),
    ] = None
    key_format: Annotated[
        Format | None,
        option(
            panel=_ENCODING,
            metavar="FORMAT",
            help="Format of keys. If it needs a schema, that is the latest of the subject "
            "TOPIC-key.",
        ),
    ] = None
    subject: Annotated[
        str | None,
        option(
            "--subject",
            panel=_ENCODING,
            show_default="TOPIC-value",
            help="Use the latest schema of this subject for values.",
        ),
    ] = None
    schema_id: Annotated[
        int | None,
        option(
            "--schema-id", panel=_ENCODING, min=0, help="Use the schema with this id for values."
        ),
    ] = None
    schema: Annotated[
        Path | None,
        option(
            "--schema",
            panel=_ENCODING,
            exists=True,
            help="Use the schema of this file for values: .avsc, .proto or .json. The subject must "
            "have it already.",
        ),
    ] = None
    register: Annotated[
        bool,
        option("--register", panel=_ENCODING, help="Register the schema of --schema if it is new."),
    ] = False
    registry: Registry = None


def encoders_of(topic: str, options: EncodingOptions, connection: Connection) -> dict[str, Encoder]:
    """Return the encoders of keys and values; parts without one are sent as they are.

    Args:
        topic: the topic.
        options: the options of the command.
        connection: the options of the connection.
    """
    for name, kind in (("--key-format", options.key_format), ("--value", options.value)):
        if kind is Format.INTERNAL:
            raise click.BadParameter(
                "internal: only brokers write internal topics", param_hint=name
            )
    _check(options)
    source = (options.registry, connection.config_file, connection.properties)
    encoders: dict[str, Encoder] = {}
    # Keys have the latest schema of their subject.
    for part, kind, wanted in (
        ("key", options.key_format, EncodingOptions()),
        ("value", options.value, options),
    ):
        if kind in SIMPLE:
            encoders[part] = Simple(kind)
        elif kind is not None:
            encoders[part] = _registered(topic, part, kind, wanted, source)
    return encoders


def _check(options: EncodingOptions) -> None:
    """Refuse options that contradict each other."""
    given = [
        name
        for name, value in (("--schema-id", options.schema_id), ("--schema", options.schema))
        if value is not None
    ]
    if len(given) == 2:
        raise click.BadParameter("cannot be combined with --schema-id", param_hint="--schema")
    if options.register and options.schema is None:
        raise click.BadParameter("needs --schema", param_hint="--register")
    if (given or options.subject is not None) and (
        options.value is None or options.value in SIMPLE
    ):
        name = given[0] if given else "--subject"
        raise click.BadParameter(
            "needs --value avro, protobuf, json-schema or auto", param_hint=name
        )


def _registered(
    topic: str,
    part: str,
    kind: Format,
    wanted: EncodingOptions,
    source: tuple[str | None, Path | None, list[str] | None],
) -> Encoder:
    from confluent_kafka.cli.messages.writings import Subject, registered
    from confluent_kafka.cli.registry.connection import client_for

    option = "--value" if part == "value" else "--key-format"
    registry = client_for(f"{option} {kind}", *source)
    subject = Subject(topic, part, wanted.subject)
    try:
        schema, schema_id = _found(registry, subject, wanted)
        needed = TYPES.get(kind)
        if needed not in (None, schema.schema_type):
            raise click.BadParameter(
                f"schema {schema_id} is {schema.schema_type}, not {needed}", param_hint=option
            )
        return registered(registry, subject, schema, schema_id)
    except (click.ClickException, click.exceptions.Exit):
        raise
    except Exception as error:  # of the registry, of a package that is missing, or of a schema
        fail(f"{option}: subject {subject.name!r}: {error}")


def _found(registry: Any, subject: Subject, wanted: EncodingOptions) -> tuple[Any, int]:
    """Return the schema and its id."""
    if wanted.schema_id is not None:
        return registry.get_schema(wanted.schema_id), wanted.schema_id
    if wanted.schema is None:
        latest = registry.get_latest_version(subject.name)
        return latest.schema, latest.schema_id
    from confluent_kafka.cli.registry.schemas import ENDINGS, incompatibilities
    from confluent_kafka.schema_registry import Schema

    kind = ENDINGS.get(wanted.schema.suffix.lower())
    if kind is None:
        raise click.BadParameter(
            f"{wanted.schema}: does not end with {', '.join(ENDINGS)}", param_hint="--schema"
        )
    schema = Schema(wanted.schema.read_text(encoding="utf-8"), kind)
    if not wanted.register:
        return schema, registry.lookup_schema(subject.name, schema).schema_id
    try:
        return schema, registry.register_schema(subject.name, schema)
    except Exception as error:
        rows = incompatibilities(registry, subject.name, schema, error)
        fail(
            f"--schema: {wanted.schema} is not compatible with {subject.name}",
            *(": ".join(filter(None, row)) for row in rows),
        )
