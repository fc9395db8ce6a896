"""The patterns that select clients for a subscription of client metrics (KIP-714)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_NAMES = (
    "client_instance_id",
    "client_id",
    "client_software_name",
    "client_software_version",
    "client_source_address",
    "client_source_port",
)


def pattern_of(text: str) -> tuple[str, re.Pattern[str]] | None:
    """Return the name and the pattern in ``name=pattern``, or None if Kafka refuses the text."""
    name, equals, pattern = text.strip().partition("=")
    if not equals or name.strip() not in _NAMES:
        return None
    try:
        return name.strip(), re.compile(pattern.strip())
    except re.error:
        return None


def match_all(texts: Iterable[str], client: Mapping[str, str]) -> bool:
    """Return whether all patterns match a client. Its properties have the names of `_NAMES`."""
    patterns = [pattern_of(text) for text in texts]
    return all(
        pattern[1].fullmatch(client.get(pattern[0], "")) is not None
        for pattern in patterns
        if pattern is not None
    )
