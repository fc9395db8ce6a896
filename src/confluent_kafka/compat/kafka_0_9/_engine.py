"""The librdkafka clients below a KafkaClient."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from threading import Lock
from typing import Any

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.admin import AdminClient

from . import common
from ._sender import Delivery, Sender
from .common import BrokerMetadata

_LONGEST_REQUEST = 3600.0  # seconds

# Seconds until all brokers know a new broker, and seconds between two checks.
_ARRIVAL = 10.0
_BACKOFF = 0.1

# The target of a raw request of librdkafka.
_BROKER, _COORDINATOR = 0, 2

# There is no answer, so the result is unknown.
_UNANSWERED = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._DESTROY,
        KafkaError._DESTROY_BROKER,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
        KafkaError._WAIT_COORD,
    }
)


class Exchange:
    """A request that was sent.

    Args:
        message: the request.
        version: the version of the request.
        broker: the broker that was asked, if it was a certain one.
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

    def answer(self, every: float | None = None, goes_on: Callable[[], bool] = lambda: True) -> Any:
        """Wait for the answer and return it.

        Args:
            every: the seconds between two calls of ``goes_on``.
            goes_on: returns whether to wait longer.

        Raises:
            ConnectionError: the broker does not answer.
            KafkaUnavailableError: no broker answers.
            KafkaError: another error.
        """
        while True:
            try:
                data = self._answered.result(every)
                break
            except TimeoutError:
                if not goes_on():
                    raise common.ConnectionError(
                        f"Kafka broker {self._broker} is not asked any more"
                    ) from None
            except KafkaException as failure:
                raise self.failure(failure.args[0], self._broker) from failure
        return self._message.response_class.decode(data, self._version)

    @staticmethod
    def failure(error: KafkaError, broker: int | None) -> common.KafkaError:
        """Return the exception for an error of a request to one broker, or to any broker."""
        if error.code() not in _UNANSWERED:
            return common.KafkaError(error.str())
        if broker is None:
            return common.KafkaUnavailableError("All servers failed to process request")
        return common.ConnectionError(f"Kafka broker {broker} went away")


class Engine:
    """An AdminClient and Producers. Each is made when it is first needed, and again after close().

    A forked process makes its own clients.

    Args:
        conf: librdkafka's configuration of the clients.
        timeout: the timeout of a request in seconds; None waits as long as librdkafka can.
    """

    def __init__(self, conf: Mapping[str, Any], timeout: float | None) -> None:
        seconds = _LONGEST_REQUEST if timeout is None else min(timeout, _LONGEST_REQUEST)
        self._timeout = seconds
        self._conf = {
            # librdkafka accepts 10 to 300,000.
            "socket.timeout.ms": max(10, min(300_000, int(seconds * 1000))),
            # The caller wants to know soon that still no broker answers.
            "reconnect.backoff.max.ms": 1000,
            **conf,
        }
        self._locks: dict[int, Lock] = {}
        self._process = os.getpid()
        self._client: AdminClient | None = None
        self._known: dict[int, tuple[str | None, int]] = {}
        self._senders: dict[Delivery, Sender] = {}

    def ask(
        self,
        message: protocol.Request,
        version: int,
        *,
        broker: BrokerMetadata | None = None,
        group: str | None = None,
        within: float | None = None,
    ) -> Exchange:
        """Send a request.

        Args:
            message: the request.
            version: a version that every broker of today has, and whose header has no tags.
            broker: the broker to ask.
            group: the group whose coordinator to ask.
            within: a timeout in seconds that is shorter than the engine's.

        Raises:
            KafkaUnavailableError: no broker can be reached.
            ConnectionError: the broker is not one of the cluster.
            KafkaConfigurationError: librdkafka refuses its configuration.
        """
        timeout = self._timeout if within is None else min(self._timeout, within)
        admin = self._admin()
        if broker is not None:
            self._meet(admin, broker)
        node = None if broker is None else broker.nodeId
        exchange = Exchange(message, version, node)
        kind = _BROKER if group is None else _COORDINATOR
        admin._request(
            "raw",
            (message.api_key, version, message.encode(version), kind, group or ""),
            {"request_timeout": timeout, "broker": node},
            exchange.on_answer,
        )
        return exchange

    def sender(self, delivery: Delivery) -> Sender:
        """Return the producer for a way to send messages."""
        with self._locked():
            if delivery not in self._senders:
                self._senders[delivery] = Sender(self._conf, self._timeout, delivery)
            return self._senders[delivery]

    def close(self) -> None:
        """Close the clients. Closing twice does nothing."""
        with self._locked():
            admin, senders = self._client, self._senders
            self._forget()
        for sender in senders.values():
            sender.close()
        if admin is not None:
            admin.close()

    def _admin(self) -> AdminClient:
        with self._locked():
            if self._client is None:
                self._client = _connected(self._conf, self._timeout)
            return self._client

    def _meet(self, admin: AdminClient, broker: BrokerMetadata) -> None:
        """Make librdkafka find a broker; by itself it looks for new brokers every five minutes."""
        address = (broker.host.decode(), broker.port)
        if self._known.get(broker.nodeId) == address:
            return
        end = time.monotonic() + min(self._timeout, _ARRIVAL)
        while True:
            try:
                found = admin.list_topics(timeout=self._timeout).brokers
            except KafkaException as failure:
                raise Exchange.failure(failure.args[0], broker.nodeId) from failure
            self._known = {one.id: (one.host, one.port) for one in found.values()}
            if broker.nodeId in self._known:
                return
            if time.monotonic() > end:
                raise common.ConnectionError(f"Kafka broker {broker.nodeId} is not in the cluster")
            time.sleep(_BACKOFF)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold this process's lock: a lock held at a fork is never released in the child."""
        process = os.getpid()
        with self._locks.setdefault(process, Lock()):
            if self._process != process:
                self._forget()
            yield

    def _forget(self) -> None:
        self._process = os.getpid()
        self._client = None
        self._known = {}
        self._senders = {}


def _connected(conf: Mapping[str, Any], timeout: float) -> AdminClient:
    try:
        admin = AdminClient(conf)
    except KafkaException as failure:
        raise common.KafkaConfigurationError(failure.args[0].str()) from failure
    try:
        admin.connect(timeout)  # raises an error as soon as all brokers have refused
    except KafkaException as failure:
        admin.close()
        raise common.KafkaUnavailableError("All servers failed to process request") from failure
    except BaseException:
        admin.close()
        raise
    return admin
