"""``topics apply``: make the topics of a cluster as a file declares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka.cimpl import NewPartitions, NewTopic
from confluent_kafka.cli.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    settled,
    show,
)
from confluent_kafka.cli.declared import argument, option
from confluent_kafka.cli.ending import fail, note
from confluent_kafka.cli.settings import Brokers, File, Properties
from confluent_kafka.cli.topic_names import existing
from confluent_kafka.cli.topic_states import overrides

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, ConfigResource
    from confluent_kafka.cli.topic_file import Change, Declared, Present


def apply(
    file: Annotated[Path, argument(exists=True, help="File that declares topics, in TOML.")],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    execute: Annotated[bool, option(help="Make the changes. Otherwise they are only shown.")] = (
        False
    ),
    prune: Annotated[
        bool,
        option(
            help="Also delete the topics that the file does not declare. --execute then asks for "
            "confirmation."
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    """Show what is different from a file that declares topics, and change it with --execute.

    The file has a table for each topic, with any of the keys partitions, replicas and config. A
    setting of the topic that is missing in config gets its default again. What the file does not
    mention stays as it is: a key, or a topic. Without --execute, the brokers only check the
    changes.
    """
    from confluent_kafka.cli.topic_file import Change, differences

    declared = _read(file)
    with administering(brokers, config_file, properties, timeout) as admin:
        known = admin.list_topics(timeout=timeout).topics
        present = _present(admin, [name for name in declared if name in known], timeout)
        changes, problems = differences(declared, present)
        if prune:
            # Kafka's own topics begin with two underscores.
            others = [name for name in known if name not in declared and not name.startswith("__")]
            changes += [Change(name, "delete", None, None, None) for name in sorted(others)]
        if changes or as_json:
            show(("topic", "change", "setting", "old", "new"), changes, as_json)
        elif not problems:
            print("nothing is different")
        if problems:
            fail(*problems)
        if execute:
            _confirm_deletions(changes, yes)
        done, failures = _carried_out(admin, declared, changes, timeout, execute)
        if execute and not as_json:
            print(*done, sep="\n", end="\n" if done else "")
        if failures:
            fail(*failures)
    if changes and not execute:
        note("nothing was changed: add --execute to make these changes")


def _read(file: Path) -> dict[str, Declared]:
    from confluent_kafka.cli.topic_file import read

    try:
        return read(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="FILE") from None


def _present(admin: AdminClient, names: list[str], timeout: float) -> dict[str, Present]:
    from confluent_kafka.cli.topic_file import Present

    found = existing(admin, names, timeout)
    configs, failures = overrides(admin, names, timeout)
    if failures:
        fail(*failures)
    return {
        name: Present(
            len(topic.partitions),
            {len(partition.replicas) for partition in topic.partitions.values()},
            configs[name],
        )
        for name, topic in found.items()
    }


def _confirm_deletions(changes: list[Change], yes: bool) -> None:
    deleted = _topics(changes, "delete")
    if deleted:
        confirm(f"Delete {', '.join(deleted)} and all messages?", yes)


def _topics(changes: list[Change], *kinds: str) -> list[str]:
    return list(dict.fromkeys(change.topic for change in changes if change.kind in kinds))


def _carried_out(
    admin: AdminClient,
    declared: dict[str, Declared],
    changes: list[Change],
    timeout: float,
    execute: bool,
) -> tuple[list[str], list[str]]:
    """Make the changes, or let the brokers check them.

    Returns:
        A line for each topic that was changed, and a line for each failure.
    """
    options: dict[str, Any] = {"request_timeout": timeout, "validate_only": not execute}
    wait: dict[str, Any] = {"operation_timeout": timeout}
    created = [_new_topic(name, declared[name]) for name in _topics(changes, "create")]
    grown = [_new_partitions(change) for change in changes if change.kind == "grow"]
    altered = _resources(changes)
    deleted = _topics(changes, "delete") if execute else []
    requests: list[tuple[str, Any, Callable[[], Mapping[Any, Future[None]]]]] = [
        ("was created", created, lambda: admin.create_topics(created, **options, **wait)),
        ("has more partitions", grown, lambda: admin.create_partitions(grown, **options, **wait)),
        ("was changed", altered, lambda: admin.incremental_alter_configs(altered, **options)),
        (
            "was deleted",
            deleted,
            lambda: admin.delete_topics(deleted, request_timeout=timeout, **wait),
        ),
    ]
    done: list[str] = []
    failures: list[str] = []
    for text, items, ask in requests:
        if items:
            names, more = settled("topic", {_name(key): one for key, one in ask().items()})
            done += [f"topic {name} {text}" for name in names]
            failures += more
    return done, failures


def _name(key: str | ConfigResource) -> str:
    return key if isinstance(key, str) else key.name


def _new_topic(name: str, wanted: Declared) -> NewTopic:
    return NewTopic(
        name, wanted.partitions or -1, wanted.replicas or -1, config=wanted.config or {}
    )


def _new_partitions(change: Change) -> NewPartitions:
    return NewPartitions(change.topic, int(change.new or 0))


def _resources(changes: list[Change]) -> list[ConfigResource]:
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource

    operations = {"set": AlterConfigOpType.SET, "unset": AlterConfigOpType.DELETE}
    entries: dict[str, list[ConfigEntry]] = {}
    for change in changes:
        if change.kind in operations:
            value = None if change.new is None else str(change.new)
            entry = ConfigEntry(
                str(change.setting), value, incremental_operation=operations[change.kind]
            )
            entries.setdefault(change.topic, []).append(entry)
    return [
        ConfigResource("topic", name, incremental_configs=some) for name, some in entries.items()
    ]
