"""How long a member of a group may be silent, by the brokers' version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Before it, members sent heartbeats only while they polled.
_HEARTBEATS_SINCE = (0, 10, 1)


def settle_session(
    config: dict[str, Any], given: Mapping[str, Any], until: tuple[int, ...], old: int
) -> None:
    """Let ``session_timeout_ms`` depend on ``api_version``, unless it is given.

    Args:
        config: all keywords.
        given: those that the application has given.
        until: the first version with the default of today.
        old: the default before, in milliseconds.
    """
    version = config["api_version"]
    if version is None or version >= until or "session_timeout_ms" in given:
        return
    config["session_timeout_ms"] = old
    if version < _HEARTBEATS_SINCE:
        config["session_timeout_ms"] = min(old, config["max_poll_interval_ms"])
