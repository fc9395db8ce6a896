"""The options of a read: read once, checked at once, typed from then on."""

from collections.abc import Mapping
from dataclasses import dataclass

from .offsets import Bound, parse_bound
from .options import Taker, boolean, named, positive, split

_NAMES = (
    "subscribe",
    "startingOffsets",
    "endingOffsets",
    "includeHeaders",
    "failOnDataLoss",
    "maxOffsetsPerTrigger",
    "kafkaConsumer.pollTimeoutMs",
)


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


def read_options(options: Mapping[str, str], *, streaming: bool) -> ReadOptions:
    """Return the typed options of a read.

    Args:
        options: Spark's options, names in lower case.
        streaming: whether a streaming query reads, which starts at the latest offsets by default
            and has no end.

    Raises:
        ValueError: an option is missing, unknown, or has a value that is not allowed.
    """
    kafka, given = split(options, _NAMES)
    take = Taker(given)
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
        include_headers=take("includeHeaders", boolean, "false"),
        fail_on_data_loss=take("failOnDataLoss", boolean, "true"),
        max_offsets_per_trigger=(
            take("maxOffsetsPerTrigger", positive) if "maxOffsetsPerTrigger" in given else None
        ),
        poll_timeout=take("kafkaConsumer.pollTimeoutMs", positive, "120000") / 1000,
    )


def includes_headers(options: Mapping[str, str]) -> bool:
    """Whether the schema of a read has the column ``headers``: the option ``includeHeaders``.

    Raises:
        ValueError: its value is not ``true`` or ``false``.
    """
    return named("includeHeaders", boolean, options.get("includeheaders", "false"))


def _reaches(bound: Bound, special: str) -> bool:
    """Whether a bound is, or has for any partition, the given special position."""
    if isinstance(bound, str):
        return bound == special
    return {"latest": -1, "earliest": -2}[special] in bound.values()


def _topics(text: str) -> tuple[str, ...]:
    topics = tuple(dict.fromkeys(name for name in map(str.strip, text.split(",")) if name))
    if not topics:
        raise ValueError("it names no topic: give one or more, separated by commas")
    return topics
