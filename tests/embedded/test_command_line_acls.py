"""``acls``: the ACLs of producers and consumers, and what is deleted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.patches import needs

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-snapshot")

Run = Callable[..., Ended]
PRODUCER = "--principal User:a --producer --topic orders --transactional-id t"
CONSUMER = "--principal User:a --consumer --topic orders --group g"


@pytest.fixture
def acls(kafka_cluster: MockCluster) -> Run:
    """Runs `acls COMMAND` with the cluster."""
    return lambda command: run("acls", *command.split(), "-b", kafka_cluster.bootstrap_servers)


def found(done: Ended) -> set[tuple[str, str, str]]:
    """Kinds of resources, names and operations of ACLs that a command shows."""
    assert (done.status, done.stderr) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["principal"] for line in lines} <= {"User:a"}
    return {(line["resource"], line["name"], line["operation"]) for line in lines}


OF_PRODUCER = {
    *(("topic", "orders", each) for each in ("write", "describe", "create")),
    *(("transactional_id", "t", each) for each in ("write", "describe")),
}
OF_CONSUMER = {
    *(("topic", "orders", each) for each in ("read", "describe")),
    ("group", "g", "read"),
}


def test_created(acls: Run) -> None:
    """The command creates and shows the ACLs that a producer or a consumer needs."""
    assert found(acls(f"create {PRODUCER} -J")) == found(acls("list -J")) == OF_PRODUCER
    assert found(acls(f"create {CONSUMER} -J")) == OF_CONSUMER
    assert found(acls("list -J")) == OF_PRODUCER | OF_CONSUMER
    assert found(acls(f"create {PRODUCER} --consumer --group g -J")) == OF_PRODUCER | OF_CONSUMER


def test_options_apply_to_each_acl(acls: Run) -> None:
    """Pattern, host and permission are the same for all ACLs of a shortcut."""
    done = acls(f"create {CONSUMER} --pattern prefixed --host 10.0.0.1 --permission deny")
    lines = done.stdout.decode().splitlines()[1:]
    assert len(lines) == 3
    for line in lines:
        _, _, pattern, _, host, _, permission = line.split("\t")
        assert (pattern, host, permission) == ("prefixed", "10.0.0.1", "deny")


def test_deleted(acls: Run) -> None:
    """The same options delete only the same ACLs."""
    other = "create --resource topic --name orders --principal User:a --operation alter"
    assert acls(other).status == acls(f"create {CONSUMER}").status == 0
    assert found(acls(f"delete {CONSUMER} -y -J")) == OF_CONSUMER
    assert found(acls("list -J")) == {("topic", "orders", "alter")}
    assert acls(f"delete {CONSUMER} -y") == (0, b"no ACL matches\n", "")


@pytest.mark.parametrize("options", [CONSUMER, "--all", "--name orders"])
def test_not_confirmed(acls: Run, options: str) -> None:
    """The command shows what it would delete. Without a terminal it needs --yes."""
    assert acls(f"create {CONSUMER}").status == 0
    done = acls(f"delete {options}")
    assert done.status == 2
    assert b"topic\torders\tliteral\tUser:a\t*\tread\tallow\n" in done.stdout
    assert done.stderr.startswith("error: --yes: is required without a terminal\n")
    assert found(acls("list -J")) == OF_CONSUMER


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("create --name t", "--resource: is required without --producer or --consumer"),
        ("create --resource topic --name t", "--operation: is required without --producer or"),
        ("create --producer", "--topic: is required with --producer or --consumer"),
        ("create --consumer --topic t", "--group: is required with --consumer"),
        ("create --producer --topic t --group g", "--group: needs --consumer"),
        (
            "create --consumer --topic t --group g --transactional-id t",
            "--transactional-id: needs --producer",
        ),
        ("create --topic t", "--topic: needs --producer or --consumer"),
        ("create --producer --topic t --name t", "--name: cannot be combined with --producer or"),
        ("create --producer --topic t --pattern any", ""),
        ("delete --producer --topic t --operation read", "--operation: cannot be combined with"),
    ],
)
def test_wrong_usage(acls: Run, command: str, error: str) -> None:
    """The error names the option that is missing, or that cannot be combined."""
    done = acls(f"{command} --principal User:a")
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"error: {error}")
    assert found(acls("list -J")) == set()


def test_whose_acls(acls: Run) -> None:
    """To delete the ACLs of a producer, the user is required."""
    done = acls("delete --producer --topic t -y")
    assert done.status == 2
    assert "--principal: is required with --producer and --consumer" in done.stderr


def test_rows_contain_what_was_done(acls: Run) -> None:
    """With --json, each row contains whether the ACL was deleted."""
    assert acls(f"create {CONSUMER}").status == 0
    asked = acls("delete --all --json")
    assert asked.status == 2
    assert {json.loads(line)["done"] for line in asked.stdout.splitlines()} == {False}
    done = acls("delete --all --yes --json")
    assert (done.status, len(done.stdout.splitlines())) == (0, len(asked.stdout.splitlines()))
    assert {json.loads(line)["done"] for line in done.stdout.splitlines()} == {True}
