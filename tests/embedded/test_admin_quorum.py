"""Requests about the metadata quorum while its controllers elect a leader."""

from __future__ import annotations

from typing import Any

from confluent_kafka import KafkaError, Uuid, protocol
from confluent_kafka.admin import AdminClient, RaftVoterEndpoint
from confluent_kafka.testing import MockCluster, RequestContext
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "raw-request")

DIRECTORY = Uuid(1, 2)


class Controllers:
    """Each kind of request is answered once by a controller that does not lead."""

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
