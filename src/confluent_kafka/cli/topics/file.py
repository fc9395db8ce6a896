"""A file that declares topics, and what is different in a cluster."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from confluent_kafka._suggestions import did_you_mean
from confluent_kafka._values.topic_names import RULE, is_legal

_KEYS = ("partitions", "replicas", "config")


class Declared(NamedTuple):
    """What a file declares for a topic. The file leaves None to the cluster."""

    partitions: int | None = None
    replicas: int | None = None
    config: dict[str, str] | None = None


class Present(NamedTuple):
    """A topic of the cluster. Partitions can have different numbers of replicas.

    Attributes:
        partitions: the number of partitions.
        replicas: the numbers of replicas that partitions have.
        config: the settings that the topic has set itself.
    """

    partitions: int
    replicas: set[int]
    config: Mapping[str, str | None]


class Change(NamedTuple):
    """A difference. The new value is None if a setting gets its default again.

    Attributes:
        topic: the topic.
        kind: create, grow, set, unset or delete.
        setting: partitions, replicas, or the name of a setting.
        old: the value in the cluster.
        new: the value in the file.
    """

    topic: str
    kind: str
    setting: str | None
    old: str | int | None
    new: str | int | None


def read(text: str) -> dict[str, Declared]:
    """Return the topics that a file declares.

    Args:
        text: the content of the file, in TOML.

    Raises:
        ValueError: the text is not TOML, or declares something else. The message says what.
    """
    content = tomllib.loads(text)
    _check_keys(content, ("topics",), "the file")
    topics = _table(content.get("topics", {}), "topics")
    return {name: _topic(name, _table(value, name)) for name, value in topics.items()}


def _topic(name: str, table: dict[str, Any]) -> Declared:
    if not is_legal(name):
        raise ValueError(f"{name!r} cannot be a topic: {RULE}")
    where = f"topic {name!r}"
    _check_keys(table, _KEYS, where)
    config = table.get("config")
    return Declared(
        _count(table, "partitions", where),
        _count(table, "replicas", where),
        None if config is None else dict(_settings(_table(config, f"{where}: config"), where)),
    )


def _check_keys(table: dict[str, Any], known: Iterable[str], where: str) -> None:
    names = list(known)
    for key in table:
        if key not in names:
            hint = did_you_mean(key, names, f"the keys are {', '.join(names)}")
            raise ValueError(f"{where}: unknown key {key!r}: {hint}")


def _table(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} must be a table, not {value!r}")
    return value


def _count(table: dict[str, Any], key: str, where: str) -> int | None:
    value = table.get(key)
    if value is not None and (type(value) is not int or value < 1):
        raise ValueError(f"{where}: {key} must be a whole number of at least 1, not {value!r}")
    return value


def _settings(table: dict[str, Any], where: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield names and values. TOML reads ``retention.ms = 5`` as a table within a table."""
    for key, value in table.items():
        name = f"{prefix}{key}"
        match value:
            case dict():
                yield from _settings(value, where, f"{name}.")
            case bool():
                yield name, str(value).lower()
            case str() | int() | float():
                yield name, str(value)
            case [*items] if all(isinstance(item, str) for item in items):
                yield name, ",".join(items)
            case _:
                raise ValueError(
                    f"{where}: {name} must be a string, a number, a boolean or a list of strings, "
                    f"not {value!r}"
                )


def differences(
    declared: Mapping[str, Declared], present: Mapping[str, Present]
) -> tuple[list[Change], list[str]]:
    """Compare a file with a cluster.

    Args:
        declared: the topics of the file.
        present: those of these topics that exist.

    Returns:
        The changes that make the cluster as declared, and a line for each difference that no
        change removes.
    """
    changes: list[Change] = []
    problems: list[str] = []
    for name, wanted in declared.items():
        there = present.get(name)
        if there is None:
            changes += _creation(name, wanted)
            continue
        changes += _changes(name, wanted, there)
        problems += _problems(name, wanted, there)
    return changes, problems


def _creation(name: str, wanted: Declared) -> Iterator[Change]:
    yield Change(name, "create", "partitions", None, wanted.partitions)
    if wanted.replicas is not None:
        yield Change(name, "create", "replicas", None, wanted.replicas)
    for key, value in (wanted.config or {}).items():
        yield Change(name, "create", key, None, value)


def _changes(name: str, wanted: Declared, there: Present) -> Iterator[Change]:
    if wanted.partitions is not None and wanted.partitions > there.partitions:
        yield Change(name, "grow", "partitions", there.partitions, wanted.partitions)
    if wanted.config is None:
        return
    for key, value in wanted.config.items():
        if there.config.get(key) != value:
            yield Change(name, "set", key, there.config.get(key), value)
    for key, old in there.config.items():
        if key not in wanted.config:
            yield Change(name, "unset", key, old, None)


def _problems(name: str, wanted: Declared, there: Present) -> Iterator[str]:
    if wanted.partitions is not None and wanted.partitions < there.partitions:
        yield (
            f"topic {name!r} has {there.partitions} partitions, and the file declares "
            f"{wanted.partitions}: Kafka cannot remove partitions"
        )
    if wanted.replicas is not None and there.replicas != {wanted.replicas}:
        has = " or ".join(map(str, sorted(there.replicas)))
        yield (
            f"topic {name!r}: the number of replicas is {has}, and the file declares "
            f"{wanted.replicas}. Change it with `reassign plan {name} --replicas "
            f"{wanted.replicas}`"
        )
