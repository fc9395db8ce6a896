"""Message as an object: creation, accessors, setters, comparison and pickling.

``tests/embedded/test_message_origins.py`` tests the contents of consumed messages and delivery
reports, with a cluster.
"""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    TIMESTAMP_NOT_AVAILABLE,
    KafkaError,
    Message,
)
from tests.support.refcounts import assert_no_leaks
from tests.support.scripts import check_script

ACCESSORS = (
    "topic",
    "partition",
    "offset",
    "key",
    "value",
    "headers",
    "error",
    "timestamp",
    "latency",
    "leader_epoch",
    "delivery_count",
)
FULL: dict[str, Any] = {
    "topic": "t",
    "partition": 1,
    "offset": 2,
    "key": b"k",
    "value": b"v",
    "headers": [("h", b"x"), ("h", None)],
    "error": KafkaError(3, "why"),
    "timestamp": (TIMESTAMP_CREATE_TIME, 1234567890123),
    "latency": 0.25,
    "leader_epoch": 7,
    "delivery_count": 2,
}
EMPTY = dict.fromkeys(ACCESSORS) | {"timestamp": (TIMESTAMP_NOT_AVAILABLE, 0)}


def contents(message: Message) -> dict[str, Any]:
    return {name: getattr(message, name)() for name in ACCESSORS}


def test_empty() -> None:
    """Message() needs no arguments. A field that was not given is None."""
    assert contents(Message()) == EMPTY
    assert contents(Message(**dict.fromkeys(ACCESSORS))) == EMPTY


def test_all_fields() -> None:
    """Each accessor returns its argument, whether it was given by name or by position."""
    assert contents(Message(**FULL)) == FULL
    assert contents(Message(*FULL.values())) == FULL
    assert list(FULL) == list(ACCESSORS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("partition", -1),
        ("partition", -5),
        ("offset", -1001),
        ("offset", -1),
        ("latency", -0.5),
        ("leader_epoch", -1),
        ("delivery_count", 0),
        ("delivery_count", -1),
    ],
)
def test_librdkafkas_own_marks_for_none(name: str, value: Any) -> None:
    """Numbers that mean "no value" in librdkafka become None."""
    assert getattr(Message(**{name: value}), name)() is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("partition", 0),
        ("partition", 2**31 - 1),
        ("offset", 0),
        ("offset", 2**63 - 1),
        ("latency", 0.0),
        ("latency", 3),
        ("leader_epoch", 0),
        ("delivery_count", 2**15 - 1),
        ("timestamp", (TIMESTAMP_LOG_APPEND_TIME, -(2**63))),
        ("timestamp", (TIMESTAMP_NOT_AVAILABLE, 0)),
    ],
)
def test_extremes(name: str, value: Any) -> None:
    """The smallest and the largest number of each range are accepted, and zero does not become
    None."""
    assert getattr(Message(**{name: value}), name)() == value


FOR_MOCKS = ("topic", "key", "value", "headers", "error")


@pytest.mark.parametrize("name", FOR_MOCKS)
@pytest.mark.parametrize(
    "value", [b"", "text", "\udc80\0", {"a": 1}, 5, object(), (), bytearray(b"x"), ValueError("x")]
)
def test_any_object_comes_back(name: str, value: Any) -> None:
    """A message returns the same objects that deserializers and mocks have set."""
    message = Message(**{name: value})
    other: Any = Message()
    getattr(other, f"set_{name}")(value)
    assert getattr(message, name)() is getattr(other, name)() is value
    assert message == other
    assert repr(message) == repr(other)
    if name in ("key", "value"):
        assert getattr(other, f"deserialized_{name}")() is value


def test_setters() -> None:
    """Each setter replaces only its own field, and None empties the field."""
    message = Message()
    message.set_topic("u")
    message.set_key(b"k")
    message.set_value(b"v")
    message.set_headers([("h", b"x")])
    message.set_error(KafkaError(3))
    assert contents(message) == EMPTY | {
        "topic": "u",
        "key": b"k",
        "value": b"v",
        "headers": [("h", b"x")],
        "error": KafkaError(3),
    }
    for name in ("topic", "key", "value", "headers", "error"):
        assert getattr(message, f"set_{name}")(None) is None
    assert contents(message) == EMPTY


@pytest.mark.parametrize("name", ["key", "value", "headers", "topic", "error"])
def test_setters_take_one_argument(name: str) -> None:
    """The argument of a setter is positional only, as in confluent-kafka."""
    setter = getattr(Message(), f"set_{name}")
    for arguments, keywords in (((), {}), ((None, None), {}), ((), {name: None})):
        with pytest.raises(TypeError):
            setter(*arguments, **keywords)


