"""Topics: create, delete, add partitions, describe."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka._values.cluster import TopicCollection, TopicPartitionInfo
from confluent_kafka.admin._cluster import node_from, operations_from
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.admin._requests import (
    AdminRequests,
    checked,
    items_of,
    maybe_empty,
    new_futures,
)
from confluent_kafka.cimpl import KafkaError, NewPartitions, NewTopic, Uuid


@dataclass(eq=False)
class TopicDescription:
    """The description of a topic.

    Attributes:
        name: its name.
        topic_id: its id; a topic that is deleted and created again gets another one.
        is_internal: whether Kafka itself uses it.
        partitions: a TopicPartitionInfo for each partition.
        authorized_operations: what this client may do with it, or None when not asked for.

    librdkafka: rd_kafka_TopicDescription_t.
    """

    name: str
    topic_id: Uuid
    is_internal: bool
    partitions: list[TopicPartitionInfo]
    authorized_operations: list[AclOperation] | None = None


class TopicRequests(AdminRequests):
    """Requests about topics."""

    __slots__ = ()

    def create_topics(
        self,
        new_topics: list[NewTopic],
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
        validate_only: bool = False,
    ) -> dict[str, Future[None]]:
        """Create topics.

        Args:
            new_topics: the topics, a list of NewTopic.
            operation_timeout: seconds that the controller waits until the topics are there on
                all brokers, at most 3600; 60 when None.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.
            validate_only: only check whether the topics could be created.

        Returns:
            A future for each topic's name; its result is None. It fails with
            TOPIC_ALREADY_EXISTS, INVALID_REPLICATION_FACTOR, TOPIC_AUTHORIZATION_FAILED,
            _TIMED_OUT ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_CreateTopics().
        """
        topics = items_of(new_topics, NewTopic, "new_topics")
        futures = new_futures(topic.topic for topic in topics)
        options = {
            "operation_timeout": operation_timeout,
            "request_timeout": request_timeout,
            "validate_only": validate_only,
        }
        self._ask_each("create_topics", topics, options, futures, tuple_errors)
        return futures

    def delete_topics(
        self,
        topics: list[str],
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> dict[str, Future[None]]:
        """Delete topics.

        Args:
            topics: their names.
            operation_timeout: as for create_topics().
            request_timeout: as for create_topics().

        Returns:
            A future for each name; its result is None. It fails with
            UNKNOWN_TOPIC_OR_PART, TOPIC_AUTHORIZATION_FAILED, _TIMED_OUT ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DeleteTopics().
        """
        names = items_of(topics, str, "topics", ValueError)
        futures = new_futures(names)
        options = {"operation_timeout": operation_timeout, "request_timeout": request_timeout}
        self._ask_each("delete_topics", names, options, futures, tuple_errors)
        return futures

    def create_partitions(
        self,
        new_partitions: list[NewPartitions],
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
        validate_only: bool = False,
    ) -> dict[str, Future[None]]:
        """Give topics more partitions.

        Args:
            new_partitions: a list of NewPartitions.
            operation_timeout: as for create_topics().
            request_timeout: as for create_topics().
            validate_only: only check whether the request could be carried out.

        Returns:
            A future for each topic's name; its result is None. It fails with
            UNKNOWN_TOPIC_OR_PART, INVALID_PARTITIONS, TOPIC_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_CreatePartitions().
        """
        partitions = items_of(new_partitions, NewPartitions, "new_partitions", ValueError)
        futures = new_futures(item.topic for item in partitions)
        options = {
            "operation_timeout": operation_timeout,
            "request_timeout": request_timeout,
            "validate_only": validate_only,
        }
        self._ask_each("create_partitions", partitions, options, futures, tuple_errors)
        return futures

    def describe_topics(
        self,
        topics: TopicCollection,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[TopicDescription]]:
        """Describe topics.

        Args:
            topics: TopicCollection of their names.
            include_authorized_operations: also ask what this client may do with them.
            request_timeout: as for create_topics().

        Returns:
            A future for each name; its result is a TopicDescription. It fails with
            UNKNOWN_TOPIC_OR_PART, TOPIC_AUTHORIZATION_FAILED, _TIMED_OUT ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeTopics().
        """
        collection = checked(topics, TopicCollection, "topics")
        names = maybe_empty(collection.topic_names, str, "topic_names")
        if "" in names:
            raise ValueError(f"topic_names[{names.index('')}] must not be empty")
        futures = new_futures(names)
        options = {
            "include_authorized_operations": include_authorized_operations,
            "request_timeout": request_timeout,
        }
        self._ask_each("describe_topics", names, options, futures, _descriptions)
        return futures


def tuple_errors(result: list[tuple[Any, ...]]) -> Iterator[tuple[str, KafkaError | None]]:
    """Of an answer that has a name and an error, or no error, for each thing."""
    for name, error, *_ in result:
        yield name, error


def _descriptions(
    result: list[tuple[Any, ...]],
) -> Iterator[tuple[str, TopicDescription | KafkaError]]:
    for name, error, topic_id, is_internal, partitions, operations in result:
        yield (
            name,
            error
            or TopicDescription(
                name,
                topic_id,
                is_internal,
                [_partition(*partition) for partition in partitions],
                operations_from(operations),
            ),
        )


def _partition(id: int, leader: Any, replicas: Any, isr: Any) -> TopicPartitionInfo:  # noqa: A002
    return TopicPartitionInfo(
        id,
        None if leader is None else node_from(leader),
        [node_from(node) for node in replicas],
        [node_from(node) for node in isr],
    )
