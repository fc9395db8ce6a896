"""The options that say how keys and values are decoded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

import click

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.messages.decoding import SIMPLE, Decoder, Decoding, Format, OnError

_DECODING = "Decoding"

Value = Annotated[
    Format | None,
    option(
        panel=_DECODING,
        metavar="FORMAT",
        help="Format of values: avro, protobuf, json-schema, json, string, int32, int64, float, "
        "double or bytes. auto finds each schema in the registry, as the first three do. internal "
        "is for topics of Kafka itself, such as __consumer_offsets.",
    ),
]
Key = Annotated[
    Format | None,
    option(panel=_DECODING, metavar="FORMAT", help="Format of keys, as for --value."),
]
Unpack = Annotated[
    list[str] | None,
    option(
        "--unpack",
        "-s",
        panel=_DECODING,
        metavar="[key=]LETTERS",
        help="Unpack binary values, or with key= keys: < > order, b h i q integers (capitals: "
        "without a sign), c character, s rest as text, $ end.",
    ),
]
Schema = Annotated[
    Path | None,
    option(
        panel=_DECODING,
        exists=True,
        help="File with the schema of values (.avsc, .proto), if values contain no schema id.",
    ),
]
KeySchema = Annotated[
    Path | None, option(panel=_DECODING, exists=True, help="File with the schema of keys.")
]
JsonValues = Annotated[
    bool,
    option(
        "--json-values",
        panel=_DECODING,
        help="In Parquet and Arrow files, write decoded keys and values as JSON texts, instead of "
        "typed columns.",
    ),
]
Errors = Annotated[
    OnError,
    option(
        "--on-error",
        panel=_DECODING,
        show_default="stop",
        help="What to do after a message that cannot be decoded. The exit status is 1 in any case.",
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


def chosen(
    key: Format | None,
    value: Format | None,
    unpack: Iterable[str] | None,
    key_schema: Path | None,
    schema: Path | None,
) -> list[Chosen]:
    """Return how keys and values are decoded.

    Args:
        key: value of --key.
        value: value of --value.
        unpack: values of --unpack.
        key_schema: value of --key-schema.
        schema: value of --schema.
    """
    letters: dict[str, str] = {}
    for text in unpack or ():
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
        Chosen("value", value, letters.get("value"), schema),
        Chosen("key", key, letters.get("key"), key_schema),
    ]


def decoding_of(
    parts: Iterable[Chosen],
    on_error: OnError,
    registry: str | None,
    file: Path | None,
    properties: list[str] | None,
) -> Decoding | None:
    """Return what decodes keys and values; None if both stay bytes.

    Args:
        parts: what chosen() returned.
        on_error: value of --on-error.
        registry: value of --registry.
        file: value of -F.
        properties: values of -X.
    """
    decoders = {
        one.part: decoder
        for one in parts
        if (decoder := _decoder(one, registry, file, properties)) is not None
    }
    return Decoding(decoders, on_error) if decoders else None


def _decoder(
    one: Chosen, registry: str | None, file: Path | None, properties: list[str] | None
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

    client = client_for(f"{option} {one.format.value}", registry, file, properties)
    return FromRegistry(client, one.format, one.part)
