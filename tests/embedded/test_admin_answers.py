"""Answers to AdminClient's requests that are errors, cut short, or about other items."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    ElectionType,
    KafkaError,
    KafkaException,
    TopicPartition,
    protocol,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
)
from confluent_kafka.testing import MockCluster, RequestContext
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("admin-replies", "mock-on-request", "raw-request")

GROUP, TOPIC = "group", "topic"
PLACE = TopicPartition(TOPIC, 0)
MOVED = [KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_NOT_AVAILABLE]
BUSY = [KafkaError.COORDINATOR_LOAD_IN_PROGRESS]
ACL = (ResourceType.TOPIC, TOPIC, ResourcePatternType.LITERAL, "User:me", "*", AclOperation.READ)

Answer = Callable[[int], Any]  # a response with this error code


def offset_fetch(code: int) -> Any:
    response = protocol.OffsetFetchResponse
    place = response.OffsetFetchResponsePartition(
        partition_index=0, committed_offset=3, metadata="", error_code=0
    )
    topic = response.OffsetFetchResponseTopic(name=TOPIC, partitions=[place])
    return response(topics=[topic], error_code=code)


def offset_fetch_of_groups(code: int) -> Any:
    """The answer to OffsetFetch since version 8, which is about several groups."""
    response = protocol.OffsetFetchResponse
    place = response.OffsetFetchResponsePartitions(
        partition_index=0, committed_offset=3, metadata="", error_code=0
    )
    topic = response.OffsetFetchResponseTopics(name=TOPIC, partitions=[place])
    group = response.OffsetFetchResponseGroup(group_id=GROUP, topics=[topic], error_code=code)
    return response(groups=[group])


def offset_commit(code: int) -> Any:
    response = protocol.OffsetCommitResponse
    place = response.OffsetCommitResponsePartition(partition_index=0, error_code=code)
    return response(topics=[response.OffsetCommitResponseTopic(name=TOPIC, partitions=[place])])


def offset_delete(code: int) -> Any:
    response = protocol.OffsetDeleteResponse
    place = response.OffsetDeleteResponsePartition(partition_index=0)
    topic = response.OffsetDeleteResponseTopic(name=TOPIC, partitions=[place])
    return response(error_code=code, topics=[] if code else [topic])


def delete_groups(code: int) -> Any:
    response = protocol.DeleteGroupsResponse
    return response(results=[response.DeletableGroupResult(group_id=GROUP, error_code=code)])


def consumer_group_describe(code: int) -> Any:
    response = protocol.ConsumerGroupDescribeResponse
    group = response.DescribedGroup(group_id=GROUP, group_state="Empty", error_code=code)
    return response(groups=[group])


# How long a hundred thousand items may take: some seconds of CPU time, on a busy machine.
PATIENCE = 4 * TIMEOUT


def asked(answer: Any, timeout: float = TIMEOUT) -> Any:
    """The result of an AdminClient's return value, which is a future or a dict with one future."""
    (future,) = answer.values() if isinstance(answer, dict) else (answer,)
    return future.result(timeout)


GROUPS = [ConsumerGroupTopicPartitions(GROUP, [PLACE])]
OFFSETS = [ConsumerGroupTopicPartitions(GROUP, [TopicPartition(TOPIC, 0, 3)])]
COORDINATED: dict[str, tuple[Any, Answer, Callable[[AdminClient, float], Any]]] = {
    "list_consumer_group_offsets": (
        protocol.OffsetFetchRequest,
        offset_fetch,
        lambda c, t: c.list_consumer_group_offsets(GROUPS, request_timeout=t),
    ),
    "list_consumer_group_offsets, in groups": (
        protocol.OffsetFetchRequest,
        offset_fetch_of_groups,
        lambda c, t: c.list_consumer_group_offsets(GROUPS, request_timeout=t),
    ),
    "alter_consumer_group_offsets": (
        protocol.OffsetCommitRequest,
        offset_commit,
        lambda c, t: c.alter_consumer_group_offsets(OFFSETS, request_timeout=t),
    ),
    "delete_consumer_group_offsets": (
        protocol.OffsetDeleteRequest,
        offset_delete,
        lambda c, t: c.delete_consumer_group_offsets(GROUPS, request_timeout=t),
    ),
    "delete_consumer_groups": (
        protocol.DeleteGroupsRequest,
        delete_groups,
        lambda c, t: c.delete_consumer_groups([GROUP], request_timeout=t),
    ),
    "describe_consumer_groups": (
        protocol.ConsumerGroupDescribeRequest,
        consumer_group_describe,
        lambda c, t: c.describe_consumer_groups([GROUP], request_timeout=t),
    ),
}


