"""One broker of Apache Kafka on this machine, for ``python -m confluent_kafka cluster --real``."""

from __future__ import annotations

import base64
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cli.base.ending import fail

_SERVER = Path("bin", "kafka-server-start.sh")
# In a checkout: this script assembles a distribution from Maven Central, or finds an earlier one.
_ASSEMBLE = Path(__file__).parents[3] / "tools" / "kafka.py"
_START = 90
_STOP = 30

_PROPERTIES = """\
node.id=1
process.roles=broker,controller
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller}
advertised.listeners=PLAINTEXT://{host}:{port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
controller.quorum.voters=1@{host}:{controller}
log.dirs={data}
group.initial.rebalance.delay.ms=100
default.replication.factor=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
"""


@contextlib.contextmanager
def real_broker(host: str, port: int) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run a broker in KRaft mode. When the block ends, the broker ends and its data are removed.

    Args:
        host: the address on which the broker listens.
        port: the port; 0 for a free port.

    Yields:
        The process and the address of the broker.
    """
    home = kafka_home()
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        fail("Apache Kafka needs Java 17 or newer: put java on PATH, or set JAVA_HOME")
    port = _free_port(host, port)
    with tempfile.TemporaryDirectory(prefix="confluent-kafka-cluster-") as name:
        folder = Path(name)
        properties = folder / "server.properties"
        properties.write_text(
            _PROPERTIES.format(
                host=host, port=port, controller=_free_port(host), data=folder / "data"
            )
        )
        log = folder / "broker.log"
        with log.open("wb") as output, _running(home, properties, output) as process:
            _wait_until_ready(process, f"{host}:{port}", log)
            yield process, f"{host}:{port}"


def kafka_home() -> Path:
    """Return the folder of the distribution: KAFKA_HOME, or the result of `make kafka`."""
    given = os.environ.get("KAFKA_HOME")
    if given:
        if not (Path(given) / _SERVER).is_file():
            fail(f"KAFKA_HOME={given} has no {_SERVER}")
        return Path(given)
    if _ASSEMBLE.is_file():
        done = subprocess.run([sys.executable, str(_ASSEMBLE)], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:  # the script has printed the reason
            fail("Apache Kafka was not found: see above")
        return Path(done.stdout.strip())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "confluent-kafka")
    made = sorted(path for path in cache.glob("kafka-*") if (path / _SERVER).is_file())
    if not made:
        fail(
            "Apache Kafka was not found: set KAFKA_HOME to a distribution of Kafka 4.2 or newer, "
            "or run `make kafka` in a checkout of this package"
        )
    return made[-1]


def _free_port(host: str, port: int = 0) -> int:
    """Return the port if it is free, or raise OSError. For 0 the system chooses a port."""
    with socket.create_server((host, port)) as server:
        return int(server.getsockname()[1])


@contextlib.contextmanager
def _running(home: Path, properties: Path, log: BinaryIO) -> Iterator[subprocess.Popen[bytes]]:
    environment = {"KAFKA_HEAP_OPTS": "-Xms128m -Xmx512m"} | os.environ
    environment["LOG_DIR"] = str(properties.parent)  # by default a folder of the distribution
    cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    format_storage = [str(home / "bin" / "kafka-storage.sh"), "format", f"--cluster-id={cluster}"]
    done = subprocess.run(
        [*format_storage, "-c", str(properties)], env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        fail(f"kafka-storage.sh failed: {(done.stderr or done.stdout).strip()[-500:]}")
    # In a session of its own: Ctrl-C reaches only this process, which then ends the broker.
    process = subprocess.Popen(
        [str(home / _SERVER), str(properties)],
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(_STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + _START
    with AdminClient({"bootstrap.servers": address, "log_level": 0}) as admin:
        while process.poll() is None:
            try:
                admin.connect(_START)
            except KafkaException as error:
                if time.monotonic() > deadline:
                    fail(f"the broker did not start within {_START} s: {error.args[0].str()}")
                time.sleep(0.2)  # there is no event for this
            else:
                return
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    fail(f"the broker ended with status {process.returncode}", *lines[-10:])
