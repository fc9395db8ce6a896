"""`python -m confluent_kafka produce` and `consume`, end to end."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    Message,
    Producer,
    TopicPartition,
    libversion,
    protocol,
)
from confluent_kafka.testing import MockCluster
from tests.support.command_line import Ended, ended, run, started, words
from tests.support.kafka import NO_BROKER, committed, read, send, values_of
from tests.support.mock_brokers import withdraw
from tests.support.patches import needs
from tests.support.secrets import secret
from tests.support.waiting import SOON, TIMEOUT, Stopwatch

Run = Callable[..., Ended]
_PRODUCER = ["--producer-id", "1", "--producer-epoch", "0"]


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the machine's own settings."""
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)


@pytest.fixture
def kafka_cli(kafka_cluster: MockCluster) -> Run:
    """Runs commands on the test's own cluster."""

    def run_with(command: str, *arguments: str, stdin: bytes = b"") -> Ended:
        brokers = ["--brokers", kafka_cluster.bootstrap_servers]
        return run(command, *arguments, *brokers, stdin=stdin)

    return run_with


def fields(message: Message) -> tuple[object, ...]:
    return message.key(), message.value(), message.headers()


class TestProduce:
    def test_lines_of_stdin(self, kafka_cli: Run, kafka_topic: str, consumer: Consumer) -> None:
        """Each line is a message, even an empty line, an unfinished last line, or a line that is
        not UTF-8. The summary counts the messages."""
        done = kafka_cli("produce", kafka_topic, stdin=b"one\n\ntwo\xff\r\nthree")
        assert done == (0, b"", "4 delivered, 0 failed\n")
        assert values_of(read(consumer, kafka_topic, 4)) == [b"one", b"", b"two\xff\r", b"three"]

    def test_ctrl_c_loses_no_message(
        self, kafka_cli: Run, kafka_topic: str, consumer: Consumer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Ctrl-C waits until the messages in flight are delivered, and the summary counts them."""

        def interrupted(*arguments: object) -> Iterator[list[bytes]]:
            yield [b"one", b"two"]
            raise KeyboardInterrupt

        monkeypatch.setattr(
            import_module("confluent_kafka.cli.messages.inputs"), "records_of", interrupted
        )
        monkeypatch.setattr(
            import_module("confluent_kafka.cli.messages.sending"), "_GRACE", TIMEOUT
        )
        done = kafka_cli("produce", kafka_topic, "-X", "linger.ms=60000", "--timeout", str(TIMEOUT))
        assert done == (130, b"", "2 delivered, 0 not delivered\n")
        assert values_of(read(consumer, kafka_topic, 2)) == [b"one", b"two"]

    @pytest.mark.parametrize("quiet", [[], ["-q"]])
    def test_ctrl_c_counts_what_was_not_delivered(
        self, kafka_cli: Run, kafka_topic: str, monkeypatch: pytest.MonkeyPatch, quiet: list[str]
    ) -> None:
        """A second Ctrl-C ends the wait, and the summary counts the messages without a report."""
        module = import_module("confluent_kafka.cli.messages.sending")

        def interrupt(*arguments: object) -> None:
            raise KeyboardInterrupt

        class Interrupted(Producer):
            flush = interrupt

        monkeypatch.setattr(module, "Producer", Interrupted)
        options = ["-X", "linger.ms=60000", *quiet]
        done = kafka_cli("produce", kafka_topic, *options, stdin=b"one\ntwo")
        assert done == (130, b"", "" if quiet else "0 delivered, 2 not delivered\n")

    def test_a_directory(self, kafka_cli: Run, kafka_topic: str, tmp_path: Path) -> None:
        """A directory as a file of messages is wrong usage, and no message is sent."""
        done = kafka_cli("produce", kafka_topic, str(tmp_path))
        assert done.status == 2
        assert "is a directory" in words(done.stderr)

    def test_keys_headers_nulls(self, kafka_cli: Run, kafka_topic: str, consumer: Consumer) -> None:
        """-K divides at the first separator, -H adds headers in order, -Z makes tombstones."""
        options = ["-K", r"\t", "-H", "a=1", "-H", "b=", "-H", "a=x=y", "-Z", "-q"]
        done = kafka_cli("produce", kafka_topic, *options, stdin=b"k\tv\tw\nk\t\n")
        assert done == (0, b"", "")
        headers = [("a", b"1"), ("b", b""), ("a", b"x=y")]
        messages = read(consumer, kafka_topic, 2)
        assert [fields(one) for one in messages] == [
            (b"k", b"v\tw", headers),
            (b"k", None, headers),
        ]

    def test_files(
        self, kafka_cli: Run, kafka_topic: str, consumer: Consumer, tmp_path: Path
    ) -> None:
        """Files are read in order, and stdin is read at the place of -. -D separates messages, and
        -k is the key of all messages."""
        first, last = tmp_path / "first", tmp_path / "last"
        first.write_bytes(b"a;b\n;")
        last.write_bytes(b"d")
        done = kafka_cli(
            "produce", kafka_topic, str(first), "-", str(last), "-D", ";", "-k", "k", stdin=b"c"
        )
        assert done.status == 0
        messages = read(consumer, kafka_topic, 4)
        assert [(one.key(), one.value()) for one in messages] == [
            (b"k", value) for value in (b"a", b"b\n", b"c", b"d")
        ]

    def test_whole_files(
        self, kafka_cli: Run, kafka_topic: str, consumer: Consumer, tmp_path: Path
    ) -> None:
        """With --whole, a file is one message, with all its line ends."""
        file = tmp_path / "file"
        file.write_bytes(b"a\nb\n")
        assert kafka_cli("produce", kafka_topic, str(file), "--whole").status == 0
        assert values_of(read(consumer, kafka_topic, 1)) == [b"a\nb\n"]

    @pytest.mark.kafka_topic(partitions=3)
    def test_a_partition(self, kafka_cli: Run, kafka_topic: str, consumer: Consumer) -> None:
        """-p chooses the partition."""
        assert kafka_cli("produce", kafka_topic, "-p", "2", stdin=b"a").status == 0
        assert read(consumer, kafka_topic, 1, partitions=3)[0].partition() == 2

    def test_a_copy_through_json(
        self, kafka_cli: Run, kafka_topic: str, producer: Producer, consumer: Consumer
    ) -> None:
        """`produce --json` sends what `consume --json` wrote: keys, values, headers, nulls, bytes
        that are not text, and timestamps."""
        sent = [
            {"key": "k", "value": 'ü\n"', "headers": [("h", b"\xfe"), ("n", None)]},
            {"key": b"\xff", "value": None, "timestamp": 1_000_000_000_123},
        ]
        assert producer.produce_batch(kafka_topic, sent, 0) == len(sent)
        assert producer.flush(TIMEOUT) == 0
        lines = kafka_cli("consume", kafka_topic, "-e", "--json").stdout
        assert json.loads(lines.splitlines()[0])["value"] == 'ü\n"'
        assert kafka_cli("produce", kafka_topic, "--json", stdin=lines).status == 0
        messages = read(consumer, kafka_topic, 4)
        assert [fields(one) for one in messages[2:]] == [fields(one) for one in messages[:2]]
        assert messages[3].timestamp() == messages[1].timestamp()

    @pytest.mark.parametrize(
        ("options", "line", "problem"),
        [
            (["-K", ":"], "b", "has no key separator b':'"),
            (["--json"], "b", "not JSON"),
            (["--json"], "[]", "must be a JSON object, not list"),
            (["--json"], '{"value": 1}', "value must be a string, null or {'base64': ...}, not 1"),
            (["--json"], '{"value": {"base64": "?"}}', "value: "),
            (["--json"], '{"value": "v", "headers": [1]}', "headers must be a list of [name, v"),
            (["--json"], '{"value": "v", "timestamp": "x"}', "timestamp must be milliseconds as i"),
            (["--json"], '{"key": "k"}', 'has no value: write "value": null'),
            (["--json"], '{"vaule": "v"}', "unknown field 'vaule': did you mean 'value'?"),
            (["--json"], '{"value": "v", "x": 1}', "unknown field 'x': the fields are topic, part"),
        ],
    )
    def test_a_line_that_is_no_message(
        self,
        kafka_cli: Run,
        kafka_topic: str,
        consumer: Consumer,
        options: list[str],
        line: str,
        problem: str,
    ) -> None:
        """For an invalid line, the status is 1, and the error has the line's number and the reason.
        Earlier lines are delivered."""
        good = '{"value": null}' if "--json" in options else "a:"
        done = kafka_cli("produce", kafka_topic, *options, stdin=f"{good}\n{line}\n{good}".encode())
        assert done.status == 1
        assert done.stderr.startswith("1 delivered, 0 failed\nerror: stdin, message 2: ")
        assert problem in done.stderr
        assert len(read(consumer, kafka_topic, 1)) == 1

    def test_messages_that_fail(self, kafka_cli: Run, kafka_topic: str) -> None:
        """If messages are not delivered, the status is 1, and the error has their number and the
        first reason."""
        done = kafka_cli(
            "produce", kafka_topic, "-X", "message.max.bytes=1000", stdin=b"a\n" + b"b" * 2000
        )
        assert done.status == 1
        assert done.stderr.startswith(f"1 delivered, 1 failed\nerror: topic '{kafka_topic}': ")
        assert "Message size too large" in done.stderr


class TestConsume:
    def test_to_the_end(self, kafka_cli: Run, filled: str) -> None:
        """-e prints all present messages, one per line, and nothing else on stdout."""
        lines = b"".join(b"%d\n" % number for number in range(100))
        assert kafka_cli("consume", filled, "-e") == (0, lines, "100 messages\n")

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (["-n", "3"], range(3)),
            (["--from", "97"], range(97, 100)),
            (["--from", "-2"], range(98, 100)),
            (["--from", "-200"], range(100)),
            (["--from", "end"], range(0)),
            (["--from", "4", "--until", "6"], range(4, 6)),
            (["--from", "2", "--until", "end", "-p", "0", "-n", "2"], range(2, 4)),
        ],
    )
    def test_from_and_until(
        self, kafka_cli: Run, filled: str, options: list[str], expected: range
    ) -> None:
        """--from and --until can be an offset or a count from the end. Tests of times are in
        tests/integration."""
        end = [] if "--until" in options or "-n" in options else ["-e"]
        done = kafka_cli("consume", filled, *options, *end, "-q")
        assert done == (0, b"".join(b"%d\n" % number for number in expected), "")

    @pytest.mark.kafka_topic(partitions=3)
    def test_only_some_partitions(
        self, kafka_cli: Run, kafka_topic: str, producer: Producer
    ) -> None:
        """-p reads only that partition; empty partitions do not keep the command from ending."""
        for partition in range(2):
            producer.produce(kafka_topic, b"%d" % partition, partition=partition)
        assert producer.flush(TIMEOUT) == 0
        assert kafka_cli("consume", kafka_topic, "-p", "1", "-p", "2", "-e").stdout == b"1\n"

    def test_formats(self, kafka_cli: Run, kafka_topic: str, producer: Producer) -> None:
        """--format supports all tokens and escapes, and shows nulls."""
        producer.produce(
            kafka_topic,
            "val",
            "k",
            0,
            timestamp=1_000_000_000_000,
            headers=[("h", "1"), ("i", None)],
        )
        producer.produce(kafka_topic, None, None, 0, timestamp=1_000_000_000_001)
        assert producer.flush(TIMEOUT) == 0
        text = r"%t %p %o %k %K %s %S [%h] %T %D 100%%\t\x41\n"
        done = kafka_cli("consume", kafka_topic, "-e", "--format", text)
        topic = kafka_topic.encode()
        assert done.stdout == (
            topic
            + b" 0 0 k 1 val 3 [h=1,i=NULL] 1000000000000 2001-09-09T01:46:40.000Z 100%\tA\n"
            + topic
            + b" 0 1  -1  -1 [] 1000000000001 2001-09-09T01:46:40.001Z 100%\tA\n"
        )

    def test_json(self, kafka_cli: Run, kafka_topic: str, producer: Producer) -> None:
        """--json prints one object per line; only bytes that are not text are in base64."""
        producer.produce(
            kafka_topic, b"\xff", "ü", 0, timestamp=1_000_000_000_000, headers=[("h", "1")]
        )
        assert producer.flush(TIMEOUT) == 0
        (line,) = kafka_cli("consume", kafka_topic, "-e", "-J").stdout.splitlines()
        assert json.loads(line) == {
            "topic": kafka_topic,
            "partition": 0,
            "offset": 0,
            "timestamp": 1_000_000_000_000,
            "key": "ü",
            "value": {"base64": "/w=="},
            "headers": [["h", "1"]],
        }

    def test_a_group_goes_on(
        self, kafka_cli: Run, filled: str, make_consumer: Callable[..., Consumer]
    ) -> None:
        """-g commits only written messages: -n 10 commits 10, even if 100 were fetched."""
        done = kafka_cli("consume", filled, "-g", "group", "-n", "10")
        assert done.stdout == b"".join(b"%d\n" % number for number in range(10))
        assert committed(make_consumer(), filled) == 10

    @pytest.mark.parametrize("source", ["-X", "environment"])
    def test_a_group_of_the_configuration(
        self,
        kafka_cli: Run,
        filled: str,
        make_consumer: Callable[..., Consumer],
        monkeypatch: pytest.MonkeyPatch,
        source: str,
    ) -> None:
        """group.id is the same as -g. The command prints a note about it, because it commits
        offsets there."""
        if source == "environment":
            monkeypatch.setenv("KAFKA_GROUP_ID", "group")
        options = ["-X", "group.id=group"] if source == "-X" else []
        done = kafka_cli("consume", filled, "-n", "10", *options)
        assert done.status == 0
        assert done.stderr.splitlines() == [
            "group group of the configuration (--group '' reads without it)",
            "10 messages",
        ]
        assert committed(make_consumer(), filled) == 10
        done = kafka_cli("consume", filled, "-n", "10", "-q", *options)
        assert done == (0, b"".join(b"%d\n" % number for number in range(10, 20)), "")

    def test_no_group_of_the_configuration(
        self,
        kafka_cli: Run,
        filled: str,
        make_consumer: Callable[..., Consumer],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """With an empty group name, the command reads without a group: it commits nothing, and
        accepts -p."""
        monkeypatch.setenv("KAFKA_GROUP_ID", "group")
        done = kafka_cli("consume", filled, "-p", "0", "-n", "10")
        assert done.status == 2
        assert "--group '' reads without a group" in done.stderr
        done = kafka_cli("consume", filled, "-p", "0", "-n", "10", "-g", "")
        assert (done.status, done.stderr) == (0, "10 messages\n")
        assert committed(make_consumer(), filled) < 0

    def test_a_group_to_the_end(self, kafka_cli: Run, filled: str) -> None:
        """With -g and -e, the command ends when it has read every assigned partition to its end."""
        done = kafka_cli("consume", filled, "-g", "group", "-e")
        assert done.status == 0
        assert done.stdout.count(b"\n") == 100

    def test_where_a_group_starts(self, kafka_cli: Run, filled: str) -> None:
        """A group without offsets starts at auto.offset.reset; --from takes precedence over it."""
        latest = ["-X", "auto.offset.reset=latest", "-e"]
        assert kafka_cli("consume", filled, "-g", "one", *latest).stdout == b""
        done = kafka_cli("consume", filled, "-g", "two", *latest, "--from", "beginning")
        assert done.stdout.count(b"\n") == 100

    def test_one_message(self, kafka_cli: Run, filled: str) -> None:
        """The summary counts one message, and not messages."""
        assert kafka_cli("consume", filled, "-n", "1").stderr == "1 message\n"

    def test_a_topic_that_is_not_there(self, kafka_cli: Run, kafka_cluster: MockCluster) -> None:
        """For a missing topic, the status is 1, and the error suggests the nearest name. The topic
        is not created."""
        kafka_cluster.create_topic("orders")
        done = kafka_cli("consume", "order", "-e")
        assert done == (1, b"", "error: topic 'order' does not exist: did you mean 'orders'?\n")
        assert kafka_cli("consume", "order", "-e").status == 1

    @pytest.mark.parametrize("command", ["consume {} -e -q", "bench consume {}"])
    def test_no_group_needs_no_permission(
        self, kafka_cli: Run, kafka_cluster: MockCluster, filled: str, command: str
    ) -> None:
        """Without -g, a user needs permission for the topic only, and not for any group."""
        kafka_cluster.inject_errors(
            "FindCoordinator", [KafkaError.GROUP_AUTHORIZATION_FAILED] * 1000
        )
        # The answer to the first fetch comes after the answer about the group.
        for broker in range(1, kafka_cluster.brokers + 1):
            kafka_cluster.inject_errors(
                "Fetch", [KafkaError.NO_ERROR], broker_id=broker, round_trip_time=0.3
            )
        done = kafka_cli(*command.format(filled).split())
        assert (done.status, done.stderr) == (0, "")

    def test_a_forbidden_group(
        self, kafka_cli: Run, kafka_cluster: MockCluster, filled: str
    ) -> None:
        """If the user may not use the group of -g, the status is 1, and the error has the
        reason."""
        kafka_cluster.inject_errors(
            "FindCoordinator", [KafkaError.GROUP_AUTHORIZATION_FAILED] * 1000
        )
        done = kafka_cli("consume", filled, "-g", "g", "-e", "-q")
        assert (done.status, done.stdout) == (1, b"")
        assert "Group authorization failed" in done.stderr

    def test_a_forbidden_topic(
        self, kafka_cli: Run, kafka_cluster: MockCluster, kafka_topic: str
    ) -> None:
        """If the topic is forbidden, the status is 1, and the error names the forbidden topic.

        tests/integration/test_acls.py tests a topic that a real cluster does not list at all.
        """
        kafka_cluster.set_topic_error(kafka_topic, KafkaError.TOPIC_AUTHORIZATION_FAILED)
        done = kafka_cli("consume", kafka_topic, "-e", "-q")
        assert (done.status, done.stdout) == (1, b"")
        assert f"topic '{kafka_topic}' is forbidden for this user: " in done.stderr

    def test_a_partition_that_is_not_there(self, kafka_cli: Run, kafka_topic: str) -> None:
        """If the partition does not exist, the status is 1, and the error lists the existing
        partitions."""
        done = kafka_cli("consume", kafka_topic, "-p", "3")
        assert done.status == 1
        assert done.stderr == f"error: topic '{kafka_topic}' has no partition 3, only partition 0\n"


class TestBench:
    def figures(self, done: Ended) -> dict[str, float]:
        assert (done.status, done.stderr) == (0, "")
        (line,) = done.stdout.splitlines()
        found: dict[str, float] = json.loads(line)
        return found

    @pytest.mark.kafka_topic(partitions=2)
    def test_there_and_back(self, kafka_cli: Run, kafka_topic: str) -> None:
        """`bench produce` and `bench consume` count every message; rates and latencies are
        consistent."""
        sent = self.figures(kafka_cli("bench", "produce", kafka_topic, "-n", "5000", "--json"))
        assert sent["messages"] == 5000
        assert sent["messages/s"] == pytest.approx(5000 / sent["seconds"], rel=0.1)
        assert sent["MB/s"] == pytest.approx(sent["messages/s"] * 100 / 1e6, abs=0.02)
        assert 0 < sent["p50 ms"] <= sent["p95 ms"] <= sent["p99 ms"] <= sent["seconds"] * 1000
        read = self.figures(kafka_cli("bench", "consume", kafka_topic, "--json"))
        assert read["messages"] == 5000
        few = self.figures(kafka_cli("bench", "consume", kafka_topic, "--json", "-n", "10"))
        assert few["messages"] == 10

    def test_at_a_rate(self, kafka_cli: Run, kafka_topic: str) -> None:
        """bench produces no faster than --rate."""
        options = ["-n", "100", "-s", "10", "--rate", "200", "--json"]
        sent = self.figures(kafka_cli("bench", "produce", kafka_topic, *options))
        assert sent["seconds"] >= 0.45

    def test_messages_that_fail(self, kafka_cli: Run, kafka_topic: str) -> None:
        """If messages fail, the status is 1, and the command prints the reason instead of
        figures."""
        options = ["-n", "10", "-s", "5000", "-X", "message.max.bytes=1000"]
        done = kafka_cli("bench", "produce", kafka_topic, *options)
        assert (done.status, done.stdout) == (1, b"")
        assert "Message size too large" in done.stderr


class TestSettings:
    def config_file(self, folder: Path, text: str) -> str:
        file = folder / "kafka.properties"
        file.write_text(text)
        return str(file)

    def test_a_file(self, kafka_cluster: MockCluster, filled: str, tmp_path: Path) -> None:
        """-F reads lines of key=value. Spaces, empty lines and comments are allowed."""
        servers = kafka_cluster.bootstrap_servers
        file = self.config_file(tmp_path, f"# brokers\n\n bootstrap.servers = {servers} \n")
        assert run("consume", filled, "-F", file, "-n", "1").stdout == b"0\n"

    def test_the_environment(self, kafka_cluster: MockCluster, filled: str) -> None:
        """The documented KAFKA_* variables are properties; Java's own variables are not touched."""
        environment = {
            "KAFKA_BOOTSTRAP_SERVERS": kafka_cluster.bootstrap_servers,
            "KAFKA_HEAP_OPTS": "-Xmx1G",
        }
        assert run("consume", filled, "-n", "1", environment=environment).stdout == b"0\n"

    def test_who_wins(self, kafka_cluster: MockCluster, filled: str, tmp_path: Path) -> None:
        """Settings come from the environment, the file, -X and --brokers; each takes precedence
        over the earlier ones."""
        servers = kafka_cluster.bootstrap_servers
        wrong = {"KAFKA_BOOTSTRAP_SERVERS": NO_BROKER}
        wrong_file = self.config_file(tmp_path, f"bootstrap.servers={NO_BROKER}")
        good = ["-X", f"bootstrap.servers={servers}"]
        bad = ["-X", f"bootstrap.servers={NO_BROKER}"]
        command = ["consume", filled, "-n", "1", "-F", wrong_file]
        assert run(*command, *good, environment=wrong).stdout == b"0\n"
        assert run(*command, *bad, "-b", servers, environment=wrong).stdout == b"0\n"
        good_file = self.config_file(tmp_path, f"bootstrap.servers={servers}")
        done = run("consume", filled, "-n", "1", "-F", good_file, environment=wrong)
        assert done.stdout == b"0\n"
        named = {"KAFKA_CONFIG_FILE": good_file}
        assert run("consume", filled, "-n", "1", environment=named).stdout == b"0\n"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "no brokers: give --brokers"),
            (["-b", "http://host:9092"], "give brokers as host:port, without http://"),
            (["-b", "x", "-X", "linger_ms=1"], "did you mean 'linger.ms'?"),
            (["-b", "x", "-X", "linger.ms"], "-X: needs KEY=VALUE"),
            (["-b", "x", "-F", "/nowhere"], "'/nowhere' does not exist"),
        ],
    )
    @pytest.mark.parametrize("command", ["produce", "consume"])
    def test_wrong_settings(self, command: str, arguments: list[str], message: str) -> None:
        """A wrong setting ends with status 2, and the error names the setting and the reason."""
        done = run(command, "topic", *arguments)
        assert (done.status, done.stdout) == (2, b"")
        assert message in words(done.stderr)

    def test_a_wrong_line_of_a_file(self, tmp_path: Path) -> None:
        """For a wrong line, the status is 2. The error names the file and the line's number; it
        does not repeat the line, which may be a password."""
        word = secret("word")
        file = self.config_file(tmp_path, f"a=b\n{word}\n")
        done = run("consume", "topic", "-F", file)
        assert done.status == 2
        assert "line 2: needs key=value" in words(done.stderr)
        assert word not in done.stderr

    @pytest.mark.parametrize("text", ["sasl.password", "{word}", "sasl.pass={word}"])
    def test_secrets_are_not_shown(self, text: str) -> None:
        """No error repeats a text that may be a password."""
        word = secret("word")
        arguments = ["-b", NO_BROKER, "-X", text.format(word=word)]
        done = run("consume", "topic", *arguments, "-X", f"sasl.password={word}")
        assert done.status == 2
        assert word not in done.stderr

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["consume", "t", "--from", "x"], "'x' is not earliest, latest, an offset, -N, a time"),
            (["consume", "t", "--until", "-1"], "'-1' is not earliest, latest, an offset, a time"),
            (["consume", "t", "-e", "--until", "5"], "cannot be combined with --until"),
            (["consume", "t", "-g", "g", "-p", "1"], "cannot be combined with --partition"),
            (["consume", "t", "-g", "g", "--from", "5"], "must be earliest or latest with --group"),
            (["consume", "t", "-f", "%q"], "'%q' is not a token: the tokens are %t %p"),
            (["consume", "t", "-f", "%"], "'%' is not a token"),
            (["consume", "t", "-J", "-f", "%k"], "--format: cannot be combined with --json"),
            (["consume"], "TOPICS is missing"),
            (["produce", "t", "-J", "-Z"], "cannot be combined with --key-separator, --key, --w"),
            (["produce", "t", "--whole", "-D", ","], "--whole: cannot be combined with --delim"),
            (["cluster", "--port", "0", "describe"], "--port: give the options of describe after"),
            (["dump-log", __file__, "--topic", "t"], "--topic: needs --records"),
            (["dump-log", __file__, "--max-size", "1"], "--max-size: needs --records"),
            (
                ["pipeline", "validate", __file__, "--without-spark", "--conf", "spark.a=b"],
                "--without-spark: cannot be combined with --conf",
            ),
            (["produce", "t", "-H", "x"], "'x': needs NAME=VALUE"),
            (["produce", "t", "-D", ""], "must not be empty"),
            (["produce", "t", "-k", "a", "-K", "b"], "give --key or --key-separator"),
            (["produce", "t", "--json", "--whole"], "cannot be combined with --key-separator"),
            (["produce", "t", "/nowhere"], "'/nowhere' does not exist"),
            (["prodcue"], "produce"),
            (["topics", "delete", "t"], "--yes: is required without a terminal"),
            (["groups", "delete", "g"], "--yes: is required without a terminal"),
            (["acls", "delete", "-y"], "--all: without --resource, --name, --principal or"),
            (["acls", "delete", "-y", "--resource", "any"], "give a filter, or --all"),
            (["acls", "delete", "-y", "--all", "--name", "t"], "cannot be combined with a filter"),
            (["acls", "list", "--resource", "x"], "'x' is not one of any, topic, group"),
            (["topics", "create", "t", "-c", "x"], "--config: 'x': needs NAME=VALUE"),
            (["configs", "set", "topic", "t", "x"], "'x': needs NAME=VALUE"),
            (["configs", "describe", "user", "t"], "topic, broker, group"),
            (["cluster", "describe", "--timeout", "0"], "--timeout"),
            (["log-dirs", "--broker", "x"], "--broker: 'x' is not a whole number"),
            (["reassign", "start", "t:0"], "'t:0': needs TOPIC:PARTITION=BROKER,..."),
            (["reassign", "start", "t:0=1,x"], "'t:0=1,x': needs TOPIC:PARTITION=BROKER,..."),
            (["reassign", "start"], "--file: give either partitions or --file"),
            (["reassign", "cancel", "t:x"], "'t:x': needs TOPIC or TOPIC:PARTITION,..."),
            (["reassign", "cancel"], "--all: give either partitions or --all"),
            (["transactions", "list", "--state", "x"], "'x' is not one of empty, ongoing"),
            (
                ["transactions", "list", "--duration", "-1"],
                "--duration: '-1' is not a number",
            ),
            (["transactions", "describe"], "TRANSACTIONAL_ID... is missing"),
            (["transactions", "describe-producers", "t"], "'t': needs TOPIC:PARTITION"),
            (["transactions", "abort", "t:0", "-y"], "give either --start-offset or --producer-id"),
            (
                ["transactions", "abort", "t:0", "-y", "--start-offset", "1", *_PRODUCER],
                "give either --start-offset or --producer-id",
            ),
            (
                ["transactions", "abort", "t:0", "--producer-id", "1"],
                "--producer-id: needs --producer-epoch, too",
            ),
            (
                ["transactions", "abort", "t:0", "--start-offset", "1", "--coordinator-epoch", "1"],
                "--coordinator-epoch: needs --producer-id",
            ),
            (["transactions", "abort", "t:0", *_PRODUCER], "--yes: is required without"),
            (["transactions", "force-terminate", "id"], "--yes: is required without a terminal"),
            (["quotas", "alter", "a=1"], "give --user, --client-id, --ip or --default"),
            (["quotas", "alter", "--user", "u"], "give QUOTA=VALUE or --remove"),
            (["quotas", "alter", "--user", "u", "a=x"], "a: 'x' is not a number"),
            (["quotas", "alter", "--user", "u", "a=nan"], "a: 'nan' is not a number"),
            (
                ["quotas", "alter", "--user", "u", "--default", "user"],
                "an entity type is given twice",
            ),
            (["features", "upgrade", "a"], "FEATURE=VERSION: 'a': needs NAME=VALUE"),
            (["features", "upgrade", "a=0", "-y"], "a: '0' is not a version from 1 to 32767"),
            (["features", "downgrade", "a=x", "-y"], "a: 'x' is not a version from 0 to 32767"),
            (["features", "downgrade", "a=32768", "-y"], "a: '32768' is not a version"),
            (["features", "upgrade", "a=1"], "--yes: is required without a terminal"),
            (["features", "downgrade", "a=1"], "--yes: is required without a terminal"),
            (["quorum", "add-voter", "1", "host:1"], "'host:1': needs LISTENER://HOST:PORT"),
            (["quorum", "add-voter", "1", "A://h:65536"], "needs LISTENER://HOST:PORT"),
            (["quorum", "add-voter", "x", "A://h:1"], "ID: 'x' is not a whole number"),
            (["quorum", "add-voter", "1", "A://h:1"], "--yes: is required without a terminal"),
            (["quorum", "remove-voter", "1"], "--yes: is required without a terminal"),
            (
                ["quorum", "remove-voter", "1", "--directory", "AAAA", "-y"],
                "'AAAA' is not a UUID in base64, such as AAAAAAAAAAEAAAAAAAAAAg",
            ),
            (["quotas", "describe", "--default", "x"], "user, client-id, ip"),
            (["share-groups", "list", "--state", "x"], "'x' is not one of preparing_rebalance, c"),
            (["share-groups", "delete", "g"], "--yes: is required without a terminal"),
            (["share-groups", "delete-offsets", "g", "t"], "--yes: is required without a term"),
            (["share-groups", "reset-offsets", "g", "-t", "t"], "give one of --to, --shift-by"),
            (["share-groups", "reset-offsets", "g", "--to", "end"], "give --topic TOPIC or"),
            (["delegation-tokens", "renew", "x!"], "HMAC: must be base64"),
            (["delegation-tokens", "expire", ""], "HMAC: must not be empty"),
            (["delegation-tokens", "expire"], "HMAC: must be base64"),
            (
                ["delegation-tokens", "renew", "aGk=", "--period", "0"],
                "--period: '0' is not a number of at",
            ),
        ],
    )
    def test_wrong_usage(self, arguments: list[str], message: str) -> None:
        """Wrong usage ends with status 2 before any broker is asked; the error names the option and
        allowed values."""
        done = run(*arguments, environment={"KAFKA_BOOTSTRAP_SERVERS": NO_BROKER})
        assert (done.status, done.stdout) == (2, b"")
        assert message in words(done.stderr)


