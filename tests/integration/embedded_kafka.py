"""The embedded cluster with the listeners and ACLs of the tests' real brokers."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from confluent_kafka.testing import Certificates, MockCluster, Security
from tests.integration.certificates import Authority, KeyPair
from tests.integration.kafka_cluster import USERS, SecuredKafkaCluster
from tests.integration.oidc import IdentityProvider

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")


class EmbeddedKafkaCluster(SecuredKafkaCluster):
    """Starts a listener when a test asks for it, because few tests do.

    Args:
        cluster: the brokers.
        folder: for certificates.
    """

    def __init__(self, cluster: MockCluster, folder: Path) -> None:
        super().__init__(cluster.bootstrap_servers)
        self.cluster = cluster
        self._folder = folder
        self._listeners = {"PLAINTEXT": cluster.bootstrap_servers}

    @cached_property
    def authority(self) -> Authority:  # type: ignore[override]
        return Authority(self._folder)

    @cached_property
    def client_keys(self) -> KeyPair:  # type: ignore[override]
        return self.authority.issue("client", "client.tests")

    @cached_property
    def identity(self) -> IdentityProvider:  # type: ignore[override]
        return IdentityProvider()

    def servers(self, listener: str) -> str:
        if listener not in self._listeners:
            entrance = self.cluster._secure(self._security(listener))
            self._listeners[listener] = entrance.bootstrap_servers
        return self._listeners[listener]

    def close(self) -> None:
        """End what the brokers do not end."""
        if "identity" in self.__dict__:
            self.identity.close()

    def _security(self, listener: str) -> Security:
        """Clients without TLS and SASL may do everything; topics without an ACL are open to all
        clients."""
        settings: dict[str, Any] = {
            "authorizer": True,
            "super_users": ["User:ANONYMOUS"],
            "allow_everyone_if_no_acl_found": True,
        }
        if listener.endswith("SSL"):
            settings["certificates"] = self._certificates()
        if listener.startswith("SASL"):
            settings |= {"mechanisms": MECHANISMS, "users": USERS}
        if listener == "SASL_SSL":
            settings["check_token"] = self.identity.check
        return Security(protocol=listener, client_certificates=listener == "SSL", **settings)

    def _certificates(self) -> Certificates:
        broker = self.authority.issue("broker", "127.0.0.1")
        client = self.client_keys
        files = (self.authority.file, broker.certificate, broker.key)
        return Certificates(*map(str, (*files, client.certificate, client.key)))
