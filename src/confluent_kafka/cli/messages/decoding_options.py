"""The options that say how keys and values are decoded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import click

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.connection.settings import Connection, Registry
from confluent_kafka.cli.messages.decoding import SIMPLE, Decoder, Decoding, Format, OnError

_DECODING = "Decoding"


class DecodingOptions(NamedTuple):
    """How a command decodes keys and values."""

    value: Annotated[
        Format | None,
        option(
            panel=_DECODING,
            metavar="FORMAT",
            help="Format of values: avro, protobuf, json-schema, json, string, int32, int64, "
            "float, double or bytes. auto finds each schema in the registry, as the first three "
            "do. internal is for topics of Kafka itself, such as __consumer_offsets.",
        ),
    ] = None
    key: Annotated[
        Format | None,
        option(panel=_DECODING, metavar="FORMAT", help="Format of keys, as for --value."),
    ] = None
    unpack: Annotated[
        list[str] | None,
        option(
            "--unpack",
            "-s",
            panel=_DECODING,
            metavar="[key=]LETTERS",
            help="Unpack binary values, or with key= keys: < > order, b h i q integers (capitals: "
            "without a sign), c character, s rest as text, $ end.",
        ),
    ] = None
    schema: Annotated[
        Path | None,
        option(
            panel=_DECODING,
            exists=True,
            help="File with the schema of values (.avsc, .proto), if values contain no schema id.",
        ),
    ] = None
    key_schema: Annotated[
        Path | None, option(panel=_DECODING, exists=True, help="File with the schema of keys.")
    ] = None
    on_error: Annotated[
        OnError,
        option(
            "--on-error",
            panel=_DECODING,
            show_default="stop",
            help="What to do after a message that cannot be decoded. The exit status is 1 in any "
            "case.",
        ),
    ] = OnError.STOP
    registry: Registry = None


JsonValues = Annotated[
    bool,
    option(
        "--json-values",
        panel=_DECODING,
        help="In Parquet and Arrow files, write decoded keys and values as JSON texts, instead of "
        "typed columns.",
    ),
]


class Chosen(NamedTuple):
    """How one part of the messages is decoded.

    Attributes:
        part: "key" or "value".
        format: its format.
        unpack: the letters for unpacking it.
        schema: the file with its schema.
    """

    part: str
    format: Format | None
    unpack: str | None
    schema: Path | None


def chosen(options: DecodingOptions) -> list[Chosen]:
    """Return how keys and values are decoded.

    Args:
        options: the options of the command.
    """
    letters: dict[str, str] = {}
    for text in options.unpack or ():
        part, equals, rest = text.partition("=")
        part, rest = (part, rest) if equals else ("value", text)
        if part not in ("key", "value") or part in letters:
            raise click.BadParameter(
                f"{text!r}: needs LETTERS, key=LETTERS or value=LETTERS, each once",
                param_hint="--unpack",
            )
        letters[part] = rest
    return [
        # The value comes first. In an internal topic, its type is in the undecoded key.
        Chosen("value", options.value, letters.get("value"), options.schema),
        Chosen("key", options.key, letters.get("key"), options.key_schema),
    ]


def decoding_of(options: DecodingOptions, connection: Connection) -> Decoding | None:
    """Return what decodes keys and values; None if both stay bytes.

    Args:
        options: the options of the command.
        connection: the options of the connection.
    """
    source = (options.registry, connection.config_file, connection.properties)
    decoders = {
        one.part: decoder
        for one in chosen(options)
        if (decoder := _decoder(one, source)) is not None
    }
    return Decoding(decoders, options.on_error) if decoders else None


def _decoder(
    one: Chosen, source: tuple[str | None, Path | None, list[str] | None]
) -> Decoder | None:
    option = f"--{one.part}"
    schema_option = "--schema" if one.part == "value" else "--key-schema"
    if one.unpack is not None:
        if one.format is not None or one.schema is not None:
            raise click.BadParameter(
                f"cannot be combined with {option} or {schema_option}", param_hint="--unpack"
            )
        from confluent_kafka.cli.messages.unpacking import Unpacked

        try:
            return Unpacked(one.unpack)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--unpack") from None
    if one.format in SIMPLE and one.schema is None:
        return SIMPLE[one.format]
    if one.format is None and one.schema is None:
        return None
    if one.format is Format.INTERNAL and one.schema is None:
        from confluent_kafka.cli.messages.internal_topics import InternalRecords

        return InternalRecords(one.part)
    from confluent_kafka.cli.messages.schemas import FromFile, FromRegistry

    if one.schema is not None:
        return FromFile(one.schema, one.format or Format.AUTO, schema_option)
    assert one.format is not None
    from confluent_kafka.cli.registry.connection import client_for

    client = client_for(f"{option} {one.format.value}", *source)
    return FromRegistry(client, one.format, one.part)
