"""The promises of Retry: waits, delay topics, dead-letter topics and their headers."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    TIMESTAMP_NOT_AVAILABLE,
    KafkaError,
    Message,
    TopicPartition,
)
from confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    SerializationError,
    ValueDeserializationError,
)
from confluent_kafka.processing import Retry
from confluent_kafka.processing._delays import Delays
from confluent_kafka.processing._retry import Recovery, headers_after

WEEK = 7 * 86_400
NOW = datetime(2026, 3, 4, 5, 6, 7, 890_000, UTC).timestamp()
NOW_TEXT = b"2026-03-04T05:06:07.890Z"
CREATED = (TIMESTAMP_CREATE_TIME, 1_234_567_890_123)
CREATED_TEXT = b"2009-02-13T23:31:30.123Z"


class TestArguments:
    """Retry checks each argument."""

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("attempts", 1.0, "attempts must be a whole number, not float"),
            ("attempts", True, "attempts must be a whole number, not bool"),
            ("attempts", "3", "attempts must be a whole number, not str"),
            ("attempts", None, "attempts must be a whole number, not NoneType"),
            ("backoff", "1", "backoff must be a number, not str"),
            ("backoff", False, "backoff must be a number, not bool"),
            ("backoff", None, "backoff must be a number, not NoneType"),
            ("max_backoff", [1], "max_backoff must be a number, not list"),
            ("jitter", 1j, "jitter must be a number, not complex"),
            ("delays", 30, "delays must be a list of whole numbers, not int"),
            ("delays", None, "delays must be a list of whole numbers, not NoneType"),
            ("delays", "30", "delays must be a list of whole numbers, not str"),
            ("delays", b"30", "delays must be a list of whole numbers, not bytes"),
            ("delays", {30, 60}, "delays must be a list of whole numbers, not set"),
            ("delays", iter([30]), "delays must be a list of whole numbers, not list_iterator"),
            ("delays", [30, "60"], "each of delays must be a whole number, not str"),
            ("delays", [0.5], "each of delays must be a whole number, not float"),
            ("dead_letters", 3, "dead_letters must be the name of a topic or None, not int"),
            ("dead_letters", b"t", "dead_letters must be the name of a topic or None, not bytes"),
            ("on", ValueError, "on must be a tuple of subclasses of Exception, not <class"),
            ("on", [ValueError], "on must be a tuple of subclasses of Exception, not [<class"),
            ("on", None, "on must be a tuple of subclasses of Exception, not None"),
            ("on", ("ValueError",), "on must be a tuple of subclasses of Exception, not ('Value"),
            ("on", (ValueError("x"),), "on must be a tuple of subclasses of Exception, not (Value"),
            ("on", (KeyboardInterrupt,), "on must be a tuple of subclasses of Exception, not (<"),
        ],
    )
    def test_types(self, name: str, value: object, text: str) -> None:
        """A value of another type is a TypeError that names the argument and the type."""
        arguments: Any = {name: value}
        with pytest.raises(TypeError, match=re.escape(text)):
            Retry(**arguments)

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("attempts", 0, "attempts is 0: it must be from 1 to 1,000,000"),
            ("attempts", 1_000_001, "attempts is 1000001: it must be from 1 to 1,000,000"),
            ("backoff", -0.1, "backoff is -0.1: it must be from 0 to 86,400"),
            ("backoff", 86_401, "backoff is 86401: it must be from 0 to 86,400"),
            ("backoff", math.nan, "backoff is nan: it must be from 0 to 86,400"),
            ("max_backoff", -1, "max_backoff is -1: it must be from 0 to 86,400"),
            ("max_backoff", math.inf, "max_backoff is inf: it must be from 0 to 86,400"),
            ("jitter", 1.5, "jitter is 1.5: it must be from 0 to 1"),
            ("jitter", -0.5, "jitter is -0.5: it must be from 0 to 1"),
            ("delays", [30, 0], "each of delays is 0: it must be from 1 to 604,800"),
            ("delays", [WEEK + 1], "each of delays is 604801: it must be from 1 to 604,800"),
            ("delays", [5, 9, 5], "delays is [5, 9, 5]: each delay must be there once"),
            ("dead_letters", "", "dead_letters is '': a topic's name has"),
            ("dead_letters", "a b", "dead_letters is 'a b': a topic's name has"),
            ("dead_letters", "{Topic}", "dead_letters is '{Topic}': a topic's name has"),
            ("dead_letters", "{topic}\n", r"dead_letters is '{topic}\n': a topic's name has"),
            ("dead_letters", "\udcff", r"dead_letters is '\udcff': a topic's name has"),
            ("dead_letters", "x" * 250, "x': a topic's name has 1 to 249 of the characters"),
        ],
    )
    def test_ranges(self, name: str, value: object, text: str) -> None:
        """A value out of its range is a ValueError that names the argument and the value."""
        arguments: Any = {name: value}
        with pytest.raises(ValueError, match=re.escape(text)) as caught:
            Retry(**arguments)
        assert str(caught.value).startswith(name) or name == "delays"

    @pytest.mark.parametrize(
        "arguments",
        [
            {},
            {"attempts": 1, "backoff": 0, "max_backoff": 0, "jitter": 0},
            {"attempts": 1_000_000, "backoff": 86_400, "max_backoff": 86_400.0, "jitter": 1},
            {"delays": (1, WEEK), "dead_letters": None},
            {"delays": range(1, 4), "dead_letters": "{topic}.dead"},
            {"dead_letters": "x" * 249, "on": (OSError, KeyError)},
            {"on": ()},
        ],
    )
    def test_limits_are_accepted(self, arguments: Any) -> None:
        """The first and the last value of a range are accepted."""
        retry = Retry(**arguments)
        assert {name: getattr(retry, name) for name in arguments} == arguments

    def test_names_of_delay_topics(self) -> None:
        """A delay topic is named after its delay, in the largest unit without a rest. The topics
        have the order of the delays."""
        delays = [90, 1, 60, 300, 3_600, 5_400, 86_400, 172_800, 59]
        assert Retry(delays=delays).delay_topics("a.b") == {
            "a.b.retry.90s": 90,
            "a.b.retry.1s": 1,
            "a.b.retry.1m": 60,
            "a.b.retry.5m": 300,
            "a.b.retry.1h": 3_600,
            "a.b.retry.90m": 5_400,
            "a.b.retry.1d": 86_400,
            "a.b.retry.2d": 172_800,
            "a.b.retry.59s": 59,
        }
        assert list(Retry(delays=delays).delay_topics("t").values()) == delays

    def test_each_delay_has_its_topic(self) -> None:
        """Two delays never have the same topic."""
        delays = range(1, 10_000)
        assert len(Retry(delays=delays).delay_topics("t")) == len(delays)


def waits(retry: Retry | None, error: Exception | None = None, limit: int = 100) -> list[float]:
    """The waits after each attempt, until there is no next attempt."""
    recovery = Recovery(retry, ["t"])
    each = (recovery.wait_after(number, error or ValueError()) for number in range(1, limit))
    return [wait for wait in itertools.takewhile(lambda wait: wait is not None, each) if wait]


class TestInPlace:
    """Whether and when a handler gets a message again."""

    def test_waits_double_up_to_the_longest(self) -> None:
        """Each wait is twice as long as the one before, up to `max_backoff`. The number of calls is
        `attempts`."""
        retry = Retry(attempts=7, backoff=0.5, max_backoff=5, jitter=0)
        assert waits(retry) == [0.5, 1, 2, 4, 5, 5]

    def test_the_default(self) -> None:
        """Retry() gives three calls. Without a Retry the handler is called once."""
        assert len(waits(Retry())) == 2
        assert waits(Retry(attempts=1)) == []
        assert waits(None) == []

    def test_a_million_attempts(self) -> None:
        """A high number of attempts overflows nothing."""
        recovery = Recovery(Retry(attempts=1_000_000, jitter=0), ["t"])
        assert recovery.wait_after(999_999, ValueError()) == 10
        assert recovery.wait_after(1_000_000, ValueError()) is None

    def test_jitter(self) -> None:
        """A wait differs by up to the fraction `jitter`, in both directions, and is random."""
        recovery = Recovery(Retry(backoff=10, max_backoff=100, jitter=0.3), ["t"])
        random.seed(5)
        some = [recovery.wait_after(1, ValueError()) or 0 for _ in range(300)]
        assert 7 <= min(some) < 7.5
        assert 12.5 < max(some) <= 13

    def test_no_wait_is_longer_than_the_longest(self) -> None:
        """Jitter does not make a wait longer than `max_backoff`, nor shorter than nothing."""
        recovery = Recovery(Retry(backoff=10, max_backoff=10, jitter=1), ["t"])
        random.seed(5)
        some = [recovery.wait_after(1, ValueError()) or 0 for _ in range(300)]
        assert max(some) == 10
        assert 0 <= min(some) < 1

    def test_on(self) -> None:
        """After exceptions that `on` does not contain, a message is not tried again. Subclasses
        count."""
        retry = Retry(on=(OSError, KeyError))
        assert len(waits(retry, ConnectionResetError())) == 2
        assert len(waits(retry, KeyError())) == 2
        assert waits(retry, ValueError()) == []
        assert waits(Retry(on=()), ValueError()) == []

    @pytest.mark.parametrize("kind", [KeyDeserializationError, ValueDeserializationError])
    def test_messages_that_cannot_be_deserialized(self, kind: type[Exception]) -> None:
        """A message that cannot be deserialized is not tried again, and skips the delay topics."""
        retry = Retry(delays=[5], dead_letters="dead", on=(Exception, kind))
        error = kind(ValueError("bad bytes"), Message("t", 0, 0))
        assert waits(retry, error) == []
        assert Recovery(retry, ["t"]).topic_after("t", error) == "dead"

    @pytest.mark.parametrize(
        "error", [ConsumeError(KafkaError(KafkaError._TRANSPORT)), SerializationError("x")]
    )
    def test_kafka_errors_of_the_handler(self, error: Exception) -> None:
        """A handler may use Kafka, too: its own errors are tried again like others."""
        retry = Retry(delays=[5], dead_letters="dead")
        assert len(waits(retry, error)) == 2
        assert Recovery(retry, ["t"]).topic_after("t", error) == "t.retry.5s"


def path(retry: Retry | None, topics: Sequence[str], topic: str) -> list[str | None]:
    """The topics that a message which always fails goes through, until the last one."""
    recovery = Recovery(retry, topics)
    gone: list[str | None] = [recovery.topic_after(topic, ValueError())]
    while gone[-1] in recovery.delays:
        gone.append(recovery.topic_after(gone[-1] or "", ValueError()))
    return gone


class TestTopics:
    """Where failed messages go."""

    def test_delay_topics_in_order(self) -> None:
        """A message goes through the delay topics in the order of `delays`, then to the dead
        letters."""
        retry = Retry(delays=[60, 5, 3_600], dead_letters="dead")
        names = ["t.retry.1m", "t.retry.5s", "t.retry.1h"]
        assert path(retry, ["s", "t"], "t") == [*names, "dead"]
        assert Recovery(retry, ["t"]).delays == dict(zip(names, [60, 5, 3_600], strict=True))

    def test_the_worker_reads_the_delay_topics_of_all_topics(self) -> None:
        """Each topic has its own delay topics."""
        delays = Recovery(Retry(delays=[5]), ["a", "b"]).delays
        assert delays == {"a.retry.5s": 5, "b.retry.5s": 5}

    def test_the_first_topic_names_the_dead_letters(self) -> None:
        """`{topic}` is the topic that a message was first read from, not its delay topic."""
        retry = Retry(delays=[5], dead_letters="{topic}.dead.{topic}")
        assert path(retry, ["a", "b"], "a") == ["a.retry.5s", "a.dead.a"]
        assert path(retry, ["a", "b"], "b") == ["b.retry.5s", "b.dead.b"]

    def test_no_topic(self) -> None:
        """Without dead letters a message has no topic to go to after its delays."""
        assert path(Retry(delays=[5]), ["t"], "t") == ["t.retry.5s", None]
        assert path(Retry(), ["t"], "t") == [None]
        assert path(None, ["t"], "t") == [None]

    def test_other_exceptions_skip_the_delay_topics(self) -> None:
        """After an exception that `on` does not contain, a message goes to the dead letters at
        once, from a delay topic, too."""
        recovery = Recovery(Retry(delays=[5, 9], dead_letters="{topic}.dead", on=(OSError,)), ["t"])
        assert recovery.topic_after("t", ValueError()) == "t.dead"
        assert recovery.topic_after("t.retry.5s", ValueError()) == "t.dead"
        assert recovery.topic_after("t.retry.5s", OSError()) == "t.retry.9s"

    def test_regular_expressions(self) -> None:
        """Delays and `{topic}` need the names of topics, because the expression would match their
        topics, too. Otherwise, a regular expression is accepted."""
        with pytest.raises(ValueError, match="give one name, which the regular expression '\\^a'"):
            Recovery(Retry(dead_letters="{topic}.dead"), ["^a"])
        with pytest.raises(ValueError, match=re.escape("'^t.*' is a regular expression")):
            Recovery(Retry(delays=[5]), ["s", "^t.*"])
        assert Recovery(Retry(dead_letters="dead"), ["^t.*"]).delays == {}
        assert Recovery(None, ["^t.*"]).delays == {}

    @pytest.mark.parametrize(
        ("dead_letters", "topics"),
        [("{topic}", ["a"]), ("b", ["a", "b"]), ("{topic}.retry.5s", ["a"]), ("a.retry.5s", ["a"])],
    )
    def test_dead_letters_do_not_return(self, dead_letters: str, topics: list[str]) -> None:
        """A message would fail forever if its dead-letter topic were a topic that it came from."""
        retry = Retry(delays=[5], dead_letters=dead_letters)
        text = f"dead_letters is {dead_letters!r}: the worker would read the dead letters of"
        with pytest.raises(ValueError, match=re.escape(text)):
            Recovery(retry, topics)

    @pytest.mark.parametrize(
        ("retry", "name"),
        [(Retry(delays=[5]), ".retry.5s"), (Retry(dead_letters="{topic}.dead"), ".dead")],
    )
    def test_names_that_are_too_long(self, retry: Retry, name: str) -> None:
        """If a topic's name leaves no place for what follows it, the worker does not begin."""
        long = "t" * 249
        with pytest.raises(ValueError, match=rf"would go to '{long}{name}': a topic's name has"):
            Recovery(retry, [long])
        Recovery(retry, [long[len(name) :]])


