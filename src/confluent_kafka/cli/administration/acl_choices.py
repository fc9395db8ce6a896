"""The options of `acls` that choose ACLs, and the filters that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.values import principal as principal_of
from confluent_kafka.cli.connection.administration import choice

if TYPE_CHECKING:
    from confluent_kafka.admin import (
        AclBindingFilter,
        AclOperation,
        AclPermissionType,
        ResourcePatternType,
        ResourceType,
    )

KINDS = "topic, group, broker (the cluster) or transactional_id"

Resource = Annotated[str, option("--resource", help=f"Kind of the resource: any, {KINDS}.")]
Name = Annotated[str | None, option("--name", help="Name of the resource.")]
Pattern = Annotated[
    str, option("--pattern", help="Kind of the name: any, match, literal or prefixed.")
]
Principal = Annotated[
    str | None,
    option("--principal", parse=principal_of, help="User or group of the ACL, such as User:alice."),
]
Host = Annotated[str | None, option("--host", help="Host that the ACL is for; `*` is all hosts.")]
Operation = Annotated[
    str, option("--operation", help="Operation: any, all, read, write, create, and so on.")
]
Permission = Annotated[
    str, option("--permission", help="Whether the ACL allows or denies: any, allow or deny.")
]


def filter_of(
    resource: str,
    name: str | None,
    pattern: str,
    principal: str | None,
    host: str | None,
    operation: str,
    permission: str,
) -> AclBindingFilter:
    """Return the filter that options describe.

    Args:
        resource: value of --resource.
        name: value of --name; None for every name.
        pattern: value of --pattern.
        principal: value of --principal; None for all users.
        host: value of --host; None for every host.
        operation: value of --operation.
        permission: value of --permission.
    """
    from confluent_kafka.admin import AclBindingFilter

    kind, form, what, effect = choices(resource, pattern, operation, permission)
    return AclBindingFilter(kind, name, form, principal, host, what, effect)


def choices(
    resource: str, pattern: str, operation: str, permission: str
) -> tuple[ResourceType, ResourcePatternType, AclOperation, AclPermissionType]:
    """Return the members of enumerations that the values of options name.

    Args:
        resource: value of --resource.
        pattern: value of --pattern.
        operation: value of --operation.
        permission: value of --permission.
    """
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


def check_all(wanted: AclBindingFilter, everything: bool) -> None:
    """Refuse to delete every ACL without --all: a forgotten filter must not delete them.

    Args:
        wanted: the filter.
        everything: value of --all.
    """
    any_acl = filter_of("any", None, "any", None, None, "any", "any")
    if wanted == any_acl and not everything:
        raise click.BadParameter(
            "without --resource, --name, --principal or another filter every ACL would be "
            "deleted: give a filter, or --all",
            param_hint="--all",
        )
    if wanted != any_acl and everything:
        raise click.BadParameter("cannot be combined with a filter", param_hint="--all")
