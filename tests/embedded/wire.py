"""A few requests of Kafka's protocol by hand: what a client does not show of a broker's answer."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tests.support.protocol import Answer, array, ask, sized, text


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
    """What a broker answered to one that joined a classic group."""

    generation: int
    leader: str
    member: str


def join_group(address: str, group: str) -> Joined:
    """Joins as a new member, which takes until the group has a leader (JoinGroup v0)."""
    body = b"".join(
        (
            text(group),
            struct.pack(">i", 10_000),  # session.timeout.ms
            text(""),
            text("consumer"),
            array([text("range") + sized(b"")]),
        )
    )
    answer = Answer(ask(address, api_key=11, version=0, body=body))
    error, generation = answer.numbers("hi")
    assert error == 0
    _protocol, leader, member = answer.text(), answer.text(), answer.text()
    assert leader is not None
    assert member is not None
    return Joined(generation, leader, member)


def sync_group(
    address: str, group: str, joined: Joined, assignments: dict[str, bytes]
) -> tuple[int, bytes]:
    """The error and the assignment of a member; the leader gives everyone's (SyncGroup v0)."""
    body = b"".join(
        (
            text(group),
            struct.pack(">i", joined.generation),
            text(joined.member),
            array([text(member) + sized(given) for member, given in assignments.items()]),
        )
    )
    answer = Answer(ask(address, api_key=14, version=0, body=body))
    return answer.number("h"), answer.sized()
