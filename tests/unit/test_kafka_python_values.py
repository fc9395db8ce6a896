"""kafka-python's futures, serializers, partitioners, structs and enumerations."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from confluent_kafka.cimpl import murmur2 as of_librdkafka
from confluent_kafka.compat._common.groups import generation_and_member, written
from confluent_kafka.compat.kafka import (
    ConsumerGroupMetadata,
    DefaultSerializer,
    IsolationLevel,
    JsonSerializer,
    OffsetAndMetadata,
    OffsetSpec,
    TopicPartition,
    errors,
)
from confluent_kafka.compat.kafka.cluster import ClusterMetadata
from confluent_kafka.compat.kafka.future import Future
from confluent_kafka.compat.kafka.partitioner import (
    DefaultPartitioner,
    StickyPartitioner,
    murmur2,
)
from confluent_kafka.compat.kafka.producer.future import (
    FutureProduceResult,
    FutureRecordMetadata,
    RecordMetadata,
)
from confluent_kafka.compat.kafka.serializer import DeserializeWrapper, SerializeWrapper
from confluent_kafka.compat.kafka.serializer.wrapper import deserializer_of, serializer_of
from tests.support.waiting import TIMEOUT


class ClusterOfThree:
    """A cluster whose topic has three partitions, of which one has no leader."""

    def __init__(self) -> None:
        self.available = {1, 2}

    def partitions_for_topic(self, topic: str) -> set[int]:
        return {0, 1, 2}

    def available_partitions_for_topic(self, topic: str) -> set[int]:
        return self.available


class OldSerializer:
    """A serializer in the form of kafka-python 2, which gets no headers."""

    def serialize(self, topic: str, value: Any) -> bytes:
        return f"{topic} {value}".encode()

    def deserialize(self, topic: str, data: bytes | None) -> str:
        return f"{topic} {data!r}"


def test_a_future_that_succeeds() -> None:
    """Callbacks get the result, at once if it is already there; errbacks are not called."""
    future, seen = Future(), []
    future.add_callback(seen.append).add_errback(lambda error: seen.append(error))
    future.add_callback(lambda first, value, more: seen.append((first, value, more)), 1, more=2)
    assert (future.is_done, future.value, future.exception) == (False, None, None)
    assert future.success(3) is future
    assert (future.succeeded(), future.failed(), future.value) == (True, False, 3)
    future.add_both(seen.append)
    assert seen == [3, (1, 3, 2), 3]


def test_a_future_that_fails() -> None:
    """Errbacks get the exception, and chained futures fail with it, too."""
    future, other, seen = Future(), Future(), []
    future.add_callback(seen.append).add_errback(seen.append).chain(other)
    future.failure(errors.NodeNotReadyError)
    assert (future.failed(), future.retriable()) == (True, True)
    assert seen == [errors.NodeNotReadyError()]
    assert other.exception is future.exception
    with pytest.raises(TypeError, match="fails with an exception"):
        Future().failure("x")


def test_callbacks_that_raise(caplog: pytest.LogCaptureFixture) -> None:
    """The exception is logged, and the other callbacks are called."""
    future, seen = Future(), []
    future.add_callback(lambda value: value / 0).add_callback(seen.append)
    future.success(1)
    assert seen == [1]
    assert "division by zero" in caplog.text


def test_awaiting_a_future() -> None:
    """A future can be awaited, even if it is already settled."""

    async def awaited(future: Future) -> Any:
        return await future

    waiting = awaited(future := Future())
    assert waiting.send(None) is future
    future.success(5)
    with pytest.raises(StopIteration) as ended:
        waiting.send(None)
    assert ended.value.value == 5
    with pytest.raises(errors.NodeNotReadyError):
        awaited(Future().failure(errors.NodeNotReadyError())).send(None)


def test_the_future_of_a_message() -> None:
    """The future has the result of the message's request, with the offset of the message itself."""
    place = TopicPartition("t", 1)
    request = FutureProduceResult(place)
    future = FutureRecordMetadata(request, 2, 77, None, 1, 5, -1)
    with pytest.raises(errors.KafkaTimeoutError, match=r"after waiting for 0\.01 secs"):
        future.get(0.01)
    threading.Timer(0.01, request.success, [(100, -1, None)]).start()
    assert future.get(TIMEOUT) == RecordMetadata("t", 1, place, 102, 77, None, 1, 5, -1)
    assert request.wait(0)
    assert future.args == (2, 77, None, 1, 5, -1)
    failed = FutureRecordMetadata(FutureProduceResult(place), 0, 77, None, 1, 5, -1)
    failed.rebind(FutureProduceResult(place).failure(errors.Cancelled()), 1)
    with pytest.raises(errors.Cancelled):
        failed.get()


def test_serializers() -> None:
    """Text and JSON are converted to bytes and back. None stays Kafka's null."""
    text, json = DefaultSerializer(), JsonSerializer()
    assert text.serialize("t", [], "é") == "é".encode()
    assert text.serialize("t", [], b"x") == b"x"
    assert DefaultSerializer("latin-1").serialize("t", [], "é") == b"\xe9"
    assert text.deserialize("t", [], b"a") == "a"
    assert json.serialize("t", [], {"a": 1}) == b'{"a": 1}'
    assert json.deserialize("t", [], b'{"a": 1}') == {"a": 1}
    for each in (text, json):
        assert each.serialize("t", [], None) is None
        assert each.deserialize("t", [], None) is None
        each.close()


