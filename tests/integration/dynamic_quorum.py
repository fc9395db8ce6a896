"""A separate cluster whose set of voters can change. The set of the shared cluster is static."""

from __future__ import annotations

import base64
import contextlib
import os
import subprocess
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException, Uuid, protocol
from confluent_kafka.admin import AdminClient, QuorumInfo, QuorumReplicaState
from tests.integration.kafka_broker import HEAP
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.java import QUICK_START
from tests.support.ports import next_port
from tests.support.protocol import ask
from tests.support.waiting import TIMEOUT, wait_until

VOTER, OBSERVER = 1, 2  # the ids of the controllers
# Four of these clusters that start on one core need two minutes. A test that takes five minutes
# would end the whole run.
READY_SECONDS = 220
NO_TAGS = b"\0"

# With these timeouts, the leader stays and no server is lost if the machine stops for some seconds.
_PROPERTIES = """\
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.quorum.fetch.timeout.ms=60000
controller.quorum.request.timeout.ms=60000
broker.session.timeout.ms=60000
initial.broker.registration.timeout.ms=600000
offsets.topic.replication.factor=1
"""


@dataclass
class _Server:
    """A process of Kafka, of the distribution `home`; its files are in `folder`."""

    home: Path
    folder: Path
    listeners: str
    properties: dict[str, object]
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        more = {
            "listeners": self.listeners,
            "advertised.listeners": self.listeners,
            "log.dirs": self.folder / "data",
        }
        lines = [f"{key}={value}\n" for key, value in (self.properties | more).items()]
        self.configuration.write_text(_PROPERTIES + "".join(lines))

    @property
    def configuration(self) -> Path:
        return self.folder / "server.properties"

    def format(self, cluster_id: str, *options: str) -> None:
        command = [f"--cluster-id={cluster_id}", "-c", str(self.configuration), *options]
        subprocess.run(
            [str(self.home / "bin" / "kafka-storage.sh"), "format", *command],
            check=True,
            env=self._environment(),
            stdout=subprocess.DEVNULL,
        )

    def start(self) -> None:
        with (self.folder / "output").open("wb") as output:
            self.process = subprocess.Popen(
                [str(self.home / "bin" / "kafka-server-start.sh"), str(self.configuration)],
                env=self._environment(),
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def check_running(self) -> None:
        """Fails at once, with the end of the log, if the process has ended by itself."""
        assert self.process is not None
        status = self.process.poll()
        log = (self.folder / "output").read_text(encoding="utf-8", errors="replace")
        assert status is None, f"{self.folder} ended with status {status}:\n{log[-3000:]}"

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "KAFKA_HEAP_OPTS": HEAP,
            "KAFKA_OPTS": QUICK_START,
            "LOG_DIR": str(self.folder),
        }


class DynamicQuorum(KafkaCluster):
    """A broker that is the only voter, and a controller that observes it."""

    def __init__(
        self, bootstrap_servers: str, leader: str, observing: str, cluster_id: str
    ) -> None:
        super().__init__(bootstrap_servers)
        # The addresses of the controllers: the broker's own controller, and the other controller.
        self.leader = leader
        self.observing = observing
        self.cluster_id = cluster_id

    def register_broker(self, admin: AdminClient, broker_id: int) -> None:
        """Registers a broker that does not run."""
        message = protocol.BrokerRegistrationRequest
        features = admin.describe_features().result(TIMEOUT).finalized_features
        request = message(
            broker_id=broker_id,
            cluster_id=self.cluster_id,
            incarnation_id=Uuid(1, broker_id),
            listeners=[message.Listener(name="PLAINTEXT", host="127.0.0.1", port=1)],
            features=[
                message.Feature(
                    name=name,
                    min_supported_version=0,
                    max_supported_version=level.max_version_level,
                )
                for name, level in features.items()
            ],
            log_dirs=[Uuid(2, broker_id)],
        )
        version = message.valid_versions[-1]
        answer = ask(self.leader, message.api_key, version, request.encode(version), NO_TAGS)
        response = protocol.BrokerRegistrationResponse.decode(answer[len(NO_TAGS) :], version)
        assert response.error_code == KafkaError.NO_ERROR, KafkaError(response.error_code)

    def observer(self, admin: AdminClient, timeout: float = TIMEOUT) -> QuorumReplicaState:
        """The leader's data about the controller, as soon as the controller has read everything and
        may vote."""
        found: list[QuorumReplicaState] = []

        def is_there() -> bool:
            found[:] = [
                each
                for each in described(admin).observers
                if each.replica_id == OBSERVER and each.last_caught_up_timestamp is not None
            ]
            return bool(found)

        wait_until(is_there, timeout=timeout)
        return found[0]


def described(admin: AdminClient) -> QuorumInfo:
    return admin.describe_metadata_quorum().result(TIMEOUT)


@contextlib.contextmanager
def running_quorum(home: Path, folder: Path) -> Iterator[DynamicQuorum]:
    """The broker and the controller, of the distribution `home`; their files are in `folder`."""
    cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    broker, leader, observer = (f"127.0.0.1:{next_port()}" for _ in range(3))
    bootstrap = {"controller.quorum.bootstrap.servers": leader}
    servers = {
        "--standalone": _Server(
            home,
            folder / "broker",
            f"PLAINTEXT://{broker},CONTROLLER://{leader}",
            bootstrap | {"node.id": VOTER, "process.roles": "broker,controller"},
        ),
        "--no-initial-controllers": _Server(
            home,
            folder / "controller",
            f"CONTROLLER://{observer}",
            bootstrap | {"node.id": OBSERVER, "process.roles": "controller"},
        ),
    }
    with ThreadPoolExecutor() as executor:
        list(executor.map(lambda each: each[1].format(cluster_id, each[0]), servers.items()))
    try:
        for server in servers.values():
            server.start()
        quorum = DynamicQuorum(broker, leader, observer, cluster_id)
        _wait_ready(quorum, list(servers.values()))
        yield quorum
    finally:
        for server in servers.values():
            server.kill()


def _wait_ready(quorum: DynamicQuorum, servers: list[_Server]) -> None:
    def answers() -> bool:
        for server in servers:
            server.check_running()
        with contextlib.suppress(KafkaException):
            admin.connect(TIMEOUT)  # fails at once while nobody listens
            return True
        return False

    soon = {"log_level": 0, "reconnect.backoff.max.ms": 500}
    with AdminClient(quorum.config() | soon) as admin:
        wait_until(answers, timeout=READY_SECONDS)
        quorum.observer(admin, 2 * TIMEOUT)
