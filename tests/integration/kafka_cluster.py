"""Three real brokers with every kind of listener, on loopback."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from trivup.trivup import Cluster

from confluent_kafka import KafkaException, Producer
from tests.integration.certificates import Authority, KeyPair
from tests.integration.kafka_broker import KraftBroker
from tests.integration.oidc import AUDIENCE, ISSUER, IdentityProvider
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT, wait_until

BROKERS = 3
READY_SECONDS = 240

# SASL users of PLAIN and SCRAM. An ACL denies bob all topics whose names start with `forbidden`.
USERS = {name: secret(name) for name in ("alice", "bob")}


class Broker(Protocol):
    """A broker that tests may break: a real one or an embedded one."""

    appid: int

    @property
    def listeners(self) -> Mapping[str, str]:
        """The advertised addresses of the listeners.

        PROXIED is a PLAINTEXT listener. Its advertised address is a port where a test may put a
        proxy.
        """

    @property
    def behind_proxy(self) -> str:
        """The address at which the PROXIED listener really listens."""

    def kill(self) -> None:
        """Kill the broker; when this returns, it has stopped."""

    def start(self) -> None:
        """Start a new process in the broker's place, with the broker's records."""

    def pause(self) -> None:
        """Stop answering, but keep the connections."""

    def resume(self) -> None: ...


class KafkaCluster:
    """A cluster for tests that only need brokers, such as the cluster that BOOTSTRAP names."""

    brokers: Sequence[Broker] = ()

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    def config(self, listener: str = "PLAINTEXT") -> dict[str, Any]:
        """The configuration that every client needs."""
        if listener != "PLAINTEXT":
            raise ValueError(f"the cluster of BOOTSTRAP has no known listener {listener}")
        return {"bootstrap.servers": self.bootstrap_servers, "broker.address.family": "v4"}


class SecuredKafkaCluster(KafkaCluster):
    """A cluster with every kind of listener, and ACLs."""

    authority: Authority
    client_keys: KeyPair
    identity: IdentityProvider

    def servers(self, listener: str) -> str:
        """The addresses of this kind of listener on all brokers."""
        raise NotImplementedError

    def config(self, listener: str = "PLAINTEXT") -> dict[str, Any]:
        """The configuration that every client of the listener needs, without SASL's mechanism and
        user."""
        config: dict[str, Any] = {
            "bootstrap.servers": self.servers(listener),
            "security.protocol": listener,
            "broker.address.family": "v4",
        }
        if listener.endswith("SSL"):
            config["ssl.ca.location"] = str(self.authority.file)
        if listener == "SSL":
            config["ssl.certificate.location"] = str(self.client_keys.certificate)
            config["ssl.key.location"] = str(self.client_keys.key)
        return config


class OwnKafkaCluster(SecuredKafkaCluster):
    """The tests' own brokers. Tests may break these brokers."""

    def wait_ready(self) -> None:
        """Waits until clients can use every broker."""


class RealKafkaCluster(OwnKafkaCluster):
    """Brokers of Apache Kafka."""

    brokers: Sequence[KraftBroker]

    def __init__(
        self,
        brokers: list[KraftBroker],
        authority: Authority,
        client: KeyPair,
        identity: IdentityProvider,
    ) -> None:
        super().__init__(",".join(broker.listeners["PLAINTEXT"] for broker in brokers))
        self.brokers = brokers
        self.authority = authority
        self.client_keys = client
        self.identity = identity

    def servers(self, listener: str) -> str:
        return ",".join(broker.listeners[listener] for broker in self.brokers)

    def wait_ready(self) -> None:
        """Waits until clients can use every broker."""
        with Producer(self.config()) as producer:

            def all_there() -> bool:
                for broker in self.brokers:
                    broker.check_running()
                with contextlib.suppress(KafkaException):
                    return len(producer.list_topics(timeout=5).brokers) == len(self.brokers)
                return False

            wait_until(all_there, timeout=READY_SECONDS)
        # Metadata lists a broker before it listens. It also lists a killed broker until it is
        # fenced.
        servers = self.bootstrap_servers.split(",")
        wait_until(lambda: all(_listens(each) for each in servers), timeout=READY_SECONDS)


@contextlib.contextmanager
def running_cluster(
    home: Path, folder: Path, brokers: int = BROKERS, java_options: str = ""
) -> Iterator[RealKafkaCluster]:
    """Run brokers of the distribution `home` until the exit, with their logs in `folder`."""
    identity = IdentityProvider()
    authority = Authority(folder / "certificates")
    trivup = Cluster("kafka", str(folder))
    allowed = f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={identity.jwks_url}"
    apps = [KraftBroker(trivup, home, f"{allowed} {java_options}") for _ in range(brokers)]
    server = authority.issue("broker", "localhost")
    for app in apps:
        app.scram_users = USERS
        app.append(
            _durability(brokers)
            | _disks(app)
            | _groups()
            | _tls(authority, server)
            | _sasl(identity)
            | _acls()
        )
    client = authority.issue("client", "client.tests")
    cluster = RealKafkaCluster(apps, authority, client, identity)
    try:
        trivup.deploy()
        trivup.start()
        cluster.wait_ready()
        yield cluster
    finally:
        for app in apps:
            app.kill()
        identity.close()


