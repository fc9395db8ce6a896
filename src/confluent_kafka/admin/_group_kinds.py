"""The code that all kinds of groups share: listing, states, and coordinators."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from confluent_kafka import protocol
from confluent_kafka._values.cluster import Node
from confluent_kafka.admin._brokers import BrokerRequests
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.admin._protocol import group_coordinator, only, raise_error_of
from confluent_kafka.admin._requests import check_partition, checked, names_of, set_of
from confluent_kafka.cimpl import KafkaError, TopicPartition
from confluent_kafka.protocol import Request

T = TypeVar("T")

_NOT_ASKED_FOR = -(2**31)  # the authorized operations in an answer if they were not requested
_OPERATIONS = frozenset(each.value for each in AclOperation)


class GroupState(Enum):
    """What a group of any kind is doing. Kafka: org.apache.kafka.common.GroupState."""

    UNKNOWN = "Unknown"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"
    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    NOT_READY = "NotReady"


class GroupType(Enum):
    """The kind of a group. Kafka: org.apache.kafka.common.GroupType."""

    UNKNOWN = "Unknown"
    CONSUMER = "Consumer"
    CLASSIC = "Classic"
    SHARE = "Share"
    STREAMS = "Streams"


@dataclass(frozen=True)
class GroupListing:
    """A group in a list.

    Attributes:
        group_id: its name.
        type: GroupType.
        protocol: the protocol type of its members: ``consumer``, ``share``, ``streams`` ...
        state: GroupState.

    Kafka: org.apache.kafka.clients.admin.GroupListing (KIP-1043).
    """

    group_id: str
    type: GroupType
    protocol: str
    state: GroupState


@dataclass(frozen=True)
class ListGroupsResult:
    """The groups that the brokers listed.

    Attributes:
        valid: a list of GroupListing.
        errors: a KafkaError for each broker that did not answer; the groups that these brokers
            coordinate are missing.

    Kafka: org.apache.kafka.clients.admin.ListGroupsResult (KIP-1043).
    """

    valid: list[GroupListing]
    errors: list[KafkaError]


class GroupKindRequests(BrokerRequests):
    """Lists groups of all kinds, and lists and describes groups of one kind."""

    __slots__ = ()

    def list_all_groups(
        self,
        *,
        types: set[GroupType] | None = None,
        states: set[GroupState] | None = None,
        request_timeout: float | None = None,
    ) -> Future[ListGroupsResult]:
        """List the groups of all brokers: consumer, classic, share and streams groups.

        Args:
            types: only groups of one of these types, a set of GroupType (since Kafka 3.8).
            states: only groups in one of these states, a set of GroupState.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a ListGroupsResult, including the errors of brokers that did not
            answer or do not support a filter. Groups that this client may not describe are
            missing.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ListGroups (Admin.listGroups(), KIP-1043).
        """
        request = protocol.ListGroupsRequest(
            states_filter=_values(states, GroupState, "states"),
            types_filter=_values(types, GroupType, "types"),
        )
        return self._ask_every_broker(request, request_timeout, _listings, ListGroupsResult)

    def _list_groups_of(
        self, kind: GroupType, states: set[GroupState] | None, request_timeout: float | None
    ) -> Future[ListGroupsResult]:
        """List the groups of this kind. `states` limits the list to groups in these states."""
        return self.list_all_groups(types={kind}, states=states, request_timeout=request_timeout)

    def _describe_groups(
        self,
        group_ids: list[str],
        include_authorized_operations: bool,
        request_timeout: float | None,
        request: Callable[[list[str], bool], Request],
        describe: Callable[[Any, Node], T],
    ) -> dict[str, Future[T]]:
        """Ask the coordinator of each group, and describe the group from the answer."""
        with_operations = checked(
            include_authorized_operations, bool, "include_authorized_operations"
        )
        return {
            each: self._ask_coordinator(
                request([each], with_operations),
                group_coordinator(each),
                request_timeout,
                _the_group,
                describe,
            )
            for each in names_of(group_ids, "group_ids")
        }


def checked_offsets(given: object) -> dict[TopicPartition, int]:
    """Check and return offsets by partition. There must be at least one."""
    offsets = checked(given, dict, "offsets")
    if not offsets:
        raise ValueError("offsets must not be empty")
    for place, offset in offsets.items():
        check_partition(checked(place, TopicPartition, "a key of offsets"), "offsets")
        if isinstance(offset, bool) or not isinstance(offset, int):
            kind = type(offset).__name__
            raise TypeError(f"the value for {place!r} in offsets must be int, not {kind}")
        if not 0 <= offset < 2**63:
            raise ValueError(f"the value for {place!r} must be 0 or more, not {offset}")
    return offsets


def state_from(name: str) -> GroupState:
    """Return the state for a broker's name of it; UNKNOWN if this client does not know the name."""
    return _STATES.get(name.lower(), GroupState.UNKNOWN)


def operations_in(bits: int) -> list[AclOperation] | None:
    """Return the authorized operations of a bit field; None if they were not requested."""
    if bits == _NOT_ASKED_FOR:
        return None
    return [AclOperation(each) for each in range(32) if bits >> each & 1 and each in _OPERATIONS]


_STATES = {each.value.lower(): each for each in GroupState}
_TYPES = {each.value.lower(): each for each in GroupType}


def _values(given: set[Any] | None, kind: type[Enum], name: str) -> list[str]:
    return [] if given is None else [each.value for each in set_of(given, kind, name)]


def _listings(response: protocol.ListGroupsResponse) -> list[GroupListing]:
    raise_error_of(response)
    return [
        GroupListing(
            each.group_id,
            _TYPES.get(each.group_type.lower(), GroupType.UNKNOWN),
            each.protocol_type,
            state_from(each.group_state),
        )
        for each in response.groups
    ]


def _the_group(response: Any) -> Any:
    group = only(response.groups)
    raise_error_of(group)
    return group
