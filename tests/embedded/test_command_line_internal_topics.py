"""``consume --key internal --value internal``: the messages of Kafka's own topics."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.protocol import (
    Message,
    OffsetCommitKey,
    OffsetCommitValue,
    ShareSnapshotKey,
    ShareSnapshotValue,
    TransactionLogKey,
    TransactionLogValue,
)
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request")

OFFSETS = "__consumer_offsets"
BOTH = ("--key", "internal", "--value", "internal")
KEY = OffsetCommitKey(group="g", topic="t", partition=1)
NAMED_KEY = {"OffsetCommitKey": {"group": "g", "topic": "t", "partition": 1}}

Consume = Callable[..., Ended]
Send = Callable[..., None]


def record(number: int, message: Message, version: int = 0) -> bytes:
    """The bytes that a coordinator writes: a number, and the message."""
    return struct.pack(">h", number) + message.encode(version)


def value(offset: int, metadata: str = "", version: int = 3) -> bytes:
    return record(version, OffsetCommitValue(offset=offset, metadata=metadata), version)


@pytest.fixture
def consume(kafka_cluster: MockCluster) -> Consume:
    """consume("t"): the messages of a topic, to its end."""
    servers = kafka_cluster.bootstrap_servers
    return lambda topic, *options: run("consume", topic, "-e", "-q", *options, "-b", servers)


@pytest.fixture
def send(kafka_cluster: MockCluster, producer: Producer) -> Send:
    """send("t", (key, value)): a topic with these messages."""

    def send(topic: str, *pairs: tuple[bytes | None, bytes | None]) -> None:
        kafka_cluster.create_topic(topic, 1, 1)
        for key, payload in pairs:
            producer.produce(topic, payload, key, partition=0)
        assert producer.flush(TIMEOUT) == 0

    return send


def lines(done: Ended) -> list[Any]:
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_offsets(consume: Consume, send: Send) -> None:
    """A committed offset is shown with the names of its fields, and a deleted one as null."""
    key = record(1, KEY)
    send(OFFSETS, (key, value(5, "note")), (key, None))
    first, second = lines(consume(OFFSETS, *BOTH, "--json"))
    assert (first["key"], second["key"], second["value"]) == (NAMED_KEY, NAMED_KEY, None)
    found = first["value"]["OffsetCommitValue"]
    assert (found["offset"], found["metadata"], found["leader_epoch"]) == (5, "note", -1)


def test_other_topics(consume: Consume, send: Send) -> None:
    """The states of transactions and of share groups are decoded, too."""
    send(
        "__transaction_state",
        (
            record(0, TransactionLogKey(transactional_id="pay")),
            record(0, TransactionLogValue(producer_id=7, transaction_timeout_ms=60_000)),
        ),
    )
    send(
        "__share_group_state",
        (
            record(0, ShareSnapshotKey(group_id="workers", partition=2)),
            record(0, ShareSnapshotValue(snapshot_epoch=1, start_offset=9)),
        ),
    )
    (found,) = lines(consume("__transaction_state", *BOTH, "--json"))
    assert found["key"] == {"TransactionLogKey": {"transactional_id": "pay"}}
    assert found["value"]["TransactionLogValue"]["producer_id"] == 7
    (found,) = lines(consume("__share_group_state", *BOTH, "--json"))
    assert found["key"]["ShareSnapshotKey"]["group_id"] == "workers"
    assert found["value"]["ShareSnapshotValue"]["start_offset"] == 9


@pytest.mark.parametrize("kind", ["internal", "bytes", None])
def test_a_value_needs_only_its_key(consume: Consume, send: Send, kind: str | None) -> None:
    """Values are decoded for every format of the keys."""
    send(OFFSETS, (record(1, KEY), value(5)))
    keys = () if kind is None else ("--key", kind)
    (found,) = lines(consume(OFFSETS, "--value", "internal", *keys))
    assert found["OffsetCommitValue"]["offset"] == 5


def test_only_keys(consume: Consume, send: Send) -> None:
    """Keys are decoded without their values."""
    send(OFFSETS, (record(1, KEY), value(5)))
    (found,) = lines(consume(OFFSETS, "--key", "internal", "-f", "%k\n"))
    assert found == NAMED_KEY


def test_fields_in_an_expression(consume: Consume, send: Send) -> None:
    """--where can use the fields."""
    pytest.importorskip("cel_expr_python", reason="the extra [where] is not installed")
    send(OFFSETS, *[(record(1, KEY), value(number)) for number in range(3)])
    where = 'key.OffsetCommitKey.group == "g" && value.OffsetCommitValue.offset > 1'
    (found,) = lines(consume(OFFSETS, *BOTH, "--where", where))
    assert found["OffsetCommitValue"]["offset"] == 2


def test_later_versions(consume: Consume, send: Send) -> None:
    """A type or a version that this package does not know is shown with its number and its
    bytes."""
    later_key, later_value = b"\x7f\xffkey", b"\x00\x09value"
    send(OFFSETS, (later_key, later_value), (record(1, KEY), later_value))
    unknown, known = lines(consume(OFFSETS, *BOTH, "--json"))
    shown = {"version": 9, "base64": base64.b64encode(later_value).decode()}
    assert unknown["key"] == {"type": 0x7FFF, "base64": base64.b64encode(later_key).decode()}
    assert unknown["value"] == {"type": 0x7FFF} | shown
    assert (known["key"], known["value"]) == (NAMED_KEY, {"type": 1} | shown)


@pytest.mark.parametrize("pair", [(None, b"\0\0"), (b"\0", None), (b"\0\1\0", None)])
def test_other_bytes(consume: Consume, send: Send, pair: tuple[bytes | None, bytes | None]) -> None:
    """A message that no coordinator wrote is an error with its place."""
    send(OFFSETS, pair)
    done = consume(OFFSETS, *BOTH)
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"error: {OFFSETS} [0] offset 0: ")
    assert f"the record at offset 0 is not one of {OFFSETS}" in done.stderr


def test_other_topics_are_no_internal_topics(consume: Consume, send: Send) -> None:
    """The error names the topics that the format is for."""
    send("orders", (record(1, KEY), value(5)))
    done = consume("orders", "--value", "internal")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr == (
        "error: orders [0] offset 0: value: the format internal is for __consumer_offsets, "
        "__share_group_state, __transaction_state\n"
    )


@pytest.mark.parametrize("option", ["--value", "--key-format"])
def test_only_for_reading(kafka_cluster: MockCluster, option: str) -> None:
    """Only brokers write internal topics: `produce` refuses the format."""
    servers = kafka_cluster.bootstrap_servers
    done = run("produce", OFFSETS, option, "internal", "-b", servers, stdin=b"{}\n")
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"error: {option}: internal: only brokers write internal topics")
