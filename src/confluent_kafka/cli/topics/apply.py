"""``topics apply``: make the topics of a cluster as a file declares them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka.cimpl import NewPartitions, NewTopic
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, note, report
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    settled,
    show_changes,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import existing
from confluent_kafka.cli.topics.states import overrides

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, ConfigResource
    from confluent_kafka.cli.topics.file import Change, Declared, Present


_DONE = {
    "create": "was created",
    "grow": "has more partitions",
    "set": "was changed",
    "unset": "was changed",
    "delete": "was deleted",
}


def apply(
    file: Annotated[Path, argument(exists=True, help="File that declares topics, in TOML.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    execute: Annotated[bool, option(help="Make the changes. Otherwise they are only shown.")] = (
        False
    ),
    diff: Annotated[
        bool, option("--diff", help="Only show the changes, as without --execute.")
    ] = False,
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
    mention stays as it is: a key, or a topic. The brokers check all changes before --execute makes
    the first one. If they refuse any of them, nothing is changed. Topics are deleted last, and only
    if everything else succeeded.
    """
    from confluent_kafka.cli.topics.file import Change, differences

    if diff and execute:
        raise click.BadParameter("cannot be combined with --execute", param_hint="--diff")
    declared = _read(file)
    if prune and not declared:
        raise click.BadParameter(
            f"{file} declares no topics: every topic of the cluster would be deleted",
            param_hint="--prune",
        )
    with administering(connection, timeout) as admin:
        known = admin.list_topics(timeout=timeout).topics
        present = _present(admin, [name for name in declared if name in known], timeout)
        changes, problems = differences(declared, present)
        if prune:
            # Kafka's own topics begin with two underscores.
            others = [name for name in known if name not in declared and not name.startswith("__")]
            changes += [Change(name, "delete", None, None, None) for name in sorted(others)]
        deletes = bool(_topics(changes, "delete"))
        # A user who is asked sees the plan first.
        rows_come_last = as_json and execute and (yes or not deletes)
        if changes and not rows_come_last:
            _show(changes, [], as_json)
        elif not (changes or problems or as_json):
            print("nothing is different")
        done: list[Change] = []
        failures = problems or _refused(admin, declared, changes, timeout)
        if execute and not failures:
            _confirm_deletions(changes, yes)
            done, failures = _carried_out(admin, declared, changes, timeout)
        if rows_come_last or (as_json and done):
            _show(changes, done, as_json)
        else:
            report(*dict.fromkeys(f"topic {each.topic} {_DONE[each.kind]}" for each in done))
        if failures:
            fail(*failures)
    if changes and not execute:
        note("nothing was changed: add --execute to make these changes")


def _read(file: Path) -> dict[str, Declared]:
    from confluent_kafka.cli.topics.file import read

    try:
        return read(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="FILE") from None


def _present(admin: AdminClient, names: list[str], timeout: float) -> dict[str, Present]:
    from confluent_kafka.cli.topics.file import Present

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


def _show(changes: list[Change], done: list[Change], as_json: bool) -> None:
    names = ("topic", "change", "setting", "old", "new")
    show_changes(names, dict(zip(changes, changes, strict=True)), done, as_json)


def _refused(
    admin: AdminClient, declared: dict[str, Declared], changes: list[Change], timeout: float
) -> list[str]:
    """Let the brokers check all changes. Return a line for each change that they refuse."""
    answers = _asked(admin, declared, changes, timeout, only_check=True)
    return [line for _, futures in answers for line in _settled(futures)[1]]


def _carried_out(
    admin: AdminClient, declared: dict[str, Declared], changes: list[Change], timeout: float
) -> tuple[list[Change], list[str]]:
    """Make the changes, and stop after the first request that failed.

    Returns:
        The changes that were made, and a line for each failure.
    """
    done: list[Change] = []
    for kinds, futures in _asked(admin, declared, changes, timeout, only_check=False):
        names, failures = _settled(futures)
        done += [each for each in changes if each.kind in kinds and each.topic in names]
        if failures:
            return done, failures
    return done, []


def _asked(
    admin: AdminClient,
    declared: dict[str, Declared],
    changes: list[Change],
    timeout: float,
    *,
    only_check: bool,
) -> Iterator[tuple[tuple[str, ...], Mapping[Any, Future[None]]]]:
    """Send a request for each kind of change, when the caller wants the next one.

    Yields:
        Kinds of changes, and the answers about them. Deletions are last, since they cannot be
        undone. Brokers cannot check them.
    """
    options: dict[str, Any] = {"request_timeout": timeout, "validate_only": only_check}
    wait: dict[str, Any] = {"operation_timeout": timeout}
    created = [_new_topic(name, declared[name]) for name in _topics(changes, "create")]
    if created:
        yield ("create",), admin.create_topics(created, **options, **wait)
    if grown := [_new_partitions(change) for change in changes if change.kind == "grow"]:
        yield ("grow",), admin.create_partitions(grown, **options, **wait)
    if altered := _resources(changes):
        yield ("set", "unset"), admin.incremental_alter_configs(altered, **options)
    deleted = _topics(changes, "delete")
    if deleted and not only_check:
        yield ("delete",), admin.delete_topics(deleted, request_timeout=timeout, **wait)


def _settled(futures: Mapping[Any, Future[None]]) -> tuple[Collection[str], list[str]]:
    return settled("topic", {_name(key): one for key, one in futures.items()})


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
