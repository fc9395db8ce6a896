"""`consume --share-group` and the benchmarks that read with a consumer of their own."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import pytest

from confluent_kafka import Consumer, Producer, ShareConsumer, TopicPartition
from confluent_kafka.testing import MockCluster

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, ended, run, started
from tests.support.kafka import numbers, send
from tests.support.waiting import TIMEOUT, wait_until

Run = Callable[..., Ended]


@pytest.fixture
def cluster(kafka_cluster: MockCluster) -> MockCluster:
    """A cluster whose share groups begin at the start of a topic."""
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    kafka_cluster.set_share_group_heartbeat_interval(0.1)
    return kafka_cluster


@pytest.fixture
def cli(cluster: MockCluster) -> Run:
    """Runs a command with the cluster."""

    def run_with(command: str, *arguments: str) -> Ended:
        return run(*command.split(), *arguments, "-b", cluster.bootstrap_servers)

    return run_with


@pytest.fixture
def ten(kafka_topic: str, producer: Producer) -> str:
    """The topic with the values b"0" to b"9" in one partition."""
    send(producer, kafka_topic, numbers(0, 10))
    return kafka_topic


def rest(cluster: MockCluster, topic: str, count: int) -> dict[bytes, int]:
    """The values that the group "workers" still has to process, with their delivery counts.

    Waits for `count` of them, and then for more that must not come.
    """
    config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "workers", "log_level": 3}
    found: dict[bytes, int] = {}
    with ShareConsumer(config) as consumer:
        consumer.subscribe([topic])

        def step() -> None:
            for message in consumer.poll(0.2):
                assert message.error() is None
                found[message.value() or b""] = message.delivery_count() or 0

        wait_until(lambda: len(found) >= count, step)
        step()
    return found


class TestConsume:
    def test_written_messages_are_accepted(self, cli: Run, cluster: MockCluster, ten: str) -> None:
        """-n stops after a number of messages. Messages that were written are accepted, and the
        group still has the other messages."""
        done = cli("consume --share-group workers -n 4", ten)
        assert done == (0, b"0\n1\n2\n3\n", "4 messages\n")
        assert rest(cluster, ten, 6).keys() == set(numbers(4, 10))

    def test_messages_of_a_batch_beyond_the_count(
        self, cli: Run, cluster: MockCluster, ten: str
    ) -> None:
        """Messages that the brokers handed out beyond -n are released, so they come again soon."""
        done = cli("consume --share-group workers -n 4 -q -X max.poll.records=10", ten)
        assert done == (0, b"0\n1\n2\n3\n", "")
        assert rest(cluster, ten, 6) == dict.fromkeys(numbers(4, 10), 2)

    def test_filters(self, cli: Run, cluster: MockCluster, kafka_topic: str) -> None:
        """Messages that a filter leaves out are accepted, too, up to the last written message."""
        lines = b"a:1\nb:2\na:3\nb:4\n"
        servers = ["-b", cluster.bootstrap_servers]
        assert run("produce", kafka_topic, "-q", "-K", ":", *servers, stdin=lines).status == 0
        done = cli(
            "consume --share-group workers -q -n 2 --key-is a --value json --json", kafka_topic
        )
        assert [json.loads(line)["value"] for line in done.stdout.splitlines()] == [1, 3]
        assert rest(cluster, kafka_topic, 1).keys() == {b"4"}

    def test_a_message_that_cannot_be_decoded(
        self, cli: Run, cluster: MockCluster, kafka_topic: str, producer: Producer
    ) -> None:
        """The message that ends the command is released, and messages before it are accepted."""
        send(producer, kafka_topic, [b"1", b"{", b"2"])
        done = cli("consume --share-group workers -q --value json", kafka_topic)
        assert (done.status, done.stdout) == (1, b"1\n")
        assert f"error: {kafka_topic} [0] offset 1: value: not JSON" in done.stderr
        assert rest(cluster, kafka_topic, 2) == {b"{": 2, b"2": 2}

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_interrupted(
        self, cluster: MockCluster, ten: str, producer: Producer, number: signal.Signals
    ) -> None:
        """Ctrl-C and SIGTERM end the command with status 130 and the number of messages. Messages
        that were written are not delivered again."""
        servers = ["-b", cluster.bootstrap_servers]
        process = started("consume", ten, "--share-group", "workers", *servers)
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(10)]
        process.send_signal(number)
        assert ended(process) == (130, b"", "10 messages\n")
        assert lines == [b"%d\n" % value for value in range(10)]
        send(producer, ten, [b"new"])
        assert rest(cluster, ten, 1) == {b"new": 1}

    def test_a_reader_that_ends(self, cluster: MockCluster, ten: str) -> None:
        """If the reader of stdout has ended, messages that could not be written are released."""
        servers = ["-b", cluster.bootstrap_servers]
        process = started("consume", ten, "--share-group", "workers", *servers)
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        assert ended(process).status == 141
        assert rest(cluster, ten, 10) == dict.fromkeys(numbers(0, 10), 2)

    @pytest.mark.parametrize(
        ("options", "problem"),
        [
            ("-e", "cannot be combined with --until or --exit-at-end"),
            ("--from earliest", "cannot be combined with --from"),
            ("-g other", "cannot be combined with --group"),
            ("-p 0", "cannot be combined with --partition"),
            ("-n 1 -o file.csv", "cannot be combined with --output"),
            ("^orders", "needs names of topics, not a regular expression (^orders)"),
        ],
    )
    def test_options_that_need_offsets(self, cli: Run, options: str, problem: str) -> None:
        """Options that a share group cannot have are wrong usage, and the error names them."""
        done = cli("consume orders --share-group workers", *options.split())
        assert done.status == 2
        assert f"--share-group: {problem}" in " ".join(done.stderr.split())

    def test_a_topic_that_is_not_there(self, cli: Run, ten: str) -> None:
        """The error names a topic that does not exist, and the nearest name."""
        done = cli("consume --share-group workers", f"{ten}x")
        assert done.stderr == f"error: topic '{ten}x' does not exist: did you mean '{ten}'?\n"


def figures(done: Ended) -> dict[str, float]:
    assert (done.status, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    found: dict[str, float] = json.loads(line)
    return found


class TestRoundTrip:
    @pytest.mark.kafka_topic(partitions=2)
    def test_one_message_at_a_time(self, cli: Run, ten: str) -> None:
        """Each message is sent when the one before has been read, so the times add up. Messages
        that were there before are not counted."""
        found = figures(cli("bench round-trip -n 20 --json", ten))
        assert found["messages"] == 20
        quantiles = [found[name] for name in ("p50 ms", "p95 ms", "p99 ms", "max ms")]
        assert quantiles[0] > 0
        assert quantiles == sorted(quantiles)
        assert found["p50 ms"] * 10 <= found["seconds"] * 1000

    def test_the_time_is_measured(self, cli: Run, cluster: MockCluster) -> None:
        """If the broker answers slowly, the measured time is long."""
        cluster.create_topic("slow", 1)
        for broker in range(1, cluster.brokers + 1):
            cluster.set_round_trip_time(broker, 0.1)
        found = figures(cli("bench round-trip -n 2 --json", "slow"))
        assert found["p50 ms"] >= 100

    def test_at_a_rate(self, cli: Run, kafka_topic: str) -> None:
        """--rate sets the number of messages per second, and --size sets the size of a value."""
        options = ["-n", "50", "--rate", "100", "--size", "7", "--json"]
        found = figures(cli("bench round-trip", kafka_topic, *options))
        assert found["messages"] == 50
        assert found["seconds"] >= 0.49
        read = cli("consume -e -q -f %S\\n", kafka_topic).stdout.split()
        assert read == [b"7"] * 51

    def test_messages_of_other_programs(
        self, cli: Run, cluster: MockCluster, kafka_topic: str, consumer: Consumer
    ) -> None:
        """Messages that other programs send meanwhile are not counted."""
        options = ["-n", "100000", "--rate", "500", "-b", cluster.bootstrap_servers]
        other = started("bench", "produce", kafka_topic, *options)
        place = TopicPartition(kafka_topic, 0)
        try:
            wait_until(lambda: consumer.get_watermark_offsets(place, TIMEOUT)[1] > 0)
            found = figures(cli("bench round-trip -n 30 --json", kafka_topic))
            assert other.poll() is None
        finally:
            other.kill()
            other.communicate()
        assert found["messages"] == 30

    def test_a_message_that_does_not_arrive(
        self, cli: Run, cluster: MockCluster, kafka_topic: str
    ) -> None:
        """If a message cannot be sent, the status is 1, and the error has the reason."""
        options = ["-X", "message.max.bytes=1000", "--size", "5000"]
        done = cli("bench round-trip", kafka_topic, *options)
        assert (done.status, done.stdout) == (1, b"")
        assert "Message size too large" in done.stderr

    def test_a_topic_that_is_not_there(self, cli: Run, ten: str) -> None:
        """The error names a topic that does not exist, and the nearest name."""
        done = cli("bench round-trip", f"{ten}x")
        assert done.stderr == f"error: topic '{ten}x' does not exist: did you mean '{ten}'?\n"


class TestShare:
    def test_messages_are_accepted(self, cli: Run, cluster: MockCluster, ten: str) -> None:
        """-n messages are counted and accepted. The group still has the other messages."""
        found = figures(cli("bench share --group workers -n 4 --json", ten))
        assert found["messages"] == 4
        assert found["messages/s"] == pytest.approx(4 / found["seconds"], rel=0.1)
        assert 0 < found["first s"] <= found["seconds"]
        assert rest(cluster, ten, 6).keys() == set(numbers(4, 10))

    def test_messages_of_a_batch_beyond_the_count(
        self, cli: Run, cluster: MockCluster, ten: str
    ) -> None:
        """Messages that the brokers handed out beyond -n are released, so they come again soon."""
        figures(cli("bench share -g workers -n 4 --json -X max.poll.records=10", ten))
        assert rest(cluster, ten, 6) == dict.fromkeys(numbers(4, 10), 2)

    def test_too_few_messages(self, cli: Run, ten: str) -> None:
        """If no more message comes, the status is 1. The error has the number of messages, and
        the command that lets a new group begin at the start."""
        done = cli("bench share --group workers -n 11 --timeout 1", ten)
        assert (done.status, done.stdout) == (1, b"")
        first, second = done.stderr.splitlines()
        assert first == "error: no message for 1 s, after 10 messages"
        assert "configs set group workers share.auto.offset.reset=earliest" in second

    def test_without_a_group(self, cli: Run, ten: str) -> None:
        """The name of the group is required."""
        done = cli("bench share", ten)
        assert done.status == 2
        assert "--group" in done.stderr
