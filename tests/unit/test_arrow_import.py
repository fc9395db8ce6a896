"""Producer.produce_arrow(): the columns that it accepts, how it reads them, and its errors.

The tests need no broker. They purge the enqueued messages, and read them from the delivery reports.
"""

from __future__ import annotations

import datetime
import gc
import operator
import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Message, Producer
from confluent_kafka.cimpl import _row_digest
from tests.support.refcounts import assert_no_leaks

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from tests.support.arrow_structs import Exported, columns_of, tampered  # noqa: E402

HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
LONG = b"longer than the twelve bytes that a view holds"


@pytest.fixture
def producer() -> Iterator[Producer]:
    # There are no brokers, so no message leaves the queue.
    producer = Producer({"log_level": 0})
    yield producer
    producer.purge()
    producer.close()


def enqueued(producer: Producer, batch: Any, topic: str | None = None) -> list[Message]:
    """Produces `batch` and returns its messages, in their order within each topic."""
    messages: list[Message] = []
    count = producer.produce_arrow(
        batch, topic, on_delivery=lambda error, message: messages.append(message)
    )
    assert len(producer) == count
    producer.purge()
    assert producer.flush(10) == 0
    assert len(messages) == count
    return messages


def keys(producer: Producer, column: Any) -> list[bytes | None]:
    return [message.key() for message in enqueued(producer, columns_of(key=column), "t")]


# ---- accepted columns -------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.binary()),
        pa.dictionary(pa.uint32(), pa.string()),
        pa.dictionary(pa.int64(), pa.large_string()),
    ],
    ids=str,
)
def test_bytes_of_every_layout(producer: Producer, kind: Any) -> None:
    """A key may be binary or string in any of Arrow's layouts.

    Null, empty and long values are not confused.
    """
    values = [b"a", None, b"", LONG, b"twelve bytes", b"thirteen byte", b"a", LONG]
    column = pa.array(values, pa.binary())
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type).dictionary_encode().cast(kind)
    else:
        column = column.cast(kind)
    assert column.type == kind
    assert keys(producer, column) == values
    assert keys(producer, column.slice(1)) == values[1:]
    assert keys(producer, column.slice(3, 3)) == values[3:6]


def test_fixed_size_binary(producer: Producer) -> None:
    """Fixed-size binary values are accepted like other bytes, even with size 0."""
    column = pa.array([b"abc", None, b"xyz"], pa.binary(3))
    assert keys(producer, column) == [b"abc", None, b"xyz"]
    assert keys(producer, column.slice(2)) == [b"xyz"]
    assert keys(producer, pa.array([b"", None], pa.binary(0))) == [b"", None]


def test_columns_of_nulls(producer: Producer) -> None:
    """Libraries give a column without values the null type. All of its values are null."""
    nulls = pa.nulls(2)
    batch = columns_of(key=nulls, value=nulls, partition=nulls, timestamp=nulls, headers=nulls)
    for message in enqueued(producer, batch, "t"):
        assert message.key() is message.value() is message.headers() is None
        assert message.partition() is None


def test_missing_columns(producer: Producer) -> None:
    """No column is required. The values of a missing column are null."""
    (message,) = enqueued(producer, columns_of(topic=["t"]))
    assert message.topic() == "t"
    assert message.key() is message.value() is message.headers() is None
    assert enqueued(producer, pa.record_batch({"key": pa.array([], pa.binary())}), "t") == []


@pytest.mark.parametrize("kind", INTEGERS)
def test_partition_of_any_integer(producer: Producer, kind: str) -> None:
    """The partition may be an integer of any width.

    If it is null, librdkafka chooses the partition.
    """
    partitions = [0, None, 100, 7]
    batch = columns_of(partition=pa.array(partitions, kind))
    assert [message.partition() for message in enqueued(producer, batch, "t")] == partitions
    batch = batch.slice(2)
    assert [message.partition() for message in enqueued(producer, batch, "t")] == [100, 7]


def test_partition_minus_one_is_any(producer: Producer) -> None:
    """The number -1 means any partition, as in produce()."""
    batch = columns_of(partition=[-1, 2**31 - 1])
    partitions = [message.partition() for message in enqueued(producer, batch, "t")]
    assert partitions == [None, 2**31 - 1]


