"""`python -m confluent_kafka cluster`: a cluster in the foreground for other programs."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from confluent_kafka import Consumer, Producer
from tests.support.command_line import words

COMMAND = [sys.executable, "-m", "confluent_kafka", "cluster"]
TIMEOUT = 30


@contextmanager
def running(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command; yield it with the address in its first line."""
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            key, _, address = process.stdout.readline().strip().partition("=")
            assert key == "bootstrap.servers"
            yield process, address
        finally:
            process.kill()


@contextmanager
def free_port() -> Iterator[int]:
    """A port that stays bound, so that the system gives it to no other program.

    With SO_REUSEADDR, the command can bind the port again.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=TIMEOUT)


def test_other_programs_use_it_through_one_port() -> None:
    """Clients connect to the port of --port, and then send and read through all brokers."""
    with (
        free_port() as port,
        running("--port", str(port), "--brokers", "2", "--topic", "orders:4") as (_, address),
    ):
        assert address == f"127.0.0.1:{port}"
        config = {"bootstrap.servers": address}
        with Producer(config) as producer:
            for number in range(100):
                producer.produce("orders", str(number))
            assert producer.flush(TIMEOUT) == 0
            metadata = producer.list_topics("orders", TIMEOUT)
        assert len(metadata.topics["orders"].partitions) == 4
        assert len(metadata.brokers) == 2
        assert port not in {broker.port for broker in metadata.brokers.values()}
        group = {"group.id": "g", "auto.offset.reset": "earliest"}
        with Consumer(config | group) as consumer:
            consumer.subscribe(["orders"])
            messages = consumer.consume(100, TIMEOUT)
        values = {int(message.value() or b"") for message in messages}
        assert values == set(range(100))


def test_ports_of_the_systems_choice() -> None:
    """With --port 0, the system chooses free ports, and the first line contains every broker."""
    with (
        running("--port", "0", "--brokers", "2", "--topic", "a", "--topic", "b") as (_, address),
        Producer({"bootstrap.servers": address}) as producer,
    ):
        metadata = producer.list_topics(timeout=TIMEOUT)
    ports = {broker.port for broker in metadata.brokers.values()}
    assert {f"127.0.0.1:{port}" for port in ports} == set(address.split(","))
    partitions = {name: len(topic.partitions) for name, topic in metadata.topics.items()}
    assert partitions == {"a": 1, "b": 1}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("relay", [True, False])
def test_it_ends_cleanly(number: signal.Signals, relay: bool) -> None:
    """Ctrl-C and SIGTERM end the command with status 0, also while a client is connected."""
    with (
        free_port() as port,
        running("--port", str(port if relay else 0), "--quiet") as (process, address),
        Producer({"bootstrap.servers": address, "log_level": 0}) as producer,
    ):
        assert producer.list_topics(timeout=TIMEOUT).brokers
        process.send_signal(number)
        assert process.communicate(timeout=TIMEOUT) == ("", "")
        assert process.returncode == 0


def test_hints_go_to_stderr() -> None:
    """stderr shows people the brokers and how to end the command; programs read one line from
    stdout."""
    with running("--port", "0", "--brokers", "1") as (process, address):
        process.send_signal(signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=TIMEOUT)
    assert stdout == ""
    assert address in stderr
    assert "Ctrl-C" in stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--topic", "a:x"], "'a:x': needs a number of partitions after the colon"),
        (["--topic", "a:0"], "'a': partitions must be an int from 1 to 10000, not 0"),
        (["--topic", "a b"], "'a b': topic must be 1 to 249 of the characters"),
        (["--topic", "a", "--topic", "a"], "topic 'a' already exists"),
        (["--brokers", "0"], "--brokers"),
        (["--port", "65536"], "--port"),
        (["--prot", "0"], "--port"),
        (["--real", "--brokers", "2"], "cannot be combined with --brokers"),
        (["--real", "--retention-bytes", "9"], "cannot be combined with --brokers"),
        (["--real", "--data", "folder"], "cannot be combined with --brokers"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    """Wrong usage ends with status 2; the message names the option, its value and the allowed
    values."""
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in words(done.stderr)


def test_a_port_in_use() -> None:
    """If the port is in use, the status is 1, and the error contains advice."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = run("--port", str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{port}" in done.stderr
    assert "choose another --port, or 0" in done.stderr


def test_no_distribution(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If KAFKA_HOME is wrong, --real ends with status 1, and the error names what is missing."""
    monkeypatch.setenv("KAFKA_HOME", str(tmp_path))
    done = run("--real", "--port", "0", "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"KAFKA_HOME={tmp_path} has no bin" in done.stderr


def test_a_port_in_use_by_a_real_broker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If the port is in use, --real ends before it starts anything, and the error contains
    advice."""
    script = tmp_path / "bin" / "kafka-server-start.sh"
    script.parent.mkdir()
    script.touch()
    monkeypatch.setenv("KAFKA_HOME", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = run("--real", "--port", str(server.getsockname()[1]), "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert "choose another --port, or 0" in done.stderr


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If Java is missing, --real ends with status 1, and the error names what is needed."""
    script = tmp_path / "bin" / "kafka-server-start.sh"
    script.parent.mkdir()
    script.touch()
    monkeypatch.setenv("KAFKA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    done = run("--real", "--port", "0", "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert "needs Java 17 or newer" in done.stderr


@pytest.mark.parametrize(("missing", "needed"), [("click", "'click>=8.2.1'"), ("rich", "rich")])
def test_without_the_extra(missing: str, needed: str) -> None:
    """If the extra's packages are missing, the command prints how to install them."""
    script = (
        "import runpy, sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "sys.argv = ['confluent_kafka', 'cluster']\n"
        "runpy.run_module('confluent_kafka', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == 1
    assert f"Install them with: python -m pip install {needed}\n" in done.stderr
    assert "Traceback" not in done.stderr
