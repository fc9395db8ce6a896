"""Transactional producers of a worker process, and the markers that their transactions leave.

A transactional id belongs to one output partition of one query. Its marker is the offset of a
group of the same name: the number of the next batch, with what the last one wrote. It is committed
with the rows, so it is there if and only if they are.
"""

import json
from dataclasses import dataclass
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from .clients import Pool, producer_config
from .sending import with_option

# Seconds for registering a transactional id. It has to wait for the end of a transaction that an
# earlier attempt left behind, which the brokers abort.
_INIT_TIMEOUT = 30.0
# Seconds for one of the other requests about a transaction.
_TIMEOUT = 60.0
_CLOSE_TIMEOUT = 10.0

_DEFAULTS: dict[str, str] = {
    # How long a task may take. Until then readers of committed messages wait for a transaction
    # whose task died and is not run again.
    "transaction.timeout.ms": "300000",
    # What ends the last transaction is still on its way when the next one begins, so that its
    # first request is often to be repeated: at once, rather than after 100 ms.
    "retry.backoff.ms": "20",
}
# Without a meaning for the consumer that reads the marker.
_NOT_A_CONSUMER_S = (
    "transactional.id",
    "transaction.timeout.ms",
    "enable.idempotence",
    "delivery.report.only.error",
)
_FENCED = frozenset(
    {KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH}
)


@dataclass(frozen=True)
class Contents:
    """What a batch has in one output partition, in whatever order."""

    rows: int = 0
    digest: int = 0
    """The sum of a 64-bit hash of each row."""

    def __add__(self, other: "Contents") -> "Contents":
        """Return the contents of both."""
        return Contents(self.rows + other.rows, (self.digest + other.digest) % (1 << 64))


class Marker(NamedTuple):
    """What is known of the batches of one output partition that are in."""

    next_batch: int
    contents: Contents | None
    """Of the last one; None if the group's offset was set by somebody else's tool."""


class TransactionalProducer:
    """A producer that has fenced all earlier ones with its transactional id.

    Args:
        config: of a producer, with ``transactional.id``.

    Raises:
        KafkaException: the brokers cannot be reached or refuse.
    """

    def __init__(self, config: dict[str, str]) -> None:
        self.id: str = config["transactional.id"]
        # Since when it may have been fenced without anybody's noticing.
        self.lent_before = False
        self._config = config
        self._group: bytes | None = None
        self._markers: dict[str, Marker | None] = {}
        self.producer: Producer = Producer(config)
        try:
            self.producer.init_transactions(_INIT_TIMEOUT)
        except KafkaException as failure:
            self.close()
            raise with_option(failure) from None

    def marker(self, topic: str) -> Marker | None:
        """Return the marker; None if no batch is in yet.

        While this producer is not fenced nobody else can have moved it, so the brokers are asked
        once. If it is fenced, so is the transaction that was about to rely on the answer.

        Raises:
            KafkaException: the brokers cannot be reached or refuse.
        """
        if topic not in self._markers:
            self._markers[topic] = fetch_marker(self._config, topic)
        return self._markers[topic]

    def mark(self, topic: str, marker: Marker) -> None:
        """Record the marker as a part of the open transaction.

        Raises:
            KafkaException: the brokers refuse, for example since this producer is fenced.
        """
        offset = TopicPartition(topic, 0, marker.next_batch, _metadata(marker))
        self.producer.send_offsets_to_transaction([offset], self._group_metadata(), _TIMEOUT)

    def commit(self, topic: str, marker: Marker) -> None:
        """Commit the open transaction, and the marker with it.

        Raises:
            KafkaException: it is not known to be committed; the marker that a later producer
                reads tells whether it was.
        """
        self.mark(topic, marker)
        self.producer.commit_transaction()
        self._markers[topic] = marker

    def close(self) -> None:
        """Abort what is open, so that readers do not wait for it, and close."""
        self.producer.purge()
        self.producer.close(_CLOSE_TIMEOUT)

    def _group_metadata(self) -> bytes:
        if self._group is None:
            # It speaks to nobody: all that is wanted is a group's name in librdkafka's form.
            with Consumer({"group.id": self.id}) as consumer:
                self._group = consumer.consumer_group_metadata()
        return self._group


def fetch_marker(config: dict[str, str], topic: str) -> Marker | None:
    """Ask the brokers for the marker of a transactional id; None if no batch is in yet.

    Args:
        config: of the producer, with ``transactional.id``.
        topic: the topic that markers are kept for.

    Raises:
        KafkaException: the brokers cannot be reached or refuse.
    """
    kafka = {name: config[name] for name in config if name not in _NOT_A_CONSUMER_S}
    reader = {
        # Not a word about properties that are a producer's only.
        "log_level": "3",
        **kafka,
        "group.id": config["transactional.id"],
        # Asks for stable offsets: not those of before a commit that is under way (KIP-447).
        "isolation.level": "read_committed",
    }
    with Consumer(reader) as consumer:
        try:
            [found] = consumer.committed([TopicPartition(topic, 0)], _TIMEOUT)
        except KafkaException as failure:
            raise with_option(failure) from None
    if found.error is not None:
        raise with_option(KafkaException(found.error))
    return None if found.offset < 0 else Marker(found.offset, _contents(found.metadata))


def _metadata(marker: Marker) -> str:
    """Return a marker's text: JSON, the digest as 16 hexadecimal digits."""
    document: dict[str, object] = {"batch": marker.next_batch - 1}
    if marker.contents is not None:
        document |= {"rows": marker.contents.rows, "digest": f"{marker.contents.digest:016x}"}
    return json.dumps(document)


def _contents(metadata: str | None) -> Contents | None:
    document = json.loads(metadata or "{}")
    if "rows" not in document or "digest" not in document:
        return None
    return Contents(document["rows"], int(document["digest"], 16))


def new_pool() -> Pool[TransactionalProducer]:
    """Return a pool, which a worker process has one of."""
    return Pool(TransactionalProducer)


producers: Pool[TransactionalProducer] = new_pool()


def transactional_config(kafka: dict[str, str], transactional_id: str) -> dict[str, str]:
    """Return the configuration of a transactional producer, over the user's ``kafka.*``."""
    return {**_DEFAULTS, **producer_config(kafka), "transactional.id": transactional_id}


def is_fenced(failure: KafkaException) -> bool:
    """Whether the brokers refuse a producer because a later one has its transactional id."""
    return failure.args[0].code() in _FENCED
