"""The command line on a real cluster: what the embedded one cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import USERS, KafkaCluster, OwnKafkaCluster
from tests.integration.plain_clients import writer
from tests.support.command_line import run
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT

pytestmark = pytest.mark.integration

START = 1_000_000_000_000  # 2001-09-09T01:46:40Z


@pytest.fixture
def timed(kafka: KafkaCluster, make_topic: MakeTopic) -> str:
    """A topic whose messages 0 to 9 are one second apart."""
    topic = make_topic(retention_ms="-1")
    with writer(kafka) as producer:
        for number in range(10):
            producer.produce(topic, b"%d" % number, partition=0, timestamp=START + 1000 * number)
        assert producer.flush(TIMEOUT) == 0
    return topic


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--until", "2001-09-09T01:46:43Z"], range(3)),
        (["--from", "2001-09-09T01:46:47+00:00"], range(7, 10)),
        (["--from", "2001-09-09T01:46:42.500Z", "--until", "2001-09-09T01:46:45Z"], range(3, 5)),
        (["--from", "2030-01-01"], range(0)),
        (["--until", "2030-01-01"], range(10)),
    ],
)
def test_from_and_until_a_time(
    kafka: KafkaCluster, timed: str, options: list[str], expected: range
) -> None:
    """Bounds by time: the first message at or after it; later than all of them is the end."""
    end = [] if "--until" in options else ["-e"]
    done = run("consume", timed, "-b", kafka.bootstrap_servers, *options, *end, "-q")
    assert done == (0, b"".join(b"%d\n" % number for number in expected), "")


def test_a_group_goes_on(kafka: KafkaCluster, timed: str, group: str) -> None:
    """Each run writes what the ones before have not."""
    command = ["consume", timed, "-b", kafka.bootstrap_servers, "-g", group, "-q"]
    assert run(*command, "-n", "4").stdout == b"0\n1\n2\n3\n"
    assert run(*command, "-e").stdout == b"4\n5\n6\n7\n8\n9\n"
    assert run(*command, "-e") == (0, b"", "")


def test_a_transaction_to_the_end(kafka: KafkaCluster, topic: str) -> None:
    """The end is reached though the last offset is a marker, or of an aborted transaction."""
    with writer(kafka, {"transactional.id": topic}) as producer:
        producer.init_transactions(TIMEOUT)
        for value, end in (
            (b"kept", producer.commit_transaction),
            (b"dropped", producer.abort_transaction),
        ):
            producer.begin_transaction()
            producer.produce(topic, value, partition=0)
            end(TIMEOUT)
    done = run("consume", topic, "-b", kafka.bootstrap_servers, "-e", "-q")
    assert done == (0, b"kept\n", "")


def test_a_topic_that_is_not_there(kafka: KafkaCluster, topic: str) -> None:
    """Status 1 with the nearest name, for both; sending does not wait for the timeout."""
    for command in ("consume", "produce"):
        done = run(command, f"{topic}x", "-b", kafka.bootstrap_servers)
        assert done.status == 1
        assert f"{topic}x" in done.stderr


@pytest.mark.parametrize("command", ["consume", "produce"])
def test_credentials_of_a_file(
    own_kafka: OwnKafkaCluster, topic: str, tmp_path: Path, command: str
) -> None:
    """A file with the password lets in; a wrong one is one line without it, at once."""
    wrong = secret("wrong")
    for password, status in ((USERS["alice"], 0), (wrong, 1)):
        config = own_kafka.config("SASL_PLAINTEXT") | {
            "sasl.mechanism": "PLAIN",
            "sasl.username": "alice",
            "sasl.password": password,
        }
        file = tmp_path / "kafka.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in config.items()))
        options = ["-e"] if command == "consume" else []
        done = run(command, topic, "-F", str(file), *options, stdin=b"value\n")
        assert done.status == status
    (line,) = done.stderr.splitlines()
    assert "Authentication failed" in line
    assert wrong not in line
