"""A few requests of Kafka's protocol, for data in answers that clients do not show."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

from tests.support.protocol import Answer, answer_of, array, ask, begin, sized, text


def api_versions(address: str) -> dict[int, tuple[int, int]]:
    """The broker's API keys with their lowest and highest version (ApiVersions v0)."""
    answer = Answer(ask(address, api_key=18, version=0, body=b""))
    error, count = answer.numbers("hi")
    assert error == 0
    entries = (answer.numbers("hhh") for _ in range(count))
    return {api_key: (lowest, highest) for api_key, lowest, highest in entries}


def racks(address: str) -> dict[int, str | None]:
    """The rack of each broker that Metadata v1 names."""
    answer = Answer(ask(address, api_key=3, version=1, body=array([])))
    result: dict[int, str | None] = {}
    for _ in range(answer.number("i")):
        broker_id, _host, _port = answer.number("i"), answer.text(), answer.number("i")
        result[broker_id] = answer.text()
    return result


@dataclass(frozen=True)
class Joined:
    """The broker's answer to a member that joined a classic group."""

    generation: int
    leader: str
    member: str


def join_group(address: str, group: str, member: str = "") -> Joined:
    """Join the group, by default as a new member, and wait until the group has a leader."""
    with begin_to_join(address, group, member) as connection:
        return joined(answer_of(connection))


def begin_to_join(address: str, group: str, member: str) -> socket.socket:
    """Sends JoinGroup v0, and returns the connection without waiting for the answer."""
    body = b"".join(
        (
            text(group),
            struct.pack(">i", 30_000),  # session.timeout.ms
            text(member),
            text("consumer"),
            array([text("range") + sized(b"")]),
        )
    )
    return begin(address, api_key=11, version=0, body=body)


def joined(data: bytes) -> Joined:
    """The data in an answer to JoinGroup v0."""
    answer = Answer(data)
    error, generation = answer.numbers("hi")
    assert error == 0
    _protocol, leader, member = answer.text(), answer.text(), answer.text()
    assert leader is not None
    assert member is not None
    return Joined(generation, leader, member)


def sync_group(
    address: str, group: str, joined: Joined, assignments: dict[str, bytes]
) -> tuple[int, bytes]:
    """The error and the assignment in the answer to a member; the leader sends all assignments."""
    with begin_to_sync(address, group, joined, assignments) as connection:
        return synced(answer_of(connection))


def begin_to_sync(
    address: str, group: str, joined: Joined, assignments: dict[str, bytes]
) -> socket.socket:
    """Sends SyncGroup v0, and returns the connection without waiting for the answer."""
    body = b"".join(
        (
            text(group),
            struct.pack(">i", joined.generation),
            text(joined.member),
            array([text(member) + sized(given) for member, given in assignments.items()]),
        )
    )
    return begin(address, api_key=14, version=0, body=body)


def synced(data: bytes) -> tuple[int, bytes]:
    """The data in an answer to SyncGroup v0."""
    answer = Answer(data)
    return answer.number("h"), answer.sized()
