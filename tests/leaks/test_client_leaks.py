"""Clients leak nothing: neither a call's objects and exceptions, nor the client itself."""

from __future__ import annotations

import contextlib
import gc
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic, OffsetSpec
from confluent_kafka.testing import MockCluster
from tests.support.clients import (
    ADMIN_REQUESTS,
    CONSUMER_CALLS,
    PRODUCER_CALLS,
    SHARE_CALLS,
    config,
)
from tests.support.kafka import Reports, send
from tests.support.patches import needs
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT, wait_until

CALLS: list[tuple[type[Any], str, Callable[[Any], object]]] = [
    *((Producer, name, call) for name, call in PRODUCER_CALLS.items()),
    *((Consumer, name, call) for name, call in CONSUMER_CALLS.items()),
    *((ShareConsumer, name, call) for name, call in SHARE_CALLS.items()),
]
each_call = pytest.mark.parametrize(
    ("client", "call"),
    [pytest.param(client, call, id=f"{client.__name__}.{name}") for client, name, call in CALLS],
)
each_client = pytest.mark.parametrize("client", [Producer, Consumer, ShareConsumer, AdminClient])
ROWS = 50

# Rounds for work that takes longer than a call: clients, requests, dozens of messages.
METADATA, ALL_TOPICS = 3, b"\xff\xff\xff\xff"
SOME = 100
FEW = 40


def close(client: Any) -> None:
    client.close(0) if isinstance(client, Producer) else client.close()


def ignoring(call: Callable[[], object]) -> Callable[[], None]:
    def work() -> None:
        with contextlib.suppress(Exception):
            call()

    return work


class TestLife:
    @each_client
    def test_made_and_closed(self, client: type[Any]) -> None:
        """A client that is created and closed leaks nothing."""
        assert_no_leaks(lambda: close(client(config(client=client))), SOME)

    @each_client
    def test_made_with_callbacks(self, client: type[Any]) -> None:
        """A closed client releases its callbacks, its logger and the objects that they use."""

        def make_cycle() -> None:
            data: list[Any] = []
            settings: dict[str, Any] = {
                "error_cb": lambda error: data.append(error),
                "stats_cb": lambda text: data.append(text),
                "throttle_cb": lambda event: data.append(event),
                "logger": logging.NullHandler(),
            }
            made = client(config(settings, client))
            data.append(made)  # a cycle through each of the callbacks
            if client is ShareConsumer:
                made.set_acknowledgement_commit_callback(lambda *_: data)
                made.subscribe(["topic"])
            made.poll(0)
            close(made)

        def work() -> None:
            make_cycle()
            gc.collect()

        assert_no_leaks(work)

    @pytest.mark.parametrize("client", [Producer, Consumer])  # all clients share this code
    @pytest.mark.parametrize(
        "more",
        [
            {"bootstrap_servers": "misspelt"},
            {"error_cb": "no callable"},
            {"logger": 1},
            {"socket.timeout.ms": -5},
            {"default.topic.config": {"nothing": 1}},
            {"debug": "nothing"},
            {"group.id": "\ud800"},
        ],
        ids=lambda more: next(iter(more)),
    )
    def test_refused(self, client: type[Any], more: dict[str, Any]) -> None:
        """A client whose creation fails leaves nothing behind."""
        with pytest.raises((KafkaException, TypeError, ValueError)):
            client(config(more, client))
        assert_no_leaks(ignoring(lambda: client(config(more, client))))


class TestErrors:
    @each_call
    def test_on_a_client_without_brokers(
        self, client: type[Any], call: Callable[[Any], object]
    ) -> None:
        """Calls on an open client leak nothing if they fail or return nothing."""
        made = client(config({"queue.buffering.max.messages": 10}, client))
        assert_no_leaks(ignoring(lambda: call(made)), SOME)
        close(made)

    @each_call
    def test_closed(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """Calls on a closed client leak nothing."""
        made = client(config(client=client))
        close(made)
        with pytest.raises(RuntimeError):
            call(made)
        assert_no_leaks(ignoring(lambda: call(made)))

    @each_call
    def test_wrong_arguments(
        self, client: type[Any], call: Callable[[Any], object], request: pytest.FixtureRequest
    ) -> None:
        """Calls with arguments of a wrong type, wrong name or wrong number leak nothing."""
        made = client(config(client=client))
        method = getattr(made, request.node.callspec.id.partition(".")[2])
        bad = object()
        wrong: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
            ((bad,), {}),
            (("topic", bad), {}),
            (("\ud800",), {}),
            ((bad,) * 12, {}),
            ((), {"unknown": bad}),
        ]

        def work() -> None:
            for args, kwargs in wrong:
                with contextlib.suppress(Exception):
                    method(*args, **kwargs)

        assert_no_leaks(work, SOME)
        close(made)


