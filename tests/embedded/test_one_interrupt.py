"""One Ctrl-C ends a program without a broker, and the log names the work that its client left.

A program also ends by itself if a request of its client was never answered.
"""

from __future__ import annotations

import pytest

from tests.support.scripts import run_script
from tests.support.waiting import SOON, TIMEOUT

SCRIPT = """
    import asyncio, logging, os, re, signal, sys, threading
    from confluent_kafka import _way_out
    if "block" in sys.argv[1]:  # two of them wait one after the other
        _way_out.SECONDS_ON_THE_WAY_OUT = 0.2
    from confluent_kafka import Consumer, Producer, SerializingProducer, ShareConsumer
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient, NewTopic
    from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer
    from confluent_kafka.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer
    from confluent_kafka.compat.aiokafka import TopicPartition as AIOKafkaPartition
    from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient
    from confluent_kafka.testing import MockCluster

    logging.basicConfig(format="%(message)s", level=logging.CRITICAL)
    ours = logging.getLogger("confluent_kafka")
    ours.setLevel(logging.WARNING)
    handler = logging.StreamHandler(sys.stdout)
    handler.addFilter(lambda record: re.search("clos|abort", str(record.msg) + str(record.args)))
    ours.addHandler(handler)
    config = {"bootstrap.servers": "127.0.0.1:1"}
    member = config | {"group.id": "g"}
    place = TopicPartition("t", 0, 5)

    def interrupt_soon():
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()

    def blocking(client, work):
        with client:
            interrupt_soon()
            work(client)

    async def awaiting(make, work):
        async with make() as client:
            interrupt_soon()
            await work(client)

    async def delivered(client):
        await (await client.produce("t", b"v"))

    def produced(client):
        client.produce("t", value=b"v")
        client.flush()

    def created(client):
        client.create_topics([NewTopic("t", 1)])["t"].result()

    def committed(client):
        client.assign([place])
        client.commit(offsets=[place], asynchronous=False)

    async def committed_later(client):
        await client.assign([place])
        await client.commit(offsets=[place], asynchronous=False)

    async def cut_off(make, work):
        cluster = MockCluster(1)
        cluster.create_topic("t")
        async with make({"bootstrap_servers": cluster.bootstrap_servers}) as client:
            await work(client, cluster)

    async def sent(client, cluster):
        await client.send_and_wait("t", b"v")
        cluster.close()
        interrupt_soon()
        await client.send_and_wait("t", b"v")

    async def sent_in_a_block(client, cluster):
        async with client.transaction():
            await sent(client, cluster)

    async def produced_in_a_block(client, cluster):
        await client.init_transactions()
        async with client.transaction():
            await (await client.produce("t", b"v"))
            cluster.close()
            interrupt_soon()
            await delivered(client)

    def assigned(keywords):
        client = AIOKafkaConsumer(**keywords, group_id="g")
        client.assign([AIOKafkaPartition("t", 0)])
        return client

    async def committed_there(client, cluster):
        cluster.close()
        interrupt_soon()
        await client.commit({AIOKafkaPartition("t", 0): 5})

    async def listed(client, cluster):
        cluster.close()
        interrupt_soon()
        await client.list_topics()

    PROGRAMS = {
        "AIOKafkaProducer": lambda: asyncio.run(
            cut_off(lambda keywords: AIOKafkaProducer(**keywords), sent)
        ),
        "AIOKafkaProducer's block": lambda: asyncio.run(
            cut_off(
                lambda keywords: AIOKafkaProducer(**keywords, transactional_id="t"),
                sent_in_a_block,
            )
        ),
        "AIOProducer's block": lambda: asyncio.run(
            cut_off(
                lambda keywords: AIOProducer(
                    {"bootstrap.servers": keywords["bootstrap_servers"], "transactional.id": "t"}
                ),
                produced_in_a_block,
            )
        ),
        "AIOKafkaConsumer that commits": lambda: asyncio.run(cut_off(assigned, committed_there)),
        "AIOKafkaAdminClient": lambda: asyncio.run(
            cut_off(lambda keywords: AIOKafkaAdminClient(**keywords), listed)
        ),
        "Producer": lambda: blocking(Producer(config), produced),
        "SerializingProducer": lambda: blocking(SerializingProducer(config), produced),
        "Consumer": lambda: blocking(Consumer(member), lambda client: client.poll()),
        "Consumer that commits": lambda: blocking(Consumer(member), committed),
        "ShareConsumer": lambda: blocking(
            ShareConsumer(member), lambda client: (client.subscribe(["t"]), client.poll())
        ),
        "AdminClient": lambda: blocking(AdminClient(config), created),
        "transactions": lambda: blocking(
            Producer(config | {"transactional.id": "t"}), lambda client: client.init_transactions()
        ),
        "AIOProducer": lambda: asyncio.run(awaiting(lambda: AIOProducer(config), delivered)),
        "AIOConsumer": lambda: asyncio.run(
            awaiting(lambda: AIOConsumer(member), lambda client: client.poll())
        ),
        "AIOConsumer that commits": lambda: asyncio.run(
            awaiting(lambda: AIOConsumer(member), committed_later)
        ),
        "AIOAdminClient": lambda: asyncio.run(
            awaiting(lambda: AIOAdminClient(config), lambda client: client.list_topics())
        ),
        "aio transactions": lambda: asyncio.run(
            awaiting(
                lambda: AIOProducer(config | {"transactional.id": "t"}),
                lambda client: client.init_transactions(),
            )
        ),
    }
    try:
        PROGRAMS[sys.argv[1]]()
    except KeyboardInterrupt:
        print("interrupted")
"""

