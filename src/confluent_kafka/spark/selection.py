"""The partitions that a read covers: ``subscribe``, ``subscribePattern`` or ``assign``."""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from .offsets import Partition, load
from .options import named

# Kafka's consumer also ignores these topics in a pattern (exclude.internal.topics). Brokers report
# which topics are internal, but librdkafka does not pass that on.
_INTERNAL = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})


@dataclass(frozen=True)
class Subscribe:
    """All partitions of named topics."""

    option: ClassVar[str] = "subscribe"
    topics: tuple[str, ...]


@dataclass(frozen=True)
class SubscribePattern:
    """All partitions of the topics whose whole name matches a regular expression."""

    option: ClassVar[str] = "subscribePattern"
    pattern: str

    def matches(self, topic: str) -> bool:
        """Return whether a topic belongs to the read; Kafka's internal topics never do."""
        # re.ASCII, because \\w and \\d match only ASCII in Java, too.
        return topic not in _INTERNAL and bool(re.fullmatch(self.pattern, topic, re.ASCII))


@dataclass(frozen=True)
class Assign:
    """Named partitions."""

    option: ClassVar[str] = "assign"
    partitions: tuple[Partition, ...]


Selection: TypeAlias = Subscribe | SubscribePattern | Assign


def selection(given: Mapping[str, str]) -> Selection:
    """Return the selection of a read.

    Args:
        given: the options, with their names in the original spelling.

    Raises:
        ValueError: not exactly one of the three options is given, or it is empty or malformed.
    """
    chosen = [name for name in _PARSERS if name in given]
    if len(chosen) != 1:
        said = f"{' and '.join(chosen)} are given" if chosen else "none is given"
        raise ValueError(
            f"exactly one of the options {', '.join(_PARSERS)} is required, and {said}"
        )
    [name] = chosen
    return named(name, _PARSERS[name], given[name])


def _topics(text: str) -> Selection:
    topics = tuple(dict.fromkeys(name for name in map(str.strip, text.split(",")) if name))
    if not topics:
        raise ValueError("it names no topic: give one or more, separated by commas")
    return Subscribe(topics)


def _pattern(text: str) -> Selection:
    pattern = text.strip()
    if not pattern:
        raise ValueError("it is empty: give a regular expression for the whole name of a topic")
    try:
        with warnings.catch_warnings():
            # Python warns about syntax that means something else in Java, such as [a-z&&[^b]].
            warnings.simplefilter("error")
            re.compile(pattern, re.ASCII)
    except (re.error, Warning) as error:
        raise ValueError(
            f"{pattern!r} is not a regular expression of Python's re: {error}"
        ) from None
    return SubscribePattern(pattern)


def _assigned(text: str) -> Selection:
    document = load(text, "not JSON", '{"topic": [0, 1]}')
    if not isinstance(document, dict):
        raise ValueError(f"{document!r} is not an object of topics")
    partitions = [
        Partition(topic, number)
        for topic, numbers in document.items()
        for number in _partition_numbers(topic, numbers)
    ]
    if not partitions:
        raise ValueError('it names no partition: give them as {"topic": [0, 1]}')
    return Assign(tuple(sorted(set(partitions))))


def _partition_numbers(topic: str, numbers: object) -> list[int]:
    if not isinstance(numbers, list):
        raise ValueError(f"topic {topic!r}: {numbers!r} is not a list of partitions")
    for number in numbers:
        if type(number) is not int or not 0 <= number < 1 << 31:
            raise ValueError(f"topic {topic!r}: {number!r} is not the number of a partition")
    return numbers


_PARSERS: dict[str, Callable[[str], Selection]] = {
    "subscribe": _topics,
    "subscribePattern": _pattern,
    "assign": _assigned,
}
