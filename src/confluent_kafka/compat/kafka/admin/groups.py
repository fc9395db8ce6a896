"""Lists, describes and deletes groups; changes their members and offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import protocol

from .. import errors
from .._enums import EnumHelper
from ..structs import OffsetAndMetadata, OffsetSpec, TopicPartition
from ._wire import Wire, broker, by_topic, check, group_coordinator, only, plain
from .acls import operations
from .partitions import OffsetTimestamp, PartitionAdminMixin

_FIRST_WITH_GROUPS = 8  # the version of OffsetFetch that asks for several groups


class GroupState(str, EnumHelper):
    """What a group is doing."""

    UNKNOWN = "Unknown"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"
    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"


class GroupType(str, EnumHelper):
    """The protocol of a group's members."""

    UNKNOWN = "Unknown"
    CONSUMER = "consumer"
    CLASSIC = "classic"
    SHARE = "share"


class MemberToRemove:
    """A member of a group.

    Args:
        member_id: the id of the member.
        group_instance_id: the instance id of a static member. One of these two is required.
        reason: a text for the broker's log.
    """

    def __init__(
        self,
        member_id: str | None = None,
        group_instance_id: str | None = None,
        reason: str | None = None,
    ) -> None:
        if member_id is None and group_instance_id is None:
            raise ValueError("a member needs member_id or group_instance_id")
        self._given = (member_id, group_instance_id, reason)

    @property
    def member_id(self) -> str | None:
        """The id of the member."""
        return self._given[0]

    @property
    def group_instance_id(self) -> str | None:
        """The id of a static member."""
        return self._given[1]

    @property
    def reason(self) -> str | None:
        """The text for the broker's log."""
        return self._given[2]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MemberToRemove) and self._given == other._given

    def __hash__(self) -> int:
        return hash(self._given)

    def __repr__(self) -> str:
        return "MemberToRemove(member_id={!r}, group_instance_id={!r}, reason={!r})".format(
            *self._given
        )


