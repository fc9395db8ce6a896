"""``python -m confluent_kafka registry``: subjects, versions and compatibility of schemas."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import FAILED, fail, report
from confluent_kafka.cli.connection.administration import AsJson, show
from confluent_kafka.cli.registry import schemas
from confluent_kafka.cli.registry.changes import compatibility, contexts, delete, mode
from confluent_kafka.cli.registry.connection import (
    Connection,
    Subject,
    registry,
    version_of,
    versions_of,
)
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import RegisteredSchema

app = Group(
    help="Show, check, register and delete the schemas of a schema registry.\n\n"
    "Exit status: 0 done, 1 failed or a schema is not compatible, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka registry subjects --registry http://localhost:8081",
        "confluent-kafka registry check orders-value order.avsc -C prod",
    ),
)

SchemaFile = Annotated[
    Path, argument(metavar="FILE", exists=True, help="File of the schema: .avsc, .proto or .json.")
]
Kind = Annotated[
    schemas.Type | None,
    option("--type", help="Type of the schema. By default, the name of the file determines it."),
]
References = Annotated[
    list[str] | None,
    option(
        "--reference",
        metavar="NAME=SUBJECT:VERSION",
        help="Schema that the file refers to by this name. Can be given more than once.",
    ),
]
Normalize = Annotated[
    bool, option("--normalize", help="Let the registry normalize the schema first.")
]


@app.command(
    changes=False,
    examples=(
        "confluent-kafka registry subjects --registry http://localhost:8081",
        "confluent-kafka registry subjects --prefix orders --json -C prod",
    ),
)
def subjects(
    prefix: Annotated[str | None, option(help="List only subjects that begin with this.")] = None,
    deleted: Annotated[bool, option("--deleted", help="Also list deleted subjects.")] = False,
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """List the subjects."""
    with registry(connection) as client:
        found = client.get_subjects(subject_prefix=prefix, deleted=deleted)
    show(
        ("subject",), [(name,) for name in sorted(found) if name.startswith(prefix or "")], as_json
    )


@app.command(
    changes=False,
    examples=(
        "confluent-kafka registry versions orders-value -F client.properties",
        "confluent-kafka registry versions orders-value --deleted --json -C prod",
    ),
)
def versions(
    subject: Subject,
    deleted: Annotated[bool, option("--deleted", help="Also list deleted versions.")] = False,
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """List the versions of a subject with the ids and types of their schemas."""
    with registry(connection) as client:
        found = [
            client.get_version(subject, n, deleted) for n in versions_of(client, subject, deleted)
        ]
    show(("version", "id", "type", "references"), [_row(each) for each in found], as_json)


def _row(each: RegisteredSchema) -> tuple[int | None, int | None, str, list[str] | None]:
    schema = each.schema
    used = [f"{one.name}={one.subject}:{one.version}" for one in schema.references or []]
    return each.version, each.schema_id, schema.schema_type.lower(), used or None


@app.command(
    changes=False,
    name="show",
    examples=(
        "confluent-kafka registry show orders-value --registry http://localhost:8081",
        "confluent-kafka registry show orders-value --version 3 --json -C prod",
    ),
)
def show_(
    subject: Subject,
    version: Annotated[
        int | str, option(parse=version_of, metavar="VERSION", help="Version, or latest.")
    ] = "latest",
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """Show the schema of a version. JSON is indented."""
    with registry(connection) as client:
        versions_of(client, subject)
        found = client.get_version(subject, version)
    if as_json:
        names = ("subject", "version", "id", "type", "references", "schema")
        show(names, [(subject, *_row(found), found.schema.schema_str)], as_json)
    else:
        print("\n".join(schemas.lines(found.schema)))


@app.command(
    changes=True,
    examples=(
        "confluent-kafka registry register orders-value order.avsc -C prod",
        "confluent-kafka registry register orders-value order.proto \\\n"
        "    --reference item.proto=items-value:2 -C prod",
    ),
)
def register(
    subject: Subject,
    file: SchemaFile,
    kind: Kind = None,
    reference: References = None,
    normalize: Normalize = False,
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """Register a schema under a subject. If it is registered already, nothing changes.

    If the schema is not compatible, the command explains why, as `registry check` does.
    """
    schema = schemas.schema_of(file, kind, reference or ())
    with registry(connection) as client:
        try:
            client.register_schema(subject, schema, normalize)
        except Exception as error:
            problems = schemas.incompatibilities(client, subject, schema, error, normalize)
            _show_problems(problems, as_json)
            fail(f"{file} is not compatible with {subject}: nothing was registered")
        found = client.lookup_schema(subject, schema, normalize)
    if as_json:
        names = ("subject", "version", "id")
        show(names, [(subject, found.version, found.schema_id)], as_json)
    else:
        report(f"{subject} version {found.version} has the schema with id {found.schema_id}")


@app.command(
    changes=False,
    examples=(
        "confluent-kafka registry check orders-value order.avsc -C prod",
        "confluent-kafka registry check orders-value order.avsc --version 3 -C prod",
    ),
)
def check(
    subject: Subject,
    file: SchemaFile,
    kind: Kind = None,
    reference: References = None,
    normalize: Normalize = False,
    version: Annotated[
        int | str | None,
        option(
            parse=version_of,
            metavar="VERSION",
            show_default="the versions that the compatibility level covers",
            help="Version to compare with, or latest.",
        ),
    ] = None,
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """Check whether a schema is compatible with a subject, and explain what is not.

    Nothing is registered.
    """
    schema = schemas.schema_of(file, kind, reference or ())
    with registry(connection) as client:
        versions_of(client, subject)
        messages = client.explain_compatibility(subject, schema, version, normalize)
    if messages:
        _show_problems(schemas.explained(messages), as_json)
        raise click.exceptions.Exit(FAILED)
    if not as_json:
        report(f"{file} is compatible with {subject}")


def _show_problems(rows: Iterable[schemas.Problem], as_json: bool) -> None:
    show(("problem", "place", "reason"), rows, as_json)


@app.command(
    changes=False,
    examples=(
        "confluent-kafka registry diff orders-value --registry http://localhost:8081",
        "confluent-kafka registry diff orders-value 1 3 -C prod",
    ),
)
def diff(
    subject: Subject,
    old: Annotated[
        int | str | None,
        argument(parse=version_of, metavar="[OLD]", help="By default, the version before NEW."),
    ] = None,
    new: Annotated[
        int | str,
        argument(parse=version_of, metavar="[NEW]", help="By default, the latest version."),
    ] = "latest",
    *,
    connection: Connection,
    as_json: AsJson = False,
) -> None:
    """Show the lines in which two versions of a subject differ."""
    with registry(connection) as client:
        known = versions_of(client, subject)
        second = client.get_version(subject, new)
        earlier = [number for number in known if number < (second.version or 0)]
        if old is None and not earlier:
            fail(f"{subject} has no version before {second.version}")
        first = client.get_version(subject, old or earlier[-1])
    names = (f"{subject} version {first.version}", f"{subject} version {second.version}")
    found = schemas.difference(first.schema, second.schema, names)
    if as_json:
        print(json.dumps({"old": first.version, "new": second.version, "lines": found}))
    else:
        if not found:
            report(f"{names[0]} and version {second.version} are the same")
        else:
            print("\n".join(found))


for command in (delete, compatibility, mode, contexts):
    app.add_command(command)