@pytest.mark.parametrize(
    "command",
    [
        "produce topic",
        "consume topic",
        "bench produce topic",
        "bench consume topic",
        "bench round-trip topic",
        "topics list",
        "groups describe group",
        "configs describe topic topic",
        "acls list",
        "cluster describe",
    ],
)
def test_no_broker_answers(command: str) -> None:
    """If no broker answers, the status is 1, and one line contains the reason, without a
    traceback."""
    watch = Stopwatch()
    done = run(*command.split(), "-b", NO_BROKER)
    assert watch.elapsed < SOON
    assert (done.status, done.stdout) == (1, b"")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert "refused" in line


@pytest.mark.parametrize(
    ("command", "request_"),
    [
        ("transactions list", protocol.ListTransactionsRequest),
        ("transactions describe id", protocol.DescribeTransactionsRequest),
        ("quotas describe", protocol.DescribeClientQuotasRequest),
        ("quotas alter --user u a=1", protocol.AlterClientQuotasRequest),
        ("features upgrade a=1 --check", protocol.UpdateFeaturesRequest),
        ("features downgrade a=1 -y", protocol.UpdateFeaturesRequest),
        ("quorum describe", protocol.DescribeQuorumRequest),
        ("quorum add-voter 1 CONTROLLER://localhost:1 -y", protocol.DescribeQuorumRequest),
        (
            "quorum remove-voter 1 -y --directory -__AAAAAAAEAAAAAAAAAAg",
            protocol.RemoveRaftVoterRequest,
        ),
    ],
)
@pytest.mark.skipif(libversion()[1] < 0x020F0000, reason="mock clusters have no controller")
def test_what_the_embedded_cluster_does_not_do(
    kafka_cli: Run, kafka_cluster: MockCluster, command: str, request_: type[protocol.Request]
) -> None:
    """The error comes at once, and names the embedded cluster, and not a missing controller or an
    older Kafka."""
    withdraw(kafka_cluster, request_.api_key)
    watch = Stopwatch()
    done = kafka_cli(*command.split())
    assert watch.elapsed < SOON
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith("error: the embedded cluster does not do this: ")


