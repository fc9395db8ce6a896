"""Errors for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable

from confluent_kafka._suggestions import did_you_mean


def unknown_key(name: object, known: Iterable[str]) -> str:
    """Return the error text for an unknown configuration key."""
    keys = sorted(known)
    advice = did_you_mean(name, keys, f"there are {', '.join(keys)}")
    return f"unknown key {name!r}: {advice}"
