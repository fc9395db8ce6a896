"""Requests of AdminClient to brokers that are not the coordinator yet, or not any more."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.admin import AdminClient, GroupState
from confluent_kafka.testing import MockCluster, RequestContext
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "raw-request")

DESCRIBE = protocol.DescribeGroupsRequest.api_key
FIND = protocol.FindCoordinatorRequest.api_key
MOVING = [
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.NOT_COORDINATOR,
]


class Coordinators:
    """The brokers' answers about a group: which broker coordinates it, and errors of the wrong
    broker."""

    def __init__(self, cluster: MockCluster) -> None:
        self.asked: list[int] = []
        self.codes: list[int] = []  # the codes of the next answers; afterwards there is no error
        self.finding: list[int] = []  # the same for FindCoordinator
        self.now = 1
        cluster.on_request(FIND, self._find, versions=(0, 4))
        cluster.on_request(DESCRIBE, self._describe)

    def _find(self, request: Any, context: RequestContext) -> Any:
        response = protocol.FindCoordinatorResponse
        if context.version < 4:  # librdkafka's request, which the cluster answers
            return None
        code = self.finding.pop(0) if self.finding else 0
        found = response.Coordinator(
            key="group", node_id=self.now, host="localhost", port=1, error_code=code
        )
        return response(coordinators=[found])

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeGroupsResponse
        self.asked.append(context.broker_id)
        code = self.codes.pop(0) if self.codes else 0
        group = response.DescribedGroup(group_id="group", group_state="Empty", error_code=code)
        return response(groups=[group])


@pytest.fixture
def coordinators(kafka_cluster: MockCluster) -> Coordinators:
    kafka_cluster.set_coordinator("group", "group", 1)
    return Coordinators(kafka_cluster)


def described(cluster: MockCluster, timeout: float = TIMEOUT) -> GroupState:
    with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
        futures = admin.describe_classic_groups(["group"], request_timeout=timeout)
        return futures["group"].result(TIMEOUT).state


@pytest.mark.parametrize("code", MOVING)
def test_asked_again(kafka_cluster: MockCluster, coordinators: Coordinators, code: int) -> None:
    """The client repeats the request until the broker coordinates the group."""
    coordinators.codes = [code, code]
    assert described(kafka_cluster) is GroupState.EMPTY
    assert coordinators.asked == [1, 1, 1]


def test_another_broker_coordinates(kafka_cluster: MockCluster, coordinators: Coordinators) -> None:
    """The request goes to the present coordinator, although librdkafka remembers the former one."""
    coordinators.codes = [KafkaError.NOT_COORDINATOR]
    coordinators.finding = [KafkaError.COORDINATOR_NOT_AVAILABLE]
    coordinators.now = 2
    assert described(kafka_cluster) is GroupState.EMPTY
    assert coordinators.asked == [1, 2]


def test_lists(kafka_cluster: MockCluster) -> None:
    """If a broker still loads the groups that it coordinates, the request is repeated."""
    response = protocol.ListGroupsResponse
    asked = []

    def answer(request: Any, context: RequestContext) -> Any:
        asked.append(context.broker_id)
        group = response.ListedGroup(group_id=f"of-{context.broker_id}", group_type="share")
        loading = asked.count(context.broker_id) == 1
        code = KafkaError.COORDINATOR_LOAD_IN_PROGRESS if loading else 0
        return response(error_code=code, groups=[] if loading else [group])

    kafka_cluster.on_request(protocol.ListGroupsRequest.api_key, answer)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        found = admin.list_share_groups().result(TIMEOUT)
    assert found.errors == []
    assert {each.group_id for each in found.valid} == {"of-1", "of-2", "of-3"}


def test_other_errors(kafka_cluster: MockCluster, coordinators: Coordinators) -> None:
    """Other errors are the result, and the request is not repeated."""
    coordinators.codes = [KafkaError.GROUP_AUTHORIZATION_FAILED]
    with pytest.raises(KafkaException) as caught:
        described(kafka_cluster)
    assert caught.value.code() == KafkaError.GROUP_AUTHORIZATION_FAILED
    assert coordinators.asked == [1]


def test_until_the_time_is_over(kafka_cluster: MockCluster, coordinators: Coordinators) -> None:
    """A request fails after its timeout if no broker becomes the coordinator."""
    coordinators.codes = [KafkaError.NOT_COORDINATOR] * 1000
    with pytest.raises(KafkaException) as caught:
        described(kafka_cluster, timeout=1)
    assert caught.value.code() in {KafkaError.NOT_COORDINATOR, KafkaError._TIMED_OUT}
