"""The authorizer applies ACLs in the same way as Kafka's StandardAuthorizer."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka.testing import Security
from confluent_kafka.testing._security._authorizer import (
    ALL,
    ALTER,
    ALTER_CONFIGS,
    CLUSTER,
    CLUSTER_NAME,
    CREATE,
    DELETE,
    DESCRIBE,
    DESCRIBE_CONFIGS,
    GROUP,
    LITERAL,
    PREFIXED,
    READ,
    TOPIC,
    WRITE,
    Acl,
    Acls,
    Authorizer,
    Client,
)

DENY, ALLOW = 2, 3
ALICE = Client("User:alice", "127.0.0.1")


def acl(
    operation: int = READ,
    permission: int = ALLOW,
    name: str = "orders",
    pattern: int = LITERAL,
    principal: str = "User:alice",
    host: str = "*",
    resource: int = TOPIC,
) -> Acl:
    return Acl(resource, name, pattern, principal, host, operation, permission)


def authorizer(*acls: Acl, **settings: Any) -> Authorizer:
    stored = Acls()
    for each in acls:
        stored.add(each)
    security = Security(protocol="SASL_PLAINTEXT", authorizer=True, **settings)
    return Authorizer(security, stored)


@pytest.mark.parametrize(
    ("acls", "allowed"),
    [
        ([], False),
        ([acl()], True),
        ([acl(principal="User:bob")], False),
        ([acl(principal="User:*")], True),
        ([acl(host="127.0.0.1")], True),
        ([acl(host="10.0.0.1")], False),
        ([acl(resource=GROUP)], False),
        ([acl(name="order")], False),
        ([acl(name="ord", pattern=PREFIXED)], True),
        ([acl(name="stock", pattern=PREFIXED)], False),
        ([acl(name="*")], True),
        ([acl(name="*", pattern=PREFIXED)], False),
        ([acl(ALL)], True),
        ([acl(WRITE)], False),
        ([acl(), acl(READ, DENY)], False),
        ([acl(READ, DENY, name="*"), acl()], False),
        ([acl(READ, DENY, name="o", pattern=PREFIXED), acl()], False),
        ([acl(ALL, DENY), acl()], False),
        ([acl(READ, DENY, principal="User:*"), acl()], False),
        ([acl(READ, DENY, principal="User:bob"), acl()], True),
        ([acl(READ, DENY, host="10.0.0.1"), acl()], True),
        ([acl(DESCRIBE, DENY), acl()], True),
    ],
)
def test_reading(acls: list[Acl], allowed: bool) -> None:
    """Patterns, principals and hosts must match, and a DENY takes precedence over each ALLOW."""
    assert authorizer(*acls).allows(ALICE, READ, TOPIC, "orders") is allowed


@pytest.mark.parametrize("operation", [READ, WRITE, DELETE, ALTER, CREATE, ALTER_CONFIGS])
def test_implied_operations(operation: int) -> None:
    """Some operations imply DESCRIBE, and one implies DESCRIBE_CONFIGS."""
    decision = authorizer(acl(operation))
    describes = operation in (READ, WRITE, DELETE, ALTER)
    assert decision.allows(ALICE, DESCRIBE, TOPIC, "orders") is describes
    configures = operation == ALTER_CONFIGS
    assert decision.allows(ALICE, DESCRIBE_CONFIGS, TOPIC, "orders") is configures


def test_denied_operations_imply_nothing() -> None:
    """A DENY of READ leaves DESCRIBE allowed; an ALLOW of READ does not overcome a DENY of
    DESCRIBE."""
    assert authorizer(acl(READ, DENY), acl(WRITE)).allows(ALICE, DESCRIBE, TOPIC, "orders")
    assert not authorizer(acl(DESCRIBE, DENY), acl()).allows(ALICE, DESCRIBE, TOPIC, "orders")


def test_super_users() -> None:
    """A DENY does not stop super users; other principals get no additional rights."""
    decision = authorizer(acl(ALL, DENY), super_users=["User:alice"])
    assert decision.allows(ALICE, WRITE, TOPIC, "orders")
    assert not decision.allows(Client("User:bob", "127.0.0.1"), WRITE, TOPIC, "orders")


def test_resources_without_acls() -> None:
    """With an option, all principals may use a resource without ACLs.

    One ACL for any principal closes the resource to all other principals.
    """
    decision = authorizer(acl(principal="User:bob"), allow_everyone_if_no_acl_found=True)
    assert decision.allows(ALICE, READ, TOPIC, "stock")
    assert not decision.allows(ALICE, READ, TOPIC, "orders")


@pytest.mark.parametrize(
    ("acls", "allowed"),
    [
        ([], False),
        ([acl(WRITE)], True),
        ([acl(WRITE, principal="User:bob")], False),
        ([acl(READ)], False),
        ([acl(WRITE), acl(WRITE, DENY)], False),
        ([acl(WRITE), acl(WRITE, DENY, name="*")], False),
        ([acl(WRITE), acl(WRITE, DENY, name="ord", pattern=PREFIXED)], False),
        ([acl(WRITE), acl(WRITE, DENY, name="stock")], True),
        ([acl(WRITE, name="ord", pattern=PREFIXED), acl(WRITE, DENY)], True),
    ],
)
def test_any_resource(acls: list[Acl], allowed: bool) -> None:
    """One allowed resource is enough, unless a DENY covers all of it."""
    assert authorizer(*acls).allows_any(ALICE, WRITE, TOPIC) is allowed


def test_operations() -> None:
    """The allowed operations of a client are a bit set with Kafka's bits."""
    decision = authorizer(acl(READ), acl(ALL, resource=CLUSTER, name=CLUSTER_NAME))
    assert decision.operations(ALICE, TOPIC, "orders") == 1 << READ | 1 << DESCRIBE
    assert decision.operations(ALICE, CLUSTER, CLUSTER_NAME) == 0b1111110100000


def test_acls_are_a_set() -> None:
    """An ACL that exists is not added a second time, and a removed ACL has no effect."""
    stored = Acls()
    for each in (acl(), acl(WRITE), acl()):
        stored.add(each)
    assert list(stored.all) == [acl(), acl(WRITE)]
    stored.remove([acl()])
    assert list(stored.all) == [acl(WRITE)]
