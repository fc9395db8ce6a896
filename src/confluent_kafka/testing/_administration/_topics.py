"""Topics: create and delete them, and add partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka._values.topic_names import RULE, is_legal
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome
from confluent_kafka.testing._administration._configs import Configs
from confluent_kafka.testing._administration._state import State

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# How many partitions and replicas a topic has if it is created because a client asked for it.
DEFAULT_PARTITIONS = 4
DEFAULT_REPLICAS = 3
_MAX_PARTITIONS = 10_000
_NO_ID = Uuid(0, 0)


class Topics:
    """Answers requests about topics.

    Args:
        brokers: the brokers, which have the topics.
        configs: stores the configurations of topics.
    """

    def __init__(self, brokers: Brokers, configs: Configs) -> None:
        self._brokers = brokers
        self._configs = configs

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.CreateTopicsRequest: self._create,
            protocol.DeleteTopicsRequest: self._delete,
            protocol.CreatePartitionsRequest: self._add_partitions,
        }

    # ---- created ----

    def _create(self, request: Any, context: RequestContext) -> Any:
        times = Counter(topic.name for topic in request.topics)
        results = [
            self._created(topic, times[topic.name] > 1, request.validate_only)
            for topic in request.topics
        ]
        return protocol.CreateTopicsResponse(topics=results)

    def _created(self, topic: Any, repeated: bool, validate_only: bool) -> Any:
        result = protocol.CreateTopicsResponse.CreatableTopicResult(name=topic.name)
        partitions, replicas = self._extent(topic)
        ended = outcome(self._create_one, topic, partitions, replicas, repeated, validate_only)
        if ended["error_code"]:
            return result.replace(**ended, num_partitions=-1, replication_factor=-1)
        created = self._brokers.state().topics.get(topic.name)
        return result.replace(
            topic_id=_NO_ID if created is None else created.id,
            num_partitions=partitions,
            replication_factor=replicas,
            configs=self._configs.of_new_topic(dict(_pairs(topic.configs))),
        )

    def _extent(self, topic: Any) -> tuple[int, int]:
        """Return the requested numbers of partitions and replicas."""
        if topic.assignments:
            return len(topic.assignments), len(topic.assignments[0].broker_ids)
        brokers = self._brokers.cluster.brokers
        replicas = min(DEFAULT_REPLICAS, brokers)
        return (
            DEFAULT_PARTITIONS if topic.num_partitions == -1 else topic.num_partitions,
            replicas if topic.replication_factor == -1 else topic.replication_factor,
        )

    def _create_one(
        self, topic: Any, partitions: int, replicas: int, repeated: bool, validate_only: bool
    ) -> None:
        if repeated:
            raise Refused(KafkaError.INVALID_REQUEST, f"{topic.name!r} is named more than once")
        _check_name(topic.name)
        if topic.name in self._brokers.state().topics:
            raise Refused(KafkaError.TOPIC_ALREADY_EXISTS, f"Topic '{topic.name}' already exists.")
        self._check_extent(topic, partitions, replicas)
        configs = dict(_pairs(topic.configs))
        self._configs.check_topic(configs)
        if validate_only:
            return
        cluster = self._brokers.cluster
        cluster.create_topic(topic.name, partitions, replicas)
        for each in topic.assignments:
            self._place(topic.name, each.partition_index, each.broker_ids)
        self._configs.set_topic(self._brokers.state().topics[topic.name], configs)

    def _check_extent(self, topic: Any, partitions: int, replicas: int) -> None:
        if topic.assignments:
            if topic.num_partitions != -1 or topic.replication_factor != -1:
                raise Refused(
                    KafkaError.INVALID_REQUEST,
                    "a topic has either replica assignments or numbers of partitions and replicas",
                )
            numbers = sorted(each.partition_index for each in topic.assignments)
            if numbers != list(range(partitions)):
                raise Refused(
                    KafkaError.INVALID_REPLICA_ASSIGNMENT,
                    f"the assigned partitions must be 0 to {partitions - 1}, not {numbers}",
                )
            self._check_assignments([each.broker_ids for each in topic.assignments], replicas)
        if not 1 <= partitions <= _MAX_PARTITIONS:
            raise Refused(
                KafkaError.INVALID_PARTITIONS,
                f"the number of partitions must be 1 to {_MAX_PARTITIONS:,}, not {partitions}",
            )
        if not 1 <= replicas <= self._brokers.cluster.brokers:
            raise Refused(
                KafkaError.INVALID_REPLICATION_FACTOR,
                f"the replication factor must be 1 to {self._brokers.cluster.brokers}, the number "
                f"of brokers, not {replicas}",
            )

    def _check_assignments(self, assignments: list[Any], replicas: int) -> None:
        known = {broker.id for broker in self._brokers.state().brokers}
        for broker_ids in assignments:
            different = set(broker_ids)
            if len(different) != replicas or len(broker_ids) != replicas or different - known:
                raise Refused(
                    KafkaError.INVALID_REPLICA_ASSIGNMENT,
                    f"each partition needs {replicas} different brokers of "
                    f"{sorted(known)}, not {list(broker_ids)}",
                )

    # ---- deleted ----

    def _delete(self, request: Any, context: RequestContext) -> Any:
        state = self._brokers.state()
        result = protocol.DeleteTopicsResponse.DeletableTopicResult
        results = [
            result(name=name, **outcome(self._delete_one, name)) for name in request.topic_names
        ]
        for each in request.topics:
            name = each.name if each.name is not None else _name_of(state, each.topic_id)
            ended = outcome(self._delete_one, name)
            topic = state.topics.get(name or "")
            topic_id = each.topic_id if topic is None else topic.id
            results.append(result(name=name, topic_id=topic_id, **ended))
        return protocol.DeleteTopicsResponse(responses=results)

    def _delete_one(self, name: str | None) -> None:
        if name is None:
            raise Refused(KafkaError.UNKNOWN_TOPIC_ID, "no topic has this id")
        topic = existing(self._brokers.state(), name)
        self._brokers.cluster._delete_topic(name)
        self._configs.forget_topic(topic)

    # ---- more partitions ----

    def _add_partitions(self, request: Any, context: RequestContext) -> Any:
        result = protocol.CreatePartitionsResponse.CreatePartitionsTopicResult
        return protocol.CreatePartitionsResponse(
            results=[
                result(name=topic.name, **outcome(self._add_to_one, topic, request.validate_only))
                for topic in request.topics
            ]
        )

    def _add_to_one(self, topic: Any, validate_only: bool) -> None:
        before = existing(self._brokers.state(), topic.name).partitions
        if not len(before) < topic.count <= _MAX_PARTITIONS:
            raise Refused(
                KafkaError.INVALID_PARTITIONS,
                f"the topic has {len(before)} partitions: the new number must be greater, up to "
                f"{_MAX_PARTITIONS:,}, not {topic.count}",
            )
        if topic.assignments is not None:
            if len(topic.assignments) != topic.count - len(before):
                raise Refused(
                    KafkaError.INVALID_REPLICA_ASSIGNMENT,
                    f"{topic.count - len(before)} partitions are new, and "
                    f"{len(topic.assignments)} are assigned",
                )
            brokers = [each.broker_ids for each in topic.assignments]
            self._check_assignments(brokers, len(before[0].replicas))
        if validate_only:
            return
        cluster = self._brokers.cluster
        cluster._add_partitions(topic.name, topic.count)
        for number, each in enumerate(topic.assignments or (), len(before)):
            self._place(topic.name, number, each.broker_ids)

    def _place(self, topic: str, partition: int, broker_ids: Any) -> None:
        """Assign replicas to a new partition. The first replica becomes the leader."""
        cluster = self._brokers.cluster
        cluster._set_replicas(topic, partition, list(broker_ids))
        cluster.set_leader(topic, partition, broker_ids[0])


def existing(state: State, name: str) -> Any:
    """Return the topic with this name. Refuse the request if there is none."""
    topic = state.topics.get(name)
    if topic is None:
        raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, f"there is no topic {name!r}")
    return topic


def _name_of(state: State, topic_id: Uuid) -> str | None:
    topic = state.topic_of(topic_id)
    return None if topic is None else topic.name


def _check_name(name: str) -> None:
    if not is_legal(name):
        raise Refused(KafkaError.TOPIC_EXCEPTION, f"{RULE}: {name!r}")


def _pairs(configs: Any) -> list[tuple[str, str | None]]:
    return [(each.name, each.value) for each in configs]
