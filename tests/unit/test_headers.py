"""Message headers: the forms that produce() accepts, and the headers of a message.

The tests need no broker. After purge(), the failed message has the headers that librdkafka got.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import Message, Producer
from tests.support.refcounts import assert_no_leaks


@pytest.fixture
def producer() -> Iterator[Producer]:
    client = Producer({"log_level": 0})
    yield client
    client.close(0)


def round_trip(producer: Producer, headers: Any) -> Any:
    """Produce a message with `headers`; return the headers that librdkafka has for it."""
    reports: list[Message] = []
    producer.produce(
        "t", headers=headers, on_delivery=lambda error, message: reports.append(message)
    )
    producer.purge()
    producer.poll(0)
    (message,) = reports
    return message.headers()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ([], None),
        ({}, None),
        ((), None),
        ([("a", b"x")], [("a", b"x")]),
        ([("a", "text")], [("a", b"text")]),
        ([("a", "☃")], [("a", "☃".encode())]),
        ([("☃", b"")], [("☃", b"")]),
        ([("", b"no name")], [("", b"no name")]),
        ([("a", None)], [("a", None)]),
        ([("a", b"\0\xff\0")], [("a", b"\0\xff\0")]),
        ([("a", bytearray(b"x")), ("b", memoryview(b"yz")[1:])], [("a", b"x"), ("b", b"z")]),
        ([["a", b"x"]], [("a", b"x")]),
        ((("a", b"x"), ("b", b"y")), [("a", b"x"), ("b", b"y")]),
        ([("a", b"1"), ("b", b"2"), ("a", b"3")], [("a", b"1"), ("b", b"2"), ("a", b"3")]),
        ({"b": b"1", "a": None}, [("b", b"1"), ("a", None)]),
        (OrderedDict(b=b"1", a="2"), [("b", b"1"), ("a", b"2")]),
    ],
)
def test_round_trip(producer: Producer, given: Any, expected: Any) -> None:
    """Order and duplicates are kept, None and empty values differ, and no headers give None."""
    assert round_trip(producer, given) == expected


def test_many_and_large(producer: Producer) -> None:
    """A message may have many headers, and large headers."""
    headers = [(f"name-{i}", bytes([i % 256]) * i) for i in range(1000)]
    assert round_trip(producer, headers) == headers


def test_the_callers_objects_are_not_changed(producer: Producer) -> None:
    """produce() does not change or keep the caller's headers."""
    headers: list[Any] = [("a", bytearray(b"x")), ["b", "y"]]
    assert round_trip(producer, headers) == [("a", b"x"), ("b", b"y")]
    assert headers == [("a", bytearray(b"x")), ["b", "y"]]
    headers[0][1].append(0)  # if the producer kept the buffer, this would raise BufferError


@pytest.mark.parametrize(
    ("given", "exception", "message"),
    [
        (5, TypeError, "headers must be a dict or a list"),
        ("ab", TypeError, "headers must be a dict or a list"),
        (b"ab", TypeError, "headers must be a dict or a list"),
        ({"a"}, TypeError, "headers must be a dict or a list"),
        (iter([("a", b"x")]), TypeError, "headers must be a dict or a list"),
        ([5], TypeError, r"headers\[0\] must be a \(name, value\) pair"),
        (["ab"], TypeError, r"headers\[0\] must be a \(name, value\) pair"),
        ([("a", b"x"), None], TypeError, r"headers\[1\] must be a \(name, value\) pair"),
        ([("a",)], TypeError, r"headers\[0\] must be a \(name, value\) pair"),
        ([("a", b"x", b"y")], TypeError, r"headers\[0\] must be a \(name, value\) pair"),
        ([("a", b"x"), (5, b"y")], TypeError, r"headers\[1\] name must be str, not int"),
        ([(b"a", b"x")], TypeError, r"headers\[0\] name must be str, not bytes"),
        ([(None, b"x")], TypeError, r"headers\[0\] name must be str"),
        ([("\ud800", b"x")], ValueError, r"headers\[0\] name"),
        ([("a\0b", b"x")], ValueError, r"headers\[0\] name"),
        ([("a", 5)], TypeError, r"headers\[0\] value must be bytes or str"),
        ([("a", "\udc80")], ValueError, r"headers\[0\] value"),
        ([("a", memoryview(b"abcd")[::2])], ValueError, r"headers\[0\] value"),
        ([("a", [b"x"])], TypeError, r"headers\[0\] value must be bytes or str"),
        ({"a": b"x", 5: b"y"}, TypeError, r"headers\[1\] name must be str"),
        ({"a": 2**33}, TypeError, r"headers\[0\] value must be bytes or str"),
    ],
)
def test_bad_headers(
    producer: Producer, given: Any, exception: type[Exception], message: str
) -> None:
    """A wrong header raises a typed error that names its place. Nothing is sent or leaked."""

    def produce() -> None:
        with pytest.raises(exception, match=message):
            producer.produce("t", headers=given)

    produce()
    assert len(producer) == 0
    assert_no_leaks(produce, repeat=50)


class Treacherous:
    """A buffer whose own code empties the list that contains it."""

    def __init__(self, headers: list[Any]) -> None:
        self.headers = headers

    def __buffer__(self, flags: int) -> memoryview:
        self.headers.clear()
        return memoryview(b"x")


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="buffers in Python need CPython 3.12 (PEP 688)"
)
def test_headers_that_change_while_they_are_read(producer: Producer) -> None:
    """produce() reads the list as it was at the start of the call, without a crash or a partial
    read."""
    headers: list[Any] = []
    headers += [("a", Treacherous(headers)), ("b", b"y")]
    assert round_trip(producer, headers) == [("a", b"x"), ("b", b"y")]
    assert headers == []


def test_no_leaks(producer: Producer) -> None:
    """Producing and reading headers leaks no references."""

    def work() -> None:
        round_trip(producer, [("a", b"x"), ("b", None), ["c", "text"]])
        round_trip(producer, {"a": memoryview(b"x")})

    assert_no_leaks(work, repeat=50)


class Unreadable(list[Any]):
    """A list that raises its item when it is read."""

    def __iter__(self) -> Iterator[Any]:
        raise self[0]


class OwnError(Exception):
    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


@pytest.mark.parametrize(
    "raised",
    [OwnError(1, 2), UnicodeDecodeError("utf-8", b"x", 0, 1, "why"), KeyboardInterrupt()],
    ids=lambda raised: type(raised).__name__,
)
def test_exceptions_of_the_headers_pass_through(producer: Producer, raised: BaseException) -> None:
    """produce() raises the exception that reading a header raised."""
    with pytest.raises(type(raised)) as caught:
        producer.produce("t", headers=[("a", b"x"), Unreadable([raised])])
    assert caught.value is raised
