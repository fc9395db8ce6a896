"""aiokafka's producer, on AIOProducer."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import ssl
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from confluent_kafka import KafkaException

from .. import errors
from .._closing import leave
from .._engines import made
from .._failures import translated
from ..abc import AbstractTokenProvider
from ..client import AIOKafkaClient
from ..config import configuration, shared, warn_deprecated
from ..partitioner import DefaultPartitioner
from ..structs import OffsetAndMetadata, RecordMetadata, TopicPartition
from ._batches import send_batch
from ._engine import Engine, refusal
from ._transactions import TransactionContext, Transactions
from .message_accumulator import BatchBuilder, Serializer, check_headers, milliseconds, serialized

__all__ = ["AIOKafkaProducer", "TransactionContext"]

_missing: Any = object()  # FastStream imports it under this name
_numbers = itertools.count(1)

Partitioner = Callable[[bytes | None, list[int], list[int]], int]


class AIOKafkaProducer:
    """Sends messages. It has the API of aiokafka's class, and belongs to one event loop.

    Args:
        loop: no effect; the producer belongs to the loop in which start() runs.
        bootstrap_servers: "host:port", or a list of such texts.
        client_id: a name for the broker's log; by default a generated one.
        metadata_max_age_ms: milliseconds after which metadata is asked for again.
        request_timeout_ms: milliseconds until a message that is not delivered fails with
            KafkaTimeoutError. It also limits start() and requests for metadata.
        api_version: no effect.
        acks: 0, 1 or "all" (-1). The default is 1, or "all" with ``enable_idempotence``.
        key_serializer: converts keys to bytes.
        value_serializer: converts values to bytes.
        compression_type: "gzip", "snappy", "lz4", "zstd" or None.
        max_batch_size: the largest size of the messages that are sent to a partition at once, in
            bytes.
        partitioner: called with the key's bytes, all partitions, and the partitions that have a
            leader.
        max_request_size: the largest size of a message, in bytes.
        linger_ms: how long a message waits for more messages, in milliseconds.
        send_backoff_ms: no effect.
        retry_backoff_ms: milliseconds before a request is repeated.
        security_protocol: "PLAINTEXT", "SSL", "SASL_PLAINTEXT" or "SASL_SSL".
        ssl_context: a context from helpers.create_ssl_context().
        connections_max_idle_ms: milliseconds after which an idle connection is closed.
        enable_idempotence: whether each message is stored once and in order, even after retries.
        transactional_id: the name of the producer, for transactions.
        transaction_timeout_ms: milliseconds after which the broker aborts a transaction.
        sasl_mechanism: "PLAIN", "GSSAPI", "SCRAM-SHA-256", "SCRAM-SHA-512" or "OAUTHBEARER".
        sasl_plain_password: the password, for PLAIN and SCRAM.
        sasl_plain_username: the user, for PLAIN and SCRAM.
        sasl_kerberos_service_name: the service name of the brokers, for GSSAPI.
        sasl_kerberos_domain_name: must be None: librdkafka always uses the broker's host name.
        sasl_oauth_token_provider: an AbstractTokenProvider, for OAUTHBEARER.
        properties: a dict of librdkafka properties that have no keyword.

    Raises:
        ValueError, TypeError: a keyword's value is wrong; the text names it.
    """

    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str | None = None,
        metadata_max_age_ms: int = 300000,
        request_timeout_ms: int = 40000,
        api_version: Any = None,
        acks: int | str = _missing,
        key_serializer: Serializer | None = None,
        value_serializer: Serializer | None = None,
        compression_type: str | None = None,
        max_batch_size: int = 16384,
        partitioner: Partitioner = DefaultPartitioner(),  # noqa: B008
        max_request_size: int = 1048576,
        linger_ms: int = 0,
        send_backoff_ms: int = 100,
        retry_backoff_ms: int = 100,
        security_protocol: str = "PLAINTEXT",
        ssl_context: ssl.SSLContext | None = None,
        connections_max_idle_ms: int | None = 540000,
        enable_idempotence: bool = False,
        transactional_id: str | None = None,
        transaction_timeout_ms: int = 60000,
        sasl_mechanism: str = "PLAIN",
        sasl_plain_password: str | None = None,
        sasl_plain_username: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        keywords = {name: value for name, value in locals().items() if name != "self"}
        if transactional_id is not None:
            keywords["enable_idempotence"] = True
        warn_deprecated(keywords, "loop", "api_version")
        keywords["acks"] = _acks(acks, keywords["enable_idempotence"])
        if not callable(partitioner):
            raise TypeError(f"partitioner must be callable, not {type(partitioner).__name__}")
        if client_id is None:
            keywords["client_id"] = client_id = f"aiokafka-producer-{next(_numbers)}"
        # The same partitions for keys as in Kafka's Java client and aiokafka.
        self._configuration = {"partitioner": "murmur2_random"}
        self._configuration |= configuration("producer", keywords)
        self.client = AIOKafkaClient(**shared(keywords))
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        self._partitioner = partitioner
        self._max_batch_size = max_batch_size
        self._request_timeout_ms = request_timeout_ms
        self._transactions = None if transactional_id is None else Transactions()
        self._engine: Engine | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._closed = False  # FastStream asks for it
        self._known = self.client.cluster._partitions
        # Only librdkafka decides about messages: no serializer and no partitioner in Python.
        self._is_plain = (
            key_serializer is None
            and value_serializer is None
            and type(partitioner) is DefaultPartitioner
        )

    async def start(self) -> None:
        """Connect to the cluster; with ``transactional_id``, end an earlier producer's transaction.

        Raises:
            KafkaConnectionError: no broker answers.
            AuthenticationFailedError: no broker accepts the credentials.
        """
        if self._stopping is not None:
            await asyncio.wait([self._stopping])
        if self._engine is not None:
            self._engine._check_loop()
            return
        engine = made(Engine, self._configuration)
        try:
            await self.client._attach(engine)
            if self._transactions is not None:
                with translated():
                    await engine.init_transactions()
                self._transactions = Transactions()
        except BaseException:
            await self.client.close()
            await engine.close()
            raise
        self._engine = engine
        self._closed = False

    async def stop(self) -> None:
        """Deliver all sent messages, and close. A second stop() does nothing.

        Stopping continues even if the waiting task is cancelled. It waits for a running commit or
        abort, up to ``request_timeout_ms``, as long as a broker can be reached.
        """
        if self._engine is not None:
            self._engine._check_loop()
            engine, self._engine, self._closed = self._engine, None, True
            self._stopping = asyncio.get_running_loop().create_task(self._stop(engine))
        if self._stopping is not None:
            await asyncio.shield(self._stopping)

    async def _stop(self, engine: Engine) -> None:
        try:
            if self._transactions is not None:
                await self._transactions.ended(engine, self._request_timeout_ms / 1000)
            await self.client.close()
            await engine.close()
        finally:
            self._stopping = None

    async def flush(self) -> None:
        """Wait until all sent messages are delivered or have failed."""
        if self._engine is not None:
            await self._engine.flush()

    async def partitions_for(self, topic: str) -> set[int]:
        """Return the partitions of a topic.

        Raises:
            TypeError: the topic is not a str.
            UnknownTopicOrPartitionError: there is no such topic.
        """
        self._running()._check_loop()
        return await self.client._wait_on_metadata(topic)

    async def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp_ms: float | None = None,
        headers: list[tuple[str, bytes | None]] | None = None,
    ) -> asyncio.Future[RecordMetadata]:
        """Put a message into the queue; waits while the queue is full.

        Args:
            topic: the topic.
            value: bytes or None, or an object for the value serializer.
            key: bytes or None, or an object for the key serializer.
            partition: the number of the partition; None lets the partitioner choose.
            timestamp_ms: milliseconds since the epoch, without fractions; None means now.
            headers: pairs of a name and bytes or None.

        Returns:
            A future of the message's RecordMetadata; of None with ``acks=0``. If you cancel the
            future, the message is still sent.

        Raises:
            UnknownTopicOrPartitionError: the topic did not exist for ``request_timeout_ms``.
            MessageSizeTooLargeError: the message is larger than ``max_request_size``.
            ProducerClosed: the producer was not started, or was stopped.
            IllegalOperation: there is a ``transactional_id``, but no transaction is open.
            AssertionError: neither key nor value is given, or the topic has no such partition.
            TypeError: the key or the value is not bytes, or another argument has a wrong type.
            ValueError: the timestamp is negative.
        """
        engine = self._engine
        if engine is None or self._transactions is not None:
            engine = self._ready_to_send()
        if key is None and value is None:
            raise AssertionError("Need at least one: key or value")
        number = -1
        if not self._is_plain or partition is not None or topic not in self._known:
            await self.client._wait_on_metadata(topic)
            engine = self._ready_to_send()  # stop() may have been called meanwhile
            key_bytes, value_bytes = self._serialize(topic, key, value)
            number = self._number(topic, partition, key, value, key_bytes, value_bytes)
            key, value = key_bytes, value_bytes
        elif isinstance(value, str) or isinstance(key, str):
            self._serialize(topic, key, value)
        time = 0 if timestamp_ms is None else milliseconds("timestamp_ms", timestamp_ms)
        if headers:
            check_headers(headers)
        try:
            delivery = engine.send_now(topic, value, key, number, time, headers)
            if delivery is None:
                with self._sending():
                    return await engine.send_in_turn(topic, value, key, number, time, headers)
        except KafkaException as refused:
            raise refusal(refused) from refused
        except TypeError:
            self._serialize(topic, key, value)  # raises the same error as aiokafka
            raise
        return delivery

    async def send_and_wait(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp_ms: float | None = None,
        headers: list[tuple[str, bytes | None]] | None = None,
    ) -> RecordMetadata:
        """Send a message and wait until it is delivered; see send()."""
        return await (await self.send(topic, value, key, partition, timestamp_ms, headers))

    def create_batch(self) -> BatchBuilder:
        """Return an empty batch for send_batch(), of at most ``max_batch_size`` bytes."""
        return BatchBuilder(
            self._max_batch_size,
            0,
            is_transactional=int(self._transactions is not None),
            key_serializer=self._key_serializer,
            value_serializer=self._value_serializer,
        )

    async def send_batch(
        self, batch: BatchBuilder, topic: str, *, partition: int | None
    ) -> asyncio.Future[RecordMetadata | None]:
        """Send the records of a batch, in their order; closes the batch.

        Args:
            batch: a batch from create_batch().
            topic: the topic.
            partition: the number of the partition; None lets the partitioner choose one for all
                records.

        Returns:
            A future of the first record's RecordMetadata, or of None if the batch is empty. It is
            settled when all records are delivered, and fails if any record fails.

        Raises:
            AssertionError: the topic has no such partition. Other errors are the same as in send().
        """
        self._ready_to_send()
        await self.client._wait_on_metadata(topic)
        engine = self._ready_to_send()  # stop() may have been called meanwhile
        chosen = self._partition(topic, partition, None, None, None, None)
        batch.close()
        with self._sending():
            return await send_batch(engine, batch, topic, chosen)

    async def begin_transaction(self) -> None:
        """Begin a transaction. If the task is cancelled, no transaction has begun.

        If the block of an earlier transaction was cancelled, this waits until that transaction has
        ended.

        Raises:
            IllegalOperation: there is no ``transactional_id``; or a transaction is open, is being
                committed or aborted, or has failed.
        """
        await self._transactional().begin(self._running())

    async def commit_transaction(self) -> None:
        """Deliver the messages of the transaction, and commit it.

        If the task is cancelled, the commit continues. Until it has ended, all other transaction
        methods raise IllegalOperation.

        Raises:
            IllegalOperation: no transaction is open.
            ProducerFenced: a newer producer uses the ``transactional_id``. Stop this producer.
            KafkaError: the commit failed. Abort the transaction.
        """
        await self._transactional().commit(self._running())

    async def abort_transaction(self) -> None:
        """Abort the transaction. Consumers with ``read_committed`` do not see its messages.

        If the task is cancelled, the abort continues. Until it has ended, all other transaction
        methods raise IllegalOperation.

        Raises:
            IllegalOperation: no transaction is open.
            ProducerFenced: a newer producer uses the ``transactional_id``. Stop this producer.
        """
        await self._transactional().abort(self._running())

    def transaction(self) -> TransactionContext:
        """Return a transaction for ``async with``, which commits it or aborts on an exception.

        After a cancellation, such as by Ctrl-C, the block waits for at most 5 s. Then the abort
        continues in the background, and the next transaction waits for it.
        """
        return TransactionContext(self)

    async def send_offsets_to_transaction(
        self,
        offsets: Mapping[TopicPartition, int | tuple[int, str] | OffsetAndMetadata],
        group_id: str,
    ) -> None:
        """Commit a group's offsets with the transaction.

        If the task is cancelled, the offsets are still sent, and the commit waits for that.

        Args:
            offsets: by partition, the offset of the next message to read.
            group_id: the group.

        Raises:
            IllegalOperation: no transaction is open.
            ValueError: the offsets are not such a dict, or the group's id is empty.
            TypeError: a key is not a TopicPartition, or a text is not a str.
        """
        await self._transactional().send_offsets(self._running(), offsets, group_id)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await leave(self._engine, self.stop, error)

    def _running(self) -> Engine:
        if self._engine is None:
            raise errors.ProducerClosed("the producer was not started, or was stopped")
        return self._engine

    def _ready_to_send(self) -> Engine:
        engine = self._running()
        if self._transactions is not None:
            self._transactions.check_open()
        return engine

    def _sending(self) -> contextlib.AbstractContextManager[None]:
        return (
            contextlib.nullcontext() if self._transactions is None else self._transactions.sending()
        )

    def _transactional(self) -> Transactions:
        if self._transactions is None:
            raise errors.IllegalOperation(
                "You need to configure transaction_id to use transactions: give the producer a "
                "transactional_id"
            )
        return self._transactions

    def _serialize(self, topic: str, key: Any, value: Any) -> tuple[bytes | None, bytes | None]:
        """Return the bytes of a key and a value."""
        return (
            serialized("key", self._key_serializer, key),
            serialized("value", self._value_serializer, value),
        )

    def _partition(
        self,
        topic: str,
        partition: int | None,
        key: Any,
        value: Any,
        serialized_key: bytes | None,
        serialized_value: bytes | None,
    ) -> int:
        """Return the partition of a message, of a topic whose metadata is known."""
        if partition is not None:
            self._check_partition(topic, partition)
            return partition
        self.client._refresh_when_old(topic)
        cluster = self.client.cluster
        everything = sorted(cluster.partitions_for_topic(topic) or ())
        available = sorted(cluster.available_partitions_for_topic(topic) or ())
        chosen = self._partitioner(serialized_key, everything, available)
        if chosen not in self._known[topic]:  # in librdkafka, -1 means any partition
            raise AssertionError(
                f"the partitioner returned {chosen!r}, and topic {topic!r} has the partitions "
                f"{everything}"
            )
        return chosen

    def _number(self, topic: str, partition: int | None, *message: Any) -> int:
        """Return the partition of a message; -1 if librdkafka chooses."""
        if partition is None and type(self._partitioner) is DefaultPartitioner:
            return -1
        return self._partition(topic, partition, *message)

    def _check_partition(self, topic: str, partition: int) -> None:
        if partition not in self._known[topic]:
            raise AssertionError(
                f"Unrecognized partition: no partition {partition!r} in topic {topic!r}, which has "
                f"{len(self._known[topic])}"
            )


def _acks(acks: Any, is_idempotent: bool) -> Any:
    """Return ``acks``, with its default."""
    if acks is _missing:
        return -1 if is_idempotent else 1
    if is_idempotent and acks in (0, 1):
        raise ValueError(f"acks={acks} not supported if enable_idempotence=True: use 'all'")
    return acks
