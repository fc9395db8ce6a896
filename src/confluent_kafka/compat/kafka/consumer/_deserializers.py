"""The deserializers of keys and values."""

from __future__ import annotations

from typing import Any

from ..serializer.wrapper import deserializer_of
from .fetcher import ConsumerRecord


class Deserializers:
    """Turns bytes into an application's keys and values.

    Args:
        key: ``key_deserializer``.
        value: ``value_deserializer``.
    """

    def __init__(self, key: Any, value: Any) -> None:
        self._key = deserializer_of("key_deserializer", key)
        self._value = deserializer_of("value_deserializer", value)
        self.are_none = self._key is None and self._value is None

    def apply(self, record: ConsumerRecord) -> ConsumerRecord:
        """Return a record with deserialized key and value."""
        # Indexes count from the end, because kafka-python 2's records have one field less before
        # the key.
        key, value = record[-7], record[-6]
        headers = record[-5]
        if self._key is not None:
            key = self._key.deserialize(record[0], headers, key)
        if self._value is not None:
            value = self._value.deserialize(record[0], headers, value)
        return type(record)._make((*record[:-7], key, value, *record[-5:]))

    def close(self) -> None:
        """Close the deserializers."""
        for each in (self._key, self._value):
            if each is not None:
                each.close()
