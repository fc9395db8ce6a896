"""TopicPartition: fields, identity, order, text and pickling."""

from __future__ import annotations

import copy
import inspect
import pickle
import random
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    OFFSET_STORED,
    Consumer,
    KafkaError,
    TopicPartition,
)
from tests.support.clients import config
from tests.support.refcounts import assert_no_leaks


def fields(partition: TopicPartition) -> tuple[Any, ...]:
    return (
        partition.topic,
        partition.partition,
        partition.offset,
        partition.metadata,
        partition.leader_epoch,
        partition.error,
    )


def test_defaults() -> None:
    """Only the topic is required. The other fields have no values by default."""
    assert fields(TopicPartition("t")) == ("t", -1, OFFSET_INVALID, None, None, None)
    assert OFFSET_INVALID == -1001


def test_all_fields() -> None:
    """Each attribute returns its argument, whether it was given by name or by position."""
    error = KafkaError(3)
    expected = ("t", 1, 2, "m", 3, error)
    assert fields(TopicPartition(*expected)) == expected
    by_name = TopicPartition(
        topic="t", partition=1, offset=2, metadata="m", leader_epoch=3, error=error
    )
    assert fields(by_name) == expected
    assert by_name.error is error


@pytest.mark.parametrize("offset", [OFFSET_BEGINNING, OFFSET_END, OFFSET_STORED, -2005, 2**62])
def test_logical_offsets(offset: int) -> None:
    """librdkafka's logical offsets are negative numbers like any other offset."""
    assert TopicPartition("t", 0, offset).offset == offset


@pytest.mark.parametrize("epoch", [None, -1, -2])
def test_no_leader_epoch(epoch: int | None) -> None:
    """A negative leader epoch means an unknown epoch, as in the protocol."""
    assert TopicPartition("t", leader_epoch=epoch).leader_epoch is None
    assert TopicPartition("t", leader_epoch=0).leader_epoch == 0


def test_partition_and_offset_can_be_set() -> None:
    """The partition and the offset can be set, because rebalance callbacks change offsets in
    place."""
    partition = TopicPartition("t", 0)
    partition.partition = 7
    partition.offset = OFFSET_END
    assert fields(partition)[:3] == ("t", 7, -1)


@pytest.mark.parametrize("name", ["topic", "metadata", "leader_epoch", "error"])
def test_the_rest_is_read_only(name: str) -> None:
    """Other attributes are read-only: the topic is part of the hash, and the rest describe a
    result."""
    partition = TopicPartition("t")
    with pytest.raises(AttributeError):
        setattr(partition, name, None)
    with pytest.raises(AttributeError):
        delattr(partition, name)
    with pytest.raises(AttributeError):
        partition.off_set = 5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "value", "exception"),
    [
        ("partition", "0", TypeError),
        ("partition", None, TypeError),
        ("partition", 1.0, TypeError),
        ("partition", 2**31, OverflowError),
        ("partition", -(2**31) - 1, OverflowError),
        ("offset", "0", TypeError),
        ("offset", None, TypeError),
        ("offset", 2**63, OverflowError),
    ],
)
def test_bad_assignments(name: str, value: Any, exception: type[Exception]) -> None:
    """A wrong value raises a typed error that names the attribute, and changes nothing."""
    partition = TopicPartition("t", 4, 5)
    with pytest.raises(exception, match=f"{name} must be"):
        setattr(partition, name, value)
    with pytest.raises(TypeError, match=f"{name} cannot be deleted"):
        delattr(partition, name)
    assert fields(partition)[:3] == ("t", 4, 5)


def test_identity_is_topic_and_partition() -> None:
    """Equality and hash depend only on the topic and the partition, and not on other attributes."""
    one = TopicPartition("t", 1, 5, "a", 7, KafkaError(3))
    assert one == TopicPartition("t", 1)
    assert hash(one) == hash(TopicPartition("t", 1))
    assert {one: "found"}[TopicPartition("t", 1, 9)] == "found"
    assert one != TopicPartition("t", 2)
    assert one != TopicPartition("u", 1)
    names = "abcdefgh"
    assert len({hash(TopicPartition(t, p)) for t in names for p in range(64)}) > 400


def test_order() -> None:
    """TopicPartitions are ordered by topic, then by the number of the partition."""
    ordered = [TopicPartition(t, p) for t in ("a", "b", "ba", "é") for p in (-1, 0, 2, 10)]
    shuffled = ordered.copy()
    random.Random(1).shuffle(shuffled)
    assert sorted(shuffled) == ordered
    assert TopicPartition("t", 0, 9) <= TopicPartition("t", 0, 1)
    assert TopicPartition("t", 0, 1) >= TopicPartition("t", 0, 9)
    assert not TopicPartition("t", 0, 1) < TopicPartition("t", 0, 9)
    assert TopicPartition("b", 0) > TopicPartition("a", 9)


@pytest.mark.parametrize("other", ["t", 0, None, ("t", 0), object()])
def test_other_types_are_unequal_and_unordered(other: Any) -> None:
    """A TopicPartition does not equal an object of another type, and an order comparison raises
    TypeError."""
    assert (TopicPartition("t", 0) == other) is False
    assert (TopicPartition("t", 0) != other) is True
    with pytest.raises(TypeError):
        TopicPartition("t", 0) < other  # noqa: B015


