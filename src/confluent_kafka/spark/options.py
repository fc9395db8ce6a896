"""The options of the data source: read once, checked at once, typed from then on.

Names and meanings are those of Spark's guide to its Kafka source. Spark hands over every option
as text and its name in lower case.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .offsets import Bound, parse_bound

KAFKA_PREFIX = "kafka."

T = TypeVar("T")

# Exactness of a range rests on these, so the options of the source decide them.
_RESERVED = {
    "auto.offset.reset": "startingOffsets says where to start",
    "enable.auto.commit": "Spark's checkpoint holds the offsets",
    "enable.auto.offset.store": "Spark's checkpoint holds the offsets",
    "enable.partition.eof": "the source sets it to find the end of a range",
    "delivery.report.only.error": "the source sets it to see what was not delivered",
}


@dataclass(frozen=True)
class ReadOptions:
    """What a batch or streaming read was asked for."""

    kafka: dict[str, str]
    topics: tuple[str, ...]
    starting_offsets: Bound
    ending_offsets: Bound
    include_headers: bool
    fail_on_data_loss: bool
    max_offsets_per_trigger: int | None
    poll_timeout: float
    """Seconds without any progress after which a read gives up."""


@dataclass(frozen=True)
class WriteOptions:
    """What a batch write was asked for."""

    kafka: dict[str, str]
    topic: str | None
    """The topic of every row; None if the column ``topic`` names it."""


def read_options(options: Mapping[str, str], *, streaming: bool) -> ReadOptions:
    """Return the typed options of a read.

    Args:
        options: Spark's options, names in lower case.
        streaming: whether a streaming query reads, which starts at the latest offsets by default
            and has no end.

    Raises:
        ValueError: an option is missing, unknown, or has a value that is not allowed.
    """
    kafka, given = _split(options, _READ_NAMES)
    take = _Taker(given)
    starting = take("startingOffsets", parse_bound, "latest" if streaming else "earliest")
    ending = take("endingOffsets", parse_bound, "latest")
    if streaming and "endingOffsets" in given:
        raise ValueError("option endingOffsets is for batch reads: a streaming query has no end")
    if not streaming and _reaches(starting, "latest"):
        raise ValueError(
            "option startingOffsets cannot be latest (-1) in a batch read, which would be empty: "
            "use earliest (-2), an offset, or a streaming read"
        )
    if _reaches(ending, "earliest"):
        raise ValueError(
            "option endingOffsets cannot be earliest (-2), which would read nothing: "
            "use latest (-1) or an offset"
        )
    return ReadOptions(
        kafka=kafka,
        topics=take("subscribe", _topics),
        starting_offsets=starting,
        ending_offsets=ending,
        include_headers=take("includeHeaders", _boolean, "false"),
        fail_on_data_loss=take("failOnDataLoss", _boolean, "true"),
        max_offsets_per_trigger=(
            take("maxOffsetsPerTrigger", _positive) if "maxOffsetsPerTrigger" in given else None
        ),
        poll_timeout=take("kafkaConsumer.pollTimeoutMs", _positive, "120000") / 1000,
    )


def write_options(options: Mapping[str, str]) -> WriteOptions:
    """Return the typed options of a write.

    Args:
        options: Spark's options, names in lower case.

    Raises:
        ValueError: an option is missing, unknown, or has a value that is not allowed.
    """
    kafka, given = _split(options, _WRITE_NAMES)
    return WriteOptions(kafka=kafka, topic=_Taker(given)("topic", _topic, "") or None)


def includes_headers(options: Mapping[str, str]) -> bool:
    """Whether the schema of a read has the column ``headers``: the option ``includeHeaders``.

    Raises:
        ValueError: its value is not ``true`` or ``false``.
    """
    return _named("includeHeaders", _boolean, options.get("includeheaders", "false"))


_READ_NAMES = (
    "subscribe",
    "startingOffsets",
    "endingOffsets",
    "includeHeaders",
    "failOnDataLoss",
    "maxOffsetsPerTrigger",
    "kafkaConsumer.pollTimeoutMs",
)
# Spark's guide gives includeHeaders for writes too; a column `headers` is written either way.
_WRITE_NAMES = ("topic", "includeHeaders")


class _Taker:
    """Reads one option after the other out of those that were given."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def __call__(self, name: str, parse: Callable[[str], T], default: str | None = None) -> T:
        text = self._given.get(name, default)
        if text is None:
            raise ValueError(f"option {name} is required")
        return _named(name, parse, text)


def _named(name: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"option {name}: {error}") from None


def _split(
    options: Mapping[str, str], names: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, str]]:
    """Split options into Kafka's configuration and the source's own, by their proper names."""
    proper = {name.lower(): name for name in names}
    kafka: dict[str, str] = {}
    given: dict[str, str] = {}
    for lowered, text in options.items():
        if lowered in proper:
            given[proper[lowered]] = text
        elif lowered.startswith(KAFKA_PREFIX):
            kafka[lowered.removeprefix(KAFKA_PREFIX)] = text
        else:
            raise ValueError(_unknown(lowered, proper, names))
    for name, reason in _RESERVED.items():
        if name in kafka:
            raise ValueError(f"option {KAFKA_PREFIX}{name} cannot be given: {reason}")
    if not kafka.get("bootstrap.servers", "").strip():
        raise ValueError(
            "option kafka.bootstrap.servers is required: the brokers, as host:port[,host:port...]"
        )
    return kafka, given


def _unknown(lowered: str, proper: Mapping[str, str], names: tuple[str, ...]) -> str:
    candidates = {**proper, "kafka.bootstrap.servers": "kafka.bootstrap.servers"}
    near = difflib.get_close_matches(lowered, candidates, n=1)
    hint = f"did you mean {candidates[near[0]]!r}?" if near else f"known here: {', '.join(names)}"
    return f"unknown option {lowered!r}: {hint} (options of the client itself start with 'kafka.')"


def _reaches(bound: Bound, special: str) -> bool:
    """Whether a bound is, or has for any partition, the given special position."""
    if isinstance(bound, str):
        return bound == special
    return {"latest": -1, "earliest": -2}[special] in bound.values()


def _boolean(text: str) -> bool:
    try:
        return {"true": True, "false": False}[text.strip().lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither true nor false") from None


def _positive(text: str) -> int:
    if not text.strip().isdecimal() or int(text) == 0:
        raise ValueError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _topic(text: str) -> str:
    return text.strip()


def _topics(text: str) -> tuple[str, ...]:
    topics = tuple(dict.fromkeys(name for name in map(str.strip, text.split(",")) if name))
    if not topics:
        raise ValueError("it names no topic: give one or more, separated by commas")
    return topics
