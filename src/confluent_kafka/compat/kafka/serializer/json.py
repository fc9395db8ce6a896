"""JSON."""

from __future__ import annotations

import json
from typing import Any

from .default import DefaultSerializer


class JsonSerializer(DefaultSerializer):
    """Objects as JSON.

    Args:
        encoding: of the JSON.
    """

    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        """Return the JSON of an object; None of None, which is no JSON but Kafka's null."""
        return None if data is None else json.dumps(data).encode(self.encoding)

    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:
        """Return the object of a JSON; None of None."""
        return None if data is None else json.loads(data.decode(self.encoding))
