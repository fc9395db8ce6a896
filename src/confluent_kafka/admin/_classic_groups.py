"""Groups of the classic protocol: consumers, and other programs that distribute work."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from confluent_kafka import protocol
from confluent_kafka._values.cluster import Node
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.admin._group_kinds import (
    GroupKindRequests,
    GroupState,
    operations_in,
    state_from,
)
from confluent_kafka.admin._groups import MemberAssignment, MemberDescription
from confluent_kafka.cimpl import TopicPartition

_CONSUMERS = "consumer"  # the protocol type whose assignments contain partitions
_VERSION_BYTES = 2  # the length of the version at the start of an assignment


@dataclass(frozen=True)
class ClassicGroupDescription:
    """A group of the classic protocol. Its members need not be consumers.

    Attributes:
        group_id: its name.
        protocol: the protocol type: ``consumer``, ``connect`` ... Empty if the group has no members
            and only offsets that a client committed.
        protocol_data: the name of the assignor, such as ``range``; empty before the first
            assignment.
        members: a list of MemberDescription; only consumers have partitions.
        state: GroupState.
        coordinator: the broker that coordinates it.
        authorized_operations: the operations that this client may perform; None if not requested.

    Kafka: org.apache.kafka.clients.admin.ClassicGroupDescription (KIP-1043).
    """

    group_id: str
    protocol: str
    protocol_data: str
    members: list[MemberDescription]
    state: GroupState
    coordinator: Node
    authorized_operations: list[AclOperation] | None = None

    @property
    def is_simple_consumer_group(self) -> bool:
        """Whether it has no members and only offsets that a client committed."""
        return not self.protocol


class ClassicGroupRequests(GroupKindRequests):
    """Requests about classic groups."""

    __slots__ = ()

    def describe_classic_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[ClassicGroupDescription]]:
        """Describe groups of the classic protocol, whose members need not be consumers.

        Args:
            group_ids: the names of the groups.
            include_authorized_operations: also request the operations that this client may perform.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future for each name; its result is a ClassicGroupDescription. It fails with
            GROUP_ID_NOT_FOUND (the group does not exist, or has another protocol),
            GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeGroups (Admin.describeClassicGroups(), KIP-1043).
        """
        return self._describe_groups(
            group_ids,
            include_authorized_operations,
            request_timeout,
            lambda group, with_operations: protocol.DescribeGroupsRequest(
                groups=group, include_authorized_operations=with_operations
            ),
            _description,
        )


def _description(
    found: protocol.DescribeGroupsResponse.DescribedGroup, coordinator: Node
) -> ClassicGroupDescription:
    consumers = found.protocol_type == _CONSUMERS
    return ClassicGroupDescription(
        found.group_id,
        found.protocol_type,
        found.protocol_data,
        [
            MemberDescription(
                each.member_id,
                each.client_id,
                each.client_host,
                MemberAssignment(_partitions(each.member_assignment) if consumers else []),
                each.group_instance_id,
            )
            for each in found.members
        ],
        state_from(found.group_state),
        coordinator,
        operations_in(found.authorized_operations),
    )


def _partitions(assignment: bytes) -> list[TopicPartition]:
    """Return the partitions that a consumer reads; none before the group has an assignment."""
    if not assignment:
        return []
    version = int.from_bytes(assignment[:_VERSION_BYTES])
    message = protocol.ConsumerProtocolAssignment
    # Every later version begins with the fields of the latest version that this code knows.
    known = min(version, message.valid_versions[-1])
    return [
        TopicPartition(topic.topic, partition)
        for topic in message.decode(assignment[_VERSION_BYTES:], known).assigned_partitions
        for partition in topic.partitions
    ]
