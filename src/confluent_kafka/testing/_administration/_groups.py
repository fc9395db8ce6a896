"""Groups of all kinds: list, describe and delete them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers, code_of
from confluent_kafka.testing._administration._state import Assignment, Group, State, by_topic
from confluent_kafka.testing._security._authorizer import GROUP, every_operation

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# The first version of DescribeGroups with an error code for groups that do not exist.
_SAYS_NOT_FOUND = 6
# The host of all clients, in Kafka's form.
_HOST = "/127.0.0.1"


class Groups:
    """Answers requests about groups.

    Args:
        brokers: the brokers, which have the groups.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.ListGroupsRequest: self._list,
            protocol.DescribeGroupsRequest: self._describe_classic,
            protocol.ConsumerGroupDescribeRequest: self._describe_consumer,
            protocol.ShareGroupDescribeRequest: self._describe_share,
            protocol.DeleteGroupsRequest: self._delete,
        }

    def _list(self, request: Any, context: RequestContext) -> Any:
        state = self._brokers.state()
        # Clients ask every broker. Coordinators are not distinguished here: one broker answers for
        # all of them.
        spokesman = next((broker.id for broker in state.brokers if broker.up), None)
        states = {each.lower() for each in request.states_filter}
        types = {each.lower() for each in request.types_filter}
        groups = [
            group
            for group in _listed(state)
            if context.broker_id == spokesman
            and (not states or group.group_state.lower() in states)
            and (not types or group.group_type.lower() in types)
        ]
        return protocol.ListGroupsResponse(groups=groups)

    def _describe_classic(self, request: Any, context: RequestContext) -> Any:
        state = self._brokers.state()
        described = [_classic(state, group, context.version) for group in request.groups]
        return protocol.DescribeGroupsResponse(groups=_with_operations(request, described))

    def _describe_consumer(self, request: Any, context: RequestContext) -> Any:
        state = self._brokers.state()
        response = protocol.ConsumerGroupDescribeResponse
        groups = [
            _newer(response, state, state.consumer_groups, each) for each in request.group_ids
        ]
        return response(groups=_with_operations(request, groups))

    def _describe_share(self, request: Any, context: RequestContext) -> Any:
        state = self._brokers.state()
        response = protocol.ShareGroupDescribeResponse
        groups = [_newer(response, state, state.share_groups, each) for each in request.group_ids]
        return response(groups=_with_operations(request, groups))

    def _delete(self, request: Any, context: RequestContext) -> Any:
        result = protocol.DeleteGroupsResponse.DeletableGroupResult
        delete = self._brokers.cluster._delete_group
        return protocol.DeleteGroupsResponse(
            results=[
                result(group_id=group, error_code=code_of(delete, group))
                for group in request.groups_names
            ]
        )


def _with_operations(request: Any, groups: list[Any]) -> list[Any]:
    """Add the operations that a client may do without ACLs, if the request asks for them."""
    if not request.include_authorized_operations:
        return groups
    every = every_operation(GROUP)
    return [
        group if group.error_code else group.replace(authorized_operations=every)
        for group in groups
    ]


def _listed(state: State) -> Iterator[Any]:
    listed = protocol.ListGroupsResponse.ListedGroup
    for classic in state.classic_groups.values():
        yield listed(
            group_id=classic.id,
            protocol_type=classic.protocol_type,
            group_state=classic.state,
            group_type="classic",
        )
    for kind, protocol_type, groups in (
        ("consumer", "consumer", state.consumer_groups),
        ("share", "share", state.share_groups),
    ):
        for group in groups.values():
            yield listed(
                group_id=group.id,
                protocol_type=protocol_type,
                group_state=group.state,
                group_type=kind,
            )
    known = {*state.classic_groups, *state.consumer_groups, *state.share_groups}
    for name in sorted(state.committed_groups - known):
        yield listed(group_id=name, group_state="Empty", group_type="classic")


def _classic(state: State, name: str, version: int) -> Any:
    response = protocol.DescribeGroupsResponse
    group = state.classic_groups.get(name)
    if group is not None:
        members = [
            response.DescribedGroupMember(
                member_id=member.id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=_HOST,
                member_metadata=member.metadata,
                member_assignment=member.assignment,
            )
            for member in group.members
        ]
        return response.DescribedGroup(
            group_id=name,
            group_state=group.state,
            protocol_type=group.protocol_type,
            protocol_data=group.protocol if members else "",
            members=members,
        )
    if name in state.committed_groups and name not in state.consumer_groups:
        return response.DescribedGroup(group_id=name, group_state="Empty")
    missing = response.DescribedGroup(group_id=name, group_state="Dead")
    if version < _SAYS_NOT_FOUND:
        return missing
    return missing.replace(
        error_code=KafkaError.GROUP_ID_NOT_FOUND,
        error_message=f"there is no classic group {name!r}",
    )


def _newer(response: Any, state: State, groups: Mapping[str, Group], name: str) -> Any:
    """Describe a KIP-848 group or a share group; the two answers are nearly the same."""
    group = groups.get(name)
    if group is None:
        return response.DescribedGroup(
            error_code=KafkaError.GROUP_ID_NOT_FOUND,
            error_message=f"there is no such group {name!r}",
            group_id=name,
        )
    members = []
    for each in group.members:
        fields: dict[str, Any] = {}
        if response is protocol.ConsumerGroupDescribeResponse:
            target = _assignment(response, state, each.target)
            fields = {
                "instance_id": each.instance_id,
                "target_assignment": target,
                "member_type": 1,
            }
        members.append(
            response.Member(
                member_id=each.id,
                client_id=each.client_id,
                client_host=_HOST,
                member_epoch=each.epoch,
                subscribed_topic_names=each.topics,
                assignment=_assignment(response, state, each.assignment),
                **fields,
            )
        )
    return response.DescribedGroup(
        group_id=name,
        group_state=group.state,
        group_epoch=group.epoch,
        assignment_epoch=group.epoch,
        assignor_name="simple" if response is protocol.ShareGroupDescribeResponse else "uniform",
        members=members,
    )


def _assignment(response: Any, state: State, assignment: Assignment) -> Any:
    topics = []
    for topic_id, partitions in by_topic(assignment):
        topic = state.topic_of(topic_id)
        if topic is not None:
            topics.append(
                response.TopicPartitions(
                    topic_id=topic_id, topic_name=topic.name, partitions=sorted(partitions)
                )
            )
    return response.Assignment(topic_partitions=topics)
