"""The deserializers of keys and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..structs import ConsumerRecord

Deserializer = Callable[[Any], Any]


class Deserializers:
    """Turns bytes into an application's keys and values.

    Args:
        key: called with each key, None if a message has none.
        value: called with each value, None if a message has none.
    """

    def __init__(self, key: Deserializer | None, value: Deserializer | None) -> None:
        self._key = key
        self._value = value
        self.are_none = key is None and value is None

    def apply(self, records: list[ConsumerRecord[Any, Any]]) -> None:
        """Replace the bytes of keys and values with objects."""
        if self._key is not None:
            for record in records:
                record.key = self._key(record.key)
        if self._value is not None:
            for record in records:
                record.value = self._value(record.value)
