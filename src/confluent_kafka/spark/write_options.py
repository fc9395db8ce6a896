"""The options of a write: read once, checked at once, typed from then on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from confluent_kafka._suggestions import did_you_mean

from .encoding import OPTIONS, Payloads, payloads
from .options import KAFKA_PREFIX, Taker, boolean, split

AT_LEAST_ONCE = "at-least-once"
EXACTLY_ONCE = "exactly-once"

_TRANSACTIONAL = ("transactionalIdPrefix", "markerTopic")
_NAMES = ("topic", "includeHeaders", "deliveryGuarantee", *_TRANSACTIONAL, *OPTIONS)
# Spark's own, which it hands over with the others.
_OF_THE_QUERY = ("checkpointLocation", "queryName")
_DEFAULT_PREFIX = "spark-rdkafka"


@dataclass(frozen=True)
class WriteOptions:
    """The options of a write."""

    kafka: dict[str, str]
    topic: str | None
    """The topic of every row; None if the column ``topic`` names it."""
    transactions: "TransactionOptions | None" = None
    """Given for ``deliveryGuarantee=exactly-once``."""
    payloads: Payloads = field(default_factory=Payloads)
    """What keys and values are encoded to."""


@dataclass(frozen=True)
class TransactionOptions:
    """The additional options of writing exactly once."""

    id_prefix: str
    """What the names of transactional ids and of the markers' groups begin with."""
    marker_topic: str
    """The topic whose partition 0 the markers are offsets of; nothing is written to it."""


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
    # Checked only: a column `headers` is written with or without it, as Spark's own sink does.
    take("includeHeaders", boolean, "false")
    topic = take("topic", str.strip, "") or None
    encoded = payloads(given, topic)
    if take("deliveryGuarantee", _guarantee, AT_LEAST_ONCE) == AT_LEAST_ONCE:
        _refuse_transactional(given)
        return WriteOptions(kafka, topic, payloads=encoded)
    if not streaming:
        raise ValueError(
            "option deliveryGuarantee: exactly-once is for streaming queries: a batch write has no "
            "batch number that would tell what is written already"
        )
    _check_transactional(kafka)
    return WriteOptions(kafka, topic, _transaction_options(take, topic), encoded)


def _transaction_options(take: Taker, topic: str | None) -> TransactionOptions:
    marker_topic = take("markerTopic", str.strip, topic or "")
    if not marker_topic:
        raise ValueError(
            "option markerTopic is required when the column topic chooses the topics: name an "
            "existing topic that the query's progress is kept for"
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
    """Refuse what a transactional producer cannot do, before any task finds out."""
    if not boolean(kafka.get("enable.idempotence", "true")):
        raise ValueError(
            f"option {KAFKA_PREFIX}enable.idempotence: false cannot be combined with "
            "deliveryGuarantee=exactly-once: leave it out"
        )


def _refuse_transactional(given: Mapping[str, str]) -> None:
    for name in _TRANSACTIONAL:
        if name in given:
            raise ValueError(f"option {name} is for deliveryGuarantee=exactly-once only")
