"""If something goes wrong, clients of compat.aiokafka do not hang, lose messages, or read them
twice."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.compat.aiokafka import (
    AIOKafkaClient,
    AIOKafkaConsumer,
    AIOKafkaProducer,
    ConsumerRebalanceListener,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka import errors as failures
from confluent_kafka.compat.aiokafka.abc import AbstractTokenProvider
from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient
from confluent_kafka.compat.aiokafka.consumer._positions import _REFUSED_AGAIN
from confluent_kafka.protocol.records import Record, RecordBatch
from confluent_kafka.testing import MockCluster
from tests.support.aio import across_an_outage, in_loop, until
from tests.support.aiokafka_consumer import consumer_at, raised_by, reading, values
from tests.support.clients import QUIET
from tests.support.kafka import numbers
from tests.support.record_batches import sent

AWAITS = 1000
METADATA = 3


@pytest.fixture(autouse=True)
def _groups_form_at_once(kafka_cluster: MockCluster) -> None:
    kafka_cluster.set_group_initial_rebalance_delay(0)


def producer_of(cluster: MockCluster, **keywords: Any) -> AIOKafkaProducer:
    return AIOKafkaProducer(bootstrap_servers=cluster.bootstrap_servers, **keywords)


class TestBrokersThatDie:
    """All brokers stop while 1,000 calls wait, and start again."""

    @in_loop
    async def test_sends(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """Each message is delivered exactly once."""
        place = TopicPartition(kafka_topic, 0)
        async with (
            producer_of(kafka_cluster, enable_idempotence=True) as sending,
            reading(kafka_cluster.bootstrap_servers, place) as consumer,
        ):
            await sending.send_and_wait(kafka_topic, b"first", partition=0)
            kafka_cluster.set_broker_down()
            deliveries = [
                await sending.send(kafka_topic, value, partition=0) for value in numbers(0, AWAITS)
            ]
            kafka_cluster.set_broker_up()
            places = await asyncio.gather(*deliveries)
            assert [one.offset for one in places] == list(range(1, AWAITS + 1))
            assert await values(consumer, AWAITS + 1) == [b"first", *numbers(0, AWAITS)]

    @in_loop
    async def test_getone(
        self, kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
    ) -> None:
        """Each getone() returns one message when the brokers are back."""
        place = TopicPartition(kafka_topic, 0)
        async with reading(kafka_cluster.bootstrap_servers, place) as consumer:
            waiting = [
                asyncio.create_task(consumer.getone(*[place] * (i % 2))) for i in range(AWAITS)
            ]
            found = await across_an_outage(kafka_cluster, producer, kafka_topic, waiting)
        assert sorted(record.offset for record in found) == list(range(AWAITS))

    @in_loop
    async def test_administration(self, kafka_cluster: MockCluster) -> None:
        """Calls fail after their timeout, and the client still works when the brokers are back."""
        servers = kafka_cluster.bootstrap_servers
        async with (
            AIOKafkaAdminClient(
                bootstrap_servers=servers, request_timeout_ms=300, properties={"logger": QUIET}
            ) as admin,
            AIOKafkaAdminClient(bootstrap_servers=servers, properties={"logger": QUIET}) as patient,
        ):
            kafka_cluster.set_broker_down()
            late = [admin.list_consumer_group_offsets("g") for _ in range(AWAITS)]
            found = await asyncio.gather(*late, return_exceptions=True)
            assert all(isinstance(one, failures.KafkaError) for one in found)
            waiting = asyncio.create_task(patient.describe_cluster())
            await asyncio.sleep(0)
            kafka_cluster.set_broker_up()
            assert len((await waiting)["brokers"]) == 3


class TestCancelled:
    """Tasks are cancelled in the middle of calls."""

    @in_loop
    async def test_send(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """Messages and batches that waited for room are not sent, but later messages are."""
        properties = {"queue.buffering.max.messages": 5}
        place = TopicPartition(kafka_topic, 0)
        async with (
            producer_of(kafka_cluster, linger_ms=60_000, properties=properties) as producer,
            reading(kafka_cluster.bootstrap_servers, place) as consumer,
        ):
            sent = [await producer.send(kafka_topic, value, partition=0) for value in numbers(0, 4)]
            batch = producer.create_batch()
            for value in numbers(4, 8):
                batch.append(key=None, value=value, timestamp=None)
            cut = asyncio.create_task(producer.send_batch(batch, kafka_topic, partition=0))
            never = asyncio.create_task(producer.send(kafka_topic, b"never", partition=0))
            engine = producer._engine
            assert engine is not None
            await until(lambda: engine._waiting == 2)
            for task in (cut, never):
                task.cancel()
                await asyncio.wait([task])
                assert task.cancelled()
            await producer.flush()
            last = await producer.send(kafka_topic, b"last", partition=0)
            await producer.flush()
            assert [(await one).offset for one in [*sent, last]] == [0, 1, 2, 3, 5]
            assert await values(consumer, 6) == [*numbers(0, 5), b"last"]

    @in_loop
    async def test_start(self) -> None:
        """If no broker answers, a cancelled start() ends at once and leaves nothing behind."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            servers = f"127.0.0.1:{silent.getsockname()[1]}"
            consumer = consumer_at(servers, "topic", group_id="g")
            producer = AIOKafkaProducer(bootstrap_servers=servers)
            admin = AIOKafkaAdminClient(bootstrap_servers=servers)
            client = AIOKafkaClient(bootstrap_servers=servers)
            starts = [producer.start(), consumer.start(), admin.start(), client.bootstrap()]
            for start in starts:
                task = asyncio.ensure_future(start)
                await asyncio.sleep(0.01)
                task.cancel()
                await asyncio.wait([task])
                assert task.cancelled()
            for end in (producer.stop, consumer.stop, admin.close, client.close):
                await end()

    @in_loop
    async def test_administration(self, kafka_cluster: MockCluster) -> None:
        """If one task is cancelled, the other tasks get their answers."""
        async with AIOKafkaAdminClient(bootstrap_servers=kafka_cluster.bootstrap_servers) as admin:
            tasks = [asyncio.ensure_future(admin.describe_cluster()) for _ in range(10)]
            tasks += [asyncio.ensure_future(admin.list_topics()) for _ in range(10)]  # type: ignore[arg-type]
            await asyncio.sleep(0)
            # On a busy machine an answer can be there already.
            cut = [task.cancel() for task in tasks[::2]]
            found = await asyncio.gather(*tasks, return_exceptions=True)
            assert [isinstance(one, asyncio.CancelledError) for one in found[::2]] == cut
            assert not any(isinstance(one, BaseException) for one in found[1::2])

    @pytest.mark.parametrize("kind", ["function", "coroutine", "coroutine that waits"])
    @pytest.mark.parametrize("method", ["on_partitions_revoked", "on_partitions_assigned"])
    @in_loop
    async def test_listener(
        self,
        kafka_cluster: MockCluster,
        filled: str,
        kind: str,
        method: str,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """If a listener cancels its task, this is logged, and the rebalance continues."""

        def cancel(*_: object) -> None:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()

        async def cancel_later(*_: object) -> None:
            cancel()
            if kind.endswith("waits"):
                await asyncio.sleep(0)

        class Quiet(ConsumerRebalanceListener):
            def on_partitions_revoked(self, revoked: Any) -> None: ...

            def on_partitions_assigned(self, assigned: Any) -> None: ...

        consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id="g")
        listener = Quiet()
        setattr(listener, method, cancel if kind == "function" else cancel_later)
        consumer.subscribe([filled], listener=listener)
        async with consumer:
            assert await values(consumer, 1) == [b"0"]
        assert "listener failed" in caplog.text


