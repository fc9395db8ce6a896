"""The options of a read, checked and converted to Python's types."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from . import typed
from .offsets import Bound, Times, parse_bound, parse_times
from .options import (
    Taker,
    at_least_zero,
    boolean,
    duration,
    milliseconds,
    name_of_group,
    named,
    positive,
    split,
)
from .selection import Selection, Subscribe, selection
from .typed import TypedColumns, typed_columns

_log = logging.getLogger(__name__)

_FOR_STREAMS = (
    "commitOffsetsToGroup",
    "maxOffsetsPerTrigger",
    "maxTriggerDelay",
    "minOffsetsPerTrigger",
)
_FOR_BATCHES = ("endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp")
# Java's property. In librdkafka this time is an argument of each call, not a property.
API_TIMEOUT = "kafka.default.api.timeout.ms"
_NAMES = (
    "subscribe",
    "subscribePattern",
    "assign",
    "startingOffsets",
    "startingOffsetsByTimestamp",
    "startingOffsetsByTimestampStrategy",
    "startingTimestamp",
    *_FOR_BATCHES,
    "includeHeaders",
    "failOnDataLoss",
    "minPartitions",
    "maxRecordsPerPartition",
    "maxRangesPerTask",
    *_FOR_STREAMS,
    "kafkaConsumer.pollTimeoutMs",
    "fetchOffset.numRetries",
    "fetchOffset.retryIntervalMs",
    "groupIdPrefix",
    API_TIMEOUT,
    *typed.OPTIONS,
)

# The consumer never joins a group, but librdkafka requires a group id.
_GROUP = "spark-rdkafka"


@dataclass(frozen=True)
class Retries:
    """How requests to the brokers are repeated after a temporary error."""

    most: int
    interval: float
    """Seconds between two attempts."""
    timeout: float | None = None
    """Seconds for a request and its repetitions; None for the defaults in `positions`."""


@dataclass(frozen=True)
class ReadOptions:
    """The options of a batch or streaming read."""

    kafka: dict[str, str]
    selection: Selection
    starting: Bound
    ending: Bound
    include_headers: bool
    fail_on_data_loss: bool
    min_partitions: int | None
    max_records_per_partition: int | None
    max_ranges_per_task: int
    min_offsets_per_trigger: int | None
    max_offsets_per_trigger: int | None
    max_trigger_delay: float
    """Seconds after which a micro-batch starts with fewer offsets than the minimum."""
    poll_timeout: float
    """Seconds without progress after which a read fails."""
    retries: Retries
    commit_offsets_to_group: str | None


def read_options(options: Mapping[str, str], *, streaming: bool) -> ReadOptions:
    """Return the typed options of a read.

    Args:
        options: Spark's options, names in lower case.
        streaming: whether the read is a streaming query, which starts at the latest offsets by
            default and has no end.

    Raises:
        ValueError: an option is missing, unknown, or has a value that is not allowed.
    """
    kafka, given = split(options, _NAMES, client="consumer")
    _check_kind(given, streaming=streaming)
    take = Taker(given)
    prefix = take.optional("groupIdPrefix", name_of_group)
    least = take.optional("minOffsetsPerTrigger", positive)
    most = take.optional("maxOffsetsPerTrigger", positive)
    if least is not None and most is not None and least > most:
        raise ValueError(
            f"option minOffsetsPerTrigger ({least}) is more than maxOffsetsPerTrigger ({most})"
        )
    return ReadOptions(
        kafka={"group.id": f"{prefix}-{_GROUP}" if prefix else _GROUP, **kafka},
        selection=selection(given),
        starting=_starting(take, streaming=streaming),
        ending=_ending(take),
        include_headers=take("includeHeaders", boolean, "false"),
        fail_on_data_loss=take("failOnDataLoss", boolean, "true"),
        min_partitions=take.optional("minPartitions", positive),
        max_records_per_partition=take.optional("maxRecordsPerPartition", positive),
        max_ranges_per_task=take("maxRangesPerTask", positive, "1000"),
        min_offsets_per_trigger=least,
        max_offsets_per_trigger=most,
        max_trigger_delay=take("maxTriggerDelay", duration, "15m"),
        poll_timeout=take("kafkaConsumer.pollTimeoutMs", milliseconds, "120000"),
        retries=Retries(
            most=take("fetchOffset.numRetries", at_least_zero, "75"),
            interval=take("fetchOffset.retryIntervalMs", at_least_zero, "200") / 1000,
            timeout=take.optional(API_TIMEOUT, milliseconds),
        ),
        commit_offsets_to_group=take.optional("commitOffsetsToGroup", name_of_group),
    )


def decoded_columns(options: Mapping[str, str]) -> TypedColumns | None:
    """Return the types of decoded keys and values, from the options in typed.OPTIONS.

    Args:
        options: Spark's options, names in lower case.

    Raises:
        ValueError: an option has a value that is not allowed, or the registry has no usable schema.
        SchemaRegistryError: the registry refuses the request or cannot be reached.
    """
    _, given = split(options, _NAMES, client="consumer")
    if not given.keys() & set(typed.OPTIONS):
        return None
    read = selection(given)
    topics = read.topics if isinstance(read, Subscribe) else ()
    return typed_columns(given, topics[0] if len(topics) == 1 else None)


def includes_headers(options: Mapping[str, str]) -> bool:
    """Return whether a read has the column ``headers``: the option ``includeHeaders``.

    Raises:
        ValueError: its value is not ``true`` or ``false``.
    """
    return named("includeHeaders", boolean, options.get("includeheaders", "false"))


def _check_kind(given: Mapping[str, str], *, streaming: bool) -> None:
    """Refuse options for batch reads only; warn about options for streams only, as Spark does."""
    for name in given:
        if streaming and name in _FOR_BATCHES:
            raise ValueError(f"option {name} is for batch reads: a streaming query has no end")
        if not streaming and name in _FOR_STREAMS:
            _log.warning("option %s has no effect in a batch read", name)


def _starting(take: Taker, *, streaming: bool) -> Bound:
    """Return the start.

    A timestamp takes precedence over JSON of timestamps, and JSON over offsets.
    """
    strict = take("startingOffsetsByTimestampStrategy", _strategy, "error") == "error"
    offsets = take("startingOffsets", parse_bound, "latest" if streaming else "earliest")
    if not streaming and _reaches(offsets, "latest"):
        raise ValueError(
            "option startingOffsets cannot be latest (-1) in a batch read, which would be empty: "
            "use earliest (-2), an offset, or a streaming read"
        )
    times = _times(take, "startingTimestamp", "startingOffsetsByTimestamp", error_if_none=strict)
    return offsets if times is None else times


def _ending(take: Taker) -> Bound:
    """Return the end, with the precedence of _starting()."""
    offsets = take("endingOffsets", parse_bound, "latest")
    if _reaches(offsets, "earliest"):
        raise ValueError(
            "option endingOffsets cannot be earliest (-2), which would read nothing: "
            "use latest (-1) or an offset"
        )
    times = _times(take, "endingTimestamp", "endingOffsetsByTimestamp", error_if_none=False)
    return offsets if times is None else times


def _times(take: Taker, for_all: str, for_each: str, *, error_if_none: bool) -> Times | None:
    one, several = take.optional(for_all, at_least_zero), take.optional(for_each, parse_times)
    if one is not None:
        return Times(for_all, one, error_if_none)
    return None if several is None else Times(for_each, several, error_if_none)


def _strategy(text: str) -> str:
    word = text.strip().lower()
    if word not in ("error", "latest"):
        raise ValueError(f"{text!r} is neither error nor latest")
    return word


def _reaches(bound: Bound, special: str) -> bool:
    """Return whether a bound has a special position for all partitions, or for one of them."""
    if isinstance(bound, dict):
        return {"latest": -1, "earliest": -2}[special] in bound.values()
    return bound == special