class Answers:
    """The brokers' answers to one kind of request: first some errors, then answers without
    errors."""

    def __init__(self, cluster: MockCluster, kind: Any, answer: Answer, codes: list[int]) -> None:
        self.codes = codes
        self.asked: list[int] = []  # the brokers that were asked, in order
        self._answer = answer
        highest = 7 if answer is offset_fetch else kind.valid_versions[-1]
        cluster.on_request(kind.api_key, self._next, versions=(kind.valid_versions[0], highest))

    def _next(self, _request: Any, context: RequestContext) -> Any:
        self.asked.append(context.broker_id)
        return self._answer(self.codes.pop(0) if self.codes else 0)


def connect(cluster: MockCluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "retry.backoff.ms": 10})


# ---- coordinators ----


@needs("admin-replies")
@pytest.mark.parametrize("code", [*MOVED, *BUSY])
@pytest.mark.parametrize("name", COORDINATED)
def test_a_coordinator_that_moves(kafka_cluster: MockCluster, name: str, code: int) -> None:
    """If the broker does not coordinate the group any more, the client sends any kind of request
    again."""
    kind, answer, ask = COORDINATED[name]
    answers = Answers(kafka_cluster, kind, answer, [code, code])
    with connect(kafka_cluster) as admin:
        asked(ask(admin, TIMEOUT))
    assert len(answers.asked) == 3


@pytest.mark.parametrize("name", COORDINATED)
def test_the_new_coordinator_is_asked(kafka_cluster: MockCluster, name: str) -> None:
    """The client looks up the coordinator again, although it remembers the former one."""
    kafka_cluster.set_coordinator("group", GROUP, 1)
    kind, answer, ask = COORDINATED[name]
    answers = Answers(kafka_cluster, kind, answer, [])
    with connect(kafka_cluster) as admin:
        asked(ask(admin, TIMEOUT))
        answers.codes = [KafkaError.NOT_COORDINATOR]
        kafka_cluster.set_coordinator("group", GROUP, 2)
        asked(ask(admin, TIMEOUT))
    assert answers.asked == [1, 1, 2]


@pytest.mark.parametrize("code", [*MOVED, *BUSY, KafkaError.NOT_LEADER_FOR_PARTITION])
@pytest.mark.parametrize("name", COORDINATED)
def test_a_coordinator_that_never_comes(kafka_cluster: MockCluster, name: str, code: int) -> None:
    """The request fails with the broker's error, at the latest after its timeout."""
    kind, answer, ask = COORDINATED[name]
    Answers(kafka_cluster, kind, answer, [code] * 10_000)
    with connect(kafka_cluster) as admin:
        try:
            group = asked(ask(admin, 0.3))
        except KafkaException as exception:
            error = exception.args[0]
        else:
            (error,) = [place.error for place in group.topic_partitions]
    assert error.code() in {code, KafkaError._TIMED_OUT}


