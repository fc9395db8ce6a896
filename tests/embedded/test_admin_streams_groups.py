"""Descriptions of streams groups, with all that members of Kafka Streams say."""

from __future__ import annotations

from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin import (
    AdminClient,
    GroupState,
    StreamsGroupMemberAssignment,
    StreamsGroupMemberDescription,
    StreamsGroupSubtopologyDescription,
    StreamsGroupTopicInfo,
)
from confluent_kafka.testing import MockCluster, RequestContext
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "raw-request")

RESPONSE = protocol.StreamsGroupDescribeResponse


def _tasks(*partitions: int) -> list[Any]:
    return [RESPONSE.TaskIds(subtopology_id="0", partitions=partitions)] if partitions else []


def _offset(offset: int) -> list[Any]:
    return [RESPONSE.TaskOffset(subtopology_id="0", partition=1, offset=offset)]


MEMBER = RESPONSE.Member(
    member_id="one",
    member_epoch=4,
    instance_id="instance",
    rack_id="rack",
    client_id="client",
    client_host="/127.0.0.1",
    topology_epoch=2,
    process_id="process",
    user_endpoint=RESPONSE.Endpoint(host="here", port=7),
    client_tags=[RESPONSE.KeyValue(key="zone", value="a")],
    task_offsets=_offset(10),
    task_end_offsets=_offset(20),
    assignment=RESPONSE.Assignment(
        active_tasks=_tasks(0, 1), standby_tasks=_tasks(2), warmup_tasks=_tasks(3)
    ),
    target_assignment=RESPONSE.Assignment(active_tasks=_tasks(0, 1, 3)),
    is_classic=True,
)
SUBTOPOLOGY = RESPONSE.Subtopology(
    subtopology_id="0",
    source_topics=["orders"],
    repartition_sink_topics=["sink"],
    state_changelog_topics=[
        RESPONSE.TopicInfo(
            name="changelog",
            partitions=4,
            replication_factor=3,
            topic_configs=[RESPONSE.KeyValue(key="cleanup.policy", value="compact")],
        )
    ],
    repartition_source_topics=[RESPONSE.TopicInfo(name="source", partitions=2)],
)
GROUP = RESPONSE.DescribedGroup(
    group_id="group",
    group_state="Reconciling",
    group_epoch=6,
    assignment_epoch=5,
    topology=RESPONSE.Topology(epoch=3, subtopologies=[SUBTOPOLOGY]),
    members=[MEMBER],
)


def _coordinator(request: Any, context: RequestContext) -> Any:
    """Answer requests with several keys; the cluster answers librdkafka's request with one key."""
    response = protocol.FindCoordinatorResponse
    if context.version < 4:
        return None
    found = response.Coordinator(key="group", node_id=1, host="there", port=9)
    return response(coordinators=[found])


def test_everything_is_described(kafka_cluster: MockCluster) -> None:
    """Each field of the answer is where the documentation says."""
    find, describe = (
        request.api_key
        for request in (protocol.FindCoordinatorRequest, protocol.StreamsGroupDescribeRequest)
    )
    kafka_cluster.on_request(find, _coordinator, versions=(0, 4))
    kafka_cluster.on_request(describe, lambda request, context: RESPONSE(groups=[GROUP]))
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        found = admin.describe_streams_groups(["group"])["group"].result(TIMEOUT)
    assert (found.group_id, found.state) == ("group", GroupState.RECONCILING)
    assert (found.group_epoch, found.target_assignment_epoch, found.topology_epoch) == (6, 5, 3)
    assert (found.coordinator.id, found.coordinator.host, found.coordinator.port) == (1, "there", 9)
    assert found.authorized_operations is None
    assert found.subtopologies == [
        StreamsGroupSubtopologyDescription(
            "0",
            ["orders"],
            ["sink"],
            {"changelog": StreamsGroupTopicInfo(4, 3, {"cleanup.policy": "compact"})},
            {"source": StreamsGroupTopicInfo(2, 0, {})},
        )
    ]
    assert found.members == [
        StreamsGroupMemberDescription(
            "one",
            4,
            "instance",
            "rack",
            "client",
            "/127.0.0.1",
            2,
            "process",
            ("here", 7),
            {"zone": "a"},
            {("0", 1): 10},
            {("0", 1): 20},
            StreamsGroupMemberAssignment({"0": [0, 1]}, {"0": [2]}, {"0": [3]}),
            StreamsGroupMemberAssignment({"0": [0, 1, 3]}, {}, {}),
            True,
        )
    ]
