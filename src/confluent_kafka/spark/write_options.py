"""The options of a write, checked and converted to Python's types."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from confluent_kafka._suggestions import did_you_mean

from .encoding import OPTIONS, Payloads, payloads
from .options import KAFKA_PREFIX, Taker, boolean, split

AT_LEAST_ONCE = "at-least-once"
EXACTLY_ONCE = "exactly-once"

_TRANSACTIONAL = ("transactionalIdPrefix", "markerTopic")
_NAMES = ("topic", "includeHeaders", "deliveryGuarantee", *_TRANSACTIONAL, *OPTIONS)
# Spark's own options, which it passes together with the source's options.
_OF_THE_QUERY = ("checkpointLocation", "queryName")
_DEFAULT_PREFIX = "spark-rdkafka"


@dataclass(frozen=True)
class WriteOptions:
    """The options of a write."""

    kafka: dict[str, str]
    topic: str | None
    """The topic of every row; None if the column ``topic`` names it."""
    transactions: "TransactionOptions | None" = None
    """Set for ``deliveryGuarantee=exactly-once``; otherwise None."""
    payloads: Payloads = field(default_factory=Payloads)
    """The formats of encoded keys and values."""


@dataclass(frozen=True)
class TransactionOptions:
    """The additional options for writing exactly once."""

    id_prefix: str
    """The prefix of transactional ids and of the names of the markers' groups."""
    marker_topic: str
    """The markers are offsets of partition 0 of this topic; nothing is written to it."""


def write_options(options: Mapping[str, str], *, streaming: bool) -> WriteOptions:
    """Return the typed options of a write.

    Args:
        options: Spark's options, names in lower case.
        streaming: whether a streaming query writes.

    Raises:
        ValueError: an option is missing, unknown, or has a value that is not allowed.
    """
    names = (*_NAMES, *_OF_THE_QUERY) if streaming else _NAMES
    kafka, given = split(options, names, client="producer")
    _check_kafka(kafka)
    take = Taker(given)
    # This option is only checked: like Spark's own sink, a write always writes a column `headers`.
    take("includeHeaders", boolean, "false")
    topic = take("topic", str.strip, "") or None
    encoded = payloads(given, topic)
    if take("deliveryGuarantee", _guarantee, AT_LEAST_ONCE) == AT_LEAST_ONCE:
        _refuse_transactional(given)
        return WriteOptions(kafka, topic, payloads=encoded)
    if not streaming:
        raise ValueError(
            "option deliveryGuarantee: exactly-once is for streaming queries: it needs their batch "
            "numbers to find out what is already written"
        )
    _check_transactional(kafka)
    return WriteOptions(kafka, topic, _transaction_options(take, topic), encoded)


def _transaction_options(take: Taker, topic: str | None) -> TransactionOptions:
    marker_topic = take("markerTopic", str.strip, topic or "")
    if not marker_topic:
        raise ValueError(
            "option markerTopic is required when the column topic chooses the topics: name an "
            "existing topic for the offsets that mark the query's progress"
        )
    prefix = take("transactionalIdPrefix", str.strip, _DEFAULT_PREFIX)
    if not prefix:
        raise ValueError("option transactionalIdPrefix: it is empty")
    return TransactionOptions(prefix, marker_topic)


def _guarantee(text: str) -> str:
    word = text.strip().lower()
    known = (AT_LEAST_ONCE, EXACTLY_ONCE)
    if word not in known:
        hint = did_you_mean(word, known)
        raise ValueError(
            f"{text!r} is neither {AT_LEAST_ONCE} nor {EXACTLY_ONCE}{': ' if hint else ''}{hint}"
        )
    return word


def _check_kafka(kafka: Mapping[str, str]) -> None:
    if "transactional.id" in kafka:
        raise ValueError(
            f"option {KAFKA_PREFIX}transactional.id cannot be given: every task needs an id of "
            "its own. deliveryGuarantee=exactly-once makes them; transactionalIdPrefix is their "
            "prefix"
        )


def _check_transactional(kafka: Mapping[str, str]) -> None:
    """Refuse options that a transactional producer does not support, before any task starts."""
    if not boolean(kafka.get("enable.idempotence", "true")):
        raise ValueError(
            f"option {KAFKA_PREFIX}enable.idempotence: false cannot be combined with "
            "deliveryGuarantee=exactly-once: leave it out"
        )


def _refuse_transactional(given: Mapping[str, str]) -> None:
    for name in _TRANSACTIONAL:
        if name in given:
            raise ValueError(f"option {name} is for deliveryGuarantee=exactly-once only")
