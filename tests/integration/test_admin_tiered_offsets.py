"""Offsets of tiered storage, on brokers without tiered storage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ListOffsetsResultInfo, OffsetSpec
from confluent_kafka.aio import AIOAdminClient
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.aio import in_loop
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


@pytest.fixture
def shortened(kafka: KafkaCluster, admin: AdminClient, topic: str) -> TopicPartition:
    """A partition with 10 records, whose first 4 records were deleted."""
    with Producer(kafka.config()) as producer:
        send(producer, topic, [b"value"] * 10)
    place = TopicPartition(topic, 0)
    deleted = admin.delete_records([TopicPartition(topic, 0, 4)])
    assert deleted[place].result(TIMEOUT).low_watermark == 4
    return place


def looked_up(admin: AdminClient, place: TopicPartition, spec: OffsetSpec) -> ListOffsetsResultInfo:
    return admin.list_offsets({place: spec})[place].result(TIMEOUT)


def test_without_tiered_storage(admin: AdminClient, shortened: TopicPartition) -> None:
    """Without tiered storage, all records are local, and none waits for an upload."""
    local = looked_up(admin, shortened, OffsetSpec.earliest_local())
    assert (local.offset, local.timestamp) == (4, -1)
    assert local.leader_epoch is not None
    for spec in (OffsetSpec.latest_tiered(), OffsetSpec.earliest_pending_upload()):
        found = looked_up(admin, shortened, spec)
        assert (found.offset, found.timestamp, found.leader_epoch) == (-1, -1, None)


def test_with_other_offsets(
    admin: AdminClient, shortened: TopicPartition, make_topic: MakeTopic
) -> None:
    """One call finds offsets by librdkafka's requests and by raw requests, at several leaders."""
    several = make_topic(partitions=6)
    missing = [TopicPartition(several, 6), TopicPartition("not-there", 0)]
    specs = {
        TopicPartition(several, 0): OffsetSpec.latest(),
        shortened: OffsetSpec.earliest_local(),
        **{TopicPartition(several, each): OffsetSpec.earliest_local() for each in range(1, 6)},
        **dict.fromkeys(missing, OffsetSpec.latest_tiered()),
    }
    futures = admin.list_offsets(specs, isolation_level=IsolationLevel.READ_COMMITTED)
    assert list(futures) == list(specs)
    for place, future in futures.items():
        if place in missing:
            error = future.exception(TIMEOUT)
            assert isinstance(error, KafkaException)
            assert error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
        else:
            assert future.result(TIMEOUT).offset == (4 if place == shortened else 0)


@in_loop
async def test_awaited(kafka: KafkaCluster, topic: str) -> None:
    """AIOAdminClient finds the same offsets as AdminClient."""
    place = TopicPartition(topic, 0)
    async with AIOAdminClient(kafka.config()) as admin:
        found = await admin.list_offsets({place: OffsetSpec.earliest_local()})
        assert found[place].offset == 0
