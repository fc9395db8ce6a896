"""Clients used, woken and closed by several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import NO_BROKER, Reports, send
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until


class Worker(threading.Thread):
    """Calls a function on a thread of its own; `result` is what it returned or raised."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)  # a hang must not keep pytest from ending
        self._work = work
        self.result: object = None
        self.started_work = threading.Event()
        self.start()

    def run(self) -> None:
        self.started_work.set()
        try:
            self.result = self._work()
        except BaseException as error:
            self.result = error

    def finish(self) -> object:
        self.join(TIMEOUT)
        assert not self.is_alive(), "the call did not return"
        return self.result


def settle(worker: Worker) -> None:
    """Lets the worker get into its call: whichever moment it is, the test must hold."""
    assert worker.started_work.wait(TIMEOUT)
    worker.join(0.05)


# ---- close against every call that waits ----

# A call, and what it may return; RuntimeError always, if close() came first.
PRODUCER_CALLS: dict[str, tuple[Callable[[Producer], object], tuple[object, ...]]] = {
    "poll": (lambda producer: producer.poll(), (0,)),
    "poll(60)": (lambda producer: producer.poll(60), (0,)),
    "flush": (lambda producer: producer.flush(), (0, 1)),
    "list_topics": (lambda producer: producer.list_topics(), (KafkaError._INTR,)),
    "cluster_id": (lambda producer: producer.cluster_id(), (KafkaError._INTR,)),
    "purge": (lambda producer: producer.purge(), (None, KafkaError._INTR)),
}
PARTITIONS = [TopicPartition("topic", 0, 0)]
CONSUMER_CALLS: dict[str, tuple[Callable[[Consumer], object], tuple[object, ...]]] = {
    "poll": (lambda consumer: consumer.poll(), (None,)),
    "poll(60)": (lambda consumer: consumer.poll(60), (None,)),
    "consume": (lambda consumer: consumer.consume(100), ([],)),
    "consume_arrow": (lambda consumer: len(consumer.consume_arrow(100, 60)), (0,)),
    "iteration": (lambda consumer: list(consumer), ([],)),
    "list_topics": (lambda consumer: consumer.list_topics(), (KafkaError._INTR,)),
    "cluster_id": (lambda consumer: consumer.cluster_id(), (KafkaError._INTR,)),
    "committed": (lambda consumer: consumer.committed(PARTITIONS), (KafkaError._INTR,)),
    "offsets_for_times": (
        lambda consumer: consumer.offsets_for_times(PARTITIONS),
        (KafkaError._INTR, KafkaError._ALL_BROKERS_DOWN),
    ),
    "get_watermark_offsets": (
        lambda consumer: consumer.get_watermark_offsets(PARTITIONS[0]),
        (KafkaError._INTR, KafkaError._ALL_BROKERS_DOWN),
    ),
    "commit": (
        lambda consumer: consumer.commit(offsets=PARTITIONS, asynchronous=False),
        (KafkaError._INTR, KafkaError._WAIT_COORD),
    ),
}


def outcome(worker: Worker) -> object:
    """What the call returned, or the code of its KafkaException."""
    result = worker.finish()
    return result.args[0].code() if isinstance(result, KafkaException) else result


def assert_allowed(worker: Worker, allowed: tuple[object, ...]) -> None:
    result = outcome(worker)
    if isinstance(result, RuntimeError):
        assert "closed" in str(result)
    else:
        assert result in allowed


@pytest.mark.parametrize("name", PRODUCER_CALLS)
def test_closing_a_producer_that_another_thread_uses(
    make_producer: MakeProducer, name: str
) -> None:
    """close() makes the other thread's call return, waits for it, and closes."""
    call, allowed = PRODUCER_CALLS[name]
    producer = make_producer({"bootstrap.servers": NO_BROKER, "log_level": 0})
    producer.produce("topic", b"v")
    worker = Worker(lambda: call(producer))
    settle(worker)
    watch = Stopwatch()
    producer.close(0)
    assert watch.elapsed < TIMEOUT / 2
    assert_allowed(worker, allowed)


@pytest.mark.parametrize("name", CONSUMER_CALLS)
def test_closing_a_consumer_that_another_thread_uses(
    make_consumer: MakeConsumer, name: str
) -> None:
    """The same for every call of a consumer that can wait."""
    call, allowed = CONSUMER_CALLS[name]
    consumer = make_consumer({"bootstrap.servers": NO_BROKER, "log_level": 0})
    worker = Worker(lambda: call(consumer))
    settle(worker)
    watch = Stopwatch()
    consumer.close()
    assert watch.elapsed < TIMEOUT / 2
    assert_allowed(worker, allowed)


