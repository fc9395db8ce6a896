"""The base class of both producers."""

from __future__ import annotations

import weakref
from queue import Full, Queue
from threading import Thread, current_thread
from typing import Any, ClassVar

from .. import _produced
from .._sender import COMPRESSIONS, Delivery
from ..client import KafkaClient
from ..common import (
    AsyncProducerQueueFull,
    KafkaError,
    Message,
    RetryOptions,
    TopicAndPartition,
    UnsupportedCodecError,
)
from ..util import kafka_bytestring
from ._upstream import STOP_ASYNC_PRODUCER, Batching, Upstream

__all__ = ["STOP_ASYNC_PRODUCER", "Producer"]

BATCH_SEND_DEFAULT_INTERVAL = 20
BATCH_SEND_MSG_COUNT = 20

ASYNC_QUEUE_MAXSIZE = 0
ASYNC_QUEUE_PUT_TIMEOUT = 0
ASYNC_RETRY_LIMIT = None
ASYNC_RETRY_BACKOFF_MS = 100
ASYNC_RETRY_ON_TIMEOUTS = True
ASYNC_LOG_MESSAGES_ON_ERROR = True
ASYNC_STOP_TIMEOUT_SECS = 30
SYNC_FAIL_ON_ERROR_DEFAULT = True


