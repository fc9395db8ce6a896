"""Elections of leaders that an administrator asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome
from confluent_kafka.testing._administration._state import Partition, State

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_PREFERRED = 0


class Elections:
    """Answers requests for elections.

    Args:
        brokers: the brokers, which have the partitions.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {protocol.ElectLeadersRequest: self._elect}

    def _elect(self, request: Any, context: RequestContext) -> Any:
        response = protocol.ElectLeadersResponse
        if request.topic_partitions is None:
            topics = self._brokers.state().topics
            wanted = {name: range(len(each.partitions)) for name, each in topics.items()}
        else:
            wanted = {each.topic: each.partitions for each in request.topic_partitions}
        results = []
        for name, numbers in wanted.items():
            ended = [
                response.PartitionResult(
                    partition_id=number,
                    **outcome(self._elect_one, name, number, request.election_type),
                )
                for number in numbers
            ]
            if request.topic_partitions is None:
                # If a request is about all partitions, Kafka leaves out those without an election.
                ended = [e for e in ended if e.error_code != KafkaError.ELECTION_NOT_NEEDED]
            if ended:
                result = response.ReplicaElectionResult(topic=name, partition_result=ended)
                results.append(result)
        return response(replica_election_results=results)

    def _elect_one(self, name: str, number: int, election: int) -> None:
        state = self._brokers.state()
        topic = state.topics.get(name)
        if topic is None or not 0 <= number < len(topic.partitions):
            raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, "there is no such partition")
        elect = _preferred if election == _PREFERRED else _first
        leader = elect(topic.partitions[number], _up(state))
        self._brokers.cluster.set_leader(name, number, leader)


def _up(state: State) -> set[int]:
    return {broker.id for broker in state.brokers if broker.up}


def _preferred(partition: Partition, up: set[int]) -> int:
    """Return the first replica. Refuse the request if it leads, or is down."""
    first = partition.replicas[0]
    if partition.leader == first:
        raise Refused(KafkaError.ELECTION_NOT_NEEDED, "the preferred replica is the leader")
    if first not in up:
        raise Refused(KafkaError.PREFERRED_LEADER_NOT_AVAILABLE, f"broker {first} is down")
    return first


def _first(partition: Partition, up: set[int]) -> int:
    """Return the first replica that is up. Refuse the request if there is a leader already."""
    if partition.leader in up:
        raise Refused(KafkaError.ELECTION_NOT_NEEDED, f"broker {partition.leader} is the leader")
    for broker in partition.replicas:
        if broker in up:
            return broker
    raise Refused(KafkaError.ELIGIBLE_LEADERS_NOT_AVAILABLE, "every replica is down")