@needs("raw-request", "mock-on-request")
@pytest.mark.parametrize("command", ["create", "renew aGk=", "expire aGk=", "describe"])
def test_delegation_tokens_need_a_login(kafka_cli: Run, command: str) -> None:
    """The embedded cluster refuses tokens to a client that has not logged in, as Kafka does. The
    command says what to do."""
    done = kafka_cli("delegation-tokens", *command.split())
    assert (done.status, done.stdout) == (1, b"")
    assert "Delegation Token requests are not allowed on this connection" in done.stderr
    assert "Tokens need a connection with SASL or a client certificate." in done.stderr


@needs("mock-on-request", "mock-snapshot", "raw-request")
@pytest.mark.parametrize(
    "commands",
    [
        ("topics create new -p 2", "topics grow new 3", "topics delete new -y"),
        ("topics create new", "configs set topic new retention.ms=5", "configs describe topic new"),
        ("configs describe broker 1",),
        ("groups list",),
        (
            "acls create --resource topic --name t --principal User:a --operation read",
            "acls list",
            "acls delete --all -y",
        ),
        ("log-dirs",),
    ],
    ids=lambda commands: commands[-1],
)
def test_administration(kafka_cli: Run, commands: tuple[str, ...]) -> None:
    """The embedded cluster supports these administrative commands."""
    for command in commands:
        done = kafka_cli(*command.split())
        assert (done.status, done.stderr) == (0, ""), command