def test_text() -> None:
    """repr() and str() show all fields except the metadata, which belongs to the application."""
    partition = TopicPartition("t", 1, 2, "secret", 3)
    expected = "TopicPartition{topic=t,partition=1,offset=2,leader_epoch=3,error=None}"
    assert repr(partition) == str(partition) == expected
    with_error = TopicPartition("t", error=KafkaError(3))
    assert "leader_epoch=None,error=KafkaError{code=UNKNOWN_TOPIC_OR_PART" in repr(with_error)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol: int) -> None:
    """Pickling keeps every field, including the error, because Spark sends TopicPartitions between
    processes."""
    partition = TopicPartition("t", 1, 2, "☃", 3, KafkaError(3, "why"))
    for twin in (pickle.loads(pickle.dumps(partition, protocol)), copy.deepcopy(partition)):
        assert fields(twin) == fields(partition)
        assert str(twin.error) == str(partition.error)


class Tagged(TopicPartition):
    """A subclass with an attribute, as applications write them."""

    def __init__(self, topic: str, partition: int = -1, *rest: Any) -> None:
        super().__init__(topic, partition, *rest)
        self.tag: Any = "tag"


def test_subclass() -> None:
    """An instance of a subclass equals an instance of the base class, and pickling keeps its
    attributes."""
    tagged = Tagged("t", 1)
    tagged.tag = "mine"
    assert tagged == TopicPartition("t", 1)
    assert copy.copy(tagged).tag == "mine"


def test_cycles_are_collected() -> None:
    """The garbage collector frees an instance of a subclass that refers to itself."""

    def work() -> None:
        tagged = Tagged("t", 1)
        tagged.tag = tagged

    assert_no_leaks(work)


@pytest.mark.parametrize(
    ("arguments", "keywords", "exception", "message"),
    [
        ((), {}, TypeError, "topic"),
        ((None,), {}, TypeError, "topic must be str"),
        ((b"t",), {}, TypeError, "topic must be str"),
        ((5,), {}, TypeError, "topic must be str"),
        (("\udc80",), {}, ValueError, "topic"),
        (("a\0b",), {}, ValueError, "topic"),
        (("t", None), {}, TypeError, "partition must be int"),
        (("t", "0"), {}, TypeError, "partition must be int"),
        (("t", 0.0), {}, TypeError, "partition must be int"),
        (("t", 2**33), {}, OverflowError, "partition"),
        (("t", 10**5000), {}, OverflowError, "partition must be .* not an int of 16610 bits"),
        (("t",), {"offset": None}, TypeError, "offset must be int"),
        (("t",), {"offset": float("nan")}, TypeError, "offset must be int"),
        (("t",), {"offset": 2**63}, OverflowError, "offset"),
        (("t",), {"metadata": b"m"}, TypeError, "metadata must be str"),
        (("t",), {"metadata": "\ud800"}, ValueError, "metadata"),
        (("t",), {"leader_epoch": "1"}, TypeError, "leader_epoch must be int"),
        (("t",), {"leader_epoch": 2**31}, OverflowError, "leader_epoch"),
        (("t",), {"error": 3}, TypeError, "error must be KafkaError or None"),
        (("t",), {"partitions": 3}, TypeError, "partitions"),
        (("t",), {"topic": "u"}, TypeError, "topic"),
        (("t", 0, 0, "m", 0, None, 0), {}, TypeError, "at most 6"),
    ],
)
def test_bad_arguments(
    arguments: tuple[Any, ...], keywords: dict[str, Any], exception: type[Exception], message: str
) -> None:
    """A wrong argument raises a typed error that names the argument, and leaks nothing."""

    def make() -> None:
        with pytest.raises(exception, match=message):
            TopicPartition(*arguments, **keywords)

    make()
    assert_no_leaks(make, repeat=50)


def test_failed_init_changes_nothing() -> None:
    """If __init__ is called again with wrong arguments, the object does not change."""
    partition = TopicPartition("t", 1, 2, "m", 3)
    with pytest.raises(TypeError):
        partition.__init__("u", 5, error="x")  # type: ignore[misc]
    assert fields(partition) == ("t", 1, 2, "m", 3, None)


def test_uninitialised_is_harmless() -> None:
    """__new__ without __init__ creates a TopicPartition without values, which does not crash."""
    partition = TopicPartition.__new__(TopicPartition)
    assert fields(partition) == ("", -1, OFFSET_INVALID, None, None, None)
    assert partition == pickle.loads(pickle.dumps(partition))


def test_signature() -> None:
    """help() and editors can show the parameters."""
    assert str(inspect.signature(TopicPartition)) == (
        "(topic, partition=-1, offset=-1001, metadata=None, leader_epoch=None, error=None)"
    )


def test_no_leaks() -> None:
    """Creating, reading, comparing and pickling leaks nothing."""

    def work() -> None:
        partition = TopicPartition("t", 1, 2, "m", 3, KafkaError(3))
        partition.offset = 2**40
        partition.__init__("u", 1, 2, "n", 3, KafkaError(4))  # type: ignore[misc]
        fields(partition), repr(partition), hash(partition)
        assert partition == pickle.loads(pickle.dumps(partition))
        assert partition < TopicPartition("v")
        assert partition != "u"

    assert_no_leaks(work)


@pytest.mark.parametrize("method", ["assign", "incremental_assign"])
def test_topic_too_long_for_librdkafka(method: str) -> None:
    """A name of more than 512 bytes is refused, because librdkafka crashes if such a topic is
    assigned."""
    with Consumer(config(client=Consumer)) as consumer:
        call = getattr(consumer, method)
        for topic in ("x" * 513, "\xe9" * 257):
            with pytest.raises(ValueError, match="topic must have at most 512 bytes"):
                call([TopicPartition(topic, 0)])
        assert consumer.assignment() == []
        call([TopicPartition("x" * 512, 0)])
        assert consumer.assignment() == [TopicPartition("x" * 512, 0)]
