"""consume_arrow() and MessageBatch: the columns, which libraries read them, and how long they
live."""

from __future__ import annotations

import ctypes
import datetime
import gc
import os
import pickle
import random
import re
import sys
import threading
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaException, MessageBatch, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.refcounts import assert_no_leaks
from tests.support.scripts import check_script
from tests.support.waiting import wait_until

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from tests.support.arrow_structs import array_of, columns_of  # noqa: E402

HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
# The columns of Spark's Kafka source; there, headers are optional, too.
SCHEMA = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("timestampType", pa.int32()),
    ]
)
SCHEMA_WITH_HEADERS = SCHEMA.append(pa.field("headers", HEADERS))

MILLISECONDS = 1_700_000_000_123
TIME = datetime.datetime(2023, 11, 14, 22, 13, 20, 123_000, datetime.UTC)


def fetch(consumer: Consumer, topic: str, count: int, headers: bool = True) -> MessageBatch:
    """The first `count` messages of partition 0."""
    consumer.assign([TopicPartition(topic, 0, 0)])
    batch = consumer.consume_arrow(count, 30, headers=headers)
    assert len(batch) == count
    return batch


def rows_of(batch: MessageBatch) -> list[dict[str, Any]]:
    record_batch = pa.record_batch(batch)
    record_batch.validate(full=True)
    rows: list[dict[str, Any]] = record_batch.to_pylist()
    return rows


@pytest.fixture
def batch(producer: Producer, consumer: Consumer, kafka_topic: str) -> MessageBatch:
    """Three messages: a full one, one of nulls, one of empty values."""
    producer.produce(
        kafka_topic,
        b"value",
        b"key",
        partition=0,
        timestamp=MILLISECONDS,
        headers=[("a", b"1"), ("b", None), ("a", b""), ("ü", b"\xff")],
    )
    producer.produce(kafka_topic, None, None, partition=0, timestamp=1)
    producer.produce(kafka_topic, b"", b"", partition=0, timestamp=MILLISECONDS, headers=[])
    assert producer.flush(30) == 0
    return fetch(consumer, kafka_topic, 3)


# ---- the columns ------------------------------------------------------------------------


def test_schema(batch: MessageBatch, consumer: Consumer, kafka_topic: str) -> None:
    """Names, types and nullability are the same as in Spark's Kafka source; headers are
    optional."""
    assert pa.schema(batch).equals(SCHEMA_WITH_HEADERS)
    assert pa.record_batch(batch).schema.equals(SCHEMA_WITH_HEADERS)
    assert pa.schema(fetch(consumer, kafka_topic, 3, headers=False)).equals(SCHEMA)


def test_values(batch: MessageBatch, kafka_topic: str) -> None:
    """Null, empty and duplicate values stay as they are; a row without headers has null, as in
    Spark."""
    common = {"topic": kafka_topic, "partition": 0, "timestampType": 0}
    first = common | {"key": b"key", "value": b"value", "offset": 0, "timestamp": TIME}
    epoch = datetime.datetime(1970, 1, 1, 0, 0, 0, 1000, datetime.UTC)
    second = common | {"key": None, "value": None, "offset": 1, "timestamp": epoch}
    third = common | {"key": b"", "value": b"", "offset": 2, "timestamp": TIME}
    headers = [("a", b"1"), ("b", None), ("a", b""), ("ü", b"\xff")]
    first["headers"] = [{"key": key, "value": value} for key, value in headers]
    second["headers"] = third["headers"] = None
    assert rows_of(batch) == [first, second, third]


