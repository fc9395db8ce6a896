"""Requests about the metadata quorum while its controllers elect a leader."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Uuid, protocol
from confluent_kafka.admin import AdminClient, RaftVoterEndpoint
from confluent_kafka.testing import MockCluster, RequestContext
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "raw-request")

DIRECTORY = Uuid(1, 2)


class Controllers:
    """Controllers: each kind of request first gets an error from a controller that is not the
    leader."""

    def __init__(self, cluster: MockCluster) -> None:
        self.asked: list[int] = []
        for request in (
            protocol.DescribeQuorumRequest,
            protocol.AddRaftVoterRequest,
            protocol.RemoveRaftVoterRequest,
        ):
            cluster.on_request(request.api_key, self._answer)

    def _answer(self, request: Any, context: RequestContext) -> Any:
        first = request.api_key not in self.asked
        self.asked.append(request.api_key)
        code = KafkaError.NOT_LEADER_FOR_PARTITION if first else KafkaError.NO_ERROR
        response = request.response_class
        if response is not protocol.DescribeQuorumResponse:
            return response(error_code=code)
        partition = response.PartitionData(error_code=code, leader_id=3)
        topic = response.TopicData(topic_name="__cluster_metadata", partitions=[partition])
        return response(topics=[topic])


def test_asked_again(kafka_cluster: MockCluster) -> None:
    """The request is repeated until there is a leader."""
    controllers = Controllers(kafka_cluster)
    place = RaftVoterEndpoint("CONTROLLER", "localhost", 1)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        assert admin.describe_metadata_quorum().result(TIMEOUT).leader_id == 3
        assert admin.add_raft_voter(4, DIRECTORY, {place}).result(TIMEOUT) is None
        assert admin.remove_raft_voter(4, DIRECTORY).result(TIMEOUT) is None
    describe, add, remove = 55, 80, 81
    assert controllers.asked == [describe, describe, add, add, remove, remove]


def test_a_controller_is_unregistered(kafka_cluster: MockCluster) -> None:
    """The request names the controller; an error without a text gets the name of its code."""
    known = {7}

    def answer(request: Any, _: RequestContext) -> Any:
        found = request.controller_id in known
        known.discard(request.controller_id)
        return request.response_class(error_code=0 if found else 136, error_message=None)

    kafka_cluster.on_request(protocol.UnregisterControllerRequest.api_key, answer)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        assert admin.unregister_controller(7).result(TIMEOUT) is None
        with pytest.raises(KafkaException, match="CONTROLLER_ID_NOT_REGISTERED") as caught:
            admin.unregister_controller(7).result(TIMEOUT)
    assert caught.value.code() == 136


def test_no_controller_is_unregistered_by_older_brokers(kafka_cluster: MockCluster) -> None:
    """unregister_controller() fails with brokers before 4.4, which do not have the request."""
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        error = admin.unregister_controller(7).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError._UNSUPPORTED_FEATURE
