"""The arguments and values of compat.kafka's KafkaAdminClient."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from confluent_kafka.compat.kafka import KafkaAdminClient, errors
from confluent_kafka.compat.kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ConfigResource,
    ConfigResourceType,
    ConfigSourceType,
    GroupState,
    MemberToRemove,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

PATTERN = ResourcePattern(ResourceType.TOPIC, "t")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ResourcePattern(ResourceType.ANY, "t"), "resource_type cannot be ANY"),
        (lambda: ResourcePatternFilter(5, "t", 3), "resource_type must be a ResourceType"),
        (
            lambda: ResourcePattern(ResourceType.TOPIC, "t", ACLResourcePatternType.MATCH),
            "pattern_type cannot be MATCH",
        ),
        (
            lambda: ACL("u", "*", ACLOperation.ANY, ACLPermissionType.ALLOW, PATTERN),
            "operation cannot be ANY",
        ),
        (
            lambda: ACL("u", "*", ACLOperation.READ, ACLPermissionType.ANY, PATTERN),
            "permission_type cannot be ANY",
        ),
        (
            lambda: ACLFilter("u", "*", ACLOperation.READ, ACLPermissionType.ANY, "t"),
            "resource_pattern must be a ResourcePatternFilter",
        ),
    ],
)
def test_rules_that_cannot_be(make: Any, says: str) -> None:
    """Invalid rules are refused as in kafka-python."""
    with pytest.raises(errors.IllegalArgumentError, match=says):
        make()


def test_rules_are_values() -> None:
    """Rules with equal fields are equal and have equal hashes. Their text shows the fields."""
    first, second = (
        ACL("User:x", "*", ACLOperation.READ, ACLPermissionType.ALLOW, PATTERN) for _ in range(2)
    )
    assert (first, hash(first)) == (second, hash(second))
    assert first != ACL("User:y", "*", ACLOperation.READ, ACLPermissionType.ALLOW, PATTERN)
    assert ResourcePattern(ResourceType.TOPIC, "u") != PATTERN
    assert repr(first) == (
        "<ACL principal=User:x, resource=<ResourcePattern type=TOPIC, name=t, pattern=LITERAL>, "
        "operation=READ, type=ALLOW, host=*>"
    )


def test_resources() -> None:
    """A kind of resource may be given by name. is_modified() of a source returns whether the value
    was set."""
    assert ConfigResource("topic", "t").resource_type is ConfigResourceType.TOPIC
    with pytest.raises(KeyError):
        ConfigResource("foo", "t")
    dynamic = ConfigSourceType.dynamic_for_resource_type("group")
    assert dynamic is ConfigSourceType.DYNAMIC_GROUP_CONFIG
    assert dynamic.is_modified()
    assert not ConfigSourceType.DEFAULT_CONFIG.is_modified()
    assert GroupState.build_from("PreparingRebalance") is GroupState.PREPARING_REBALANCE


def test_members() -> None:
    """A member to remove needs an id of at least one kind."""
    member = MemberToRemove(member_id="m", reason="r")
    assert (member.member_id, member.group_instance_id, member.reason) == ("m", None, "r")
    assert {member} == {MemberToRemove("m", None, "r")}
    assert member != MemberToRemove("n")
    with pytest.raises(ValueError, match="member_id or group_instance_id"):
        MemberToRemove()


def test_passwords_are_not_kept() -> None:
    """A credential contains only the hash that Kafka stores, not the password."""
    made = UserScramCredentialUpsertion("u", "SCRAM-SHA-512", "secret", 5000, b"salt")
    assert made.mechanism is ScramMechanism.SCRAM_SHA_512
    wanted = hashlib.pbkdf2_hmac("sha512", b"secret", b"salt", 5000)
    assert made.salted_password == wanted
    assert b"secret" not in repr(vars(made)).encode()
    assert UserScramCredentialUpsertion("u", 1, b"x").iterations == 4096
    with pytest.raises(errors.IllegalArgumentError, match="must not be UNKNOWN"):
        UserScramCredentialUpsertion("u", ScramMechanism.UNKNOWN, "secret")


def test_keywords() -> None:
    """Unknown keywords, and keywords that contradict each other, are refused before connecting."""
    with pytest.raises(errors.KafkaConfigurationError, match="Unrecognized configs: foo"):
        KafkaAdminClient(foo=1)
    with pytest.raises(errors.KafkaConfigurationError, match="larger than request_timeout_ms"):
        KafkaAdminClient(connections_max_idle_ms=1)