def test_same_as_consume(
    producer: Producer, make_consumer: MakeConsumer, kafka_cluster: MockCluster
) -> None:
    """Every row has the same values as the Message of its offset, whatever was produced."""
    rng = random.Random(7)
    kafka_cluster.create_topic("random", 3)
    for _ in range(1000):
        payloads = [None, b"", b"x", rng.randbytes(rng.randrange(300))]
        headers = [(rng.choice("abc"), rng.choice(payloads)) for _ in range(rng.randrange(4))]
        producer.produce(
            "random",
            rng.choice(payloads),
            rng.choice(payloads),
            partition=rng.randrange(3),
            headers=headers,
            timestamp=rng.randrange(1, 2**42),
        )
    assert producer.flush(30) == 0
    consumer = make_consumer()
    start = [TopicPartition("random", partition, 0) for partition in range(3)]
    consumer.assign(start)
    expected = {
        (message.partition(), message.offset()): {
            "key": message.key(),
            "value": message.value(),
            "timestamp": message.timestamp()[1],
            "headers": message.headers()
            and [{"key": key, "value": value} for key, value in message.headers()],
        }
        for message in consumer.consume(1000, 30)
    }
    assert len(expected) == 1000
    consumer.assign(start)
    found = {}
    while len(found) < 1000:
        part = consumer.consume_arrow(rng.randrange(1, 200), 0.05, headers=True)
        for row in rows_of(part):
            milliseconds = round(row["timestamp"].timestamp() * 1000)
            assert row["topic"] == "random"
            found[row["partition"], row["offset"]] = {
                "key": row["key"],
                "value": row["value"],
                "timestamp": milliseconds,
                "headers": row["headers"],
            }
    assert found == expected


def test_several_topics(producer: Producer, consumer: Consumer, kafka_cluster: MockCluster) -> None:
    """If a batch has messages of several topics, each row has its own topic."""
    topics = ["short", "a-topic-with-a-longer-name"]
    for topic in topics:
        kafka_cluster.create_topic(topic)
        for number in range(50):
            producer.produce(topic, topic, str(number), partition=0)
    assert producer.flush(30) == 0
    consumer.assign([TopicPartition(topic, 0, 0) for topic in topics])
    batch = consumer.consume_arrow(100, 30)
    rows = rows_of(batch)
    assert len(rows) == 100
    assert all(row["topic"] == row["value"].decode() for row in rows)


def test_names_of_headers_are_utf8(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """Kafka allows any bytes in a header's name, but Arrow only UTF-8: other bytes become '?'."""
    names = {
        b"plain": "plain",
        "äß€😀".encode(): "äß€😀",
        b"\xff": "?",
        b"a\xc3": "a?",
        b"\xe2\x82": "??",
        b"\xc0\x80": "??",
        b"\xed\xa0\x80": "???",
        b"\xf4\x90\x80\x80x": "????x",
        b"\xf0\x9f\x98": "???",
        b"\xe2\x82\xacz\x80": "€z?",
    }
    size, offsets = 0, [0]
    for name in names:
        size += len(name)
        offsets.append(size)
    keys = pa.Array.from_buffers(
        pa.string(),
        len(names),
        [None, pa.array(offsets, pa.int32()).buffers()[1], pa.py_buffer(b"".join(names))],
    )
    header = pa.StructArray.from_arrays([keys, pa.nulls(len(names))], ["key", "value"])
    headers = pa.ListArray.from_arrays(pa.array([0, len(names)], pa.int32()), header)
    producer.produce_arrow(columns_of(headers=headers), kafka_topic)
    assert producer.flush(30) == 0
    (row,) = rows_of(fetch(consumer, kafka_topic, 1))
    assert [item["key"] for item in row["headers"]] == list(names.values())


@pytest.mark.parametrize(
    "names",
    [
        *([name] for name in SCHEMA_WITH_HEADERS.names),
        ["value", "offset"],
        ["offset", "value"],  # columns keep the order of the batch
        ["headers", "key", "key"],
        ["timestampType", "topic"],
        SCHEMA_WITH_HEADERS.names,
    ],
    ids=",".join,
)
def test_columns_that_are_wanted(
    batch: MessageBatch, consumer: Consumer, kafka_topic: str, names: list[str]
) -> None:
    """The batch has only these columns, with the same values as in a batch of all columns."""
    everything = pa.record_batch(batch)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    found = pa.record_batch(consumer.consume_arrow(3, 30, columns=names))
    found.validate(full=True)
    assert found.schema.names == [name for name in SCHEMA_WITH_HEADERS.names if name in names]
    assert found.equals(everything.select(found.schema.names))


def test_headers_and_columns(batch: MessageBatch, consumer: Consumer, kafka_topic: str) -> None:
    """headers=True adds the headers to what `columns` names."""
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    found = pa.record_batch(consumer.consume_arrow(3, 30, headers=True, columns=["key"]))
    assert found.equals(pa.record_batch(batch).select(["key", "headers"]))


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (["valeu"], ValueError, "columns has an unknown column 'valeu'; did you mean 'value'?"),
        (
            ["x"],
            ValueError,
            "columns has an unknown column 'x'; allowed are ['key', 'value', ",
        ),
        ([], ValueError, "columns is empty; it must name at least one"),
        ("value", TypeError, "columns must be a list of str, not str"),
        ([b"value"], TypeError, "a name in columns must be str, not bytes"),
        (["val\0ue"], ValueError, "a name in columns"),
        (7, TypeError, "columns must be a list of str, not int"),
    ],
)
def test_columns_that_are_refused(
    consumer: Consumer, columns: Any, error: type[Exception], message: str
) -> None:
    """The error names the allowed columns, or the most similar name."""
    with pytest.raises(error, match=re.escape(message)):
        consumer.consume_arrow(1, 0, columns=columns)


