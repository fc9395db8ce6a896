"""connect() returns when a broker answers, or raises the reason. last_error is the latest error."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.clients import config
from tests.support.kafka import NO_BROKER, Reports
from tests.support.scripts import check_script
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

each_client = pytest.mark.parametrize("client", [Producer, Consumer])
NO_HOST = "no-such-host.invalid:9092"


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a broker that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def refusal(client: Any, timeout: float = TIMEOUT, topic: str | None = None) -> KafkaError:
    """The error that connect() raises."""
    with pytest.raises(KafkaException) as caught:
        client.connect(timeout, topic)
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    return error


class TestConnect:
    @each_client
    def test_a_broker_answers(self, kafka_cluster: MockCluster, client: type[Any]) -> None:
        """connect() returns None when one broker has answered; the other brokers may be down."""
        servers = f"{NO_BROKER},{kafka_cluster.bootstrap_servers}"
        with client(config({"bootstrap.servers": servers})) as connected:
            assert connected.connect(TIMEOUT) is None
            assert connected.connect() is None

    @each_client
    @pytest.mark.parametrize(
        ("servers", "code", "words"),
        [
            (NO_BROKER, KafkaError._TRANSPORT, "refused"),
            (NO_HOST, KafkaError._RESOLVE, "no-such-host.invalid"),
            (f"{NO_BROKER},{NO_HOST}", KafkaError._RESOLVE, "no-such-host.invalid"),
        ],
    )
    def test_no_broker(self, client: type[Any], servers: str, code: int, words: str) -> None:
        """connect() raises the cause's code long before the timeout, also when it is called
        again."""
        with client(config({"bootstrap.servers": servers})) as alone:
            for _ in range(2):
                watch = Stopwatch()
                error = refusal(alone)
                assert watch.elapsed < SOON
                assert error.code() == code
                assert words in error.str()

    @each_client
    def test_nothing_happens(self, client: type[Any], silent: str) -> None:
        """If a broker does not answer, connect() raises _TRANSPORT or _TIMED_OUT after the
        timeout."""
        with client(config({"bootstrap.servers": silent})) as waiting:
            watch = Stopwatch()
            error = refusal(waiting, 0.5)
            assert 0.4 < watch.elapsed < SOON
            assert error.code() in {KafkaError._TRANSPORT, KafkaError._TIMED_OUT}

    def test_an_unknown_topic(self, kafka_cluster: MockCluster, consumer: Consumer) -> None:
        """If the topic has an error, connect() with the topic raises it; without the topic, it
        succeeds."""
        kafka_cluster.create_topic("topic")
        kafka_cluster.set_topic_error("topic", KafkaError.TOPIC_AUTHORIZATION_FAILED)
        error = refusal(consumer, topic="topic")
        assert error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
        assert "'topic'" in error.str()
        consumer.connect(TIMEOUT)

    def test_callbacks_run_meanwhile(self) -> None:
        """error_cb is called on the thread that waits, and connect() raises its exception."""
        told: list[tuple[int, KafkaError]] = []

        def note(error: KafkaError) -> None:
            told.append((threading.get_ident(), error))

        with Producer(config({"error_cb": note})) as producer:
            refusal(producer)
        assert {thread for thread, _ in told} == {threading.get_ident()}
        # A slow machine may report a second attempt, too.
        assert [error.code() for _, error in told][:2] == [
            KafkaError._TRANSPORT,
            KafkaError._ALL_BROKERS_DOWN,
        ]

    @each_client
    def test_a_callback_raises(self, client: type[Any]) -> None:
        """connect() raises the exception of a callback."""
        failures = iter([ZeroDivisionError("first")])

        def fail(error: KafkaError) -> None:
            for failure in failures:
                raise failure

        with client(config({"error_cb": fail})) as alone:
            with pytest.raises(ZeroDivisionError, match="first"):
                alone.connect(TIMEOUT)
            refusal(alone)

    def test_messages_are_kept(self, filled: str, consumer: Consumer) -> None:
        """connect() loses no messages of a consumer that is already reading."""
        consumer.assign([TopicPartition(filled, 0, 0)])
        first = consumer.poll(TIMEOUT)
        assert first is not None
        for _ in range(3):
            consumer.connect(TIMEOUT)
        values = [message.value() for message in consumer.consume(99, TIMEOUT)]
        assert values == [b"%d" % number for number in range(1, 100)]

    def test_beside_another_thread(self, consumer: Consumer, kafka_topic: str) -> None:
        """connect() returns even while another thread polls without limit."""
        consumer.assign([TopicPartition(kafka_topic, 0)])
        polling = threading.Thread(target=consumer.poll)
        polling.start()
        try:
            consumer.connect(TIMEOUT)
        finally:
            wait_until(lambda: not polling.is_alive(), consumer.wakeup)
            polling.join()

    def test_in_a_callback(self, make_producer: MakeProducer, kafka_topic: str) -> None:
        """connect() may be called in a delivery callback."""
        answers: list[object] = []
        producer = make_producer()
        producer.produce(
            kafka_topic, on_delivery=lambda *_: answers.append(producer.connect(TIMEOUT))
        )
        assert producer.flush(TIMEOUT) == 0
        assert answers == [None]

    @each_client
    def test_wakeup(self, client: type[Any], silent: str) -> None:
        """If another thread calls wakeup(), connect() raises _INTR."""
        with client(config({"bootstrap.servers": silent})) as waiting:
            codes: list[int] = []
            thread = threading.Thread(
                target=lambda: codes.append(refusal(waiting, timeout=-1).code())
            )
            thread.start()
            wait_until(lambda: codes, waiting.wakeup)
            thread.join()
        assert codes == [KafkaError._INTR]

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
    @pytest.mark.parametrize("client", ["Producer", "Consumer"])
    def test_signals(self, client: str, silent: str) -> None:
        """A signal handler runs while connect() waits, and connect() raises its exception."""
        script = f"""
            import signal, sys
            from confluent_kafka import Consumer, Producer

            def stop(number, frame):
                raise KeyError(number)

            signal.signal(signal.SIGALRM, stop)
            settings = {{"bootstrap.servers": sys.argv[1], "group.id": "g", "log_level": 0}}
            client = {client}(settings)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                client.connect(-1)
            except KeyError:
                print("raised")
            client.close()
        """
        assert check_script(script, silent) == "raised\n"


class TestLastError:
    @each_client
    def test_nothing_happened(self, kafka_cluster: MockCluster, client: type[Any]) -> None:
        """Without an error, last_error is None; the application cannot set it."""
        with client(config({"bootstrap.servers": kafka_cluster.bootstrap_servers})) as working:
            working.connect(TIMEOUT)
            assert working.last_error is None
            with pytest.raises(AttributeError):
                working.last_error = None

    @each_client
    @pytest.mark.parametrize("callback", [True, False])
    def test_the_latest(self, client: type[Any], callback: bool) -> None:
        """poll() records the latest error, with and without error_cb; it stays after close()."""
        told: list[KafkaError] = []
        with client(config({"error_cb": told.append} if callback else {})) as alone:
            wait_until(
                lambda: alone.last_error == KafkaError._ALL_BROKERS_DOWN,
                lambda: alone.poll(0.01),
            )
        assert alone.last_error == KafkaError._ALL_BROKERS_DOWN
        if callback:
            assert told[-1] is alone.last_error

    def test_poll_counts_callbacks_alone(self) -> None:
        """poll() does not count an error if there is no error_cb."""
        with Producer(config()) as producer:
            counts: list[int] = []
            wait_until(lambda: producer.last_error, lambda: counts.append(producer.poll(0.01)))
        assert set(counts) == {0}


def test_a_request_that_fails_keeps_reports() -> None:
    """A failed request runs no delivery callbacks; later poll() runs one for every message."""
    reports = Reports()
    with Producer(config({"message.timeout.ms": 100})) as producer:
        for _ in range(10):
            producer.produce("topic", partition=0, on_delivery=reports)
        wait_until(lambda: producer.last_error, lambda: refusal(producer, 0.01))
        before = len(reports)
        for _ in range(3):
            with pytest.raises(KafkaException):
                producer.list_topics(timeout=0.2)
        assert len(reports) == before
        assert producer.flush(TIMEOUT) == 0
    assert len(reports) == 10
    assert set(reports.errors) == {KafkaError._MSG_TIMED_OUT}


class TestStatistics:
    INTERVAL: ClassVar = {"statistics.interval.ms": 20}

    def test_off_by_default(self, make_producer: MakeProducer) -> None:
        """stats() returns None without statistics.interval.ms."""
        producer = make_producer()
        producer.connect(TIMEOUT)
        assert producer.stats() is None

    def test_producer(self, make_producer: MakeProducer, kafka_topic: str) -> None:
        """The statistics count sent messages per client, broker, topic and partition."""
        producer = make_producer(self.INTERVAL | {"client.id": "me", "enable.idempotence": True})
        for _ in range(10):
            producer.produce(kafka_topic, bytes(100), partition=0)
        assert producer.flush(TIMEOUT) == 0
        wait_until(
            lambda: (
                (found := producer.stats()) is not None and (found.txmsgs, found.msg_cnt) == (10, 0)
            ),
            lambda: producer.poll(0.05),
        )
        statistics = producer.stats()
        assert statistics is not None
        assert (statistics.type, statistics.client_id) == ("producer", "me")
        topic = statistics.topics[kafka_topic]
        assert (topic.topic, topic.partitions[0].txmsgs) == (kafka_topic, 10)
        assert topic.batchcnt.sum <= 10
        assert any(
            broker.state == "UP" and broker.req["Produce"] > 0 and broker.rtt.hdrsize > 0
            for broker in statistics.brokers.values()
        )
        assert statistics.eos is not None
        assert statistics.eos.idemp_state == "Assigned"
        assert statistics.cgrp is None

    def test_consumer(self, make_consumer: MakeConsumer, filled: str) -> None:
        """The statistics count read messages, and contain the group's state; stats_cb is called,
        too."""
        told: list[str] = []
        # A consumer that commits looks up its group's coordinator.
        settings = {"stats_cb": told.append, "enable.auto.commit": True}
        consumer = make_consumer(self.INTERVAL | settings)
        consumer.assign([TopicPartition(filled, 0, 0)])
        assert len(consumer.consume(100, TIMEOUT)) == 100

        def is_told() -> bool:
            found = consumer.stats()
            return (
                found is not None
                and found.rxmsgs == 100
                and found.topics[filled].partitions[0].app_offset == 100
                and found.cgrp is not None
                and found.cgrp.state == "up"
            )

        wait_until(is_told, lambda: consumer.poll(0.05))
        statistics = consumer.stats()
        assert told
        assert statistics is not None
        assert statistics.eos is None

    def test_poll_counts_callbacks_alone(self, make_producer: MakeProducer) -> None:
        """Without stats_cb, poll() does not count statistics."""
        producer = make_producer(self.INTERVAL)
        counts: list[int] = []
        wait_until(lambda: producer.stats(), lambda: counts.append(producer.poll(0.05)))
        assert set(counts) == {0}


class TestLag:
    def test_while_reading(self, filled: str, consumer: Consumer) -> None:
        """lag() is the distance from the position to the end in the last fetch; at the end it is
        0."""
        place = TopicPartition(filled, 0)
        assert consumer.lag() == {}
        consumer.assign([TopicPartition(filled, 0, 0)])
        wait_until(lambda: consumer.get_watermark_offsets(place, cached=True)[1] == 100)
        assert consumer.lag() == {place: 100}
        assert consumer.poll(TIMEOUT) is not None
        assert consumer.lag() == {place: 99}
        assert len(consumer.consume(99, TIMEOUT)) == 99
        assert consumer.lag() == {place: 0}
        (key,) = consumer.lag()
        assert key.offset == 100
        consumer.seek(TopicPartition(filled, 0, 40))
        assert consumer.poll(TIMEOUT) is not None
        assert consumer.lag() == {place: 59}
        consumer.unassign()
        assert consumer.lag() == {}

    def test_without_a_request(
        self, kafka_cluster: MockCluster, filled: str, consumer: Consumer
    ) -> None:
        """lag() works while no broker answers."""
        consumer.assign([TopicPartition(filled, 0, 0)])
        assert len(consumer.consume(10, TIMEOUT)) == 10
        kafka_cluster.set_broker_down()
        watch = Stopwatch()
        assert consumer.lag() == {TopicPartition(filled, 0): 90}
        assert watch.elapsed < SOON

    @pytest.mark.kafka_topic(partitions=2)
    def test_not_known_yet(
        self, kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
    ) -> None:
        """The lag of a partition is None until something of it was fetched."""
        kafka_cluster.set_broker_down()
        places = [TopicPartition(kafka_topic, number) for number in range(2)]
        consumer.assign(places)
        assert consumer.lag() == dict.fromkeys(places)

    @pytest.mark.parametrize(("start", "lag"), [("beginning", 100), ("end", 0)])
    def test_from_a_logical_offset(
        self, filled: str, consumer: Consumer, start: str, lag: int
    ) -> None:
        """If the assignment starts at the beginning or end, the lag is known before the first
        message."""
        offsets = {"beginning": -2, "end": -1}
        place = TopicPartition(filled, 0)
        consumer.assign([TopicPartition(filled, 0, offsets[start])])
        wait_until(lambda: consumer.get_watermark_offsets(place, cached=True)[1] == 100)
        assert consumer.lag() == {place: lag}
