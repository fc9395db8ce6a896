"""Descriptions of streams groups, with all data of their members."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.admin import (
    AdminClient,
    GroupState,
    StreamsGroupDescription,
    StreamsGroupMemberAssignment,
    StreamsGroupMemberDescription,
    StreamsGroupSubtopologyDescription,
    StreamsGroupTopicInfo,
    StreamsGroupTopologyDescription,
    StreamsGroupTopologyDescriptionStatus,
    StreamsGroupTopologyGlobalStore,
    StreamsGroupTopologyProcessor,
    StreamsGroupTopologySink,
    StreamsGroupTopologySource,
    StreamsGroupTopologySubtopology,
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
    """Answer requests with several keys; the cluster itself answers librdkafka's request with one
    key."""
    response = protocol.FindCoordinatorResponse
    if context.version < 4:
        return None
    found = response.Coordinator(key="group", node_id=1, host="there", port=9)
    return response(coordinators=[found])


def _described(
    cluster: MockCluster,
    group: RESPONSE.DescribedGroup,
    newest: int = 1,
    *,
    topology: bool = False,
) -> StreamsGroupDescription:
    """The client's description of the group, from a broker that supports the request up to this
    version."""

    def answer(request: Any, context: RequestContext) -> Any:
        assert request.include_topology_description is topology
        return RESPONSE(groups=[group])

    find, describe = (
        request.api_key
        for request in (protocol.FindCoordinatorRequest, protocol.StreamsGroupDescribeRequest)
    )
    cluster.on_request(find, _coordinator, versions=(0, 4))
    cluster.on_request(describe, answer, versions=(0, newest))
    with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
        futures = admin.describe_streams_groups(["group"], include_topology_description=topology)
        return futures["group"].result(TIMEOUT)


@pytest.mark.parametrize("newest", [0, 1])
def test_everything_is_described(kafka_cluster: MockCluster, newest: int) -> None:
    """Each field of the answer is in the documented attribute, also with brokers before 4.4."""
    found = _described(kafka_cluster, GROUP, newest)
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
    assert found.topology_description is None
    assert found.topology_description_status is STATUS.NOT_REQUESTED
    assert found.assignor_name is None


STATUS = StreamsGroupTopologyDescriptionStatus
NODE = RESPONSE.TopologyDescriptionNode
PART, STORE = RESPONSE.TopologyDescriptionSubtopology, RESPONSE.TopologyDescriptionGlobalStore
READ = NODE(name="read", node_type=1, source_topics=["orders"], successors=["sum", "write"])
SUM = NODE(name="sum", node_type=2, stores=["sums"], successors=["write"])
WRITE = NODE(name="write", node_type=3, sink_topic="totals")
CHOSEN = NODE(name="chosen", node_type=3)


def _with_topology(*nodes: Any, stores: Any = (), status: int = 3) -> RESPONSE.DescribedGroup:
    """The group, with the topology that these nodes make."""
    return GROUP.replace(
        topology_description=RESPONSE.TopologyDescription(
            subtopologies=[PART(subtopology_id="0", nodes=nodes)], global_stores=stores
        ),
        topology_description_status=status,
        assignor_name="sticky",
    )


def test_topology_description(kafka_cluster: MockCluster) -> None:
    """Each type of node has its own fields, and the nodes before it and after it."""
    store = STORE(source=READ.replace(successors=["sum"]), processor=SUM.replace(successors=[]))
    group = _with_topology(READ, SUM, WRITE, CHOSEN, stores=[store])
    found = _described(kafka_cluster, group, topology=True)
    assert (found.topology_description_status, found.assignor_name) == (STATUS.AVAILABLE, "sticky")
    assert found.topology_description == StreamsGroupTopologyDescription(
        [
            StreamsGroupTopologySubtopology(
                "0",
                [
                    StreamsGroupTopologySource("read", ["sum", "write"], [], ["orders"]),
                    StreamsGroupTopologyProcessor("sum", ["write"], ["read"], ["sums"]),
                    StreamsGroupTopologySink("write", [], ["read", "sum"], "totals"),
                    StreamsGroupTopologySink("chosen", [], [], None),
                ],
            )
        ],
        [
            StreamsGroupTopologyGlobalStore(
                StreamsGroupTopologySource("read", ["sum"], [], ["orders"]),
                StreamsGroupTopologyProcessor("sum", [], ["read"], ["sums"]),
            )
        ],
    )


@pytest.mark.parametrize("status", [STATUS.NOT_STORED, STATUS.ERROR])
def test_no_topology_description(
    kafka_cluster: MockCluster, status: StreamsGroupTopologyDescriptionStatus
) -> None:
    """The group is described nevertheless, and the status shows the reason for the missing
    topology."""
    group = GROUP.replace(topology_description_status=status.value)
    found = _described(kafka_cluster, group, topology=True)
    assert (found.topology_description, found.topology_description_status) == (None, status)
    assert len(found.members) == 1


@pytest.mark.parametrize(
    ("group", "text"),
    [
        (_with_topology(status=4), "unknown status 4"),
        (GROUP.replace(topology_description_status=3), "has no topology description"),
        (_with_topology(NODE(name="x", node_type=9)), "'x' of a topology has the unknown type 9"),
        (_with_topology(stores=[STORE(source=SUM, processor=READ)]), "a source and a processor"),
    ],
)
def test_wrong_topology_description(
    kafka_cluster: MockCluster, group: RESPONSE.DescribedGroup, text: str
) -> None:
    """The request fails, so that the client does not take a wrong answer for a topology."""
    with pytest.raises(KafkaException, match=text) as caught:
        _described(kafka_cluster, group, topology=True)
    assert caught.value.code() == KafkaError._BAD_MSG


def test_brokers_without_topology_descriptions(kafka_cluster: MockCluster) -> None:
    """The request fails on brokers before 4.4, because they cannot return topologies."""
    with pytest.raises(KafkaException, match="include_topology_description") as caught:
        _described(kafka_cluster, GROUP, 0, topology=True)
    assert caught.value.code() == KafkaError._UNSUPPORTED_FEATURE
