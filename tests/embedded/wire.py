"""A few requests of Kafka's protocol by hand: what a client does not show of a broker's answer."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass


def api_versions(address: str) -> dict[int, tuple[int, int]]:
    """The broker's API keys with their lowest and highest version (ApiVersions v0)."""
    answer = _ask(address, api_key=18, version=0, body=b"")
    error, count = struct.unpack_from(">hi", answer)
    assert error == 0
    entries = (struct.unpack_from(">hhh", answer, 6 + 6 * i) for i in range(count))
    return {api_key: (lowest, highest) for api_key, lowest, highest in entries}


def racks(address: str) -> dict[int, str | None]:
    """The rack of each broker that Metadata v1 names."""
    answer = _ask(address, api_key=3, version=1, body=struct.pack(">i", 0))
    (count,) = struct.unpack_from(">i", answer)
    position = 4
    result: dict[int, str | None] = {}
    for _ in range(count):
        (broker_id,) = struct.unpack_from(">i", answer, position)
        _host, position = _string(answer, position + 4)
        result[broker_id], position = _string(answer, position + 4)
    return result


@dataclass(frozen=True)
class Joined:
    """What a broker answered to one that joined a classic group."""

    generation: int
    leader: str
    member: str


def join_group(address: str, group: str) -> Joined:
    """Joins as a new member, which takes until the group has a leader (JoinGroup v0)."""
    body = b"".join(
        (
            _text(group),
            struct.pack(">i", 10_000),  # session.timeout.ms
            _text(""),
            _text("consumer"),
            struct.pack(">i", 1) + _text("range") + _bytes(b""),
        )
    )
    answer = _ask(address, api_key=11, version=0, body=body)
    error, generation = struct.unpack_from(">hi", answer)
    assert error == 0
    _protocol, position = _string(answer, 6)
    leader, position = _string(answer, position)
    member, position = _string(answer, position)
    assert leader is not None
    assert member is not None
    return Joined(generation, leader, member)


def sync_group(
    address: str, group: str, joined: Joined, assignments: dict[str, bytes]
) -> tuple[int, bytes]:
    """The error and the assignment of a member; the leader gives everyone's (SyncGroup v0)."""
    body = b"".join(
        (
            _text(group),
            struct.pack(">i", joined.generation),
            _text(joined.member),
            struct.pack(">i", len(assignments)),
            *(_text(member) + _bytes(given) for member, given in assignments.items()),
        )
    )
    answer = _ask(address, api_key=14, version=0, body=body)
    error, size = struct.unpack_from(">hi", answer)
    return error, answer[6 : 6 + size]


def _text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def _bytes(value: bytes) -> bytes:
    return struct.pack(">i", len(value)) + value


def _string(answer: bytes, position: int) -> tuple[str | None, int]:
    (size,) = struct.unpack_from(">h", answer, position)
    if size < 0:
        return None, position + 2
    end = position + 2 + size
    return answer[position + 2 : end].decode(), end


def _ask(address: str, api_key: int, version: int, body: bytes) -> bytes:
    host, _, port = address.rpartition(":")
    header = struct.pack(">hhih", api_key, version, 7, -1)  # correlation id 7, no client id
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(struct.pack(">i", len(header) + len(body)) + header + body)
        with connection.makefile("rb") as stream:
            (size,) = struct.unpack(">i", stream.read(4))
            answer: bytes = stream.read(size)
    assert answer[:4] == struct.pack(">i", 7)
    return answer[4:]