def settled(futures: Any) -> list[BaseException | None]:
    """Wait for the answers to a request; return the exceptions of the failed ones."""
    futures = futures.values() if isinstance(futures, dict) else [futures]
    return [future.exception(TIMEOUT) for future in futures]


class TestAdministration:
    """Requests run in parallel, because each of them may wait for its timeout."""

    def test_without_brokers(self) -> None:
        """Failed requests leak nothing, nor do their futures with the exceptions."""
        with AdminClient(config()) as admin:

            def work() -> None:
                for futures in [request(admin, 0.01) for request in ADMIN_REQUESTS.values()]:
                    settled(futures)

            assert_no_leaks(work, SOME)

    def test_answered(self, kafka_topic: str, kafka_cluster: MockCluster) -> None:
        """Requests that the embedded cluster answers leak nothing."""
        place = TopicPartition(kafka_topic, 0, 1)
        group = [ConsumerGroupTopicPartitions("group", [place])]
        settings = config({"bootstrap.servers": kafka_cluster.bootstrap_servers})
        with AdminClient(settings) as admin:

            def work() -> None:
                sent: list[Any] = [
                    admin.list_consumer_groups(),
                    admin.alter_consumer_group_offsets(group),
                    admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions("group")]),
                    admin.list_offsets({place: OffsetSpec.latest()}),
                ]
                assert [settled(futures) for futures in sent] == [[None]] * 4

            assert_no_leaks(work, SOME)

    def test_cancelled(self) -> None:
        """Cancelled requests leak nothing."""
        cancelled = 0
        with AdminClient(config()) as admin:

            def work() -> None:
                nonlocal cancelled
                # cancel() returns False if the request has already timed out.
                cancelled += admin.describe_cluster(request_timeout=0.01).cancel()
                wait_until(lambda: len(admin) == 0)

            assert_no_leaks(work, SOME)
        assert cancelled > SOME

    def test_refused(self) -> None:
        """Refused requests leak nothing, even if a part of their arguments has been read."""
        wrong: list[tuple[str, object, dict[str, object]]] = [
            ("create_topics", [NewTopic("a"), NewTopic("b", 1, 1, [[1]])], {}),
            ("create_topics", [NewTopic("a", config={"\ud800": "b"})], {}),
            ("create_topics", [NewTopic("a", 1, replica_assignment=[[1], [1]])], {}),
            ("create_partitions", [NewPartitions("a", 1, [[1], [1]])], {}),
            ("delete_topics", ["a", "\ud800"], {}),
            ("describe_configs", [(2, "a"), (99, "a")], {}),
            ("alter_configs", [(2, "a", [("a", "b"), ("a", object())])], {}),
            ("incremental_alter_configs", [(2, "a", [("a", 0, "b"), ("a", 9, "b")])], {}),
            ("create_acls", [(2, "a", 3, "b", "c", 3, 3), (2, "a", 3, "b", None, 3, 3)], {}),
            ("describe_acls", (2, "a", 3, "b", "c", 3, 99), {}),
            ("list_consumer_group_offsets", ("a", [object()]), {}),
            ("alter_consumer_group_offsets", ("a", None), {}),
            ("elect_leaders", (9, None), {}),
            ("alter_user_scram_credentials", [("a", 1), ("b", 1, 4096, b"c", "d")], {}),
            ("describe_cluster", None, {"request_timeout": 5, "broker": "a"}),
            ("list_consumer_groups", None, {"states": [1, 99]}),
            ("describe_cluster", None, {"states": [1]}),
        ]
        with AdminClient(config()) as admin:
            for request, argument, options in wrong:
                with pytest.raises((TypeError, ValueError)):
                    admin._request(request, argument, options, failing)

            def work() -> None:
                for request, argument, options in wrong:
                    with contextlib.suppress(Exception):
                        admin._request(request, argument, options, failing)

            assert_no_leaks(work, SOME)

    def test_closed_while_pending(self) -> None:
        """Requests that are pending when their client is closed leak nothing."""

        def work() -> None:
            admin = AdminClient(config())
            sent = [request(admin, TIMEOUT) for request in ADMIN_REQUESTS.values()]
            admin.close()
            for futures in sent:
                assert None not in settled(futures)

        assert_no_leaks(work)


