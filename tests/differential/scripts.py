"""Draws random scripts for consumers, producers and admin clients.

A script is a list of steps, ``[name, arguments...]``. All drivers use the same names, and translate
each step into a call of their client. Most arguments are right. Some are wrong: an offset after the
end, a negative offset, or a partition that is not assigned.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, TypeAlias

Step: TypeAlias = list[Any]

SIZES = (20, 7, 0)
"""The number of messages in each partition of the topic that all scripts read."""

FIRST_TIMESTAMP = 1_700_000_000_000
"""Milliseconds; each message of a partition is a second later than the one before."""


def draw(seed: int) -> dict[str, Any]:
    """Return a script in the form that drivers read from their standard input.

    Args:
        seed: the same seed always results in the same script.
    """
    chance = random.Random(seed)
    if seed % 4 == 3:
        drawn = _guarded(chance) if seed % 8 == 7 else _administered(chance)
        return {"seed": seed, "kind": "admin", "steps": [*drawn, ["close"]]}
    if seed % 3 == 2:
        return {"seed": seed, "kind": "producer", **_produced(chance)}
    subscribed = chance.random() < 0.25
    steps = _subscribed(chance) if subscribed else _assigned(chance)
    return {
        "seed": seed,
        "kind": "consumer",
        "reset": chance.choice(["earliest", "earliest", "latest", "none"]),
        "auto_commit": chance.random() < 0.3,
        "steps": [*steps, ["close"], *([["read", 1], ["position", 0]] if seed % 5 == 0 else [])],
    }


def _assigned(chance: random.Random) -> list[Step]:
    """Draw steps that read one partition at a time, so that all clients read the same messages."""
    partition = chance.choice([0, 0, 1, 2])
    steps: list[Step] = [["assign", [partition]]]
    for _ in range(chance.randint(5, 12)):
        if chance.random() < 0.1:
            partition = chance.choice([0, 1, 2])
            steps.append(["assign", [partition]])
        else:
            steps.append(_step(chance, partition))
    return steps


def _subscribed(chance: random.Random) -> list[Step]:
    """Draw steps that read all partitions to their ends, because each client has its own order."""
    steps: list[Step] = [["subscribe"], ["drain"]]
    for _ in range(chance.randint(3, 6)):
        steps.append(_step(chance, chance.choice([0, 1, 2]), reading=False))
        if chance.random() < 0.4:
            steps.append(["drain"])
    return steps


def _step(chance: random.Random, partition: int, reading: bool = True) -> Step:
    other = chance.choice([0, 1, 2, 9])
    place = partition if chance.random() < 0.9 else other
    offset = chance.choice([0, 1, 3, 6, SIZES[partition], SIZES[partition] + 5, -1])
    wanted: dict[str, tuple[int, Callable[[], Step]]] = {
        "read": (6 if reading else 0, lambda: ["read", chance.randint(1, 8)]),
        "seek": (4, lambda: ["seek", place, offset]),
        "seek_to_beginning": (1, lambda: ["seek_to_beginning", place]),
        "seek_to_end": (1, lambda: ["seek_to_end", place]),
        "position": (3, lambda: ["position", place]),
        "commit": (3, lambda: ["commit"]),
        "commit_at": (2, lambda: ["commit_at", place, offset]),
        "committed": (3, lambda: ["committed", place]),
        "pause": (2, lambda: ["pause", place]),
        "resume": (2, lambda: ["resume", place]),
        "paused": (1, lambda: ["paused"]),
        "assignment": (1, lambda: ["assignment"]),
        "subscription": (1, lambda: ["subscription"]),
        "ends": (1, lambda: ["ends", partition]),
        "at_time": (1, lambda: ["at_time", partition, FIRST_TIMESTAMP + chance.randint(0, 30_000)]),
        "unsubscribe": (1, lambda: ["unsubscribe"]),
    }
    [name] = chance.choices(list(wanted), [weight for weight, _ in wanted.values()])
    return wanted[name][1]()


def _administered(chance: random.Random) -> list[Step]:
    """Draw steps with existing and missing topics and groups, and with wrong names."""
    steps: list[Step] = [["create", "a", 2, 1, False]]
    for _ in range(chance.randint(5, 9)):
        topic = chance.choice(["a", "a", "a", "b", "b", "not a name"])
        group = chance.choice(["a", "b"])
        partitions, copies = chance.choice([1, 3, 3, 0, -2]), chance.choice([1, 1, 1, 9])
        steps.append(
            chance.choice(
                [
                    ["create", topic, partitions, copies, chance.random() < 0.3],
                    ["delete", topic],
                    ["grow", topic, chance.choice([1, 2, 4, 5])],
                    ["describe", topic],
                    ["topics"],
                    ["configure", topic, "retention.ms", chance.choice(["1000", "-5", "text"])],
                    ["configuration", topic, "retention.ms"],
                    ["group", group],
                    ["groups"],
                    ["group_offsets", group],
                    ["delete_group", group],
                ]
            )
        )
    return steps


def _guarded(chance: random.Random) -> list[Step]:
    """Draw steps with ACLs and users, and steps that move partitions or delete their records."""
    steps: list[Step] = [["create", "a", 2, 1, False]]
    for _ in range(chance.randint(6, 10)):
        topic = chance.choice(["a", "a", "b", "not a name"])
        partition = chance.choice([0, 0, 1, 9])
        user = chance.choice(["a", "b"])
        pattern = chance.choice(["LITERAL", "LITERAL", "PREFIXED", "ANY", "MATCH"])
        operation = chance.choice(["READ", "READ", "WRITE", "ALL", "ANY"])
        permission = chance.choice(["ALLOW", "ALLOW", "DENY", "ANY"])
        mechanism = chance.choice(["SCRAM_SHA_256", "SCRAM_SHA_512"])
        steps.append(
            chance.choice(
                [
                    ["allow", topic, pattern, user, operation, permission],
                    ["allow", topic, "LITERAL", user, "READ", "ALLOW"],
                    ["rules", chance.choice([topic, None]), pattern, chance.choice([user, None])],
                    ["forbid", chance.choice([topic, None]), pattern, user],
                    ["delete_records", topic, partition, chance.choice([0, -1, 5, -2])],
                    ["elect", topic, partition, chance.choice([0, 0, 1])],
                    ["reassign", topic, partition, chance.choice([[1], [1], [9], [], None])],
                    ["moves", chance.choice([topic, None])],
                    ["user", user, mechanism, chance.choice([4096, 4096, 1, 100_000])],
                    ["users", chance.choice([[user], [user, "c"], None])],
                    ["delete_user", user, mechanism],
                ]
            )
        )
    return steps


def _produced(chance: random.Random) -> dict[str, Any]:
    """Draw sends with right and wrong arguments, transactions in any order, and close()."""
    transactional = chance.random() < 0.4
    steps: list[Step] = [["begin"]] if transactional and chance.random() < 0.8 else []
    for _ in range(chance.randint(4, 9)):
        name = chance.choice(["send"] * 6 + ["flush", "partitions_for"])
        if transactional and chance.random() < 0.4:
            name = chance.choice(["begin", "commit", "abort"])
        steps.append(_send(chance) if name == "send" else [name])
    return {
        "transactional": transactional,
        "steps": [*steps, ["close"], *([_send(chance)] if chance.random() < 0.5 else [])],
    }


def _send(chance: random.Random) -> Step:
    """Draw a message.

    A text with a leading colon is not encoded, so that every client refuses it.
    """
    key = chance.choice([None, "k", "key-2", ""])
    value = chance.choice(["v", "", None, "v" * 100])
    # Without a key, or with an empty key, the partition is random, so the step names one.
    partition = chance.choice([None, 1]) if key else chance.choice([0, 1, 2, 3])
    timestamp = chance.choice([None, None, FIRST_TIMESTAMP])
    headers = chance.choice([None, [], [["h", "x"]], [["h", None], ["h", "y"]]])
    wrong = chance.choice([None] * 12 + ["partition", "key", "value"])
    if wrong == "partition":
        partition = chance.choice([99, -5])
    elif wrong == "key":
        key = ":text"
    elif wrong == "value":
        value = 7
    return ["send", partition, key, value, timestamp, headers]
