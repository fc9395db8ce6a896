"""The JSON that kafka-reassign-partitions.sh and `reassign` read and write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from confluent_kafka._values.topic_names import RULE, is_legal
from confluent_kafka.cli.topics.place import Place

_VERSION = 1


def written(plan: Mapping[Place, Sequence[int]]) -> str:
    """Return a plan as JSON, with a line for each partition.

    Args:
        plan: the brokers of each partition.
    """
    lines = [
        json.dumps({"topic": topic, "partition": number, "replicas": list(nodes)})
        for (topic, number), nodes in sorted(plan.items())
    ]
    body = "".join(f"\n  {line}{',' if line != lines[-1] else ''}" for line in lines)
    return f'{{"version": {_VERSION}, "partitions": [{body}\n]}}'


def read(text: str) -> dict[Place, list[int]]:
    """Return the brokers of each partition in a plan.

    Args:
        text: JSON. log_dirs are allowed, but only "any".

    Raises:
        ValueError: the text is not a plan. The message says what is wrong.
    """
    content = json.loads(text)
    if not isinstance(content, dict) or content.get("version") != _VERSION:
        raise ValueError(f'needs an object with "version": {_VERSION} and "partitions"')
    partitions = content.get("partitions")
    if not isinstance(partitions, list):
        raise ValueError('"partitions" must be a list')
    plan: dict[Place, list[int]] = {}
    for index, item in enumerate(partitions):
        try:
            place, nodes = _partition(item)
            if place in plan:
                raise ValueError("is listed twice")
        except ValueError as error:
            raise ValueError(f"partitions[{index}]: {error}") from None
        plan[place] = nodes
    return plan


def _partition(item: Any) -> tuple[Place, list[int]]:
    if not isinstance(item, dict):
        raise ValueError(f"must be an object, not {item!r}")
    topic, number, nodes = (item.get(key) for key in ("topic", "partition", "replicas"))
    if not isinstance(topic, str) or not is_legal(topic):
        raise ValueError(f"{topic!r} cannot be a topic: {RULE}")
    if not _is_count(number):
        raise ValueError(f"partition must be a whole number of at least 0, not {number!r}")
    if not isinstance(nodes, list) or not nodes or not all(map(_is_count, nodes)):
        raise ValueError(f"replicas must be a list of brokers, not {nodes!r}")
    if len(set(nodes)) < len(nodes):
        raise ValueError(f"replicas lists a broker twice: {nodes!r}")
    if set(item.get("log_dirs") or ["any"]) != {"any"}:
        raise ValueError("log_dirs can only be any: this command does not choose directories")
    return (topic, cast("int", number)), nodes


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0
