"""Serializes objects as JSON."""

from __future__ import annotations

import json
from typing import Any

from .default import DefaultSerializer


class JsonSerializer(DefaultSerializer):
    """Converts objects to JSON, and back.

    Args:
        encoding: the encoding of the JSON.
    """

    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        """Return the JSON of an object; None stays None, which is Kafka's null."""
        return None if data is None else json.dumps(data).encode(self.encoding)

    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:
        """Return the object of a JSON text; None stays None."""
        return None if data is None else json.loads(data.decode(self.encoding))