def test_closing_while_eight_threads_poll(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """All of them return; the group has been left in order."""
    send(producer, kafka_topic, [b"%d" % i for i in range(100)])
    consumer = make_consumer()
    consumer.subscribe([kafka_topic])
    seen: list[int] = []

    def poll_for_ever() -> None:
        while True:
            message = consumer.poll()
            if message is not None:
                seen.append(message.offset())

    workers = [Worker(poll_for_ever) for _ in range(8)]
    wait_until(lambda: len(seen) == 100)
    consumer.close()
    for worker in workers:
        assert isinstance(worker.finish(), RuntimeError)
    assert sorted(seen) == list(range(100))


@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_closing_from_several_threads(
    make_producer: MakeProducer, make_consumer: MakeConsumer, kafka_topic: str, kind: str
) -> None:
    """One closes, the others wait for it; nobody is told of an error."""
    reports = Reports()
    client: Any
    if kind == "producer":
        client = make_producer({"linger.ms": 60_000})
        for _ in range(100):
            client.produce(kafka_topic, b"v", on_delivery=reports)
    else:
        client = make_consumer()
        client.subscribe([kafka_topic])
        wait_until(client.assignment, lambda: client.poll(0.01))
    workers = [Worker(client.close) for _ in range(8)]
    expected = True if kind == "producer" else None
    results = [worker.finish() for worker in workers]
    assert expected in results
    assert set(results) <= {expected, True, None}
    with pytest.raises(RuntimeError, match="closed"):
        client.poll(0)
    if kind == "producer":
        assert reports.errors == [None] * 100


def test_closing_while_messages_are_produced(
    kafka_topic: str, make_producer: MakeProducer, consumer: Consumer
) -> None:
    """What produce() accepted is delivered; what it refuses raises RuntimeError."""
    producer = make_producer()
    accepted = [0] * 4
    reports = Reports()

    def produce(number: int) -> None:
        while True:
            producer.produce(kafka_topic, b"v", on_delivery=reports, block=TIMEOUT)
            accepted[number] += 1

    workers = [Worker(lambda number=number: produce(number)) for number in range(4)]
    wait_until(lambda: all(count > 100 for count in accepted))
    producer.close()
    for worker in workers:
        assert isinstance(worker.finish(), RuntimeError)
    assert len(reports) == sum(accepted)
    assert set(reports.errors) == {None}


# ---- polls take turns ----


def test_two_threads_share_a_consumer(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """Each message goes to one of them, and each of them gets its messages in order."""
    send(producer, kafka_topic, [b"%d" % i for i in range(2000)])
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    seen: list[list[int]] = [[], []]

    def take(number: int, fetch: Callable[[], list[Message]]) -> None:
        while len(seen[0]) + len(seen[1]) < 2000:
            seen[number] += [message.offset() for message in fetch()]

    def poll() -> list[Message]:
        message = consumer.poll(0.05)
        return [] if message is None else [message]

    workers = [
        Worker(lambda: take(0, poll)),
        Worker(lambda: take(1, lambda: consumer.consume(3, 0.05))),
    ]
    for worker in workers:
        assert worker.finish() is None
    assert sorted(seen[0] + seen[1]) == list(range(2000))
    for offsets in seen:
        assert offsets == sorted(offsets)


def test_a_poll_waits_for_its_turn_no_longer_than_its_timeout(consumer: Consumer) -> None:
    """poll(timeout) returns in time although another thread polls without limit."""
    worker = Worker(lambda: consumer.poll())
    settle(worker)
    watch = Stopwatch()
    assert consumer.poll(0.2) is None
    assert consumer.consume(5, 0.2) == []
    assert 0.4 <= watch.elapsed < TIMEOUT
    consumer.wakeup()
    assert worker.finish() is None


def test_callbacks_never_run_at_the_same_time(
    kafka_topic: str, make_producer: MakeProducer
) -> None:
    """Several threads polling one client: one callback at a time."""
    producer = make_producer()
    inside, overlaps, done = [0], [0], [0]
    lock = threading.Lock()

    def delivered(error: KafkaError | None, message: Message) -> None:
        with lock:
            inside[0] += 1
            overlaps[0] += inside[0] > 1
        message.value()
        with lock:
            inside[0] -= 1
            done[0] += 1

    workers = [
        Worker(lambda: wait_until(lambda: done[0] == 3000, lambda: producer.poll(0.01)))
        for _ in range(4)
    ]
    for _ in range(3000):
        producer.produce(kafka_topic, b"v", on_delivery=delivered)
    for worker in workers:
        assert worker.finish() is None
    assert overlaps == [0]


def test_other_calls_do_not_wait_for_a_poll(kafka_topic: str, consumer: Consumer) -> None:
    """While one thread polls without limit, others assign, seek, pause, ask and commit."""
    worker = Worker(lambda: consumer.poll())
    settle(worker)
    partition = TopicPartition(kafka_topic, 0, 0)
    watch = Stopwatch()
    consumer.assign([partition])
    consumer.pause([partition])
    consumer.resume([partition])
    consumer.commit(offsets=[partition], asynchronous=False)
    assert consumer.committed([partition], TIMEOUT)[0].offset == 0
    assert consumer.position([partition])[0].error is None
    assert consumer.list_topics(kafka_topic, TIMEOUT).topics
    consumer.unassign()
    assert watch.elapsed < TIMEOUT
    consumer.wakeup()
    assert worker.finish() is None


# ---- wakeup ----


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        ("producer", lambda client: client.poll()),
        ("producer", lambda client: client.flush()),
        ("consumer", lambda client: client.poll()),
        ("consumer", lambda client: client.consume(10)),
        ("consumer", lambda client: len(client.consume_arrow(10))),
        ("consumer", lambda client: list(client)),
    ],
    ids=["poll", "flush", "consumer-poll", "consume", "consume_arrow", "iteration"],
)
@pytest.mark.parametrize("early", [True, False], ids=["before", "during"])
def test_wakeup(
    make_producer: MakeProducer,
    make_consumer: MakeConsumer,
    kind: str,
    call: Callable[[Any], object],
    early: bool,
) -> None:
    """A call that waits returns now; if none does, the next one that would wait."""
    config = {"bootstrap.servers": NO_BROKER, "log_level": 0}
    client: Any = make_producer(config) if kind == "producer" else make_consumer(config)
    if kind == "producer":
        client.produce("topic", b"v")
    if early:
        client.wakeup()
    worker = Worker(lambda: call(client))
    if not early:
        settle(worker)
        client.wakeup()
    watch = Stopwatch()
    result = worker.finish()
    assert watch.elapsed < TIMEOUT / 2
    assert result in (0, 1, None, [])


