"""How long a group member may be silent, depending on the brokers' version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Clients of older versions sent heartbeats only while they polled.
_HEARTBEATS_SINCE = (0, 10, 1)


def settle_session(
    config: dict[str, Any], given: Mapping[str, Any], until: tuple[int, ...], old: int
) -> None:
    """Set the default of ``session_timeout_ms`` from ``api_version``.

    Args:
        config: all keywords.
        given: the keywords that the application has given.
        until: the first version with today's default.
        old: the default for older versions, in milliseconds.
    """
    version = config["api_version"]
    if version is None or version >= until or "session_timeout_ms" in given:
        return
    config["session_timeout_ms"] = old
    if version < _HEARTBEATS_SINCE:
        config["session_timeout_ms"] = min(old, config["max_poll_interval_ms"])
