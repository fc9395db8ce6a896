"""The quorum of the embedded cluster's controllers, and the registration of its brokers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Uuid, protocol
from confluent_kafka.admin import AdminClient, RaftVoterEndpoint
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")

BROKER_ID_NOT_REGISTERED = 102
NOBODY = Uuid(1, 2)


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


def code_of(future: Future[Any]) -> int:
    with pytest.raises(KafkaException) as raised:
        future.result(TIMEOUT)
    return raised.value.code()


def test_every_broker_votes(admin: AdminClient) -> None:
    """The controller leads, no broker observes, and each has an endpoint."""
    quorum = admin.describe_metadata_quorum().result(TIMEOUT)
    assert [each.replica_id for each in quorum.voters] == [1, 2, 3]
    assert {each.replica_directory_id for each in quorum.voters} == {Uuid(0, 0)}
    assert quorum.observers == []
    assert quorum.leader_id == admin.describe_cluster().result(TIMEOUT).controller.id
    assert (quorum.leader_epoch, quorum.high_watermark) >= (1, 1)
    assert quorum.nodes.keys() == {1, 2, 3}


def test_voters_are_static(admin: AdminClient) -> None:
    """Kafka's error for a static set of voters is raised."""
    place = RaftVoterEndpoint("CONTROLLER", "localhost", 1)
    for future in (
        admin.add_raft_voter(4, NOBODY, {place}),
        admin.remove_raft_voter(1, NOBODY),
    ):
        assert code_of(future) == KafkaError.UNSUPPORTED_VERSION


def test_a_broker_that_is_unregistered(admin: AdminClient) -> None:
    """A running broker registers again at once; an unknown broker is an error."""
    assert admin.unregister_broker(1).result(TIMEOUT) is None
    assert 1 in admin.list_topics().brokers
    assert code_of(admin.unregister_broker(77)) == BROKER_ID_NOT_REGISTERED


def test_another_partition(admin: AdminClient) -> None:
    """Only the metadata partition has a quorum."""
    request = protocol.DescribeQuorumRequest
    partition = request.PartitionData(partition_index=0)
    topic = request.TopicData(topic_name="orders", partitions=[partition])
    body = request(topics=[topic]).encode(2)
    answer = admin.request(request.api_key, 2, body, timeout=TIMEOUT)
    (found,) = request.response_class.decode(answer, 2).topics
    assert [each.error_code for each in found.partitions] == [KafkaError.UNKNOWN_TOPIC_OR_PART]