def _durability(brokers: int) -> dict[str, Any]:
    replicas, in_sync = min(3, brokers), min(2, brokers)
    properties: dict[str, Any] = {"min.insync.replicas": in_sync}
    for topic in ("transaction.state.log", "share.coordinator.state.topic"):
        properties[f"{topic}.replication.factor"] = replicas
        properties[f"{topic}.min.isr"] = in_sync
        properties[f"{topic}.num.partitions"] = 4
    properties["default.replication.factor"] = replicas
    properties["offsets.topic.replication.factor"] = replicas
    # The default is 50 partitions; creating them would take most of the start.
    properties["offsets.topic.num.partitions"] = 4
    # How often brokers abort transactions that take too long. The default is 10 s.
    properties["transaction.abort.timed.out.transaction.cleanup.interval.ms"] = 500
    # How long the log cleaner waits if it found nothing to compact. The default is 15 s.
    properties["log.cleaner.backoff.ms"] = 500
    # The controllers fence a stopped broker sooner than in production.
    properties["broker.session.timeout.ms"] = 6000
    properties["broker.heartbeat.interval.ms"] = 500  # a heartbeat may be late by seconds
    # Otherwise leaders would move back minutes after a broker was killed, during another test.
    properties["auto.leader.rebalance.enable"] = "false"
    properties["replica.lag.time.max.ms"] = 6000
    # How long a controller may be silent. The default is 2 s, but a busy machine can stop a
    # controller for longer; the cluster would then elect controllers all the time and answer no
    # requests.
    properties["controller.quorum.fetch.timeout.ms"] = 6000
    properties["controller.quorum.request.timeout.ms"] = 6000
    return properties


def _disks(app: KraftBroker) -> dict[str, Any]:
    """Two log directories, between which replicas can be moved."""
    return {"log.dirs": f"{app.conf['log_dirs']},{app.create_dir('second_disk')}"}


def _groups() -> dict[str, Any]:
    return {
        "group.initial.rebalance.delay.ms": 100,
        "group.min.session.timeout.ms": 1000,
        "group.consumer.min.session.timeout.ms": 1000,
        "group.consumer.min.heartbeat.interval.ms": 100,
        "group.consumer.session.timeout.ms": 6000,
        "group.consumer.heartbeat.interval.ms": 500,
        "group.share.min.session.timeout.ms": 1000,
        "group.share.min.heartbeat.interval.ms": 100,
        "group.share.session.timeout.ms": 6000,
        "group.share.heartbeat.interval.ms": 200,
        # The default is 30 s; a test can set a shorter duration for its group.
        "group.share.min.record.lock.duration.ms": 1000,
    }


def _tls(authority: Authority, server: KeyPair) -> dict[str, Any]:
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": server.both,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": authority.file,
        "listener.name.ssl.ssl.client.auth": "required",
    }


def _sasl(identity: IdentityProvider) -> dict[str, Any]:
    """Listeners without TLS accept unsecured tokens; listeners with TLS accept signed ones."""
    modules = "org.apache.kafka.common.security"
    passwords = " ".join(f'user_{user}="{password}"' for user, password in USERS.items())
    logins = {
        "plain": f"{modules}.plain.PlainLoginModule required {passwords};",
        "scram-sha-256": f"{modules}.scram.ScramLoginModule required;",
        "scram-sha-512": f"{modules}.scram.ScramLoginModule required;",
        "oauthbearer": (
            f"{modules}.oauthbearer.OAuthBearerLoginModule required "
            'unsecuredLoginStringClaim_sub="broker";'
        ),
    }
    properties: dict[str, Any] = {
        "sasl.enabled.mechanisms": ",".join(mechanism.upper() for mechanism in logins)
    }
    properties["delegation.token.secret.key"] = secret("delegation")
    for listener in ("sasl_plaintext", "sasl_ssl"):
        for mechanism, login in logins.items():
            properties[f"listener.name.{listener}.{mechanism}.sasl.jaas.config"] = login
    # A connection ends when its token expires, unless the client renews both in time.
    properties["listener.name.sasl_plaintext.oauthbearer.connections.max.reauth.ms"] = 3_600_000
    validator = "listener.name.sasl_ssl.oauthbearer.sasl"
    properties |= {
        f"{validator}.server.callback.handler.class": (
            f"{modules}.oauthbearer.OAuthBearerValidatorCallbackHandler"
        ),
        f"{validator}.oauthbearer.jwks.endpoint.url": identity.jwks_url,
        f"{validator}.oauthbearer.expected.audience": AUDIENCE,
        # Kafka 4.4 refuses to start without an expected issuer.
        f"{validator}.oauthbearer.expected.issuer": ISSUER,
    }
    return properties


def _acls() -> dict[str, Any]:
    """Clients without TLS and SASL may do everything; topics without an ACL are open to all
    clients."""
    return {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
        "allow.everyone.if.no.acl.found": "true",
    }


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=TIMEOUT).close()
    except ConnectionRefusedError:
        return False
    return True
