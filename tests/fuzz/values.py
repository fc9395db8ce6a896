"""Draws arguments that no program should pass, from a `random.Random`.

Everything in tests/fuzz is drawn from such an object. The source of its numbers may be hypothesis,
which shrinks failures, a seed, which is a hundred times faster, or libFuzzer, which looks for new
branches.
"""

from __future__ import annotations

import array
import functools
import logging
from collections.abc import Callable
from random import Random
from typing import Any

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    TopicPartition,
    Uuid,
)
from confluent_kafka.cimpl import NewTopic, _AdminClient


class Ours(Exception):
    """The exception that hostile objects raise. Any call may pass it on."""


def text(random: Random) -> str:
    """Return random bytes as text. Bytes that are not UTF-8 become lone surrogates."""
    return random.randbytes(random.randrange(24)).decode("utf-8", "surrogateescape")


class Hostile:
    """Raises an exception in every method."""

    def _fail(self, *_: object, **__: object) -> Any:
        raise Ours

    __index__ = __int__ = __float__ = __bool__ = __len__ = __iter__ = __getitem__ = _fail
    __repr__ = __str__ = __eq__ = __hash__ = __call__ = __contains__ = __lt__ = _fail
    keys = items = log = emit = _fail
    __arrow_c_array__ = __arrow_c_stream__ = __buffer__ = _fail


class Liar:
    """Returns values of the wrong type, range or size."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def _lie(self, *_: object, **__: object) -> Any:
        return self._answer

    __index__ = __float__ = __len__ = __iter__ = __call__ = __str__ = __repr__ = __bool__ = _lie
    __hash__ = __eq__ = __getitem__ = keys = items = _lie
    __arrow_c_array__ = __arrow_c_stream__ = _lie


class Text(str):
    """A subclass of str with wrong methods, which C code must not trust."""

    def __eq__(self, other: object) -> bool:
        raise Ours

    def __hash__(self) -> int:
        raise Ours

    def encode(self, *_: object) -> Any:
        return None


class Number(int):
    def __index__(self) -> Any:
        return "no number"


class Bytes(bytes):
    def __bytes__(self) -> Any:
        return None


class Items(list[Any]):
    def __iter__(self) -> Any:
        raise Ours

    def __len__(self) -> int:
        return 2**40


class Mapping(dict[Any, Any]):
    def items(self) -> Any:
        return None

    def keys(self) -> Any:
        raise Ours


class Partition(TopicPartition):
    def __eq__(self, other: object) -> bool:
        raise Ours

    __hash__ = None  # type: ignore[assignment]


class Shrinking:
    """An item that empties its list when a program reads it."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items

    def __index__(self) -> int:
        self._items.clear()
        return 0

    __hash__ = __len__ = __index__

    def __eq__(self, other: object) -> bool:
        self._items.clear()
        return True


def fail(*_: object) -> Any:
    raise Ours


def ignore(*_: object) -> Any:
    return None


_BITS = (7, 8, 15, 16, 31, 32, 53, 62, 63, 64, 70, 1400)
NUMBERS: tuple[Any, ...] = (
    *range(-2, 4),
    *(sign * (2**bits + more) for bits in _BITS for sign in (1, -1) for more in (-1, 0, 1)),
    -1000,
    -1001,
    *(float(text) for text in ("nan", "inf", "-inf", "-0.0", "1e-320", "1e308", "0.5", "1.5")),
    1j,
    True,
    False,
    Number(3),
)
# The number of names is fixed, because clients turn each name into a topic or a group.
TEXTS: tuple[Any, ...] = (
    "",
    "topic",
    "other",
    "^top.*",
    "^[",
    "group",
    "Produce",
    "transaction",
    "a\0b",
    "\ud800",
    "ü\U0001f600",
    "x" * 249,
    "x" * 250,
    "%s%n%d",
    "true",
    "1",
    Text("topic"),
)
BYTES: tuple[Any, ...] = (
    b"",
    b"value",
    b"\0",
    b"\xff" * 300,
    bytearray(b"bytes"),
    memoryview(b"bytes")[::2],
    memoryview(b"bytes")[::-1],
    memoryview(b"abcd").cast("I"),
    array.array("d", [1.5]),
    Bytes(b"bytes"),
)
CALLABLES: tuple[Any, ...] = (fail, ignore, print.__class__, KafkaException, lambda: None)
HOSTILE: tuple[Any, ...] = (
    None,
    ...,
    NotImplemented,
    object(),
    Hostile(),
    Liar(None),
    Liar(2**70),
    Liar("text"),
    Liar(float("nan")),
    Liar((None, None)),
    Liar(-1),
    int,
    Producer,
    logging.NullHandler(),
    ValueError("x"),
)
# These objects are created without a call of their constructor, as by copy and pickle.
HALF_MADE: tuple[type[Any], ...] = (
    KafkaError,
    Message,
    TopicPartition,
    Uuid,
    Producer,
    Consumer,
    ShareConsumer,
    _AdminClient,
    NewTopic,
    Partition,
)
FRESH: tuple[Callable[[], Any], ...] = (
    *(functools.partial(kind.__new__, kind) for kind in HALF_MADE),
    lambda: Partition("topic", 0, 0),
    lambda: TopicPartition("topic", 0, 0),
    lambda: TopicPartition("topic", 0),
    lambda: [TopicPartition("topic", 0, 0)],
    lambda: KafkaError(KafkaError._FAIL, "a reason"),
    lambda: Message("topic", 0, 0, b"key", b"value", [("name", b"value")]),
    lambda: Message("topic", None, None, 1, 2, [3]),  # type: ignore[list-item]
    lambda: Uuid(1, 2),
    lambda: {"bootstrap.servers": "127.0.0.1:1"},
    lambda: {"value": b"value", "key": "key", "partition": 0, "headers": {"a": None}},
    lambda: [b"value", None, {"value": "text"}],
    lambda: [("name", b"value"), ("name", None)],
    lambda: {"name": "value"},
    lambda: iter([1]),
    lambda: (each for each in "ab"),
    lambda: _shrinking([1, 2]),
    lambda: Items([1, 2]),
    lambda: Mapping(a=1),
    lambda: _endless([]),
)


