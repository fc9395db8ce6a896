"""Turns properties of Kafka's Java clients into properties of librdkafka.

Most properties have the same name in both, and they pass unchanged. The other ones are renamed, or
left out if they have no effect here. librdkafka itself refuses unknown names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from confluent_kafka._java.names import RENAMED, WITHOUT_EFFECT, Wording
from confluent_kafka._java.security import translate_security


def translate(
    given: Mapping[str, str], wording: Wording, left_out: Collection[str] = ()
) -> tuple[dict[str, str], list[str]]:
    """Return librdkafka's configuration for properties with Java's or librdkafka's names.

    Args:
        given: the properties.
        wording: what the errors call a property.
        left_out: more properties that are left out.

    Returns:
        The configuration, and the names of the properties that have no effect here.

    Raises:
        ValueError: a property cannot be translated, or is given under both names. The error
            contains no value, except of properties that are not secret.
    """
    without_effect = [
        name
        for name in given
        if name in WITHOUT_EFFECT or name in left_out or _of_other_codec(name, given)
    ]
    rest = {name: text for name, text in given.items() if name not in without_effect}
    found: dict[str, str] = {}
    for name, text in translate_security(rest, wording).items():
        new, convert = RENAMED.get(name, (name, str))
        if new in found or (new != name and new in given):
            raise ValueError(
                f"{wording.named(name)} means {wording.prefix}{new} here, which is also given"
            )
        try:
            found[new] = convert(text)
        except ValueError as error:
            raise ValueError(f"{wording.named(name)}: {error}") from None
    return found, without_effect


def _of_other_codec(name: str, given: Mapping[str, str]) -> bool:
    """Return whether it is the level of a codec that is not in use."""
    codec = given.get("compression.type", given.get("compression.codec", "none"))
    levels = {f"compression.{other}.level" for other in ("gzip", "lz4", "zstd")}
    return name in levels - {f"compression.{codec.strip().lower()}.level"}
