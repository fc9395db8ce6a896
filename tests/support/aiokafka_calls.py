"""Lists every coroutine of `compat.aiokafka`'s clients, with arguments, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.compat.aiokafka import (
    AIOKafkaClient,
    AIOKafkaConsumer,
    AIOKafkaProducer,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka.admin import (
    AIOKafkaAdminClient,
    NewPartitions,
    NewTopic,
    RecordsToDelete,
)
from confluent_kafka.compat.aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

Call = Callable[[Any, TopicPartition], Any]


def _batch_of(producer: Any) -> Any:
    batch = producer.create_batch()
    batch.append(key=None, value=b"v", timestamp=None)
    return batch


def _configuration_of(place: TopicPartition) -> ConfigResource:
    return ConfigResource(ConfigResourceType.TOPIC, place.topic)


_BLOCK: dict[str, Call] = {
    "__aenter__": lambda client, _: client.__aenter__(),
    "__aexit__": lambda client, _: client.__aexit__(None, None, None),
}

_CONSUMER: dict[str, Call] = _BLOCK | {
    "start": lambda consumer, _: consumer.start(),
    "stop": lambda consumer, _: consumer.stop(),
    "commit": lambda consumer, place: consumer.commit({place: 1}),
    "committed": lambda consumer, place: consumer.committed(place),
    "position": lambda consumer, place: consumer.position(place),
    "seek_to_beginning": lambda consumer, place: consumer.seek_to_beginning(place),
    "seek_to_end": lambda consumer, place: consumer.seek_to_end(place),
    "seek_to_committed": lambda consumer, place: consumer.seek_to_committed(place),
    "beginning_offsets": lambda consumer, place: consumer.beginning_offsets([place]),
    "end_offsets": lambda consumer, place: consumer.end_offsets([place]),
    "offsets_for_times": lambda consumer, place: consumer.offsets_for_times({place: 0}),
    "topics": lambda consumer, _: consumer.topics(),
    "getone": lambda consumer, _: consumer.getone(),
    "getmany": lambda consumer, _: consumer.getmany(timeout_ms=100),
    "__anext__": lambda consumer, _: anext(consumer),
}

_PRODUCER: dict[str, Call] = _BLOCK | {
    "start": lambda producer, _: producer.start(),
    "stop": lambda producer, _: producer.stop(),
    "flush": lambda producer, _: producer.flush(),
    "partitions_for": lambda producer, place: producer.partitions_for(place.topic),
    "send": lambda producer, place: producer.send(place.topic, b"v", partition=0),
    "send_and_wait": lambda producer, place: producer.send_and_wait(place.topic, b"v", partition=0),
    "send_batch": lambda producer, place: producer.send_batch(
        _batch_of(producer), place.topic, partition=0
    ),
    "begin_transaction": lambda producer, _: producer.begin_transaction(),
    "commit_transaction": lambda producer, _: producer.commit_transaction(),
    "abort_transaction": lambda producer, _: producer.abort_transaction(),
    "send_offsets_to_transaction": lambda producer, place: producer.send_offsets_to_transaction(
        {place: 1}, "group"
    ),
}

_ADMIN: dict[str, Call] = _BLOCK | {
    "start": lambda admin, _: admin.start(),
    "close": lambda admin, _: admin.close(),
    "create_topics": lambda admin, place: admin.create_topics([NewTopic(f"{place.topic}-b", 1, 1)]),
    "delete_topics": lambda admin, place: admin.delete_topics([f"{place.topic}-b"]),
    "create_partitions": lambda admin, place: admin.create_partitions(
        {place.topic: NewPartitions(2)}, validate_only=True
    ),
    "delete_records": lambda admin, place: admin.delete_records({place: RecordsToDelete(1)}),
    "list_topics": lambda admin, _: admin.list_topics(),
    "describe_topics": lambda admin, place: admin.describe_topics([place.topic]),
    "describe_cluster": lambda admin, _: admin.describe_cluster(),
    "describe_configs": lambda admin, place: admin.describe_configs([_configuration_of(place)]),
    "alter_configs": lambda admin, place: admin.alter_configs([_configuration_of(place)]),
    "list_consumer_groups": lambda admin, _: admin.list_consumer_groups(),
    "describe_consumer_groups": lambda admin, _: admin.describe_consumer_groups(["group"]),
    "list_consumer_group_offsets": lambda admin, place: admin.list_consumer_group_offsets(
        "group", partitions=[place]
    ),
    "find_coordinator": lambda admin, _: admin.find_coordinator("group"),
}

_CLIENT: dict[str, Call] = {
    "bootstrap": lambda client, _: client.bootstrap(),
    "close": lambda client, _: client.close(),
    "check_version": lambda client, _: client.check_version(),
    "coordinator_lookup": lambda client, _: client.coordinator_lookup(0, "group"),
    "fetch_all_metadata": lambda client, _: client.fetch_all_metadata(),
    "ready": lambda client, _: client.ready(1),
    "send": lambda client, _: client.send(1, protocol.MetadataRequest(topics=None)),
}

# The calls of each client.
CALLS: dict[type[Any], dict[str, Call]] = {
    AIOKafkaConsumer: _CONSUMER,
    AIOKafkaProducer: _PRODUCER,
    AIOKafkaAdminClient: _ADMIN,
    AIOKafkaClient: _CLIENT,
}
