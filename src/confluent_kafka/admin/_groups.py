"""Consumer groups: list, describe, delete; their offsets: list, alter, delete."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Any

from confluent_kafka._values.cluster import Node
from confluent_kafka._values.groups import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
)
from confluent_kafka._values.metadata import GroupMetadata
from confluent_kafka.admin._cluster import node_from, operations_from
from confluent_kafka.admin._embedded import explain, is_unsupported
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.admin._requests import (
    AdminRequests,
    Options,
    checked,
    items_of,
    new_futures,
    set_of,
)
from confluent_kafka.admin._topics import tuple_errors
from confluent_kafka.cimpl import OFFSET_INVALID, KafkaError, KafkaException, TopicPartition


@dataclass(eq=False)
class ConsumerGroupListing:
    """A consumer group in a list.

    Attributes:
        group_id: its name.
        is_simple_consumer_group: True if it has no members and only offsets that a client
            committed.
        state: ConsumerGroupState, or None if the broker does not report it.
        type: ConsumerGroupType, or None if the broker does not report it.

    librdkafka: rd_kafka_ConsumerGroupListing_t.
    """

    group_id: str
    is_simple_consumer_group: bool
    state: ConsumerGroupState | None = None
    type: ConsumerGroupType | None = None


@dataclass(eq=False)
class ListConsumerGroupsResult:
    """The consumer groups that the brokers listed.

    Attributes:
        valid: a list of ConsumerGroupListing.
        errors: a KafkaError for each broker that did not answer; the groups of these brokers are
            missing.

    librdkafka: rd_kafka_ListConsumerGroups_result_t.
    """

    valid: list[ConsumerGroupListing] | None = None
    errors: list[KafkaError] | None = None


@dataclass(eq=False)
class MemberAssignment:
    """The partitions that a member of a group reads.

    Attributes:
        topic_partitions: a list of TopicPartition.

    librdkafka: rd_kafka_MemberAssignment_t.
    """

    topic_partitions: list[TopicPartition]

    def __post_init__(self) -> None:
        if self.topic_partitions is None:
            self.topic_partitions = []


@dataclass(eq=False)
class MemberDescription:
    """A member of a consumer group.

    Attributes:
        member_id: its id.
        client_id: its ``client.id``.
        host: the address of its client.
        assignment: the partitions that it reads, a MemberAssignment.
        group_instance_id: its ``group.instance.id``, or None.
        target_assignment: the partitions that it is about to read; None in a classic group
            (KIP-848).

    librdkafka: rd_kafka_MemberDescription_t.
    """

    member_id: str
    client_id: str
    host: str
    assignment: MemberAssignment | None
    group_instance_id: str | None = None
    target_assignment: MemberAssignment | None = None


@dataclass(eq=False)
class ConsumerGroupDescription:
    """The description of a consumer group.

    Attributes:
        group_id: its name.
        is_simple_consumer_group: True if it has no members and only offsets that a client
            committed.
        members: a list of MemberDescription.
        partition_assignor: the name of the assignor that distributes partitions to members.
        state: ConsumerGroupState. It is DEAD if the group does not exist.
        coordinator: the broker that coordinates it, or None.
        authorized_operations: the operations that this client may perform; None if not requested.
        type: ConsumerGroupType.

    librdkafka: rd_kafka_ConsumerGroupDescription_t.
    """

    group_id: str
    is_simple_consumer_group: bool
    members: list[MemberDescription]
    partition_assignor: str
    state: ConsumerGroupState
    coordinator: Node | None
    authorized_operations: list[AclOperation] | None = None
    type: ConsumerGroupType = ConsumerGroupType.UNKNOWN


class GroupRequests(AdminRequests):
    """Requests about consumer groups."""

    __slots__ = ()

    def list_groups(self, group: str | None = None, timeout: float = -1) -> list[GroupMetadata]:
        try:
            return super().list_groups(group, timeout)
        except KafkaException as error:
            if is_unsupported(error):
                explain(error, self.cluster_id(0))
            raise

    def list_consumer_groups(
        self,
        *,
        request_timeout: float | None = None,
        states: set[ConsumerGroupState] | None = None,
        types: set[ConsumerGroupType] | None = None,
    ) -> Future[ListConsumerGroupsResult]:
        """List the consumer groups of all brokers.

        Args:
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.
            states: only groups in one of these states, a set of ConsumerGroupState.
            types: only groups of one of these types, a set of ConsumerGroupType (KIP-848).

        Returns:
            A future; its result is a ListConsumerGroupsResult, including the errors of brokers
            that did not answer.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_ListConsumerGroups().
        """
        options = {
            "request_timeout": request_timeout,
            "states": _numbers(states, ConsumerGroupState, "states"),
            "types": _numbers(types, ConsumerGroupType, "types"),
        }
        return self._ask("list_consumer_groups", None, options, _listings)

    def describe_consumer_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[ConsumerGroupDescription]]:
        """Describe consumer groups and their members.

        Args:
            group_ids: the names of the groups.
            include_authorized_operations: also request the operations that this client may perform.
            request_timeout: as for list_consumer_groups().

        Returns:
            A future for each name; its result is a ConsumerGroupDescription. Its state is DEAD if
            the group does not exist. It fails with GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeConsumerGroups().
        """
        groups = items_of(group_ids, str, "group_ids", ValueError)
        futures = new_futures(groups)
        options = {
            "include_authorized_operations": include_authorized_operations,
            "request_timeout": request_timeout,
        }
        self._ask_each("describe_consumer_groups", groups, options, futures, _descriptions)
        return futures

    def delete_consumer_groups(
        self, group_ids: list[str], *, request_timeout: float | None = None
    ) -> dict[str, Future[None]]:
        """Delete consumer groups that have no members, with their offsets.

        Args:
            group_ids: the names of the groups.
            request_timeout: as for list_consumer_groups().

        Returns:
            A future for each name; its result is None. It fails with NON_EMPTY_GROUP,
            GROUP_ID_NOT_FOUND, GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DeleteGroups().
        """
        groups = items_of(group_ids, str, "group_ids", ValueError)
        return self._delete_groups(groups, request_timeout)

    def _delete_groups(
        self, groups: list[str], request_timeout: float | None
    ) -> dict[str, Future[None]]:
        """Delete groups. The request is the same for every kind of group."""
        futures = new_futures(groups)
        options = {"request_timeout": request_timeout}
        self._ask_each("delete_consumer_groups", groups, options, futures, tuple_errors)
        return futures

    def list_consumer_group_offsets(
        self,
        list_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions],
        *,
        require_stable: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[ConsumerGroupTopicPartitions]]:
        """Read a consumer group's committed offsets.

        Args:
            list_consumer_group_offsets_request: a list of one ConsumerGroupTopicPartitions.
                Without partitions, the offsets of all partitions are read.
            require_stable: fail if a transaction that is still open has written offsets of the
                group.
            request_timeout: as for list_consumer_groups().

        Returns:
            A future for the group's name; its result is a ConsumerGroupTopicPartitions with
            the offsets, OFFSET_INVALID if the group has none, and each partition's own error.
            It fails with GROUP_AUTHORIZATION_FAILED, _TIMED_OUT ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_ListConsumerGroupOffsets().
        """
        name = "list_consumer_group_offsets_request"
        group, partitions = _group_of(list_consumer_group_offsets_request, name, True)
        for partition in partitions or []:
            if partition.offset != OFFSET_INVALID:
                raise ValueError(
                    "Element of 'topic_partitions' must not have 'offset' value: "
                    f"the answer has the offset of {partition!r}"
                )
        options = {"require_stable": require_stable, "request_timeout": request_timeout}
        return self._ask_offsets("list_consumer_group_offsets", group, partitions, options)

    def alter_consumer_group_offsets(
        self,
        alter_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions],
        *,
        request_timeout: float | None = None,
    ) -> dict[str, Future[ConsumerGroupTopicPartitions]]:
        """Set the committed offsets of a consumer group that has no members.

        Args:
            alter_consumer_group_offsets_request: a list of one ConsumerGroupTopicPartitions
                with the new offsets.
            request_timeout: as for list_consumer_groups().

        Returns:
            A future for the group's name; its result is a ConsumerGroupTopicPartitions with
            each partition's own error. It fails with GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_AlterConsumerGroupOffsets().
        """
        name = "alter_consumer_group_offsets_request"
        group, partitions = _group_of(alter_consumer_group_offsets_request, name, False)
        for partition in partitions or []:
            if partition.offset < 0:
                raise ValueError(
                    "Element of 'topic_partitions' must not have negative value for 'offset' "
                    f"field: {partition!r} must have an offset of 0 or more"
                )
        options = {"request_timeout": request_timeout}
        return self._ask_offsets("alter_consumer_group_offsets", group, partitions, options)

    def delete_consumer_group_offsets(
        self,
        delete_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions],
        *,
        request_timeout: float | None = None,
    ) -> dict[str, Future[ConsumerGroupTopicPartitions]]:
        """Delete committed offsets of a consumer group. No member may read these topics.

        Args:
            delete_consumer_group_offsets_request: a list of one ConsumerGroupTopicPartitions
                with the partitions.
            request_timeout: as for list_consumer_groups().

        Returns:
            A future for the group's name; its result is a ConsumerGroupTopicPartitions with
            each partition's own error. It fails with GROUP_ID_NOT_FOUND,
            GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DeleteConsumerGroupOffsets() (KIP-496).
        """
        name = "delete_consumer_group_offsets_request"
        group, partitions = _group_of(delete_consumer_group_offsets_request, name, False)
        options = {"request_timeout": request_timeout}
        return self._ask_offsets("delete_consumer_group_offsets", group, partitions, options)

    def _ask_offsets(
        self,
        request: str,
        group: str,
        partitions: list[TopicPartition] | None,
        options: Options,
    ) -> dict[str, Future[ConsumerGroupTopicPartitions]]:
        futures = new_futures([group])
        self._ask_each(request, (group, partitions), options, futures, _offsets)
        return futures


def _numbers(given: set[Any] | None, kind: type[Enum], name: str) -> list[int] | None:
    """Return the numbers of the enumeration's members; None if the argument is None."""
    return None if given is None else sorted(item.value for item in set_of(given, kind, name))


