"""compat.kafka: KafkaProducer."""

from __future__ import annotations

import contextlib
import gc
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError
from confluent_kafka.cimpl import murmur2
from confluent_kafka.compat.kafka import (
    ConsumerGroupMetadata,
    JsonSerializer,
    KafkaProducer,
    OffsetAndMetadata,
    Serializer,
    TopicPartition,
    errors,
)
from confluent_kafka.compat.kafka.future import Future
from confluent_kafka.compat.kafka.partitioner import Partitioner, StickyPartitioner
from confluent_kafka.compat.kafka.producer.future import RecordMetadata
from confluent_kafka.protocol import (
    EndTxnRequest,
    InitProducerIdRequest,
    TxnOffsetCommitRequest,
)
from confluent_kafka.testing import MockCluster, RequestContext
from tests.support.kafka import NO_BROKER, read, values_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = pytest.mark.kafka_topic(partitions=4)

Make = Callable[..., KafkaProducer]
_names = itertools.count()


@pytest.fixture
def make(kafka_cluster: MockCluster) -> Iterator[Make]:
    """Creates producers, which are closed at the end."""
    made: list[KafkaProducer] = []

    def make_one(**keywords: Any) -> KafkaProducer:
        made.append(KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers, **keywords))
        return made[-1]

    yield make_one
    for producer in made:
        producer.close()


class Noted(Serializer):
    """A serializer that records its calls."""

    def __init__(self, seen: list[Any]) -> None:
        self._seen = seen
        self.is_closed = False

    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        self._seen.append((topic, headers, data))
        return None if data is None else str(data).encode()

    def close(self) -> None:
        self.is_closed = True


class ToTheLast(Partitioner):
    """A partitioner that records its calls, and chooses the last partition."""

    def __init__(self, seen: list[Any]) -> None:
        self._seen = seen

    def partition(self, topic: str, *message_and_cluster: Any) -> int:
        self._seen.append((topic, *message_and_cluster[:-1]))
        return max(message_and_cluster[-1].partitions_for_topic(topic))


def test_a_message_is_sent(make: Make, kafka_topic: str, consumer: Consumer) -> None:
    """The future's result has the partition and offset; the message has all given fields."""
    producer = make()
    future = producer.send(kafka_topic, b"v", b"k", [("h", b"12")], 0, 5000)
    place = TopicPartition(kafka_topic, 0)
    assert future.get(TIMEOUT) == RecordMetadata(kafka_topic, 0, place, 0, 5000, None, 1, 1, 3)
    assert type(future.get().topic_partition) is TopicPartition
    assert (future.succeeded(), future.is_done, future.exception) == (True, True, None)
    assert future.value is future.get()
    assert future.args == (0, 5000, None, 1, 1, 3)
    null = producer.send(kafka_topic, key=b"k", partition=0).get(TIMEOUT)
    assert (null.offset, null.serialized_value_size, null.serialized_header_size) == (1, -1, -1)
    views = producer.send(kafka_topic, bytearray(b"abc"), memoryview(b"q"), partition=0)
    assert views.get(TIMEOUT)[6:] == (1, 3, -1)
    first, last, _ = read(consumer, kafka_topic, 3)
    assert (first.key(), first.value(), first.timestamp()[1]) == (b"k", b"v", 5000)
    assert first.headers() == [("h", b"12")]
    assert last.value() is None


def test_keys_choose_partitions(make: Make, kafka_topic: str) -> None:
    """The default partitioner and StickyPartitioner choose the same partitions as Java's client."""
    default, sticky = make(), make(partitioner=StickyPartitioner())
    for key in (b"a", b"b", b"c", b"d"):
        wanted = murmur2(key, 4)
        for producer in (default, sticky):
            assert producer.send(kafka_topic, b"v", key).get(TIMEOUT).partition == wanted