class Producer:
    """Sends messages to partitions, at once or from a background thread.

    ``async`` is a keyword of Python. Pass it as ``**{"async": True}`` or as ``async_``.

    Args:
        client: the KafkaClient.
        req_acks: which brokers must have a message before it counts as sent: one of the constants.
        ack_timeout: how long the broker waits for its replicas, in milliseconds.
        codec: 0 for no compression, 1 for gzip, 2 for snappy; 3 for lz4 and 4 for zstd, which are
            not in kafka-python 0.9.5.
        codec_compresslevel: the level of the compression; None means the codec's default.
        sync_fail_on_error: whether an error is raised; otherwise the returned list contains it.
        async_: whether a background thread sends the messages.
        batch_send: no effect; use ``async``.
        batch_send_every_n: how many messages the thread sends together.
        batch_send_every_t: seconds until the thread sends fewer messages.
        async_retry_limit: how often the thread sends a message again; None means no limit.
        async_retry_backoff_ms: how long the thread waits before it sends again, in milliseconds.
        async_retry_on_timeouts: whether the thread sends messages again that may already be stored.
        async_queue_maxsize: how many messages may wait; 0 means no limit.
        async_queue_put_timeout: how long send_messages() waits for room, in seconds; None waits
            without limit.
        async_log_messages_on_error: whether the log contains failed messages; otherwise it contains
            their hashes.
        async_stop_timeout: how long the thread continues to send after stop(), in seconds; None
            means without limit.
        kwargs: ``async``.

    Raises:
        UnsupportedCodecError: there is no such codec.
        TypeError: there is no such keyword.
        ValueError: a batch would never be sent.
    """

    ACK_NOT_REQUIRED: ClassVar[int] = 0
    ACK_AFTER_LOCAL_WRITE: ClassVar[int] = 1
    ACK_AFTER_CLUSTER_COMMIT: ClassVar[int] = -1
    DEFAULT_ACK_TIMEOUT: ClassVar[int] = 1000

    # These exist even if the constructor fails.
    stopped = True
    _upstream: Upstream | None = None

    def __init__(
        self,
        client: KafkaClient,
        req_acks: int = ACK_AFTER_LOCAL_WRITE,
        ack_timeout: int = DEFAULT_ACK_TIMEOUT,
        codec: int | None = None,
        codec_compresslevel: int | None = None,
        sync_fail_on_error: bool = SYNC_FAIL_ON_ERROR_DEFAULT,
        async_: bool = False,
        batch_send: bool = False,
        batch_send_every_n: int = BATCH_SEND_MSG_COUNT,
        batch_send_every_t: float | None = BATCH_SEND_DEFAULT_INTERVAL,
        async_retry_limit: int | None = ASYNC_RETRY_LIMIT,
        async_retry_backoff_ms: float = ASYNC_RETRY_BACKOFF_MS,
        async_retry_on_timeouts: bool = ASYNC_RETRY_ON_TIMEOUTS,
        async_queue_maxsize: int = ASYNC_QUEUE_MAXSIZE,
        async_queue_put_timeout: float | None = ASYNC_QUEUE_PUT_TIMEOUT,
        async_log_messages_on_error: bool = ASYNC_LOG_MESSAGES_ON_ERROR,
        async_stop_timeout: float | None = ASYNC_STOP_TIMEOUT_SECS,
        **kwargs: Any,
    ) -> None:
        is_async = bool(kwargs.pop("async", async_))
        if kwargs:
            raise TypeError(f"{type(self).__name__}() has no keyword {', '.join(kwargs)}")
        self.client = client
        self.req_acks = req_acks
        self.ack_timeout = ack_timeout
        self.codec = codec or 0
        self.codec_compresslevel = codec_compresslevel
        self.sync_fail_on_error = sync_fail_on_error
        if self.codec not in range(len(COMPRESSIONS)):
            raise UnsupportedCodecError(
                f"codec must be from 0 to {len(COMPRESSIONS) - 1}, not {codec!r}"
            )
        self._is_async = is_async
        if is_async:
            self.queue: Queue[Any] = Queue(async_queue_maxsize)
            self.async_queue_put_timeout = async_queue_put_timeout
            self._upstream = Upstream(
                client.copy(),
                self.queue,
                Delivery(req_acks, ack_timeout, self.codec, codec_compresslevel),
                Batching(
                    batch_send_every_n,
                    batch_send_every_t,
                    RetryOptions(
                        async_retry_limit, async_retry_backoff_ms, async_retry_on_timeouts
                    ),
                    async_log_messages_on_error,
                    async_stop_timeout,
                ),
            )
            self.thread_stop_event = self._upstream.stop_event
            self.thread = self._upstream.start()
            # The thread does not refer to the producer: a dropped producer ends the thread.
            self._at_exit = weakref.finalize(self, _stop, self._upstream, self.thread)
        self.stopped = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} batch={self._is_async}>"

    def send_messages(self, topic: str | bytes, partition: int, *msg: bytes | None) -> list[Any]:
        """Send messages without a key.

        Args:
            topic: the name of the topic.
            partition: the number of the partition.
            msg: the messages.

        Returns:
            The same as KafkaClient.send_produce_request(); an empty list from an asynchronous
            producer.

        Raises:
            TypeError: a message is not bytes.
            AsyncProducerQueueFull: the queue of an asynchronous producer is full.
            KafkaError: the same errors as in KafkaClient.send_produce_request().
        """
        return self._send_messages(kafka_bytestring(topic), partition, *msg)

    def stop(self, timeout: float | None = None) -> None:
        """End the thread of an asynchronous producer, after it has sent the remaining messages.

        Args:
            timeout: how long to wait for the thread, in seconds; None waits until it has ended.
        """
        if self._upstream is not None and not self.stopped:
            self._at_exit.detach()
            _stop(self._upstream, self.thread, timeout)
            self.stopped = True

    def _send_messages(
        self, topic: bytes, partition: int, *msg: bytes | None, key: bytes | None = None
    ) -> list[Any]:
        _check(key, msg)
        if self._is_async:
            self._enqueue(TopicAndPartition(topic, partition), key, msg)
            return []
        messages = [Message(0, 0, key, one) for one in msg]
        request = _produced.compressed(
            topic, partition, messages, self.codec, self.codec_compresslevel
        )
        return self.client.send_produce_request(
            [request],
            acks=self.req_acks,
            timeout=self.ack_timeout,
            fail_on_error=self.sync_fail_on_error,
        )

    def _enqueue(
        self, place: TopicAndPartition, key: bytes | None, msg: tuple[bytes | None, ...]
    ) -> None:
        if self.stopped:
            raise KafkaError("the producer was stopped")
        if not self.thread.is_alive():  # for example in a forked process
            raise KafkaError("the thread that sends has ended, or is in another process")
        wait = self.async_queue_put_timeout
        for index, one in enumerate(msg):
            try:
                self.queue.put((place, one, key), block=wait != 0, timeout=wait or None)
            except Full:
                size = self.queue.qsize()
                raise AsyncProducerQueueFull(
                    msg[index:], f"Producer async queue overfilled. Current queue size {size}."
                ) from None


# ``async`` is a keyword of Python, so there is no other way to write this.
setattr(Producer, "async", property(lambda producer: producer._is_async))


def _stop(upstream: Upstream, thread: Thread, timeout: float | None = None) -> None:
    upstream.stop()
    if thread is not current_thread():  # the thread may drop the last reference
        thread.join(timeout)


def _check(key: object, msg: tuple[object, ...]) -> None:
    for one in msg:
        if one is not None and not isinstance(one, bytes):
            raise TypeError(
                f"all produce message payloads must be null or type bytes, not {type(one).__name__}"
            )
        if one is None and key is None:
            raise TypeError("key and payload can't be null in one")
    if key is not None and not isinstance(key, bytes):
        raise TypeError(f"the key must be type bytes, not {type(key).__name__}")