def test_empty_batch(consumer: Consumer, kafka_topic: str) -> None:
    """A batch without rows is a valid batch."""
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    batch = consumer.consume_arrow(10, 0, headers=True)
    assert len(batch) == 0
    assert not batch
    assert rows_of(batch) == []
    assert pa.schema(batch).equals(SCHEMA_WITH_HEADERS)


def test_eof(make_consumer: MakeConsumer, producer: Producer, kafka_topic: str) -> None:
    """The ends of partitions are in `eof`, and are not rows."""
    producer.produce(kafka_topic, b"1", partition=0)
    assert producer.flush(30) == 0
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    batch = consumer.consume_arrow(2, 30)
    assert len(batch) == 1
    assert batch.eof == [TopicPartition(kafka_topic, 0)]
    assert batch.eof[0].offset == 1


def test_layout(producer: Producer, consumer: Consumer, kafka_topic: str) -> None:
    """Buffers are aligned to 64 bytes, and only columns with nulls have a validity bitmap."""
    for number in range(100):
        key = None if number % 2 else b"key"
        producer.produce(kafka_topic, b"value", key, partition=0, headers=[("a", b"1")])
    assert producer.flush(30) == 0
    record_batch = pa.record_batch(fetch(consumer, kafka_topic, 100))
    buffers = {name: record_batch.column(name).buffers() for name in record_batch.schema.names}
    for column in buffers.values():
        for buffer in column:
            assert buffer is None or buffer.address % 64 == 0
    assert [name for name, column in buffers.items() if column[0] is not None] == ["key"]
    assert record_batch.column("key").null_count == 50


# ---- which libraries read the columns --------------------------------------------------------


def test_polars(batch: MessageBatch) -> None:
    """polars makes a data frame of a batch."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(batch)
    assert frame["value"].to_list() == [b"value", None, b""]
    assert frame["timestamp"].to_list()[0] == TIME
    assert frame["headers"].to_list()[0][0] == {"key": "a", "value": b"1"}


def test_duckdb(batch: MessageBatch) -> None:
    """DuckDB queries a batch by the name of its variable."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    rows = duckdb.sql('select value, headers from batch order by "offset"').fetchall()
    assert [value for value, _ in rows] == [b"value", None, b""]
    assert rows[0][1][0] == {"key": "a", "value": b"1"}


