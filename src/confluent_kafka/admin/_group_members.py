"""Removing members from consumer groups."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import overload

from confluent_kafka import protocol
from confluent_kafka._values.groups import ConsumerGroupState
from confluent_kafka.admin._groups import ConsumerGroupDescription, GroupRequests
from confluent_kafka.admin._protocol import (
    Deadline,
    ProtocolRequests,
    error_of,
    group_coordinator,
    raise_error_of,
)
from confluent_kafka.admin._requests import checked, items_of, name_of, new_futures
from confluent_kafka.cimpl import KafkaError, KafkaException

_REASON = "member was removed by an admin"
_REASON_LENGTH = 255  # characters; every client truncates a reason to this length


@dataclass(frozen=True)
class MemberToRemove:
    """A static member of a consumer group. Hashable.

    Attributes:
        group_instance_id: its ``group.instance.id``.

    Kafka: org.apache.kafka.clients.admin.MemberToRemove (KIP-345).
    """

    group_instance_id: str


class GroupMemberRequests(GroupRequests, ProtocolRequests):
    """Requests about members of consumer groups."""

    __slots__ = ()

    @overload
    def remove_members_from_consumer_group(
        self,
        group_id: str,
        members: None = None,
        *,
        reason: str | None = None,
        request_timeout: float | None = None,
    ) -> Future[None]: ...

    @overload
    def remove_members_from_consumer_group(
        self,
        group_id: str,
        members: list[MemberToRemove],
        *,
        reason: str | None = None,
        request_timeout: float | None = None,
    ) -> dict[MemberToRemove, Future[None]]: ...

    def remove_members_from_consumer_group(
        self,
        group_id: str,
        members: list[MemberToRemove] | None = None,
        *,
        reason: str | None = None,
        request_timeout: float | None = None,
    ) -> Future[None] | dict[MemberToRemove, Future[None]]:
        """Remove members from a consumer group. The group then reassigns their partitions.

        A member that is still alive joins the group again.

        Args:
            group_id: the name of the group.
            members: a list of MemberToRemove; None means all current members of the group.
            reason: the reason for the broker's log; it is cut off after 255 characters.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            With `members`, a future for each member; otherwise one future. The result is None. The
            futures fail with UNKNOWN_MEMBER_ID, GROUP_ID_NOT_FOUND (`members` is None and the group
            does not exist), GROUP_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: LeaveGroup (KIP-345, KIP-571, KIP-800).
        """
        name_of(group_id, "group_id")
        why = _reason(reason)
        if members is None:
            return self._remove_all(group_id, why, request_timeout)
        chosen = _checked_members(members)
        futures = new_futures(chosen)
        request = _request(group_id, [each.group_instance_id for each in futures], [], why)
        at = group_coordinator(group_id)
        self._exchange_each(request, at, request_timeout, futures, _removed)
        return futures

    def _remove_all(self, group_id: str, why: str, request_timeout: float | None) -> Future[None]:
        deadline = Deadline(request_timeout)
        asked = self.describe_consumer_groups([group_id], request_timeout=request_timeout)
        return self._then(
            asked[group_id],
            lambda client, found: client._exchange(
                _request_for_all(found, why),
                group_coordinator(group_id),
                deadline.left(),
                _all_removed,
            ),
        )


def _reason(given: str | None) -> str:
    reason = f"{_REASON}: {checked(given, str, 'reason')}" if given is not None else _REASON
    return reason[:_REASON_LENGTH]


def _checked_members(given: list[MemberToRemove]) -> list[MemberToRemove]:
    members = items_of(given, MemberToRemove, "members")
    for index, member in enumerate(members):
        name_of(member.group_instance_id, f"members[{index}].group_instance_id")
    return members


def _request(
    group_id: str, instances: list[str], members: list[str], reason: str
) -> protocol.LeaveGroupRequest:
    identity = protocol.LeaveGroupRequest.MemberIdentity
    static = [identity(group_instance_id=each, reason=reason) for each in instances]
    dynamic = [identity(member_id=each, reason=reason) for each in members]
    return protocol.LeaveGroupRequest(group_id=group_id, members=static + dynamic)


def _request_for_all(found: ConsumerGroupDescription, why: str) -> protocol.LeaveGroupRequest:
    if found.state is ConsumerGroupState.DEAD:
        reason = f"there is no consumer group {found.group_id!r}"
        raise KafkaException(KafkaError(KafkaError.GROUP_ID_NOT_FOUND, reason))
    return _request(
        found.group_id,
        [each.group_instance_id for each in found.members if each.group_instance_id],
        [each.member_id for each in found.members if not each.group_instance_id],
        why,
    )


def _removed(
    response: protocol.LeaveGroupResponse,
) -> Iterator[tuple[MemberToRemove, KafkaError | None]]:
    raise_error_of(response)
    for member in response.members:
        yield MemberToRemove(member.group_instance_id or ""), error_of(member)


def _all_removed(response: protocol.LeaveGroupResponse) -> None:
    raise_error_of(response)
    for member in response.members:
        raise_error_of(member)
