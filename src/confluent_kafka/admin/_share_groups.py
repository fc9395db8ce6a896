"""Share groups: list, describe, delete; their start offsets: list, alter, delete."""

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
from confluent_kafka.admin._groups import GroupRequests, MemberAssignment
from confluent_kafka.admin._protocol import (
    by_topic,
    error_of,
    group_coordinator,
    known,
    only,
    raise_error_of,
)
from confluent_kafka.admin._requests import (
    checked,
    name_of,
    names_of,
    new_futures,
    partitions_of,
)
from confluent_kafka.cimpl import KafkaError, TopicPartition


@dataclass(frozen=True)
class ShareMemberDescription:
    """A member of a share group.

    Attributes:
        member_id: its id.
        client_id: its ``client.id``.
        host: the address of its client.
        assignment: the partitions that it reads, a MemberAssignment. Other members may read the
            same partitions.
        member_epoch: the epoch of the group that the member has reached.

    Kafka: org.apache.kafka.clients.admin.ShareMemberDescription (KIP-932).
    """

    member_id: str
    client_id: str
    host: str
    assignment: MemberAssignment
    member_epoch: int


@dataclass(frozen=True)
class ShareGroupDescription:
    """A share group.

    Attributes:
        group_id: its name.
        members: a list of ShareMemberDescription.
        state: GroupState.
        coordinator: the broker that coordinates it.
        group_epoch: grows with each change of its members or their subscriptions.
        target_assignment_epoch: the group epoch for which the assignment was computed.
        authorized_operations: the operations that this client may perform; None if not requested.

    Kafka: org.apache.kafka.clients.admin.ShareGroupDescription (KIP-932).
    """

    group_id: str
    members: list[ShareMemberDescription]
    state: GroupState
    coordinator: Node
    group_epoch: int
    target_assignment_epoch: int
    authorized_operations: list[AclOperation] | None = None


@dataclass(frozen=True)
class SharePartitionOffsetInfo:
    """The progress of a share group in a partition.

    Attributes:
        start_offset: all records before this offset are finished; some later records may be
            finished as well. None if the group has not begun to read the partition.
        leader_epoch: the leader epoch of start_offset, or None.
        lag: how many records are not finished yet, or None if the broker does not know it (brokers
            know it since Kafka 4.2).
        error: the reason why the offsets are unknown, or None.

    Kafka: org.apache.kafka.clients.admin.SharePartitionOffsetInfo (KIP-932, KIP-1226).
    """

    start_offset: int | None = None
    leader_epoch: int | None = None
    lag: int | None = None
    error: KafkaError | None = None