@in_loop
async def test_listener_that_waits_while_there_is_no_topic(kafka_cluster: MockCluster) -> None:
    """The listener is called once with an empty assignment, however often the client requests
    metadata."""
    calls: list[str] = []

    class Slow(ConsumerRebalanceListener):
        async def on_partitions_revoked(self, revoked: Any) -> None:
            calls.append("revoked")
            kafka_cluster.start_request_tracking()
            await until(
                lambda: sum(one.api_key == METADATA for one in kafka_cluster.requests()) > 2
            )

        async def on_partitions_assigned(self, assigned: Any) -> None:
            calls.append("assigned")

    servers = kafka_cluster.bootstrap_servers
    consumer = consumer_at(servers, group_id="g", metadata_max_age_ms=50)
    consumer.subscribe(pattern="none", listener=Slow())
    async with consumer:
        assert calls == ["revoked", "assigned"]


class TestRefused:
    """If a broker refuses a request permanently, a call of the application raises the error."""

    @pytest.mark.parametrize(
        ("request_name", "code", "error"),
        [
            ("JoinGroup", KafkaError.INVALID_GROUP_ID, failures.InvalidGroupIdError),
            ("JoinGroup", KafkaError.GROUP_MAX_SIZE_REACHED, failures.KafkaError),
            ("FindCoordinator", KafkaError.INVALID_GROUP_ID, failures.InvalidGroupIdError),
        ],
    )
    @in_loop
    async def test_to_join(
        self,
        kafka_cluster: MockCluster,
        filled: str,
        request_name: str,
        code: int,
        error: type[Exception],
    ) -> None:
        """If joining is refused, start() raises the error and stops the consumer."""
        kafka_cluster.inject_errors(request_name, [code] * 50)
        consumer = consumer_at(kafka_cluster.bootstrap_servers, filled, group_id="g")
        with pytest.raises(error):
            await consumer.start()
        await consumer.stop()

    @in_loop
    async def test_to_join_for_now(self, kafka_cluster: MockCluster, filled: str) -> None:
        """If joining is refused temporarily, no call raises: the member joins when the broker is
        ready."""
        kafka_cluster.inject_errors("JoinGroup", [KafkaError.COORDINATOR_LOAD_IN_PROGRESS])
        kafka_cluster.inject_errors("FindCoordinator", [KafkaError.COORDINATOR_NOT_AVAILABLE])
        async with consumer_at(kafka_cluster.bootstrap_servers, filled, group_id="g") as consumer:
            assert await values(consumer, 1) == [b"0"]

    @pytest.mark.parametrize("reads", [True, False])
    @in_loop
    async def test_to_join_again(
        self, kafka_cluster: MockCluster, filled: str, reads: bool
    ) -> None:
        """A reading call raises the error, and only once if the answer is repeated within 5 s.

        stop() does not raise it.
        """
        consumer = consumer_at(kafka_cluster.bootstrap_servers, filled, group_id="g")
        async with consumer:
            kafka_cluster.create_topic("more")
            kafka_cluster.inject_errors("JoinGroup", [KafkaError.INVALID_GROUP_ID] * 2)
            consumer.subscribe([filled, "more"])
            if reads:
                with pytest.raises(failures.InvalidGroupIdError):
                    await consumer.getone()
                assert await values(consumer, 1) == [b"0"]
            else:
                engine = consumer._running().engine
                await until(lambda: len(engine._failures) == 1)

    @pytest.mark.parametrize("is_member", [True, False])
    @pytest.mark.parametrize(
        ("code", "error"),
        [
            (KafkaError.GROUP_AUTHORIZATION_FAILED, failures.GroupAuthorizationFailedError),
            (KafkaError.TOPIC_AUTHORIZATION_FAILED, failures.TopicAuthorizationFailedError),
            (KafkaError.INVALID_GROUP_ID, failures.InvalidGroupIdError),
        ],
    )
    @in_loop
    async def test_committed_offsets(
        self,
        kafka_cluster: MockCluster,
        filled: str,
        is_member: bool,
        code: int,
        error: type[Exception],
    ) -> None:
        """Each reading call raises the error until the broker answers; start() returns once it has
        partitions."""
        place = TopicPartition(filled, 0)
        kafka_cluster.inject_errors("OffsetFetch", [code] * 1000)
        consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id="g")
        if is_member:
            consumer.subscribe([filled])
        else:
            consumer.assign([place])
        async with consumer:
            assert consumer.assignment() == {place}
            for _ in range(2):
                with pytest.raises(error) as raised:
                    await consumer.getone()
                assert isinstance(raised.value.__cause__, KafkaException)
                with pytest.raises(error):
                    await consumer.getmany(timeout_ms=60_000)
            with pytest.raises(error):
                await consumer.position(place)
            kafka_cluster.clear_errors()
            while True:
                with contextlib.suppress(error):
                    assert await values(consumer, 2) == [b"0", b"1"]
                    break
                await asyncio.sleep(0.01)

    @pytest.mark.parametrize("protocol", ["classic", "consumer"])
    @in_loop
    async def test_committed_offsets_and_a_seek(
        self, kafka_cluster: MockCluster, filled: str, protocol: str
    ) -> None:
        """After a seek, a partition needs no committed offset."""
        kafka_cluster.inject_errors("OffsetFetch", [KafkaError.GROUP_AUTHORIZATION_FAILED] * 1000)
        consumer = consumer_at(
            kafka_cluster.bootstrap_servers,
            filled,
            group_id="g",
            properties={"group.protocol": protocol},
        )
        async with consumer:
            await until(consumer.assignment)
            with pytest.raises(failures.GroupAuthorizationFailedError):
                await consumer.getone()
            consumer.seek(TopicPartition(filled, 0), 7)
            assert await values(consumer, 2) == [b"7", b"8"]
            kafka_cluster.clear_errors()
            await asyncio.sleep(2 * _REFUSED_AGAIN)
            assert await values(consumer, 2) == [b"9", b"10"]

    @pytest.mark.kafka_topic(partitions=4)
    @pytest.mark.parametrize("strategy", ["roundrobin", "cooperative-sticky"])
    @in_loop
    async def test_committed_offsets_and_a_rebalance(
        self, kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, strategy: str
    ) -> None:
        """Each member reads its own partitions, and nothing is read twice."""
        for partition in range(4):
            producer.produce(kafka_topic, b"%d" % partition, partition=partition)
        await asyncio.to_thread(producer.flush)
        kafka_cluster.inject_errors("OffsetFetch", [KafkaError.GROUP_AUTHORIZATION_FAILED] * 1000)
        one, two = (
            consumer_at(
                kafka_cluster.bootstrap_servers,
                kafka_topic,
                group_id="g",
                properties={"partition.assignment.strategy": strategy},
            )
            for _ in range(2)
        )
        async with one, two:
            await until(lambda: len(one.assignment()) == len(two.assignment()) == 2)
            kafka_cluster.clear_errors()
            found: list[Any] = []
            while len(found) < 4:
                for consumer in (one, two):
                    with contextlib.suppress(failures.GroupAuthorizationFailedError):
                        of_partitions = await consumer.getmany(timeout_ms=50)
                        assert of_partitions.keys() <= consumer.assignment()
                        for records in of_partitions.values():
                            found += records
            assert sorted(record.value for record in found) == [b"0", b"1", b"2", b"3"]

    @in_loop
    async def test_first_offsets_late(self, kafka_cluster: MockCluster, filled: str) -> None:
        """A request that no broker answers in time is repeated, also without a group."""
        kafka_cluster.inject_errors("ListOffsets", [KafkaError.NOT_LEADER_FOR_PARTITION] * 1000)
        consumer = consumer_at(
            kafka_cluster.bootstrap_servers, filled, request_timeout_ms=1000, retry_backoff_ms=50
        )
        async with consumer:  # start() waits as long as request_timeout_ms
            kafka_cluster.clear_errors()
            assert await values(consumer, 1) == [b"0"]


