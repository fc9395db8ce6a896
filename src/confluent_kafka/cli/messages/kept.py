"""Decoded keys and values that keep their payload, for commands that need both."""

from __future__ import annotations


class Kept(bytes):
    """A JSON text, with the payload that it was decoded from.

    Attributes:
        payload (bytes): the payload.
    """

    payload: bytes


def payload_of(value: bytes | None) -> bytes | None:
    """Return a key or a value as the topic has it, also if it was decoded.

    Args:
        value: the key or the value.
    """
    return value.payload if isinstance(value, Kept) else value
