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

# SASL users of PLAIN and SCRAM. Topics that start with `forbidden` are closed to bob.
USERS = {name: secret(name) for name in ("alice", "bob")}


class Broker(Protocol):
    """A broker that tests may break: a real one or an embedded one."""

    appid: int

    @property
    def listeners(self) -> Mapping[str, str]:
        """The addresses that clients are told.

        PROXIED is PLAINTEXT whose clients are sent to a port where a test may put a proxy.
        """

    @property
    def behind_proxy(self) -> str:
        """Where PROXIED listens itself."""

    def kill(self) -> None:
        """The broker is gone when this returns."""

    def start(self) -> None:
        """Another process takes the broker's place, with its records."""

    def pause(self) -> None:
        """The broker keeps its connections and answers nothing."""

    def resume(self) -> None: ...


class KafkaCluster:
    """A cluster for tests that only need brokers: the one that BOOTSTRAP names, for example."""

    brokers: Sequence[Broker] = ()

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    def config(self, listener: str = "PLAINTEXT") -> dict[str, Any]:
        """What any client needs."""
        if listener != "PLAINTEXT":
            raise ValueError(f"the cluster of BOOTSTRAP has no known listener {listener}")
        return {"bootstrap.servers": self.bootstrap_servers, "broker.address.family": "v4"}


class SecuredKafkaCluster(KafkaCluster):
    """A cluster with every kind of listener, and ACLs."""

    authority: Authority
    client_keys: KeyPair
    identity: IdentityProvider

    def servers(self, listener: str) -> str:
        """The addresses of the brokers' listeners of a kind."""
        raise NotImplementedError

    def config(self, listener: str = "PLAINTEXT") -> dict[str, Any]:
        """What any client of the listener needs; SASL's mechanism and user are not in it."""
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
        """Waits until every broker is there for clients."""


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
        """Waits until every broker is there for clients."""
        with Producer(self.config()) as producer:

            def all_there() -> bool:
                for broker in self.brokers:
                    broker.check_running()
                with contextlib.suppress(KafkaException):
                    return len(producer.list_topics(timeout=5).brokers) == len(self.brokers)
                return False

            wait_until(all_there, timeout=READY_SECONDS)
        # A broker is among the others before it listens: a killed one until it is fenced, too.
        servers = self.bootstrap_servers.split(",")
        wait_until(lambda: all(_listens(each) for each in servers), timeout=READY_SECONDS)


@contextlib.contextmanager
def running_cluster(
    home: Path, folder: Path, brokers: int = BROKERS, java_options: str = ""
) -> Iterator[RealKafkaCluster]:
    """Brokers of the distribution `home`, from the start until the exit; logs in `folder`."""
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
    # 50 by default, whose creation would take most of the start.
    properties["offsets.topic.num.partitions"] = 4
    # 10 s by default: when a transaction that takes too long is aborted.
    properties["transaction.abort.timed.out.transaction.cleanup.interval.ms"] = 500
    # 15 s by default: how long the log cleaner rests where it found nothing to compact.
    properties["log.cleaner.backoff.ms"] = 500
    # A broker that is stopped is not waited for as long as in production.
    properties["broker.session.timeout.ms"] = 6000
    properties["broker.heartbeat.interval.ms"] = 500  # one may be late by seconds
    # Leaders would go back minutes after a broker was killed, in the middle of another test.
    properties["auto.leader.rebalance.enable"] = "false"
    properties["replica.lag.time.max.ms"] = 6000
    # 2 s by default: how long a controller may be silent. A busy machine stops it for longer,
    # and then the cluster elects controllers all the time and answers nobody.
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
        # A group of a test can have a shorter one than the 30 s by default.
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
    """Unsecured tokens without TLS, those of the identity provider with it."""
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
    # A connection ends with its token, unless the client renews both in time.
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