class TestCorruptBatches:
    """Batches whose checksums are wrong."""

    @pytest.fixture
    def kafka_cluster(self) -> Iterator[MockCluster]:
        """A cluster of one broker, to which the tests send batches by hand."""
        with MockCluster(brokers=1) as cluster:
            yield cluster

    @pytest.fixture
    def corrupt(self, kafka_cluster: MockCluster, kafka_topic: str) -> TopicPartition:
        """A partition with three messages; the checksum of the second one is wrong."""
        for value in (b"0", b"1", b"2"):
            batch = RecordBatch.of([Record(0, 1000, None, value, ())])
            if value == b"1":
                batch = replace(batch, crc=batch.crc ^ 1)
            sent(kafka_cluster, kafka_topic, batch.encode())
        return TopicPartition(kafka_topic, 0)

    @pytest.mark.parametrize("group", [None, "g"])
    @in_loop
    async def test_checked(
        self, kafka_cluster: MockCluster, corrupt: TopicPartition, group: str | None
    ) -> None:
        """Each call raises CorruptRecordException until the application seeks; stop() does not
        raise it."""
        servers = kafka_cluster.bootstrap_servers
        consumer = consumer_at(servers, corrupt.topic, group_id=group)
        async with consumer:
            assert await values(consumer, 1) == [b"0"]
            for _ in range(2):
                with pytest.raises(failures.CorruptRecordException, match="CRC"):
                    await consumer.getone()
                with pytest.raises(failures.CorruptRecordException, match="CRC"):
                    await consumer.getmany(timeout_ms=60_000)
                assert await consumer.position(corrupt) == 1
            consumer.seek(corrupt, 2)
            assert await values(consumer, 1) == [b"2"]
            consumer.seek(corrupt, 1)
            engine = consumer._running().engine
            await until(lambda: engine.client._queue_length() > 0)

    @in_loop
    async def test_not_checked(self, kafka_cluster: MockCluster, corrupt: TopicPartition) -> None:
        """With check_crcs=False, messages with a wrong checksum are read."""
        async with reading(kafka_cluster.bootstrap_servers, corrupt, check_crcs=False) as consumer:
            assert await values(consumer, 3) == [b"0", b"1", b"2"]


