"""Completion of topics, groups and profiles in shells."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from click.shell_completion import shell_complete

from confluent_kafka import Consumer
from confluent_kafka.cli import app
from confluent_kafka.cli.shell import completion_values, shells
from confluent_kafka.testing import MockCluster
from tests.support.command_line import run
from tests.support.kafka import NO_BROKER
from tests.support.waiting import TIMEOUT
from tests.unit.test_command_line_completion import PROGRAM


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("KAFKA_PROFILES", str(tmp_path / "profiles.toml"))
    # At its time limit, completion ends its process. In these tests, this is the process of the
    # tests.
    monkeypatch.setattr(completion_values, "_LIMIT", TIMEOUT)


def offered(line: str, shell: str = "bash") -> list[str]:
    """What a shell would offer for the last word, in this process."""
    words = line.split(" ")
    environment = {
        "_CONFLUENT_KAFKA_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": f"confluent-kafka {line}",
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        out = io.TextIOWrapper(io.BytesIO(), write_through=True)
        with contextlib.redirect_stdout(out):
            shell_complete(
                app, {}, "confluent-kafka", "_CONFLUENT_KAFKA_COMPLETE", f"{shell}_complete"
            )
    out.seek(0)
    text = list(filter(None, out.read().splitlines()))
    if shell in ("zsh", "powershell"):
        return text[1::3]
    return [each.partition(",")[2] for each in text]


@pytest.fixture
def cluster(kafka_cluster: MockCluster) -> MockCluster:
    for name in ("completed-1", "completed-2", "other"):
        kafka_cluster.create_topic(name, 1)
    return kafka_cluster


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_topics(cluster: MockCluster, shell: str) -> None:
    """Arguments and options that are topics, with the options before them."""
    options = f"-b {cluster.bootstrap_servers}"
    both = ["completed-1", "completed-2"]
    assert offered(f"consume {options} completed", shell) == both
    assert offered(f"topics describe {options} other completed", shell) == both
    assert offered(f"log-dirs {options} --topic completed-2", shell) == ["completed-2"]
    assert offered(f"topics list {options} completed-1", shell) == ["completed-1"]
    assert offered(f"topics create {options} new --like completed", shell) == both


def test_groups(cluster: MockCluster) -> None:
    """Arguments and options that are groups. A name that a shell would interpret is quoted."""
    servers = cluster.bootstrap_servers
    for group in ("billing-1", "billing-$(id)", "billing-\x1b[2J"):
        with Consumer({"bootstrap.servers": servers, "group.id": group}) as consumer:
            consumer.subscribe(["other"])
            while not consumer.assignment():
                consumer.poll(0.1)
    both = ["billing-$(id)", "billing-1"]
    quoted = [r"billing-\$\(id\)", "billing-1"]
    assert offered(f"groups describe -b {servers} billing") == quoted
    assert offered(f"consume t -b {servers} --group billing") == quoted
    assert offered(f"groups describe -b {servers} billing", "zsh") == both
    assert offered(f"groups describe -b {servers} billing", "fish") == both
    if "powershell" in shells.NAMES:
        assert offered(f"groups describe -b {servers} billing", "powershell") == ["billing-1"]


def test_profiles(cluster: MockCluster, tmp_path: Path) -> None:
    """Profiles after -C and in `profiles show`, and the topics of the chosen profile."""
    (tmp_path / "profiles.toml").write_text(
        f'[local]\nbootstrap.servers = "{cluster.bootstrap_servers}"\n[prod]\n[proof]\n'
    )
    assert offered("consume t -C pro") == ["prod", "proof"]
    assert offered("profiles show l") == ["local"]
    assert offered("consume t --profile=pro") == ["--profile=prod", "--profile=proof"]
    assert offered("consume -C local completed-1") == ["completed-1"]


def test_the_cache(cluster: MockCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of a cluster are kept for some seconds, for each cluster."""
    line = f"consume -b {cluster.bootstrap_servers} kept"
    assert offered(line) == []
    cluster.create_topic("kept", 1)
    assert offered(line) == []
    monkeypatch.setattr(completion_values, "_FRESH", 0)
    assert offered(line) == ["kept"]


def test_no_secret_in_the_cache(cluster: MockCluster, tmp_path: Path) -> None:
    """The cache contains names, and only its owner can read it."""
    assert offered(f"consume -b {cluster.bootstrap_servers} -X client.id=x completed-1")
    (file,) = (tmp_path / "cache/confluent-kafka/completion").iterdir()
    assert "completed-1" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "line", ["consume t", "consume -F nowhere t", "consume -C nobody t", "groups describe -X a g"]
)
def test_silent(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Without a usable configuration nothing is offered, and nothing is reported."""
    assert offered(line) == []
    assert capfd.readouterr() == ("", "")


def test_a_cluster_that_does_not_answer() -> None:
    """The shell stops waiting, and does not ask again at the next TAB. Nothing is reported."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.setblocking(False)
        host, port = silent.getsockname()
        environment = {
            "_CONFLUENT_KAFKA_COMPLETE": "bash_complete",
            "COMP_WORDS": f"confluent-kafka consume -b {host}:{port} t",
        }
        asked = []
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM],
                env=os.environ | environment,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
            )
            assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
            asked.append(connections(silent))
    assert asked[0] > 0
    assert asked[1] == 0


def connections(server: socket.socket) -> int:
    """How many connections wait."""
    number = 0
    with contextlib.suppress(BlockingIOError):
        while True:
            server.accept()[0].close()
            number += 1
    return number


def test_the_command_itself_is_not_affected() -> None:
    """Completion does not change what a command reports."""
    done = run("topics", "list", "-b", NO_BROKER, "--timeout", "0.1")
    assert done.status == 1
    assert done.stderr.startswith("error: ")
