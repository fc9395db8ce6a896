"""Worker and AIOWorker on the embedded cluster."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.error import ValueDeserializationError
from confluent_kafka.processing import AIOWorker, Retry, Worker
from confluent_kafka.serialization import IntegerDeserializer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.aio import in_loop
from tests.support.kafka import NO_BROKER, numbers, send
from tests.support.threads import Thread
from tests.support.waiting import TIMEOUT, wait_until
from tests.support.workers import AnyWorker, Gate, end, make_worker

KEYS = 10
MESSAGES = 300


class Work:
    """The handled messages of workers, and workers that the test ends."""

    def __init__(self, kind: str, cluster: MockCluster) -> None:
        self.kind = kind
        self.cluster = cluster
        self.values: list[Any] = []
        self.by_key: dict[Any, list[int]] = defaultdict(list)
        self._lock = threading.Lock()
        self._open = contextlib.ExitStack()

    def handle(self, message: Message) -> None:
        with self._lock:
            self.values.append(message.value())

    def handle_by_key(self, message: Message) -> None:
        with self._lock:
            value = message.value()
            assert value is not None
            self.by_key[message.key()].append(int(value))
            self.values.append(value)

    def worker(
        self,
        topics: str | list[str],
        handler: Callable[[Any], object] | None = None,
        gate: Gate | None = None,
        config: dict[str, Any] | None = None,
        **options: Any,
    ) -> AnyWorker:
        common: dict[str, Any] = {
            "bootstrap.servers": self.cluster.bootstrap_servers,
            "group.id": "group",
            "auto.offset.reset": "earliest",
            "heartbeat.interval.ms": 100,
            "fetch.wait.max.ms": 50,
        }
        topics = [topics] if isinstance(topics, str) else topics
        options = {"workers": 4, "commit_interval": 0.05, **options}
        worker = make_worker(
            self.kind, common | (config or {}), topics, handler or self.handle, gate, **options
        )
        self._open.callback(end, worker)
        return worker

    def committed(self, topic: str, partition: int = 0, group: str = "group") -> int:
        config = {"bootstrap.servers": self.cluster.bootstrap_servers, "group.id": group}
        with Consumer(config) as consumer:
            (found,) = consumer.committed([TopicPartition(topic, partition)], timeout=TIMEOUT)
            return found.offset

    def close(self) -> None:
        self._open.close()


@pytest.fixture(params=["blocking", "asyncio"])
def work(request: pytest.FixtureRequest, kafka_cluster: MockCluster) -> Iterator[Work]:
    made = Work(request.param, kafka_cluster)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def keyed(kafka_cluster: MockCluster, producer: Producer) -> str:
    """A topic with MESSAGES messages of KEYS keys: the values of a key ascend."""
    kafka_cluster.create_topic("keyed", 3)
    for number in range(MESSAGES):
        producer.produce("keyed", str(number), str(number % KEYS), partition=number % KEYS % 3)
    assert producer.flush(TIMEOUT) == 0
    return "keyed"


def read(consumer: Consumer, topic: str, count: int = 1) -> list[Message]:
    """Return the first messages of a topic's partitions."""
    partitions = consumer.list_topics(topic, TIMEOUT).topics[topic].partitions
    consumer.assign([TopicPartition(topic, each, 0) for each in partitions])
    messages = consumer.consume(count, TIMEOUT)
    assert len(messages) == count
    return messages


def headers_of(message: Message) -> dict[str, str]:
    return {name: (value or b"").decode() for name, value in message.headers() or ()}


@pytest.mark.parametrize("concurrency", ["key", "partition", "none"])
def test_all_messages(work: Work, keyed: str, concurrency: str) -> None:
    """Each message is handled once, and each partition is committed to its end. Messages of a key
    stay in order, unless there is no order."""
    worker = work.worker(keyed, work.handle_by_key, concurrency=concurrency)
    wait_until(lambda: worker.statistics().handled == MESSAGES, lambda: worker.step(0.05))
    assert worker.drain(TIMEOUT)
    assert sorted(int(each) for each in work.values) == list(range(MESSAGES))
    if concurrency != "none":
        assert all(values == sorted(values) for values in work.by_key.values())
    for partition in range(3):
        expected = sum(number % KEYS % 3 == partition for number in range(MESSAGES))
        assert work.committed(keyed, partition) == expected
    found = worker.statistics()
    assert (found.in_flight, found.in_flight_bytes, found.failures, found.late) == (0, 0, 0, 0)


