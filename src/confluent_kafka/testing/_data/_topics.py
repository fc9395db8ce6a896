"""The topics of a cluster, as ``cluster.json`` describes them."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka._values.topic_names import is_legal
from confluent_kafka.cimpl import Uuid

_UUID = struct.Struct(">qq")


@dataclass(frozen=True, slots=True)
class SavedPartition:
    """A partition. `log` is the path of its log, or None if the log is empty."""

    start: int
    end: int
    leader: int
    leader_epoch: int
    replicas: list[int]
    log: str | None
    size: int
    crc32: int

    def check(self, data: bytes) -> None:
        """Raise ValueError if these are not the bytes that were saved."""
        if len(data) != self.size:
            raise ValueError(f"it has {len(data)} bytes instead of {self.size}")
        if zlib.crc32(data) != self.crc32:
            raise ValueError("its contents were changed: the checksum is different")


@dataclass(frozen=True, slots=True)
class SavedTopic:
    """A topic, with its partitions in order."""

    name: str
    id: Uuid
    partitions: list[SavedPartition]

    def as_json(self) -> dict[str, Any]:
        """Return the topic in the form that ``cluster.json`` contains."""
        partitions = [
            {name: getattr(each, name) for name in SavedPartition.__slots__}
            for each in self.partitions
        ]
        return {"name": self.name, "id": str(self.id), "partitions": partitions}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> SavedTopic:
        """Return the topic that this part of ``cluster.json`` describes."""
        if not is_legal(saved["name"]):
            raise ValueError(f"no topic can have the name {saved['name']!r}")
        topic_id = Uuid(*_UUID.unpack(base64.urlsafe_b64decode(saved["id"] + "==")))
        partitions = [SavedPartition(**each) for each in saved["partitions"]]
        return cls(saved["name"], topic_id, partitions)
