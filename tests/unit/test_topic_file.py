"""A file that declares topics: what it may contain, and how it is compared with a cluster."""

from __future__ import annotations

import re

import pytest

from confluent_kafka.cli.topics.file import Change, Declared, Present, differences, read

FILE = """
[topics.orders]
partitions = 6
replicas = 3

[topics.orders.config]
"retention.ms" = 5
cleanup.policy = ["compact", "delete"]
message.timestamp.type = "CreateTime"
unclean.leader.election.enable = false

[topics."a.b"]
"""


def test_read() -> None:
    """Settings are texts, as brokers have them; their names need no quotes. A key that is missing
    is left to the cluster."""
    assert read(FILE) == {
        "orders": Declared(
            6,
            3,
            {
                "retention.ms": "5",
                "cleanup.policy": "compact,delete",
                "message.timestamp.type": "CreateTime",
                "unclean.leader.election.enable": "false",
            },
        ),
        "a.b": Declared(None, None, None),
    }
    assert read("") == {}
    assert read("[topics.a]\nconfig = {}") == {"a": Declared(config={})}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[topics", "Expected ']'"),
        ("[topic.a]", "the file: unknown key 'topic': did you mean 'topics'?"),
        ("[topics]\na = 1", "a must be a table, not 1"),
        ("[topics.'a b']", "'a b' cannot be a topic: "),
        ("[topics.a.b]", "topic 'a': unknown key 'b': the keys are partitions, replicas, config"),
        ("[topics.a]\nreplica = 1", "topic 'a': unknown key 'replica': did you mean 'replicas'?"),
        ("[topics.a]\npartitions = 0", "topic 'a': partitions must be a whole number of at least"),
        ("[topics.a]\nreplicas = true", "topic 'a': replicas must be a whole number of at least 1"),
        ("[topics.a]\nconfig = 1", "topic 'a': config must be a table, not 1"),
        ("[topics.a.config]\nx = [1]", "topic 'a': x must be a string, a number, a boolean or a"),
    ],
)
def test_wrong_files(text: str, error: str) -> None:
    """The error names the topic and the key, and what is allowed."""
    with pytest.raises(ValueError, match=f"^{re.escape(error)}"):
        read(text)


def test_differences() -> None:
    """A file and a cluster are compared. Each change has the value before and the value after."""
    declared = {
        "new": Declared(2, 3, {"retention.ms": "5"}),
        "small": Declared(4),
        "set": Declared(config={"a": "1", "b": "2"}),
        "same": Declared(1, 1, {"a": "1"}),
    }
    present = {
        "small": Present(3, {1}, {"kept": "1"}),
        "set": Present(1, {1}, {"a": "0", "c": "3"}),
        "same": Present(1, {1}, {"a": "1"}),
    }
    assert differences(declared, present) == (
        [
            Change("new", "create", "partitions", None, 2),
            Change("new", "create", "replicas", None, 3),
            Change("new", "create", "retention.ms", None, "5"),
            Change("small", "grow", "partitions", 3, 4),
            Change("set", "set", "a", "0", "1"),
            Change("set", "set", "b", None, "2"),
            Change("set", "unset", "c", "3", None),
        ],
        [],
    )


def test_what_no_change_can_do() -> None:
    """A topic with more partitions, or with another number of replicas, is a problem. The message
    has both numbers, and the command that changes the replicas."""
    changes, problems = differences({"t": Declared(1, 3)}, {"t": Present(2, {1, 2}, {})})
    assert changes == []
    assert problems == [
        "topic 't' has 2 partitions, and the file declares 1: Kafka cannot remove partitions",
        "topic 't': the number of replicas is 1 or 2, and the file declares 3. Change it with "
        "`reassign plan t --replicas 3`",
    ]
