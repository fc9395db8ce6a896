"""Differences between compat.kafka_2 and compat.kafka that need no broker."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.compat.kafka import errors as version_3
from confluent_kafka.compat.kafka_2 import (
    BrokerConnection,
    KafkaAdminClient,
    KafkaClient,
    KafkaConsumer,
    KafkaProducer,
    TopicPartition,
    errors,
    structs,
)
from confluent_kafka.compat.kafka_2.admin import NewTopic
from confluent_kafka.compat.kafka_2.admin._answers import TopicError, TopicErrors
from confluent_kafka.compat.kafka_2.consumer.fetcher import ConsumerRecord
from confluent_kafka.compat.kafka_2.partitioner import DefaultPartitioner
from confluent_kafka.compat.kafka_2.producer.future import FutureRecordMetadata, RecordMetadata

ROOT = Path(__file__).parents[2]
MEMBER = "member_id client_id client_host member_metadata member_assignment"
GROUP = "error_code group state protocol_type protocol members authorized_operations"
RECORD = (
    "topic partition offset timestamp timestamp_type key value headers checksum "
    "serialized_key_size serialized_value_size serialized_header_size"
)
METADATA = (
    "topic partition topic_partition offset timestamp log_start_offset checksum "
    "serialized_key_size serialized_value_size serialized_header_size"
)
NOBODY = "127.0.0.1:1"  # a port on which no server listens


class Response:
    """A response with an error."""

    def __init__(self, error: int) -> None:
        self.error = error


@pytest.mark.parametrize("client", [KafkaProducer, KafkaConsumer, KafkaAdminClient, KafkaClient])
def test_no_broker(client: Any) -> None:
    """Without a broker, the constructor raises the error that makes programs of version 2 try
    again."""
    with pytest.raises(errors.NoBrokersAvailable, match=NOBODY) as caught:
        client(bootstrap_servers=NOBODY, api_version_auto_timeout_ms=10)
    assert caught.value.retriable
    assert isinstance(caught.value, RuntimeError)
    assert isinstance(caught.value.__cause__, version_3.KafkaTimeoutError)


def test_unknown_keywords() -> None:
    """A producer raises AssertionError, and other clients raise an error of their own."""
    with pytest.raises(AssertionError, match="foo"):
        KafkaProducer(foo=1)
    for client in (KafkaConsumer, KafkaAdminClient):
        with pytest.raises(errors.KafkaConfigurationError, match="foo"):
            client(foo=1)


def test_defaults() -> None:
    """The defaults are the same as in version 2."""
    assert KafkaProducer.DEFAULT_CONFIG["acks"] == 1
    assert KafkaProducer.DEFAULT_CONFIG["enable_idempotence"] is False
    assert KafkaProducer.DEFAULT_CONFIG["retries"] == 0
    assert KafkaConsumer.DEFAULT_CONFIG["session_timeout_ms"] == 10000
    assert KafkaConsumer.DEFAULT_CONFIG["request_timeout_ms"] == 305000
    assert KafkaAdminClient.DEFAULT_CONFIG["client_id"] == "kafka-python-2.0.2"


@pytest.mark.parametrize(
    ("counts", "assignments"), [((1, 1), {0: [1]}), ((1, -1), None), ((-1, -1), None)]
)
def test_topics_with_counts_and_assignments(counts: Any, assignments: Any) -> None:
    """A topic has either counts or assignments.

    With neither, the topic gets the broker's defaults.
    """
    with pytest.raises(errors.IllegalArgumentError, match="either num_partitions"):
        NewTopic("t", *counts, assignments)
    assert NewTopic("t", -1, -1, {0: [1]}).replica_assignments == {0: [1]}
    assert NewTopic("t", 2, 1).num_partitions == 2
    assert NewTopic("t").num_partitions == -1


def test_the_guide_has_the_keywords_without_effect() -> None:
    """Each keyword in the guide's list belongs to a client.

    A keyword with an effect is not in the list.
    """
    page = (ROOT / "docs" / "coming-from" / "kafka-python-2.md").read_text()
    listed = set(re.findall(r"`(\w+)`", re.split(r"## Keywords .*", page)[1].split("\n\n`")[0]))
    clients = (KafkaProducer, KafkaConsumer, KafkaAdminClient, KafkaClient)
    known = {name for client in clients for name in client.DEFAULT_CONFIG}
    assert listed <= known
    assert "buffer_memory" not in listed


def test_names_of_errors() -> None:
    """Old names are aliases of version 3's classes, so that programs can catch both names."""
    assert errors.for_code(15) is errors.GroupCoordinatorNotAvailableError
    assert errors.for_code(16) is errors.NotCoordinatorForGroupError
    assert errors.for_code(14) is errors.GroupLoadInProgressError
    assert errors.TopicAlreadyExistsError is version_3.TopicAlreadyExistsError
    assert issubclass(errors.KafkaError, RuntimeError)
    assert errors.KafkaProtocolError.retriable
    assert issubclass(errors.CorrelationIdError, errors.KafkaProtocolError)
    assert errors.NotLeaderForPartitionError in errors.RETRY_ERROR_TYPES


