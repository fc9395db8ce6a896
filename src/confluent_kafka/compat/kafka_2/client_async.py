"""The client below the other clients, with the cluster's metadata."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn

from ..kafka.future import Future
from ._config import CONNECTION_DEFAULTS
from ._refusals import refused
from .admin.client import KafkaAdminClient
from .cluster import ClusterMetadata


class KafkaClient:
    """Returns a cluster's brokers, topics and partitions. It cannot send an application's requests.

    librdkafka connects to brokers when it has a request for them. So each broker of the cluster
    counts as ready as long as the client is open.

    Args:
        configs: the keywords of ``DEFAULT_CONFIG``.

    Raises:
        NoBrokersAvailable: no broker answered for ``api_version_auto_timeout_ms``.
        ValueError, TypeError: a keyword is wrong; the text names it.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = CONNECTION_DEFAULTS | {
        "bootstrap_topics_filter": set(),
        "wakeup_timeout_ms": 3000,
    }

    def __init__(self, **configs: Any) -> None:
        known = self.DEFAULT_CONFIG.keys() & configs.keys()
        self.config = self.DEFAULT_CONFIG | {name: configs[name] for name in known}
        common = KafkaAdminClient.DEFAULT_CONFIG.keys() & known
        self._admin = KafkaAdminClient(**{name: configs[name] for name in common})
        self._is_open = True

    @property
    def cluster(self) -> ClusterMetadata:
        """The known brokers, topics and partitions of the cluster."""
        return self._admin._cluster.known

    def bootstrap_connected(self) -> bool:
        """Return whether the client has connected to a broker and is not closed."""
        return self._is_open

    def close(self, node_id: Any = None) -> None:
        """Close the client.

        Args:
            node_id: must be None; librdkafka itself closes unused connections to single brokers.
        """
        if node_id is None:
            self._is_open = False
            self._admin.close()

    # ---- brokers ----

    def connected(self, node_id: Any) -> bool:
        """Return whether the cluster has a broker and the client is open."""
        return self._is_open and self.cluster.broker_metadata(node_id) is not None

    def is_disconnected(self, node_id: Any) -> bool:
        """Return the opposite of connected()."""
        return not self.connected(node_id)

    def ready(self, node_id: Any, metadata_priority: bool = True) -> bool:
        """Return connected().

        Args:
            node_id: the broker's id.
            metadata_priority: no effect.
        """
        return self.connected(node_id)

    def is_ready(self, node_id: Any, metadata_priority: bool = True) -> bool:
        """Return connected(); see ready()."""
        return self.connected(node_id)

    def maybe_connect(self, node_id: Any, wakeup: bool = True) -> bool:
        """Return connected(), because librdkafka itself connects.

        Args:
            node_id: the broker's id.
            wakeup: no effect.
        """
        return self.connected(node_id)

    def connection_delay(self, node_id: Any) -> float:
        """Return 0, because librdkafka itself waits between its attempts to connect."""
        return 0

    def in_flight_request_count(self, node_id: Any = None) -> int:
        """Return 0, because the client sends no requests of the application."""
        return 0

    def least_loaded_node(self) -> int | None:
        """Return the id of a broker; None if the client is closed."""
        ids = sorted(int(one.nodeId) for one in self.cluster.brokers())
        return ids[0] if ids and self._is_open else None

    def get_api_versions(self) -> dict[int, tuple[int, int]]:
        """Return a broker's oldest and newest version of each request, by API key."""
        return self._admin.api_versions()

    # ---- topics ----

    def set_topics(self, topics: Iterable[str]) -> Future:
        """Fetch the cluster's topics; return a settled future of the ClusterMetadata.

        Args:
            topics: no effect; all topics are fetched.
        """
        try:
            self._admin._cluster.ask(None, self._admin._wire.timeout)
        except Exception as failure:
            return Future().failure(failure)
        return Future().success(self.cluster)

    def add_topic(self, topic: str) -> Future:
        """Fetch the cluster's topics; see set_topics()."""
        return self.set_topics([topic])

    # ---- what librdkafka does ----

    def poll(self, timeout_ms: float | None = None, future: Any = None) -> list[Any]:
        """Return an empty list: librdkafka's threads read the connections, and no request is open.

        Args:
            timeout_ms: no effect.
            future: no effect.
        """
        return []

    def wakeup(self) -> None:
        """Do nothing, because poll() does not wait."""

    def send(self, node_id: Any, request: Any, wakeup: bool = True) -> NoReturn:
        """Not supported.

        Raises:
            NotImplementedError: always; the text names an alternative.
        """
        raise refused("KafkaClient.send()")

    def check_version(
        self, node_id: Any = None, timeout: float = 2, strict: bool = False
    ) -> NoReturn:
        """Not supported, because brokers do not return their versions.

        Raises:
            NotImplementedError: always; the text names an alternative.
        """
        raise refused("KafkaClient.check_version()")
