"""The ids of topics and directories, as Kafka's tools write them."""

from __future__ import annotations

import base64
import struct

import click

from confluent_kafka import Uuid

_HALVES = struct.Struct(">qq")


def uuid_of(text: str) -> Uuid:
    """Return the UUID that a text in base64 contains.

    Args:
        text: a UUID in the form of Kafka's tools, or in the form of str() of a Uuid.
    """
    plain = text.replace("+", "-").replace("/", "_")
    try:
        return Uuid(*_HALVES.unpack(base64.b64decode(f"{plain}==", b"-_", validate=True)))
    except (ValueError, struct.error):
        example = base64_of(Uuid(1, 2))
        raise click.BadParameter(f"{text!r} is not a UUID in base64, such as {example}") from None


def base64_of(uuid: Uuid) -> str:
    """Return a UUID as Kafka's tools write it, which differs from str() in two characters.

    Args:
        uuid: the UUID.
    """
    halves = uuid.get_most_significant_bits(), uuid.get_least_significant_bits()
    return base64.urlsafe_b64encode(_HALVES.pack(*halves)).decode().rstrip("=")