def _group_of(
    given: object, name: str, all_partitions: bool
) -> tuple[str, list[TopicPartition] | None]:
    """Return the group of a request and its partitions. A request concerns one group."""
    items = items_of(given, ConsumerGroupTopicPartitions, name)
    if len(items) != 1:
        raise ValueError(
            f"{name} must be about one group, not {len(items)}: Kafka accepts one per request"
        )
    group = checked(items[0].group_id, str, "group_id")
    if not group:
        raise ValueError("group_id must not be empty")
    if all_partitions and items[0].topic_partitions is None:
        return group, None
    partitions = _partitions_of(items[0].topic_partitions)
    for partition in partitions:
        if not partition.topic or partition.partition < 0:
            raise ValueError(f"topic_partitions: {partition!r} must have a topic and a partition")
    return group, partitions


def _partitions_of(given: object) -> list[TopicPartition]:
    """Return the partitions of a request. None raises ValueError, as for the original client."""
    if given is None:
        raise ValueError("'topic_partitions' cannot be null: give at least one TopicPartition")
    if isinstance(given, (list, tuple)) and None in given:
        raise ValueError("Element of 'topic_partitions' cannot be None")
    return items_of(given, TopicPartition, "topic_partitions")


def _listings(result: tuple[list[tuple[Any, ...]], list[KafkaError]]) -> ListConsumerGroupsResult:
    groups, errors = result
    return ListConsumerGroupsResult(
        [
            ConsumerGroupListing(
                group_id, is_simple, ConsumerGroupState(state), ConsumerGroupType(kind)
            )
            for group_id, is_simple, state, kind in groups
        ],
        errors,
    )


def _descriptions(
    result: list[tuple[Any, ...]],
) -> Iterator[tuple[str, ConsumerGroupDescription | KafkaError]]:
    for group_id, error, is_simple, members, assignor, state, node, operations, kind in result:
        yield (
            group_id,
            error
            or ConsumerGroupDescription(
                group_id,
                is_simple,
                [_member(*member) for member in members],
                assignor,
                ConsumerGroupState(state),
                None if node is None else node_from(node),
                operations_from(operations),
                ConsumerGroupType(kind),
            ),
        )


def _member(
    member_id: str,
    client_id: str,
    host: str,
    assignment: list[TopicPartition] | None,
    group_instance_id: str | None,
    target_assignment: list[TopicPartition] | None,
) -> MemberDescription:
    return MemberDescription(
        member_id,
        client_id,
        host,
        MemberAssignment(assignment or []),
        group_instance_id,
        None if target_assignment is None else MemberAssignment(target_assignment),
    )


def _offsets(
    result: list[tuple[str, KafkaError | None, list[TopicPartition]]],
) -> Iterator[tuple[str, ConsumerGroupTopicPartitions | KafkaError]]:
    for group, error, partitions in result:
        yield group, error or ConsumerGroupTopicPartitions(group, partitions)
