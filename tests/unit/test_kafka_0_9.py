"""The parts of compat.kafka_0_9 that need no cluster."""

from __future__ import annotations

import copy
import pickle
import socket
import struct
import threading
from contextlib import suppress
from typing import Any

import pytest

from confluent_kafka import KafkaError
from confluent_kafka.compat import kafka_0_9 as kafka
from confluent_kafka.compat.kafka_0_9 import (
    MultiProcessConsumer,
    SimpleConsumer,
    common,
    protocol,
    util,
)
from confluent_kafka.compat.kafka_0_9._engine import Exchange
from confluent_kafka.compat.kafka_0_9.conn import KafkaConnection, collect_hosts
from confluent_kafka.compat.kafka_0_9.context import OffsetCommitContext
from confluent_kafka.compat.kafka_0_9.partitioner import LegacyPartitioner, Murmur2Partitioner
from confluent_kafka.compat.kafka_0_9.partitioner.base import Partitioner
from confluent_kafka.compat.kafka_0_9.partitioner.hashed import murmur2
from confluent_kafka.compat.kafka_0_9.producer.base import Producer
from tests.support.kafka import NO_BROKER
from tests.support.waiting import TIMEOUT, wait_until


def test_errors_by_number() -> None:
    """The error number of a response becomes an exception, which has the response.

    A number that version 0.9 does not have becomes an unknown error.
    """
    assert sorted(common.kafka_errors) == list(range(-1, 0)) + list(range(1, 17))
    response = common.ProduceResponse(b"t", 0, 3, -1)
    with pytest.raises(common.UnknownTopicOrPartitionError) as raised:
        common.check_error(response)
    assert raised.value.args == (response,)
    with pytest.raises(common.UnknownError):
        common.check_error(response._replace(error=99))
    common.check_error(response._replace(error=0))
    failed = common.FailedPayloadsError("payload")
    with pytest.raises(common.FailedPayloadsError) as same:
        common.check_error(failed)
    assert same.value is failed


@pytest.mark.parametrize(
    "error", [common.FailedPayloadsError("p", 1), common.AsyncProducerQueueFull((b"m",), "full")]
)
def test_errors_with_arguments(error: Exception) -> None:
    """Errors keep their arguments and their texts when they are copied and pickled."""
    for same in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(same) is type(error)
        assert (same.args, vars(same)) == (error.args, vars(error))


def test_strings_of_the_protocol() -> None:
    """A string begins with its length. A string that is cut short raises an error."""
    assert util.write_int_string(b"ab") == b"\0\0\0\2ab"
    assert util.write_short_string(None) == b"\xff\xff"
    assert util.read_short_string(b"\0\2abc", 0) == (b"ab", 4)
    assert util.read_int_string(b"\xff\xff\xff\xff", 0) == (None, 4)
    assert util.relative_unpack(">hh", b"\0\1\0\0\2", 0) == ((1, 0), 4)
    for cut in (b"\0\0\0\4abc", b"\0\0\0", b"\xff\xff\xff\xfe"):
        with pytest.raises(common.BufferUnderflowError):
            util.read_int_string(cut, 0)
    with pytest.raises(TypeError, match="Expected \"<class 'str'>\" to be bytes\ndata='ab'"):
        util.write_short_string("ab")  # type: ignore[arg-type]
    assert util.crc32(b"abc") == 891568578


def test_names() -> None:
    """A name may be str or bytes."""
    assert util.kafka_bytestring("é") == util.kafka_bytestring(b"\xc3\xa9") == b"\xc3\xa9"
    with pytest.raises(TypeError, match="must be str or bytes, not int: 5"):
        util.kafka_bytestring(5)  # type: ignore[arg-type]


def test_payloads_by_partition() -> None:
    """Payloads are grouped by topic and partition; a second payload for a partition is an error."""
    one, two, other = (common.OffsetFetchRequest(*at) for at in ((b"a", 1), (b"a", 2), (b"b", 1)))
    grouped = util.group_by_topic_and_partition([one, two, other])
    assert grouped == {b"a": {1: one, 2: two}, b"b": {1: other}}
    with pytest.raises(AssertionError, match="Duplicate OffsetFetchRequests for b'a' 1"):
        util.group_by_topic_and_partition([one, one])


def test_a_timer_calls_until_it_is_stopped() -> None:
    """A stopped timer can be started again, and its own function may stop it."""
    calls: list[Any] = []
    timer = util.ReentrantTimer(1, lambda *args, **kwargs: calls.append((args, kwargs)), 1, a=2)
    for _ in range(2):
        timer.start()
        wait_until(lambda: len(calls) >= 2)
        timer.stop()
        assert set(map(repr, calls)) == {"((1,), {'a': 2})"}
        calls.clear()
    stopped = threading.Event()

    def stop() -> None:
        itself.stop()
        stopped.set()

    itself = util.ReentrantTimer(1, stop)
    itself.start()
    assert stopped.wait(TIMEOUT)


