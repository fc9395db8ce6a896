"""Streams groups: list, describe, delete; their offsets: list, alter, delete."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import protocol
from confluent_kafka._values.cluster import Node
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.admin._group_kinds import (
    GroupKindRequests,
    GroupState,
    GroupType,
    ListGroupsResult,
    checked_offsets,
    operations_in,
    state_from,
)
from confluent_kafka.admin._groups import GroupRequests
from confluent_kafka.admin._requests import checked, name_of, names_of, new_futures, partitions_of
from confluent_kafka.admin._streams_topology import (
    StreamsGroupTopologyDescription,
    StreamsGroupTopologyDescriptionStatus,
    status_from,
    topology_from,
)
from confluent_kafka.cimpl import KafkaError, KafkaException, TopicPartition

# Parts of librdkafka's answers: a group, the error if its offsets are unknown, and its partitions.
_Offsets = list[tuple[str, KafkaError | None, list[TopicPartition]]]


@dataclass(frozen=True)
class StreamsGroupTopicInfo:
    """An internal topic of a streams application.

    Attributes:
        partitions: the required number of partitions; 0 if other topics determine this number.
        replication_factor: the number of replicas; 0 for the brokers' default.
        topic_configs: a dict of its configurations.

    Kafka: StreamsGroupSubtopologyDescription.TopicInfo (KIP-1071).
    """

    partitions: int
    replication_factor: int
    topic_configs: dict[str, str]


@dataclass(frozen=True)
class StreamsGroupSubtopologyDescription:
    """A part of a streams application's topology. Its tasks are distributed to the members.

    Attributes:
        subtopology_id: its id.
        source_topics: the topics that it reads.
        repartition_sink_topics: the internal topics that it writes for other parts.
        state_changelog_topics: a dict of each changelog's name to its StreamsGroupTopicInfo.
        repartition_source_topics: a dict of the name of each internal topic that it reads to its
            StreamsGroupTopicInfo.

    Kafka: org.apache.kafka.clients.admin.StreamsGroupSubtopologyDescription (KIP-1071).
    """

    subtopology_id: str
    source_topics: list[str]
    repartition_sink_topics: list[str]
    state_changelog_topics: dict[str, StreamsGroupTopicInfo]
    repartition_source_topics: dict[str, StreamsGroupTopicInfo]


@dataclass(frozen=True)
class StreamsGroupMemberAssignment:
    """The tasks of a member. Each attribute is a dict of subtopology to partitions.

    Attributes:
        active_tasks: the tasks that it processes.
        standby_tasks: the tasks whose state it keeps a copy of.
        warmup_tasks: the tasks whose state it is copying, in order to process them later.

    Kafka: org.apache.kafka.clients.admin.StreamsGroupMemberAssignment (KIP-1071).
    """

    active_tasks: dict[str, list[int]]
    standby_tasks: dict[str, list[int]]
    warmup_tasks: dict[str, list[int]]


@dataclass(frozen=True)
class StreamsGroupMemberDescription:
    """A member of a streams group.

    Attributes:
        member_id: its id.
        member_epoch: the epoch of the group that the member has reached.
        instance_id: its ``group.instance.id``, or None.
        rack_id: its ``client.rack``, or None.
        client_id: its ``client.id``.
        client_host: the address of its client.
        topology_epoch: the epoch of the topology that it runs.
        process_id: the id of its process; several members may run in one process.
        user_endpoint: host and port for interactive queries, or None.
        client_tags: a dict of tags that describe where it runs.
        task_offsets: by subtopology and partition, the offset that the task's state has reached.
        task_end_offsets: by subtopology and partition, the end of the state's changelog.
        assignment: its current tasks, a StreamsGroupMemberAssignment.
        target_assignment: the tasks that it is about to take.
        is_classic: whether it still uses the classic protocol.

    Kafka: org.apache.kafka.clients.admin.StreamsGroupMemberDescription (KIP-1071).
    """

    member_id: str
    member_epoch: int
    instance_id: str | None
    rack_id: str | None
    client_id: str
    client_host: str
    topology_epoch: int
    process_id: str
    user_endpoint: tuple[str, int] | None
    client_tags: dict[str, str]
    task_offsets: dict[tuple[str, int], int]
    task_end_offsets: dict[tuple[str, int], int]
    assignment: StreamsGroupMemberAssignment
    target_assignment: StreamsGroupMemberAssignment
    is_classic: bool


@dataclass(frozen=True)
class StreamsGroupDescription:
    """A streams group: the instances of one application of Kafka Streams.

    Attributes:
        group_id: its name, the ``application.id``.
        group_epoch: grows with each change of its members or its topology.
        target_assignment_epoch: the group epoch for which the assignment was computed.
        topology_epoch: the epoch of its topology.
        subtopologies: a list of StreamsGroupSubtopologyDescription.
        members: a list of StreamsGroupMemberDescription.
        state: GroupState.
        coordinator: the broker that coordinates it.
        authorized_operations: the operations that this client may perform; None if not requested.
        topology_description: a StreamsGroupTopologyDescription, or None.
        topology_description_status: a StreamsGroupTopologyDescriptionStatus. It explains why
            topology_description is None.
        assignor_name: the assignor that computes the next assignment; None before 4.4.

    Kafka: org.apache.kafka.clients.admin.StreamsGroupDescription (KIP-1071, KIP-1331, KIP-1357).
    """

    group_id: str
    group_epoch: int
    target_assignment_epoch: int
    topology_epoch: int
    subtopologies: list[StreamsGroupSubtopologyDescription]
    members: list[StreamsGroupMemberDescription]
    state: GroupState
    coordinator: Node
    authorized_operations: list[AclOperation] | None = None
    topology_description: StreamsGroupTopologyDescription | None = None
    topology_description_status: StreamsGroupTopologyDescriptionStatus = (
        StreamsGroupTopologyDescriptionStatus.NOT_REQUESTED
    )
    assignor_name: str | None = None


class StreamsGroupRequests(GroupRequests, GroupKindRequests):
    """Requests about streams groups."""

    __slots__ = ()

    def list_streams_groups(
        self, *, states: set[GroupState] | None = None, request_timeout: float | None = None
    ) -> Future[ListGroupsResult]:
        """List the streams groups of all brokers.

        Args:
            states: only groups in one of these states, a set of GroupState.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a ListGroupsResult, including the errors of brokers that did not
            answer or do not support groups of this kind. Groups that this client may not describe
            are missing.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ListGroups (Admin.listGroups(), KIP-1043, KIP-1071).
        """
        return self._list_groups_of(GroupType.STREAMS, states, request_timeout)

    def describe_streams_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        include_topology_description: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[StreamsGroupDescription]]:
        """Describe streams groups, their topologies and their members.

        Args:
            group_ids: the names of the groups.
            include_authorized_operations: also request the operations that this client may perform.
            include_topology_description: also request the nodes of the topology, which brokers
                store if they have a plugin for it. It needs Kafka 4.4.
            request_timeout: as for list_streams_groups().

        Returns:
            A future for each name; its result is a StreamsGroupDescription. It fails with
            GROUP_ID_NOT_FOUND (the group does not exist, or it is not a streams group),
            GROUP_AUTHORIZATION_FAILED, _UNSUPPORTED_FEATURE (the brokers cannot return a topology
            description) ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: StreamsGroupDescribe (KIP-1071, KIP-1331).
        """
        with_topology = checked(include_topology_description, bool, "include_topology_description")
        return self._describe_groups(
            group_ids,
            include_authorized_operations,
            request_timeout,
            lambda group, with_operations: protocol.StreamsGroupDescribeRequest(
                group_ids=group,
                include_authorized_operations=with_operations,
                include_topology_description=with_topology,
            ),
            _description,
        )

    def delete_streams_groups(
        self, group_ids: list[str], *, request_timeout: float | None = None
    ) -> dict[str, Future[None]]:
        """Delete streams groups that have no members, and their offsets; internal topics stay.

        Args:
            group_ids: the names of the groups.
            request_timeout: as for list_streams_groups().

        Returns:
            A future for each name; its result is None. It fails with NON_EMPTY_GROUP,
            GROUP_ID_NOT_FOUND, GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DeleteGroups (KIP-1071).
        """
        return self._delete_groups(names_of(group_ids, "group_ids"), request_timeout)

    def list_streams_group_offsets(
        self,
        group_specs: dict[str, list[TopicPartition] | None],
        *,
        require_stable: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[list[TopicPartition]]]:
        """Read the committed offsets of streams groups.

        Args:
            group_specs: a dict of each group's name to a list of TopicPartition. None instead of
                the list reads all offsets of the group.
            require_stable: fail if a transaction that is still open has written offsets of the
                group.
            request_timeout: as for list_streams_groups().

        Returns:
            A future for each name; its result is a list of TopicPartition with the offsets,
            OFFSET_INVALID if the group has none, and each partition's own error. It fails with
            GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: OffsetFetch (Admin.listStreamsGroupOffsets(), KIP-1071).
        """
        specs = checked(group_specs, dict, "group_specs")
        name = "the value for {!r} in group_specs"
        places = {
            each: None if specs[each] is None else partitions_of(specs[each], name.format(each))
            for each in names_of(list(specs), "group_specs")
        }
        options = {"require_stable": require_stable, "request_timeout": request_timeout}
        futures = new_futures(places)
        for each, chosen in places.items():
            argument = (each, chosen)
            own = {each: futures[each]}
            self._ask_each("list_consumer_group_offsets", argument, options, own, _committed)
        return futures

    def alter_streams_group_offsets(
        self,
        group_id: str,
        offsets: dict[TopicPartition, int],
        *,
        request_timeout: float | None = None,
    ) -> dict[TopicPartition, Future[None]]:
        """Set the committed offsets of a streams group that has no members.

        Args:
            group_id: its name.
            offsets: a dict of TopicPartition to the offset of the next record to read.
            request_timeout: as for list_streams_groups().

        Returns:
            A future for each partition; its result is None. It fails with UNKNOWN_MEMBER_ID (the
            group has members), UNKNOWN_TOPIC_OR_PART, GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: OffsetCommit (Admin.alterStreamsGroupOffsets(), KIP-1071).
        """
        name_of(group_id, "group_id")
        chosen = [
            TopicPartition(place.topic, place.partition, offset)
            for place, offset in checked_offsets(offsets).items()
        ]
        options = {"request_timeout": request_timeout}
        futures = new_futures(offsets)
        argument = (group_id, chosen)
        self._ask_each("alter_consumer_group_offsets", argument, options, futures, _changed)
        return futures

    def delete_streams_group_offsets(
        self,
        group_id: str,
        partitions: list[TopicPartition],
        *,
        request_timeout: float | None = None,
    ) -> dict[TopicPartition, Future[None]]:
        """Delete committed offsets of a streams group. No member may read these topics.

        Args:
            group_id: its name.
            partitions: a list of TopicPartition.
            request_timeout: as for list_streams_groups().

        Returns:
            A future for each partition; its result is None. It fails with
            GROUP_SUBSCRIBED_TO_TOPIC, GROUP_ID_NOT_FOUND, GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: OffsetDelete (Admin.deleteStreamsGroupOffsets(), KIP-1071).
        """
        name_of(group_id, "group_id")
        chosen = partitions_of(partitions, "partitions")
        options = {"request_timeout": request_timeout}
        futures = new_futures(chosen)
        argument = (group_id, chosen)
        self._ask_each("delete_consumer_group_offsets", argument, options, futures, _changed)
        return futures


# ---- answers


def _committed(result: _Offsets) -> Iterator[tuple[str, list[TopicPartition] | KafkaError]]:
    for group, error, partitions in result:
        yield group, error or partitions


def _changed(result: _Offsets) -> Iterator[tuple[TopicPartition, KafkaError | None]]:
    for _group, error, partitions in result:
        if error is not None:
            raise KafkaException(error)
        for each in partitions:
            yield TopicPartition(each.topic, each.partition), each.error


def _description(
    found: protocol.StreamsGroupDescribeResponse.DescribedGroup, coordinator: Node
) -> StreamsGroupDescription:
    topology = found.topology
    return StreamsGroupDescription(
        found.group_id,
        found.group_epoch,
        found.assignment_epoch,
        -1 if topology is None else topology.epoch,
        [] if topology is None else [_subtopology(each) for each in topology.subtopologies or ()],
        [_member(each) for each in found.members],
        state_from(found.group_state),
        coordinator,
        operations_in(found.authorized_operations),
        topology_from(found),
        status_from(found.topology_description_status),
        found.assignor_name,
    )


def _subtopology(
    found: protocol.StreamsGroupDescribeResponse.Subtopology,
) -> StreamsGroupSubtopologyDescription:
    return StreamsGroupSubtopologyDescription(
        found.subtopology_id,
        list(found.source_topics),
        list(found.repartition_sink_topics),
        _topics(found.state_changelog_topics),
        _topics(found.repartition_source_topics),
    )


def _topics(topics: Any) -> dict[str, StreamsGroupTopicInfo]:
    return {
        each.name: StreamsGroupTopicInfo(
            each.partitions, each.replication_factor, _pairs(each.topic_configs)
        )
        for each in topics
    }


def _member(
    found: protocol.StreamsGroupDescribeResponse.Member,
) -> StreamsGroupMemberDescription:
    endpoint = found.user_endpoint
    return StreamsGroupMemberDescription(
        found.member_id,
        found.member_epoch,
        found.instance_id,
        found.rack_id,
        found.client_id,
        found.client_host,
        found.topology_epoch,
        found.process_id,
        None if endpoint is None else (endpoint.host, endpoint.port),
        _pairs(found.client_tags),
        {(each.subtopology_id, each.partition): each.offset for each in found.task_offsets},
        {(each.subtopology_id, each.partition): each.offset for each in found.task_end_offsets},
        _assignment(found.assignment),
        _assignment(found.target_assignment),
        found.is_classic,
    )


def _pairs(pairs: Any) -> dict[str, str]:
    return {each.key: each.value for each in pairs}


def _assignment(
    found: protocol.StreamsGroupDescribeResponse.Assignment,
) -> StreamsGroupMemberAssignment:
    return StreamsGroupMemberAssignment(
        _tasks(found.active_tasks), _tasks(found.standby_tasks), _tasks(found.warmup_tasks)
    )


def _tasks(tasks: Any) -> dict[str, list[int]]:
    return {each.subtopology_id: list(each.partitions) for each in tasks}
