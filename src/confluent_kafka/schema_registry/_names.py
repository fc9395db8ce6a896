"""Errors for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable

from confluent_kafka._suggestions import did_you_mean


def unrecognized(names: Iterable[object], known: Iterable[str]) -> str:
    """Return the error text for configuration keys; it is empty if all of them are known."""
    keys = sorted(known)
    unknown = [name for name in names if name not in keys]
    if not unknown:
        return ""
    near = filter(None, (did_you_mean(name, keys) for name in unknown))
    advice = next(near, f"there are {', '.join(keys)}")
    return f"Unrecognized properties: {', '.join(map(str, unknown))}: {advice}"
