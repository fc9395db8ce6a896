"""Reads the options of the data source, which Spark passes as text, with lower-case names.

The names and meanings are the same as in Spark's guide to its Kafka source.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from confluent_kafka._suggestions import did_you_mean

from .java_properties import Client, translate

KAFKA_PREFIX = "kafka."

T = TypeVar("T")

_UNITS = {
    unit: seconds
    for units, seconds in {
        ("us", "microsecond", "microseconds"): 1e-6,
        ("ms", "msec", "millisecond", "milliseconds"): 1e-3,
        ("s", "sec", "second", "seconds"): 1,
        ("m", "min", "minute", "minutes"): 60,
        ("h", "hour", "hours"): 3600,
        ("d", "day", "days"): 86400,
    }.items()
    for unit in units
}


class Taker:
    """Reads one option after another."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def __call__(self, name: str, parse: Callable[[str], T], default: str | None = None) -> T:
        text = self._given.get(name, default)
        if text is None:
            raise ValueError(f"option {name} is required")
        return named(name, parse, text)

    def optional(self, name: str, parse: Callable[[str], T]) -> T | None:
        return self(name, parse) if name in self._given else None


def named(name: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"option {name}: {error}") from None


def split(
    options: Mapping[str, str], names: tuple[str, ...], *, client: Client
) -> tuple[dict[str, str], dict[str, str]]:
    """Split options into Kafka's configuration and the source's own options.

    Args:
        options: Spark's options, names in lower case.
        names: the names of the source's own options, in their original spelling.
        client: the kind of client that ``kafka.*`` configures.

    Returns:
        The properties for librdkafka, and the given options with a name in ``names``.

    Raises:
        ValueError: an option is unknown or not allowed, or ``kafka.bootstrap.servers`` is missing.
    """
    proper = {name.lower(): name for name in names}
    kafka: dict[str, str] = {}
    given: dict[str, str] = {}
    for lowered, text in options.items():
        if lowered in proper:
            given[proper[lowered]] = text
        elif lowered.startswith(KAFKA_PREFIX):
            kafka[lowered.removeprefix(KAFKA_PREFIX)] = text
        else:
            raise ValueError(_unknown(lowered, names))
    if not kafka.get("bootstrap.servers", "").strip():
        raise ValueError(
            "option kafka.bootstrap.servers is required: the brokers, as host:port[,host:port...]"
        )
    return translate(kafka, client), given


def _unknown(lowered: str, names: tuple[str, ...]) -> str:
    candidates = [*names, "kafka.bootstrap.servers"]
    hint = did_you_mean(lowered, candidates, f"known here: {', '.join(names)}")
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


def milliseconds(text: str) -> float:
    """Return seconds from a whole number of milliseconds, at least 1."""
    return positive(text) / 1000


def at_least_zero(text: str) -> int:
    if not text.strip().isdecimal():
        raise ValueError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def duration(text: str) -> float:
    """Return the seconds of a time in Spark's form: ``10s``, ``15 minutes``."""
    match = re.fullmatch(r"\s*(\d+)\s*([a-z]*)\s*", text.lower(), re.ASCII)
    # A number alone is milliseconds, as for all times in Spark's options.
    if match is None or (match[2] or "ms") not in _UNITS:
        raise ValueError(f"{text!r} is not a time like 500ms, 10s, 15m, 2h or '15 minutes'")
    return int(match[1]) * _UNITS[match[2] or "ms"]


def name_of_group(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty: give the id of a consumer group")
    return text.strip()
