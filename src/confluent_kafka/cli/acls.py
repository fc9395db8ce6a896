"""``python -m confluent_kafka acls``: which users may do what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka.cli.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    choice,
    confirm,
    show,
)
from confluent_kafka.cli.commands import Group
from confluent_kafka.cli.declared import option
from confluent_kafka.cli.settings import Brokers, File, Properties

if TYPE_CHECKING:
    from confluent_kafka.admin import (
        AclBinding,
        AclBindingFilter,
        AclOperation,
        AclPermissionType,
        ResourcePatternType,
        ResourceType,
    )

app = Group(
    help="List, create and delete ACLs.\n\n"
    "Exit status: 0 done, 1 the cluster refused, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka acls list --principal User:alice -b localhost:9092",
        "confluent-kafka acls delete --resource topic --name orders -F prod.properties",
    ),
)

_KINDS = "topic, group, broker (the cluster) or transactional_id"

Resource = Annotated[str, option("--resource", help=f"Kind of the resource: any, {_KINDS}.")]
Name = Annotated[str | None, option("--name", help="Name of the resource.")]
Pattern = Annotated[
    str, option("--pattern", help="Kind of the name: any, match, literal or prefixed.")
]
Principal = Annotated[
    str | None, option("--principal", help="User or group of the ACL, such as User:alice.")
]
Host = Annotated[str | None, option("--host", help="Host that the ACL is for; `*` is all hosts.")]
Operation = Annotated[
    str, option("--operation", help="Operation: any, all, read, write, create, and so on.")
]
Permission = Annotated[
    str, option("--permission", help="Whether the ACL allows or denies: any, allow or deny.")
]


@app.command(
    name="list",
    examples=(
        "confluent-kafka acls list -b localhost:9092",
        "confluent-kafka acls list --resource topic --name orders --json \\\n"
        "    -F prod.properties",
    ),
)
def list_(
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
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
    wanted = _filter(resource, name, pattern, principal, host, operation, permission)
    with administering(brokers, config_file, properties, timeout) as admin:
        found = admin.describe_acls(wanted, request_timeout=timeout).result()
    _show(found, as_json)


@app.command(
    examples=(
        "confluent-kafka acls create --resource topic --name orders \\\n"
        "    --principal User:alice --operation read -F prod.properties",
        "confluent-kafka acls create --resource group --name app- --pattern prefixed \\\n"
        "    --principal User:alice --operation read -F prod.properties",
    )
)
def create(
    resource: Annotated[str, option("--resource", help=f"Kind of the resource: {_KINDS}.")],
    name: Annotated[str, option("--name", help="Name of the resource.")],
    principal: Annotated[
        str, option("--principal", help="User or group of the ACL, such as User:alice.")
    ],
    operation: Annotated[
        str, option("--operation", help="Operation: all, read, write, create, and so on.")
    ],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
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
) -> None:
    """Create an ACL. If the same ACL exists already, nothing changes."""
    from confluent_kafka.admin import AclBinding

    kind, form, what, effect = _choices(resource, pattern, operation, permission)
    try:
        binding = AclBinding(kind, name, form, principal, host, what, effect)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    with administering(brokers, config_file, properties, timeout) as admin:
        admin.create_acls([binding], request_timeout=timeout)[binding].result()
    print("the ACL was created")


@app.command(
    examples=(
        "confluent-kafka acls delete --principal User:alice -b localhost:9092",
        "confluent-kafka acls delete --resource topic --name orders --yes \\\n"
        "    -F test.properties",
    )
)
def delete(
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
    everything: Annotated[bool, option("--all", help="Delete every ACL.")] = False,
    resource: Resource = "any",
    name: Name = None,
    pattern: Pattern = "any",
    principal: Principal = None,
    host: Host = None,
    operation: Operation = "any",
    permission: Permission = "any",
) -> None:
    """Delete the ACLs that match the options, and show them."""
    wanted = _filter(resource, name, pattern, principal, host, operation, permission)
    _check_all(wanted, everything)
    confirm(f"Delete {'all ACLs' if everything else 'the ACLs that match the options'}?", yes)
    with administering(brokers, config_file, properties, timeout) as admin:
        found = admin.delete_acls([wanted], request_timeout=timeout)[wanted].result()
    _show(found, as_json)


def _filter(
    resource: str,
    name: str | None,
    pattern: str,
    principal: str | None,
    host: str | None,
    operation: str,
    permission: str,
) -> AclBindingFilter:
    from confluent_kafka.admin import AclBindingFilter

    kind, form, what, effect = _choices(resource, pattern, operation, permission)
    return AclBindingFilter(kind, name, form, principal, host, what, effect)


def _choices(
    resource: str, pattern: str, operation: str, permission: str
) -> tuple[ResourceType, ResourcePatternType, AclOperation, AclPermissionType]:
    from confluent_kafka.admin import (
        AclOperation,
        AclPermissionType,
        ResourcePatternType,
        ResourceType,
    )
    from confluent_kafka.admin._enums import CONFIGURATIONS_ONLY

    kinds = [each for each in ResourceType if each not in CONFIGURATIONS_ONLY]
    return (
        choice(kinds, resource, "--resource"),
        choice(ResourcePatternType, pattern, "--pattern"),
        choice(AclOperation, operation, "--operation"),
        choice(AclPermissionType, permission, "--permission"),
    )


def _check_all(wanted: AclBindingFilter, everything: bool) -> None:
    """Delete every ACL only with --all: a forgotten filter must not do it."""
    any_acl = _filter("any", None, "any", None, None, "any", "any")
    if wanted == any_acl and not everything:
        raise click.BadParameter(
            "without --resource, --name, --principal or another filter every ACL would be "
            "deleted: give a filter, or --all",
            param_hint="--all",
        )
    if wanted != any_acl and everything:
        raise click.BadParameter("cannot be combined with a filter", param_hint="--all")


def _show(acls: Iterable[AclBinding], as_json: bool) -> None:
    show(
        ("resource", "name", "pattern", "principal", "host", "operation", "permission"),
        (
            (
                acl.restype.name.lower(),
                acl.name,
                acl.resource_pattern_type.name.lower(),
                acl.principal,
                acl.host,
                acl.operation.name.lower(),
                acl.permission_type.name.lower(),
            )
            for acl in sorted(acls)
        ),
        as_json,
    )
