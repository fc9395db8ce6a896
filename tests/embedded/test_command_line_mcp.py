"""``mcp``: what the official client of the Model Context Protocol sees of a cluster."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER, read, send, values_of
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")
mcp = pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from tests.support.command_line import COMMAND, run  # noqa: E402

T = TypeVar("T")
READING = ["cluster", "groups", "messages", "topic", "topics"]


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
    ("options", "tools"), [([], READING), (["--allow", "produce"], [*READING, "produce"])]
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
    """A sample begins where the caller wants, and has at most the number that the caller wants."""
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
    """Rules hide fields at every depth, headers, and parts of texts. They come before the cut."""
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


def test_wrong_arguments(kafka_cluster: MockCluster) -> None:
    """A tool refuses in words that the model can act on."""
    kafka_cluster.create_topic("orders", 1)
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("topic", {"topic": "order"}, "did you mean 'orders'?"),
        ("messages", {"topic": "orders", "partition": 9}, "has no partition 9"),
        ("messages", {"topic": "orders", "begin": "soon"}, "'soon' is not earliest"),
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
        (["--allow", "everything"], "'everything' is not one of produce"),
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
