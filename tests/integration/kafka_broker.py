"""A broker of Apache Kafka 4 in KRaft mode, as an app of trivup."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from trivup.apps.KafkaBrokerApp import KafkaBrokerApp
from trivup.trivup import Cluster

from tests.support.java import QUICK_START
from tests.support.ports import next_port

# PROXIED is a PLAINTEXT listener. Its advertised address is a port where a test may put a proxy.
LISTENERS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL", "PROXIED")

# The heap of a broker is small: three brokers and the tests share a small machine.
HEAP = "-Xms128m -Xmx768m"


class KraftBroker(KafkaBrokerApp):  # type: ignore[misc]
    """trivup's app writes a configuration for older releases; this class appends what must differ.

    If a properties file contains a key twice, the later line takes precedence.
    """

    def __init__(self, cluster: Cluster, home: Path, java_options: str) -> None:
        super().__init__(
            cluster,
            {
                "version": "4.0.0",  # only for trivup; the broker runs the release in `home`
                "kafka_path": str(home),
                "listeners": ",".join(LISTENERS),
                "listener_host": "127.0.0.1",
                "advertised_hostname": "localhost",
                "auto_create_topics": "true",
                "num_partitions": 4,
                "replication_factor": 3,
            },
        )
        self.env_add("KAFKA_HEAP_OPTS", HEAP)
        self.env_add("KAFKA_OPTS", f"{QUICK_START} {java_options}")
        self.scram_users: dict[str, str] = {}
        self._on_loopback()

    def _on_loopback(self) -> None:
        """Use the tests' own ports on loopback: another program may take trivup's ports too
        early."""
        ports = {name: next_port() for name in (*LISTENERS, "CONTROLLER")}
        addresses = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
        self.conf["address"] = addresses["PLAINTEXT"]
        self.conf["controller_listener"] = f"CONTROLLER://{addresses['CONTROLLER']}"
        self.listeners = {name: f"localhost:{ports[name]}" for name in LISTENERS}
        self.behind_proxy = self.listeners["PROXIED"]
        self.listeners["PROXIED"] = f"localhost:{next_port()}"
        # Without this, the broker would also open a port on all interfaces.
        del self.env["JMX_PORT"]
        self.append(
            {
                "node.id": self.appid,
                "listeners": ",".join(f"{name}://{address}" for name, address in addresses.items()),
                "advertised.listeners": ",".join(
                    f"{name}://{address}" for name, address in self.listeners.items()
                ),
                "listener.security.protocol.map": ",".join(
                    [f"{each}:{each}" for each in LISTENERS if each != "PROXIED"]
                    + ["PROXIED:PLAINTEXT", "CONTROLLER:PLAINTEXT"]
                ),
            }
        )

    def append(self, properties: dict[str, Any]) -> None:
        """Append lines to server.properties; they take effect at the next start."""
        with Path(self.conf["conf_file"]).open("a") as file:
            file.writelines(f"{key}={value}\n" for key, value in properties.items())

    def deploy(self) -> None:
        """trivup calls this when all brokers and their ports are known."""
        self.kraft_setup()

    def kraft_setup_storage(self) -> None:
        command = [f"{self.conf['bindir']}/kafka-storage.sh", "format"]
        # One argument: every 64th id begins with a dash, and would be taken for an option.
        command += [f"--cluster-id={self.cluster.uuid}", "-c", self.conf["conf_file"]]
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            for user, password in self.scram_users.items():
                command += ["--add-scram", f"{mechanism}=[name={user},password={password}]"]
        environment = {**os.environ, "KAFKA_HEAP_OPTS": HEAP, "KAFKA_OPTS": QUICK_START}
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)

    def start_cmd(self) -> str:
        """Start without a shell, so that waiting for the process means waiting for the broker.

        With a shell, the broker could still write and listen when its folders are removed or its
        successor starts.
        """
        return f"exec {super().start_cmd()}"

    def wait_stopped(self, timeout: float = 30, force: bool = False) -> None:
        """Wait at most `timeout` seconds, and then kill the broker; trivup would wait for ever."""
        try:
            self.proc.wait(timeout)
            self.state = "stopped"
        except subprocess.TimeoutExpired:
            self.kill()

    def check_running(self) -> None:
        """Fails at once, with the end of the log, if the process has ended by itself."""
        status = self.proc.poll()
        log = Path(self.stdout_fd.name).read_text(encoding="utf-8", errors="replace")
        assert status is None, f"broker {self.appid} ended with status {status}:\n{log[-3000:]}"

    # ---- faults ----

    def kill(self) -> None:
        """Send SIGKILL and wait until the process has ended; start() starts a new process."""
        if self.state != "started":
            return
        self._signal(signal.SIGKILL)
        self.proc.wait()
        self.state = "stopped"
        self.stdout_fd.close()
        self.stderr_fd.close()

    def pause(self) -> None:
        """Send SIGSTOP: the broker keeps its connections and does not answer."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        # trivup starts each broker in its own process group.
        os.killpg(self.proc.pid, number)


# trivup uses the class name to find an app's templates.
KraftBroker.__name__ = KafkaBrokerApp.__name__
