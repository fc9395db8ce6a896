"""Many messages in one call: produce_batch() and produce_arrow()."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import TIMESTAMP_CREATE_TIME, Consumer, KafkaError, KafkaException, Producer
from tests.embedded.conftest import MakeProducer
from tests.support.kafka import Reports, read, values_of
from tests.support.waiting import TIMEOUT

# ---- produce_batch ----


def test_batch_of_bare_values(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """An entry that is not a dict is a value, which must be bytes-like."""
    values: list[Any] = [b"bytes", bytearray(b"array"), memoryview(b"view"), b""]
    assert producer.produce_batch(kafka_topic, values) == 4
    assert producer.flush(TIMEOUT) == 0
    assert values_of(read(consumer, kafka_topic, 4)) == [b"bytes", b"array", b"view", b""]


@pytest.mark.kafka_topic(partitions=2)
def test_batch_carries_every_field(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """An entry that is a dict can contain every argument of produce()."""
    common, own, other = Reports(), Reports(), Reports()
    batch: list[Any] = [
        {
            "value": "v",
            "key": "k",
            "headers": [("h", b"1")],
            "timestamp": 4711,
            "partition": 1,
            "callback": own,
        },
        {"value": b"alias", "on_delivery": other},
        {"key": b"only a key"},
        {},
    ]
    assert producer.produce_batch(kafka_topic, batch, partition=0, on_delivery=common) == 4
    assert producer.flush(TIMEOUT) == 0
    messages = read(consumer, kafka_topic, 4, partitions=2)
    messages.sort(key=lambda message: (message.partition() == 0, message.offset()))
    assert values_of(messages) == [b"v", b"alias", None, None]
    assert [message.key() for message in messages] == [b"k", None, b"only a key", None]
    assert [message.partition() for message in messages] == [1, 0, 0, 0]
    assert messages[0].headers() == [("h", b"1")]
    assert messages[0].timestamp() == (TIMESTAMP_CREATE_TIME, 4711)
    assert own.values == [b"v"]
    assert other.values == [b"alias"]
    assert [message.key() for message in common.messages] == [b"only a key", None]
    assert batch == [
        {
            "value": "v",
            "key": "k",
            "headers": [("h", b"1")],
            "timestamp": 4711,
            "partition": 1,
            "callback": own,
        },
        {"value": b"alias", "on_delivery": other},
        {"key": b"only a key"},
        {},
    ]


def test_batch_uses_the_clients_callback(kafka_topic: str, make_producer: MakeProducer) -> None:
    """If the call has no callback, messages get the client's callback."""
    common = Reports()
    producer = make_producer({"on_delivery": common})
    assert producer.produce_batch(kafka_topic, [b"a", {"value": b"b"}]) == 2
    assert producer.flush(TIMEOUT) == 0
    assert common.values == [b"a", b"b"]


def test_batch_goes_on_after_a_refused_message(
    kafka_topic: str, make_producer: MakeProducer
) -> None:
    """A message that cannot be enqueued gets an `_error`; the other messages are sent."""
    producer = make_producer({"message.max.bytes": 1000})
    reports = Reports()
    batch: list[Any] = [{"value": b"a"}, {"value": b"x" * 2000}, {"value": b"b"}]
    assert producer.produce_batch(kafka_topic, batch, on_delivery=reports) == 2
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"a", b"b"]
    assert batch[1]["_error"] == KafkaError.MSG_SIZE_TOO_LARGE
    assert isinstance(batch[1]["_error"], KafkaError)
    assert "_error" not in batch[0]
    assert "_error" not in batch[2]


def test_batch_into_a_full_queue(kafka_topic: str, small: Producer) -> None:
    """Without block, messages that do not fit are marked with _QUEUE_FULL."""
    batch: list[Any] = [{"value": b"%d" % i} for i in range(8)]
    assert small.produce_batch(kafka_topic, batch) == 5
    assert [message.get("_error") for message in batch] == [
        *[None] * 5,
        *[KafkaError._QUEUE_FULL] * 3,
    ]
    assert len(small) == 5


def test_batch_that_is_tried_again(kafka_topic: str, small: Producer) -> None:
    """When a message is enqueued, its `_error` is removed, so that the message is not sent
    twice."""
    batch: list[Any] = [{"value": b"%d" % i} for i in range(8)]
    batch[7] |= {"key": b"k", "headers": [], "partition": 0, "mine": 1}
    assert small.produce_batch(kafka_topic, batch) == 5
    assert small.flush(TIMEOUT) == 0
    assert small.produce_batch(kafka_topic, batch[5:]) == 3
    assert [message.get("_error") for message in batch] == [None] * 8
    assert batch[5] == {"value": b"5"}
    assert batch[7] == {"value": b"7", "key": b"k", "headers": [], "partition": 0, "mine": 1}