@needs("coordinator-lookup")
@pytest.mark.parametrize("code", [*MOVED, *BUSY, KafkaError.REQUEST_TIMED_OUT])
def test_a_coordinator_is_looked_up_again(kafka_cluster: MockCluster, code: int) -> None:
    """After a temporary error of the look-up, the request continues."""
    codes = [code, code]

    def find(_request: Any, _context: RequestContext) -> Any:
        return protocol.FindCoordinatorResponse(error_code=codes.pop()) if codes else None

    kafka_cluster.on_request(protocol.FindCoordinatorRequest.api_key, find, versions=(0, 2))
    kind, answer, ask = COORDINATED["delete_consumer_groups"]
    Answers(kafka_cluster, kind, answer, [])
    with connect(kafka_cluster) as admin:
        asked(ask(admin, TIMEOUT))
    assert codes == []


# ---- long answers ----


@needs("admin-replies")
def test_many_groups(kafka_cluster: MockCluster) -> None:
    """All groups of an answer are returned; only the size of the answer is limited."""
    response = protocol.ListGroupsResponse
    names = [f"group-{number}" for number in range(100_001)]
    answer = response(groups=[response.ListedGroup(group_id=name) for name in names])
    none = response()
    kafka_cluster.on_request(
        protocol.ListGroupsRequest.api_key,
        lambda _, context: answer if context.broker_id == 1 else none,
    )
    with connect(kafka_cluster) as admin:
        found = asked(admin.list_consumer_groups(request_timeout=PATIENCE), PATIENCE)
    assert found.errors == []
    assert len(found.valid) == len(names)


@needs("admin-replies")
@pytest.mark.parametrize("size", [1, 200])
def test_many_acls(kafka_cluster: MockCluster, size: int) -> None:
    """All ACLs of an answer are returned; their names are not copied to the stack of a thread."""
    response = protocol.DescribeAclsResponse
    numbers = {"operation": 3, "permission_type": 3}
    acls = [response.AclDescription(principal="p" * size, host="*", **numbers)] * 100_001
    resource = response.DescribeAclsResource(
        resource_type=2, resource_name=TOPIC, pattern_type=3, acls=acls
    )
    answer = response(resources=[resource])
    kafka_cluster.on_request(protocol.DescribeAclsRequest.api_key, lambda *_: answer)
    with connect(kafka_cluster) as admin:
        any_acl = AclBindingFilter(*ACL, AclPermissionType.ALLOW)
        found = asked(admin.describe_acls(any_acl, request_timeout=PATIENCE), PATIENCE)
    assert len(found) == len(acls)


@needs("admin-replies")
def test_many_users(kafka_cluster: MockCluster) -> None:
    response = protocol.DescribeUserScramCredentialsResponse
    info = response.CredentialInfo(mechanism=1, iterations=4096)
    users = [
        response.DescribeUserScramCredentialsResult(user=f"user-{number}", credential_infos=[info])
        for number in range(10_001)
    ]
    answer = response(results=users)
    kafka_cluster.on_request(
        protocol.DescribeUserScramCredentialsRequest.api_key, lambda *_: answer
    )
    with connect(kafka_cluster) as admin:
        future = admin.describe_user_scram_credentials(request_timeout=TIMEOUT)
        assert len(future.result(TIMEOUT)) == len(users)


# ---- errors of a request ----


def code_of(future: Future[Any]) -> int:
    with pytest.raises(KafkaException) as caught:
        future.result(TIMEOUT)
    code: int = caught.value.args[0].code()
    return code


def test_acls_that_may_not_be_described(kafka_cluster: MockCluster) -> None:
    """The error of the request is raised, instead of an empty list."""
    answer = protocol.DescribeAclsResponse(error_code=54, error_message="no authorizer")
    kafka_cluster.on_request(protocol.DescribeAclsRequest.api_key, lambda *_: answer)
    with connect(kafka_cluster) as admin:
        future = admin.describe_acls(AclBindingFilter(*ACL, AclPermissionType.ALLOW))
        assert code_of(future) == KafkaError.SECURITY_DISABLED
        with pytest.raises(KafkaException, match="no authorizer"):
            future.result()