@pytest.mark.skipif(libversion()[1] < 0x020F0000, reason="mock clusters have no controller")
def test_descriptions(kafka_cli: Run, kafka_cluster: MockCluster) -> None:
    """The embedded cluster describes topics and itself, too."""
    kafka_cluster.create_topic("t", 1, 1)
    (topic,) = kafka_cli("topics", "describe", "t", "--json").stdout.splitlines()
    assert json.loads(topic)["topic"] == "t"
    brokers = kafka_cli("cluster", "describe", "--json").stdout.splitlines()
    assert [json.loads(line)["controller"] for line in brokers] == [True, False, False]


class TestSignals:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_interrupted(
        self, kafka_cluster: MockCluster, filled: str, number: signal.Signals
    ) -> None:
        """Ctrl-C and SIGTERM end with status 130; everything is written, and there is no
        traceback."""
        process = started("consume", filled, "-b", kafka_cluster.bootstrap_servers)
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(100)]
        process.send_signal(number)
        done = ended(process)
        assert (done.status, done.stdout) == (130, b"")
        (line,) = done.stderr.splitlines()
        assert line.endswith(" messages")
        assert lines == [b"%d\n" % value for value in range(100)]

    def test_nobody_reads(
        self, kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
    ) -> None:
        """If the reader closes the pipe, as in `consume | head`, the status is 141, without a
        traceback, and without a count: the command cannot know what the reader has read."""
        send(producer, kafka_topic, [b"x" * 1000] * 1000)
        process = started("consume", kafka_topic, "-b", kafka_cluster.bootstrap_servers)
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(TIMEOUT) == 141
        assert process.stdin is not None
        process.stdin.close()
        process.stderr.close()

    def test_lines_are_sent_as_they_are_typed(
        self, kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
    ) -> None:
        """A line is sent while stdin stays open; after Ctrl-C the status is 130."""
        process = started("produce", kafka_topic, "-b", kafka_cluster.bootstrap_servers)
        assert process.stdin is not None
        process.stdin.write(b"typed\n")
        process.stdin.flush()
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        message = consumer.poll(TIMEOUT)
        assert message is not None
        assert message.value() == b"typed"
        process.send_signal(signal.SIGINT)
        assert ended(process).status == 130


