"""The metadata of aiokafka's clients, and a client that only fetches metadata."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import random
import socket
import ssl
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import partial
from time import monotonic
from typing import Any

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer

from . import errors
from ._engines import made
from ._failures import failure_of, translated
from .abc import AbstractTokenProvider
from .cluster import ClusterMetadata
from .config import __version__, configuration, warn_deprecated

__all__ = ["AIOKafkaClient", "ConnectionGroup", "CoordinationType"]

# Permanent errors of a topic.
_FINAL = frozenset({KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.TOPIC_EXCEPTION})

_FIND_ONE = 1  # a version of FindCoordinator that every broker has, for one coordinator

_Engine = AIOAdminClient | AIOConsumer | AIOProducer


class _OwnEngine(AIOAdminClient):
    _alias = "AIOKafkaClient"
    _unclosed = "{} was not closed: await close()"  # it does not support 'async with'


class ConnectionGroup(IntEnum):
    """Exists for compatibility: librdkafka chooses the connection of a request."""

    DEFAULT = 0
    COORDINATION = 1


class CoordinationType(IntEnum):
    """The kind of a coordinator: of groups, or of transactions."""

    GROUP = 0
    TRANSACTION = 1


class AIOKafkaClient:
    """Asks a cluster for its brokers, topics and partitions.

    Args:
        loop: no effect; the client belongs to the loop in which bootstrap() runs.
        bootstrap_servers: "host:port", or a list of such texts.
        client_id: a name for the broker's log.
        metadata_max_age_ms: milliseconds after which metadata is asked for again.
        request_timeout_ms: the timeout of a request, in milliseconds.
        retry_backoff_ms: milliseconds before a request is repeated.
        ssl_context: a context from helpers.create_ssl_context().
        security_protocol: "PLAINTEXT", "SSL", "SASL_PLAINTEXT" or "SASL_SSL".
        api_version: no effect.
        connections_max_idle_ms: milliseconds after which an idle connection is closed.
        sasl_mechanism: "PLAIN", "GSSAPI", "SCRAM-SHA-256", "SCRAM-SHA-512" or "OAUTHBEARER".
        sasl_plain_username: the user, for PLAIN and SCRAM.
        sasl_plain_password: the password, for PLAIN and SCRAM.
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
        client_id: str | None = "aiokafka-" + __version__,
        metadata_max_age_ms: int = 300000,
        request_timeout_ms: int = 40000,
        retry_backoff_ms: int = 100,
        ssl_context: ssl.SSLContext | None = None,
        security_protocol: str = "PLAINTEXT",
        api_version: Any = None,
        connections_max_idle_ms: int | None = 540000,
        sasl_mechanism: str = "PLAIN",
        sasl_plain_username: str | None = None,
        sasl_plain_password: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        keywords = {name: value for name, value in locals().items() if name != "self"}
        warn_deprecated(keywords, "api_version")
        self._configuration = configuration("client", keywords)
        self._bootstrap_servers = bootstrap_servers
        self._client_id = client_id
        self._request_timeout_ms = request_timeout_ms
        self._retry_backoff = retry_backoff_ms / 1000
        self._metadata_max_age = metadata_max_age_ms / 1000
        self._engine: _Engine | None = None
        self._owns_engine = False
        self._asked: dict[str, asyncio.Task[None]] = {}
        self._updated: dict[str, float] = {}
        self._refreshing: set[asyncio.Task[Any]] = set()
        self._topics: set[str] = set()
        self.cluster = ClusterMetadata()
        """The known brokers, topics and partitions of the cluster."""

    def __repr__(self) -> str:
        return f"<AIOKafkaClient client_id={self._client_id}>"

    @property
    def hosts(self) -> list[tuple[str, int, socket.AddressFamily]]:
        """The bootstrap servers: host, port, and address family (0 for a name)."""
        given = self._configuration["bootstrap.servers"].split(",")
        return [_host_and_port(server) for server in given]

    @property
    def api_version(self) -> tuple[int, ...]:
        """The oldest version of Kafka that librdkafka supports, not the version of a broker."""
        return (2, 1, 0)

    async def bootstrap(self) -> None:
        """Connect to the cluster.

        Raises:
            KafkaConnectionError: no broker answers. AuthenticationFailedError: no broker accepts
                the credentials.
            ValueError: the port of a bootstrap server is not a number.
        """
        engine = made(_OwnEngine, self._configuration)
        try:
            await self._attach(engine)
        except BaseException:
            await engine.close()
            raise
        self._owns_engine = True

    async def close(self) -> None:
        """Close the connections. Closing twice does nothing."""
        if self._engine is not None:
            self._engine._check_loop()
        engine, self._engine = self._engine, None
        for task in (*self._asked.values(), *self._refreshing):
            task.cancel()
        if engine is not None and self._owns_engine:
            await engine.close()

    async def fetch_all_metadata(self) -> ClusterMetadata:
        """Fetch the metadata of all topics.

        Returns:
            The client's ``cluster``.
        """
        await self._ask(None)
        return self.cluster

    def force_metadata_update(self) -> asyncio.Future[bool]:
        """Fetch the metadata of the known topics again.

        Returns:
            A future. Its result is whether a broker answered.
        """
        return self._in_background(self._refresh(self.cluster.topics(False)))

    def add_topic(self, topic: str) -> asyncio.Future[bool]:
        """Fetch the metadata of an additional topic.

        Returns:
            A future. Its result is whether a broker answered.
        """
        self._topics.add(topic)
        return self._in_background(self._refresh({topic} - self.cluster.topics(False)))

    def set_topics(self, topics: Iterable[str]) -> asyncio.Future[bool]:
        """Fetch the metadata of these topics from now on.

        Returns:
            A future. Its result is whether a broker answered.
        """
        self._topics = set(topics)
        return self._in_background(self._refresh(self._topics - self.cluster.topics(False)))

    def get_random_node(self) -> int | None:
        """Return the id of a broker; None while no broker is known."""
        nodes = [broker.nodeId for broker in self.cluster.brokers()]
        return int(random.choice(nodes)) if nodes else None

    async def ready(
        self, node_id: int, *, group: ConnectionGroup = ConnectionGroup.DEFAULT
    ) -> bool:
        """Return whether a broker is known; librdkafka connects when it has something to send."""
        if self.cluster.broker_metadata(node_id) is None:
            await self._ask(None)
        return self.cluster.broker_metadata(node_id) is not None

    async def send(
        self,
        node_id: int,
        request: protocol.Request,
        *,
        group: ConnectionGroup = ConnectionGroup.DEFAULT,
    ) -> protocol.Response:
        """Send a request and return its answer.

        Args:
            node_id: the broker's id.
            request: a message of confluent_kafka.protocol, such as
                ``protocol.MetadataRequest(topics=None)``. It is sent in the latest version that the
                broker has.
            group: no effect.

        Returns:
            The answer, which contains the broker's error if there is one.

        Raises:
            NodeNotReadyError: there is no such broker.
            UnsupportedVersionError: the broker has no version of the request.
            KafkaTimeoutError, KafkaConnectionError: no answer came.
            TypeError: the argument is not a request.
        """
        if not isinstance(request, protocol.Request):
            raise TypeError(
                "request must be one of confluent_kafka.protocol, such as "
                f"protocol.MetadataRequest(), not {type(request).__name__}"
            )
        if not await self.ready(node_id):
            raise errors.NodeNotReadyError(f"there is no broker {node_id}")
        engine, timeout = self._connected(), self._request_timeout_ms / 1000
        with translated():
            offered = await engine.api_versions(node_id, timeout)
            try:
                version = request.common_version(offered.get(request.api_key))
                body = request.encode(version)
            except protocol.UnsupportedVersionError as error:
                raise errors.UnsupportedVersionError(str(error)) from None
            answer = await engine.request(
                request.api_key, version, body, broker=node_id, timeout=timeout
            )
        return request.response_class.decode(answer, version)

    async def check_version(self, node_id: int | None = None) -> tuple[int, ...]:
        """Return ``api_version``."""
        return self.api_version

    async def coordinator_lookup(self, coordinator_type: int, coordinator_key: str) -> int:
        """Return the id of a coordinator.

        Args:
            coordinator_type: a CoordinationType.
            coordinator_key: the group, or the transactional id.

        Raises:
            GroupCoordinatorNotAvailableError, and others: the error of the cluster.
        """
        asked = protocol.FindCoordinatorRequest(
            key=coordinator_key, key_type=CoordinationType(coordinator_type)
        )
        with translated():
            answer = await self._connected().request(
                asked.api_key,
                _FIND_ONE,
                asked.encode(_FIND_ONE),
                timeout=self._request_timeout_ms / 1000,
            )
        try:
            found = asked.response_class.decode(answer, _FIND_ONE)
        except protocol.MalformedMessageError as malformed:
            # Without a coordinator there is no host: some brokers send null instead of an empty
            # text.
            raise errors.GroupCoordinatorNotAvailableError(
                f"no coordinator for {coordinator_key!r}"
            ) from malformed
        if found.error_code:
            raise errors.for_code(found.error_code)(coordinator_key)
        return int(found.node_id)

    async def _attach(self, engine: _Engine) -> None:
        """Use a client for all requests from now on, and wait for a broker.

        Args:
            engine: the client; the caller still owns it.
        """
        try:
            await engine.connect(self._request_timeout_ms / 1000)
        except KafkaException as failure:
            raise _not_connected(failure, self._configuration) from failure
        self._engine = engine
        self._owns_engine = False

    async def _wait_on_metadata(self, topic: str) -> set[int]:
        """Return the partitions of a topic; wait until the cluster has it.

        Raises:
            TypeError: the topic is not a str.
            UnknownTopicOrPartitionError: the topic did not exist for ``request_timeout_ms``.
            TopicAuthorizationFailedError: the principal may not describe it.
            InvalidTopicError: no topic can have this name.
            ProducerClosed: the client was closed meanwhile.
        """
        if not isinstance(topic, str):  # None would ask for all topics
            raise TypeError(f"topic must be str, not {type(topic).__name__}")
        while topic not in self.cluster._partitions:
            task = self._asked.get(topic)
            if task is None:
                task = asyncio.get_running_loop().create_task(self._wait_for_topic(topic))
                self._asked[topic] = task
                task.add_done_callback(partial(self._answered, topic))
            await asyncio.wait([task])  # other calls wait for it, too
            if not task.cancelled():
                task.result()
            elif self._engine is None:
                raise errors.ProducerClosed("the client was closed while it waited for metadata")
        return set(self.cluster._partitions[topic])

    def _answered(self, topic: str, task: asyncio.Task[None]) -> None:
        del self._asked[topic]
        if not task.cancelled():
            task.exception()  # perhaps nobody waits for it now

    async def _wait_for_topic(self, topic: str) -> None:
        until = monotonic() + self._request_timeout_ms / 1000
        while True:
            error = await self._ask(topic)
            if error is None:
                return
            if error.code() in _FINAL:
                raise errors.for_code(error.code())(topic)
            if monotonic() + self._retry_backoff > until:
                raise errors.UnknownTopicOrPartitionError(
                    f"no topic {topic!r} for {self._request_timeout_ms} ms (request_timeout_ms)"
                )
            await asyncio.sleep(self._retry_backoff)

    def _connected(self) -> _Engine:
        if self._engine is None:
            raise errors.KafkaConnectionError("the client is not connected: bootstrap() it")
        return self._engine

    async def _ask(self, topic: str | None) -> KafkaError | None:
        """Fetch the metadata of a topic, or of all topics; return the topic's error."""
        engine = self._connected()
        with translated():
            answer = await engine.list_topics(topic, self._request_timeout_ms / 1000)
        self.cluster._update(answer)
        if topic is None:
            self.cluster._keep(answer.topics)
            return None
        self._updated[topic] = monotonic()
        return answer.topics[topic].error

    async def _refresh(self, topics: Iterable[str]) -> bool:
        try:
            for topic in topics:
                await self._ask(topic)
        except errors.KafkaError:
            return False
        return True

    def _refresh_when_old(self, topic: str) -> None:
        """Fetch a topic's metadata again if it is older than ``metadata_max_age_ms``."""
        now = monotonic()
        if now - self._updated.get(topic, now) > self._metadata_max_age:
            self._updated[topic] = now
            self._in_background(self._refresh([topic])).add_done_callback(
                partial(self._refreshed, topic)
            )

    def _refreshed(self, topic: str, task: asyncio.Task[bool]) -> None:
        """Let the next message ask again if there was no answer."""
        if task.cancelled() or not task.result():
            self._updated[topic] -= self._metadata_max_age

    def _in_background(self, work: Any) -> asyncio.Task[bool]:
        task: asyncio.Task[bool] = asyncio.get_running_loop().create_task(work)
        self._refreshing.add(task)
        task.add_done_callback(self._refreshing.discard)
        return task


def _not_connected(failure: KafkaException, conf: Mapping[str, Any]) -> errors.KafkaError:
    """Return the exception of start() for the case that no broker can be used."""
    exception = failure_of(failure)
    kinds = (errors.AuthenticationFailedError, errors.BrokerResponseError)
    if isinstance(exception, kinds):
        return exception
    servers = conf["bootstrap.servers"]
    return errors.KafkaConnectionError(f"Unable to bootstrap from {servers}: {exception.args[0]}")


def _host_and_port(server: str) -> tuple[str, int, socket.AddressFamily]:
    host, colon, port = server.strip().rpartition(":")
    if not (colon and port.isdecimal()):
        host, port = server.strip(), "9092"
    host = host.strip("[]")
    family = socket.AF_UNSPEC
    with contextlib.suppress(ValueError):
        six = ipaddress.ip_address(host).version == 6
        family = socket.AF_INET6 if six else socket.AF_INET
    return host, int(port), family