@pytest.mark.parametrize("message", ["no", "", None])
def test_users_that_may_not_be_described(kafka_cluster: MockCluster, message: str | None) -> None:
    """The request fails with the broker's error code, with and without a message of the broker."""
    response = protocol.DescribeUserScramCredentialsResponse
    answer = response(error_code=31, error_message=message)
    kafka_cluster.on_request(
        protocol.DescribeUserScramCredentialsRequest.api_key, lambda *_: answer
    )
    with connect(kafka_cluster) as admin:
        future = admin.describe_user_scram_credentials()
        assert code_of(future) == KafkaError.CLUSTER_AUTHORIZATION_FAILED


def test_leaders_that_may_not_be_elected(kafka_cluster: MockCluster) -> None:
    """The error of a request is returned once, and not for each partition."""
    answer = protocol.ElectLeadersResponse(error_code=31)
    kafka_cluster.on_request(protocol.ElectLeadersRequest.api_key, lambda *_: answer)
    with connect(kafka_cluster) as admin:
        future = admin.elect_leaders(ElectionType.PREFERRED, [PLACE])
        assert code_of(future) == KafkaError.CLUSTER_AUTHORIZATION_FAILED


# ---- what was not asked for, or is missing ----


def test_offsets_that_the_leader_leaves_out(kafka_cluster: MockCluster) -> None:
    """A partition without an answer has an error, and no offset."""
    kafka_cluster.create_topic(TOPIC, 1)
    answer = protocol.ListOffsetsResponse()
    kafka_cluster.on_request(protocol.ListOffsetsRequest.api_key, lambda *_: answer)
    with connect(kafka_cluster) as admin:
        futures = admin.list_offsets({PLACE: OffsetSpec.latest()}, request_timeout=TIMEOUT)
        assert code_of(futures[PLACE]) == KafkaError._PARTIAL


@needs("admin-replies")
@pytest.mark.parametrize("groups", [[], ["another"], [GROUP, GROUP]])
def test_groups_that_were_not_asked_for(kafka_cluster: MockCluster, groups: list[str]) -> None:
    """If the answer is about other groups, the requested group gets an error."""
    deleted, described = protocol.DeleteGroupsResponse, protocol.ConsumerGroupDescribeResponse
    results = [deleted.DeletableGroupResult(group_id=name) for name in groups]
    kafka_cluster.on_request(
        protocol.DeleteGroupsRequest.api_key, lambda *_: deleted(results=results)
    )
    found = [described.DescribedGroup(group_id=name) for name in groups]
    kafka_cluster.on_request(
        protocol.ConsumerGroupDescribeRequest.api_key, lambda *_: described(groups=found)
    )
    with connect(kafka_cluster) as admin:
        assert code_of(admin.delete_consumer_groups([GROUP])[GROUP]) == KafkaError._BAD_MSG
        assert code_of(admin.describe_consumer_groups([GROUP])[GROUP]) == KafkaError._BAD_MSG


def test_an_answer_that_python_cannot_read(kafka_cluster: MockCluster) -> None:
    """A wrong answer that Python reads raises the same error as one that librdkafka reads."""
    answer = protocol.DescribeQuorumResponse()
    kafka_cluster.on_request(protocol.DescribeQuorumRequest.api_key, lambda *_: answer)
    with connect(kafka_cluster) as admin:
        assert code_of(admin.describe_metadata_quorum()) == KafkaError._BAD_MSG


def test_fewer_acls_than_were_created(kafka_cluster: MockCluster) -> None:
    """Additional results, which belong to no ACL, are left out."""
    answer = protocol.CreateAclsResponse()
    kafka_cluster.on_request(protocol.CreateAclsRequest.api_key, lambda *_: answer)
    with connect(kafka_cluster) as admin:
        (future,) = admin.create_acls([AclBinding(*ACL, AclPermissionType.ALLOW)]).values()
        assert code_of(future) == KafkaError._BAD_MSG
