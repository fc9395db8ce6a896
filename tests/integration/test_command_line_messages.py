"""`consume` and `produce` on a real cluster: schemas, filters, files, templates, transactions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.transactional import wait_for_markers
from tests.support.command_line import Ended, ended, run, started
from tests.support.waiting import wait_until

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka.testing import MockRegistry

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

ORDER = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "int"}, {"name": "fruit", "type": "string"}],
}


@pytest.fixture
def registry() -> Iterator[MockRegistry]:
    with MockRegistry() as registry:
        yield registry


@pytest.fixture
def schema(tmp_path: Path) -> str:
    file = tmp_path / "order.avsc"
    file.write_text(json.dumps(ORDER))
    return str(file)


def command(kafka: KafkaCluster, *arguments: str, stdin: bytes = b"") -> Ended:
    return run(*arguments, "-b", kafka.bootstrap_servers, stdin=stdin)


def test_orders(
    kafka: KafkaCluster, topic: str, registry: MockRegistry, schema: str, group: str, tmp_path: Path
) -> None:
    """Orders are written in Avro, read back by a pattern, filtered by a field, and written to
    files. A Parquet file has columns with the types of the schema. A group continues after messages
    that a filter left out."""
    pytest.importorskip("cel_expr_python", reason="cel-expr-python is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    url = ["--registry", registry.url]
    orders: list[dict[str, object]] = [{"id": number, "fruit": "apple"} for number in range(20)]
    stdin = b"".join(f"k{one['id']}|{json.dumps(one)}\n".encode() for one in orders)
    options = ["--value", "avro", "--schema", schema, "--register", "-K", "|", "-H", "a=b"]
    done = command(kafka, "produce", topic, *options, *url, stdin=stdin)
    assert done == (0, b"", "20 delivered, 0 failed\n")
    value = ["--value", "auto", *url]
    where = ["--where", "value.id >= 18 && headers.a == 'b'"]
    found = command(kafka, "consume", f"^{topic}$", "-e", *value, *where)
    assert sorted(json.loads(line)["id"] for line in found.stdout.splitlines()) == [18, 19]
    assert found.stderr == "2 messages\n"
    file = tmp_path / "orders.jsonl"
    assert command(kafka, "consume", topic, "-e", "-o", str(file), *value).status == 0
    ids = [json.loads(line)["value"]["id"] for line in file.read_text().splitlines()]
    assert sorted(ids) == list(range(20))
    columns = tmp_path / "orders.parquet"
    assert command(kafka, "consume", topic, "-e", "-o", str(columns), *value).status == 0
    values = parquet.read_table(columns)["value"].to_pylist()
    assert sorted(each["id"] for each in values) == list(range(20))
    one = command(kafka, "consume", topic, "-g", group, "-e", "--key-is", "k7", *value)
    assert one.stdout == b'{"id":7,"fruit":"apple"}\n'
    again = command(kafka, "consume", topic, "-g", group, "-e", "--fail-if-empty", *value)
    assert (again.status, again.stdout) == (1, b"")


def test_what_cannot_be_decoded(
    kafka: KafkaCluster, topic: str, registry: MockRegistry, schema: str
) -> None:
    """A message that is not Avro is reported with its place; the other messages are read."""
    url = ["--registry", registry.url]
    options = ["-p", "0", "--value", "avro", "--schema", schema, "--register", *url]
    good = json.dumps({"id": 1, "fruit": "pear"}).encode()
    assert command(kafka, "produce", topic, *options, stdin=good).status == 0
    assert command(kafka, "produce", topic, "-p", "0", stdin=b"bad").status == 0
    assert command(kafka, "produce", topic, *options, stdin=good).status == 0
    read = ["consume", topic, "-e", "--value", "avro", *url]
    stopped = command(kafka, *read)
    assert (stopped.status, stopped.stdout) == (1, b'{"id":1,"fruit":"pear"}\n')
    assert f"error: {topic} [0] offset 1: value: " in stopped.stderr
    continued = command(kafka, *read, "--on-error", "continue")
    assert (continued.status, continued.stdout) == (1, 2 * b'{"id":1,"fruit":"pear"}\n')


def test_partitions_and_timestamps(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """Messages in JSON keep their partitions, timestamps, headers and tombstones."""
    source, target = make_topic(3, retention_ms="-1"), make_topic(3, retention_ms="-1")
    lines = b"".join(
        json.dumps(
            {
                "partition": number % 3,
                "timestamp": 1_700_000_000_000 + number,
                "key": f"k{number}",
                "value": None if number == 2 else f"v{number}",
                "headers": [["h", str(number)]],
            }
        ).encode()
        + b"\n"
        for number in range(6)
    )
    options = ["--json", "--keep-partitions"]
    assert command(kafka, "produce", source, *options, stdin=lines).status == 0
    shown = command(kafka, "consume", source, "-e", "-q", "--json").stdout
    assert command(kafka, "produce", target, *options, stdin=shown).status == 0
    copied = command(kafka, "consume", target, "-e", "-q", "--json").stdout
    first, second = ([json.loads(line) for line in one.splitlines()] for one in (shown, copied))
    assert sorted(str(one | {"topic": ""}) for one in first) == sorted(
        str(one | {"topic": ""}) for one in second
    )
    assert {one["partition"] for one in second} == {0, 1, 2}


def test_templates_in_transactions(kafka: KafkaCluster, topic: str) -> None:
    """Messages of a template arrive in transactions; a transaction with a message that is not valid
    is aborted."""
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    options = ["-n", "25", "--transaction-size", "10", "--value", "int32"]
    done = command(kafka, "produce", topic, "--template", "{{seq}}", *options)
    assert done == (0, b"", "25 committed\n")
    template = "{{'x' if seq == 15 else seq + 100}}"
    refused = command(kafka, "produce", topic, "--template", template, *options)
    assert (refused.status, refused.stderr.splitlines()[0]) == (1, "10 committed")
    wait_for_markers(kafka, topic)
    shown = command(kafka, "consume", topic, "-e", "-q", "--value", "int32").stdout
    found = sorted(int(line) for line in shown.splitlines())
    assert found == [*range(25), *range(100, 110)]


def test_a_copy_that_is_killed(kafka: KafkaCluster, make_topic: MakeTopic, group: str) -> None:
    """A copy that is killed in the middle of its work continues, and each message is there once,
    in the same order and partition."""
    source, target = make_topic(2), make_topic(2)
    lines = b"".join(
        b'{"key": "k%d", "value": "v%d", "partition": %d}\n' % (one, one, one % 2)
        for one in range(20_000)
    )
    options = ["--json", "--keep-partitions"]
    assert command(kafka, "produce", source, *options, stdin=lines).status == 0
    arguments = ["copy", source, target, "-g", group, "-b", kafka.bootstrap_servers]
    process = started(*arguments)
    wait_until(lambda: command(kafka, "consume", target, "-e").stdout != b"")
    process.kill()
    ended(process)
    assert command(kafka, *arguments[:-2], "-e").status == 0
    wait_for_markers(kafka, target, 2)
    form = ["-e", "-q", "-f", r"%p %k %s\n"]
    first = command(kafka, "consume", source, *form).stdout.splitlines()
    second = command(kafka, "consume", target, *form).stdout.splitlines()
    for partition in (b"0 ", b"1 "):
        assert [one for one in first if one.startswith(partition)] == [
            one for one in second if one.startswith(partition)
        ]
    assert len(second) == 20_000


def test_a_topic_in_a_file(kafka: KafkaCluster, make_topic: MakeTopic, tmp_path: Path) -> None:
    """`load` restores a topic from a Parquet file that `consume` wrote."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    source, target = make_topic(2, retention_ms="-1"), make_topic(2, retention_ms="-1")
    lines = b"".join(
        b'{"key": "k%d", "value": "v%d", "timestamp": %d}\n' % (one, one, 10**12 + one)
        for one in range(100)
    )
    assert command(kafka, "produce", source, "--json", stdin=lines).status == 0
    file = str(tmp_path / "topic.parquet")
    assert command(kafka, "consume", source, "-e", "-o", file) == (0, b"", "100 messages\n")
    assert command(kafka, "load", target, file) == (0, b"", "100 delivered, 0 failed\n")
    form = ["-e", "-q", "-f", r"%p %T %k %s\n"]
    first, second = (
        sorted(command(kafka, "consume", topic, *form).stdout.splitlines())
        for topic in (source, target)
    )
    assert first == second