def test_nothing_unfinished_is_committed(work: Work, kafka_topic: str, producer: Producer) -> None:
    """While a handler has a message, later messages of other keys are handled, and the committed
    offset is that of the message."""
    for number in range(10):
        producer.produce(kafka_topic, str(number), str(number), partition=0)
    producer.flush(TIMEOUT)
    gate = Gate(b"4")
    worker = work.worker(kafka_topic, gate=gate)
    wait_until(lambda: worker.statistics().handled == 9, lambda: worker.step(0.05))
    wait_until(lambda: work.committed(kafka_topic) == 4, lambda: worker.step(0.05))
    assert not worker.drain(0)
    gate.open()
    assert worker.drain(TIMEOUT)
    assert work.committed(kafka_topic) == 10


def test_order_of_a_waiting_key(work: Work, kafka_topic: str, producer: Producer) -> None:
    """Later messages of a key wait for the handler of an earlier one."""
    send_with_key(producer, kafka_topic, "key", ["a", "b", "c"])
    gate = Gate(b"a")
    worker = work.worker(kafka_topic, gate=gate)
    wait_until(lambda: gate.entered, lambda: worker.step(0.05))
    send_with_key(producer, kafka_topic, "other", ["d"])
    wait_until(lambda: work.values == [b"d"], lambda: worker.step(0.05))
    gate.open()
    assert worker.drain(TIMEOUT)
    assert work.values == [b"d", b"a", b"b", b"c"]


def send_with_key(producer: Producer, topic: str, key: str, values: list[str]) -> None:
    for value in values:
        producer.produce(topic, value, key, partition=0)
    assert producer.flush(TIMEOUT) == 0


def test_close_finishes_what_was_begun(work: Work, kafka_topic: str, producer: Producer) -> None:
    """close() waits for the handlers that run, commits their messages, and begins no others."""
    send_with_key(producer, kafka_topic, "key", ["a", "b", "c"])
    gate = Gate(b"a")
    worker = work.worker(kafka_topic, gate=gate)
    wait_until(lambda: gate.entered, lambda: worker.step(0.05))
    closing = Thread(worker.close)
    gate.open()
    closing.result()
    assert work.values == [b"a"]
    assert work.committed(kafka_topic) == 1
    with pytest.raises(RuntimeError, match="closed"):
        worker.step(0)
    worker.close()


def test_revoked_partitions(work: Work, keyed: str) -> None:
    """When another member joins, each message is still handled once, in the order of its key."""
    first = work.worker(keyed, work.handle_by_key)
    second = work.worker(keyed, work.handle_by_key)
    running = [Thread(first.run)]
    wait_until(lambda: work.values)
    running.append(Thread(second.run))
    wait_until(lambda: len(work.values) >= MESSAGES)
    for worker in (first, second):
        worker.stop()
    for each in running:
        each.result()
    assert sorted(int(each) for each in work.values) == list(range(MESSAGES))
    assert all(values == sorted(values) for values in work.by_key.values())


def test_late_handlers(work: Work, kafka_topic: str, producer: Producer) -> None:
    """A message whose handler takes longer than drain_timeout is not committed, counts as late,
    and is handled again by the next member."""
    send_with_key(producer, kafka_topic, "key", ["a"])
    gate = Gate(b"a")
    slow = work.worker(kafka_topic, gate=gate, drain_timeout=0)
    wait_until(lambda: gate.entered, lambda: slow.step(0.05))
    slow.close()
    assert work.committed(kafka_topic) <= 0
    next_member = work.worker(kafka_topic)
    wait_until(lambda: next_member.statistics().handled == 1, lambda: next_member.step(0.05))
    gate.open()
    assert next_member.drain(TIMEOUT)
    assert work.committed(kafka_topic) == 1


def failing(times: int, work: Work) -> Callable[[Message], None]:
    """A handler that fails so many times."""
    left = [times]

    def handle(message: Message) -> None:
        if message.value() == b"bad" and left[0]:
            left[0] -= 1
            raise ValueError("cannot handle this")
        work.handle(message)

    return handle


def test_retries_in_place(work: Work, kafka_topic: str, producer: Producer) -> None:
    """A message is handled again after a failure, and later messages of its key wait."""
    send_with_key(producer, kafka_topic, "key", ["bad", "good"])
    worker = work.worker(kafka_topic, failing(2, work), retry=Retry(attempts=3, backoff=0.01))
    wait_until(lambda: worker.statistics().handled == 2, lambda: worker.step(0.05))
    assert work.values == [b"bad", b"good"]
    assert worker.statistics().failures == 2


