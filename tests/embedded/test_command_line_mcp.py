"""``mcp``: how the official client of the Model Context Protocol uses a cluster."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import NO_BROKER, joined, numbers, read, send, values_of
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")
mcp = pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from tests.support.command_line import COMMAND, run  # noqa: E402

T = TypeVar("T")
READING = ["cluster", "group", "groups", "messages", "topic", "topics", "why"]


def asked(cluster: MockCluster, talk: Callable[[Any], Awaitable[T]], *options: str) -> T:
    """Start the server, let a client talk to it, and return what `talk` returns."""
    arguments = [*COMMAND[1:], "mcp", "-b", cluster.bootstrap_servers, *options]
    server = mcp.StdioServerParameters(command=sys.executable, args=arguments)

    async def session() -> T:
        async with mcp.Client(server) as client:
            return await talk(client)

    return asyncio.run(asyncio.wait_for(session(), TIMEOUT))


def answer_of(cluster: MockCluster, tool: str, *options: str, **arguments: Any) -> Any:
    """The answer of one tool."""

    async def call(client: Any) -> Any:
        answer = await client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content
        return answer.structured_content

    return asked(cluster, call, *options)


@pytest.mark.parametrize(
    ("options", "tools"),
    [
        ([], READING),
        (["--allow", "produce"], [*READING, "produce"]),
        (["--allow", "produce,reset"], [*READING, "produce", "reset"]),
    ],
)
def test_tools(kafka_cluster: MockCluster, options: list[str], tools: list[str]) -> None:
    """The server offers only tools that read, and each other tool that --allow names."""

    async def list_tools(client: Any) -> dict[str, bool]:
        found = await client.list_tools()
        return {tool.name: tool.annotations.read_only_hint for tool in found.tools}

    found = asked(kafka_cluster, list_tools, *options)
    assert sorted(found) == sorted(tools)
    assert all(found[name] == (name in READING) for name in tools)


@needs("mock-on-request")
def test_a_cluster_and_its_topics(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """The tools describe brokers, and the partitions of a topic with their offsets."""
    send(producer, kafka_topic, [b"0", b"1"])

    async def look(client: Any) -> list[Any]:
        calls: list[tuple[str, dict[str, str]]] = [
            ("cluster", {}),
            ("topics", {"pattern": kafka_topic}),
            ("topic", {"topic": kafka_topic}),
        ]
        return [(await client.call_tool(*call)).structured_content for call in calls]

    cluster, topics, topic = asked(kafka_cluster, look)
    assert [each["id"] for each in cluster["brokers"]] == [1, 2, 3]
    assert [each["topic"] for each in topics["topics"]] == [kafka_topic]
    ends = {each["partition"]: each["end_offset"] for each in topic["partitions"]}
    assert (len(ends), ends[0]) == (topics["topics"][0]["partitions"], 2)


def test_messages(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """A sample begins at the requested place, and has at most the requested number of messages."""
    send(producer, kafka_topic, [json.dumps(str(number)).encode() for number in range(10)])
    wanted = {
        ("beginning", 2): ["0", "1"],
        ("-2", 10): ["8", "9"],
        ("7", 10): ["7", "8", "9"],
        ("-5", 3): ["7", "8", "9"],
        ("2100-01-01T00:00Z", 10): [],
    }

    async def read_all(client: Any) -> dict[tuple[str, int], list[str]]:
        found = {}
        for begin, count in wanted:
            arguments = {"topic": kafka_topic, "begin": begin, "count": count}
            answer = await client.call_tool("messages", arguments)
            messages = answer.structured_content["messages"]
            found[begin, count] = [message["value"] for message in messages]
        return found

    assert asked(kafka_cluster, read_all) == wanted


def test_what_is_hidden(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """Rules hide fields at every depth, headers, and parts of texts, before a long value is cut."""
    secret = "4111-1111"
    value = {"pad": "x" * 100, "user": {"Password": secret, "card": secret, "id": 7}}
    producer.produce(kafka_topic, json.dumps(value), secret, headers={"password": secret})
    producer.produce(kafka_topic, b"\xff" + secret.encode(), partition=0)
    producer.flush(TIMEOUT)
    options = ["--redact", "pass*", "--redact-pattern", r"\d{4}-\d{4}"]
    for limit in (["--max-bytes", "2048"], ["--max-bytes", "64"]):
        found = answer_of(kafka_cluster, "messages", *options, *limit, topic=kafka_topic)
        assert len(found["messages"]) == 2
        assert secret not in json.dumps(found)
        assert "[redacted]" in json.dumps(found)


def test_a_key_that_is_a_number(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A pattern also fits numbers, the names of fields, and the names of headers."""
    number = "41111111"
    value = f'{{"n": {number}, "{number}": true, "f": {number}.5}}'
    producer.produce(kafka_topic, value, number, headers={f"h{number}": "x"})
    producer.flush(TIMEOUT)
    found = answer_of(kafka_cluster, "messages", "--redact-pattern", r"\d{8}", topic=kafka_topic)[
        "messages"
    ]
    assert len(found) == 1
    assert number not in json.dumps(found)


