"""What happens to a message whose handler failed: again in place, later, or to the dead letters."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from confluent_kafka import Message
from confluent_kafka._values.topic_names import RULE, is_legal
from confluent_kafka.error import KeyDeserializationError, ValueDeserializationError

from ._arguments import number

_TEXT_LENGTH = 1000  # characters of an error's text in a header
_ATTEMPTS_LENGTH = 9  # digits of a number of attempts in a header
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNREADABLE = (KeyDeserializationError, ValueDeserializationError)
_UNITS = ((86400, "d"), (3600, "h"), (60, "m"), (1, "s"))

# The headers of messages in delay topics and in dead-letter topics. All values are text.
ORIGIN_TOPIC = "origin.topic"
ORIGIN_PARTITION = "origin.partition"
ORIGIN_OFFSET = "origin.offset"
ORIGIN_TIMESTAMP = "origin.timestamp"
ATTEMPTS = "failure.attempts"
ERROR = "failure.error"
ERROR_TEXT = "failure.text"
FIRST_FAILURE = "failure.first"
LAST_FAILURE = "failure.last"
_OF_ORIGIN = (ORIGIN_TOPIC, ORIGIN_PARTITION, ORIGIN_OFFSET, ORIGIN_TIMESTAMP, FIRST_FAILURE)
_OF_FAILURE = frozenset((*_OF_ORIGIN, ATTEMPTS, ERROR, ERROR_TEXT, LAST_FAILURE))


@dataclass(frozen=True, kw_only=True)
class Retry:
    """What a worker does with a message whose handler raised an exception.

    The worker calls the handler up to ``attempts`` times, and waits between two calls. Then the
    message goes through the delay topics, one after the other: each of them gives the handler
    ``attempts`` more calls. Then the message goes to the dead-letter topic. The worker commits the
    message's offset when the message has been delivered to such a topic.

    A message that cannot be deserialized goes to the dead-letter topic at once.

    Args:
        attempts: how many times the handler gets a message, from 1 on.
        backoff: seconds before the second call. The wait doubles from call to call. Later messages
            with the same key wait, too, if the worker's concurrency is by key.
        max_backoff: the longest wait in seconds.
        jitter: by which fraction a wait is changed at random, from 0 to 1.
        delays: whole seconds for each delay topic. The topic of 30 seconds is called
            ``TOPIC.retry.30s``; 300 seconds give ``TOPIC.retry.5m``. Messages in delay topics lose
            their order. The topics must exist.
        dead_letters: the dead-letter topic, which must exist; ``{topic}`` stands for the topic that
            the message was first read from. With None, the worker ends with the exception of the
            handler.
        on: the exceptions after which a message is tried again. After other exceptions it goes to
            the dead-letter topic at once.

    Raises:
        TypeError: an argument has another type.
        ValueError: an argument is out of its range, or is not the name of a topic.
    """

    attempts: int = 3
    backoff: float = 0.1
    max_backoff: float = 10.0
    jitter: float = 0.2
    delays: Sequence[int] = ()
    dead_letters: str | None = None
    on: tuple[type[Exception], ...] = (Exception,)

    def __post_init__(self) -> None:
        number("attempts", self.attempts, int, 1, 1_000_000)
        number("backoff", self.backoff, float, 0, 86_400)
        number("max_backoff", self.max_backoff, float, 0, 86_400)
        number("jitter", self.jitter, float, 0, 1)
        if isinstance(self.delays, str | bytes) or not isinstance(self.delays, Sequence):
            raise TypeError(
                f"delays must be a list of whole numbers, not {type(self.delays).__name__}"
            )
        for delay in self.delays:
            number("each of delays", delay, int, 1, 7 * 86_400)
        if len(set(self.delays)) < len(self.delays):
            raise ValueError(f"delays is {self.delays!r}: each delay must be there once")
        if self.dead_letters is not None:
            if not isinstance(self.dead_letters, str):
                kind = type(self.dead_letters).__name__
                raise TypeError(f"dead_letters must be the name of a topic or None, not {kind}")
            if not is_legal(self.dead_letters.replace("{topic}", "topic")):
                raise ValueError(f"dead_letters is {self.dead_letters!r}: {RULE}")
        if not isinstance(self.on, tuple) or not all(map(_is_exception, self.on)):
            raise TypeError(f"on must be a tuple of subclasses of Exception, not {self.on!r}")

    def delay_topics(self, topic: str) -> dict[str, int]:
        """Return the delay topics of a topic, with their delays in seconds."""
        return {f"{topic}.retry.{_duration(delay)}": delay for delay in self.delays}


class Recovery:
    """Where the failed messages of a worker's topics go.

    Args:
        retry: what the worker does with failed messages; None if it ends at the first failure.
        topics: the worker's topics.

    Attributes:
        delays: each delay topic, and its delay in seconds.

    Raises:
        ValueError: a topic is a regular expression, and there are delays; a topic's failed messages
            would go to the topic again, or to a topic that cannot exist.
    """

    def __init__(self, retry: Retry | None, topics: Sequence[str]) -> None:
        self.retry = Retry(attempts=1) if retry is None else retry
        self.delays: dict[str, int] = {}
        self._origins: dict[str, str] = {}
        for topic in topics:
            if topic.startswith("^"):
                if self.retry.delays:
                    raise ValueError(
                        f"delays need the names of topics, and {topic!r} is a regular expression"
                    )
                if "{topic}" in (self.retry.dead_letters or ""):
                    raise ValueError(
                        f"dead_letters is {self.retry.dead_letters!r}: give one name, which the "
                        f"regular expression {topic!r} does not match"
                    )
                continue
            own = self.retry.delay_topics(topic)
            self._check(topic, own)
            self.delays |= own
            self._origins |= dict.fromkeys(own, topic)

    @property
    def sends(self) -> bool:
        """Whether failed messages go to topics."""
        return bool(self.delays) or self.retry.dead_letters is not None

    def wait_after(self, attempt: int, error: Exception) -> float | None:
        """Return the seconds to wait before the handler gets a message again in place.

        Args:
            attempt: how many times the handler got it from this topic.
            error: the last exception.

        Returns:
            None: the message is not tried again in place.
        """
        if attempt >= self.retry.attempts or not self._can_pass(error):
            return None
        wait = min(self.retry.backoff * 2.0 ** min(attempt - 1, 64), self.retry.max_backoff)
        wait *= 1 + self.retry.jitter * random.uniform(-1, 1)
        return min(wait, self.retry.max_backoff)

    def topic_after(self, topic: str, error: Exception) -> str | None:
        """Return the topic that a failed message goes to; None if there is none.

        Args:
            topic: the topic that it was read from.
            error: the last exception.
        """
        origin = self._origins.get(topic, topic)
        if self._can_pass(error):
            chain = list(self.retry.delay_topics(origin))
            used = chain.index(topic) + 1 if topic in chain else 0
            if used < len(chain):
                return chain[used]
        return self._dead_letters_of(origin)

    def _dead_letters_of(self, topic: str) -> str | None:
        dead_letters = self.retry.dead_letters
        return None if dead_letters is None else dead_letters.replace("{topic}", topic)

    def _check(self, topic: str, delay_topics: Iterable[str]) -> None:
        dead_letters = self._dead_letters_of(topic)
        if dead_letters in (topic, *delay_topics):
            raise ValueError(
                f"dead_letters is {self.retry.dead_letters!r}: the worker would read the dead "
                f"letters of {topic!r} again"
            )
        for name in (*delay_topics, *([] if dead_letters is None else [dead_letters])):
            if not is_legal(name):
                raise ValueError(f"failed messages of {topic!r} would go to {name!r}: {RULE}")

    def _can_pass(self, error: Exception) -> bool:
        """Return whether the handler may succeed with the same message later."""
        return isinstance(error, self.retry.on) and not isinstance(error, _UNREADABLE)


def headers_after(
    message: Message, attempts: int, error: Exception, now: float
) -> list[tuple[str, Any]]:
    """Return the headers of a failed message for the topic that it goes to.

    Args:
        message: the message.
        attempts: how many times the handler got it from this topic.
        error: the last exception.
        now: the time in seconds since 1970.
    """
    headers = _pairs(message)
    before = _texts(headers)
    failed_at = _time(round(now * 1000))
    kind, timestamp = message.timestamp()
    origin = {
        ORIGIN_TOPIC: message.topic(),
        ORIGIN_PARTITION: message.partition(),
        ORIGIN_OFFSET: message.offset(),
        ORIGIN_TIMESTAMP: _time(timestamp) if kind else "",
        FIRST_FAILURE: failed_at,
    }
    if ORIGIN_TOPIC in before:
        origin = {name: before.get(name, "") for name in _OF_ORIGIN}
    failure = {
        ATTEMPTS: attempts + _count(before.get(ATTEMPTS, "")),
        ERROR: _name_of(error),
        ERROR_TEXT: _text_of(error),
        LAST_FAILURE: failed_at,
    }
    kept = [(name, value) for name, value in headers if name not in _OF_FAILURE]
    return kept + [
        (name, str(value).encode("utf-8", "replace")) for name, value in (origin | failure).items()
    ]


def _pairs(message: Message) -> list[tuple[str, Any]]:
    """Return the headers of a message. A handler may have replaced them with a dict."""
    headers: Any = message.headers() or ()
    return list(headers.items() if isinstance(headers, Mapping) else headers)


def _texts(headers: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """Return our headers of a message. Other programs may have changed the values."""
    return {
        name: value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        for name, value in headers
        if name in _OF_FAILURE and value is not None
    }


def _count(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= _ATTEMPTS_LENGTH else 0


def _text_of(error: Exception) -> str:
    try:
        return str(error)[:_TEXT_LENGTH]
    except Exception as failure:
        return f"(no text: str() raised {type(failure).__name__})"


def _is_exception(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Exception)


def _name_of(error: Exception) -> str:
    kind = type(error)
    return (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )


def _time(milliseconds: int) -> str:
    """Return a time since 1970 as text; the number itself if no calendar contains it."""
    try:
        time = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return str(milliseconds)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _duration(seconds: int) -> str:
    size, letter = next(unit for unit in _UNITS if seconds % unit[0] == 0)
    return f"{seconds // size}{letter}"