def test_partitioners(make: Make, kafka_topic: str) -> None:
    """A Partitioner gets the message and the cluster; a function gets the arguments of kafka-python
    2."""
    seen: list[Any] = []
    producer = make(partitioner=ToTheLast(seen), key_serializer=str.encode)
    assert producer.send(kafka_topic, b"v", "k").get(TIMEOUT).partition == 3
    assert seen == [(kafka_topic, "k", b"k", b"v", b"v")]
    assert producer.send(kafka_topic, b"v", "k", partition=1).get(TIMEOUT).partition == 1
    assert len(seen) == 1
    function = make(partitioner=lambda *given: seen.append(given) or 2)
    assert function.send(kafka_topic, b"v", b"k").get(TIMEOUT).partition == 2
    assert seen[-1] == (b"k", [0, 1, 2, 3], [0, 1, 2, 3])


def test_serializers(make: Make, kafka_topic: str, consumer: Consumer) -> None:
    """Serializers get the topic, the headers and the objects; close() closes them."""
    seen: list[Any] = []
    noted = Noted(seen)
    producer = make(key_serializer=noted, value_serializer=noted)
    producer.send(kafka_topic, 12, 3, [("h", b"1")], partition=0).get(TIMEOUT)
    producer.send(kafka_topic, 4, partition=0).get(TIMEOUT)
    assert seen == [
        (kafka_topic, [("h", b"1")], 3),
        (kafka_topic, [("h", b"1")], 12),
        (kafka_topic, [], None),
        (kafka_topic, [], 4),
    ]
    producer.close()
    assert noted.is_closed
    make(value_serializer=JsonSerializer()).send(kafka_topic, {"a": 1}, partition=0).get(TIMEOUT)
    messages = read(consumer, kafka_topic, 3)
    assert [message.key() for message in messages] == [b"3", None, None]
    assert values_of(messages) == [b"12", b"4", b'{"a": 1}']


def test_callbacks(make: Make, kafka_topic: str) -> None:
    """Callbacks run on the producer's own thread, without a poll()."""
    called = threading.Event()
    seen: list[Any] = []
    future = make().send(kafka_topic, b"v")

    def callback(extra: str, place: RecordMetadata, more: int) -> None:
        seen.append((extra, place, more, threading.current_thread().name))
        called.set()

    assert future.add_callback(callback, "extra", more=5) is future
    assert called.wait(TIMEOUT)
    assert seen[0][:3] == ("extra", future.value, 5)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, RuntimeError])
