"""Topics: create, delete, add partitions, describe."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, overload

from confluent_kafka._values.cluster import TopicCollection, TopicIdCollection, TopicPartitionInfo
from confluent_kafka.admin._cluster import node_from, operations_from
from confluent_kafka.admin._protocol import ANY, CONTROLLER, ProtocolRequests
from confluent_kafka.admin._requests import check_once, checked, items_of, maybe_empty, new_futures
from confluent_kafka.admin._topic_description import TopicDescription
from confluent_kafka.admin._topics_by_id import (
    METADATA_BY_ID,
    checked_ids,
    delete_request,
    deletions,
    describe_request,
    descriptions,
)
from confluent_kafka.cimpl import KafkaError, NewPartitions, NewTopic, Uuid


class TopicRequests(ProtocolRequests):
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
            operation_timeout: seconds that the controller waits until all brokers have the
                topics, at most 3600; 60 when None.
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
        check_once((topic.topic for topic in topics), "new_topics")
        futures = new_futures(topic.topic for topic in topics)
        options = {
            "operation_timeout": operation_timeout,
            "request_timeout": request_timeout,
            "validate_only": validate_only,
        }
        self._ask_each("create_topics", topics, options, futures, tuple_errors)
        return futures

    @overload
    def delete_topics(
        self,
        topics: list[str],
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> dict[str, Future[None]]: ...
    @overload
    def delete_topics(
        self,
        topics: TopicIdCollection,
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> dict[Uuid, Future[None]]: ...
    def delete_topics(
        self,
        topics: list[str] | TopicIdCollection,
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> dict[str, Future[None]] | dict[Uuid, Future[None]]:
        """Delete topics.

        Args:
            topics: a list of their names, or a TopicIdCollection of their ids.
            operation_timeout: as for create_topics().
            request_timeout: as for create_topics().

        Returns:
            A future for each name or id; its result is None. It fails with
            UNKNOWN_TOPIC_OR_PART, UNKNOWN_TOPIC_ID, TOPIC_AUTHORIZATION_FAILED, _TIMED_OUT ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DeleteTopics(). By id, Kafka: DeleteTopics (KIP-516).
        """
        if isinstance(topics, TopicIdCollection):
            ids = checked_ids(topics)
            if not ids:
                raise ValueError("topic_ids must not be empty")
            request = delete_request(ids, operation_timeout)
            deleted: dict[Uuid, Future[None]] = new_futures(ids)
            self._exchange_each(request, CONTROLLER, request_timeout, deleted, deletions)
            return deleted
        futures = new_futures(items_of(topics, str, "topics", ValueError))
        options = {"operation_timeout": operation_timeout, "request_timeout": request_timeout}
        self._ask_each("delete_topics", list(futures), options, futures, tuple_errors)
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
        check_once((item.topic for item in partitions), "new_partitions")
        futures = new_futures(item.topic for item in partitions)
        options = {
            "operation_timeout": operation_timeout,
            "request_timeout": request_timeout,
            "validate_only": validate_only,
        }
        self._ask_each("create_partitions", partitions, options, futures, tuple_errors)
        return futures

    @overload
    def describe_topics(
        self,
        topics: TopicCollection,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[TopicDescription]]: ...
    @overload
    def describe_topics(
        self,
        topics: TopicIdCollection,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> dict[Uuid, Future[TopicDescription]]: ...
    def describe_topics(
        self,
        topics: TopicCollection | TopicIdCollection,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[TopicDescription]] | dict[Uuid, Future[TopicDescription]]:
        """Describe topics.

        Args:
            topics: a TopicCollection of their names, or a TopicIdCollection of their ids.
            include_authorized_operations: also request the operations that this client may perform.
            request_timeout: as for create_topics().

        Returns:
            A future for each name or id; its result is a TopicDescription. It fails with
            UNKNOWN_TOPIC_OR_PART, UNKNOWN_TOPIC_ID (the topic does not exist, or this client may
            not describe it), TOPIC_AUTHORIZATION_FAILED, _TIMED_OUT ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeTopics(). By id, Kafka: Metadata (KIP-516).
        """
        if isinstance(topics, TopicIdCollection):
            ids = checked_ids(topics)
            request = describe_request(ids, include_authorized_operations)
            found: dict[Uuid, Future[TopicDescription]] = new_futures(ids)
            self._exchange_each(
                request, ANY, request_timeout, found, descriptions, oldest=METADATA_BY_ID
            )
            return found
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
    """Yield the name and the error (or None) of each item in an answer."""
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
