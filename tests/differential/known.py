"""Known differences from the original packages. A table in the documentation names each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_AIOKAFKA = frozenset({"aiokafka"})
_KAFKA_PYTHON = frozenset({"kafka-python 3", "kafka-python 2"})


@dataclass(frozen=True)
class Known:
    """A difference and its place in the documentation."""

    peers: frozenset[str]
    document: str
    """A part of the table row below ``docs/`` that names the difference."""
    fits: Callable[[Any, list[Any], Any, Any], bool]
    """Returns whether a script, its steps so far, our outcome and the original's outcome are this
    difference."""


def _of_positions_without_messages(script: Any, steps: list[Any], ours: Any, theirs: Any) -> bool:
    """Committed offsets may differ for partitions after a seek, or without messages that were read.

    Committed offsets of other partitions must be the same.
    """
    name, *arguments = steps[-1]
    if script["kind"] != "consumer":
        return False
    if name == "committed":
        differ = set(arguments)
    elif name == "committed by the group":
        differ = {place for place in range(len(ours)) if ours[place] != theirs[place]}
    else:
        return False
    sought = {step[1] for step in steps if step[0].startswith("seek")}
    if not script["auto_commit"]:  # with explicit commits, only these two seeks lead to differences
        sought = {step[1] for step in steps if step[0] in ("seek_to_beginning", "seek_to_end")}
    unread = {
        place for place in differ if script["auto_commit"] and (ours is None or ours[place] is None)
    }
    return differ <= sought | unread


def _sought(steps: list[Any]) -> Any:
    """Return the offset of the last seek, if it is valid and no read or assign() followed it."""
    for name, *arguments in reversed(steps[:-1]):
        if name == "seek" and arguments[0] == steps[-1][1] and arguments[1] >= 0:
            return arguments[1]
        if name in ("read", "drain", "assign", "seek_to_beginning", "seek_to_end"):
            return None
    return None


def _after_the_end(script: Any, steps: list[Any], ours: Any, theirs: Any) -> bool:
    return (
        script["kind"] == "consumer"
        and ["close"] in steps[:-1]
        and steps[-1][0] != "committed by the group"
    )


KNOWN: tuple[Known, ...] = (
    Known(
        _AIOKAFKA | _KAFKA_PYTHON,
        "commits of a partition that you moved with `seek()`",
        _of_positions_without_messages,
    ),
    Known(_AIOKAFKA, "calls after `stop()` of a consumer", _after_the_end),
    Known(
        _AIOKAFKA,
        "a call for a transaction at the wrong time",
        lambda script, steps, ours, theirs: (
            steps[-1] in (["begin"], ["commit"], ["abort"])
            and (ours, theirs) == ("IllegalOperation", "AssertionError")
        ),
    ),
    Known(
        _AIOKAFKA,
        "`seek()` while the first offset is looked up",
        lambda script, steps, ours, theirs: (
            steps[-1][0] == "position" and ours == _sought(steps) != theirs
        ),
    ),
    Known(
        _AIOKAFKA,
        "several `assign()` one after the other, in a group",
        lambda script, steps, ours, theirs: (
            theirs == "KafkaError" and sum(step[0] == "assign" for step in steps) > 1
        ),
    ),
    Known(
        _AIOKAFKA,
        "a `NewTopic` with a negative number of partitions",
        lambda script, steps, ours, theirs: (
            steps[-1][0] == "create" and steps[-1][2] < 0 and ours == "ValueError"
        ),
    ),
    Known(
        frozenset({"confluent-kafka"}),
        "`unsubscribe()`",
        lambda script, steps, ours, theirs: (
            steps[-1][0] in ("commit", "commit_at")
            and ["unsubscribe"] in steps
            and theirs == "KafkaException" != ours
        ),
    ),
    Known(
        frozenset({"confluent-kafka"}),
        "`delete_records()` and `elect_leaders()` for a partition with an empty topic name",
        lambda script, steps, ours, theirs: (
            steps[-1][0] == "delete_records" and steps[-1][3] < -1 and ours == "ValueError"
        ),
    ),
    Known(
        frozenset({"confluent-kafka"}),
        "`delete_records()` of a topic whose name Kafka does not allow",
        lambda script, steps, ours, theirs: (
            steps[-1][:2] == ["delete_records", "not a name"] and theirs == "TimeoutError"
        ),
    ),
    Known(_KAFKA_PYTHON, "`position()` after `close()`", _after_the_end),
    Known(
        _AIOKAFKA,
        "wrong arguments of a consumer",
        lambda script, steps, ours, theirs: (
            (ours, theirs) == ("IllegalStateError", "AssertionError")
        ),
    ),
    Known(
        _KAFKA_PYTHON,
        "`commit()` of a negative offset",
        lambda script, steps, ours, theirs: (
            steps[-1][0] == "commit_at" and steps[-1][2] < 0 and theirs is None
        ),
    ),
)
