"""What makes objects of keys and values."""

from __future__ import annotations

from typing import Any

from ..serializer.wrapper import deserializer_of
from .fetcher import ConsumerRecord


class Deserializers:
    """What makes an application's keys and values of bytes.

    Args:
        key: ``key_deserializer``.
        value: ``value_deserializer``.
    """

    def __init__(self, key: Any, value: Any) -> None:
        self._key = deserializer_of("key_deserializer", key)
        self._value = deserializer_of("value_deserializer", value)
        self.are_none = self._key is None and self._value is None

    def apply(self, record: ConsumerRecord) -> ConsumerRecord:
        """Return a record with its objects."""
        key, value = record[6], record[7]
        if self._key is not None:
            key = self._key.deserialize(record[0], record[8], key)
        if self._value is not None:
            value = self._value.deserialize(record[0], record[8], value)
        return ConsumerRecord._make((*record[:6], key, value, *record[8:]))

    def close(self) -> None:
        """Close them."""
        for each in (self._key, self._value):
            if each is not None:
                each.close()
