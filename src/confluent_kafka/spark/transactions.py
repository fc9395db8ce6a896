"""The transactional producers of a worker process, and the markers that they commit.

A transactional id belongs to one output partition of one query. Its marker is the committed offset
of a group with the same name. The offset is the number of the next batch, and its text describes
the rows of the last batch. The transaction commits the marker together with the rows, so the marker
exists if and only if the rows do.
"""

import json
from dataclasses import dataclass
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from .clients import Pool, producer_config
from .sending import with_option

# Seconds for each request of a transaction, as in Java (max.block.ms). The first request also waits
# until the brokers have aborted the transaction of an earlier attempt.
_TIMEOUT = 60.0
_CLOSE_TIMEOUT = 10.0

_DEFAULTS: dict[str, str] = {
    # How long a task may take. If a task dies and does not run again, readers of committed messages
    # wait for its transaction until this time is over.
    "transaction.timeout.ms": "300000",
    # When a transaction begins, the brokers often have not completed the previous one yet, and its
    # first request must be repeated. This happens at once instead of after 100 ms.
    "retry.backoff.ms": "20",
}
# Properties without a meaning for the consumer that reads the marker.
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
    """A summary of a batch's rows in one output partition, independent of their order."""

    rows: int = 0
    digest: int = 0
    """The sum of a 64-bit hash of each row."""

    def __add__(self, other: "Contents") -> "Contents":
        """Return the contents of both together."""
        return Contents(self.rows + other.rows, (self.digest + other.digest) % (1 << 64))


class Marker(NamedTuple):
    """Which batches of one output partition are in Kafka."""

    next_batch: int
    contents: Contents | None
    """The rows of the last batch; None if another tool has set the group's offset."""


class TransactionalProducer:
    """A producer that has fenced all earlier producers with its transactional id.

    Args:
        config: the configuration of a producer, with ``transactional.id``.

    Raises:
        KafkaException: the brokers cannot be reached or refuse the request.
    """

    def __init__(self, config: dict[str, str]) -> None:
        self.id: str = config["transactional.id"]
        # Whether an earlier task has used it; another producer may have fenced it since then.
        self.lent_before = False
        self._config = config
        self._group: bytes | None = None
        self._markers: dict[str, Marker | None] = {}
        self.producer: Producer = Producer(config)
        try:
            self.producer.init_transactions(_TIMEOUT)
        except KafkaException as failure:
            self.close()
            raise with_option(failure) from None

    def marker(self, topic: str) -> Marker | None:
        """Return the marker; None if no batch is in Kafka yet.

        Nobody else can move the marker while this producer is not fenced, so the brokers are asked
        only once. If the producer is fenced, the transaction that relies on the answer fails, too.

        Raises:
            KafkaException: the brokers cannot be reached or refuse the request.
        """
        if topic not in self._markers:
            self._markers[topic] = fetch_marker(self._config, topic)
        return self._markers[topic]

    def mark(self, topic: str, marker: Marker) -> None:
        """Record the marker as a part of the open transaction.

        Raises:
            KafkaException: the brokers refuse it, for example because this producer is fenced.
        """
        offset = TopicPartition(topic, 0, marker.next_batch, _metadata(marker))
        self.producer.send_offsets_to_transaction([offset], self._group_metadata(), _TIMEOUT)

    def commit(self, topic: str, marker: Marker) -> None:
        """Commit the open transaction, which includes the marker.

        Raises:
            KafkaException: it is unknown whether the transaction is committed. A later producer
                reads the marker, and so finds out.
        """
        self.mark(topic, marker)
        self.producer.commit_transaction()
        self._markers[topic] = marker

    def close(self) -> None:
        """Abort the open transaction, so that readers do not wait for it, and close."""
        self.producer.purge()
        self.producer.close(_CLOSE_TIMEOUT)

    def _group_metadata(self) -> bytes:
        if self._group is None:
            # This consumer connects to nothing: it only turns a group's name into librdkafka's
            # form.
            with Consumer({"group.id": self.id}) as consumer:
                self._group = consumer.consumer_group_metadata()
        return self._group


def fetch_marker(config: dict[str, str], topic: str) -> Marker | None:
    """Ask the brokers for the marker of a transactional id; None if no batch is in Kafka yet.

    Args:
        config: the configuration of the producer, with ``transactional.id``.
        topic: the topic whose offset is the marker.

    Raises:
        KafkaException: the brokers cannot be reached or refuse the request.
    """
    kafka = {name: config[name] for name in config if name not in _NOT_A_CONSUMER_S}
    reader = {
        # Do not log a warning about properties of producers.
        "log_level": "3",
        **kafka,
        "group.id": config["transactional.id"],
        # Asks for stable offsets (KIP-447): not for the offset before a commit that is in progress.
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
    """Return the pool of this worker process."""
    return Pool(TransactionalProducer)


producers: Pool[TransactionalProducer] = new_pool()


def transactional_config(kafka: dict[str, str], transactional_id: str) -> dict[str, str]:
    """Return the configuration of a transactional producer: the user's, with our own values."""
    return {**_DEFAULTS, **producer_config(kafka), "transactional.id": transactional_id}


def is_fenced(failure: KafkaException) -> bool:
    """Return whether the brokers refuse a producer because a later one has its transactional id."""
    return failure.args[0].code() in _FENCED