def test_pandas(batch: MessageBatch) -> None:
    """pandas makes a data frame of a batch (through pyarrow before pandas 3)."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    if hasattr(pandas.DataFrame, "from_arrow"):
        frame = pandas.DataFrame.from_arrow(batch)
    else:
        frame = pa.record_batch(batch).to_pandas()
    assert list(frame["value"]) == [b"value", None, b""]
    assert frame["timestamp"][0] == TIME


def test_to_pandas(batch: MessageBatch) -> None:
    """to_pandas() returns the data frame that pandas makes of the batch."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = batch.to_pandas()
    assert list(frame["value"]) == [b"value", None, b""]
    assert list(frame.columns) == pa.record_batch(batch).schema.names


@pytest.mark.parametrize("missing", ["pandas", "pyarrow"])
def test_to_pandas_without(
    batch: MessageBatch, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a package is missing, the error names it and how to install it."""
    if missing == "pyarrow":
        pytest.importorskip("pandas", reason="pandas is not installed")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, missing, None)
        with pytest.raises(ImportError, match=f"{missing} is not installed: pip install") as error:
            batch.to_pandas()
    assert error.value.name == missing


def test_table(batch: MessageBatch) -> None:
    """pyarrow.table() and RecordBatchReader read the batch as a stream with one batch."""
    expected = pa.record_batch(batch)
    assert pa.table(batch).to_batches() == [expected]
    assert pa.RecordBatchReader.from_stream(batch).read_all().to_batches() == [expected]


# ---- producing batches again -----------------------------------------------------------------


def comparable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in row if name != "offset"} for row in rows]


def test_batch_is_produced_again(
    batch: MessageBatch, producer: Producer, consumer: Consumer, kafka_cluster: MockCluster
) -> None:
    """A consumed batch can be produced unchanged: every field arrives, including the timestamps."""
    kafka_cluster.create_topic("copy")
    assert producer.produce_arrow(batch, "copy") == 3
    assert producer.flush(30) == 0
    expected = [row | {"topic": "copy"} for row in comparable(rows_of(batch))]
    assert comparable(rows_of(fetch(consumer, "copy", 3))) == expected


@pytest.mark.parametrize("library", ["polars", "duckdb", "pandas"])
def test_frames_are_produced(
    batch: MessageBatch, producer: Producer, consumer: Consumer, kafka_topic: str, library: str
) -> None:
    """Data frames of other libraries are accepted unchanged."""
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    if library == "polars":
        frame = module.DataFrame(batch)
    elif library == "pandas":
        frame = pa.record_batch(batch).to_pandas(types_mapper=module.ArrowDtype)
        if not hasattr(frame, "__arrow_c_stream__"):
            pytest.skip("pandas is older than the Arrow PyCapsule protocol")
    else:
        frame = module.sql("select * from batch")
    assert producer.produce_arrow(frame) == 3
    assert producer.flush(30) == 0
    rows = comparable(rows_of(fetch(consumer, kafka_topic, 6)))
    assert rows[3:] == rows[:3]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([MILLISECONDS]), MILLISECONDS),
        (pa.array([MILLISECONDS % 2**31], pa.int32()), MILLISECONDS % 2**31),
        (pa.array([1_700_000_000], pa.timestamp("s")), 1_700_000_000_000),
        (pa.array([MILLISECONDS], pa.timestamp("ms")), MILLISECONDS),
        (pa.array([MILLISECONDS * 1000 + 999], pa.timestamp("us", "UTC")), MILLISECONDS),
        (
            pa.array([MILLISECONDS * 1_000_000 + 999_999], pa.timestamp("ns", "Europe/Paris")),
            MILLISECONDS,
        ),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_timestamps(
    producer: Producer, consumer: Consumer, kafka_topic: str, column: Any, expected: int
) -> None:
    """A timestamp of any unit becomes Kafka's milliseconds, rounded down; an integer is
    milliseconds."""
    producer.produce_arrow(columns_of(timestamp=column), kafka_topic)
    assert producer.flush(30) == 0
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    (message,) = consumer.consume(1, 30)
    assert message.timestamp()[1] == expected


def test_null_timestamp_is_now(producer: Producer, consumer: Consumer, kafka_topic: str) -> None:
    """For a null timestamp, the time of the call is used, as if there were no timestamp column."""
    before = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    producer.produce_arrow(columns_of(timestamp=pa.array([None], pa.timestamp("us"))), kafka_topic)
    assert producer.flush(30) == 0
    (row,) = rows_of(fetch(consumer, kafka_topic, 1))
    assert before <= row["timestamp"] <= datetime.datetime.now(datetime.UTC)


# ---- how long the columns live ---------------------------------------------------------------


def test_columns_outlive_the_batch(
    batch: MessageBatch, consumer: Consumer, kafka_topic: str
) -> None:
    """An exported column needs neither the batch nor the consumer nor other columns."""
    copies = [fetch(consumer, kafka_topic, 3) for _ in range(3)]
    first = pa.record_batch(copies[0])
    again = pa.record_batch(copies[0])
    value = pa.record_batch(copies[1]).column("value")
    headers = pa.table(copies[2]).column("headers")
    copies.clear()
    consumer.close()
    gc.collect()
    assert first == again == pa.record_batch(batch)
    assert value.to_pylist() == [b"value", None, b""]
    assert headers.to_pylist()[0][0] == {"key": "a", "value": b"1"}


def test_export_shares_memory(batch: MessageBatch) -> None:
    """Every export refers to the same buffers: nothing is copied."""
    exports = [pa.record_batch(batch), pa.table(batch).to_batches()[0]]
    addresses = [
        [buffer and buffer.address for column in export.columns for buffer in column.buffers()]
        for export in exports
    ]
    assert addresses[0] == addresses[1]


def test_child_moved_out_of_its_parent(batch: MessageBatch) -> None:
    """A reader can move one column out of the batch and release the rest, as the interface
    allows."""
    schema_capsule, array_capsule = batch.__arrow_c_array__()
    del schema_capsule
    root = array_of(array_capsule)
    headers = root.children[7].contents
    moved = type(headers)()
    ctypes.memmove(ctypes.byref(moved), ctypes.byref(headers), ctypes.sizeof(moved))
    headers.release = type(headers.release)()  # mark the column as moved
    root.release(ctypes.pointer(root))
    assert not root.release
    del batch, array_capsule
    gc.collect()
    column = pa.Array._import_from_c(ctypes.addressof(moved), HEADERS)
    column.validate(full=True)
    assert column.to_pylist()[1:] == [None, None]


def test_capsules_nobody_reads(batch: MessageBatch) -> None:
    """A capsule that is dropped without being read frees its memory."""

    def work() -> None:
        batch.__arrow_c_schema__()
        batch.__arrow_c_array__()
        batch.__arrow_c_stream__()
        pa.record_batch(batch)
        pa.table(batch)
        pa.schema(batch)

    assert_no_leaks(work)
    assert len(rows_of(batch)) == 3


def test_consuming_does_not_leak(batch: MessageBatch, consumer: Consumer, kafka_topic: str) -> None:
    """Batches leak no objects, references or blocks of memory."""

    def work() -> None:
        consumer.consume_arrow(10, 0, headers=True).__arrow_c_array__()

    assert_no_leaks(work)


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="the address sanitizer keeps freed memory, and looks for leaks itself",
)
def test_buffers_are_freed() -> None:
    """After 300 MB of batches, exported in each way, the process is as large as before."""
    output = check_script(
        """
        import resource
        import pyarrow
        from confluent_kafka import Consumer, Producer, TopicPartition
        from confluent_kafka.testing import MockCluster

        with MockCluster() as cluster:
            cluster.create_topic("topic")
            config = {"bootstrap.servers": cluster.bootstrap_servers}
            fast = {"group.id": "group", "fetch.wait.max.ms": 5}
            with Producer(config) as producer:
                for _ in range(1000):
                    producer.produce("topic", b"x" * 1000, headers=[("a", b"y" * 1000)])
                assert producer.flush(30) == 0
            with Consumer(config | fast) as consumer:
                for number in range(170):
                    consumer.assign([TopicPartition("topic", 0, 0)])
                    batch = consumer.consume_arrow(1000, 30, headers=True)
                    assert len(batch) == 1000
                    batch.__arrow_c_array__()
                    pyarrow.record_batch(batch)
                    pyarrow.table(batch)
                    batch.__arrow_c_stream__()
                    if number == 20:
                        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
        """,
        timeout=120,
    )
    assert int(output) < 60


def test_export_from_many_threads(batch: MessageBatch) -> None:
    """Several threads can export and release a batch at the same time, because it is immutable."""
    expected = pa.record_batch(batch)
    results = []

    def export() -> None:
        results.append(all(pa.record_batch(batch) == expected for _ in range(200)))

    threads = [threading.Thread(target=export) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert results == [True] * 8


# ---- the class MessageBatch ------------------------------------------------------------------


def test_message_batch(batch: MessageBatch) -> None:
    """len(), repr() and eof work; the docstring names the method that makes a batch."""
    assert len(batch) == 3
    assert repr(batch) == "MessageBatch(3 messages)"
    assert batch.eof == []
    with pytest.raises(AttributeError):
        batch.eof = []  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"cannot create .*MessageBatch"):
        MessageBatch()
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(batch)


def test_capsules(batch: MessageBatch) -> None:
    """A batch has the methods of the PyCapsule protocol; it ignores a requested schema."""
    schema = batch.__arrow_c_schema__()
    assert 'capsule object "arrow_schema"' in repr(schema)
    for pair in (
        batch.__arrow_c_array__(),
        batch.__arrow_c_array__(None),
        batch.__arrow_c_array__(requested_schema=schema),
    ):
        names = [re.search('"(.*)"', repr(capsule)).group(1) for capsule in pair]  # type: ignore[union-attr]
        assert names == ["arrow_schema", "arrow_array"]
    assert '"arrow_array_stream"' in repr(batch.__arrow_c_stream__(requested_schema=None))


@pytest.mark.parametrize("method", ["__arrow_c_array__", "__arrow_c_stream__"])
def test_wrong_arguments(batch: MessageBatch, method: str) -> None:
    """A TypeError names the method and the argument."""
    with pytest.raises(TypeError, match=rf"{method}\(\) takes no argument 'schema'"):
        getattr(batch, method)(schema=None)
    with pytest.raises(TypeError, match=rf"{method}\(\) takes at most 1 positional"):
        getattr(batch, method)(None, None)
    with pytest.raises(TypeError):
        batch.__arrow_c_schema__(None)  # type: ignore[call-arg]


def test_an_error_loses_no_rows(
    make_consumer: MakeConsumer, producer: Producer, kafka_cluster: MockCluster
) -> None:
    """An error among the messages is raised, and the rows before and after it are returned."""
    kafka_cluster.create_topic("topic", 2)
    for number in range(5):
        producer.produce("topic", str(number), partition=0)
    assert producer.flush(30) == 0
    consumer = make_consumer({"auto.offset.reset": "error"})
    # There is no offset 1000 in the other partition.
    consumer.assign([TopicPartition("topic", 0, 0), TopicPartition("topic", 1, 1000)])
    values: list[bytes] = []
    errors: list[str] = []

    def fetch_some() -> None:
        try:
            values.extend(row["value"] for row in rows_of(consumer.consume_arrow(100, 0.1)))
        except KafkaException as exception:
            errors.append(exception.args[0].name())

    wait_until(lambda: len(values) == 5 and errors, fetch_some)
    assert values == [b"0", b"1", b"2", b"3", b"4"]
    assert set(errors) == {"_AUTO_OFFSET_RESET"}