def failed(headers: Any = None, **fields: Any) -> Message:
    place: dict[str, Any] = {"topic": "t", "partition": 3, "offset": 42, "timestamp": CREATED}
    return Message(**place | fields, headers=headers)


def after(
    message: Message, attempts: int = 1, error: Exception | None = None, now: float = NOW
) -> dict[str, Any]:
    """The headers as a dict; each must be there once."""
    pairs = headers_after(message, attempts, error or ValueError("why"), now)
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


class Changing(Exception):
    def __str__(self) -> Any:
        return 5


class TestHeaders:
    """The headers of messages in delay topics and in dead-letter topics."""

    def test_the_first_failure(self) -> None:
        """The headers contain where the message came from, and how it failed. All are text."""
        assert after(failed(), 3) == {
            "origin.topic": b"t",
            "origin.partition": b"3",
            "origin.offset": b"42",
            "origin.timestamp": CREATED_TEXT,
            "failure.first": NOW_TEXT,
            "failure.attempts": b"3",
            "failure.error": b"ValueError",
            "failure.text": b"why",
            "failure.last": NOW_TEXT,
        }

    def test_a_later_failure(self) -> None:
        """The origin and the time of the first failure remain. Attempts add up. The other headers
        describe the last failure."""
        first = headers_after(failed(), 3, ValueError("why"), NOW - 100)
        second = Message("t.retry.5s", 0, 7, headers=first, timestamp=(TIMESTAMP_CREATE_TIME, 5))
        later = after(second, 2, SerializationError("other"))
        assert later == dict(first) | {
            "failure.attempts": b"5",
            "failure.error": b"confluent_kafka.error.SerializationError",
            "failure.text": str(SerializationError("other")).encode(),
            "failure.last": NOW_TEXT,
        }
        third = Message("t.retry.9s", 0, 8, headers=list(later.items()))
        assert after(third, 1)["failure.attempts"] == b"6"

    def test_headers_of_the_user_remain(self) -> None:
        """Other headers come first, unchanged: repeated ones, None and any bytes."""
        own = [("a", b"1"), ("a", b"2"), ("", b"\xff"), ("n", None), ("failure.other", b"x")]
        pairs = headers_after(failed(own), 1, ValueError(), NOW)
        assert pairs[: len(own)] == own
        again = headers_after(failed(pairs), 1, ValueError(), NOW)
        assert again[: len(own)] == own
        assert len(again) == len(pairs)

    @pytest.mark.parametrize("headers", [None, [], {}])
    def test_no_headers(self, headers: Any) -> None:
        """A message without headers gets only our headers."""
        assert len(after(failed(headers))) == 9

    def test_headers_that_a_handler_has_replaced(self) -> None:
        """A handler can replace a message's headers with a dict, and with text."""
        message = failed()
        message.set_headers({"a": "x", "failure.attempts": "4", "origin.topic": "é"})
        headers = after(message)
        assert (headers["a"], headers["failure.attempts"]) == ("x", b"5")
        assert headers["origin.topic"] == "é".encode()

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            (TIMESTAMP_CREATE_TIME, CREATED_TEXT),
            (TIMESTAMP_LOG_APPEND_TIME, CREATED_TEXT),
            (TIMESTAMP_NOT_AVAILABLE, b""),
        ],
    )
    def test_kinds_of_timestamps(self, kind: int, text: bytes) -> None:
        """A message without a timestamp has an empty header."""
        assert after(failed(timestamp=(kind, CREATED[1])))["origin.timestamp"] == text

    @pytest.mark.parametrize(
        ("timestamp", "text"),
        [
            (0, b"1970-01-01T00:00:00.000Z"),
            (1, b"1970-01-01T00:00:00.001Z"),
            (-1, b"1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, b"9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, b"253402300800000"),
            (CREATED[1] * 1000, b"1234567890123000"),
            (2**63 - 1, b"9223372036854775807"),
            (-(2**62), b"-4611686018427387904"),
        ],
    )
    def test_any_timestamp(self, timestamp: int, text: bytes) -> None:
        """A producer can give any timestamp, as microseconds by mistake. What is no time in a
        calendar stays a number."""
        message = failed(timestamp=(TIMESTAMP_CREATE_TIME, timestamp))
        assert after(message)["origin.timestamp"] == text

    @pytest.mark.parametrize(
        ("before", "attempts"),
        [
            (b"2", b"5"),
            (b"007", b"10"),
            (None, b"3"),
            (b"", b"3"),
            (b"many", b"3"),
            (b"-1", b"3"),
            (b"1.5", b"3"),
            (b" 2", b"3"),
            (b"\xff\xfe", b"3"),
            ("\u00b2".encode(), b"3"),
            (b"9" * 5000, b"3"),
        ],
    )
    def test_broken_attempts(self, before: bytes | None, attempts: bytes) -> None:
        """If the earlier attempts are not a number, or an impossible one, they do not count."""
        assert after(failed([("failure.attempts", before)]), 3)["failure.attempts"] == attempts

    @pytest.mark.parametrize("value", [None, b"\xff\xfe", b"", "\udcff"])
    def test_any_value_in_our_headers(self, value: Any) -> None:
        """Values that are missing, or are not UTF-8, do not raise."""
        names = list(after(failed()))
        headers = after(failed([(name, value) for name in names]), 2)
        assert list(headers) == names
        assert headers["failure.attempts"] == b"2"
        for text in headers.values():
            text.decode()

    def test_an_origin_without_its_rest(self) -> None:
        """If only the topic of the origin is known, the place of the delayed message does not take
        the place of the origin's."""
        headers = after(failed([("origin.topic", b"first")]))
        assert headers["origin.topic"] == b"first"
        assert headers["origin.partition"] == headers["origin.offset"] == b""

    def test_a_repeated_header_of_ours(self) -> None:
        """If another program has added our header again, its last value counts, once."""
        headers = [("failure.attempts", b"1"), ("failure.attempts", b"4")]
        assert after(failed(headers))["failure.attempts"] == b"5"

    @pytest.mark.parametrize(
        ("error", "name", "text"),
        [
            (ValueError(), b"ValueError", b""),
            (ValueError("é☃"), b"ValueError", "é☃".encode()),
            (ValueError("a\0b\n"), b"ValueError", b"a\0b\n"),
            (ValueError("x" * 5_000), b"ValueError", b"x" * 1_000),
            (ValueError("é" * 5_000), b"ValueError", "é" * 1_000),
            (ValueError("a\ud800b\udcff"), b"ValueError", b"a?b?"),
            (Unspeakable(), b"Unspeakable", b"(no text: str() raised RuntimeError)"),
            (Changing(), b"Changing", b"(no text: str() raised TypeError)"),
        ],
    )
    def test_any_error(self, error: Exception, name: bytes, text: bytes | str) -> None:
        """The name of an exception contains its module, if it is not built in. Its text has up to
        1,000 characters. A text that is broken, or cannot be had, does not raise."""
        headers = after(failed(), error=error)
        assert headers["failure.error"].rpartition(b".")[2] == name
        assert headers["failure.text"] == (text.encode() if isinstance(text, str) else text)


