"""Reassignments: move partitions to other brokers, and list the moves in progress.

A reassignment is done at once, unless the rate of replication is limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome
from confluent_kafka.testing._administration._configs import Configs
from confluent_kafka.testing._administration._copying import Copy
from confluent_kafka.testing._administration._state import State, Topic

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

RATE = "follower.replication.throttled.rate"
REPLICAS = "follower.replication.throttled.replicas"


@dataclass(frozen=True, slots=True)
class _Reassignment:
    """A reassignment in progress, with the copies to the brokers that are added."""

    before: list[int]
    target: list[int]
    copies: dict[int, Copy]

    @property
    def removing(self) -> list[int]:
        return [broker for broker in self.before if broker not in self.target]


class Reassignments:
    """Answers requests about reassignments.

    Args:
        brokers: the brokers, which have the partitions.
        configs: has the rates that limit replication.
    """

    def __init__(self, brokers: Brokers, configs: Configs) -> None:
        self._brokers = brokers
        self._configs = configs
        self._current: dict[tuple[Uuid, int], _Reassignment] = {}

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.AlterPartitionReassignmentsRequest: self._alter,
            protocol.ListPartitionReassignmentsRequest: self._list,
        }

    # ---- changed ----

    def _alter(self, request: Any, context: RequestContext) -> Any:
        self._advance()
        response = protocol.AlterPartitionReassignmentsResponse
        same_number = not request.allow_replication_factor_change
        topics = [
            response.ReassignableTopicResponse(
                name=topic.name,
                partitions=[
                    response.ReassignablePartitionResponse(
                        partition_index=each.partition_index,
                        **outcome(self._alter_one, topic.name, each, same_number),
                    )
                    for each in topic.partitions
                ],
            )
            for topic in request.topics
        ]
        self._advance()
        return response(
            allow_replication_factor_change=request.allow_replication_factor_change,
            responses=topics,
        )

    def _alter_one(self, name: str, wanted: Any, same_number: bool) -> None:
        state = self._brokers.state()
        topic, number = state.topics.get(name), wanted.partition_index
        if topic is None or not 0 <= number < len(topic.partitions):
            raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, "there is no such partition")
        before = self._current.get((topic.id, number))
        if wanted.replicas is None:
            if before is None:
                raise Refused(KafkaError.NO_REASSIGNMENT_IN_PROGRESS, "nothing is in progress")
            del self._current[topic.id, number]
            self._place(name, number, before.before)
            return
        target, partition = list(wanted.replicas), topic.partitions[number]
        replicas = partition.replicas if before is None else before.before
        _check(state, target, replicas, same_number)
        copies = {broker: Copy(partition.size) for broker in target if broker not in replicas}
        new = _Reassignment(replicas, target, copies)
        self._current[topic.id, number] = new
        self._place(name, number, target + new.removing)

    def _place(self, topic: str, partition: int, replicas: list[int]) -> None:
        self._brokers.cluster._set_replicas(topic, partition, replicas)

    def _advance(self) -> None:
        """End the reassignments whose copies are complete."""
        state = self._brokers.state()
        for (topic_id, number), each in list(self._current.items()):
            topic = state.topic_of(topic_id)
            if topic is None:
                del self._current[topic_id, number]
                continue
            rates = {broker: self._rate(topic, number, broker) for broker in each.copies}
            left = [copy.left(rates[broker]) for broker, copy in each.copies.items()]
            if not any(left):
                del self._current[topic_id, number]
                self._place(topic.name, number, each.target)

    def _rate(self, topic: Topic, partition: int, broker: int) -> int | None:
        limited = self._configs.topic_value(topic, REPLICAS).split(",")
        if not {"*", f"{partition}:{broker}"} & set(limited):
            return None
        return self._configs.broker_number(broker, RATE)

    # ---- listed ----

    def _list(self, request: Any, context: RequestContext) -> Any:
        self._advance()
        response = protocol.ListPartitionReassignmentsResponse
        wanted = None
        if request.topics is not None:
            wanted = {(each.name, no) for each in request.topics for no in each.partition_indexes}
        state, topics = self._brokers.state(), dict[str, list[Any]]()
        for (topic_id, number), each in self._current.items():
            topic = state.topic_of(topic_id)
            if topic is None or (wanted is not None and (topic.name, number) not in wanted):
                continue
            ongoing = response.OngoingPartitionReassignment(
                partition_index=number,
                replicas=list(topic.partitions[number].replicas),
                adding_replicas=list(each.copies),
                removing_replicas=each.removing,
            )
            topics.setdefault(topic.name, []).append(ongoing)
        return response(
            topics=[
                response.OngoingTopicReassignment(name=name, partitions=partitions)
                for name, partitions in topics.items()
            ]
        )


def _check(state: State, target: list[int], before: list[int], same_number: bool) -> None:
    """Refuse brokers that cannot be the replicas of a partition."""
    invalid = KafkaError.INVALID_REPLICA_ASSIGNMENT
    if not target:
        raise Refused(invalid, "a partition needs a replica")
    if len(set(target)) < len(target):
        raise Refused(invalid, f"a broker is named more than once in {target}")
    known = {broker.id for broker in state.brokers}
    for broker in target:
        if broker not in known:
            raise Refused(invalid, f"there is no broker {broker}: the brokers are {sorted(known)}")
    if same_number and len(target) != len(before):
        raise Refused(
            KafkaError.INVALID_REPLICATION_FACTOR,
            f"the number of replicas would change from {len(before)} to {len(target)}",
        )
