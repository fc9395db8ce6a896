"""``python -m confluent_kafka acls``: which users may do what."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka.cli.administration.acl_choices import (
    KINDS,
    Host,
    Name,
    Operation,
    Pattern,
    Permission,
    Principal,
    Resource,
    check_all,
    choices,
    filter_of,
)
from confluent_kafka.cli.administration.acl_shortcuts import (
    Consumer,
    Groups,
    Producer,
    Shortcut,
    Topics,
    TransactionalIds,
)
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import fail, report
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.base.values import principal as principal_of
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    settled,
    show,
    show_changes,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import AclBinding

app = Group(
    help="List, create and delete ACLs.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka acls list --principal User:alice -b localhost:9092",
        "confluent-kafka acls delete --resource topic --name orders -F prod.properties",
    ),
)


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka acls list -b localhost:9092",
        "confluent-kafka acls list --resource topic --name orders --json \\\n"
        "    -F prod.properties",
    ),
)
def list_(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    resource: Resource = "any",
    name: Name = None,
    pattern: Pattern = "any",
    principal: Principal = None,
    host: Host = None,
    operation: Operation = "any",
    permission: Permission = "any",
) -> None:
    """List the ACLs that match the options. Without options, list all ACLs."""
    wanted = filter_of(resource, name, pattern, principal, host, operation, permission)
    with administering(connection, timeout) as admin:
        found = admin.describe_acls(wanted, request_timeout=timeout).result()
    _show(found, as_json)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka acls create --resource topic --name orders \\\n"
        "    --principal User:alice --operation read -F prod.properties",
        "confluent-kafka acls create --resource group --name app- --pattern prefixed \\\n"
        "    --principal User:alice --operation read -F prod.properties",
    ),
)
def create(
    principal: Annotated[
        str,
        option(
            "--principal", parse=principal_of, help="User or group of the ACL, such as User:alice."
        ),
    ],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    resource: Annotated[
        str | None, option("--resource", help=f"Kind of the resource: {KINDS}.")
    ] = None,
    name: Annotated[str | None, option("--name", help="Name of the resource.")] = None,
    operation: Annotated[
        str | None, option("--operation", help="Operation: all, read, write, create, and so on.")
    ] = None,
    pattern: Annotated[
        str, option("--pattern", help="Kind of the name: literal or prefixed.")
    ] = "literal",
    host: Annotated[
        str, option("--host", help="Host that the ACL is for; `*` is all hosts.")
    ] = "*",
    permission: Annotated[
        str,
        option(
            "--permission", help="Whether the ACL allows or denies the operation: allow or deny."
        ),
    ] = "allow",
    producer: Producer = False,
    consumer: Consumer = False,
    topic: Topics = None,
    group: Groups = None,
    transactional_id: TransactionalIds = None,
) -> None:
    """Create ACLs, and show them. If the same ACL exists already, nothing changes.

    Give --resource, --name and --operation for one ACL. With --producer, the user may write,
    describe and create the topics, and write and describe the transactional ids. With --consumer,
    the user may read and describe the topics, and read the groups.
    """
    from confluent_kafka.admin import AclBinding

    shortcut = Shortcut(producer, consumer, topic or [], group or [], transactional_id or [])
    single = {"--resource": resource, "--name": name, "--operation": operation}
    shortcut.check(dict(single))
    for each, value in single.items():
        if not shortcut and value is None:
            raise click.BadParameter(
                "is required without --producer or --consumer", param_hint=each
            )
    kind, form, what, effect = choices(resource or "topic", pattern, operation or "all", permission)
    try:
        wanted = (
            shortcut.bindings(principal, host, form, effect)
            if shortcut
            else [AclBinding(kind, name or "", form, principal, host, what, effect)]
        )
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    with administering(connection, timeout) as admin:
        futures = admin.create_acls(wanted, request_timeout=timeout)
        created, failures = settled("ACL", {_line(each): one for each, one in futures.items()})
    done = [each for each in futures if _line(each) in created]
    if done:
        _show(done, as_json)
    if failures:
        fail(*failures)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka acls delete --principal User:alice -b localhost:9092",
        "confluent-kafka acls delete --producer --topic orders --principal User:alice \\\n"
        "    -F prod.properties",
    ),
)
def delete(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
    everything: Annotated[bool, option("--all", help="Delete every ACL.")] = False,
    resource: Annotated[
        str | None, option("--resource", help=f"Kind of the resource: any, {KINDS}.")
    ] = None,
    name: Name = None,
    pattern: Pattern = "any",
    principal: Principal = None,
    host: Host = None,
    operation: Annotated[
        str | None, option("--operation", help="Operation: any, all, read, write, and so on.")
    ] = None,
    permission: Permission = "any",
    producer: Producer = False,
    consumer: Consumer = False,
    topic: Topics = None,
    group: Groups = None,
    transactional_id: TransactionalIds = None,
) -> None:
    """Delete the ACLs that match the options. Shows them, and asks first.

    With --producer or --consumer, the command deletes what `acls create` with the same options
    creates.
    """
    shortcut = Shortcut(producer, consumer, topic or [], group or [], transactional_id or [])
    shortcut.check({"--resource": resource, "--name": name, "--operation": operation})
    if shortcut:
        if principal is None:
            raise click.BadParameter(
                "is required with --producer and --consumer", param_hint="--principal"
            )
        form, effect = (
            default if text == "any" else text
            for text, default in ((pattern, "literal"), (permission, "allow"))
        )
        _, chosen, _, allowed = choices("topic", form, "all", effect)
        wanted = shortcut.filters(principal, host or "*", chosen, allowed)
    else:
        kind, what = resource or "any", operation or "any"
        wanted = [filter_of(kind, name, pattern, principal, host, what, permission)]
        check_all(wanted[0], everything)
    with administering(connection, timeout) as admin:
        found = {
            acl
            for each in wanted
            for acl in admin.describe_acls(each, request_timeout=timeout).result()
        }
        if not found:
            if not as_json:
                print("no ACL matches")
            return
        if not (as_json and yes):
            _show_deleted(found, (), as_json)
        confirm(f"Delete {counted(len(found), 'ACL')}?", yes)
        for future in admin.delete_acls(wanted, request_timeout=timeout).values():
            future.result()
    if as_json:
        _show_deleted(found, found, as_json)
    else:
        report(f"{counted(len(found), 'ACL')} deleted")


_COLUMNS = ("resource", "name", "pattern", "principal", "host", "operation", "permission")


def _row(acl: AclBinding) -> tuple[str, ...]:
    return (
        acl.restype.name.lower(),
        acl.name,
        acl.resource_pattern_type.name.lower(),
        acl.principal,
        acl.host,
        acl.operation.name.lower(),
        acl.permission_type.name.lower(),
    )


def _line(acl: AclBinding) -> str:
    return " ".join(_row(acl))


def _show(acls: Iterable[AclBinding], as_json: bool) -> None:
    show(_COLUMNS, (_row(acl) for acl in sorted(acls)), as_json)


def _show_deleted(
    acls: Collection[AclBinding], done: Collection[AclBinding], as_json: bool
) -> None:
    show_changes(_COLUMNS, {acl: _row(acl) for acl in sorted(acls)}, done, as_json)