def test_a_timer_whose_function_fails(caplog: pytest.LogCaptureFixture) -> None:
    """The timer calls its function again after an exception, because nobody would notice if the
    timer ended."""
    failed_twice = threading.Event()
    calls = 0

    def fail() -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            failed_twice.set()
        raise SystemExit("of the application")

    timer = util.ReentrantTimer(1, fail)
    timer.start()
    assert failed_twice.wait(TIMEOUT)
    timer.stop()
    assert "a timer's function failed" in caplog.text


def test_wrong_timers() -> None:
    """The error names the wrong argument."""
    with pytest.raises(ValueError, match="t must be a positive number of milliseconds, not 0"):
        util.ReentrantTimer(0, print)
    with pytest.raises(ValueError, match="fn must be callable, not int"):
        util.ReentrantTimer(1, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "hashed"),
    [
        (b"abc", 479470107),
        (bytearray(b"abc"), 479470107),
        (b"", 275646681),
        ("key1", 28543940),
        ("é", 186971271),
        (5, 55100550),
        (None, 477476995),
        (bytes(range(256)), 2346620022),
    ],
)
def test_murmur2(key: Any, hashed: int) -> None:
    """Keys get the same hashes and partitions as in kafka-python."""
    assert murmur2(key) == hashed
    partitioner = Murmur2Partitioner(list(range(7)))
    assert partitioner.partition(key) == (hashed & 0x7FFFFFFF) % 7
    assert partitioner.partition(key, [10]) == 10


def test_partitioners() -> None:
    """One partitioner uses Python's hash.

    The other partitioner uses the partitions in turn, also after the partitions have changed.
    """
    assert LegacyPartitioner([4, 5, 6]).partition(5) == [4, 5, 6][hash(5) % 3]
    in_turn = kafka.RoundRobinPartitioner([0, 1, 2])
    assert [in_turn.partition(b"k") for _ in range(4)] == [0, 1, 2, 0]
    assert in_turn.partition(None, [0, 1, 2]) == 1
    assert [in_turn.partition(None, [5, 6]) for _ in range(3)] == [5, 6, 5]
    with pytest.raises(NotImplementedError):
        Partitioner([0]).partition(b"k")


def test_addresses() -> None:
    """Servers may be a list, or a text in which commas separate them. The port may be missing."""
    expected = [("a", 1), ("b", 9092), ("::1", 7), ("::2", 9092)]
    assert collect_hosts("a:1, b,[::1]:7,::2", randomize=False) == expected
    assert collect_hosts(["a:1", b"b", "[::1]:7", "::2"], randomize=False) == expected
    assert sorted(collect_hosts("a:1,b,[::1]:7,::2")) == sorted(expected)
    with pytest.raises(ValueError, match="hosts must be 'host:port', not 'a:b'"):
        collect_hosts("a:b")


def test_a_connection_carries_requests() -> None:
    """A connection sends a request unchanged, and returns the response without its size.

    A copied connection connects with reinit().
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connection = KafkaConnection("127.0.0.1", port, timeout=TIMEOUT)
        theirs, _ = server.accept()
        with theirs:
            connection.send(1, b"question")
            assert theirs.recv(len(b"question"), socket.MSG_WAITALL) == b"question"
            theirs.sendall(struct.pack(">i", 6) + b"answ")
            theirs.sendall(b"er")
            assert connection.recv(1) == b"answer"
        with pytest.raises(common.ConnectionError, match="went away"):
            connection.recv(2)
        other = connection.copy()
        other.reinit()
        server.accept()[0].close()
        other.close()
        connection.close()
        connection.close()


def test_nobody_listens() -> None:
    """If no server listens, a connection and a client raise at once."""
    host, port = NO_BROKER.split(":")
    with pytest.raises(common.ConnectionError, match=f"Kafka @ {host}:{port} went away"):
        KafkaConnection(host, int(port))
    with pytest.raises(common.KafkaUnavailableError, match="All servers failed to process request"):
        kafka.KafkaClient(NO_BROKER)


class Answering:
    """A client that records the sent requests."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def has_metadata_for_topic(self, topic: bytes) -> bool:
        return True

    def get_partition_ids_for_topic(self, topic: bytes) -> list[int]:
        return [0, 1, 2]

    def send_produce_request(self, payloads: list[Any], **options: Any) -> list[Any]:
        self.sent.append((payloads, options))
        return ["answer"]


def test_what_producers_send() -> None:
    """A request has the options of the producer, and the producer returns the responses
    unchanged."""
    client: Any = Answering()
    producer = kafka.SimpleProducer(
        client, 0, ack_timeout=5, sync_fail_on_error=False, random_start=False
    )
    assert producer.send_messages("t", b"a", b"b") == ["answer"]
    messages = [common.Message(0, 0, None, b"a"), common.Message(0, 0, None, b"b")]
    options = {"acks": 0, "timeout": 5, "fail_on_error": False}
    assert client.sent == [([common.ProduceRequest(b"t", 0, messages)], options)]
    assert repr(producer) == "<SimpleProducer batch=False>"
    producer.stop()