class GroupAdminMixin(PartitionAdminMixin):
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def list_groups(
        self,
        broker_ids: Iterable[int] | None = None,
        states_filter: Iterable[Any] | None = None,
        types_filter: Iterable[Any] | None = None,
    ) -> list[dict[str, Any]]:
        """Return groups.

        Args:
            broker_ids: the ids of the brokers to ask; None means all.
            states_filter: GroupStates, or their values.
            types_filter: GroupTypes, or their values.
        """
        request = protocol.ListGroupsRequest(
            states_filter=[GroupState.value_for(one) for one in states_filter or ()],
            types_filter=[GroupType.value_for(one) for one in types_filter or ()],
        )
        found = []
        for each in self._wire.brokers(broker_ids):
            answer = self._wire.ask(request, broker(each))
            check(answer)
            found += [plain(one) for one in answer.groups]
        return found

    def describe_groups(
        self,
        group_ids: Iterable[str],
        group_coordinator_id: int | None = None,
        include_authorized_operations: bool = False,
    ) -> dict[str, dict[str, Any]]:
        """Return groups with their members.

        Args:
            group_ids: the ids of the groups.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.
            include_authorized_operations: whether to return the operations that the client may use.
        """
        found = {}
        for group in group_ids:
            request = protocol.DescribeGroupsRequest(
                groups=[group], include_authorized_operations=include_authorized_operations
            )
            answer = only(self._wire.ask(request, group_coordinator(group)).groups)
            found[group] = _described(answer)
        return found

    def delete_groups(
        self, group_ids: Iterable[str], group_coordinator_id: int | None = None
    ) -> dict[str, str]:
        """Delete groups that have no members.

        Args:
            group_ids: the ids of the groups.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.

        Returns:
            "OK" or the name of the error, by group.
        """
        found = {}
        for group in group_ids:
            request = protocol.DeleteGroupsRequest(groups_names=[group])
            one = only(self._wire.ask(request, group_coordinator(group)).results)
            found[group] = errors.for_code(one.error_code).__name__ if one.error_code else "OK"
        return found

    def remove_group_members(
        self,
        group_id: str,
        members: Iterable[MemberToRemove],
        group_coordinator_id: int | None = None,
    ) -> dict[str, type[errors.BrokerResponseError]]:
        """Remove members of a group.

        Args:
            group_id: the group.
            members: the members.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.

        Returns:
            The class of the error, by the member's instance id or member id; NoError for a success.
        """
        kind = protocol.LeaveGroupRequest
        leaving = [
            kind.MemberIdentity(
                member_id=one.member_id or "",
                group_instance_id=one.group_instance_id,
                reason=one.reason,
            )
            for one in members
        ]
        request = kind(group_id=group_id, members=leaving)
        answer = self._wire.ask(request, group_coordinator(group_id))
        check(answer, group_id)
        return {
            one.group_instance_id or one.member_id: errors.for_code(one.error_code)
            for one in answer.members
        }

    def list_group_offsets(
        self, group_specs: Any
    ) -> dict[str, dict[TopicPartition, OffsetAndMetadata]]:
        """Return the committed offsets of groups.

        Args:
            group_specs: a group, several groups, or partitions by group; None means all groups.

        Returns:
            The offsets by group and partition; -1 for a partition without an offset.

        Raises:
            BrokerResponseError: the error of the first group or partition that failed.
        """
        if isinstance(group_specs, str):
            group_specs = [group_specs]
        if not isinstance(group_specs, Mapping):
            group_specs = dict.fromkeys(group_specs)
        return {group: self._offsets(group, asked) for group, asked in group_specs.items()}

    def alter_group_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        group_coordinator_id: int | None = None,
    ) -> dict[TopicPartition, type[errors.BrokerResponseError]]:
        """Commit offsets for a group that has no members.

        Args:
            group_id: the group.
            offsets: the offsets by partition.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.

        Returns:
            The class of the error by partition; NoError for a success.
        """
        kind = protocol.OffsetCommitRequest
        topics = [
            kind.OffsetCommitRequestTopic(
                name=topic,
                partitions=[
                    _committed(kind, each, offsets[TopicPartition(topic, each)]) for each in numbers
                ],
            )
            for topic, numbers in by_topic(offsets).items()
        ]
        request = kind(group_id=group_id, topics=topics)
        return _errors(self._wire.ask_by_names(request, group_id))

    def delete_group_offsets(
        self,
        group_id: str,
        partitions: Iterable[TopicPartition],
        group_coordinator_id: int | None = None,
    ) -> dict[TopicPartition, type[errors.BrokerResponseError]]:
        """Delete committed offsets of a group; see alter_group_offsets()."""
        kind = protocol.OffsetDeleteRequest
        topics = [
            kind.OffsetDeleteRequestTopic(
                name=topic,
                partitions=[
                    kind.OffsetDeleteRequestPartition(partition_index=each) for each in numbers
                ],
            )
            for topic, numbers in by_topic(partitions).items()
        ]
        request = kind(group_id=group_id, topics=topics)
        answer = self._wire.ask(request, group_coordinator(group_id))
        check(answer, group_id)
        return _errors(answer)

    def reset_group_offsets(
        self,
        group_id: str,
        offset_specs: Mapping[TopicPartition, Any],
        group_coordinator_id: int | None = None,
    ) -> dict[TopicPartition, dict[str, Any]]:
        """Commit offsets that specs describe, for a group that has no members.

        Args:
            group_id: the group.
            offset_specs: an OffsetSpec, an OffsetTimestamp or an offset, by partition.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.

        Returns:
            ``{"error": ..., "offset": ...}`` by partition. The error is a class; NoError for a
            success.
        """
        places = {
            each: spec
            for each, spec in offset_specs.items()
            if isinstance(spec, OffsetSpec | OffsetTimestamp)
        }
        numbers = {each: spec for each, spec in offset_specs.items() if each not in places}
        for each, number in numbers.items():
            if type(number) is not int:
                raise TypeError(
                    f"the offset of {each} must be an OffsetSpec, OffsetTimestamp or int, not "
                    f"{number!r}"
                )
        found = self.list_partition_offsets(places)
        numbers |= {each: place.offset for each, place in found.items()}
        offsets = {each: OffsetAndMetadata(number) for each, number in numbers.items()}
        return {
            each: {"error": error, "offset": numbers[each]}
            for each, error in self.alter_group_offsets(group_id, offsets).items()
        }

    def _offsets(
        self, group: str, partitions: Iterable[TopicPartition] | None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        answer = self._committed_of(group, None if partitions is None else by_topic(partitions))
        check(answer, group)
        found = {}
        for topic in answer.topics:
            for one in topic.partitions:
                check(one, f"{group}: {topic.name}")
                found[TopicPartition(topic.name, one.partition_index)] = OffsetAndMetadata(
                    one.committed_offset, one.metadata or "", one.committed_leader_epoch
                )
        return found

    def _committed_of(self, group: str, partitions: Mapping[str, list[int]] | None) -> Any:
        """Return the part of the coordinator's answer that is about a group."""
        kind = protocol.OffsetFetchRequest
        if self._wire.version_with_names(kind) < _FIRST_WITH_GROUPS:
            of_topic: Any = kind.OffsetFetchRequestTopic
            request = kind(group_id=group, topics=_asked(of_topic, partitions))
            return self._wire.ask_by_names(request, group)
        of_topic = kind.OffsetFetchRequestTopics
        asked = kind.OffsetFetchRequestGroup(group_id=group, topics=_asked(of_topic, partitions))
        return only(self._wire.ask_by_names(kind(groups=[asked]), group).groups)


def _asked(kind: Any, partitions: Mapping[str, list[int]] | None) -> list[Any] | None:
    if partitions is None:
        return None
    return [kind(name=topic, partition_indexes=each) for topic, each in partitions.items()]


def _described(group: Any) -> dict[str, Any]:
    found = plain(group, "error_code", "error_message")
    found["authorized_operations"] = operations(group.authorized_operations)
    found["members"] = [_member(one) for one in group.members]
    failed = errors.for_code(group.error_code)(group.error_message or group.group_id)
    found["error"] = str(failed) if group.error_code else None
    return found


def _member(member: Any) -> dict[str, Any]:
    """Return a member; the data of clients other than consumers stays bytes."""
    found = plain(member)
    for name, kind in (
        ("member_metadata", protocol.ConsumerProtocolSubscription),
        ("member_assignment", protocol.ConsumerProtocolAssignment),
    ):
        found[name] = _of_consumer(kind, getattr(member, name))
    return found


def _of_consumer(kind: Any, data: bytes) -> Any:
    """Return the decoded data of a consumer: a version, and a message of that version."""
    try:
        version = min(int.from_bytes(data[:2], "big"), kind.valid_versions.stop - 1)
        return plain(kind.decode(data[2:], version))
    except ValueError:
        return data


def _committed(kind: Any, partition: int, offset: OffsetAndMetadata) -> Any:
    epoch = -1 if offset.leader_epoch is None else offset.leader_epoch
    return kind.OffsetCommitRequestPartition(
        partition_index=partition,
        committed_offset=offset.offset,
        committed_leader_epoch=epoch,
        committed_metadata=offset.metadata or "",
    )


def _errors(answer: Any) -> dict[TopicPartition, type[errors.BrokerResponseError]]:
    return {
        TopicPartition(topic.name, one.partition_index): errors.for_code(one.error_code)
        for topic in answer.topics
        for one in topic.partitions
    }