def delayed(
    offset: int, milliseconds: int, topic: str = "t.retry.5s", partition: int = 0
) -> Message:
    return Message(topic, partition, offset, timestamp=(TIMESTAMP_CREATE_TIME, milliseconds))


def places(partitions: Sequence[TopicPartition]) -> list[tuple[str, int, int]]:
    return [(each.topic, each.partition, each.offset) for each in partitions]


class TestDelays:
    """The partitions of delay topics that wait. A delay is 5 seconds in most of these tests."""

    def test_without_delay_topics(self) -> None:
        """Messages pass as they are."""
        delays = Delays({})
        messages = [delayed(0, 10**13)]
        assert delays.split(messages, 0.0) == (messages, [])
        assert delays.seconds_left(0.0) is None
        assert delays.now_due(0.0) == []

    def test_messages_that_are_due(self) -> None:
        """A message is due when its timestamp is as old as the delay of its topic, to the
        millisecond. Messages of other topics are due at once."""
        delays = Delays({"t.retry.5s": 5, "t.retry.1m": 60})
        messages = [
            delayed(0, 1_000),
            delayed(9, 10**13, topic="t"),
            delayed(4, 1_001, partition=1),
            delayed(2, 1_000, topic="t.retry.1m"),
        ]
        due, early = delays.split(messages, 6.0)
        assert due == messages[:2]
        assert places(early) == [("t.retry.5s", 1, 4), ("t.retry.1m", 0, 2)]
        assert delays.is_waiting(("t.retry.5s", 1))
        assert not delays.is_waiting(("t.retry.5s", 0))

    def test_a_partition_waits_for_its_first_message(self) -> None:
        """Messages after the one that is not due come again, so they are left out: also if they are
        due, and in later calls."""
        delays = Delays({"t.retry.5s": 5})
        due, early = delays.split([delayed(0, 0), delayed(1, 3_000), delayed(2, 0)], 6.0)
        assert [message.offset() for message in due] == [0]
        assert places(early) == [("t.retry.5s", 0, 1)]
        assert delays.split([delayed(3, 0)], 7.0) == ([], [])

    def test_partitions_to_resume(self) -> None:
        """A partition is resumed once, when the message that it waits for is due. The message comes
        again, and passes."""
        delays = Delays({"t.retry.5s": 5})
        delays.split([delayed(1, 3_000), delayed(7, 4_000, partition=1)], 6.0)
        assert delays.now_due(7.999) == []
        (resumed,) = delays.now_due(8.0)
        assert (resumed.topic, resumed.partition) == ("t.retry.5s", 0)
        assert delays.now_due(8.0) == []
        assert not delays.is_waiting(("t.retry.5s", 0))
        due, early = delays.split([delayed(1, 3_000), delayed(2, 5_000)], 8.0)
        assert [message.offset() for message in due] == [1]
        assert places(early) == [("t.retry.5s", 0, 2)]

    def test_seconds_left(self) -> None:
        """The time until the first partition is due, and never less than nothing."""
        delays = Delays({"t.retry.5s": 5})
        assert delays.seconds_left(6.0) is None
        delays.split([delayed(1, 4_000), delayed(7, 3_000, partition=1)], 6.0)
        assert delays.seconds_left(6.5) == 1.5
        assert delays.seconds_left(100.0) == 0
        delays.now_due(8.0)
        assert delays.seconds_left(8.0) == 1.0

    def test_partitions_that_are_no_longer_assigned(self) -> None:
        """forget() forgets partitions that wait, and ignores others."""
        delays = Delays({"t.retry.5s": 5})
        delays.split([delayed(1, 4_000), delayed(7, 3_000, partition=1)], 6.0)
        delays.forget([("t.retry.5s", 0), ("t", 0)])
        assert not delays.is_waiting(("t.retry.5s", 0))
        assert [each.partition for each in delays.now_due(100.0)] == [1]
        assert places(delays.split([delayed(1, 4_000)], 6.0)[1]) == [("t.retry.5s", 0, 1)]

    @pytest.mark.parametrize("timestamp", [None, (TIMESTAMP_NOT_AVAILABLE, 0)])
    def test_messages_without_a_timestamp(self, timestamp: tuple[int, int] | None) -> None:
        """A message without a timestamp is due at once: nothing says since when it waits."""
        messages = [Message("t.retry.5s", 0, 0, timestamp=timestamp)]
        assert Delays({"t.retry.5s": 5}).split(messages, NOW) == (messages, [])