def test_errors_with_arguments() -> None:
    """The errors contain the messages that were not sent."""
    full = errors.AsyncProducerQueueFull([1], "no room")
    assert (full.failed_msgs, full.args) == ([1], ("no room",))
    failed = errors.FailedPayloadsError("payload", "why")
    assert (failed.payload, failed.args) == ("payload", ("why",))


def test_check_error() -> None:
    """check_error() raises the error of a response, or its argument if that is an exception."""
    errors.check_error(Response(0))
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        errors.check_error(Response(3))
    with pytest.raises(ValueError, match="itself"):
        errors.check_error(ValueError("itself"))


def test_the_default_partitioner() -> None:
    """For a key, the partitioner chooses the same partition as Java.

    Without a key, it prefers a partition with a leader.
    """
    choose = DefaultPartitioner()
    assert choose(b"1", [0, 1, 2], [0]) == choose(b"1", [0, 1, 2], [1, 2])
    assert choose(None, [0, 1, 2], [1]) == 1
    assert choose(None, [7], []) == 7


def test_a_future_has_the_start_of_the_log() -> None:
    """RecordMetadata has ten fields, in the order of version 2."""
    future = FutureRecordMetadata(None, 0, 5, None, 1, 2, -1)
    place = TopicPartition("topic", 3)
    assert future._record("topic", 3, place, 4, 5) == (
        "topic",
        3,
        place,
        4,
        5,
        None,
        None,
        1,
        2,
        -1,
    )


def test_answers() -> None:
    """Responses can be read by field, as tuples, and as plain objects."""
    answer = TopicErrors([TopicError("topic", 0, None)])
    assert answer.topic_errors == [("topic", 0, None)]
    wanted = {"topic": "topic", "error_code": 0, "error_message": None}
    assert answer.to_object() == {"throttle_time_ms": 0, "topic_errors": [wanted]}
    assert repr(answer) == f"TopicErrors(topic_errors={answer.topic_errors})"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (structs.OffsetAndMetadata, "offset metadata"),
        (structs.OffsetAndTimestamp, "offset timestamp"),
        (structs.TopicPartition, "topic partition"),
        (structs.BrokerMetadata, "nodeId host port rack"),
        (structs.PartitionMetadata, "topic partition leader replicas isr error"),
        (structs.RetryOptions, "limit backoff_ms retry_on_timeouts"),
        (structs.MemberInformation, MEMBER),
        (structs.GroupInformation, GROUP),
        (ConsumerRecord, RECORD),
        (RecordMetadata, METADATA),
    ],
)
def test_fields(kind: Any, fields: str) -> None:
    """Fields are in the order of version 2.0, because programs unpack them by position."""
    assert kind._fields == tuple(fields.split())


def test_a_connection_is_refused() -> None:
    """A BrokerConnection can be created, but each of its methods raises an error that names a
    replacement."""
    connection = BrokerConnection("host", 9092, 0)
    assert (connection.host, connection.port, connection.afi) == ("host", 9092, 0)
    methods = inspect.getmembers(connection, inspect.ismethod)
    for name, method in methods:
        if name != "__init__":
            arguments = [None] if name == "send" else []
            with pytest.raises(NotImplementedError, match=rf"{name}\(\).*KafkaAdminClient"):
                method(*arguments)


def test_bases_that_programs_derive_from() -> None:
    """Base classes are in the modules where version 2 has them."""
    from confluent_kafka.compat.kafka_2 import oauth
    from confluent_kafka.compat.kafka_2.metrics.metrics_reporter import AbstractMetricsReporter
    from confluent_kafka.compat.kafka_2.oauth.abstract import AbstractTokenProvider

    assert oauth.AbstractTokenProvider is AbstractTokenProvider
    methods = {"init", "metric_change", "metric_removal", "configure", "close"}
    assert AbstractMetricsReporter.__abstractmethods__ == methods
