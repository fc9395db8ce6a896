"""The pytest plugin: the fixtures `kafka_cluster` and `kafka_topic` for users."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

pytest_plugins = ["pytester"]

IMPORTS = """
    import pytest
    from confluent_kafka import Producer
    from confluent_kafka.testing import MockCluster
"""


@pytest.fixture(autouse=True)
def importlib_mode(pytester: pytest.Pytester) -> None:
    """Each inner run uses only its own ini file."""
    pytester.makeini("[pytest]")


def test_pytest_finds_the_plugin() -> None:
    """Installing the package is enough: the entry point names the module."""
    (plugin,) = entry_points(group="pytest11", name="confluent_kafka")
    assert plugin.value == "confluent_kafka.testing.pytest_plugin"
    assert plugin.load().__name__ == plugin.value


def test_the_plugin_is_light() -> None:
    """If tests do not use the plugin, it imports only the extension and no other package."""
    script = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import confluent_kafka.testing.pytest_plugin\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(new - set(sys.stdlib_module_names)))\n"
        "print('asyncio' in new)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["confluent_kafka", "False"], done.stderr


def test_a_cluster_and_a_topic(pytester: pytest.Pytester) -> None:
    """A test with both fixtures gets a running cluster and an existing topic."""
    pytester.makepyfile(
        IMPORTS
        + """
    def test_topic(kafka_cluster, kafka_topic):
        assert isinstance(kafka_cluster, MockCluster)
        assert kafka_cluster.brokers == 3
        with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
            topics = producer.list_topics(timeout=30).topics
        assert [(name, len(topic.partitions)) for name, topic in topics.items()] == [
            (kafka_topic, 1)
        ]
    """
    )
    pytester.runpytest().assert_outcomes(passed=1)


def test_the_marker(pytester: pytest.Pytester) -> None:
    """The marker of `kafka_topic` sets partitions and replicas, and is registered."""
    pytester.makepyfile(
        IMPORTS
        + """
    @pytest.mark.kafka_topic(partitions=4, replication_factor=2)
    def test_topic(kafka_cluster, kafka_topic):
        with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
            (topic,) = producer.list_topics(timeout=30).topics.values()
        assert len(topic.partitions) == 4
        assert {len(partition.replicas) for partition in topic.partitions.values()} == {2}

    @pytest.mark.kafka_topic(partition=4)
    def test_wrong_marker(kafka_topic):
        pass
    """
    )
    result = pytester.runpytest("--strict-markers")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*TypeError: create_topic() takes no argument 'partition'*"])


def test_topic_names(pytester: pytest.Pytester) -> None:
    """Topic names contain the test's name, are valid for Kafka, and differ from test to test."""
    pytester.makepyfile(
        IMPORTS
        + """
    names = []

    @pytest.mark.parametrize("value", ["a/b", "x" * 300, "\\u00e9"])
    def test_topic(kafka_topic, value):
        names.append(kafka_topic)

    def test_names():
        assert len(set(names)) == 3
        assert all(name.startswith("test_topic-") for name in names)
    """
    )
    pytester.runpytest("-p", "no:randomly").assert_outcomes(passed=4)


def test_a_new_cluster_for_every_test(pytester: pytest.Pytester) -> None:
    """Faults that one test injects do not exist in the next test."""
    pytester.makepyfile(
        IMPORTS
        + """
    seen = []

    @pytest.mark.parametrize("number", [1, 2])
    def test_cluster(kafka_cluster, number):
        assert kafka_cluster.pending_errors("Produce", 1) == 0
        kafka_cluster.inject_errors("Produce", [3], broker_id=1)
        seen.append(kafka_cluster)

    def test_closed():
        for cluster in seen:
            with pytest.raises(RuntimeError, match="closed"):
                cluster.create_topic("t")
    """
    )
    pytester.runpytest().assert_outcomes(passed=3)


def test_options(pytester: pytest.Pytester) -> None:
    """The ini file sets the number of brokers, and how long a cluster is used."""
    pytester.makeini("[pytest]\nkafka_cluster_brokers = 1\nkafka_cluster_scope = session")
    pytester.makepyfile(
        IMPORTS
        + """
    seen = []

    @pytest.fixture(scope="session")
    def service(kafka_cluster):
        return kafka_cluster.bootstrap_servers

    @pytest.mark.parametrize("number", [1, 2])
    def test_cluster(service, kafka_cluster, kafka_topic, number):
        assert kafka_cluster.brokers == 1
        seen.append((kafka_cluster, kafka_topic))

    def test_seen():
        (one, topic), (two, other_topic) = seen
        assert one is two
        assert topic != other_topic
    """
    )
    pytester.runpytest().assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("kafka_cluster_brokers = 0", "kafka_cluster_brokers must be 1 to 100, not '0'"),
        ("kafka_cluster_brokers = many", "kafka_cluster_brokers must be 1 to 100, not 'many'"),
        ("kafka_cluster_scope = test", "kafka_cluster_scope must be one of function, *'test'"),
    ],
)
def test_wrong_options(pytester: pytest.Pytester, line: str, message: str) -> None:
    """The error names the wrong option and the allowed values."""
    pytester.makeini(f"[pytest]\n{line}")
    pytester.makepyfile("def test_cluster(kafka_cluster): pass")
    result = pytester.runpytest()
    assert result.ret != pytest.ExitCode.OK
    output = result.stdout.str() + result.stderr.str()
    assert message.partition("*")[0] in output


def test_a_scope_that_there_is_not(pytester: pytest.Pytester) -> None:
    """A wrong scope is a usage error without a traceback, even if no test uses a cluster."""
    pytester.makeini("[pytest]\nkafka_cluster_scope = modul")
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_subprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    output = result.stdout.str() + result.stderr.str()
    assert "kafka_cluster_scope must be one of function" in output
    assert "INTERNALERROR" not in output
