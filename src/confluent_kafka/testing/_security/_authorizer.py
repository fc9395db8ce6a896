"""Who may do what: the ACLs of a cluster, and the decision of Kafka's StandardAuthorizer."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from confluent_kafka.testing._security._settings import Security

# The numbers in Kafka's protocol: types of resources, types of patterns, operations, permissions.
TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID, DELEGATION_TOKEN, USER = range(2, 8)
LITERAL, PREFIXED = 3, 4
ALL, READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE = range(2, 9)
CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE = range(9, 13)
CREATE_TOKENS, DESCRIBE_TOKENS = 13, 14
_DENY, _ALLOW = 2, 3

# The only name of a resource of the type CLUSTER.
CLUSTER_NAME = "kafka-cluster"
_ANYTHING = "*"
_ANYBODY = "User:*"

# The operations that, if they are allowed, allow another operation too.
_IMPLYING = {DESCRIBE: {READ, WRITE, DELETE, ALTER}, DESCRIBE_CONFIGS: {ALTER_CONFIGS}}

# The operations that a resource of each type has.
_OPERATIONS = {
    TOPIC: (READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS),
    GROUP: (READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS),
    CLUSTER: (
        CREATE,
        ALTER,
        DESCRIBE,
        CLUSTER_ACTION,
        DESCRIBE_CONFIGS,
        ALTER_CONFIGS,
        IDEMPOTENT_WRITE,
    ),
}


def every_operation(resource: int) -> int:
    """Return all operations of a type of resource, as the bits of Kafka's answers."""
    return sum(1 << operation for operation in _OPERATIONS[resource])


class Client(NamedTuple):
    """Who sends a request, in the terms of ACLs."""

    principal: str
    host: str


class Acl(NamedTuple):
    """One ACL, with the fields of CreateAcls."""

    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int

    def covers(self, resource: int, name: str) -> bool:
        """Return whether its pattern matches a resource."""
        if self.resource_type != resource:
            return False
        if self.pattern_type == PREFIXED:
            return name.startswith(self.resource_name)
        return self.resource_name in (name, _ANYTHING)

    def is_for(self, client: Client) -> bool:
        """Return whether it is about this client."""
        return self.principal in (client.principal, _ANYBODY) and self.host in (
            client.host,
            _ANYTHING,
        )

    def allows(self, operations: Collection[int]) -> bool:
        """Return whether it allows one of these operations."""
        return self.permission_type == _ALLOW and self.operation in operations

    def denies(self, operation: int) -> bool:
        """Return whether it forbids this operation."""
        return self.permission_type == _DENY and self.operation in (ALL, operation)


class Acls:
    """The ACLs of a cluster, in the order of their creation.

    One thread changes them while another reads them, so each change makes a new tuple.
    """

    def __init__(self) -> None:
        self.all: tuple[Acl, ...] = ()

    def add(self, acl: Acl) -> None:
        """Add an ACL, unless it exists."""
        if acl not in self.all:
            self.all = (*self.all, acl)

    def remove(self, acls: Collection[Acl]) -> None:
        """Remove these ACLs."""
        self.all = tuple(acl for acl in self.all if acl not in acls)


class Authorizer:
    """Decides as Kafka does. A DENY takes precedence over every ALLOW.

    Args:
        security: has the super users, and what happens to resources that have no ACL.
        acls: the ACLs, which administrators change.
    """

    def __init__(self, security: Security, acls: Acls) -> None:
        self._super_users = frozenset(security.super_users)
        self._without_acl = security.allow_everyone_if_no_acl_found
        self._acls = acls

    def is_super_user(self, client: Client) -> bool:
        """Return whether the client may do everything."""
        return client.principal in self._super_users

    def allows(self, client: Client, operation: int, resource: int, name: str) -> bool:
        """Return whether a client may do something with a resource."""
        if self.is_super_user(client):
            return True
        about = [acl for acl in self._acls.all if acl.covers(resource, name)]
        if not about:
            return self._without_acl
        own = [acl for acl in about if acl.is_for(client)]
        if any(acl.denies(operation) for acl in own):
            return False
        enough = {ALL, operation} | _IMPLYING.get(operation, set())
        return any(acl.allows(enough) for acl in own)

    def allows_any(self, client: Client, operation: int, resource: int) -> bool:
        """Return whether a client may do something with at least one resource of a type."""
        # Like Kafka, ask about a name that has no ACL, because resources without ACLs also count.
        if self.allows(client, operation, resource, "hardcode"):
            return True
        own = [
            acl for acl in self._acls.all if acl.resource_type == resource and acl.is_for(client)
        ]
        denying = [acl for acl in own if acl.denies(operation)]
        allowing = [acl for acl in own if acl.allows({ALL, operation})]
        return any(not _is_denied(acl, denying) for acl in allowing)

    def operations(self, client: Client, resource: int, name: str) -> int:
        """Return the operations that a client may do, as the bits of Kafka's answers."""
        every = _OPERATIONS[resource]
        return sum(1 << each for each in every if self.allows(client, each, resource, name))


def _is_denied(allowing: Acl, denying: Iterable[Acl]) -> bool:
    """Return whether all resources that an ACL allows are forbidden by another ACL."""
    return any(
        allowing.resource_name.startswith(acl.resource_name)
        if acl.pattern_type == PREFIXED
        else acl.resource_name == _ANYTHING
        or (acl.resource_name, acl.pattern_type) == allowing[1:3]
        for acl in denying
    )