GIVEN_UP = "Producer.close() gave up messages that were not delivered in time: 1"
COMMITTING = "waits for the group's coordinator"
ABORTING = "a transaction is aborted in the background"


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("Producer", GIVEN_UP),
        ("SerializingProducer", GIVEN_UP),
        ("Consumer", ""),
        ("Consumer that commits", COMMITTING),
        ("ShareConsumer", ""),
        ("AdminClient", ""),
        ("transactions", ""),
        ("AIOProducer", GIVEN_UP),
        ("AIOConsumer", ""),
        ("AIOConsumer that commits", "waits for the group's coordinator"),
        ("AIOAdminClient", ""),
        ("aio transactions", ""),
        ("AIOKafkaProducer", GIVEN_UP),
        ("AIOKafkaConsumer that commits", COMMITTING),
        ("AIOKafkaAdminClient", ""),
        ("AIOProducer's block", ABORTING),
        ("AIOKafkaProducer's block", ABORTING),
    ],
)
def test_one_interrupt_is_enough(program: str, says: str) -> None:
    """The end of a block does not wait for minutes, neither for flush() nor for a coordinator."""
    said = run_script(SCRIPT, program, timeout=int(TIMEOUT)).stdout
    assert "interrupted" in said
    assert says in said


UNCLOSED = """
    import asyncio
    from confluent_kafka import TopicPartition
    from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer

    config = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
    place = TopicPartition("t", 0, 5)

    async def main():
        admin = AIOAdminClient(config)
        producer = AIOProducer(config | {"transactional.id": "t"})
        consumer = AIOConsumer(config | {"group.id": "g"})
        calls = [
            *(client.list_topics() for client in (admin, producer, consumer)),
            *(client.cluster_id() for client in (admin, producer, consumer)),
            *(client.connect(-1) for client in (admin, producer, consumer)),
            *(client.request(3, 1) for client in (admin, producer, consumer)),
            *(client.api_versions() for client in (admin, producer, consumer)),
            admin.list_groups(),
            producer.init_transactions(),
            producer.flush(),
            consumer.committed([place]),
            consumer.get_watermark_offsets(place),
            consumer.offsets_for_times([place]),
            consumer.end_offsets([place]),
            consumer.commit(offsets=[place], asynchronous=False),
        ]
        waits = [asyncio.wait_for(call, 0.2) for call in calls]
        await asyncio.gather(*waits, return_exceptions=True)
        # Those that were given up do not keep others from their threads.
        await asyncio.wait_for(consumer.seek_to_beginning(timeout=0.1), 5)

    asyncio.run(main())
    print("ended")
"""


def test_a_process_ends_although_requests_wait() -> None:
    """The process ends, even with clients that nobody closes and requests without a time limit."""
    result = run_script(UNCLOSED, timeout=int(SOON), flags=("-W", "ignore"))
    assert result.stdout.strip() == "ended"


FACE = """
    from confluent_kafka.compat.kafka import (
        KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
    )

    config = {"bootstrap_servers": "127.0.0.1:1", "api_version": (2, 5)}
    place = TopicPartition("t", 0)

    def committing():
        consumer = KafkaConsumer(group_id="g", enable_auto_commit=False, **config)
        consumer.assign([place])
        consumer.commit_async({place: OffsetAndMetadata(1, "", -1)})
        return consumer
"""
LEFT_OPEN = """
    consumer = committing()
    print("ended")
"""
INTERRUPTED = """
    for client in (committing(), KafkaProducer(max_block_ms=0, **config)):
        try:
            with client:
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            pass
    print("ended")
"""


@pytest.mark.parametrize("program", [LEFT_OPEN, INTERRUPTED])
def test_a_process_ends_although_a_commit_waits(program: str) -> None:
    """With kafka-python's API, the process ends although no broker answers the last commit.

    This is true for a consumer that nobody closes, and for one that is closed after an exception.
    """
    result = run_script(FACE + program, timeout=25, flags=("-W", "ignore"))
    assert result.stdout.strip() == "ended"