class TestCallbacksThatRaise:
    """The call that uses a callback raises its exception, and the client still works."""

    @pytest.mark.parametrize("callback", ["key_serializer", "value_serializer", "partitioner"])
    @in_loop
    async def test_sending(
        self, kafka_cluster: MockCluster, kafka_topic: str, callback: str
    ) -> None:
        """send(), and append() of a batch, raise a serializer's exception, and the message is not
        sent."""
        broken = True

        def work(*arguments: Any) -> Any:
            if broken:
                raise ZeroDivisionError
            return 0 if callback == "partitioner" else arguments[0]

        place = TopicPartition(kafka_topic, 0)
        keywords: dict[str, Any] = {callback: work}
        async with (
            producer_of(kafka_cluster, **keywords) as producer,
            reading(kafka_cluster.bootstrap_servers, place) as consumer,
        ):
            with pytest.raises(ZeroDivisionError):
                await producer.send(kafka_topic, b"1", b"key")
            with pytest.raises(ZeroDivisionError):
                await producer.send_and_wait(kafka_topic, b"2", b"key")
            if callback != "partitioner":
                with pytest.raises(ZeroDivisionError):
                    producer.create_batch().append(key=b"key", value=b"3", timestamp=None)
            broken = False
            await producer.send_and_wait(kafka_topic, b"4", b"key")
            assert await values(consumer, 1) == [b"4"]

    @pytest.mark.parametrize("kind", [AIOKafkaConsumer, AIOKafkaProducer, AIOKafkaAdminClient])
    @in_loop
    async def test_token_provider(self, kafka_cluster: MockCluster, kind: type[Any]) -> None:
        """The error of start() contains the exception of the token provider; stop() ends the
        client."""

        class Broken(AbstractTokenProvider):
            async def token(self) -> str:
                raise ZeroDivisionError("no token today")

        text = ""
        # a busy machine may not call the provider in time
        while "ZeroDivisionError: no token today" not in text:
            client = kind(
                bootstrap_servers=kafka_cluster.bootstrap_servers,
                security_protocol="SASL_PLAINTEXT",
                sasl_mechanism="OAUTHBEARER",
                sasl_oauth_token_provider=Broken(),
                request_timeout_ms=500,
                properties={"logger": QUIET},
            )
            with pytest.raises(failures.KafkaError) as raised:
                await client.start()
            text = str(raised.value)
            await (client.close() if kind is AIOKafkaAdminClient else client.stop())