def test_functions_and_others_as_serializers() -> None:
    """A function, a Serializer and an object in the form of kafka-python 2 are accepted, and
    nothing else."""
    assert serializer_of("n", None) is None
    assert deserializer_of("n", None) is None
    default = DefaultSerializer()
    assert serializer_of("n", default) is default
    assert deserializer_of("n", default) is default
    function, old = serializer_of("n", str.encode), serializer_of("n", OldSerializer())
    assert function is not None
    assert old is not None
    assert function.serialize("t", [], "x") == b"x"
    assert old.serialize("t", [], 5) == b"t 5"
    back, old_back = deserializer_of("n", len), deserializer_of("n", OldSerializer())
    assert back is not None
    assert old_back is not None
    assert back.deserialize("t", [], b"abc") == 3
    assert old_back.deserialize("t", [], b"x") == "t b'x'"
    for check in (serializer_of, deserializer_of):
        with pytest.raises(TypeError, match="n must be a "):
            check("n", "utf-8")
    assert SerializeWrapper(None).serialize("t", [], b"1") == b"1"
    assert DeserializeWrapper(None).deserialize("t", [], b"1") == b"1"


@pytest.mark.parametrize("key", [b"", b"a", b"ab", b"abc", b"abcd", bytes(range(200))])
def test_the_default_partitioner(key: bytes) -> None:
    """Keys get the same partition as in librdkafka and in Kafka's Java client."""
    chosen = DefaultPartitioner().partition("t", key, key, None, None, ClusterOfThree())
    assert chosen == of_librdkafka(key, 3) == (murmur2(key) & 0x7FFFFFFF) % 3


def test_messages_without_a_key() -> None:
    """Messages without a key go to partitions that have a leader.

    The sticky partitioner changes the partition only for a new batch.
    """
    cluster, sticky = ClusterOfThree(), StickyPartitioner()
    message = ("t", None, None, b"v", b"v", cluster)
    assert {DefaultPartitioner().partition(*message) for _ in range(200)} == {1, 2}
    first = sticky.partition(*message)
    assert {sticky.partition(*message) for _ in range(20)} == {first}
    sticky.on_new_batch("t", cluster, first)
    second = sticky.partition(*message)
    assert second == 3 - first
    sticky.on_new_batch("t", cluster, first)  # this batch is older than the current batch
    assert sticky.partition(*message) == second
    assert sticky.partition("t", b"k", b"k", None, None, cluster) == of_librdkafka(b"k", 3)


def test_a_sticky_partition_without_a_leader() -> None:
    """If the sticky partition loses its leader, another partition replaces it at once.

    If no partition has a leader, any partition may be chosen.
    """
    cluster, sticky = ClusterOfThree(), StickyPartitioner()
    message = ("t", None, None, b"v", b"v", cluster)
    for available in ({1}, {2}, {0}):
        cluster.available = available
        assert sticky.partition(*message) == min(available)
    cluster.available = set()
    assert sticky.partition(*message) == 0


@pytest.mark.parametrize("partitioner", [DefaultPartitioner(), StickyPartitioner()])
@pytest.mark.parametrize("key", [None, b"k"])
def test_partitions_of_an_unknown_topic(partitioner: DefaultPartitioner, key: Any) -> None:
    """For an unknown topic, the partitioner raises ValueError, and a new batch changes nothing."""
    cluster = ClusterMetadata()
    with pytest.raises(ValueError, match="Topic t not found"):
        partitioner.partition("t", key, key, b"v", b"v", cluster)
    if isinstance(partitioner, StickyPartitioner):
        partitioner.on_new_batch("t", cluster, -1)


def test_enumerations() -> None:
    """Members are found by name, in any case, and by value."""
    for earliest in ("earliest", "EARLIEST", -2, OffsetSpec.EARLIEST):
        assert OffsetSpec.build_from(earliest) is OffsetSpec.EARLIEST
        assert OffsetSpec.value_for(earliest) == -2
    assert OffsetSpec.build_from("max-timestamp") is OffsetSpec.MAX_TIMESTAMP
    assert IsolationLevel.build_from("read_committed") is IsolationLevel.READ_COMMITTED
    for wrong in ("foo", None, 77):
        with pytest.raises(ValueError, match="OffsetSpec has no "):
            OffsetSpec.build_from(wrong)


def test_structs() -> None:
    """The structs have kafka-python's defaults."""
    assert OffsetAndMetadata(5) == (5, "", -1)
    assert ConsumerGroupMetadata("g") == ("g", -1, "", None, "<unjoined>")


def test_a_groups_metadata() -> None:
    """The generation and member id can be read from the metadata written for librdkafka."""
    assert generation_and_member(written("g", 7, "m", "i")) == (7, "m")
    assert generation_and_member(written("g")) == (-1, "")
