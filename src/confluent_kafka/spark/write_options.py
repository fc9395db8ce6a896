"""The options of a write: read once, checked at once, typed from then on."""

from collections.abc import Mapping
from dataclasses import dataclass

from .options import Taker, split

# Spark's guide gives includeHeaders for writes too; a column `headers` is written either way.
_NAMES = ("topic", "includeHeaders")


@dataclass(frozen=True)
class WriteOptions:
    """What a batch write was asked for."""

    kafka: dict[str, str]
    topic: str | None
    """The topic of every row; None if the column ``topic`` names it."""


def write_options(options: Mapping[str, str]) -> WriteOptions:
    """Return the typed options of a write.

    Args:
        options: Spark's options, names in lower case.

    Raises:
        ValueError: an option is missing, unknown, or has a value that is not allowed.
    """
    kafka, given = split(options, _NAMES)
    return WriteOptions(kafka=kafka, topic=Taker(given)("topic", _topic, "") or None)


def _topic(text: str) -> str:
    return text.strip()
