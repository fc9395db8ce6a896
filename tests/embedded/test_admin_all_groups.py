"""One list with the groups of all kinds."""

from __future__ import annotations

import pytest

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, GroupListing, GroupState, GroupType
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import joined
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("raw-request", "mock-on-request")


@pytest.fixture
def member(make_consumer: MakeConsumer, kafka_topic: str) -> Consumer:
    """A member of the group `new`, which has the protocol of KIP-848."""
    config = {"group.protocol": "consumer", "heartbeat.interval.ms": None}
    consumer = make_consumer(config | {"group.id": "new"})
    consumer.subscribe([kafka_topic])
    return consumer


def test_filters(kafka_cluster: MockCluster, kafka_topic: str, member: Consumer) -> None:
    """All groups, or only groups of a type or in a state."""
    joined(member)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        old = ConsumerGroupTopicPartitions("old", [TopicPartition(kafka_topic, 0, 1)])
        admin.alter_consumer_group_offsets([old])["old"].result(TIMEOUT)
        stable = GroupListing("new", GroupType.CONSUMER, "consumer", GroupState.STABLE)
        empty = GroupListing("old", GroupType.CLASSIC, "", GroupState.EMPTY)
        for types, states, expected in (
            (None, None, [stable, empty]),
            ({GroupType.CONSUMER}, None, [stable]),
            (None, {GroupState.EMPTY}, [empty]),
            ({GroupType.SHARE, GroupType.STREAMS}, None, []),
        ):
            found = admin.list_all_groups(types=types, states=states).result(TIMEOUT)
            assert found.errors == []
            assert sorted(found.valid, key=lambda each: each.group_id) == expected