def test_topics(producer: Producer) -> None:
    """Each row has its own topic. The column may be dictionary-encoded (a categorical)."""
    topics = ["a", "b", "b", "a", "c"]
    for column in (pa.array(topics), pa.array(topics).dictionary_encode()):
        batch = columns_of(topic=column, key=["0", "1", "2", "3", "4"])
        messages = enqueued(producer, batch)
        found = {int(message.key()): message.topic() for message in messages}
        assert found == dict(enumerate(topics))
        messages = enqueued(producer, batch.slice(1, 3))
        found = {int(message.key()): message.topic() for message in messages}
        assert found == {1: "b", 2: "b", 3: "a"}


def test_topic_argument_comes_first(producer: Producer) -> None:
    """The topic argument applies to all rows, whatever the column contains."""
    messages = enqueued(producer, columns_of(topic=["a", None]), "all")
    assert [message.topic() for message in messages] == ["all", "all"]


HEADER_ROWS: list[list[tuple[str, bytes | None]] | None] = [
    [("a", b"1"), ("b", None), ("a", b"")],
    None,
    [],
    [("", LONG)],
    [("ü", b"\xff")],
]


def header_column(rows: Any, kind: Any = HEADERS) -> Any:
    return pa.array(
        [
            row if row is None else [{"key": key, "value": value} for key, value in row]
            for row in rows
        ],
        kind,
    )


@pytest.mark.parametrize("outer", [pa.list_, pa.large_list])
@pytest.mark.parametrize("key", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("value", [pa.binary(), pa.large_binary(), pa.binary_view()], ids=str)
def test_headers(producer: Producer, outer: Any, key: Any, value: Any) -> None:
    """Headers keep their order, duplicates, nulls and empty values. An empty list is like null."""
    column = header_column(HEADER_ROWS, outer(pa.struct([("value", value), ("key", key)])))
    expected = [row or None for row in HEADER_ROWS]
    messages = enqueued(producer, columns_of(headers=column), "t")
    assert [message.headers() for message in messages] == expected
    messages = enqueued(producer, columns_of(headers=column.slice(3)), "t")
    assert [message.headers() for message in messages] == expected[3:]


def test_slices_at_every_level(producer: Producer) -> None:
    """The batch, a column, the structs of a list and their fields may all have offsets at the same
    time."""
    names = pa.array([f"k{i}" for i in range(20)]).slice(2)
    values = pa.array([f"v{i}".encode() for i in range(20)]).slice(3)
    structs = pa.StructArray.from_arrays([names.slice(0, 17), values], ["key", "value"]).slice(4)
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 3, 6, 10]), structs)
    keys = pa.array([b"0", b"1", b"2", b"3", b"4", b"5"]).slice(2)
    rows = pa.StructArray.from_arrays([keys, lists], ["key", "headers"]).slice(1, 2)
    first, second = enqueued(producer, rows, "t")
    assert (first.key(), second.key()) == (b"3", b"4")
    assert first.headers() == [("k7", b"v8"), ("k8", b"v9")]
    assert second.headers() == [("k9", b"v10"), ("k10", b"v11"), ("k11", b"v12")]


def test_headers_that_are_all_empty(producer: Producer) -> None:
    """pyarrow gives a column of empty lists the type list<null>.

    The messages then have no headers.
    """
    column = pa.array([[], None, []])
    assert column.type == pa.list_(pa.null())
    messages = enqueued(producer, columns_of(headers=column), "t")
    assert [message.headers() for message in messages] == [None, None, None]


def test_table_of_several_chunks(producer: Producer) -> None:
    """A table (a stream) is produced as a whole, with its chunks in order."""
    chunks = [
        columns_of(key=pa.array([f"{i}-{j}" for j in range(i)], pa.string())) for i in range(7)
    ]
    table = pa.Table.from_batches(chunks)
    expected = [value.encode() for value in table["key"].to_pylist()]
    assert [message.key() for message in enqueued(producer, table, "t")] == expected
    reader = pa.RecordBatchReader.from_batches(table.schema, chunks)
    assert [message.key() for message in enqueued(producer, reader, "t")] == expected
    assert enqueued(producer, table.schema.empty_table(), "t") == []


def test_ignored_columns(producer: Producer) -> None:
    """The columns offset and timestampType, which only a consumed batch has, are ignored."""
    batch = columns_of(offset=["any"], timestampType=[1.5], value=["v"])
    (message,) = enqueued(producer, batch, "t")
    assert message.value() == b"v"