class TestStop:
    """stop() and close() while calls wait."""

    @in_loop
    async def test_sends_that_wait_for_room(
        self, kafka_cluster: MockCluster, kafka_topic: str
    ) -> None:
        """Sends that wait for room raise ProducerClosed; queued messages are delivered."""
        properties = {"queue.buffering.max.messages": 5}
        producer = producer_of(kafka_cluster, linger_ms=60_000, properties=properties)
        await producer.start()
        sent = [await producer.send(kafka_topic, value, partition=0) for value in numbers(0, 5)]
        batch = producer.create_batch()
        batch.append(key=None, value=b"5", timestamp=None)
        late: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(producer.send(kafka_topic, b"6", partition=0)),
            asyncio.ensure_future(producer.send_batch(batch, kafka_topic, partition=0)),
        ]
        engine = producer._engine
        assert engine is not None
        await until(lambda: engine._waiting == 2)
        await producer.stop()
        assert [(await one).offset for one in sent] == list(range(5))
        for one in late:
            assert type(await raised_by(one)) is failures.ProducerClosed

    @in_loop
    async def test_send_that_lets_others_run(
        self, kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A send() that lets other tasks run also raises ProducerClosed if stop() is called
        meanwhile."""
        producer = producer_of(kafka_cluster)
        await producer.start()
        await producer.send_and_wait(kafka_topic, b"0", partition=0)
        engine = producer._engine
        assert engine is not None
        engine._end_turn()
        monkeypatch.setattr(engine, "_let_others", producer.stop)
        one = asyncio.ensure_future(producer.send(kafka_topic, b"1", partition=0))
        assert type(await raised_by(one)) is failures.ProducerClosed

    @in_loop
    async def test_flush(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """flush() ends when the messages are delivered; stop() also waits for this."""
        properties = {"logger": QUIET, "reconnect.backoff.ms": 10, "reconnect.backoff.max.ms": 50}
        producer = producer_of(kafka_cluster, properties=properties)
        await producer.start()
        await producer.partitions_for(kafka_topic)
        kafka_cluster.set_broker_down()
        sent = await producer.send(kafka_topic, b"0", partition=0)
        flushing = [asyncio.create_task(producer.flush()) for _ in range(3)]
        await asyncio.sleep(0)
        stopping = asyncio.create_task(producer.stop())
        await asyncio.sleep(0.3)  # flush() has checked again
        kafka_cluster.set_broker_up()
        await asyncio.gather(stopping, *flushing)
        assert sent.result().offset == 0

    @in_loop
    async def test_requests(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """Requests end with an error if no broker answers, even requests that wait for a thread."""
        place = TopicPartition(kafka_topic, 0)
        servers, quiet = kafka_cluster.bootstrap_servers, {"logger": QUIET}
        consumer = consumer_at(servers, properties=quiet)
        consumer.assign([place])
        producer = producer_of(kafka_cluster, transactional_id="t", properties=quiet)
        await asyncio.gather(consumer.start(), producer.start())
        await producer.begin_transaction()
        kafka_cluster.set_broker_down()
        calls = [
            *(consumer.end_offsets([place]) for _ in range(10)),
            consumer.seek_to_end(place),
            consumer.topics(),
            *(producer.send_offsets_to_transaction({place: 1}, "g") for _ in range(10)),
            producer.abort_transaction(),
        ]
        waiting = [asyncio.ensure_future(call) for call in calls]  # type: ignore[arg-type]
        await asyncio.sleep(0)
        await asyncio.gather(consumer.stop(), producer.stop())
        stopped = (failures.KafkaError, failures.ConsumerStoppedError)
        for one in waiting:
            assert isinstance(await raised_by(one), stopped)

    @in_loop
    async def test_close_of_an_admin_client_that_waits(self, kafka_cluster: MockCluster) -> None:
        """Waiting calls of an admin client end with an error, and do not stop close()."""
        admin = AIOKafkaAdminClient(
            bootstrap_servers=kafka_cluster.bootstrap_servers, properties={"logger": QUIET}
        )
        await admin.start()
        kafka_cluster.set_broker_down()
        waiting = [asyncio.ensure_future(admin.describe_cluster()) for _ in range(100)]
        await asyncio.sleep(0)
        await asyncio.gather(admin.close(), admin.close())
        for one in waiting:
            assert isinstance(await raised_by(one), failures.KafkaError)
        with pytest.raises(failures.KafkaConnectionError, match="was not started, or was closed"):
            await admin.describe_cluster()
