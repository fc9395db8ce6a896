"""The embedded cluster with the listeners and ACLs of the tests' real brokers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from confluent_kafka.testing import Certificates, MockCluster, Security
from confluent_kafka.testing._administration._state import State
from tests.integration.certificates import Authority, KeyPair
from tests.integration.kafka_cluster import USERS, Broker, OwnKafkaCluster
from tests.integration.oidc import IdentityProvider
from tests.support.ports import next_port

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")


class EmbeddedBroker:
    """One of the mock brokers."""

    def __init__(self, kafka: EmbeddedKafkaCluster, number: int) -> None:
        self.appid = number
        self._kafka = kafka

    @property
    def listeners(self) -> Mapping[str, str]:
        names = ("PLAINTEXT", "PROXIED")
        return {name: self._kafka.servers(name).split(",")[self.appid - 1] for name in names}

    @property
    def behind_proxy(self) -> str:
        return self._kafka.behind_proxies[self.appid - 1]

    def kill(self) -> None:
        """Stop the broker; other brokers lead its partitions, as in a cluster with a controller."""
        self._kafka.cluster.set_broker_down(self.appid)
        self._kafka.move_leaders(self.appid)

    def start(self) -> None:
        self.resume()
        self._kafka.cluster.set_broker_up(self.appid)

    def pause(self) -> None:
        self._kafka.cluster.set_round_trip_time(self.appid, 86_400)

    def resume(self) -> None:
        self._kafka.cluster.set_round_trip_time(self.appid, 0)


class EmbeddedKafkaCluster(OwnKafkaCluster):
    """Listeners that start when a test first uses them, because few tests need them.

    Args:
        cluster: the brokers.
        folder: for certificates.
    """

    def __init__(self, cluster: MockCluster, folder: Path) -> None:
        super().__init__(cluster.bootstrap_servers)
        self.cluster = cluster
        self._folder = folder
        self._listeners = {"PLAINTEXT": cluster.bootstrap_servers}
        numbers = range(1, cluster.brokers + 1)
        self.brokers: Sequence[Broker] = [EmbeddedBroker(self, number) for number in numbers]

    @cached_property
    def authority(self) -> Authority:  # type: ignore[override]
        return Authority(self._folder)

    @cached_property
    def client_keys(self) -> KeyPair:  # type: ignore[override]
        return self.authority.issue("client", "client.tests")

    @cached_property
    def identity(self) -> IdentityProvider:  # type: ignore[override]
        return IdentityProvider()

    @cached_property
    def behind_proxies(self) -> list[str]:
        """The addresses at which the brokers' PROXIED listeners really listen."""
        ports = [next_port() for _ in self.brokers]
        self._listeners["PROXIED"] = ",".join(f"localhost:{port}" for port in ports)
        entrance = self.cluster._secure(self._security("PLAINTEXT"), ports)
        return entrance.bootstrap_servers.split(",")

    def servers(self, listener: str) -> str:
        if listener == "PROXIED":
            self.behind_proxies  # noqa: B018, they are there from now on
        if listener not in self._listeners:
            entrance = self.cluster._secure(self._security(listener))
            self._listeners[listener] = entrance.bootstrap_servers
        return self._listeners[listener]

    def move_leaders(self, broker: int) -> None:
        """Let other brokers lead the partitions of a broker, as a controller would."""
        state = State.read(self.cluster._snapshot())
        alive = {each.id for each in state.brokers if each.up}
        for name, topic in state.topics.items():
            for number, partition in enumerate(topic.partitions):
                if partition.leader == broker:
                    leader = next((each for each in partition.replicas if each in alive), None)
                    self.cluster.set_leader(name, number, leader)

    def close(self) -> None:
        """Close the identity provider, because closing the brokers does not close it."""
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