# ---- refused columns --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"key": [1]}, "batch column 'key' must be binary or string, not int64; cast it first"),
        ({"value": [1.5]}, "'value' must be binary or string, not float64"),
        ({"value": [["list"]]}, "'value' must be binary or string, not list"),
        ({"value": [datetime.date(2024, 1, 1)]}, "not date32"),
        ({"value": pa.array([1]).dictionary_encode()}, "not dictionary of int64"),
        ({"topic": [b"t"]}, "'topic' must be string, not binary"),
        ({"topic": [True]}, "'topic' must be string, not bool"),
        ({"partition": [1.0]}, r"'partition' must be int32 \(or another integer\), not float64"),
        ({"partition": ["1"]}, "'partition' .* not string"),
        ({"partition": pa.array([1], pa.timestamp("ms"))}, r"not timestamp\[ms\]"),
        ({"partition": pa.array([1]).dictionary_encode()}, "not dictionary of int64"),
        ({"timestamp": [1.0]}, r"'timestamp' must be timestamp \(or int64: milliseconds\)"),
        ({"timestamp": [datetime.date(2024, 1, 1)]}, "'timestamp' .* not date32"),
        ({"timestamp": [datetime.timedelta(1)]}, "'timestamp' .* not duration"),
        ({"headers": ["a"]}, "'headers' must be list<struct<.*>>, not string"),
        ({"headers": [["a"]]}, "'headers.item' must be struct<.*>, not string"),
        ({"headers": [{"key": "a", "value": b"1"}]}, "'headers' .* not struct"),
        ({"headers": [[{"key": "a"}]]}, "'headers.item' .* has no 'value'"),
        ({"headers": [[{"value": "a", "name": "b"}]]}, "'headers.item' .* has no 'key'"),
        ({"headers": [[{"key": b"a", "value": b"1"}]]}, "'headers.key' must be string"),
        ({"headers": [[{"key": "a", "value": 1}]]}, "'headers.value' .* not int64"),
    ],
    ids=lambda value: None if isinstance(value, str) else next(iter(value)),
)
def test_wrong_types(producer: Producer, columns: dict[str, Any], message: str) -> None:
    """A TypeError names the column, the types that it may have and its type, in words."""
    with pytest.raises(TypeError, match=message):
        producer.produce_arrow(columns_of(**columns), "t")
    assert len(producer) == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"kye": ["a"]}, "batch has an unknown column 'kye'; did you mean 'key'?"),
        ({"timestamp_type": [1]}, "did you mean 'timestampType'?"),
        ({"Schlüssel": [1]}, "unknown column 'Schlüssel'; allowed are .*'key', 'value', 'topic'"),
        ({"": [1]}, "unknown column ''"),
        ({"partition": [0, -2]}, "'partition', row 1: it must be from 0 to 2147483647"),
        ({"partition": [2**31]}, "'partition', row 0: it must be from 0 to 2147483647"),
        ({"partition": pa.array([2**64 - 1], pa.uint64())}, "'partition', row 0"),
        ({"timestamp": [5, None, -1]}, "'timestamp', row 2: it must be in 1970 or later"),
        ({"timestamp": pa.array([2**63 // 999], pa.timestamp("s"))}, "'timestamp', row 0"),
        ({"timestamp": pa.array([2**64 - 1], pa.uint64())}, "'timestamp', row 0"),
        ({"topic": ["a", "b\0c"]}, "'topic', row 1: it must not contain a NUL"),
        ({"topic": ["a", None]}, "row 1: topic is null"),
        ({"key": ["a"]}, "no column 'topic'"),
        ({"headers": [[], [None]]}, "'headers', row 1: a header must not be null"),
        ({"headers": [[{"key": None, "value": "v"}]]}, "'headers', row 0: a header's key"),
        (
            {"headers": [[], [{"key": "a\0b", "value": "v"}]]},
            "'headers', row 1: a header's key must not contain a NUL",
        ),
        ({"headers": pa.array([[None]])}, "'headers', row 0: a header must not be null"),
    ],
    ids=lambda value: None if isinstance(value, str) else next(iter(value)),
)
def test_wrong_values(producer: Producer, columns: dict[str, Any], message: str) -> None:
    """A ValueError names the column and the row."""
    with pytest.raises(ValueError, match=message):
        producer.produce_arrow(columns_of(**columns))


def test_bad_values_outside_the_slice_do_not_matter(producer: Producer) -> None:
    """produce_arrow() checks only the rows of a slice."""
    batch = columns_of(partition=[-5, 1, -5], topic=["\0", "t", "\0"])
    (message,) = enqueued(producer, batch.slice(1, 1))
    assert (message.topic(), message.partition()) == ("t", 1)


def test_nothing_is_enqueued_from_a_bad_batch(producer: Producer) -> None:
    """A batch is checked as a whole before its first row is enqueued. The row in the error counts
    from the first batch of a table."""
    good, bad = columns_of(partition=[1, 2]), columns_of(partition=[1, -2])
    with pytest.raises(ValueError, match="row 3"):
        producer.produce_arrow(pa.Table.from_batches([good, bad]), "t")
    assert len(producer) == 0


def test_same_column_twice(producer: Producer) -> None:
    batch = pa.record_batch([pa.array(["a"]), pa.array(["b"])], names=["key", "key"])
    with pytest.raises(ValueError, match="batch has column 'key' twice"):
        producer.produce_arrow(batch, "t")


def test_null_rows(producer: Producer) -> None:
    """A null row of a struct array is refused, because no message can be null."""
    rows = pa.array([{"key": "a"}, None, {"key": "b"}])
    with pytest.raises(ValueError, match="batch row 1: it must not be null"):
        producer.produce_arrow(rows, "t")
    assert [message.key() for message in enqueued(producer, rows.slice(2), "t")] == [b"b"]


class Returning:
    """An object whose Arrow methods return or raise what the test wants."""

    def __init__(self, array: Any = None, stream: Any = None) -> None:
        if array is not None:
            self.__arrow_c_array__ = lambda: self._give(array)
        if stream is not None:
            self.__arrow_c_stream__ = lambda: self._give(stream)

    def _give(self, result: Any) -> Any:
        if isinstance(result, Exception):
            raise result
        return result


@pytest.mark.parametrize(
    "batch",
    [
        None,
        1,
        "text",
        b"bytes",
        {"key": ["a"]},
        [b"value"],
        pa.array([1]),
        pa.array(["a"]),
        Returning(),
        Returning(array=()),
        Returning(array=(1, 2)),
        Returning(array=[1, 2]),
        Returning(array=columns_of(key=["a"]).__arrow_c_array__()[::-1]),
        Returning(array=(*columns_of(key=["a"]).__arrow_c_array__(), None)),
        Returning(stream=1),
        Returning(stream=columns_of(key=["a"]).__arrow_c_array__()[0]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_not_arrow(producer: Producer, batch: Any) -> None:
    """A TypeError describes the objects that are accepted as a batch."""
    with pytest.raises(TypeError, match="batch"):
        producer.produce_arrow(batch, "t")


def test_exceptions_of_the_batch_pass_through(producer: Producer) -> None:
    """An exception of the object's own method reaches the caller."""
    for batch in (Returning(array=ZeroDivisionError("a")), Returning(stream=ZeroDivisionError())):
        with pytest.raises(ZeroDivisionError):
            producer.produce_arrow(batch, "t")


def test_stream_that_fails(producer: Producer) -> None:
    """The error contains the stream's own message, and no message was enqueued."""

    def batches() -> Iterator[Any]:
        yield columns_of(key=["a"])
        raise RuntimeError("the disk is gone")

    schema = columns_of(key=["a"]).schema
    reader = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(RuntimeError, match=r"batch: its Arrow stream failed: .*the disk is gone"):
        producer.produce_arrow(reader, "t")
    assert len(producer) == 0


def test_capsule_is_used_once(producer: Producer) -> None:
    """A capsule whose struct was already moved out raises ValueError and does not crash."""
    batch = Returning(array=columns_of(key=["a"]).__arrow_c_array__())
    producer.produce_arrow(batch, "t")
    with pytest.raises(ValueError, match="used before"):
        producer.produce_arrow(batch, "t")
    table = Returning(stream=pa.table({"key": ["a"]}).__arrow_c_stream__())
    producer.produce_arrow(table, "t")
    with pytest.raises(ValueError, match="used before"):
        producer.produce_arrow(table, "t")


# ---- data that is not valid -------------------------------------------------------------


def sample() -> Any:
    return columns_of(
        key=[b"a", None, b"c"],
        topic=pa.array(["t", "u", "t"]).dictionary_encode(),
        value=pa.array([LONG, b"short", LONG + LONG], pa.binary_view()),
        partition=[1, 2, 3],
        headers=header_column([[("a", b"1")], None, [("b", LONG), ("c", b"")]]),
    )


KEY, TOPIC, VALUE, PARTITION, LISTS = range(5)


LEVELS: dict[str, Callable[[Exported], Any]] = {
    "root": lambda batch: batch.array,
    "key": lambda batch: batch.column(KEY),
    "topic": lambda batch: batch.column(TOPIC),
    "topic-values": lambda batch: batch.column(TOPIC).dictionary.contents,
    "value": lambda batch: batch.column(VALUE),
    "partition": lambda batch: batch.column(PARTITION),
    "headers": lambda batch: batch.column(LISTS),
    "header": lambda batch: batch.column(LISTS).children[0].contents,
    "header-key": lambda batch: batch.column(LISTS).children[0].contents.children[0].contents,
}
WITHOUT_VALUES = {"root", "header"}
WITH_CHILDREN = {"root", "headers", "header"}
# These arrays may be shorter, because they have no parent, or a number of rows of their own.
OF_ANY_LENGTH = {"root", "topic-values"}

Change = Callable[[Exported, Any], None]


def field(name: str, value: Any) -> Change:
    return lambda batch, struct: batch.set(struct, name, value)


def no_pointer(name: str) -> Change:
    return lambda batch, struct: batch.set(struct, name, type(getattr(struct, name))())


def no_buffer(index: int) -> Change:
    return lambda batch, struct: batch.clear_item(struct.buffers, index)


def no_bitmap(batch: Exported, struct: Any) -> None:
    batch.set(struct, "null_count", 1)
    batch.clear_item(struct.buffers, 0)


def no_child(batch: Exported, struct: Any) -> None:
    batch.clear_item(struct.children, 0)


def children(count: int) -> Change:
    return lambda batch, struct: batch.set(
        struct, "n_children", count + (struct.n_children == count)
    )


CHANGES: dict[str, tuple[set[str], Change]] = {
    "length -1": (set(LEVELS), field("length", -1)),
    "length -2**63": (set(LEVELS), field("length", -(2**63))),
    "offset -1": (set(LEVELS), field("offset", -1)),
    "offset -2**63": (set(LEVELS), field("offset", -(2**63))),
    "offset 2**63-1": (set(LEVELS), field("offset", 2**63 - 1)),
    "n_buffers -1": (set(LEVELS), field("n_buffers", -1)),
    "n_buffers 0": (set(LEVELS), field("n_buffers", 0)),
    "no buffers": (set(LEVELS), no_pointer("buffers")),
    "nulls without bitmap": (set(LEVELS), no_bitmap),
    "too short": (set(LEVELS) - OF_ANY_LENGTH, field("length", 1)),
    "no values": (set(LEVELS) - WITHOUT_VALUES, no_buffer(1)),
    "no bytes": ({"key", "topic-values", "header-key"}, no_buffer(2)),
    "no view block": ({"value"}, no_buffer(2)),
    "no view sizes": ({"value"}, no_buffer(3)),
    "-1 children": (WITH_CHILDREN, children(-1)),
    "0 children": (WITH_CHILDREN, children(0)),
    "1 child": (WITH_CHILDREN, children(1)),
    "100 children": (WITH_CHILDREN, children(100)),
    "no children": (WITH_CHILDREN, no_pointer("children")),
    "a child is NULL": (WITH_CHILDREN, no_child),
    "no dictionary": ({"topic"}, no_pointer("dictionary")),
}


@pytest.mark.parametrize(
    ("level", "change"),
    [
        pytest.param(level, change, id=f"{level}: {name}")
        for name, (levels, change) in CHANGES.items()
        for level in sorted(levels)
    ],
)
def test_broken_structs(producer: Producer, level: str, change: Change) -> None:
    """Structs that contradict themselves raise ValueError, and are released once."""
    with tampered(sample()) as batch:
        change(batch, LEVELS[level](batch))
        with pytest.raises(ValueError, match=r"batch (has|column)"):
            producer.produce_arrow(batch)
        assert batch.releases == 1
        assert len(producer) == 0


@pytest.mark.parametrize(
    ("find", "content"),
    [
        (lambda batch: batch.column_schema(PARTITION), None),
        (lambda batch: batch.column_schema(TOPIC), b"u"),
        (lambda batch: batch.column_schema(TOPIC).dictionary.contents, None),
    ],
    ids=["missing", "indices that are strings", "missing in a dictionary"],
)
def test_broken_formats(
    producer: Producer, find: Callable[[Exported], Any], content: bytes | None
) -> None:
    """Types that are not valid raise ValueError."""
    with tampered(sample()) as batch:
        batch.set(find(batch), "format", content)
        with pytest.raises(ValueError, match="batch column"):
            producer.produce_arrow(batch)
        assert batch.releases == 1


def test_good_structs(producer: Producer) -> None:
    """The valid sample, from which the broken structs are made, is accepted and released once."""
    with tampered(sample()) as batch:
        messages = enqueued(producer, batch)
        assert batch.releases == 1
    values = {message.value(): message.topic() for message in messages}
    assert values == {LONG: "t", b"short": "u", LONG + LONG: "t"}


def test_empty_values_without_a_buffer(producer: Producer) -> None:
    """A column of empty values needs no buffer for them; empty does not become null."""
    with tampered(columns_of(key=[b"", None, b""])) as batch:
        batch.clear_item(batch.column(KEY).buffers, 2)
        assert [message.key() for message in enqueued(producer, batch, "t")] == [b"", None, b""]


class Spoiled:
    """An array whose buffers get their content later, because pyarrow checks the content at the
    start."""

    def __init__(self, kind: Any, *buffers: bytes, children: Any = None) -> None:
        self._content = buffers
        self._memory = [bytearray(len(content)) for content in buffers]
        # There is one row in each case. Buffers of zeros are valid in any layout.
        parts = [None, *(pa.py_buffer(memory) for memory in self._memory)]
        self.array = pa.Array.from_buffers(kind, 1, parts, children=children)

    def spoil(self) -> None:
        for memory, content in zip(self._memory, self._content, strict=True):
            memory[:] = content


def view(size: int, block: int = 0, offset: int = 0) -> bytes:
    return struct.pack("=i4sii", size, b"long", block, offset)


BROKEN_VALUES = [
    (pa.binary(), [struct.pack("2i", 3, 1), b"abc"], "decrease"),
    (pa.binary(), [struct.pack("2i", -1, 1), b"abc"], "negative"),
    (pa.large_binary(), [struct.pack("2q", 0, -3), b"abc"], "decrease"),
    (pa.large_binary(), [struct.pack("2q", -(2**63), 2**63 - 1), b""], "negative"),
    (pa.binary_view(), [view(-1)], "negative"),
    (pa.binary_view(), [view(20)], "outside"),
    (pa.binary_view(), [view(20), b"x" * 19], "outside"),
    (pa.binary_view(), [view(20, offset=1), b"x" * 20], "outside"),
    (pa.binary_view(), [view(20, offset=-1), b"x" * 20], "outside"),
    (pa.binary_view(), [view(20, block=1), b"x" * 20], "outside"),
    (pa.binary_view(), [view(20, block=-1), b"x" * 20], "outside"),
    (pa.binary_view(), [view(2**31 - 1, offset=2**31 - 1), b"x"], "outside"),
]


@pytest.mark.parametrize(("kind", "buffers", "message"), BROKEN_VALUES)
def test_broken_values(producer: Producer, kind: Any, buffers: list[bytes], message: str) -> None:
    """produce_arrow() finds offsets and views outside their buffers before it uses them."""
    column = Spoiled(kind, *buffers)
    header = pa.StructArray.from_arrays([pa.array(["a"]), column.array], ["key", "value"])
    headers = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), header)
    for name, batch in (
        ("key", columns_of(key=column.array)),
        ("headers.value", columns_of(headers=headers)),
    ):
        column.spoil()
        with pytest.raises(ValueError, match=f"'{name}' is not valid Arrow data: .*{message}"):
            producer.produce_arrow(batch, "t")


@pytest.mark.parametrize("index", [-1, 2, 127])
def test_broken_dictionary_indices(producer: Producer, index: int) -> None:
    """produce_arrow() finds an index outside its dictionary before it uses the index."""
    indices = pa.array([0, index], pa.int8())
    topics = pa.DictionaryArray.from_arrays(indices, pa.array(["t", "u"]), safe=False)
    with pytest.raises(ValueError, match=r"'topic' .* an index lies outside its dictionary"):
        producer.produce_arrow(columns_of(topic=topics))


@pytest.mark.parametrize("offsets", [(0, 3), (2, 1), (-1, 1), (0, -1)])
def test_broken_lists(producer: Producer, offsets: tuple[int, int]) -> None:
    """produce_arrow() finds lists that reach outside their items before it uses them."""
    items = header_column([[("a", b"1"), ("b", b"2")]]).values
    lists = Spoiled(HEADERS, struct.pack("2i", *offsets), children=[items])
    batch = columns_of(headers=lists.array)
    lists.spoil()
    with pytest.raises(ValueError, match="'headers' is not valid Arrow data: its offsets"):
        producer.produce_arrow(batch, "t")


# ---- any batch --------------------------------------------------------------------------

BYTES_KINDS = [
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int16(), pa.binary()),
    pa.dictionary(pa.uint8(), pa.large_string()),
]
TEXT_KINDS = [kind for kind in BYTES_KINDS if "string" in str(kind)]
INTEGER_KINDS = [pa.int8(), pa.int32(), pa.int64(), pa.uint16(), pa.uint64()]


def random_column(rng: random.Random, values: list[Any], kinds: list[Any]) -> Any:
    """`values` as a column of a random kind, sliced out of a longer one."""
    before = [rng.choice(values or [None]) for _ in range(rng.randrange(20))]
    after = [rng.choice(values or [None]) for _ in range(rng.randrange(20))]
    padded = before + values + after
    kind = rng.choice(kinds)
    if pa.types.is_dictionary(kind):
        column = pa.array(padded, kind.value_type).dictionary_encode().cast(kind)
    else:
        column = pa.array(padded, kind)
    if rng.random() < 0.5:  # a slice of a slice
        cut = rng.randrange(len(before) + 1)
        return column.slice(cut).slice(len(before) - cut, len(values))
    return column.slice(len(before), len(values))


def some_or_null(rng: random.Random, choices: list[Any], nulls: float) -> Any:
    return None if rng.random() < nulls else rng.choice(choices)


def random_rows(rng: random.Random) -> list[dict[str, Any]]:
    texts = ["", "a", "exactly12byt", "thirteen byte", "äöü€😀" * 3, "x" * 1000]
    nulls = rng.choice([0, 0.3, 1])
    return [
        {
            "key": some_or_null(rng, texts, nulls),
            "value": some_or_null(rng, texts, nulls),
            "topic": rng.choice(["one", "two-topics-with-long-names"]),
            "partition": some_or_null(rng, [0, 1, 127], nulls),
            "headers": some_or_null(
                rng,
                [
                    [
                        {"key": rng.choice(texts), "value": some_or_null(rng, texts, nulls)}
                        for _ in range(rng.randrange(1, 4))
                    ]
                ],
                nulls,
            ),
        }
        for _ in range(rng.choice([0, 1, 7, 8, 9, 64, 100]))
    ]


def as_row(message: Message) -> dict[str, Any]:
    def text(value: bytes | None) -> str | None:
        return value if value is None else value.decode()

    headers = message.headers()
    return {
        "key": text(message.key()),
        "value": text(message.value()),
        "topic": message.topic(),
        "partition": message.partition(),
        "headers": headers and [{"key": key, "value": text(value)} for key, value in headers],
    }


def random_batch(rng: random.Random, rows: list[dict[str, Any]]) -> Any:
    header = pa.struct(
        [
            ("key", rng.choice([kind for kind in TEXT_KINDS if not pa.types.is_dictionary(kind)])),
            ("value", rng.choice([k for k in BYTES_KINDS if not pa.types.is_dictionary(k)])),
        ]
    )
    kinds = {
        "key": BYTES_KINDS,
        "value": BYTES_KINDS,
        "topic": TEXT_KINDS,
        "partition": INTEGER_KINDS,
        "headers": [pa.list_(header), pa.large_list(header)],
    }
    names = list(kinds)
    rng.shuffle(names)
    columns = [random_column(rng, [row[name] for row in rows], kinds[name]) for name in names]
    return pa.record_batch(columns, names=names)


@pytest.mark.parametrize("seed", range(40))
def test_random_batches(producer: Producer, seed: int) -> None:
    """Any mix of types, slices and nulls is read as pyarrow wrote it, whole and in slices."""
    rng = random.Random(seed)
    rows = random_rows(rng)
    batch = random_batch(rng, rows)
    start = rng.randrange(len(rows) + 1)
    # A struct array has an offset of its own. A record batch moves the offset into its columns.
    for part, expected in (
        (batch, rows),
        (batch.slice(start), rows[start:]),
        (batch.to_struct_array().slice(start), rows[start:]),
    ):
        # Purging returns the messages topic by topic.
        messages = sorted(enqueued(producer, part), key=Message.topic)
        expected = sorted(expected, key=operator.itemgetter("topic"))
        assert [as_row(message) for message in messages] == expected


# ---- leaks ------------------------------------------------------------------------------


def test_imported_memory_is_released(producer: Producer) -> None:
    """The producer releases the batch's memory before the call ends, also after an error."""
    gc.collect()  # frees the garbage of earlier tests
    before = pa.total_allocated_bytes()
    for columns in (
        {"key": ["a" * 100_000], "headers": header_column([[("a", b"1")]])},
        {"key": ["a" * 100_000], "partition": [-2]},
        {"key": ["a" * 100_000], "wrong": [1]},
    ):
        batch = columns_of(**columns)
        for source in (batch, pa.Table.from_batches([batch, batch])):
            if "headers" in columns:
                producer.produce_arrow(source, "t")
            else:
                with pytest.raises(ValueError, match="batch"):
                    producer.produce_arrow(source, "t")
        del batch, source
    assert pa.total_allocated_bytes() == before


def test_errors_do_not_leak(producer: Producer) -> None:
    """Refused batches leave no reference and no block of memory."""
    batches = [columns_of(wrong=[1]), columns_of(key=[1]), columns_of(partition=[-2]), 1]
    table = pa.Table.from_batches([batches[2]])

    def work() -> None:
        for batch in (*batches, table):
            with pytest.raises((TypeError, ValueError)):
                producer.produce_arrow(batch, "t")

    assert_no_leaks(work)


def test_producing_does_not_leak(producer: Producer) -> None:
    """Produced batches leave no reference and no block of memory."""
    batch = sample()
    table = pa.Table.from_batches([batch, batch])

    def work() -> None:
        producer.produce_arrow(batch)
        producer.produce_arrow(table)
        producer.purge()
        producer.flush(10)

    assert_no_leaks(work)


def digest(*batches: Any) -> int:
    """The digest of the rows of some batches."""
    return sum(map(_row_digest, batches)) % 2**64


def test_a_digest_is_that_of_the_rows() -> None:
    """The digest depends only on the rows, and not on their order, batches, slices and encoding."""
    values = [b"a", None, b"", LONG, b"12345678", b"a"]
    headers = [[("h", b"1")], None, [], [("h", None), ("i", b"")], None, None]
    batch = pa.record_batch(
        {
            "key": pa.array(["k", None, "", "k", "k", "l"]),
            "value": pa.array(values, pa.binary()),
            "partition": pa.array([0, None, 1, None, 2, 3], pa.int32()),
            "headers": pa.array(headers, HEADERS),
        }
    )
    whole = digest(batch)
    assert digest(batch.take(pa.array([5, 3, 1, 0, 2, 4]))) == whole
    assert digest(batch.slice(0, 2), batch.slice(2, 0), batch.slice(2)) == whole
    encoded = batch.set_column(0, "key", batch.column("key").dictionary_encode())
    assert digest(encoded.set_column(1, "value", pa.array(values, pa.large_binary()))) == whole
    assert digest(pa.Table.from_batches([batch.slice(0, 3), batch.slice(3)])) == whole
    assert digest(batch.slice(0, 0)) == 0


def test_digests_tell_rows_apart() -> None:
    """Digests differ between null and empty, between columns, and for any changed byte; each row
    counts."""
    rows: list[dict[str, Any]] = [
        {"value": value}
        for value in (None, b"", b"\0", b"\0\0", b"a", LONG, LONG[:-1], LONG + b"\0")
    ]
    rows += [{"key": b"a"}, {"key": b"ab", "value": b"c"}, {"key": b"a", "value": b"bc"}]
    rows += [{"topic": "a"}, {"partition": 0}, {"partition": 1}, {"timestamp": 5}]
    rows += [
        {"headers": headers}
        for headers in ([("a", b"b")], [("ab", b"")], [("a", None)], [("a", b"b"), ("a", b"b")])
    ]
    types = {"headers": HEADERS, "partition": pa.int32(), "timestamp": pa.int64()}
    types |= {"topic": pa.string()}
    batches = [
        pa.record_batch({name: pa.array([cell], types.get(name, pa.binary()))})
        if len(row) == 1
        else pa.record_batch({name: pa.array([cell]) for name, cell in row.items()})
        for row in rows
        for name, cell in [next(iter(row.items()))]
    ]
    assert len({digest(one) for one in batches}) == len(batches)
    assert digest(batches[4], batches[4]) != digest(batches[4])
    # The bits of each row's digest are spread. A sum of small numbers would soon be ambiguous.
    assert all(digest(one) > 2**40 for one in batches)


def test_a_digest_of_what_is_no_batch() -> None:
    """A digest refuses the objects that produce_arrow() refuses, and no reference leaks."""
    with pytest.raises(TypeError, match="batch must be a MessageBatch"):
        _row_digest(None)
    with pytest.raises(ValueError, match="nothing"):
        _row_digest(pa.record_batch({"nothing": [1]}))
    batch = pa.record_batch({"value": [b"a"]})
    assert_no_leaks(lambda: _row_digest(batch))