def failing(*_: object) -> None:
    raise ZeroDivisionError


class TestProducing:
    @pytest.fixture
    def producer(self, kafka_cluster: MockCluster) -> Iterator[Producer]:
        bootstrap = kafka_cluster.bootstrap_servers
        with Producer({"bootstrap.servers": bootstrap, "linger.ms": 0}) as producer:
            yield producer

    def test_reports(self, kafka_topic: str, producer: Producer) -> None:
        """Messages with a key, a value, headers and a callback do not leak, nor do their delivery
        reports."""

        def work() -> None:
            reports = Reports()
            for number in range(ROWS):
                headers = [("name", b"content"), ("none", None)]
                producer.produce(
                    kafka_topic, f"value {number}", b"key", 0, reports, headers=headers
                )
            assert producer.flush(TIMEOUT) == 0
            assert [message.headers() is None for message in reports.messages] == [False] * ROWS

        assert_no_leaks(work, FEW)

    def test_callback_that_raises(self, kafka_topic: str, producer: Producer) -> None:
        """If a delivery callback raises, the traceback refers to the delivery report, and both are
        freed."""

        def work() -> None:
            producer.produce(kafka_topic, b"value", partition=0, on_delivery=failing)
            with pytest.raises(ZeroDivisionError):
                producer.flush(TIMEOUT)

        assert_no_leaks(work, FEW)

    def test_batches(self, kafka_topic: str, producer: Producer) -> None:
        """produce_batch() leaks nothing, even if it refuses messages."""
        reports = Reports()

        def work() -> None:
            good = {"value": "value", "key": b"key", "headers": {"name": "content"}}
            messages = [b"value", dict(good), dict(good), dict(good, headers=1)]
            producer.produce_batch(kafka_topic, messages[:3], on_delivery=reports)
            with pytest.raises(TypeError):
                producer.produce_batch(kafka_topic, messages, on_delivery=reports)
            producer.flush(TIMEOUT)
            reports.calls.clear()

        assert_no_leaks(work, FEW)

    def test_given_up(self) -> None:
        """Messages do not leak if they are purged or do not fit into the queue."""

        def work() -> None:
            producer = Producer(config({"queue.buffering.max.messages": 1}))
            reports = Reports()
            producer.produce("topic", b"value", on_delivery=reports)
            with pytest.raises(BufferError):
                producer.produce("topic", b"value", b"key", headers={"a": "b"}, on_delivery=reports)
            producer.purge()
            producer.close()
            assert len(reports) == 1

        assert_no_leaks(work, FEW)


