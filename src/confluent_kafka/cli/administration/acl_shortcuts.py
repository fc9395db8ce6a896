"""The ACLs that a producer or a consumer needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.values import topic_name

if TYPE_CHECKING:
    from confluent_kafka.admin import (
        AclBinding,
        AclBindingFilter,
        AclPermissionType,
        ResourcePatternType,
    )

Producer = Annotated[bool, option("--producer", help="All ACLs that a producer needs for --topic.")]
Consumer = Annotated[
    bool,
    option("--consumer", help="All ACLs that a consumer needs for --topic and --group."),
]
Topics = Annotated[
    list[str] | None,
    option(
        "--topic",
        parse=topic_name,
        help="Topic of a producer or consumer. Can be given more than once.",
    ),
]
Groups = Annotated[
    list[str] | None, option("--group", help="Group of a consumer. Can be given more than once.")
]
TransactionalIds = Annotated[
    list[str] | None,
    option(
        "--transactional-id",
        help="Transactional id of a producer. Can be given more than once.",
    ),
]


class Shortcut(NamedTuple):
    """What the options --producer and --consumer describe."""

    producer: bool
    consumer: bool
    topics: list[str]
    groups: list[str]
    transactional_ids: list[str]

    def __bool__(self) -> bool:
        return self.producer or self.consumer

    def check(self, others: dict[str, object]) -> None:
        """Refuse options that are missing or cannot be combined.

        Args:
            others: the options of a single ACL, and their values.
        """
        given = [name for name, value in others.items() if value is not None]
        if self and given:
            raise click.BadParameter(
                "cannot be combined with --producer or --consumer", param_hint=given[0]
            )
        needs = [
            ("--topic", self.topics, bool(self), "--producer or --consumer"),
            ("--group", self.groups, self.consumer, "--consumer"),
            ("--transactional-id", self.transactional_ids, self.producer, "--producer"),
        ]
        for name, values, is_used, shortcuts in needs:
            if values and not is_used:
                raise click.BadParameter(f"needs {shortcuts}", param_hint=name)
            if is_used and not values and name != "--transactional-id":
                raise click.BadParameter(f"is required with {shortcuts}", param_hint=name)

    def bindings(
        self,
        principal: str,
        host: str,
        pattern: ResourcePatternType,
        permission: AclPermissionType,
    ) -> list[AclBinding]:
        """Return the ACLs, each once, as Kafka's kafka-acls.sh creates them.

        Args:
            principal: user or group of the ACLs.
            host: host of the ACLs.
            pattern: how the ACLs name topics, groups and transactional ids.
            permission: whether the ACLs allow or deny.
        """
        from confluent_kafka.admin import AclBinding, AclOperation, ResourceType

        return list(
            dict.fromkeys(
                AclBinding(
                    ResourceType[kind],
                    name,
                    pattern,
                    principal,
                    host,
                    AclOperation[operation],
                    permission,
                )
                for kind, names, operations in self._needed()
                for name in names
                for operation in operations
            )
        )

    def filters(
        self,
        principal: str,
        host: str,
        pattern: ResourcePatternType,
        permission: AclPermissionType,
    ) -> list[AclBindingFilter]:
        """Return a filter for each of bindings()."""
        from confluent_kafka.admin import AclBindingFilter

        return [
            AclBindingFilter(
                each.restype,
                each.name,
                each.resource_pattern_type,
                each.principal,
                each.host,
                each.operation,
                each.permission_type,
            )
            for each in self.bindings(principal, host, pattern, permission)
        ]

    def _needed(self) -> Iterator[tuple[str, list[str], tuple[str, ...]]]:
        """Yield kinds of resources, names and operations. Brokers create topics if they may."""
        if self.producer:
            yield "TOPIC", self.topics, ("WRITE", "DESCRIBE", "CREATE")
            yield "TRANSACTIONAL_ID", self.transactional_ids, ("WRITE", "DESCRIBE")
        if self.consumer:
            yield "TOPIC", self.topics, ("READ", "DESCRIBE")
            yield "GROUP", self.groups, ("READ",)
