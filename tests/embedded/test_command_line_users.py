"""``users``: credentials, whose passwords are in no argument and no output."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.embedded.test_command_line_endings import Terminal
from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-snapshot")

Run = Callable[..., Ended]
PASSWORD = secret("alice").encode()


@pytest.fixture
def users(kafka_cluster: MockCluster) -> Run:
    """Runs `users COMMAND` with the cluster."""

    def run_with(command: str, stdin: bytes = b"") -> Ended:
        words = command.split()
        return run("users", *words, "-b", kafka_cluster.bootstrap_servers, stdin=stdin)

    return run_with


def listed(users: Run) -> list[tuple[str, str, int]]:
    done = users("list --json")
    assert (done.status, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return [(row["user"], row["mechanism"], row["iterations"]) for row in found]


def test_set_and_deleted(users: Run) -> None:
    """A user has one credential for each mechanism, and both can be deleted together."""
    done = users("set alice", PASSWORD + b"\n")
    assert done == (0, b"user alice can log in with scram-sha-512\n", "")
    done = users("set alice -m scram-sha-256 -i 4096", PASSWORD)
    assert done.status == 0
    assert listed(users) == [("alice", "scram-sha-256", 4096), ("alice", "scram-sha-512", 8192)]
    done = users("delete alice -m scram-sha-256 -y")
    assert done == (0, b"user alice cannot log in with scram-sha-256\n", "")
    assert users("set alice -m scram-sha-256", PASSWORD).status == 0
    done = users("delete alice -y")
    assert done.stdout == b"user alice cannot log in with scram-sha-256 and scram-sha-512\n"
    assert listed(users) == []


def test_not_confirmed(users: Run) -> None:
    """Nothing is deleted without --yes or a terminal."""
    assert users("set alice", PASSWORD).status == 0
    done = users("delete alice")
    assert done.status == 2
    assert "--yes: is required without a terminal" in done.stderr
    assert len(listed(users)) == 1


def test_who_does_not_exist(users: Run) -> None:
    """A user without credentials is an error, and the other users are listed."""
    assert users("set alice", PASSWORD).status == 0
    done = users("list alice bob")
    assert (done.status, len(done.stdout.splitlines())) == (1, 2)
    assert done.stderr.startswith("error: user 'bob': ")
    assert users("delete bob -y").status == 1
    assert users("delete alice -m scram-sha-256 -y").status == 1


@pytest.mark.parametrize(
    ("command", "stdin", "error"),
    [
        ("set alice", b"", "stdin: the first line of stdin must be the password"),
        ("set alice", b"\nlate", "stdin: the first line of stdin must be the password"),
        ("set alice", b"\xff\xfe\n", "stdin: the password must be UTF-8"),
        ("set alice -i 100", b"x", "--iterations: '100' is not a whole number from 4096 to 16384"),
        ("set alice -m md5", b"x", "--mechanism: 'md5' is not one of scram-sha-256, scram-sha-512"),
    ],
)
def test_wrong_usage(users: Run, command: str, stdin: bytes, error: str) -> None:
    """Nothing is sent, and the error names what is wrong."""
    done = users(command, stdin)
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"error: {error}\n")
    assert listed(users) == []


def test_the_spelling_of_kafka(users: Run) -> None:
    """A mechanism can be written in upper case, as in Kafka's own configuration."""
    assert users("set alice -m SCRAM-SHA-256", PASSWORD).stdout.endswith(b" with scram-sha-256\n")
    assert b"[default: scram-sha-512]" in b" ".join(users("set --help").stdout.split())


def test_control_characters(users: Run) -> None:
    """The output shows control characters of a name as escapes, so that no terminal executes
    them."""
    done = users("set e\x1b[31m", PASSWORD)
    assert done == (0, b"user e\\x1b[31m can log in with scram-sha-512\n", "")
    done = users("delete e\x1b[31m --yes")
    assert done.stdout == b"user e\\x1b[31m cannot log in with scram-sha-512\n"


def test_the_question(users: Run, kafka_cluster: MockCluster) -> None:
    """On a terminal, the command asks twice, and the terminal does not show the answers."""
    with Terminal("users", "set", "alice", "-b", kafka_cluster.bootstrap_servers) as terminal:
        terminal.read_until(b"Password of alice: ")
        terminal.press(PASSWORD + b"\n")
        terminal.read_until(b"Repeat for confirmation: ")
        terminal.press(PASSWORD + b"\n")
        terminal.read_until(b"user alice can log in with scram-sha-512")
        assert terminal.process.wait(TIMEOUT) == 0
    assert PASSWORD not in terminal.shown
    assert listed(users) == [("alice", "scram-sha-512", 8192)]