@pytest.mark.parametrize(
    ("key", "message", "text"),
    [
        (None, "text", "payloads must be null or type bytes, not str"),
        (None, None, "key and payload can't be null in one"),
        ("key", b"v", "the key must be type bytes, not str"),
    ],
)
def test_wrong_messages(key: Any, message: Any, text: str) -> None:
    """Keys and messages must be bytes, and only one of them may be missing."""
    client: Any = Answering()
    with pytest.raises(TypeError, match=text):
        kafka.KeyedProducer(client).send("t", key, message)
    assert not client.sent


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"codec": 7}, common.UnsupportedCodecError, "codec must be from 0 to 4, not 7"),
        ({"nonsense": 1}, TypeError, "has no keyword nonsense"),
    ],
)
def test_wrong_keywords(keywords: Any, error: type[Exception], text: str) -> None:
    """The error of a producer names the wrong keyword."""
    client: Any = Answering()
    with pytest.raises(error, match=text):
        Producer(client, **keywords)


def test_wrong_buffers() -> None:
    """A buffer larger than its maximum is refused."""
    client: Any = Answering()
    text = r"buffer_size \(10\) is greater than max_buffer_size \(5\)"
    with pytest.raises(ValueError, match=text):
        kafka.SimpleConsumer(client, "g", "t", buffer_size=10, max_buffer_size=5)


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({}, "bootstrap_servers required"),
        ({"nonsense": 1, "bootstrap_servers": NO_BROKER}, r"Unknown .*\['nonsense'\]"),
        ({"auto_commit_enable": True, "bootstrap_servers": NO_BROKER}, "without required consumer"),
    ],
)
def test_wrong_configurations(keywords: Any, text: str) -> None:
    """The error of KafkaConsumer names the missing or unknown keyword."""
    with pytest.raises(common.KafkaConfigurationError, match=text):
        kafka.KafkaConsumer("t", **keywords)


class Reader:
    """The methods of a consumer that OffsetCommitContext needs."""

    def __init__(self) -> None:
        self.offsets = {0: 5, 1: 6}
        self.sought: list[tuple[int, ...]] = []

    def seek(self, *where: int) -> None:
        self.sought.append(where)


@pytest.mark.parametrize("error", [None, KeyError, common.OffsetOutOfRangeError])
def test_a_context_of_any_consumer(error: type[Exception] | None) -> None:
    """OffsetCommitContext accepts any object with offsets and seek(), and lets it continue at the
    former offset."""
    consumer: Any = Reader()
    with suppress(KeyError), OffsetCommitContext(consumer):
        consumer.offsets[0] = 9
        if error is not None:
            raise error
    if error is common.OffsetOutOfRangeError:
        assert consumer.sought == [(0, 0)]
    else:
        assert (consumer.offsets, consumer.sought) == ({0: 5, 1: 6}, [(0, 1)])


@pytest.mark.parametrize(
    "create", [protocol.create_gzip_message, protocol.create_snappy_message], ids=["gzip", "snappy"]
)
def test_messages_are_made_of_values(create: Any) -> None:
    """A message may be a value, or a pair of value and key."""
    assert create([b"a", (b"b", b"k"), None]) == create([(b"a", None), (b"b", b"k"), (None, None)])
    assert protocol.create_message_set([b"a"]) == protocol.create_message_set([(b"a", None)])
    with pytest.raises(TypeError):
        create(b"ab")


def test_topics_as_text() -> None:
    """In a request for metadata, names may be text."""
    encode = protocol.KafkaProtocol.encode_metadata_request
    assert encode(b"c", 7, topics=["t"]) == encode(b"c", 7, topics=[b"t"])
    assert encode(b"c", 7, payloads=["t"]) == encode(b"c", 7, [b"t"])


def test_partitions_are_numbers() -> None:
    """Partitions must be numbers, because SimpleConsumer(partitions=["0"]) would read nothing."""

    class Client:
        def load_metadata_for_topics(self, *topics: bytes) -> None:
            pass

    client: Any = Client()
    for kind in (SimpleConsumer, MultiProcessConsumer):
        with pytest.raises(AssertionError, match="partitions must be numbers"):
            kind(client, None, "t", partitions=["0"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "code",
    [
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._DESTROY,
        KafkaError._DESTROY_BROKER,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
        KafkaError._WAIT_COORD,
    ],
)
def test_a_request_without_an_answer(code: int) -> None:
    """Every error that means "no answer" becomes the original package's error for a lost broker."""
    error = KafkaError(code)
    assert type(Exchange.failure(error, 1)) is common.ConnectionError
    assert type(Exchange.failure(error, None)) is common.KafkaUnavailableError


def test_a_request_that_is_refused() -> None:
    """An answer with an error is not taken for a lost broker."""
    error = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    for broker in (1, None):
        assert type(Exchange.failure(error, broker)) is common.KafkaError
