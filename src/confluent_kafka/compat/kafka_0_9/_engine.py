"""librdkafka's clients under a KafkaClient."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Future
from threading import Lock
from typing import Any

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.admin import AdminClient

from . import common
from ._sender import Delivery, Sender

_LONGEST_REQUEST = 3600.0  # seconds

# Whom a raw request of librdkafka asks.
_BROKER, _COORDINATOR = 0, 2

# There is no answer, so that nobody knows.
_UNANSWERED = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._DESTROY,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError._WAIT_COORD,
    }
)


class Exchange:
    """A request that was sent.

    Args:
        message: the request.
        version: in which it was sent.
        broker: who was asked, if that was a certain one.
    """

    def __init__(self, message: protocol.Request, version: int, broker: int | None) -> None:
        self._message = message
        self._version = version
        self._broker = broker
        self._answered: Future[bytes] = Future()

    def on_answer(
        self, answer: bytes | None, exception: BaseException | None, cluster_id: str | None
    ) -> None:
        """Take the answer from librdkafka."""
        if exception is not None:
            self._answered.set_exception(exception)
        else:
            self._answered.set_result(answer or b"")

    def answer(self) -> Any:
        """Wait for the answer and return it.

        Raises:
            ConnectionError: the broker does not answer.
            KafkaUnavailableError: no broker does.
            KafkaError: something else is wrong.
        """
        try:
            data = self._answered.result()
        except KafkaException as failure:
            raise self._failure(failure.args[0]) from failure
        return self._message.response_class.decode(data, self._version)

    def _failure(self, error: KafkaError) -> common.KafkaError:
        if error.code() not in _UNANSWERED:
            return common.KafkaError(error.str())
        if self._broker is None:
            return common.KafkaUnavailableError("All servers failed to process request")
        return common.ConnectionError(f"Kafka broker {self._broker} went away")


class Engine:
    """An AdminClient and Producers, each made when it is first needed, and again after close().

    A process that was forked makes its own.

    Args:
        conf: librdkafka's configuration of both.
        timeout: seconds for a request; None waits as long as librdkafka can.
    """

    def __init__(self, conf: Mapping[str, Any], timeout: float | None) -> None:
        seconds = _LONGEST_REQUEST if timeout is None else min(timeout, _LONGEST_REQUEST)
        self._timeout = seconds
        self._conf = {
            # 10 to 300,000 are what librdkafka takes.
            "socket.timeout.ms": max(10, min(300_000, int(seconds * 1000))),
            # Who asks wants to hear soon that there is still nobody.
            "reconnect.backoff.max.ms": 1000,
            **conf,
        }
        self._lock = Lock()
        self._process = os.getpid()
        self._client: AdminClient | None = None
        self._senders: dict[Delivery, Sender] = {}

    def ask(
        self,
        message: protocol.Request,
        version: int,
        *,
        broker: int | None = None,
        group: str | None = None,
    ) -> Exchange:
        """Send a request.

        Args:
            message: the request.
            version: one that every broker of today has, and whose header has no tags.
            broker: the broker to ask.
            group: the group whose coordinator to ask.

        Raises:
            KafkaUnavailableError: no broker can be reached.
        """
        exchange = Exchange(message, version, broker)
        kind = _BROKER if group is None else _COORDINATOR
        self._admin()._request(
            "raw",
            (message.api_key, version, message.encode(version), kind, group or ""),
            {"request_timeout": self._timeout, "broker": broker},
            exchange.on_answer,
        )
        return exchange

    def sender(self, delivery: Delivery) -> Sender:
        """Return the producer of a way to send messages."""
        with self._lock:
            self._check_process()
            if delivery not in self._senders:
                self._senders[delivery] = Sender(self._conf, self._timeout, delivery)
            return self._senders[delivery]

    def close(self) -> None:
        """Close the clients. Closing twice does nothing."""
        with self._lock:
            self._check_process()
            admin, senders = self._client, self._senders
            self._forget()
        for sender in senders.values():
            sender.close()
        if admin is not None:
            admin.close()

    def _admin(self) -> AdminClient:
        with self._lock:
            self._check_process()
            if self._client is None:
                self._client = _connected(self._conf, self._timeout)
            return self._client

    def _check_process(self) -> None:
        if self._process != os.getpid():
            self._forget()

    def _forget(self) -> None:
        self._process = os.getpid()
        self._client = None
        self._senders = {}


def _connected(conf: Mapping[str, Any], timeout: float) -> AdminClient:
    admin = AdminClient(conf)
    try:
        admin.connect(timeout)  # raises as soon as all brokers have refused
    except KafkaException as failure:
        admin.close()
        raise common.KafkaUnavailableError("All servers failed to process request") from failure
    except BaseException:
        admin.close()
        raise
    return admin