class TestConsuming:
    @pytest.fixture
    def consumer(self, kafka_cluster: MockCluster, kafka_topic: str) -> Iterator[Consumer]:
        """A consumer of a topic with ROWS messages; a seek lets it read them again."""
        bootstrap = kafka_cluster.bootstrap_servers
        with Producer({"bootstrap.servers": bootstrap, "linger.ms": 0}) as producer:
            send(producer, kafka_topic, [b"value"] * ROWS)
        settings: dict[str, Any] = {
            "bootstrap.servers": bootstrap,
            "group.id": "group",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 5,
        }
        with Consumer(settings) as consumer:
            consumer.assign([TopicPartition(kafka_topic, 0, 0)])
            assert len(consumer.consume(ROWS, TIMEOUT)) == ROWS
            yield consumer

    @pytest.mark.parametrize(
        "read",
        [
            lambda consumer: [consumer.poll(TIMEOUT) for _ in range(ROWS)],
            lambda consumer: [message for _, message in zip(range(ROWS), consumer, strict=False)],
            lambda consumer: consumer.consume(ROWS, TIMEOUT),
            lambda consumer: consumer.consume_arrow(ROWS, TIMEOUT, headers=True),
        ],
        ids=["poll", "iteration", "consume", "consume_arrow"],
    )
    def test_reading(
        self, kafka_topic: str, consumer: Consumer, read: Callable[[Consumer], Any]
    ) -> None:
        """Messages do not leak, whether they are returned or were fetched before a seek."""

        def work() -> None:
            consumer.seek(TopicPartition(kafka_topic, 0, 0))
            messages = read(consumer)
            assert len(messages) == ROWS
            for message in messages if isinstance(messages, list) else []:
                message.value(), message.key(), message.headers(), message.topic(), repr(message)

        assert_no_leaks(work, FEW)

    def test_offsets(self, kafka_topic: str, consumer: Consumer) -> None:
        """Requests with answers leak nothing: commits, committed offsets, watermarks, positions."""
        place = TopicPartition(kafka_topic, 0, 7, metadata="note")

        def work() -> None:
            consumer.commit(offsets=[place], asynchronous=False)
            assert consumer.committed([place], TIMEOUT)[0].offset == 7
            assert consumer.get_watermark_offsets(place, TIMEOUT) == (0, ROWS)
            consumer.position([place])
            consumer.commit(message=Message(kafka_topic, 0, 1), asynchronous=False)

        assert_no_leaks(work, FEW)

    def test_helpers(self, kafka_topic: str, consumer: Consumer) -> None:
        """connect(), lag(), last_error, stats() and pause_while() leak nothing."""

        def work() -> None:
            consumer.connect(TIMEOUT)
            with pytest.raises(RuntimeError), consumer.pause_while(), consumer.pause_while():
                pass
            assert list(consumer.lag()) == consumer.assignment()
            assert (consumer.last_error, consumer.stats()) == (None, None)

        assert_no_leaks(work, FEW)

    def test_statistics(self, kafka_cluster: MockCluster) -> None:
        """The stored statistics and errors of a client are freed with it."""

        def work() -> None:
            for servers in (kafka_cluster.bootstrap_servers, "127.0.0.1:1"):
                settings = {"bootstrap.servers": servers, "statistics.interval.ms": 10}
                with Producer(settings | {"log_level": 0}) as producer:
                    wait_until(producer.stats, lambda: producer.poll(0.01))
                    with contextlib.suppress(KafkaException):
                        producer.connect(TIMEOUT)

        assert_no_leaks(work, 4)

    def test_metadata(self, kafka_topic: str, consumer: Consumer) -> None:
        """The objects that describe the cluster do not leak."""

        def work() -> None:
            assert kafka_topic in consumer.list_topics(timeout=TIMEOUT).topics

        assert_no_leaks(work, SOME)

    @needs("raw-request")
    def test_requests(self, consumer: Consumer) -> None:
        """Raw requests leak nothing, with an answer, an error or a timeout."""

        def work() -> None:
            assert METADATA in consumer.api_versions(timeout=TIMEOUT)
            assert consumer.request(METADATA, 1, ALL_TOPICS, broker=1, timeout=TIMEOUT)
            for broker, version in ((1, 99), (77, 1)):
                with pytest.raises(KafkaException):
                    consumer.request(METADATA, version, ALL_TOPICS, broker=broker, timeout=0.01)

        assert_no_leaks(work, SOME)

    def test_callbacks(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """A consumer in a group does not leak, with callbacks that return and callbacks that
        raise."""
        told: list[Any] = []
        settings: dict[str, Any] = {
            "bootstrap.servers": kafka_cluster.bootstrap_servers,
            "group.id": "group",
            "group.protocol": "consumer",
            "statistics.interval.ms": 10,
            "stats_cb": told.append,
            "on_commit": failing,
        }

        def work() -> None:
            told.clear()
            consumer = Consumer(settings)
            consumer.subscribe([kafka_topic], on_assign=lambda *args: told.append(args))
            wait_until(lambda: len(told) > 2, lambda: consumer.poll(0.01))
            consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 0)])
            with pytest.raises(ZeroDivisionError):
                wait_until(lambda: False, lambda: consumer.poll(0.01))
            consumer.close()

        assert_no_leaks(work, 4)
