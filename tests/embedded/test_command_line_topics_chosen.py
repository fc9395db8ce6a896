"""``topics list`` with patterns, ``topics describe --id`` and ``topics create --like``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.patches import needs

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")

Run = Callable[..., Ended]
NO_TOPIC = "AAAAAAAAAAEAAAAAAAAAAg"


@pytest.fixture
def topics(kafka_cluster: MockCluster) -> Run:
    """Runs `topics COMMAND` with the topics orders (two partitions) and payments."""
    kafka_cluster.create_topic("orders", 2, 3)
    kafka_cluster.create_topic("payments", 1, 1)
    servers = kafka_cluster.bootstrap_servers
    return lambda command, *arguments: run("topics", *command.split(), *arguments, "-b", servers)


def rows(done: Ended) -> list[dict[str, Any]]:
    """The rows that a command with --json wrote."""
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def names(done: Ended) -> list[str]:
    return [row["topic"] for row in rows(done)]


class TestList:
    def test_patterns_and_names(self, topics: Run) -> None:
        """Each topic that an argument selects is listed once."""
        assert names(topics("list -J")) == ["orders", "payments"]
        assert names(topics("list -J ^ord")) == ["orders"]
        assert names(topics("list -J ^.*s$ payments")) == ["orders", "payments"]

    def test_internal_topics(self, topics: Run, kafka_cluster: MockCluster) -> None:
        """An internal topic is listed with --internal, or if an argument selects it."""
        kafka_cluster.create_topic("__inner", 1, 1)
        assert "__inner" not in names(topics("list -J"))
        assert "__inner" in names(topics("list --internal -J"))
        assert names(topics("list -J ^__in")) == ["__inner"]
        assert names(topics("list -J __inner")) == ["__inner"]

    def test_no_match(self, topics: Run) -> None:
        """If no topic matches one of the arguments, the exit status is 1. Topics that match another
        argument are listed."""
        assert topics("list ^nosuch") == (1, b"", "error: no topic matches '^nosuch'\n")
        done = topics("list ^nosuch ^pay ordres -J")
        assert (done.status, json.loads(done.stdout)["topic"]) == (1, "payments")
        assert done.stderr == (
            "error: no topic matches '^nosuch'\n"
            "error: topic 'ordres' does not exist: did you mean 'orders'?\n"
        )

    @pytest.mark.parametrize("pattern", ["^(", "^[", "^orders{2,1}", "^*"])
    def test_an_invalid_pattern(self, topics: Run, pattern: str) -> None:
        """A pattern that is not a regular expression is wrong usage."""
        done = topics("list", pattern)
        assert (done.status, done.stdout) == (2, b"")
        assert f"TOPICS: {pattern!r} is not a regular expression" in done.stderr


class TestIds:
    def test_listed_and_described(self, topics: Run) -> None:
        """The ids that `list` shows select topics, also together with names, each topic once."""
        ids = {row["topic"]: row["id"] for row in rows(topics("list --ids -J"))}
        assert len(set(ids.values())) == 2
        by_name = rows(topics("describe orders -J"))
        assert rows(topics("describe --id", ids["orders"], "-J")) == by_name
        both = topics("describe -J --id", ids["orders"], "--id", ids["payments"], "orders")
        assert names(both) == ["orders", "orders", "payments"]

    def test_a_topic_without_ids(self, topics: Run) -> None:
        """A list without topics has no ids to show."""
        topics("delete orders payments --yes")
        assert topics("list --ids") == (0, b"topic\tpartitions\treplicas\tid\n", "")

    def test_an_unknown_id(self, topics: Run) -> None:
        """The error names the id that no topic has. The other topics are shown."""
        done = topics("describe payments -J --id", NO_TOPIC)
        assert (done.status, json.loads(done.stdout)["topic"]) == (1, "payments")
        assert done.stderr.startswith(f"error: topic id '{NO_TOPIC}': ")
        alone = topics("describe --id", NO_TOPIC)
        assert (alone.status, alone.stdout) == (1, b"")

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("orders", "is not a UUID in base64"),
            ("A" * 22, "is the id of no topic"),
            ("", "is not a UUID in base64"),
        ],
    )
    def test_a_wrong_id(self, topics: Run, text: str, reason: str) -> None:
        """A text that cannot be the id of a topic is wrong usage."""
        done = topics("describe --id", text)
        assert (done.status, done.stdout) == (2, b"")
        assert f"--id: {text!r} {reason}" in done.stderr


class TestLike:
    """A topic is created with the settings of another topic."""

    @pytest.fixture
    def model(self, topics: Run) -> str:
        """A topic with three partitions, two replicas, and two settings."""
        settings = "-c retention.ms=1000 -c cleanup.policy=compact"
        assert topics(f"create model -p 3 -r 2 {settings}").status == 0
        return "model"

    @staticmethod
    def facts(topics: Run, topic: str) -> tuple[int, int, dict[str, str]]:
        (row,) = rows(topics("list -J", topic))
        settings = rows(topics("describe --with-overrides -J", topic))
        found = {each["setting"]: each["value"] for each in settings}
        return row["partitions"], row["replicas"], found

    def test_everything(self, topics: Run, model: str) -> None:
        """Partitions, replicas and the settings that differ from the defaults are the same."""
        assert topics("create new --like", model) == (0, b"topic new was created\n", "")
        settings = {"cleanup.policy": "compact", "retention.ms": "1000"}
        assert self.facts(topics, "new") == self.facts(topics, model) == (3, 2, settings)

    def test_other_options_take_precedence(self, topics: Run, model: str) -> None:
        """-p, -r and -c replace what the other topic has, and --assign its brokers."""
        assert topics("create new -p 1 -r 1 -c retention.ms=5 --like", model).status == 0
        settings = {"cleanup.policy": "compact", "retention.ms": "5"}
        assert self.facts(topics, "new") == (1, 1, settings)
        assert topics("create placed --assign 2,1 --like", model).status == 0
        assert self.facts(topics, "placed")[:2] == (1, 2)
        assert rows(topics("describe placed -J"))[0]["replicas"] == [2, 1]

    def test_throttled_replicas(self, topics: Run) -> None:
        """Settings that name the throttled replicas of the old topic are not copied to the new
        topic."""
        throttle = "leader.replication.throttled.replicas=0:1"
        assert topics(f"create model -p 1 -r 1 -c {throttle} -c retention.ms=1000").status == 0
        assert topics("create new --like model").status == 0
        assert self.facts(topics, "new") == (1, 1, {"retention.ms": "1000"})

    def test_only_checked(self, topics: Run, model: str) -> None:
        """--check creates nothing."""
        assert topics("create new --check --like", model) == (
            *(0, b"topic new can be created\n", ""),
        )
        assert topics("list new").status == 1

    def test_a_model_that_does_not_exist(self, topics: Run) -> None:
        """The error suggests the nearest name, and nothing is created."""
        done = topics("create new --like ordres")
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr == "error: topic 'ordres' does not exist: did you mean 'orders'?\n"
        assert topics("list new").status == 1
        assert topics("create new --like", "a b").status == 2
