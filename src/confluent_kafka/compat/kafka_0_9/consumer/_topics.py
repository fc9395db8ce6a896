"""The forms of KafkaConsumer's topics and partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..client import KafkaClient
from ..common import KafkaConfigurationError, UnknownTopicOrPartitionError
from ..util import kafka_bytestring


class TopicPartitionOffset(NamedTuple):
    """A partition, and its start offset."""

    topic: bytes
    partition: int
    offset: int | None


def chosen(argument: Any, client: KafkaClient) -> Iterator[TopicPartitionOffset]:
    """Return the partitions that an argument of set_topic_partitions() names.

    Args:
        argument: the argument.
        client: returns the partitions of topics.

    Raises:
        KafkaConfigurationError: the argument has none of the forms.
        UnknownTopicOrPartitionError: there is no such topic.
    """
    if isinstance(argument, str | bytes):
        yield from _all_of(kafka_bytestring(argument), client)
    elif isinstance(argument, tuple):
        yield _place(argument)
    elif isinstance(argument, dict):
        yield from _each_of(argument)
    else:
        raise KafkaConfigurationError(
            f"Unknown topic type ({type(argument)}): it must be str, bytes, tuple or dict"
        )


def _all_of(topic: bytes, client: KafkaClient) -> Iterator[TopicPartitionOffset]:
    partitions = client.get_partition_ids_for_topic(topic)
    if not partitions:
        raise UnknownTopicOrPartitionError(f"Topic {topic!r} not found in broker metadata")
    for partition in partitions:
        yield TopicPartitionOffset(topic, partition, None)


def _place(argument: tuple[Any, ...]) -> TopicPartitionOffset:
    if len(argument) not in (2, 3) or not all(isinstance(one, int) for one in argument[1:]):
        raise KafkaConfigurationError(
            f"a tuple must be (topic, partition) or (topic, partition, offset), not {argument!r}"
        )
    topic, partition, *offset = argument
    return TopicPartitionOffset(_name(topic), partition, offset[0] if offset else None)


def _each_of(argument: Mapping[Any, Any]) -> Iterator[TopicPartitionOffset]:
    for key, value in argument.items():
        if isinstance(key, tuple):
            yield _place((*key, value))
        elif isinstance(value, int):
            yield _place((key, value))
        elif isinstance(value, list | tuple):
            yield from (_place((key, partition)) for partition in value)
        else:
            raise KafkaConfigurationError(
                "Unknown topic type (dict key must be int or list/tuple of ints), not "
                f"{type(value).__name__}"
            )


def _name(topic: Any) -> bytes:
    if not isinstance(topic, str | bytes):
        raise KafkaConfigurationError(f"a topic must be str or bytes, not {topic!r}")
    return kafka_bytestring(topic)
