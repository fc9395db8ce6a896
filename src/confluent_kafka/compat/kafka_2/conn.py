"""A connection to a broker, which applications cannot make here."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from ._config import CONNECTION_DEFAULTS
from ._refusals import refused


class BrokerConnection:
    """Not supported, because librdkafka has the connections.

    The class and its methods exist for programs that name them. Each method raises
    NotImplementedError, and the text names an alternative.

    Args:
        host: the host of the broker.
        port: the port of the broker.
        afi: the address family.
        configs: keywords.
    """

    SASL_MECHANISMS: ClassVar[tuple[str, ...]] = (
        "PLAIN",
        "GSSAPI",
        "OAUTHBEARER",
        "SCRAM-SHA-256",
        "SCRAM-SHA-512",
    )
    SECURITY_PROTOCOLS: ClassVar[tuple[str, ...]] = (
        "PLAINTEXT",
        "SSL",
        "SASL_PLAINTEXT",
        "SASL_SSL",
    )

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = CONNECTION_DEFAULTS | {
        "api_version": (0, 8, 2),
        "node_id": 0,
        "state_change_callback": None,
    }

    def __init__(self, host: str, port: int, afi: Any, **configs: Any) -> None:
        self.host, self.port, self.afi = host, port, afi
        self.config = self.DEFAULT_CONFIG | configs

    def blacked_out(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.blacked_out()")

    def can_send_more(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.can_send_more()")

    def check_version(self, timeout: Any = 2, strict: Any = False, topics: Any = ()) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.check_version()")

    def close(self, error: Any = None) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.close()")

    def connect(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.connect()")

    def connect_blocking(self, timeout: Any = float("inf")) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.connect_blocking()")

    def connected(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.connected()")

    def connecting(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.connecting()")

    def connection_delay(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.connection_delay()")

    def disconnected(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.disconnected()")

    def get_api_versions(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.get_api_versions()")

    def recv(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.recv()")

    def requests_timed_out(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.requests_timed_out()")

    def send(self, request: Any, blocking: Any = True) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.send()")

    def send_pending_requests(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.send_pending_requests()")

    def send_pending_requests_v2(self) -> NoReturn:
        """Not supported; see the class."""
        raise refused("BrokerConnection.send_pending_requests_v2()")