def test_bare_value_into_a_full_queue(kafka_topic: str, small: Producer) -> None:
    """A bare value cannot hold an `_error`, so a full queue raises an exception."""
    with pytest.raises(BufferError):
        small.produce_batch(kafka_topic, [b"%d" % i for i in range(8)])
    assert len(small) == 5


def test_batch_that_blocks(kafka_topic: str, make_producer: MakeProducer) -> None:
    """With block, a batch of any size is sent through a small queue."""
    producer = make_producer({"queue.buffering.max.messages": 10})
    reports = Reports()
    values: list[Any] = [b"%d" % i for i in range(1000)]
    assert producer.produce_batch(kafka_topic, values, on_delivery=reports, block=-1) == 1000
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == values


@pytest.mark.parametrize(
    ("entry", "error", "text"),
    [
        ({"value": 1}, TypeError, "value"),
        ({"key": object()}, TypeError, "key"),
        ({"headers": 3}, TypeError, "headers"),
        ({"timestamp": -1}, ValueError, "timestamp"),
        ({"timestamp": 2**70}, OverflowError, "timestamp"),
        ({"partition": 2**40}, OverflowError, "partition"),
        ({"callback": 1}, TypeError, "callback"),
    ],
)
def test_batch_with_a_wrong_field(
    kafka_topic: str, producer: Producer, entry: Any, error: type[Exception], text: str
) -> None:
    """The exception names the message's index and the field; earlier messages are enqueued."""
    reports = Reports()
    with pytest.raises(error, match=rf"^Message {text} at index 2 must "):
        producer.produce_batch(kafka_topic, [b"a", {"value": b"b"}, entry, b"d"], -1, reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"a", b"b"]


def test_batch_changed_by_a_callback(kafka_topic: str, make_producer: MakeProducer) -> None:
    """If a callback empties the list while produce_batch() blocks, the call ends early."""
    producer = make_producer({"queue.buffering.max.messages": 1})
    values: list[Any] = [b"%d" % i for i in range(1000)]
    count = producer.produce_batch(
        kafka_topic, values, on_delivery=lambda *_: values.clear(), block=-1
    )
    assert 1 <= count < 1000
    assert producer.flush(TIMEOUT) == 0


# ---- produce_arrow ----


def test_arrow_rows_arrive(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Every row is sent with its columns, and reported."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    reports = Reports()
    batch = pyarrow.record_batch(
        {
            "key": pyarrow.array([b"k0", None, b"k2"], pyarrow.binary()),
            "value": pyarrow.array(["v0", "v1", None], pyarrow.string()),
            "partition": pyarrow.array([0, 0, None], pyarrow.int32()),
            "timestamp": pyarrow.array([1000, 2000, 3000], pyarrow.timestamp("ms", "UTC")),
        }
    )
    assert producer.produce_arrow(batch, kafka_topic, on_delivery=reports) == 3
    assert producer.flush(TIMEOUT) == 0
    messages = read(consumer, kafka_topic, 3)
    assert values_of(messages) == [b"v0", b"v1", None]
    assert [message.key() for message in messages] == [b"k0", None, b"k2"]
    assert [message.timestamp()[1] for message in messages] == [1000, 2000, 3000]
    assert len(reports) == 3


def test_arrow_into_a_full_queue(kafka_topic: str, small: Producer) -> None:
    """The exception names the row; earlier rows are enqueued."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    batch = pyarrow.record_batch({"value": pyarrow.array([b"v"] * 8, pyarrow.binary())})
    with pytest.raises(BufferError, match="row 5"):
        small.produce_arrow(batch, kafka_topic)
    assert len(small) == 5


def test_arrow_that_blocks(kafka_topic: str, make_producer: MakeProducer) -> None:
    """With block, a batch of any size is sent through a small queue."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    producer = make_producer({"queue.buffering.max.messages": 10})
    values = [b"%d" % i for i in range(1000)]
    batch = pyarrow.record_batch({"value": pyarrow.array(values, pyarrow.binary())})
    reports = Reports()
    assert producer.produce_arrow(batch, kafka_topic, on_delivery=reports, block=-1) == 1000
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == values


@pytest.mark.parametrize(
    "raised", [ValueError("mine"), KafkaException(KafkaError(KafkaError._ALL_BROKERS_DOWN, "mine"))]
)
def test_exceptions_of_callbacks_while_arrow_blocks(
    kafka_topic: str, make_producer: MakeProducer, raised: Exception
) -> None:
    """The exception of a callback is raised unchanged, without the index of a row."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    producer = make_producer({"queue.buffering.max.messages": 2})
    batch = pyarrow.record_batch({"value": pyarrow.array([b"v"] * 8, pyarrow.binary())})
    failed = False

    def fail(*_: object) -> None:
        nonlocal failed
        if not failed:
            failed = True
            raise raised

    with pytest.raises(type(raised)) as caught:
        producer.produce_arrow(batch, kafka_topic, on_delivery=fail, block=-1)
    assert caught.value is raised
    assert producer.flush(TIMEOUT) == 0