def test_callbacks_that_raise(
    make: Make,
    kafka_topic: str,
    error: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The thread that settles futures continues, so that later futures are settled, too."""
    monkeypatch.setattr(Future, "error_on_callbacks", True)
    producer = make()

    def fail(_: RecordMetadata) -> None:
        raise error("of the application")

    first = producer._future_class(None, 0, None, None, -1, 1, -1)
    first.add_callback(fail)
    first._target = (kafka_topic, 0)
    assert producer._engine._send(first, kafka_topic, b"v", None, 0, 0, None)
    wait_until(lambda: "the sender thread goes on" in caplog.text)
    assert producer.send(kafka_topic, b"v").get(TIMEOUT)


def test_closing_in_a_callback(
    make: Make, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """close() is refused on the producer's own thread, and the producer stays usable."""
    producer = make()
    with monkeypatch.context() as patch:
        # It depends on the timing whether a callback runs there or in the thread that adds it.
        patch.setattr(producer._sender, "is_current", lambda: True)
        with pytest.raises(errors.IllegalStateError, match="by a callback of its own"):
            producer.close()
    assert producer.send(kafka_topic, b"v").get(TIMEOUT)


def test_messages_that_fail(make: Make, kafka_topic: str, kafka_cluster: MockCluster) -> None:
    """The future has the broker's error, and its errbacks get it."""
    kafka_cluster.set_topic_error(kafka_topic, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(errors.TopicAuthorizationFailedError):
        make().send(kafka_topic, b"v")
    kafka_cluster.set_topic_error(kafka_topic, None)
    producer = make(acks=1, max_block_ms=TIMEOUT * 1000)
    kafka_cluster.inject_errors("Produce", [KafkaError.MSG_SIZE_TOO_LARGE])
    future = producer.send(kafka_topic, b"v")
    with pytest.raises(errors.MessageSizeTooLargeError):
        future.get(TIMEOUT)
    seen: list[Any] = []
    future.add_errback(seen.append).add_callback(seen.append)
    wait_until(lambda: seen)  # the thread that settles the future may still be calling
    assert seen == [future.exception]
    assert (future.failed(), future.value) == (True, None)


@pytest.mark.parametrize(
    ("arguments", "kind", "says"),
    [
        ({"topic": "t"}, ValueError, "Need at least one: key or value"),
        ({"topic": "t", "value": "v"}, TypeError, "Unsupported type for serialized value"),
        ({"topic": "t", "value": b"v", "key": 5}, TypeError, "Unsupported type for serialized"),
        ({"topic": "a b", "value": b"v"}, ValueError, "Topic name 'a b' is illegal"),
        ({"topic": "", "value": b"v"}, ValueError, "All topics must be non-empty strings"),
        ({"topic": 5, "value": b"v"}, TypeError, "All topics must be strings"),
        ({"value": b"v", "partition": 7}, ValueError, "Unrecognized partition 7 for topic"),
        ({"value": b"v", "partition": -1}, ValueError, "partition must be >= 0"),
        ({"value": b"v", "headers": [("a", "b")]}, TypeError, "All headers items must be"),
        ({"value": b"v", "headers": {"a": b"b"}}, TypeError, "headers must be list-type"),
        ({"value": b"v", "timestamp_ms": "1"}, TypeError, "timestamp must be int, not str"),
        ({"value": b"v" * 2_000_000}, errors.MessageSizeTooLargeError, "size too large"),
    ],
)
def test_what_is_refused(
    make: Make, kafka_topic: str, arguments: dict[str, Any], kind: type[Exception], says: str
) -> None:
    """Wrong arguments raise kafka-python's exceptions, and nothing is sent."""
    with pytest.raises(kind, match=says):
        make().send(**{"topic": kafka_topic} | arguments)


def test_flush(make: Make, kafka_topic: str) -> None:
    """flush() sends incomplete batches at once; when it returns, every future is settled."""
    producer = make(linger_ms=50_000)
    futures = [producer.send(kafka_topic, b"%d" % i) for i in range(100)]
    assert not any(future.is_done for future in futures)
    producer.flush()
    assert all(future.succeeded() for future in futures)
    producer.flush(0)


def test_flush_without_enough_time(
    make: Make, kafka_topic: str, kafka_cluster: MockCluster
) -> None:
    """The error contains the number of messages that are left."""
    producer = make(reconnect_backoff_max_ms=1000)
    producer.partitions_for(kafka_topic)
    kafka_cluster.set_broker_down()
    future = producer.send(kafka_topic, b"v")
    with pytest.raises(errors.KafkaTimeoutError, match="1 messages are left"):
        producer.flush(0.01)
    kafka_cluster.set_broker_up()
    assert future.get(TIMEOUT)


def test_closing(make: Make, kafka_topic: str) -> None:
    """close() delivers all messages. Afterwards nothing is sent, and a second close() does
    nothing."""
    with make(linger_ms=50_000) as producer:
        future = producer.send(kafka_topic, b"v")
    assert future.succeeded()
    producer.close()
    producer.flush()
    with pytest.raises(errors.IllegalStateError, match="already closed"):
        producer.send(kafka_topic, b"v")
    assert producer.partitions_for(kafka_topic) == {0, 1, 2, 3}


def test_closing_without_time(make: Make, kafka_topic: str, kafka_cluster: MockCluster) -> None:
    """Messages that cannot be delivered before the timeout of close() fail."""
    producer = make()
    producer.partitions_for(kafka_topic)
    kafka_cluster.set_broker_down()
    future = producer.send(kafka_topic, b"v")
    producer.close(timeout=0)
    with pytest.raises(errors.Cancelled):
        future.get(0)
    kafka_cluster.set_broker_up()


def test_a_producer_that_is_dropped(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """The messages of a dropped producer are delivered, and its thread ends."""
    future = KafkaProducer(
        bootstrap_servers=kafka_cluster.bootstrap_servers, linger_ms=50_000
    ).send(kafka_topic, b"v", partition=0)
    gc.collect()
    assert future.get(TIMEOUT).offset == 0
    name = "kafka-python-sender"
    wait_until(lambda: name not in [thread.name for thread in threading.enumerate()])


def test_topics_that_come_late(make: Make, kafka_topic: str, kafka_cluster: MockCluster) -> None:
    """send() and partitions_for() wait for a topic, up to max_block_ms."""
    kafka_cluster.set_topic_error(kafka_topic, KafkaError.UNKNOWN_TOPIC_OR_PART)
    impatient = make(max_block_ms=10)
    with pytest.raises(errors.KafkaTimeoutError):
        impatient.send(kafka_topic, b"v")
    with pytest.raises(errors.KafkaTimeoutError):
        impatient.partitions_for(kafka_topic)
    patient = make(max_block_ms=TIMEOUT * 1000)
    timer = threading.Timer(0.1, kafka_cluster.set_topic_error, [kafka_topic, None])
    timer.start()
    assert patient.partitions_for(kafka_topic) == {0, 1, 2, 3}
    timer.join()


def test_no_broker() -> None:
    """The constructor raises an error if no broker answers."""
    with pytest.raises(errors.KafkaTimeoutError, match=f"Unable to bootstrap from {NO_BROKER}"):
        KafkaProducer(bootstrap_servers=NO_BROKER, bootstrap_timeout_ms=10)


def test_without_acknowledgement(make: Make, kafka_topic: str) -> None:
    """With acks=0, the result has no offset, because the broker does not return one."""
    producer = make(acks=0)
    assert not producer.config["enable_idempotence"]
    assert producer.send(kafka_topic, b"v").get(TIMEOUT).offset == -1


def test_a_full_queue(make: Make, kafka_topic: str) -> None:
    """send() waits for room, and raises an exception if there is none for max_block_ms."""
    properties = {"queue.buffering.max.messages": 2}
    producer = make(properties=properties)
    futures = [producer.send(kafka_topic, b"v") for _ in range(50)]
    producer.flush()
    assert all(future.succeeded() for future in futures)
    full = make(properties=properties, linger_ms=50_000, max_block_ms=100)

    def knows() -> bool:  # the test may take longer than the producer waits
        with contextlib.suppress(errors.KafkaTimeoutError):
            return full.partitions_for(kafka_topic) == {0, 1, 2, 3}
        return False

    wait_until(knows)
    full.send(kafka_topic, b"v", partition=0)
    full.send(kafka_topic, b"v", partition=0)
    with pytest.raises(errors.KafkaTimeoutError, match="no room in the queue"):
        full.send(kafka_topic, b"v", partition=0)


def test_a_transaction(
    make: Make, kafka_topic: str, kafka_cluster: MockCluster, consumer: Consumer
) -> None:
    """Steps in the wrong order are refused as in kafka-python, and a transaction includes
    offsets."""
    producer = make(transactional_id=f"transaction-{next(_names)}")
    with pytest.raises(errors.IllegalStateError, match="UNINITIALIZED"):
        producer.send(kafka_topic, b"v")
    with pytest.raises(errors.KafkaError, match="UNINITIALIZED to state IN_TRANSACTION"):
        producer.begin_transaction()
    producer.init_transactions()
    producer.init_transactions()
    for step in (producer.commit_transaction, producer.abort_transaction):
        with pytest.raises(errors.KafkaError, match="attempted from state READY"):
            step()
    producer.begin_transaction()
    with pytest.raises(errors.KafkaError, match="attempted from state IN_TRANSACTION"):
        producer.begin_transaction()
    future = producer.send(kafka_topic, b"v", partition=0)
    place = {TopicPartition(kafka_topic, 0): OffsetAndMetadata(1, "m", -1)}
    producer.send_offsets_to_transaction(place, ConsumerGroupMetadata("group"))
    producer.send_offsets_to_transaction(place, "group")
    for offsets in ({TopicPartition(kafka_topic, 0): 1}, [1]):
        with pytest.raises(TypeError, match="offsets must be dict"):
            producer.send_offsets_to_transaction(offsets, "group")
    with pytest.raises(ValueError, match="group_metadata must be "):
        producer.send_offsets_to_transaction(place, None)
    producer.commit_transaction()
    assert future.succeeded()
    producer.begin_transaction()
    producer.abort_transaction()
    assert values_of(read(consumer, kafka_topic, 1)) == [b"v"]


class CutOff:
    """A client whose next step is interrupted, before or after librdkafka has accepted it."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.cut: tuple[str, bool] | None = None

    def __getattr__(self, name: str) -> Any:
        step = getattr(self._engine, name)

        def take(*arguments: Any) -> None:
            is_cut = self.cut is not None and self.cut[0] == name
            if not is_cut or self.cut == (name, True):
                step(*arguments)
            if is_cut:
                self.cut = None
                raise KeyboardInterrupt

        return take


@pytest.mark.parametrize("is_taken", [False, True])
@pytest.mark.parametrize("step", ["begin_transaction", "commit_transaction", "abort_transaction"])
def test_a_step_that_is_cut_off(make: Make, kafka_topic: str, step: str, is_taken: bool) -> None:
    """After Ctrl-C in a step, nothing is sent until the step is done, and the next begin works."""
    producer = make(transactional_id=f"transaction-{next(_names)}")
    producer.init_transactions()
    assert producer._transactions is not None
    engine: Any = CutOff(producer._engine)
    producer._transactions._engine = engine
    if step != "begin_transaction":
        producer.begin_transaction()
        producer.send(kafka_topic, b"v", partition=0)
    engine.cut = (step, is_taken)
    with pytest.raises(KeyboardInterrupt):
        getattr(producer, step)()
    with pytest.raises(errors.IllegalStateError, match="Cannot call send in state"):
        producer.send(kafka_topic, b"v", partition=0)
    producer.begin_transaction()
    future = producer.send(kafka_topic, b"v", partition=0)
    producer.commit_transaction()
    assert future.succeeded()


@pytest.mark.parametrize("step", ["commit", "abort"])
def test_nothing_is_sent_while_a_transaction_ends(
    make: Make, kafka_topic: str, kafka_cluster: MockCluster, step: str
) -> None:
    """While a commit or abort runs, send() and the other steps raise."""
    producer = make(transactional_id=f"transaction-{next(_names)}")
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(kafka_topic, b"v", partition=0).get(TIMEOUT)
    asked, go_on = threading.Event(), threading.Event()

    def hold(*_: object) -> None:
        asked.set()
        assert go_on.wait(TIMEOUT)

    kafka_cluster.on_request(EndTxnRequest.api_key, hold)
    thread = threading.Thread(target=getattr(producer, f"{step}_transaction"))
    thread.start()
    assert asked.wait(TIMEOUT)
    for _ in range(20):
        with pytest.raises(errors.IllegalStateError, match=f"in state {step.upper()}"):
            producer.send(kafka_topic, b"late", partition=0)
    for other in (producer.begin_transaction, producer.abort_transaction):
        with pytest.raises(errors.KafkaError, match=f"from state {step.upper()}"):
            other()
    go_on.set()
    thread.join(TIMEOUT)
    producer.begin_transaction()
    producer.abort_transaction()


def test_steps_are_waited_for(make: Make, kafka_cluster: MockCluster) -> None:
    """Only init_transactions() ends after max_block_ms; its next call resumes it."""
    go_on = threading.Event()

    def hold(*_: object) -> None:
        assert go_on.wait(TIMEOUT)

    kafka_cluster.on_request(InitProducerIdRequest.api_key, hold)
    producer = make(transactional_id=f"transaction-{next(_names)}", max_block_ms=10)
    with pytest.raises(errors.KafkaTimeoutError):
        producer.init_transactions()
    with pytest.raises(errors.KafkaError, match="from state INITIALIZING"):
        producer.begin_transaction()
    go_on.set()

    def is_initialized() -> bool:
        with contextlib.suppress(errors.KafkaTimeoutError):
            producer.init_transactions()
            return True
        return False

    wait_until(is_initialized)
    producer.begin_transaction()
    producer.commit_transaction()


def test_a_callback_that_raises_in_a_commit(make: Make, kafka_topic: str) -> None:
    """The commit succeeds, and the producer can still be used."""
    producer = make(transactional_id=f"transaction-{next(_names)}")
    producer.init_transactions()
    for _ in range(3):
        producer.begin_transaction()
        future = producer.send(kafka_topic, b"v", partition=0)
        future.add_callback(lambda _: sys.exit(3))
        with contextlib.suppress(SystemExit):  # in this thread, or in the producer's own thread
            producer.commit_transaction()
        assert future.succeeded()


def test_the_epoch_of_offsets(make: Make, kafka_topic: str, kafka_cluster: MockCluster) -> None:
    """Offsets that are sent with a transaction keep their leader epoch, so brokers can check it."""
    seen: list[tuple[int, int, str | None]] = []

    def note(request: TxnOffsetCommitRequest, _: RequestContext) -> None:
        for one in request.topics[0].partitions:
            offset = one.committed_offset, one.committed_leader_epoch, one.committed_metadata
            seen.append(offset)

    kafka_cluster.on_request(TxnOffsetCommitRequest.api_key, note)
    producer = make(transactional_id=f"transaction-{next(_names)}")
    producer.init_transactions()
    producer.begin_transaction()
    offsets = {
        TopicPartition(kafka_topic, number): OffsetAndMetadata(5, "m", epoch)
        for number, epoch in enumerate((0, -1, None))
    }
    producer.send_offsets_to_transaction(offsets, "group")
    producer.abort_transaction()
    assert sorted(set(seen)) == [(5, -1, "m"), (5, 0, "m")]


def test_without_a_transactional_id(make: Make) -> None:
    """Without a transactional_id, the methods of transactions raise an exception."""
    producer = make()
    for step in (
        producer.init_transactions,
        producer.begin_transaction,
        producer.commit_transaction,
        producer.abort_transaction,
        lambda: producer.send_offsets_to_transaction({}, "g"),
    ):
        with pytest.raises(errors.IllegalStateError, match="non-transactional producer"):
            step()


def test_what_tracing_packages_read(make: Make, kafka_topic: str) -> None:
    """The attributes that public tracing packages read exist."""
    producer = make(client_id="traced")
    assert producer.config["client_id"] == "traced"
    controller = producer._metadata.controller
    assert controller is not None
    assert producer.config["bootstrap_servers"].count(f"{controller[1]}:{controller[2]}") == 1
    future = producer.send(kafka_topic, b"v", b"k")
    request = future._produce_future
    assert request.topic_partition.topic == kafka_topic
    partition = future.get(TIMEOUT).partition
    wait_until(lambda: request.is_done)
    assert request.topic_partition == (kafka_topic, partition)
    serialized = producer._serialize(producer.config["key_serializer"], kafka_topic, b"k")
    assert serialized == b"k"
    assert producer._partition(kafka_topic, None, b"k", b"v", b"k", b"v") == partition


def test_metrics(make: Make, kafka_topic: str) -> None:
    """metrics() contains librdkafka's numbers after its first statistics; it is None if switched
    off."""
    producer = make()
    producer.send(kafka_topic, b"v").get(TIMEOUT)
    wait_until(lambda: (producer.metrics() or {})["producer-metrics"].get("record-send-total") == 1)
    numbers = producer.metrics(raw=True)
    assert numbers is not None
    assert numbers["producer-metrics"]["connection-count"] >= 1
    assert any(name.startswith("producer-node-metrics.node-") for name in numbers)
    assert producer.bootstrap_connected()
    assert make(metrics_enabled=False).metrics() is None
    assert [KafkaProducer.max_usable_produce_magic(one) for one in ((0, 9), (0, 10, 0), (2,))] == [
        0,
        1,
        2,
    ]


@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({"headers": [("h", None)]}, ValueError),
        ({"value": 7, "headers": [("h", None)]}, TypeError),
        ({"value": 7, "partition": 99}, TypeError),
        ({"value": b"v", "partition": 99}, ValueError),
        ({"value": b"v"}, errors.IllegalStateError),
    ],
)
def test_what_is_wrong_comes_in_order(
    make: Make, kafka_topic: str, keywords: dict[str, Any], error: type[Exception]
) -> None:
    """If a call has several mistakes, send() raises the same one as kafka-python.

    It checks the state of the transaction last.
    """
    producer = make(transactional_id=kafka_topic)
    producer.init_transactions()
    with pytest.raises(error):
        producer.send(kafka_topic, **keywords)
