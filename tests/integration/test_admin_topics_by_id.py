"""Topics by their ids, on real brokers."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicIdCollection, Uuid
from confluent_kafka.admin import AdminClient, TopicDescription
from confluent_kafka.aio import AIOAdminClient
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import create_topic, wait_for_topic
from tests.support.aio import in_loop
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]

NO_TOPIC = Uuid(-1, -2)


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


def described(admin: AdminClient, topic: str) -> TopicDescription:
    """The description of the topic by its name, which librdkafka requests."""
    futures = admin.describe_topics(TopicCollection([topic]), include_authorized_operations=True)
    return futures[topic].result(TIMEOUT)


def places(description: TopicDescription) -> dict[int, tuple[object, list[object]]]:
    """The leader and the replicas of each partition."""
    return {each.id: (each.leader, list(each.replicas)) for each in description.partitions}


def test_describe(admin: AdminClient, make_topic: MakeTopic) -> None:
    """Descriptions by id and by name are the same, also of several topics; an unknown id is an
    error."""
    by_name = [described(admin, make_topic(partitions=count)) for count in (1, 3)]
    ids = [each.topic_id for each in by_name]
    futures = admin.describe_topics(
        TopicIdCollection([*ids, NO_TOPIC, ids[0]]), include_authorized_operations=True
    )
    assert list(futures) == [*ids, NO_TOPIC]
    for expected in by_name:
        found = futures[expected.topic_id].result(TIMEOUT)
        assert (found.name, found.topic_id) == (expected.name, expected.topic_id)
        assert found.is_internal is False
        assert set(found.authorized_operations or ()) == set(expected.authorized_operations or ())
        assert places(found).keys() == places(expected).keys()
        for partition in found.partitions:
            assert {each.id for each in partition.isr} <= {each.id for each in partition.replicas}
    with pytest.raises(KafkaException) as caught:
        futures[NO_TOPIC].result(TIMEOUT)
    assert caught.value.code() == KafkaError.UNKNOWN_TOPIC_ID


def test_where_partitions_are(admin: AdminClient, make_topic: MakeTopic) -> None:
    """A description by id has the same leaders and replicas as a description by name."""
    topic = make_topic(partitions=6)
    topic_id = described(admin, topic).topic_id

    def by_id() -> TopicDescription:
        return admin.describe_topics(TopicIdCollection([topic_id]))[topic_id].result(TIMEOUT)

    # The leader may change between the two requests.
    wait_until(lambda: places(by_id()) == places(described(admin, topic)))


def test_operations_only_if_asked(admin: AdminClient, topic: str) -> None:
    """Without the option, authorized_operations is None."""
    topic_id = described(admin, topic).topic_id
    futures = admin.describe_topics(TopicIdCollection([topic_id]))
    assert futures[topic_id].result(TIMEOUT).authorized_operations is None


def test_delete(kafka: KafkaCluster, admin: AdminClient) -> None:
    """Only the topic with the id is deleted; a newer topic of the same name has another id."""
    name = f"by-id-{uuid.uuid4().hex[:12]}"
    create_topic(kafka, name)
    first = described(admin, name).topic_id
    assert admin.delete_topics(TopicIdCollection([first]))[first].result(TIMEOUT) is None
    wait_for_topic(kafka, name, 0)
    create_topic(kafka, name)
    second = described(admin, name).topic_id
    futures = admin.delete_topics(TopicIdCollection([first, second]), operation_timeout=TIMEOUT)
    error = futures[first].exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError.UNKNOWN_TOPIC_ID
    assert futures[second].result(TIMEOUT) is None
    wait_for_topic(kafka, name, 0)


@in_loop
async def test_awaited(kafka: KafkaCluster, topic: str) -> None:
    """AIOAdminClient describes and deletes topics by id, too."""
    async with AIOAdminClient(kafka.config()) as admin:
        topic_id = (await admin.describe_topics(TopicCollection([topic])))[topic].topic_id
        ids = TopicIdCollection([topic_id])
        assert (await admin.describe_topics(ids))[topic_id].name == topic
        assert await admin.delete_topics(ids) == {topic_id: None}
    wait_for_topic(kafka, topic, 0)
