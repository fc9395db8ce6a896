"""compat.kafka: answers that present brokers do not send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.admin import AdminClient
from confluent_kafka.compat.kafka import KafkaAdminClient, errors
from confluent_kafka.compat.kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ConfigResource,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
    TransactionState,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from confluent_kafka.compat.kafka.structs import TopicPartition
from confluent_kafka.compat.kafka_2 import KafkaAdminClient as KafkaAdminClient2
from confluent_kafka.testing import MockCluster
from tests.support.mock_brokers import withdraw
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "raw-request")
NEW = 99  # a number that is in no enumeration
ANY_RULE = ACLFilter(
    None,
    None,
    ACLOperation.ANY,
    ACLPermissionType.ANY,
    ResourcePatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY),
)


def answered(cluster: MockCluster, response: Any, ask: Callable[[Any], Any]) -> Any:
    cluster.on_request(response.request_class.api_key, lambda *_: response)
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
    try:
        return ask(admin)
    finally:
        admin.close()


def test_values_of_a_newer_broker(kafka_cluster: MockCluster) -> None:
    """A new state, kind or mechanism is returned as UNKNOWN; the rest of the answer is read."""
    transactions = protocol.ListTransactionsResponse(
        transaction_states=[
            protocol.ListTransactionsResponse.TransactionState(
                transactional_id="id", producer_id=7, transaction_state="PrepareRest"
            )
        ]
    )
    [listed] = answered(kafka_cluster, transactions, lambda admin: admin.list_transactions([1]))[1]
    assert (listed.transactional_id, listed.state) == ("id", TransactionState.UNKNOWN)

    kind: Any = protocol.DescribeConfigsResponse
    value = kind.DescribeConfigsResourceResult(
        name="retention.ms", value="1", config_source=NEW, config_type=NEW
    )
    configs = kind(
        results=[kind.DescribeConfigsResult(resource_type=2, resource_name="t", configs=[value])]
    )
    described = answered(
        kafka_cluster,
        configs,
        lambda admin: admin.describe_configs([ConfigResource("topic", "t")], config_filter="all"),
    )["topic"]["t"]["retention.ms"]
    assert (described["config_source"], described["config_type"]) == ("UNKNOWN", "UNKNOWN")

    kind = protocol.DescribeAclsResponse
    rule = kind.AclDescription(principal="User:x", host="*", operation=NEW, permission_type=NEW)
    rules = kind(
        resources=[kind.DescribeAclsResource(resource_type=NEW, pattern_type=NEW, acls=[rule])]
    )
    ([found], _) = answered(kafka_cluster, rules, lambda admin: admin.describe_acls(ANY_RULE))
    assert (found.principal, found.operation) == ("User:x", ACLOperation.UNKNOWN)
    assert found.resource_pattern.resource_type is ResourceType.UNKNOWN

    kind = protocol.DescribeUserScramCredentialsResponse
    users = kind(
        results=[
            kind.DescribeUserScramCredentialsResult(
                user="me", credential_infos=[kind.CredentialInfo(mechanism=NEW, iterations=1)]
            )
        ]
    )
    known = answered(
        kafka_cluster, users, lambda admin: admin.describe_user_scram_credentials(["me"])
    )
    assert known["me"]["credential_infos"][0]["mechanism"].name == "UNKNOWN"


@pytest.mark.parametrize(
    ("response", "ask"),
    [
        (protocol.DescribeTransactionsResponse, lambda admin: admin.describe_transactions(["id"])),
        (protocol.DescribeGroupsResponse, lambda admin: admin.describe_groups(["g"])),
        (protocol.DeleteGroupsResponse, lambda admin: admin.delete_groups(["g"])),
        (
            protocol.DescribeConfigsResponse,
            lambda admin: admin.describe_configs([ConfigResource("topic", "t")]),
        ),
    ],
    ids=["transactions", "groups", "deleted-groups", "configs"],
)
def test_answers_about_nothing(
    kafka_cluster: MockCluster, response: Any, ask: Callable[[Any], Any]
) -> None:
    """If an answer lacks the requested item, the call raises an error of kafka-python."""
    with pytest.raises(errors.CorruptRecordError, match="one was requested"):
        answered(kafka_cluster, response(), ask)


@pytest.mark.parametrize(
    ("response", "ask"),
    [
        (protocol.DescribeTransactionsResponse, lambda admin: admin.describe_transactions(["id"])),
        (protocol.ShareGroupDescribeResponse, lambda admin: admin.describe_share_groups(["id"])),
        (
            protocol.DescribeShareGroupOffsetsResponse,
            lambda admin: admin.list_share_group_offsets({"id": None}),
        ),
    ],
    ids=["transactions", "share-groups", "share-group-offsets"],
)
def test_answers_about_nothing_to_an_admin_client(
    kafka_cluster: MockCluster, response: Any, ask: Callable[[Any], Any]
) -> None:
    """If an answer lacks the requested item, AdminClient raises _BAD_MSG."""
    kafka_cluster.on_request(response.request_class.api_key, lambda *_: response())
    with (
        AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin,
        pytest.raises(KafkaException) as raised,
    ):
        ask(admin)["id"].result(TIMEOUT)
    assert raised.value.code() == KafkaError._BAD_MSG


def test_a_request_that_the_broker_does_not_have(kafka_cluster: MockCluster) -> None:
    """If the broker does not support a request, the call raises IncompatibleBrokerVersion.

    As in kafka-python, it is a subclass of UnsupportedVersionError.
    """
    withdraw(kafka_cluster, protocol.ListConfigResourcesRequest.api_key)
    admin = KafkaAdminClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    try:
        with pytest.raises(errors.IncompatibleBrokerVersion):
            admin.list_config_resources()
    finally:
        admin.close()


def test_configurations_of_an_absent_topic(kafka_cluster: MockCluster) -> None:
    """The configurations of a missing topic are unknown: the call raises a ValueError before any
    change."""
    absent = ConfigResource("TOPIC", "absent", {"retention.ms": "1000"})
    admin = KafkaAdminClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    try:
        with pytest.raises(ValueError, match=r"Unrecognized configs: retention\.ms"):
            admin.alter_configs([absent])
    finally:
        admin.close()


RULE = ACL(
    "User:x",
    "*",
    ACLOperation.READ,
    ACLPermissionType.ALLOW,
    ResourcePattern(ResourceType.TOPIC, "t"),
)


@pytest.mark.parametrize(
    ("kind", "rules"),
    [(KafkaAdminClient, [RULE]), (KafkaAdminClient2, [(RULE, errors.NoError)])],
    ids=["version 3", "version 2"],
)
def test_rules_that_were_deleted(kafka_cluster: MockCluster, kind: Any, rules: list[Any]) -> None:
    """For each filter, version 3 returns the rules, and version 2 the rules with their error
    classes."""
    admin = kind(bootstrap_servers=kafka_cluster.bootstrap_servers)
    try:
        assert admin.create_acls([RULE]) == {"succeeded": [RULE], "failed": []}
        assert admin.delete_acls([ANY_RULE]) == [(ANY_RULE, rules, errors.NoError)]
        assert admin.delete_acls([ANY_RULE]) == [(ANY_RULE, [], errors.NoError)]
    finally:
        admin.close()


@pytest.mark.parametrize(
    ("brokers", "says"),
    [([], "must be non-empty"), ((), "must be non-empty"), ("1", "int broker_ids"), (["1"], "int")],
)
def test_reassignments_that_cannot_be(kafka_cluster: MockCluster, brokers: Any, says: str) -> None:
    """Impossible reassignments are refused before a request is sent."""
    kafka_cluster.start_request_tracking()
    admin = KafkaAdminClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    try:
        with pytest.raises(ValueError, match=says):
            admin.alter_partition_reassignments({TopicPartition("t", 0): brokers})
    finally:
        admin.close()
    asked = {request.api_key for request in kafka_cluster.requests()}
    assert protocol.AlterPartitionReassignmentsRequest.api_key not in asked


def test_alterations_of_users(kafka_cluster: MockCluster) -> None:
    """Objects that are not alterations are refused; the repr of an alteration shows no password."""
    shown = repr([UserScramCredentialUpsertion("u", 1, "p"), UserScramCredentialDeletion("u", 2)])
    assert shown == (
        "[UserScramCredentialUpsertion(u, SCRAM_SHA_256, iterations=4096), "
        "UserScramCredentialDeletion(u, SCRAM_SHA_512)]"
    )
    admin = KafkaAdminClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    try:
        for wrong in ("u", None):
            with pytest.raises(errors.IllegalArgumentError, match="alterations must be"):
                admin.alter_user_scram_credentials([wrong])
    finally:
        admin.close()
