"""FastStream runs unchanged on compat.aiokafka."""

from __future__ import annotations

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.scripts import run_script

pytest.importorskip("faststream", reason="faststream is not installed")


def test_an_application(kafka_cluster: MockCluster) -> None:
    """Handlers, publishers, batches, manual acknowledgement and declared topics work together."""
    kafka_cluster.set_group_initial_rebalance_delay(0)
    result = run_script(
        """
        import asyncio, logging, sys
        import confluent_kafka.compat
        confluent_kafka.compat.install("aiokafka")
        from faststream import AckPolicy, FastStream
        from faststream.kafka import KafkaBroker
        from faststream.kafka.annotations import KafkaMessage

        class Failures(logging.Handler):
            seen = []
            def emit(self, record):
                if record.levelno >= logging.WARNING:
                    self.seen.append(record.getMessage())

        logging.getLogger().addHandler(Failures())
        broker = KafkaBroker(sys.argv[1])
        app = FastStream(broker)
        names, texts, batches = [], [], []
        done = asyncio.Event()

        @broker.subscriber("names", group_id="names", auto_offset_reset="earliest")
        @broker.publisher("texts")
        async def greet(name: str, message: KafkaMessage) -> str:
            names.append((name, message.headers["from"]))
            return f"Hello, {name}"

        @broker.subscriber(
            "texts", group_id="texts", auto_offset_reset="earliest", ack_policy=AckPolicy.ACK
        )
        async def read(text: str) -> None:
            texts.append(text)
            if len(texts) == 3:
                done.set()

        @broker.subscriber("numbers", batch=True, auto_offset_reset="earliest")
        async def add(numbers: list[int]) -> None:
            batches.extend(numbers)

        @app.after_startup
        async def publish() -> None:
            for name in ("a", "b", "c"):
                await broker.publish(name, "names", headers={"from": "test"}, key=b"k")
            await broker.publish_batch(1, 2, 3, topic="numbers")
            await asyncio.wait_for(done.wait(), 60)
            while len(batches) < 3:
                await asyncio.sleep(0.01)
            assert await broker.ping(10)
            app.exit()

        asyncio.run(app.run())
        assert names == [(name, "test") for name in "abc"], names
        assert texts == [f"Hello, {name}" for name in "abc"], texts
        assert batches == [1, 2, 3], batches
        assert not Failures.seen, Failures.seen
        """,
        kafka_cluster.bootstrap_servers,
    )
    assert result.returncode == 0, result.stderr


def test_the_test_broker() -> None:
    """FastStream's broker for tests, which needs no server, runs handlers as before."""
    result = run_script("""
        import asyncio
        import confluent_kafka.compat
        confluent_kafka.compat.install("aiokafka")
        from faststream.kafka import KafkaBroker, TestKafkaBroker, TopicPartition

        broker = KafkaBroker()

        @broker.subscriber("names")
        @broker.publisher("texts")
        async def greet(name: str) -> str:
            return f"Hello, {name}"

        @broker.subscriber(partitions=[TopicPartition("texts", 0)], batch=False)
        async def read(text: str) -> None:
            pass

        async def test() -> None:
            async with TestKafkaBroker(broker) as testing:
                await testing.publish("a", "names")
                greet.mock.assert_called_once_with("a")

        asyncio.run(test())
    """)
    assert result.returncode == 0, result.stderr
