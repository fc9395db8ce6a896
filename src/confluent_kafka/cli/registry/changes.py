"""The commands of `registry` that delete schemas, and that show and change its settings."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, report
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import AsJson, Yes, confirm, show, show_changes
from confluent_kafka.cli.connection.chosen_profile import when
from confluent_kafka.cli.registry.connection import (
    Connection,
    Subject,
    is_missing,
    registry,
    version_of,
    versions_of,
)
from confluent_kafka.cli.shell.command import Command

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import SchemaRegistryClient

AnySubject = Annotated[
    str | None, argument(help="Subject. By default, the command applies to the whole registry.")
]
Unset = Annotated[
    bool, option("--unset", help="Let the value of the whole registry apply to the subject.")
]


class Level(StrEnum):
    """The compatibility levels."""

    none = "none"
    backward = "backward"
    backward_transitive = "backward_transitive"
    forward = "forward"
    forward_transitive = "forward_transitive"
    full = "full"
    full_transitive = "full_transitive"


class Mode(StrEnum):
    """The modes."""

    readwrite = "readwrite"
    readonly = "readonly"
    readonly_override = "readonly_override"
    import_ = "import"


@click.command(
    cls=Command,
    changes=True,
    examples=(
        "confluent-kafka registry delete orders-value --registry http://localhost:8081",
        "confluent-kafka registry delete orders-value --version 3 --permanent -C test",
    ),
)
def delete(
    subject: Subject,
    version: Annotated[
        int | str | None,
        option(
            parse=version_of,
            metavar="VERSION",
            show_default="all versions",
            help="Version to delete.",
        ),
    ] = None,
    permanent: Annotated[
        bool,
        option("--permanent", help="Delete permanently. This includes versions already deleted."),
    ] = False,
    *,
    connection: Connection,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Delete a subject or one of its versions, after showing the versions.

    Without --permanent, consumers can still read the schemas by their ids.
    """
    how = " permanently" if permanent else ""
    with registry(connection) as client:
        known = versions_of(client, subject, deleted=permanent)
        chosen = [number for number in known if version in (None, number)]
        if version == "latest":
            chosen = known[-1:]
        if not chosen:
            fail(f"{subject} has no version {version}, only {', '.join(map(str, known))}")
        found = [client.get_version(subject, number, permanent) for number in chosen]
        names = ("version", "id", "type")
        rows = {
            one.version: (one.version, one.schema_id, one.schema.schema_type.lower())
            for one in found
        }
        if not as_json:
            show(names, rows.values(), as_json)
        confirm(f"Delete {counted(len(chosen), 'version')} of {subject}{how}?", yes)
        _delete(client, subject, None if version is None else chosen, permanent)
    if as_json:
        show_changes(names, rows, chosen, as_json)
    else:
        report(f"{subject}: {counted(len(chosen), 'version')} deleted{how}")


def _delete(
    client: SchemaRegistryClient, subject: str, numbers: list[int] | None, permanent: bool
) -> None:
    """Delete versions, or the whole subject if `numbers` is None.

    A registry deletes for good only what is deleted already. So this happens first.
    """
    for for_good in (False, True) if permanent else (False,):
        try:
            if numbers is None:
                client.delete_subject(subject, for_good)
            for number in numbers or ():
                client.delete_version(subject, number, for_good)
        except Exception as error:
            if for_good or not permanent or not is_missing(error):
                raise


@click.command(
    cls=Command,
    changes=when("level", "unset"),
    examples=(
        "confluent-kafka registry compatibility orders-value -C prod",
        "confluent-kafka registry compatibility orders-value --set full -C prod",
    ),
)
def compatibility(
    subject: AnySubject = None,
    level: Annotated[
        Level | None, option("--set", metavar="LEVEL", help=f"Level to set: {', '.join(Level)}.")
    ] = None,
    unset: Unset = False,
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """Show or set the level at which new versions must be compatible."""
    _check_unset(subject, level, unset)
    with registry(connection) as client:
        if level is not None:
            client.set_compatibility(subject, level.value.upper())
        elif unset:
            client.delete_config(subject)
        found = _own_or_global(client.get_compatibility, subject)
    show(("subject", "compatibility", "of"), [(subject, *found)], as_json)


@click.command(
    cls=Command,
    changes=when("wanted", "unset"),
    examples=(
        "confluent-kafka registry mode --registry http://localhost:8081",
        "confluent-kafka registry mode orders-value --set readonly -C prod",
    ),
)
def mode(
    subject: AnySubject = None,
    wanted: Annotated[
        Mode | None, option("--set", metavar="MODE", help=f"Mode to set: {', '.join(Mode)}.")
    ] = None,
    unset: Unset = False,
    force: Annotated[
        bool, option("--force", help="Set the mode import even if there are schemas.")
    ] = False,
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """Show or set whether new versions can be registered."""
    _check_unset(subject, wanted, unset)
    with registry(connection) as client:
        if wanted is not None and subject is None:
            client.update_global_mode(wanted.value.upper(), force)
        elif wanted is not None and subject is not None:
            client.update_mode(subject, wanted.value.upper(), force)
        elif unset and subject is not None:
            client.delete_mode(subject)
        found = _own_or_global(
            lambda name: client.get_global_mode() if name is None else client.get_mode(name),
            subject,
        )
    show(("subject", "mode", "of"), [(subject, *found)], as_json)


def _check_unset(subject: str | None, value: object, unset: bool) -> None:
    if unset and (subject is None or value is not None):
        raise click.BadParameter(
            "needs a subject, and cannot be combined with --set", param_hint="--unset"
        )


def _own_or_global(get: Callable[[str | None], str], subject: str | None) -> tuple[str, str]:
    """Return the value that applies to a subject, and whether it is its own or the registry's."""
    if subject is not None:
        try:
            return get(subject).lower(), "subject"
        except Exception as error:
            if not is_missing(error):
                raise
    return get(None).lower(), "registry"


@click.command(
    cls=Command,
    changes=False,
    examples=(
        "confluent-kafka registry contexts --registry http://localhost:8081",
        "confluent-kafka registry contexts --json -C prod",
    ),
)
def contexts(
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """List the contexts of the registry."""
    with registry(connection) as client:
        found = client.get_contexts()
    show(("context",), [(name,) for name in sorted(found)], as_json)
