"""Streams groups on real brokers: how an administrator describes and changes them."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AclOperation,
    AdminClient,
    GroupListing,
    GroupState,
    GroupType,
    ListGroupsResult,
    StreamsGroupMemberAssignment,
    StreamsGroupTopicInfo,
    StreamsGroupTopologyDescriptionStatus,
)
from confluent_kafka.aio import AIOAdminClient
from confluent_kafka.protocol import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    StreamsGroupDescribeRequest,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
)
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.aio import in_loop
from tests.support.patches import needs
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request")]

LEAVES = -1  # the epoch of a member that leaves
GROUP, FIND_VERSION = 0, 2  # the latest version of FindCoordinator without tagged fields
_MOVING = (
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.NOT_COORDINATOR,
)


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


class StreamsMember:
    """A member that owns every assigned task. librdkafka has no members of streams groups."""

    def __init__(self, client: AdminClient, group: str, topic: str) -> None:
        self._client = client
        self._group = group
        self._topic = topic
        self.member_id = str(uuid.uuid4())
        self._epoch = 0
        self._tasks: tuple[StreamsGroupHeartbeatResponse.TaskIds, ...] = ()

    def _topology(self) -> StreamsGroupHeartbeatRequest.Topology:
        message = StreamsGroupHeartbeatRequest
        changelog = message.TopicInfo(
            name=f"{self._topic}-changelog",
            replication_factor=1,
            topic_configs=[message.KeyValue(key="cleanup.policy", value="compact")],
        )
        subtopology = message.Subtopology(
            subtopology_id="0", source_topics=[self._topic], state_changelog_topics=[changelog]
        )
        return message.Topology(epoch=1, subtopologies=[subtopology])

    def beat(self) -> None:
        """Send a heartbeat that contains the owned tasks."""
        message = StreamsGroupHeartbeatRequest
        tasks = [
            message.TaskIds(subtopology_id=each.subtopology_id, partitions=each.partitions)
            for each in self._tasks
        ]
        joins = self._epoch == 0
        self._ask(
            message(
                group_id=self._group,
                member_id=self.member_id,
                member_epoch=self._epoch,
                rebalance_timeout_ms=60_000 if joins else -1,
                topology=self._topology() if joins else None,
                process_id="process" if joins else None,
                client_tags=[message.KeyValue(key="zone", value="a")] if joins else None,
                active_tasks=tasks,
                standby_tasks=[],
                warmup_tasks=[],
            )
        )

    def leave(self) -> None:
        request = StreamsGroupHeartbeatRequest(
            group_id=self._group, member_id=self.member_id, member_epoch=LEAVES
        )
        wait_until(lambda: self._ask(request))

    def _ask(self, request: StreamsGroupHeartbeatRequest) -> bool:
        """Whether the present coordinator has answered the request."""
        version = StreamsGroupHeartbeatRequest.valid_versions[0]
        coordinator = self._coordinator()
        if coordinator is None:
            return False
        answer = StreamsGroupHeartbeatResponse.decode(
            self._client.request(
                request.api_key, version, request.encode(version), broker=coordinator
            ),
            version,
        )
        if answer.error_code in _MOVING:
            return False
        assert answer.error_code == KafkaError.NO_ERROR, answer.error_message
        self._epoch = answer.member_epoch
        if answer.active_tasks is not None:
            self._tasks = answer.active_tasks
        return True

    def _coordinator(self) -> int | None:
        """The id of the present coordinator. librdkafka always uses the first coordinator it
        found."""
        request = FindCoordinatorRequest(key=self._group, key_type=GROUP)
        answer = FindCoordinatorResponse.decode(
            self._client.request(request.api_key, FIND_VERSION, request.encode(FIND_VERSION)),
            FIND_VERSION,
        )
        if answer.error_code in _MOVING:  # the group is the first one of a new cluster
            return None
        assert answer.error_code == KafkaError.NO_ERROR, answer.error_message
        return int(answer.node_id)


@contextlib.contextmanager
def joined(admin: AdminClient, group: str, topic: str) -> Iterator[StreamsMember]:
    """A member whose group is stable."""
    member = StreamsMember(admin, group, topic)

    def is_stable() -> bool:
        with contextlib.suppress(KafkaException):  # it has not joined yet
            found = admin.describe_streams_groups([group])[group].result(TIMEOUT)
            return found.state is GroupState.STABLE
        return False

    wait_until(is_stable, member.beat)
    try:
        yield member
    finally:
        member.leave()


def left(admin: AdminClient, group: str, topic: str) -> None:
    """A group that exists and whose members have all left."""
    with joined(admin, group, topic):
        pass


def listed(result: ListGroupsResult, group: str) -> list[GroupListing]:
    assert result.errors == []
    return [each for each in result.valid if each.group_id == group]


def offsets(
    admin: AdminClient, group: str, places: list[TopicPartition] | None = None
) -> dict[TopicPartition, int]:
    found = admin.list_streams_group_offsets({group: places})[group].result(TIMEOUT)
    assert [each.error for each in found] == [None] * len(found)
    return {each: each.offset for each in found}


def code_of(error: BaseException | None) -> int:
    assert isinstance(error, KafkaException)
    return error.code()


def test_group_with_a_member(admin: AdminClient, topic: str, group: str) -> None:
    """The group is listed as stable, and described with its topology, its member and its tasks."""
    with joined(admin, group, topic) as joining:
        stable = GroupListing(group, GroupType.STREAMS, "streams", GroupState.STABLE)
        assert listed(admin.list_streams_groups().result(TIMEOUT), group) == [stable]
        only = admin.list_streams_groups(states={GroupState.STABLE})
        assert listed(only.result(TIMEOUT), group) == [stable]
        others = admin.list_streams_groups(states={GroupState.EMPTY})
        assert listed(others.result(TIMEOUT), group) == []
        futures = admin.describe_streams_groups([group], include_authorized_operations=True)
        found = futures[group].result(TIMEOUT)
    assert (found.group_id, found.state, found.topology_epoch) == (group, GroupState.STABLE, 1)
    (part,) = found.subtopologies
    assert (part.subtopology_id, part.source_topics) == ("0", [topic])
    changelog = part.state_changelog_topics[f"{topic}-changelog"]
    assert changelog == StreamsGroupTopicInfo(1, 1, {"cleanup.policy": "compact"})
    (member,) = found.members
    assert member.member_id == joining.member_id
    assert (member.process_id, member.client_tags) == ("process", {"zone": "a"})
    assert (member.user_endpoint, member.is_classic) == (None, False)
    assert member.assignment == StreamsGroupMemberAssignment({"0": [0]}, {}, {})
    assert member.target_assignment.active_tasks == {"0": [0]}
    assert 0 < member.member_epoch <= found.target_assignment_epoch <= found.group_epoch
    brokers = admin.list_topics().brokers
    assert found.coordinator.port == brokers[found.coordinator.id].port
    assert AclOperation.DELETE in (found.authorized_operations or [])


def test_topology_description(admin: AdminClient, topic: str, group: str) -> None:
    """Brokers without a plugin store no topology; brokers before 4.4 do not support the option."""
    newest = admin.api_versions()[StreamsGroupDescribeRequest.api_key][1]
    with joined(admin, group, topic):
        futures = admin.describe_streams_groups([group], include_topology_description=True)
        if newest == 0:
            error = futures[group].exception(TIMEOUT)
            assert code_of(error) == KafkaError._UNSUPPORTED_FEATURE
            return
        found = futures[group].result(TIMEOUT)
    assert found.topology_description is None
    assert found.topology_description_status is StreamsGroupTopologyDescriptionStatus.NOT_STORED
    assert found.assignor_name


def test_offsets(admin: AdminClient, group: str, make_topic: MakeTopic) -> None:
    """Offsets are set, read and deleted while the group has no members."""
    topic = make_topic(partitions=2)
    left(admin, group, topic)
    one, two, missing = (TopicPartition(topic, number) for number in (0, 1, 7))
    assert offsets(admin, group) == {}
    altered = admin.alter_streams_group_offsets(group, {one: 5, two: 0, missing: 1})
    assert [altered[each].result(TIMEOUT) for each in (one, two)] == [None, None]
    assert code_of(altered[missing].exception(TIMEOUT)) == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert offsets(admin, group) == {one: 5, two: 0}
    assert offsets(admin, group, [one]) == {one: 5}
    deleted = admin.delete_streams_group_offsets(group, [one, missing])
    assert deleted[one].result(TIMEOUT) is None
    assert code_of(deleted[missing].exception(TIMEOUT)) == KafkaError.UNKNOWN_TOPIC_OR_PART
    wait_until(lambda: offsets(admin, group) == {two: 0})


def test_while_it_has_a_member(admin: AdminClient, topic: str, group: str) -> None:
    """While the group has a member, its offsets cannot be set.

    Neither the group nor its offsets for the topics that it reads can be deleted.
    """
    place = TopicPartition(topic, 0)
    with joined(admin, group, topic):
        altered = admin.alter_streams_group_offsets(group, {place: 0})[place]
        assert code_of(altered.exception(TIMEOUT)) == KafkaError.UNKNOWN_MEMBER_ID
        deleted = admin.delete_streams_group_offsets(group, [place])[place]
        error = deleted.exception(TIMEOUT)
        assert code_of(error) == KafkaError.GROUP_SUBSCRIBED_TO_TOPIC
        gone = admin.delete_streams_groups([group])[group]
        assert code_of(gone.exception(TIMEOUT)) == KafkaError.NON_EMPTY_GROUP


def test_deleted(admin: AdminClient, topic: str, group: str) -> None:
    """A group without members can be deleted; afterwards it does not exist."""
    left(admin, group, topic)
    assert admin.delete_streams_groups([group])[group].result(TIMEOUT) is None
    assert listed(admin.list_streams_groups().result(TIMEOUT), group) == []
    for futures in (admin.delete_streams_groups([group]), admin.describe_streams_groups([group])):
        assert code_of(futures[group].exception(TIMEOUT)) == KafkaError.GROUP_ID_NOT_FOUND


@in_loop
async def test_awaited(kafka: KafkaCluster, topic: str, group: str) -> None:
    """AIOAdminClient describes, changes and deletes streams groups, too."""
    place = TopicPartition(topic, 0)
    with AdminClient(kafka.config()) as client:
        left(client, group, topic)
    async with AIOAdminClient(kafka.config()) as admin:
        assert len(listed(await admin.list_streams_groups(), group)) == 1
        assert (await admin.describe_streams_groups([group]))[group].members == []
        assert await admin.alter_streams_group_offsets(group, {place: 3}) == {place: None}
        (found,) = (await admin.list_streams_group_offsets({group: None}))[group]
        assert (found.topic, found.offset) == (topic, 3)
        assert await admin.delete_streams_group_offsets(group, [place]) == {place: None}
        assert await admin.delete_streams_groups([group]) == {group: None}
