"""The sizes of the batches that a group reads next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException
from confluent_kafka.cli.connection.administration import answering_broker
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

FETCHED = 1024 * 1024
"""The default of max.partition.fetch.bytes, in Java and in librdkafka."""

_LARGEST = "max.message.bytes"
_DEFAULT = 1_048_588  # the default of max.message.bytes, a little above FETCHED
_LOOKED_AT = 10  # the most partitions to check: each answer has a whole batch
_VERSION = 11  # the version of Fetch: it uses topic names, and exists since Kafka 2.3
# A batch begins with its offset in 8 bytes and its length in 4. The length counts the rest.
_LENGTH, _BEFORE = slice(8, 12), 12


def next_batches(
    admin: AdminClient,
    offsets: Mapping[Place, int],
    leaders: Mapping[Place, int],
    timeout: float,
) -> dict[Place, int]:
    """Return the sizes of the batches at offsets that this user is allowed to read.

    Only topics whose max.message.bytes is above its default can have batches that are too large.

    Args:
        admin: the client.
        offsets: where the group reads next, the most important partition first.
        leaders: the brokers that lead the partitions.
        timeout: seconds to wait for the brokers.
    """
    topics = _with_large_batches(admin, {topic for topic, _ in offsets}, timeout)
    places = [place for place in offsets if place[0] in topics and place in leaders]
    sizes = {
        place: _size(admin, place, offsets[place], leaders[place], timeout)
        for place in places[:_LOOKED_AT]
    }
    return {place: size for place, size in sizes.items() if size is not None}


def _with_large_batches(admin: AdminClient, topics: Iterable[str], timeout: float) -> set[str]:
    from confluent_kafka.admin import ConfigResource

    resources = [ConfigResource("topic", topic) for topic in sorted(topics)]
    if not resources:
        return set()
    found = set()
    broker = answering_broker(admin, timeout)
    futures = admin.describe_configs(resources, request_timeout=timeout, broker=broker)
    for resource, future in futures.items():
        try:
            limit = future.result().get(_LARGEST)
        except KafkaException:
            continue
        if limit is not None and limit.value is not None and int(limit.value) > _DEFAULT:
            found.add(resource.name)
    return found


def _size(admin: AdminClient, place: Place, offset: int, leader: int, timeout: float) -> int | None:
    """Return the size of the batch at an offset: brokers send one whole batch at least."""
    from confluent_kafka.protocol import FetchRequest

    topic, number = place
    partition = FetchRequest.FetchPartition(
        partition=number, fetch_offset=offset, partition_max_bytes=1
    )
    request = FetchRequest(
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1,
        topics=[FetchRequest.FetchTopic(topic=topic, partitions=[partition])],
    )
    try:
        answer = admin.request(
            request.api_key, _VERSION, request.encode(_VERSION), broker=leader, timeout=timeout
        )
    except KafkaException:
        return None
    response = FetchRequest.response_class.decode(answer, _VERSION)
    records = response.responses[0].partitions[0].records if response.responses else None
    if not records:
        return None
    return _BEFORE + int.from_bytes(bytes(records[_LENGTH]), "big")