def test_without_retry(work: Work, kafka_topic: str, producer: Producer) -> None:
    """The exception of a handler ends the worker, its note names the message, and nothing after
    the message is committed."""
    send_with_key(producer, kafka_topic, "key", ["good", "bad", "never"])
    worker = work.worker(kafka_topic, failing(1, work))
    with pytest.raises(ValueError, match="cannot handle this") as caught:
        wait_until(lambda: False, lambda: worker.step(0.05))
    assert f"{kafka_topic} [0] at offset 1" in caught.value.__notes__[0]
    worker.close()
    assert work.values == [b"good"]
    assert work.committed(kafka_topic) == 1


def test_dead_letters(
    work: Work, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """After the last attempt the message goes to the dead-letter topic as it was, with headers
    that say where it is from and what failed."""
    producer.produce(kafka_topic, b"bad", b"key", partition=0, headers={"mine": b"1"})
    producer.produce(kafka_topic, b"good", b"key", partition=0)
    producer.flush(TIMEOUT)
    retry = Retry(attempts=2, backoff=0.01, dead_letters="{topic}.dead")
    worker = work.worker(kafka_topic, failing(9, work), retry=retry)
    wait_until(lambda: work.values == [b"good"], lambda: worker.step(0.05))
    assert worker.drain(TIMEOUT)
    assert work.committed(kafka_topic) == 2
    found = worker.statistics()
    assert (found.handled, found.failures, found.delayed, found.dead) == (1, 2, 0, 1)

    (dead,) = read(make_consumer({"group.id": "dead"}), f"{kafka_topic}.dead")
    assert (dead.key(), dead.value()) == (b"key", b"bad")
    headers = headers_of(dead)
    assert headers["mine"] == "1"
    assert headers["origin.topic"] == kafka_topic
    assert (headers["origin.partition"], headers["origin.offset"]) == ("0", "0")
    assert (headers["failure.attempts"], headers["failure.error"]) == ("2", "ValueError")
    assert headers["failure.text"] == "cannot handle this"


def test_delay_topics(
    work: Work, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """A failed message waits in the delay topic, while later messages of its key are handled. It
    comes again after the delay, and no earlier."""
    delayed = f"{kafka_topic}.retry.1s"
    work.cluster.create_topic(delayed, 1)
    send_with_key(producer, kafka_topic, "key", ["bad", "good"])
    retry = Retry(attempts=1, delays=[1], dead_letters="dead")
    worker = work.worker(kafka_topic, failing(1, work), retry=retry)
    wait_until(lambda: worker.statistics().handled == 2, lambda: worker.step(0.05))
    assert work.values == [b"good", b"bad"]
    assert worker.statistics().delayed == 1
    (waited,) = read(make_consumer({"group.id": "delayed"}), delayed)
    assert headers_of(waited)["origin.topic"] == kafka_topic
    assert worker.drain(TIMEOUT)


def test_messages_that_cannot_be_deserialized(
    work: Work, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """They go to the dead-letter topic with their bytes, without an attempt to handle them."""
    send(producer, kafka_topic, [(7).to_bytes(4, "big"), b"not four bytes", (8).to_bytes(4, "big")])
    worker = work.worker(
        kafka_topic,
        config={"value.deserializer": IntegerDeserializer()},
        retry=Retry(dead_letters="dead"),
    )
    wait_until(lambda: len(work.values) == 2, lambda: worker.step(0.05))
    assert worker.drain(TIMEOUT)
    assert sorted(work.values) == [7, 8]
    (dead,) = read(make_consumer({"group.id": "dead"}), "dead")
    assert dead.value() == b"not four bytes"
    assert headers_of(dead)["failure.error"].endswith(ValueDeserializationError.__name__)


def test_batches(
    work: Work, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """The handler gets lists of one key, none longer than the limit. If it raises, all messages of
    the list have failed."""
    gate = Gate(b"0")
    sizes: list[int] = []

    def handle(messages: list[Message]) -> None:
        assert len({message.key() for message in messages}) == 1
        sizes.append(len(messages))
        if messages[0].key() == b"bad":
            raise ValueError("no")

    send_with_key(producer, kafka_topic, "good", [str(number) for number in range(10)])
    send_with_key(producer, kafka_topic, "bad", ["x", "y"])
    retry = Retry(attempts=1, dead_letters="dead")
    worker = work.worker(kafka_topic, handle, gate=gate, batch=4, retry=retry)
    wait_until(lambda: worker.statistics().dead == 2, lambda: worker.step(0.05))
    gate.open()
    assert worker.drain(TIMEOUT)
    assert max(sizes) == 4
    assert sum(sizes) >= 12
    assert work.committed(kafka_topic) == 12
    values = {each.value() for each in read(make_consumer({"group.id": "dead"}), "dead", 2)}
    assert values == {b"x", b"y"}


def test_back_pressure(work: Work, kafka_topic: str, producer: Producer) -> None:
    """No more than max_messages are in flight. The worker stays in its group while a handler takes
    longer than max.poll.interval.ms."""
    send_with_key(producer, kafka_topic, "key", [str(number) for number in range(50)])
    gate = Gate(b"0")
    times = {"session.timeout.ms": 1000, "max.poll.interval.ms": 1500}
    worker = work.worker(kafka_topic, gate=gate, max_messages=10, config=times)
    most = []

    def step() -> None:
        worker.step(0.2)
        most.append(worker.statistics().in_flight)

    wait_until(lambda: len(most) > 15, step)
    assert max(most) == 10
    gate.open()
    wait_until(lambda: worker.statistics().handled == 50, step)
    assert max(most) == 10
    assert work.values == [str(number).encode() for number in range(50)]  # none again


def test_limit_of_bytes(work: Work, kafka_topic: str, producer: Producer) -> None:
    """While more than max_bytes are in flight, the worker takes no more messages."""
    gate = Gate(b"x" * 1000)
    send_with_key(producer, kafka_topic, "key", ["x" * 1000])
    worker = work.worker(kafka_topic, gate=gate, max_bytes=1000)
    wait_until(lambda: gate.entered, lambda: worker.step(0.05))
    send_with_key(producer, kafka_topic, "key", ["later"])
    worker.step(1.0)
    assert worker.statistics().in_flight == 1
    gate.open()
    wait_until(lambda: worker.statistics().handled == 2, lambda: worker.step(0.05))


def test_errors_of_the_consumer(work: Work) -> None:
    """A topic that the brokers refuse ends the worker."""
    worker = work.worker("topic", config={"allow.auto.create.topics": False})
    with pytest.raises(KafkaException, match="UNKNOWN_TOPIC_OR_PART"):
        wait_until(lambda: False, lambda: worker.step(0.05))


def test_a_dead_letter_that_is_not_delivered(
    work: Work, kafka_topic: str, producer: Producer
) -> None:
    """If the dead-letter topic cannot be written, the worker ends, and commits nothing."""
    send_with_key(producer, kafka_topic, "key", ["bad"])
    worker = work.worker(
        kafka_topic,
        failing(9, work),
        retry=Retry(attempts=1, dead_letters="dead"),
        producer_config={"bootstrap.servers": NO_BROKER, "message.timeout.ms": 100},
    )
    with pytest.raises(KafkaException, match="_MSG_TIMED_OUT"):
        wait_until(lambda: False, lambda: worker.step(0.05))
    worker.close()
    assert work.committed(kafka_topic) <= 0


def test_payloads_that_the_handler_changes(
    work: Work, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """The dead letter has the payload that was received, not what the handler made of it."""

    def handle(message: Message) -> None:
        message.set_value(b"parsed")
        raise ValueError("no")

    send_with_key(producer, kafka_topic, "key", ["as sent"])
    worker = work.worker(kafka_topic, handle, retry=Retry(attempts=2, dead_letters="dead"))
    wait_until(lambda: worker.statistics().dead == 1, lambda: worker.step(0.05))
    (dead,) = read(make_consumer({"group.id": "dead"}), "dead")
    assert dead.value() == b"as sent"


def test_a_handler_that_fails_while_the_worker_closes(
    work: Work, kafka_topic: str, producer: Producer
) -> None:
    """close() raises the exception of a handler, if no call has raised it. Its message is not
    committed."""
    send_with_key(producer, kafka_topic, "key", ["bad"])
    gate = Gate(b"bad")
    worker = work.worker(kafka_topic, failing(1, work), gate=gate)
    wait_until(lambda: gate.entered, lambda: worker.step(0.05))
    closing = Thread(worker.close)
    gate.open()
    with pytest.raises(ValueError, match="cannot handle this"):
        closing.result()
    worker.close()
    assert work.committed(kafka_topic) <= 0


def test_topics_that_cannot_be_subscribed(work: Work) -> None:
    """Each call raises the error, and the worker can be closed."""
    worker = work.worker("^[")
    for _ in range(2):
        with pytest.raises(KafkaException, match="not a valid regular expression"):
            worker.step(0)
    worker.close()


def test_a_failed_commit_is_repeated(work: Work, kafka_topic: str, producer: Producer) -> None:
    """If the coordinator refuses a commit, the worker commits again, and calls on_commit."""
    answers: list[KafkaError | None] = []
    send_with_key(producer, kafka_topic, "key", ["a"])
    worker = work.worker(
        kafka_topic, config={"on_commit": lambda error, places: answers.append(error)}
    )
    work.cluster.inject_errors("OffsetCommit", [KafkaError.TOPIC_AUTHORIZATION_FAILED])
    wait_until(lambda: len(answers) >= 2, lambda: worker.step(0.05))
    assert answers[0] is not None
    assert answers[1] is None
    assert work.committed(kafka_topic) == 1


def swallows(seconds: list[bool]) -> Callable[[Message], Coroutine[Any, Any, None]]:
    """A coroutine function that swallows its cancellation."""

    async def handle(message: Message) -> None:
        seconds.append(True)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(TIMEOUT)

    return handle


def asyncio_config(cluster: MockCluster) -> dict[str, Any]:
    return {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "group",
        "auto.offset.reset": "earliest",
    }


@in_loop
async def test_a_handler_that_swallows_its_cancellation(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """close() cancels handlers after drain_timeout, and does not wait for the next message."""
    send(producer, kafka_topic, [b"one"])
    begun: list[bool] = []
    worker = AIOWorker(
        asyncio_config(kafka_cluster), [kafka_topic], swallows(begun), drain_timeout=0.1
    )
    while not begun:
        await worker.step(0.05)
    await worker.close()
    assert worker.statistics().in_flight == 0


@in_loop
async def test_a_close_that_is_cancelled(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """The worker is closed all the same, and another call waits for it."""
    send(producer, kafka_topic, [b"one"])
    begun: list[bool] = []
    worker = AIOWorker(
        asyncio_config(kafka_cluster), [kafka_topic], swallows(begun), drain_timeout=0.5
    )
    while not begun:
        await worker.step(0.05)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(worker.close(), 0.01)
    await worker.close()
    with pytest.raises(RuntimeError, match="closed"):
        await worker.step(0)


@in_loop
async def test_cancelled_steps_lose_nothing(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """step() can be cancelled at any await; each message is handled once."""
    send(producer, kafka_topic, numbers(0, 200))
    handled: list[Any] = []

    async def handle(message: Message) -> None:
        handled.append(message.value())

    async with AIOWorker(asyncio_config(kafka_cluster), [kafka_topic], handle) as worker:
        for number in itertools.count():
            task = asyncio.ensure_future(worker.step(0.05))
            for _ in range(number % 7):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            if len(handled) == 200:
                break
            await asyncio.sleep(0.001)
    assert sorted(handled) == sorted(numbers(0, 200))


@in_loop
async def test_a_handler_that_is_cancelled(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A handler that raises CancelledError by itself ends the worker with an error."""
    send(producer, kafka_topic, [b"one"])

    async def handle(message: Message) -> None:
        raise asyncio.CancelledError

    worker = AIOWorker(asyncio_config(kafka_cluster), [kafka_topic], handle)

    async def step_until_it_fails() -> None:
        while True:
            await worker.step(0.05)

    with pytest.raises(RuntimeError, match="the handler was cancelled"):
        await step_until_it_fails()
    await worker.close()


def test_a_handler_cannot_close(work: Work, kafka_topic: str, producer: Producer) -> None:
    """A handler that closes its worker gets an error that names stop()."""
    send_with_key(producer, kafka_topic, "key", ["a"])
    holder: list[Worker] = []
    worker = Worker(
        asyncio_config(work.cluster), [kafka_topic], lambda message: holder[0].close(), workers=2
    )
    holder.append(worker)
    with pytest.raises(RuntimeError, match=r"call stop\(\)"):
        wait_until(lambda: False, lambda: worker.step(0.05))
    worker.close()
