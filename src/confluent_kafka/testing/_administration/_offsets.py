"""Committed offsets: read all offsets of a group, and delete offsets.

The mock brokers themselves commit offsets and return the offsets of named partitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers, Refused, code_of
from confluent_kafka.testing._administration._state import State

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext


# The last version of OffsetFetch that asks for one group only.
_LAST_OF_ONE_GROUP = 7


class Offsets:
    """Answers requests about committed offsets.

    Args:
        brokers: the brokers, which have the offsets.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.OffsetFetchRequest: self._list,
            protocol.OffsetDeleteRequest: self._delete,
        }

    # ---- kept between runs ----

    kept_as = "committed_offsets"

    def saved(self) -> list[dict[str, Any]]:
        """Return the committed offsets of all groups."""
        return [
            {
                "group": group,
                "topic": topic.name,
                "partition": number,
                "offset": offset,
                "metadata": metadata,
            }
            for topic in self._brokers.state().topics.values()
            for number, partition in enumerate(topic.partitions)
            for group, (offset, metadata) in partition.committed.items()
        ]

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """Commit the offsets of an earlier run."""
        for each in saved:
            self._brokers.cluster._commit_offset(**each)

    # ---- requests ----

    def _list(self, request: Any, context: RequestContext) -> Any:
        if request.topics is not None or context.version > _LAST_OF_ONE_GROUP:
            return None  # the mock brokers answer this themselves
        response = protocol.OffsetFetchResponse
        topics = []
        for topic in self._brokers.state().topics.values():
            partitions = [
                response.OffsetFetchResponsePartition(
                    partition_index=number,
                    committed_offset=partition.committed[request.group_id][0],
                    metadata=partition.committed[request.group_id][1],
                )
                for number, partition in enumerate(topic.partitions)
                if request.group_id in partition.committed
            ]
            if partitions:
                topics.append(
                    response.OffsetFetchResponseTopic(name=topic.name, partitions=partitions)
                )
        return response(topics=topics)

    def _delete(self, request: Any, context: RequestContext) -> Any:
        response = protocol.OffsetDeleteResponse
        state = self._brokers.state()
        group = request.group_id
        code = code_of(_check_group, state, group)
        if code:
            return response(error_code=code)
        read = _topics_of_members(state, group)

        def step(topic: str, partition: int) -> None:
            if topic in read:
                raise Refused(KafkaError.GROUP_SUBSCRIBED_TO_TOPIC, "the group reads the topic")
            self._brokers.cluster._delete_offset(group, topic, partition)

        topics = [
            response.OffsetDeleteResponseTopic(
                name=topic.name,
                partitions=[
                    response.OffsetDeleteResponsePartition(
                        partition_index=each.partition_index,
                        error_code=code_of(step, topic.name, each.partition_index),
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
        return response(topics=topics)


def _check_group(state: State, group: str) -> None:
    known = {*state.classic_groups, *state.consumer_groups, *state.committed_groups}
    if group not in known:
        raise Refused(KafkaError.GROUP_ID_NOT_FOUND, "there is no such group")


def _topics_of_members(state: State, group: str) -> set[str]:
    """Return the topics that members of the group have subscribed to."""
    newer = state.consumer_groups.get(group)
    topics = {topic for member in (newer.members if newer else ()) for topic in member.topics}
    classic = state.classic_groups.get(group)
    for member in classic.members if classic else ():
        try:
            # A version, followed by the fields of ConsumerProtocolSubscription.
            version = int.from_bytes(member.metadata[:2], "big")
            kind = protocol.ConsumerProtocolSubscription
            version = min(version, kind.valid_versions[-1])
            topics.update(kind.decode(member.metadata[2:], version).topics)
        except protocol.MalformedMessageError:
            continue  # the group's members are not consumers
    return topics
