"""Options of the data source as Spark hands them over: all text, and names in lower case.

Names and meanings are those of Spark's guide to its Kafka source.
"""

import difflib
from collections.abc import Callable, Mapping
from typing import TypeVar

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


class Taker:
    """Reads one option after the other out of those that were given."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def __call__(self, name: str, parse: Callable[[str], T], default: str | None = None) -> T:
        text = self._given.get(name, default)
        if text is None:
            raise ValueError(f"option {name} is required")
        return named(name, parse, text)


def named(name: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"option {name}: {error}") from None


def split(
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


def boolean(text: str) -> bool:
    try:
        return {"true": True, "false": False}[text.strip().lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither true nor false") from None


def positive(text: str) -> int:
    if not text.strip().isdecimal() or int(text) == 0:
        raise ValueError(f"{text!r} is not a whole number of at least 1")
    return int(text)
