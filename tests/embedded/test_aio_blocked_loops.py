"""If the event loop is blocked for 10 s, no message is lost, and none is read again after its
commit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Message
from confluent_kafka.aio import AIOAdminClient, AIOProducer
from confluent_kafka.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient
from confluent_kafka.compat.aiokafka.errors import CommitFailedError
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED
from tests.support import aiokafka_consumer, waiting
from tests.support.aio import consumer_at, in_loop
from tests.support.clients import QUIET
from tests.support.kafka import numbers, values_of

BLOCKED = 10.0  # seconds
AWAITS = 1000
HEARTBEAT = 12

# The loop is blocked for longer than both times. The session timeout has no effect, because
# librdkafka sends heartbeats on its own thread. max.poll.interval.ms has an effect, because nobody
# polls.
MEMBERS = {
    "session": {"session.timeout.ms": 9000},
    "polls": {"session.timeout.ms": 6000, "max.poll.interval.ms": 6000},
}


@pytest.fixture(autouse=True)
def _groups_form_at_once(kafka_cluster: MockCluster) -> None:
    kafka_cluster.set_group_initial_rebalance_delay(0)


async def all_committed(
    count: int, read: Callable[[], Awaitable[list[Any]]], commit: Callable[[], Awaitable[object]]
) -> tuple[list[Any], set[int | None]]:
    """Read and commit until this number of messages was read.

    Messages whose commit fails do not count: they are read again after the rebalance.

    Returns:
        The messages, and the codes of the errors.
    """
    found: list[Any] = []
    errors = set()
    while len(found) < count:
        try:
            some = await read()
            if some:
                await commit()
                found += some
        except KafkaException as error:
            errors.add(error.args[0].code())
        except CommitFailedError:
            errors.add(None)
    return found, errors


@pytest.mark.parametrize("limit", MEMBERS)
@in_loop
async def test_members_of_groups(kafka_cluster: MockCluster, filled: str, limit: str) -> None:
    """Members stay in their groups by heartbeats, or get an error, join again and continue at their
    commits."""
    conf = MEMBERS[limit]
    told = []
    listener = aiokafka_consumer.Told()

    def on_lost(*_: object) -> None:
        told.append("lost")

    face: AIOKafkaConsumer[Any, Any] = aiokafka_consumer.consumer_at(
        kafka_cluster.bootstrap_servers,
        group_id="face",
        session_timeout_ms=conf["session.timeout.ms"],
        max_poll_interval_ms=conf.get("max.poll.interval.ms", 300_000),
    )
    face.subscribe([filled], listener=listener)
    async with consumer_at(kafka_cluster, conf | {"logger": QUIET}) as consumer, face:

        async def read() -> list[Message]:
            found = await consumer.getmany(max_records=7)
            return [message for messages in found.values() for message in messages]

        async def read_face() -> list[Any]:
            found = await face.getmany(timeout_ms=1000, max_records=7)
            return [record for records in found.values() for record in records]

        def commit() -> Awaitable[object]:
            return consumer.commit(asynchronous=False)

        await consumer.subscribe([filled], on_lost=on_lost)
        first, _ = await all_committed(10, read, commit)
        first_face, _ = await all_committed(10, read_face, face.commit)
        stand_still(kafka_cluster)
        rest, errors = await all_committed(FILLED - len(first), read, commit)
        assert values_of([*first, *rest]) == numbers(0, FILLED)
        rest, _ = await all_committed(FILLED - len(first_face), read_face, face.commit)
        assert [record.value for record in [*first_face, *rest]] == numbers(0, FILLED)
        assert (KafkaError._MAX_POLL_EXCEEDED in errors) == (limit == "polls")
        if limit == "polls":
            assert set(told) == {"lost"}
            partitions = {TopicPartition(filled, 0)}
            assert listener.calls[2:4] == [("revoked", partitions), ("assigned", partitions)]


def stand_still(cluster: MockCluster) -> None:
    """Block the loop's thread, and check that members send heartbeats meanwhile."""
    cluster.start_request_tracking()
    time.sleep(BLOCKED)
    waiting.wait_until(
        lambda: sum(request.api_key == HEARTBEAT for request in cluster.requests()) > 2
    )


@in_loop
async def test_deliveries_and_answers(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Deliveries and answers that came meanwhile settle their futures in order afterwards."""
    servers = kafka_cluster.bootstrap_servers
    conf = {"bootstrap.servers": servers}

    async with (
        AIOProducer(conf) as producer,
        AIOAdminClient(conf) as admin,
        AIOKafkaProducer(bootstrap_servers=servers) as face,
        AIOKafkaAdminClient(bootstrap_servers=servers) as face_admin,
    ):
        await face.partitions_for(kafka_topic)
        settled: list[int] = []
        deliveries = [
            await producer.produce(kafka_topic, value, partition=0) for value in numbers(0, AWAITS)
        ]
        for number, delivery in enumerate(deliveries):
            delivery.add_done_callback(lambda _, number=number: settled.append(number))
        sends = [await face.send(kafka_topic, value) for value in numbers(0, AWAITS)]
        answer = admin.describe_cluster()
        answers = [asyncio.ensure_future(face_admin.list_topics()) for _ in range(10)]
        await asyncio.sleep(0)
        time.sleep(BLOCKED)
        messages = await asyncio.gather(*deliveries)
        assert values_of(messages) == numbers(0, AWAITS)
        assert settled == list(range(AWAITS))
        places = await asyncio.gather(*sends)
        offsets = [message.offset() for message in messages] + [one.offset for one in places]
        assert sorted(offsets) == list(range(2 * AWAITS))
        assert len((await answer).nodes) == 3
        assert await asyncio.gather(*answers) == [[kafka_topic]] * 10