def test_many_headers(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """An answer has some headers of a message, and the number of the other ones."""
    producer.produce(kafka_topic, b"x", headers=[(f"h{n}", "v") for n in range(5000)])
    producer.flush(TIMEOUT)
    (found,) = answer_of(kafka_cluster, "messages", topic=kafka_topic)["messages"]
    assert len(found["headers"]) + found["headers_left_out"] == 5000
    assert len(json.dumps(found)) < 5000


@pytest.mark.parametrize("depth", [100, 300, 600, 5000, 100_000])
def test_deep_json(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, depth: int
) -> None:
    """JSON of any depth gets an answer."""
    send(producer, kafka_topic, [b"[" * depth + b"]" * depth])
    (found,) = answer_of(kafka_cluster, "messages", topic=kafka_topic)["messages"]
    assert found["value"]


def test_produce_creates_no_topic(kafka_cluster: MockCluster) -> None:
    """The tool refuses a topic that does not exist, although a broker would create it."""
    kafka_cluster.create_topic("sent", 1)

    async def refused(client: Any) -> list[Any]:
        calls = [{"topic": "snet"}, {"topic": "sent", "partition": 7}]
        answers = [await client.call_tool("produce", {"value": "x"} | each) for each in calls]
        topics = await client.call_tool("topics", {"pattern": "snet"})
        return [*(each.content[0].text for each in answers), topics.structured_content["topics"]]

    topic, partition, created = asked(kafka_cluster, refused, "--allow", "produce")
    assert "topic 'snet' does not exist: did you mean 'sent'?" in topic
    assert "has no partition 7" in partition
    assert created == []


def test_a_long_value(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """A value that is too long is cut, and the answer names its length."""
    send(producer, kafka_topic, [b"x" * 5000])
    found = answer_of(kafka_cluster, "messages", "--max-bytes", "16", topic=kafka_topic)
    assert found["messages"][0]["value"] == {"cut": "x" * 16, "bytes": 5000}


def test_produce(kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer) -> None:
    """If the user allows it, the model can send a message."""
    stored = answer_of(
        kafka_cluster,
        "produce",
        "--allow",
        "produce",
        topic=kafka_topic,
        value="hello",
        partition=0,
    )
    assert stored == {"partition": 0, "offset": 0}
    assert values_of(read(consumer, kafka_topic, 1)) == [b"hello"]


@pytest.fixture
def billing(kafka_cluster: MockCluster, producer: Producer) -> str:
    """A group without members, which is 7 messages behind, and a share group."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    kafka_cluster.create_topic("orders", 1)
    send(producer, "orders", numbers(0, 10))
    with AdminClient(config) as admin:
        request = [ConsumerGroupTopicPartitions("billing", [TopicPartition("orders", 0, 3)])]
        admin.alter_consumer_group_offsets(request)["billing"].result(TIMEOUT)
        place = TopicPartition("orders", 0)
        admin.alter_share_group_offsets("workers", {place: 1})[place].result(TIMEOUT)
    return "billing"


@needs("raw-request", "mock-on-request")
def test_groups(kafka_cluster: MockCluster, billing: str) -> None:
    """Groups of all kinds are listed, described and explained."""

    async def look(client: Any) -> list[Any]:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("groups", {}),
            ("group", {"group": billing}),
            ("why", {"group": billing, "seconds": 0}),
        ]
        return [(await client.call_tool(*call)).structured_content for call in calls]

    groups, group, why = asked(kafka_cluster, look)
    assert [(each["group"], each["type"]) for each in groups["groups"]] == [
        ("billing", "classic"),
        ("workers", "share"),
    ]
    assert (group["state"], group["members"]) == ("empty", [])
    assert group["partitions"] == [
        {"topic": "orders", "partition": 0, "committed": 3, "end": 10, "lag": 7}
    ]
    assert why["summary"] == "group billing: classic, empty, 0 members, 1 partition, lag 7"
    assert [each["finding"] for each in why["findings"]] == ["no-members"]
    assert why["findings"][0]["commands"] == ["groups describe billing --members"]


@needs("raw-request", "mock-on-request")
def test_reset(kafka_cluster: MockCluster, billing: str) -> None:
    """The tool returns the plan, and sets the offsets only with execute=true."""
    wanted = {"topics": ["orders:0"], "to": "earliest"}

    async def talk(client: Any) -> list[Any]:
        found = []
        for name, column in ((billing, False), (billing, True), ("workers", True)):
            arguments = {"group": name, **wanted, "execute": column}
            found.append((await client.call_tool("reset", arguments)).structured_content)
            described = await client.call_tool("group", {"group": name})
            found.append(described.structured_content["partitions"][0]["committed"])
        return found

    planned, before, done, after, shared, start = asked(
        kafka_cluster, talk, "--allow", "produce,reset"
    )
    (change,) = planned["changes"]
    assert (change["old_offset"], change["new_offset"], change["lag_after"]) == (3, 0, 10)
    assert (planned["executed"], planned["obstacles"], before) == (False, [], 3)
    assert (done, after) == ({"executed": True, "changes": [change], "refused": []}, 0)
    assert (shared["changes"][0]["old_offset"], start) == (1, 0)


@needs("raw-request", "mock-on-request")
def test_reset_is_refused(
    kafka_cluster: MockCluster, billing: str, make_consumer: MakeConsumer
) -> None:
    """The tool refuses as the command does, with the reasons as its error."""
    member = make_consumer({"group.id": "live"})
    member.subscribe(["orders"])
    joined(member)
    calls: list[tuple[dict[str, Any], str]] = [
        (
            {"group": "biling", "topics": []},
            "group 'biling' does not exist: did you mean 'billing'",
        ),
        ({"group": billing, "topics": ["order"]}, "topic 'order' does not exist"),
        ({"group": billing, "topics": ["orders:x"]}, "'orders:x': needs TOPIC or"),
        ({"group": billing, "topics": [], "to": "soon"}, "'soon' is not earliest"),
        ({"group": "live", "topics": ["orders"]}, "group 'live' has 1 active member"),
    ]

    async def refused(client: Any) -> list[str]:
        texts = []
        for arguments, _ in calls:
            arguments = {"to": "latest", "execute": True} | arguments
            answer = await client.call_tool("reset", arguments)
            assert answer.is_error
            texts.append(answer.content[0].text)
        return texts

    texts = asked(kafka_cluster, refused, "--allow", "reset")
    for text, (_, wanted) in zip(texts, calls, strict=True):
        assert wanted in text


def test_reset_in_production(tmp_path: Path) -> None:
    """On a production cluster, the tool must be allowed with --yes-really."""
    (tmp_path / "confluent-kafka").mkdir()
    file = tmp_path / "confluent-kafka" / "profiles.toml"
    file.write_text(f'[prod]\nproduction = true\n"bootstrap.servers" = "{NO_BROKER}"\n')
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    arguments = ["mcp", "-C", "prod", "--timeout", "0.1"]
    refused = run(*arguments, "--allow", "reset", environment=environment)
    assert refused.status == 2
    assert "also give --yes-really prod" in refused.stderr
    for options in (["--allow", "reset", "--yes-really", "prod"], []):
        assert run(*arguments, *options, environment=environment).status == 1  # no broker


def test_wrong_arguments(kafka_cluster: MockCluster) -> None:
    """The error of a tool tells the model which argument is wrong and what is allowed."""
    kafka_cluster.create_topic("orders", 1)
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("topic", {"topic": "order"}, "did you mean 'orders'?"),
        ("messages", {"topic": "orders", "partition": 9}, "has no partition 9"),
        ("messages", {"topic": "orders", "begin": "soon"}, "'soon' is not earliest"),
        ("messages", {"topic": "orders", "begin": "9" * 5000}, "is not earliest"),
        ("messages", {"topic": "orders", "begin": "now-"}, "is not earliest"),
        ("messages", {"topic": 5}, "should be a valid string"),
        ("topics", {"pattern": "("}, "is not a regular expression"),
        ("produce", {"topic": "orders", "value": "x"}, "Unknown tool"),
    ]

    async def refused(client: Any) -> list[str]:
        texts = []
        for tool, arguments, _ in calls:
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error
            texts.append(answer.content[0].text)
        return texts

    for text, (_, _, wanted) in zip(asked(kafka_cluster, refused), calls, strict=True):
        assert wanted in text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--allow", "everything"], "'everything' is not one of produce, reset"),
        (["--redact-pattern", "("], "'(' is not a regular expression"),
    ],
)
def test_wrong_options(options: list[str], text: str) -> None:
    """Wrong options end the command before it connects."""
    ended = run("mcp", "-b", NO_BROKER, *options)
    assert (ended.status, text in ended.stderr) == (2, True), ended.stderr


def test_no_broker() -> None:
    """If no broker answers, the command ends with the reason, and the model gets no server."""
    ended = run("mcp", "-b", NO_BROKER, "--timeout", "5")
    assert (ended.status, "error: " in ended.stderr) == (1, True)