def test_dates_beyond_the_calendar(kafka_cli: Run, kafka_topic: str, producer: Producer) -> None:
    """Timestamps in nanoseconds, which some programs send, are written as numbers."""
    producer.produce(kafka_topic, b"a", timestamp=10**17, partition=0)
    producer.flush(TIMEOUT)
    done = kafka_cli("consume", kafka_topic, "-e", "-q", "--format", r"%D %s\n")
    assert done == (0, b"100000000000000000 a\n", "")


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (["produce", "t", "-p", "99999999999"], b"x", "partition must be an int from"),
        (
            ["produce", "t", "--json"],
            b'{"value": "", "timestamp": 1' + b"0" * 30 + b"}",
            "timestamp at index 0 must be",
        ),
        (
            ["produce", "t", "--json"],
            b'{"value": "", "headers": [["a\\u0000", null]]}',
            "NUL character",
        ),
        (["consume", "t", "--from", "9" * 20], b"", "offset must be an int from"),
        (["topics", "create", "a", "-p", "99999999999"], b"", "num_partitions must be an int"),
    ],
)
def test_arguments_that_the_client_refuses(
    kafka_cli: Run,
    kafka_cluster: MockCluster,
    arguments: list[str],
    stdin: bytes,
    said: str,
) -> None:
    """Arguments that the client refuses are wrong usage: one line has the reason, without a
    traceback."""
    kafka_cluster.create_topic("t")
    status, stdout, stderr = kafka_cli(*arguments, stdin=stdin)
    assert (status, stdout) == (2, b"")
    assert said in words(stderr)


def test_json_without_an_end(kafka_cli: Run, kafka_topic: str) -> None:
    """A line whose JSON is nested too deeply is not a message."""
    status, _, stderr = kafka_cli("produce", kafka_topic, "--json", stdin=b"[" * 100_000)
    assert status == 1
    assert "stdin, message 1: not JSON" in stderr
