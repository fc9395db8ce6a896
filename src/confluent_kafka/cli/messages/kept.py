"""Decoded keys and values that keep their payload, for commands that need both."""

from __future__ import annotations


class Kept(bytes):
    """A JSON text, with the payload that it was decoded from.

    Attributes:
        payload (bytes): the payload.
    """

    payload: bytes


def payload_of(value: bytes | None) -> bytes | None:
    """Return the bytes that a key or a value has in the topic, even if it was decoded.

    Args:
        value: the key or the value.
    """
    return value.payload if isinstance(value, Kept) else value
