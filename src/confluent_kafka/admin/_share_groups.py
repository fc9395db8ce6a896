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
        assignment: what it reads, a MemberAssignment; other members may read the same.
        member_epoch: the epoch of the group that it has got to.

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
        group_epoch: how often its members or what they subscribe to have changed.
        target_assignment_epoch: the epoch that its assignment is for.
        authorized_operations: what this client may do with it, or None when not asked for.

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
    """How far a share group has got in a partition.

    Attributes:
        start_offset: what is before it is finished, as is some of what comes next; None where the
            group has not begun.
        leader_epoch: the leader's epoch that goes with it, or None.
        lag: how many records are still to be finished, or None where the broker does not know
            (it does since Kafka 4.2).
        error: why nothing is known, or None.

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
            A future; its result is a ListGroupsResult, which has the errors of brokers that did
            not answer, or do not know groups of this kind. What this client may not describe is
            missing.

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
            group_ids: their names.
            include_authorized_operations: also ask what this client may do with them.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each name; its result is a ShareGroupDescription. It fails with
            GROUP_ID_NOT_FOUND (there is no such group, or it is no share group),
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
        """Delete share groups that have no members, with their offsets.

        Args:
            group_ids: their names.
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
        """Read how far share groups have got.

        Args:
            group_specs: by group's name a list of TopicPartition, or None for all that the group
                has begun to read.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each name; its result is a dict of TopicPartition to
            SharePartitionOffsetInfo; brokers answer as for a group that has not begun when there
            is none. It fails with GROUP_AUTHORIZATION_FAILED ...

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
        """Set where a share group that has no members goes on.

        Args:
            group_id: its name; there need not be such a group yet.
            offsets: by TopicPartition the offset of the first record to read.
            request_timeout: as for list_share_groups().

        Returns:
            A future for each partition; its result is None. It fails with NON_EMPTY_GROUP,
            UNKNOWN_TOPIC_OR_PART, GROUP_ID_NOT_FOUND (the group is no share group),
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
        """Make a share group that has no members forget topics.

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