class ShareGroupRequests(GroupRequests, GroupKindRequests):
    """Requests about share groups."""

    __slots__ = ()

    def list_share_groups(
        self, *, states: set[GroupState] | None = None, request_timeout: float | None = None
    ) -> Future[ListGroupsResult]:
        """List the share groups of all brokers.

        Args:
            states: only groups in one of these states, a set of GroupState: EMPTY, STABLE or DEAD.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a ListGroupsResult, including the errors of brokers that did not
            answer or do not support groups of this kind. Groups that this client may not describe
            are missing.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ListGroups (Admin.listGroups(), KIP-932, KIP-1043).
        """
        return self._list_groups_of(GroupType.SHARE, states, request_timeout)

    def describe_share_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[ShareGroupDescription]]:
        """Describe share groups and their members.

        Args:
            group_ids: the names of the groups.
            include_authorized_operations: also request the operations that this client may perform.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each name; its result is a ShareGroupDescription. It fails with
            GROUP_ID_NOT_FOUND (the group does not exist, or it is not a share group),
            GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ShareGroupDescribe (KIP-932).
        """
        return self._describe_groups(
            group_ids,
            include_authorized_operations,
            request_timeout,
            lambda group, with_operations: protocol.ShareGroupDescribeRequest(
                group_ids=group, include_authorized_operations=with_operations
            ),
            _description,
        )

    def delete_share_groups(
        self, group_ids: list[str], *, request_timeout: float | None = None
    ) -> dict[str, Future[None]]:
        """Delete share groups that have no members, and their offsets.

        Args:
            group_ids: the names of the groups.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each name; its result is None. It fails with NON_EMPTY_GROUP,
            GROUP_ID_NOT_FOUND, GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DeleteGroups (KIP-932).
        """
        return self._delete_groups(names_of(group_ids, "group_ids"), request_timeout)

    def list_share_group_offsets(
        self,
        group_specs: dict[str, list[TopicPartition] | None],
        *,
        request_timeout: float | None = None,
    ) -> dict[str, Future[dict[TopicPartition, SharePartitionOffsetInfo]]]:
        """Read the progress of share groups.

        Args:
            group_specs: a dict of each group's name to a list of TopicPartition. None instead of
                the list means all partitions that the group has begun to read.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each name; its result is a dict of TopicPartition to
            SharePartitionOffsetInfo. If the group does not exist, brokers answer as for a group
            that has not begun to read. The future fails with GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeShareGroupOffsets (KIP-932).
        """
        specs = checked(group_specs, dict, "group_specs")
        groups = names_of(list(specs), "group_specs")
        requests = {each: _offsets_request(each, specs[each]) for each in groups}
        return {
            each: self._exchange(
                request, group_coordinator(each), request_timeout, _offsets_of_the_group
            )
            for each, request in requests.items()
        }

    def alter_share_group_offsets(
        self,
        group_id: str,
        offsets: dict[TopicPartition, int],
        *,
        request_timeout: float | None = None,
    ) -> dict[TopicPartition, Future[None]]:
        """Set the offsets at which a share group that has no members continues.

        Args:
            group_id: its name; the group need not exist yet.
            offsets: a dict of TopicPartition to the offset of the first record to read.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each partition; its result is None. It fails with NON_EMPTY_GROUP,
            UNKNOWN_TOPIC_OR_PART, GROUP_ID_NOT_FOUND (the group is not a share group),
            GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: AlterShareGroupOffsets (KIP-932).
        """
        name_of(group_id, "group_id")
        chosen = checked_offsets(offsets)
        message = protocol.AlterShareGroupOffsetsRequest
        request = message(
            group_id=group_id,
            topics=[
                message.AlterShareGroupOffsetsRequestTopic(
                    topic_name=topic,
                    partitions=[
                        message.AlterShareGroupOffsetsRequestPartition(
                            partition_index=one.partition, start_offset=chosen[one]
                        )
                        for one in places
                    ],
                )
                for topic, places in by_topic(chosen).items()
            ],
        )
        futures = new_futures(chosen)
        at = group_coordinator(group_id)
        self._exchange_each(request, at, request_timeout, futures, _altered)
        return futures

    def delete_share_group_offsets(
        self, group_id: str, topics: list[str], *, request_timeout: float | None = None
    ) -> dict[str, Future[None]]:
        """Delete the offsets of topics from a share group that has no members.

        Args:
            group_id: its name.
            topics: the topics' names.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each topic; its result is None. It fails with NON_EMPTY_GROUP,
            GROUP_ID_NOT_FOUND, UNKNOWN_TOPIC_OR_PART, GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DeleteShareGroupOffsets (KIP-932).
        """
        name_of(group_id, "group_id")
        message = protocol.DeleteShareGroupOffsetsRequest
        futures = new_futures(names_of(topics, "topics"))
        request = message(
            group_id=group_id,
            topics=[
                message.DeleteShareGroupOffsetsRequestTopic(topic_name=each) for each in futures
            ],
        )
        at = group_coordinator(group_id)
        self._exchange_each(request, at, request_timeout, futures, _deleted)
        return futures


# ---- arguments


def _offsets_request(
    group_id: str, places: list[TopicPartition] | None
) -> protocol.DescribeShareGroupOffsetsRequest:
    message = protocol.DescribeShareGroupOffsetsRequest
    topics = None
    if places is not None:
        chosen = partitions_of(places, f"the value for {group_id!r} in group_specs")
        topics = [
            message.DescribeShareGroupOffsetsRequestTopic(
                topic_name=topic, partitions=[one.partition for one in own]
            )
            for topic, own in by_topic(chosen).items()
        ]
    group = message.DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=topics)
    return message(groups=[group])


# ---- answers


def _description(
    found: protocol.ShareGroupDescribeResponse.DescribedGroup, coordinator: Node
) -> ShareGroupDescription:
    return ShareGroupDescription(
        found.group_id,
        [
            ShareMemberDescription(
                each.member_id,
                each.client_id,
                each.client_host,
                MemberAssignment(
                    [
                        TopicPartition(topic.topic_name, partition)
                        for topic in each.assignment.topic_partitions
                        for partition in topic.partitions
                    ]
                ),
                each.member_epoch,
            )
            for each in found.members
        ],
        state_from(found.group_state),
        coordinator,
        found.group_epoch,
        found.assignment_epoch,
        operations_in(found.authorized_operations),
    )


def _offsets_of_the_group(
    response: protocol.DescribeShareGroupOffsetsResponse,
) -> dict[TopicPartition, SharePartitionOffsetInfo]:
    group = only(response.groups)
    raise_error_of(group)
    return {
        TopicPartition(topic.topic_name, one.partition_index): _offset_info(one)
        for topic in group.topics
        for one in topic.partitions
    }


def _offset_info(found: Any) -> SharePartitionOffsetInfo:
    error = error_of(found)
    if error is not None or found.start_offset < 0:
        return SharePartitionOffsetInfo(error=error)
    return SharePartitionOffsetInfo(found.start_offset, known(found.leader_epoch), known(found.lag))


def _altered(
    response: protocol.AlterShareGroupOffsetsResponse,
) -> Iterator[tuple[TopicPartition, KafkaError | None]]:
    raise_error_of(response)
    for topic in response.responses:
        for one in topic.partitions:
            yield TopicPartition(topic.topic_name, one.partition_index), error_of(one)


def _deleted(
    response: protocol.DeleteShareGroupOffsetsResponse,
) -> Iterator[tuple[str, KafkaError | None]]:
    raise_error_of(response)
    for topic in response.responses:
        yield topic.topic_name, error_of(topic)
