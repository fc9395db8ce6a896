"""Offsets of share groups: list, set and delete where a group continues in each partition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome
from confluent_kafka.testing._administration._state import ShareGroup, State
from confluent_kafka.testing._administration._topics import existing

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_NO_ID = Uuid(0, 0)
_FORGET = -1


class ShareOffsets:
    """Answers requests about offsets of share groups.

    Args:
        brokers: the brokers, which have the groups.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeShareGroupOffsetsRequest: self._describe,
            protocol.AlterShareGroupOffsetsRequest: self._alter,
            protocol.DeleteShareGroupOffsetsRequest: self._delete,
        }

    # ---- kept between runs ----

    kept_as = "share_group_offsets"

    def saved(self) -> list[dict[str, Any]]:
        """Return the offset at which each share group continues in each partition."""
        state = self._brokers.state()
        names = {topic.id: topic.name for topic in state.topics.values()}
        return [
            {
                "group": group.id,
                "topic": names[each.topic_id],
                "partition": each.number,
                "offset": each.start,
            }
            for group in state.share_groups.values()
            for each in group.partitions
            if each.topic_id in names
        ]

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """Let the share groups continue where they were."""
        for each in saved:
            self._brokers.cluster._set_share_offset(**each)

    # ---- listed ----

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeShareGroupOffsetsResponse
        state = self._brokers.state()
        groups = [
            response.DescribeShareGroupOffsetsResponseGroup(
                group_id=each.group_id, topics=list(_listed(state, each))
            )
            for each in request.groups
        ]
        return response(groups=groups)

    # ---- changed ----

    def _alter(self, request: Any, context: RequestContext) -> Any:
        response = protocol.AlterShareGroupOffsetsResponse
        state, group = self._brokers.state(), request.group_id
        ended = outcome(_check_idle, state, group, True)
        if ended["error_code"]:
            return response(**ended)

        def step(topic: str, asked: Any) -> None:
            partitions = existing(state, topic).partitions
            if not 0 <= asked.partition_index < len(partitions):
                raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, "there is no such partition")
            self._brokers.cluster._set_share_offset(
                group, topic, asked.partition_index, max(0, asked.start_offset)
            )

        topics = [
            response.AlterShareGroupOffsetsResponseTopic(
                topic_name=topic.topic_name,
                topic_id=_id_of(state, topic.topic_name),
                partitions=[
                    response.AlterShareGroupOffsetsResponsePartition(
                        partition_index=each.partition_index,
                        **outcome(step, topic.topic_name, each),
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
        return response(responses=topics)

    def _delete(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DeleteShareGroupOffsetsResponse
        state, group = self._brokers.state(), request.group_id
        ended = outcome(_check_idle, state, group, False)
        if ended["error_code"]:
            return response(**ended)

        def step(name: str) -> None:
            topic = existing(state, name)
            for each in state.share_groups[group].partitions:
                if each.topic_id == topic.id:
                    self._brokers.cluster._set_share_offset(group, name, each.number, _FORGET)

        topics = [
            response.DeleteShareGroupOffsetsResponseTopic(
                topic_name=topic.topic_name,
                topic_id=_id_of(state, topic.topic_name),
                **outcome(step, topic.topic_name),
            )
            for topic in request.topics
        ]
        return response(responses=topics)


def _check_idle(state: State, name: str, may_be_new: bool) -> None:
    """Refuse a change of a group that has members, or that is not a share group."""
    group = state.share_groups.get(name)
    if group is None:
        others = {*state.classic_groups, *state.consumer_groups, *state.committed_groups}
        if not may_be_new or name in others:
            raise Refused(KafkaError.GROUP_ID_NOT_FOUND, f"there is no share group {name!r}")
    elif group.members:
        raise Refused(KafkaError.NON_EMPTY_GROUP, f"the group {name!r} has members")


def _id_of(state: State, name: str) -> Uuid:
    return state.topics[name].id if name in state.topics else _NO_ID


def _listed(state: State, asked: Any) -> Iterator[Any]:
    """Yield the requested topics. A partition that the group never read has the offset -1."""
    response = protocol.DescribeShareGroupOffsetsResponse
    known = _known(state, state.share_groups.get(asked.group_id))
    if asked.topics is None:
        wanted = {name: list(partitions) for name, partitions in known.items()}
    else:
        wanted = {each.topic_name: list(each.partitions) for each in asked.topics}
    for name, numbers in wanted.items():
        partitions = [
            known.get(name, {}).get(number)
            or response.DescribeShareGroupOffsetsResponsePartition(
                partition_index=number, start_offset=-1, leader_epoch=0, lag=-1
            )
            for number in numbers
        ]
        yield response.DescribeShareGroupOffsetsResponseTopic(
            topic_name=name, topic_id=_id_of(state, name), partitions=partitions
        )


def _known(state: State, group: ShareGroup | None) -> dict[str, dict[int, Any]]:
    """Return the described partitions of a group by topic and number."""
    described = protocol.DescribeShareGroupOffsetsResponse
    known: dict[str, dict[int, Any]] = {}
    for each in group.partitions if group else ():
        topic = state.topic_of(each.topic_id)
        if topic is not None:
            partition = topic.partitions[each.number]
            known.setdefault(topic.name, {})[each.number] = (
                described.DescribeShareGroupOffsetsResponsePartition(
                    partition_index=each.number,
                    start_offset=each.start,
                    leader_epoch=partition.leader_epoch,
                    lag=max(0, partition.end - each.start - each.done),
                )
            )
    return known