@pytest.mark.parametrize(
    ("keywords", "exception", "message"),
    [
        ({"partition": "0"}, TypeError, "partition must be int"),
        ({"partition": 0.0}, TypeError, "partition must be int"),
        ({"partition": 2**31}, OverflowError, "partition"),
        ({"offset": "0"}, TypeError, "offset must be int"),
        ({"offset": 2**63}, OverflowError, "offset"),
        ({"timestamp": 5}, TypeError, "timestamp must be a tuple"),
        ({"timestamp": (1,)}, TypeError, "timestamp must be a tuple"),
        ({"timestamp": [1, 5]}, TypeError, "timestamp must be a tuple"),
        ({"timestamp": (1, 2, 3)}, TypeError, "timestamp must be a tuple"),
        ({"timestamp": (1, "x")}, TypeError, r"timestamp\[1\] must be int"),
        ({"timestamp": ("x", 1)}, TypeError, r"timestamp\[0\] must be int"),
        ({"timestamp": (3, 1)}, ValueError, r"timestamp\[0\]"),
        ({"timestamp": (1, 2**63)}, OverflowError, r"timestamp\[1\]"),
        ({"latency": "x"}, TypeError, "latency must be a number"),
        ({"latency": float("nan")}, ValueError, "latency"),
        ({"latency": 10**400}, OverflowError, "latency"),
        ({"leader_epoch": "x"}, TypeError, "leader_epoch must be int"),
        ({"leader_epoch": 2**33}, OverflowError, "leader_epoch"),
        ({"delivery_count": 1.5}, TypeError, "delivery_count must be int"),
        ({"delivery_count": 2**15}, OverflowError, "delivery_count"),
        ({"delivery_count": -(2**15) - 1}, OverflowError, "delivery_count"),
        ({"payload": b"v"}, TypeError, "payload"),
    ],
)
def test_bad_arguments(keywords: dict[str, Any], exception: type[Exception], message: str) -> None:
    """A wrong argument raises a typed error that names the argument, and leaks nothing."""

    def make() -> None:
        with pytest.raises(exception, match=message):
            Message(**keywords)

    make()
    assert_no_leaks(make, repeat=50)


def test_too_many_arguments() -> None:
    """Message() takes at most eleven positional arguments."""
    with pytest.raises(TypeError, match="at most 11"):
        Message(*FULL.values(), None)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("value", "size"),
    [(None, 0), (b"", 0), (b"abc", 3), ("åäö", 3), (bytearray(3), 3), ({"a": 1}, 1), ([], 0)],
)
def test_length_is_that_of_the_value(value: Any, size: int) -> None:
    """len() returns the length of the value, or 0 without a value.

    If the length is 0, the message is false.
    """
    assert len(Message(value=value)) == size
    assert bool(Message(value=value)) == (size > 0)


@pytest.mark.parametrize("value", [5, 1.5, object()])
def test_a_value_without_length(value: Any) -> None:
    """len() and the truth value raise the exception of the value's own len()."""

    def measure() -> None:
        for function in (len, bool):
            with pytest.raises(TypeError, match=r"has no len\(\)"):
                function(Message(value=value))  # type: ignore[operator]

    measure()
    assert_no_leaks(measure, repeat=50)


def test_equality() -> None:
    """Messages are equal if they are the same record with the same content, whichever way they were
    received."""
    assert Message(**FULL) == Message(**FULL)
    assert (Message(**FULL) != Message(**FULL)) is False
    for name in ("latency", "delivery_count"):
        assert Message(**FULL) == Message(**FULL | {name: None})
    for name in set(ACCESSORS) - {"latency", "delivery_count"}:
        assert Message(**FULL) != Message(**FULL | {name: None}), name
    assert Message(value=b"a") != Message(value=b"b")


@pytest.mark.parametrize("other", [b"v", None, 5, "t", FULL])
def test_other_types_are_unequal_and_nothing_is_ordered(other: Any) -> None:
    """A message does not equal an object of another type. Messages have no order and no hash."""
    assert (Message(**FULL) == other) is False
    assert (Message(**FULL) != other) is True
    with pytest.raises(TypeError):
        Message() < Message()  # type: ignore[operator]  # noqa: B015
    with pytest.raises(TypeError, match="unhashable"):
        hash(Message())


def test_comparison_hands_errors_on() -> None:
    """If a value's own == raises, the comparison of the messages raises the same exception."""

    class Strange:
        def __eq__(self, other: object) -> bool:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Message(value=Strange()) == Message(value=Strange())  # noqa: B015


def test_repr_says_where_and_not_what() -> None:
    """repr() shows topic, partition, offset and error, but never the payload, because it is often
    logged."""
    text = repr(Message(**FULL | {"key": b"SECRET", "value": b"SECRET", "error": None}))
    assert text == "Message{topic=t,partition=1,offset=2,error=None}"
    assert repr(Message()) == "Message{topic=None,partition=None,offset=None,error=None}"
    assert "UNKNOWN_TOPIC_OR_PART" in repr(Message(error=KafkaError(3)))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("fields", [FULL, {}], ids=["full", "empty"])
def test_pickles(protocol: int, fields: dict[str, Any]) -> None:
    """Pickling and copying keep every field, including the text of the error."""
    message = Message(**fields)
    for twin in (pickle.loads(pickle.dumps(message, protocol)), copy.deepcopy(message)):
        assert type(twin) is Message
        assert contents(twin) == contents(message)
        assert str(twin.error()) == str(message.error())


