"""kafka-python's producer, on Producer."""

from __future__ import annotations

import contextlib
import itertools
import time
import weakref
from types import TracebackType
from typing import Any, ClassVar, Self

from confluent_kafka import KafkaException, Producer
from confluent_kafka._way_out import SECONDS_ON_THE_WAY_OUT

from .. import errors
from .._bootstrap import bootstrap, is_connected
from .._config import COMMON_DEFAULTS, configuration
from .._failures import failure_of, translated
from .._keywords import check_order, complete
from .._metrics import metrics
from .._refusals import RefusedState, RefusedType, RefusedValue
from ..cluster import ClusterMetadata
from ..partitioner import DefaultPartitioner, Partitioner, StickyPartitioner
from ..serializer.wrapper import serializer_of
from ..structs import TopicPartition
from ._guarantees import settle_guarantees
from ._sender import Sender
from ._transactions import Transactions
from .future import Delivered, FutureRecordMetadata

_numbers = itertools.count(1)
_BYTES = (bytes, bytearray, memoryview)
_MOMENT = 1.0  # seconds that a producer that was not closed has to deliver
_ROOM = 0.05  # seconds between two checks for room in the queue


class KafkaProducer:
    """Sends messages. It has the API of kafka-python's class, and is thread-safe.

    A thread settles the futures of send() and calls their callbacks.

    Args:
        configs: the keywords of ``DEFAULT_CONFIG``, which are kafka-python's, and ``properties``: a
            dict of librdkafka properties that have no keyword. The guide "Coming from kafka-python"
            describes each of them.

    Raises:
        KafkaTimeoutError: no broker answered for ``bootstrap_timeout_ms``. This cannot happen with
            ``api_version``, because the constructor then does not connect.
        KafkaConfigurationError, ValueError, TypeError: a keyword is wrong; the text names it.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = COMMON_DEFAULTS | {
        "acks": -1,
        "allow_auto_create_topics": True,
        "batch_size": 16384,
        "client_id": None,
        "compression_type": None,
        "delivery_timeout_ms": 120000,
        "enable_idempotence": True,
        "key_serializer": None,
        "linger_ms": 0,
        "max_block_ms": 60000,
        "max_request_size": 1048576,
        "metrics_enabled": True,
        "partitioner": DefaultPartitioner(),
        "retries": float("inf"),
        "ssl_ciphers": None,
        "transaction_timeout_ms": 60000,
        "transactional_id": None,
        "value_serializer": None,
    }
    DEPRECATED_CONFIGS: ClassVar[tuple[str, ...]] = ()

    # librdkafka's partitioner for each class, and how many milliseconds messages without a key stay
    # in one partition.
    _OF_LIBRDKAFKA: ClassVar[dict[type, int]] = {DefaultPartitioner: 0, StickyPartitioner: 10}
    _future_class: ClassVar[type[FutureRecordMetadata]] = FutureRecordMetadata

    _closed = True  # until the client is made

    def __init__(self, **configs: Any) -> None:
        self.config = config = complete(configs, self.DEFAULT_CONFIG, RefusedValue)
        settle_guarantees(config, configs)
        if config["client_id"] is None:
            config["client_id"] = f"kafka-python-producer-{next(_numbers)}"
        self._key_serializer = serializer_of("key_serializer", config["key_serializer"])
        self._value_serializer = serializer_of("value_serializer", config["value_serializer"])
        self._partitioner = config["partitioner"]
        self._is_partitioned = type(self._partitioner) not in self._OF_LIBRDKAFKA
        self._max_block = config["max_block_ms"] / 1000
        self._engine = Producer(self._configuration(config))
        self._engine._be_called(type(self).__name__)
        self._engine._settle_as(Delivered, TopicPartition, failure_of)
        self._cluster = bootstrap(self._engine, config)
        self._sender = Sender(self._engine)
        self._end = weakref.finalize(self, _end, self._engine, self._sender)
        self._transactions = (
            None
            if config["transactional_id"] is None
            else Transactions(self._engine, config["transactional_id"], self._max_block)
        )
        # Only librdkafka decides about messages: no serializer and no partitioner in Python.
        self._is_plain = (
            self._key_serializer is None
            and self._value_serializer is None
            and not self._is_partitioned
        )
        self._known = self._cluster.known._partitions
        self._closed = False

    @classmethod
    def max_usable_produce_magic(cls, api_version: tuple[int, ...]) -> int:
        """Return the message format that a version of Kafka accepts: 0, 1 or 2."""
        return 2 if api_version >= (0, 11) else 1 if api_version >= (0, 10, 0) else 0

    def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        headers: list[tuple[str, bytes]] | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> FutureRecordMetadata:
        """Put a message into the queue.

        Waits up to ``max_block_ms`` for the topic's metadata, and for room in the queue.

        Args:
            topic: the topic.
            value: bytes or None, or an object for the value serializer.
            key: bytes or None, or an object for the key serializer.
            headers: pairs of a name and bytes.
            partition: the number of the partition; None lets the partitioner choose.
            timestamp_ms: milliseconds since the epoch; None means now.

        Returns:
            A future of the message's RecordMetadata.

        Raises:
            KafkaTimeoutError: the topic did not exist, or the queue was full, for ``max_block_ms``.
            MessageSizeTooLargeError: the message is larger than ``max_request_size``.
            IllegalStateError: the producer is closed, or no transaction is open.
            ValueError: neither key nor value is given, or the topic cannot exist or has no such
                partition.
            TypeError: the key, the value or a header has a wrong type.
        """
        number = -1
        header_size = -1
        given = (key, value)
        looks = (
            not self._is_plain
            or partition is not None
            or headers is not None
            or self._transactions is not None
            or topic not in self._known
        )
        # Errors are checked in kafka-python's order; the state of a transaction is last.
        if self._closed:
            raise RefusedState("KafkaProducer already closed!")
        if key is None and value is None:
            raise RefusedValue("Need at least one: key or value")
        if looks:
            header_size = _header_size(headers)
            self._cluster.partitions(topic, self._max_block)
            key = _serialized(self._key_serializer, topic, headers, key)
            value = _serialized(self._value_serializer, topic, headers, value)
        key_size = -1 if key is None else _size("key", key)
        value_size = -1 if value is None else _size("value", value)
        if looks:
            number = self._number(topic, partition, *given, key, value)
            if self._transactions is not None:
                self._transactions.check_open()
        future = self._future_class(None, 0, timestamp_ms, None, key_size, value_size, header_size)
        future._target = (topic, number)
        try:
            if not self._engine._send(
                future, topic, value, key, number, timestamp_ms or 0, headers
            ):
                self._send_when_there_is_room(
                    future, topic, value, key, number, timestamp_ms or 0, headers
                )
        except KafkaException as refused:
            raise failure_of(refused) from refused
        return future

    def flush(self, timeout: float | None = None) -> None:
        """Send all messages now, and wait until all of them are delivered or have failed.

        Args:
            timeout: seconds; None waits without limit.

        Raises:
            KafkaTimeoutError: messages were left after this time.
        """
        if self._closed:
            return
        with translated():
            left = self._engine.flush(-1 if timeout is None else timeout)
        if left:
            raise errors.KafkaTimeoutError(
                f"Timeout after waiting for {timeout} secs: {left} messages are left"
            )

    def close(self, timeout: float | None = None, null_logger: bool = False) -> None:
        """Deliver all sent messages, and close. A second close() does nothing.

        Args:
            timeout: how long to deliver, in seconds; remaining messages then fail with Cancelled.
                None waits without limit.
            null_logger: no effect.

        Raises:
            IllegalStateError: a future's callback called it on the producer's own thread, which
                cannot wait for its own end.
        """
        if self._closed:
            return
        if self._sender.is_current():
            raise errors.IllegalStateError(
                "KafkaProducer cannot be closed by a callback of its own: close it on another "
                "thread"
            )
        self._closed = True
        self._sender.stop()
        self._end.detach()
        with translated():
            self._engine.close(-1 if timeout is None else timeout)
        for serializer in (self._key_serializer, self._value_serializer):
            if serializer is not None:
                serializer.close()

    def partitions_for(self, topic: str) -> set[int]:
        """Return the partitions of a topic; wait up to ``max_block_ms`` for it.

        Raises:
            KafkaTimeoutError: there is no such topic.
        """
        if self._closed:
            known = self._metadata.partitions_for_topic(topic)
            if known is None:
                raise errors.IllegalStateError("KafkaProducer already closed!")
            return known
        return self._cluster.partitions(topic, self._max_block)

    def bootstrap_connected(self) -> bool:
        """Return whether a broker answers."""
        return not self._closed and is_connected(self._engine)

    def metrics(self, raw: bool = False) -> dict[str, dict[str, float]] | None:
        """Return the producer's numbers in librdkafka's latest statistics, by group and name.

        Args:
            raw: no effect.

        Returns:
            The numbers; None with ``metrics_enabled=False``.
        """
        return metrics("producer", self._engine) if self.config["metrics_enabled"] else None

    # ---- transactions ----

    def init_transactions(self) -> None:
        """End the transaction of an earlier producer with the same ``transactional_id``.

        Raises:
            IllegalStateError: there is no ``transactional_id``.
        """
        self._transactional().init()

    def begin_transaction(self) -> None:
        """Begin a transaction.

        Raises:
            KafkaError: a transaction is open, or init_transactions() was not called.
        """
        self._transactional().begin()

    def send_offsets_to_transaction(self, offsets: Any, group_metadata: Any) -> None:
        """Commit a group's offsets with the transaction.

        Args:
            offsets: OffsetAndMetadata of the next messages to read, by TopicPartition.
            group_metadata: ``consumer.group_metadata()``, or the group's id.
        """
        self._transactional().send_offsets(offsets, group_metadata)

    def commit_transaction(self) -> None:
        """Deliver the messages of the transaction, and commit it.

        Raises:
            ProducerFencedError: a newer producer uses the ``transactional_id``. Close this
                producer.
            KafkaError: the commit failed. Abort the transaction.
        """
        self._transactional().commit()

    def abort_transaction(self) -> None:
        """Abort the transaction. Consumers with "read_committed" do not see its messages."""
        self._transactional().abort()

    # ---- what tracing packages call ----

    @property
    def _metadata(self) -> ClusterMetadata:
        return self._cluster.known

    def _serialize(self, serializer: Any, topic: str, *headers_and_data: Any) -> Any:
        """Return the bytes of a key or value."""
        headers = headers_and_data[0] if len(headers_and_data) > 1 else None
        return _serialized(
            serializer_of("serializer", serializer), topic, headers, headers_and_data[-1]
        )

    def _partition(
        self,
        topic: str,
        partition: int | None,
        key: Any,
        value: Any,
        serialized_key: Any,
        serialized_value: Any,
    ) -> int:
        """Return the partition of a message, of a topic whose metadata is known."""
        if partition is not None:
            if partition < 0:
                raise RefusedValue("partition must be >= 0")
            if partition not in self._known[topic]:
                raise RefusedValue(f"Unrecognized partition {partition} for topic {topic}")
            return partition
        message = (topic, key, serialized_key, value, serialized_value)
        if isinstance(self._partitioner, Partitioner):
            return self._partitioner.partition(*message, self._metadata)
        if callable(self._partitioner):  # kafka-python 2 calls it this way
            everything = sorted(self._known[topic])
            available = sorted(self._metadata.available_partitions_for_topic(topic) or ())
            return int(self._partitioner(serialized_key, everything, available))
        return int(self._partitioner.partition(topic, serialized_key, self._metadata))

    # ---- what the methods share ----

    def _configuration(self, config: dict[str, Any]) -> dict[str, Any]:
        check_order(config, "connections_max_idle_ms", "request_timeout_ms")
        sticky = self._OF_LIBRDKAFKA.get(type(config["partitioner"]), 0)
        conf: dict[str, Any] = {
            "partitioner": "murmur2_random",
            "sticky.partitioning.linger.ms": sticky,
        }
        if config["metrics_enabled"]:
            conf["statistics.interval.ms"] = 1000
        return conf | configuration("producer", config)

    def _number(self, topic: str, partition: int | None, *message: Any) -> int:
        """Return the partition of a message; -1 if librdkafka chooses."""
        if partition is None and not self._is_partitioned:
            return -1
        return self._partition(topic, partition, *message)

    def _send_when_there_is_room(self, *message: Any) -> None:
        until = time.monotonic() + self._max_block
        while not self._engine._send(*message):
            if time.monotonic() > until:
                raise errors.KafkaTimeoutError(
                    f"no room in the queue for {self._max_block:.1f} secs (max_block_ms)"
                )
            self._engine.poll(_ROOM)

    def _transactional(self) -> Transactions:
        if self._transactions is None:
            raise errors.IllegalStateError(
                "Transactional method invoked on a non-transactional producer."
            )
        return self._transactions

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(None if kind is None else SECONDS_ON_THE_WAY_OUT)


def _end(engine: Producer, sender: Sender) -> None:
    """Deliver the messages of a producer that was dropped, or not closed at the program's end."""
    sender.stop()
    with contextlib.suppress(RuntimeError, KafkaException):  # in a callback, or in a fork
        engine.close(_MOMENT)


def _serialized(serializer: Any, topic: str, headers: Any, data: Any) -> Any:
    return data if serializer is None else serializer.serialize(topic, headers or [], data)


def _size(what: str, data: Any) -> int:
    if not isinstance(data, _BYTES):
        raise RefusedType(f"Unsupported type for serialized {what}: {type(data)}")
    return len(data) if not isinstance(data, memoryview) else data.nbytes


def _header_size(headers: Any) -> int:
    """Return the size of headers in bytes; -1 without headers.

    Raises:
        TypeError: they are not a list of (str, bytes).
    """
    if headers is None:
        return -1
    if not isinstance(headers, list):
        raise RefusedType("headers must be list-type")
    for header in headers:
        match header:
            case (str(), bytes()) if isinstance(header, tuple):
                pass
            case _:
                raise RefusedType("All headers items must be (str, bytes) tuples")
    return sum(len(name.encode()) + len(value) for name, value in headers) if headers else -1