def _shrinking(items: list[Any]) -> Any:
    items += [("name", Shrinking(items)), Shrinking(items), b"value"]
    return items


def _endless(items: list[Any]) -> Any:
    items += [items, {"key": items}]
    return items


_ATOMS = (NUMBERS, TEXTS, BYTES, CALLABLES, HOSTILE)


def value(random: Random, found: list[Any], depth: int = 2) -> Any:
    """Return a random value: an atom, an object, a result of an earlier call, or a container of
    these."""
    choice = random.randrange(12)
    if choice < len(_ATOMS):
        return random.choice(_ATOMS[choice])
    if choice < 8:
        return random.choice(FRESH)()
    if choice < 10 and found:
        return random.choice(found)
    if depth == 0:
        return None
    items = [value(random, found, depth - 1) for _ in range(random.randrange(4))]
    match random.randrange(4):
        case 0:
            return items
        case 1:
            return tuple(items)
        case 2:
            return dict(zip(random.choices(TEXTS[:-1], k=len(items)), items, strict=True))
        case _:
            return [tuple(items), *items]


# One key of each kind of property, keys whose values are parsed as text, and wrong keys. With these
# keys, no client looks up a host name or loads a library.
KEYS: tuple[Any, ...] = (
    "acks",
    "allow.auto.create.topics",
    "auto.offset.reset",
    "batch.num.messages",
    "client.dns.lookup",
    "client.id",
    "compression.codec",
    "compression.level",
    "debug",
    "default.topic.config",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.idempotence",
    "enabled_events",
    "error_cb",
    "fetch.max.bytes",
    "group.id",
    "group.instance.id",
    "group.protocol",
    "https.ca.pem",
    "interceptors",
    "isolation.level",
    "linger.ms",
    "log_cb",
    "logger",
    "max.in.flight",
    "max.poll.interval.ms",
    "message.max.bytes",
    "message.timeout.ms",
    "oauth_cb",
    "on_commit",
    "on_delivery",
    "opaque",
    "partition.assignment.strategy",
    "partitioner",
    "queue.buffering.max.kbytes",
    "queue.buffering.max.messages",
    "rebalance_cb",
    "sasl.mechanisms",
    "sasl.oauthbearer.config",
    "sasl.password",
    "sasl.username",
    "security.protocol",
    "session.timeout.ms",
    "socket.send.buffer.bytes",
    "ssl.ca.pem",
    "ssl.certificate.pem",
    "ssl.cipher.suites",
    "ssl.curves.list",
    "ssl.key.pem",
    "ssl.keystore.password",
    "ssl.sigalgs.list",
    "statistics.interval.ms",
    "stats_cb",
    "throttle_cb",
    "topic.blacklist",
    "transactional.id",
    "ut_handle_ProduceResponse",
    "bootstrap_servers",
    "no.such.key",
    "",
    "\ud800",
    "a\0b",
    None,
    1,
    b"acks",
)
_SETTINGS = (
    *("all", "none", "earliest", "gzip", "zstd", "classic", "consumer", "read_committed"),
    *("SASL_SSL", "ssl", "PLAIN", "SCRAM-SHA-256", "OAUTHBEARER", "murmur2_random", "roundrobin"),
    *("range,cooperative-sticky", "-1", "5.5", "1e3", " 7 ", "0x10", "x" * 5000, ",,,", "topic,^a"),
)


def configuration(random: Random, found: list[Any]) -> Any:
    """Return a possible configuration of a client, or sometimes any value."""
    if random.randrange(10) == 0:
        return value(random, found)
    pairs = [(_key(random), _setting(random, found)) for _ in range(random.randrange(1, 5))]
    return dict(pairs) | {"log_level": 0}


def _key(random: Random) -> Any:
    """Return a key. A random key is too short to be a key for a host name or a library."""
    return random.choice(KEYS) if random.randrange(30) else text(random)[:10]


def _setting(random: Random, found: list[Any]) -> Any:
    match random.randrange(4):
        case 0:
            return value(random, found)
        case 1:
            return text(random)
        case _:
            return random.choice(_SETTINGS)