def test_pickles_of_confluent_kafka_python() -> None:
    """Pickles have confluent-kafka-python's numbers for missing fields, so that both packages can
    read them."""
    numbers = (None, -1, -1001, None, None, None, None, (0, 0), -1.0, -1, -1)
    assert Message().__reduce__()[1] == numbers  # type: ignore[index]
    assert Message(*numbers) == Message()
    some = Message("t", 0, 0, latency=0.0, leader_epoch=0)
    assert some.__reduce__()[1] == ("t", 0, 0, *numbers[3:8], 0.0, 0, -1)  # type: ignore[index]


def test_message_that_cannot_pickle_says_so() -> None:
    """pickle raises the value's own error unchanged."""
    with pytest.raises(TypeError, match="lock"):
        pickle.dumps(Message(value=threading.Lock()))


class Annotated(Message):
    """A subclass with an attribute, as applications write them."""

    note: Any = None


def test_subclass() -> None:
    """An instance of a subclass equals an instance of the base class, and pickling keeps its
    attributes."""
    message = Annotated(**FULL)
    message.note = "mine"
    assert message == Message(**FULL)
    twin = pickle.loads(pickle.dumps(message))
    assert (type(twin), twin.note) == (Annotated, "mine")


def cycles() -> Iterator[Message]:
    """Messages that refer to themselves, through each field that can hold anything."""
    message = Message()
    message.set_value(message)
    yield message
    message = Message()
    message.set_key([message])
    yield message
    message = Message()
    message.set_headers([("h", message)])  # type: ignore[list-item]
    yield message
    message = Message()
    message.set_topic([message])  # type: ignore[arg-type]
    yield message
    error = KafkaError(3)
    message = Message(error=error)
    error.__dict__["message"] = message
    yield message
    annotated = Annotated()
    annotated.note = annotated
    yield annotated


def test_cycles_are_collected() -> None:
    """The garbage collector frees a message that refers to itself."""

    def work() -> None:
        for _ in cycles():
            pass

    assert_no_leaks(work, repeat=50)


def test_garbage_collector_sees_messages_with_objects() -> None:
    """The garbage collector tracks messages with objects.

    Otherwise it could not find a cycle through a message.
    """
    message = Message()
    message.set_value([])
    assert gc.is_tracked(message)


@pytest.mark.parametrize("cycle", [False, True])
@pytest.mark.parametrize(
    "nest",
    [
        "Message(key=inner)",
        "Message(value=inner)",
        "NewTopic('t', config=inner)",
        "NewTopic('t', replica_assignment=inner)",
        "NewPartitions('t', 1, replica_assignment=inner)",
        "record(inner)",
    ],
)
def test_deeply_nested(nest: str, cycle: bool) -> None:
    """Deeply nested messages are freed without a recursion that would end the process."""
    script = f"""
        import gc
        from confluent_kafka import Message
        from confluent_kafka.admin import NewPartitions, NewTopic
        from confluent_kafka.cimpl import _Record

        def record(value):
            made = _Record()
            made.value = value
            return made

        inner = []
        start = inner
        for _ in range(300_000):
            inner = {nest}
        if {cycle}:
            start.append(inner)
        del inner, start
        gc.collect()
    """
    check_script(script)


def test_uninitialised_is_harmless() -> None:
    """__new__ without __init__ creates an empty message, which does not crash."""
    message = Message.__new__(Message)
    assert contents(message) == EMPTY
    assert message == Message()
    assert len(message) == 0


def test_signatures() -> None:
    """help() and editors can show the parameters, and every method has a docstring."""
    expected = ", ".join(f"{name}=None" for name in ACCESSORS)
    assert str(inspect.signature(Message)) == f"({expected})"
    for name in (*ACCESSORS, "deserialized_key", "deserialized_value"):
        assert str(inspect.signature(getattr(Message, name))) == "(self, /)"
        assert getattr(Message, name).__doc__
    for name in ("topic", "key", "value", "headers", "error"):
        setter = getattr(Message, f"set_{name}")
        assert str(inspect.signature(setter)) == f"(self, {name}, /)"
        assert setter.__doc__


def test_no_leaks() -> None:
    """Creating, reading, setting, comparing and pickling messages leaks nothing."""

    def work() -> None:
        message = Message(**FULL)
        contents(message), repr(message), len(message)
        assert message == pickle.loads(pickle.dumps(message))
        assert message != Message()
        message.set_topic("u")
        message.set_key([])
        message.set_value({})
        message.set_headers({"h": b"x"})
        message.set_error(KafkaError(4))
        message.__init__(**FULL)  # type: ignore[misc]
        message.__init__()  # type: ignore[misc]

    assert_no_leaks(work)


def test_annotations_can_name_the_types_of_key_and_value() -> None:
    """Message[K, V] is for type checkers, and creates the same messages."""
    alias = Message[str, int]
    assert (alias.__origin__, alias.__args__) == (Message, (str, int))
    assert type(alias(value=1)) is Message
