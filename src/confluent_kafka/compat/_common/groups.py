"""A group's metadata in librdkafka's form for transactions."""

from __future__ import annotations

import sys
from typing import Any

_MAGIC = b"CGMDv2:"
_GENERATION = 4  # bytes


def written(
    group_id: str, generation_id: int = -1, member_id: str = "", instance_id: str | None = None
) -> bytes:
    """Return the metadata for ``send_offsets_to_transaction()``.

    Args:
        group_id: the group.
        generation_id: the generation of the member; -1 if it has none. The group then does not
            fence it.
        member_id: the id of the member.
        instance_id: the instance id of a static member.
    """
    instance = b"\1" if instance_id is None else b"\0" + instance_id.encode() + b"\0"
    generation = generation_id.to_bytes(_GENERATION, sys.byteorder, signed=True)
    names = group_id.encode() + b"\0" + member_id.encode() + b"\0"
    return _MAGIC + generation + names + instance


def generation_and_member(metadata: bytes) -> tuple[int, str]:
    """Return the generation and the member's id in ``consumer_group_metadata()``."""
    rest = metadata[len(_MAGIC) :]
    generation = int.from_bytes(rest[:_GENERATION], sys.byteorder, signed=True)
    _, member, _ = rest[_GENERATION:].split(b"\0", 2)
    return generation, member.decode()


def generation_of(client: Any) -> int:
    """Return the generation of a consumer in its group; negative if it has none."""
    metadata = client.consumer_group_metadata()
    return generation_and_member(metadata)[0] if metadata else -1