def test_a_wakeup_is_used_up_once(consumer: Consumer) -> None:
    """Two wakeups before a poll() end that one; the next one waits."""
    consumer.wakeup()
    consumer.wakeup()
    watch = Stopwatch()
    assert consumer.poll(TIMEOUT) is None
    assert watch.elapsed < 1
    watch = Stopwatch()
    assert consumer.poll(0.3) is None
    assert watch.elapsed >= 0.3


def test_a_wakeup_is_for_calls_that_wait(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """Calls that need not wait neither notice a wakeup() nor use it up."""
    assert producer.poll(0) == 0
    producer.wakeup()
    assert producer.poll(0) == 0
    assert producer.flush(0) == 0
    watch = Stopwatch()
    assert producer.poll(TIMEOUT) == 0
    assert watch.elapsed < 1
    send(producer, kafka_topic, [b"v"] * 3)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert consumer.poll(TIMEOUT) is not None
    consumer.wakeup()
    assert consumer.poll(0.1) is not None
    assert consumer.consume(1, 0.1)
    watch = Stopwatch()
    assert consumer.poll(TIMEOUT) is None
    assert watch.elapsed < 1


def test_a_storm_of_wakeups(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """However often a consumer is woken, it sees each message once."""
    send(producer, kafka_topic, [b"%d" % i for i in range(1000)])
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    stop = threading.Event()

    def storm() -> None:
        while not stop.wait(0.0005):
            consumer.wakeup()

    workers = [Worker(storm) for _ in range(3)]
    offsets: list[int] = []
    try:
        wait_until(
            lambda: len(offsets) >= 1000,
            lambda: offsets.extend(message.offset() for message in consumer.consume(7, 1)),
        )
    finally:
        stop.set()
    assert [worker.finish() for worker in workers] == [None] * 3
    assert offsets == list(range(1000))


def test_a_storm_of_wakeups_loses_no_report(kafka_topic: str, make_producer: MakeProducer) -> None:
    """The same for delivery reports, through flush() and produce(block=)."""
    producer = make_producer({"queue.buffering.max.messages": 50})
    reports = Reports()
    stop = threading.Event()

    def storm() -> None:
        while not stop.wait(0.0005):
            producer.wakeup()

    workers = [Worker(storm) for _ in range(3)]
    try:
        for i in range(1000):
            while True:
                try:
                    producer.produce(kafka_topic, b"%d" % i, on_delivery=reports, block=1)
                    break
                except BufferError:
                    continue
        wait_until(lambda: producer.flush(1) == 0)
    finally:
        stop.set()
    assert [worker.finish() for worker in workers] == [None] * 3
    assert reports.values == [b"%d" % i for i in range(1000)]


def test_wakeup_from_a_callback(kafka_topic: str, make_producer: MakeProducer) -> None:
    """wakeup() is allowed in callbacks: it ends the flush() that runs them."""
    producer = make_producer({"linger.ms": 60_000})
    producer.produce(kafka_topic, b"v", on_delivery=lambda *_: producer.wakeup())
    producer.produce(kafka_topic, b"v")
    watch = Stopwatch()
    producer.flush(TIMEOUT)
    assert watch.elapsed < TIMEOUT


# ---- crashes would end the whole run: a process of their own ----


def test_clients_come_and_go_in_many_threads() -> None:
    """Creating, using, waking and closing clients in many threads at once."""
    output = check_script(
        """
        import threading
        from confluent_kafka import Consumer, Producer, TopicPartition
        from confluent_kafka.testing import MockCluster

        failures, delivered = [], []

        def report(*call):
            delivered.append(call)

        def work(servers, number):
            try:
                config = {"bootstrap.servers": servers, "log_level": 0}
                for turn in range(5):
                    producer = Producer(config)
                    consumer = Consumer(config | {"group.id": f"group-{number}"})
                    consumer.assign([TopicPartition("topic", 0, 0)])
                    poller = threading.Thread(target=lambda: list(consumer))
                    poller.start()
                    producer.produce("topic", b"v", on_delivery=report)
                    producer.poll(0)
                    closers = [threading.Thread(target=c.close) for c in (producer, consumer)]
                    for closer in closers:
                        closer.start()
                    consumer.close()
                    producer.close()
                    for thread in (*closers, poller):
                        thread.join()
            except BaseException as error:
                failures.append(error)

        threading.excepthook = lambda info: (
            None if "closed" in str(info.exc_value) else failures.append(info.exc_value)
        )
        with MockCluster() as cluster:
            cluster.create_topic("topic")
            threads = [
                threading.Thread(target=work, args=(cluster.bootstrap_servers, number))
                for number in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        print(failures, len(delivered))
        """
    )
    assert output == "[] 40\n"


@pytest.mark.parametrize("method", ["poll", "list_topics", "flush", "close"])
def test_close_in_a_signal_handler(method: str) -> None:
    """It cannot wait for the call that it interrupts: RuntimeError instead of a deadlock."""
    output = check_script(
        f"""
        import signal
        from confluent_kafka import Producer

        producer = Producer({{"bootstrap.servers": "{NO_BROKER}", "log_level": 0}})
        producer.produce("topic", b"v")
        signal.signal(signal.SIGALRM, lambda *_: producer.close(0))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            producer.{method}(timeout=30)
        except RuntimeError as error:
            print("signal handler" in str(error))
        producer.close(0)
        print("closed")
        """
    )
    assert output.split() == ["True", "closed"]


@pytest.mark.parametrize("method", ["committed", "commit"])
def test_closing_a_consumer_in_a_signal_handler(method: str) -> None:
    """The same for requests of a consumer."""
    arguments = {
        "committed": "partitions, 30",
        "commit": "offsets=partitions, asynchronous=False",
    }[method]
    output = check_script(
        f"""
        import signal
        from confluent_kafka import Consumer, TopicPartition

        partitions = [TopicPartition("topic", 0, 0)]
        # close() waits for a commit under way for as long as a session lasts.
        consumer = Consumer(
            {{
                "bootstrap.servers": "{NO_BROKER}",
                "group.id": "group",
                "session.timeout.ms": 1000,
                "heartbeat.interval.ms": 100,
                "log_level": 0,
            }}
        )
        signal.signal(signal.SIGALRM, lambda *_: consumer.close())
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            consumer.{method}({arguments})
        except RuntimeError as error:
            print("signal handler" in str(error))
        consumer.close()
        print("closed")
        """
    )
    assert output.split() == ["True", "closed"]
