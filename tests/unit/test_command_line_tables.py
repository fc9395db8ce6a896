"""The tables of all commands on a terminal of 80 columns: words are not broken, and numbers are
right-aligned."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from rich.console import Console

from confluent_kafka import cli
from confluent_kafka.cli.base.tables import Drawn
from confluent_kafka.cli.base.terminal import cell
from confluent_kafka.cli.commands import groups, quorum
from confluent_kafka.cli.groups import offset_plan
from confluent_kafka.cli.groups import rows as group_rows
from confluent_kafka.cli.live import rows
from confluent_kafka.cli.topics import listing as topic_list

MEMBER = "rdkafka-3f1c2d4e-8a5b-4c1d-9e7f-0123456789ab"
UUID = "AAAAAAAAAAEAAAAAAAAAAg"
MS = 1_780_000_000_000
"""Milliseconds since 1970."""

# The modules, with the columns and a row of each table that their commands show.
TABLES: list[tuple[str, tuple[str, ...], list[Any]]] = [
    ("topics.listing", (*topic_list.COLUMNS, "id"), ["payments.orders.created", 128, 3, UUID]),
    (
        "topics.apply",
        ("topic", "change", "setting", "old", "new"),
        ["payments.orders.created", "set", "message.timestamp.type", "CreateTime", "LogAppendTime"],
    ),
    ("features", ("feature", "version"), ["eligible.leader.replicas.version", 1]),
    (
        "topics.replicas",
        ("topic", "partition", "offset", "leader", "replica", "difference"),
        ["payments.orders", 12, 1_234_567, 101, 102, "the checksum is 5f3a91c0, not 5f3a91c1"],
    ),
    (
        "topics.states",
        ("topic", "partition", "leader", "replicas", "in sync", "min in sync"),
        ["payments.orders.created", 12, 101, [101, 102, 103, 104, 105], [101, 102, 103, 104], 2],
    ),
    (
        "topics.offsets",
        ("topic", "partition", "offset", "timestamp"),
        ["payments.orders.created", 12, 123_456_789, 1_767_225_600_000],
    ),
    (
        "topics.offsets",
        ("topic", "partition", "begin", "new begin", "messages"),
        ["payments.orders.created", 12, 123_456_789, 123_466_789, 10_000],
    ),
    (
        "reassignment.disks",
        ("topic", "partition", "directory", "new"),
        ["payments.orders.created", 12, "/var/lib/kafka/data-0", "/var/lib/kafka/data-1"],
    ),
    (
        "reassign",
        ("topic", "partition", "replicas", "new"),
        ["payments.orders.created", 12, [101, 102, 103], [101, 104, 105]],
    ),
    (
        "reassignment.planning",
        ("topic", "partition", "state", "replicas", "wanted"),
        ["payments.orders.created", 12, "not started", [101, 102, 103], [101, 104, 105]],
    ),
    (
        "brokers",
        ("broker", "host", "port", "rack", "controller", "leads", "replicas"),
        [101, "kafka-1.example.internal", 9092, "eu-1a", True, 1234, 3702],
    ),
    ("brokers", ("request", "key", "lowest", "highest"), ["AlterPartitionReassignments", 45, 0, 1]),
    (
        "elect_leaders",
        ("topic", "partition", "before", "leader"),
        ["payments.orders.created", 12, 101, 102],
    ),
    (
        "elect_leaders",
        ("topic", "partition", "replicas"),
        ["payments.orders.created", 12, [101, 102, 103]],
    ),
    (
        "groups",
        groups.LISTED + groups.TOTALS,
        ["billing-service", "consumer", "consumer", "completing_rebalance", 123, 1_234_567],
    ),
    (
        "groups",
        group_rows.PARTITIONS,
        ["billing", "payments", 12, 1_234_567, 1_234_987, 420, MEMBER, "billing", "/10.0.12.34"],
    ),
    (
        "groups",
        group_rows.STATE,
        ["billing-service", "consumer", "stable", "uniform", 101, "kafka-1.example:9092", 123],
    ),
    (
        "groups.offsets",
        offset_plan.COLUMNS,
        ["payments", 12, 1_234_567, 1_234_987, 1_234_987, 420, 0, "7 is before the start of log"],
    ),
    ("groups.offsets", ("topic", "partition", "deleted offset"), ["payments", 12, 1_234_567]),
    (
        "why",
        ("severity", "finding", "why", "evidence", "try"),
        [
            *("critical", "no-members", "the group has no members, so nobody reads its partitions"),
            *(["state empty, lag 3"], ["groups describe billing --members"]),
        ],
    ),
    (
        "top",
        rows.BROKERS.names,
        [101, "kafka-1.example.internal:9092", "up", True, 1234, 3702, 12, 123_456.7],
    ),
    ("top", rows.TOPICS.names, ["payments.orders.created", 128, 12, 1, 123_456_789, 1_234.5]),
    (
        "top",
        rows.GROUPS.names,
        ["billing-service", "consumer", "completing_rebalance", 123, 1_234_567, -1_234.5, 4_321.0],
    ),
    (
        "top",
        rows.SLOWEST.names,
        ["billing-service", "payments.orders.created", 12, 1_234_567, 1_234.5, 0.0],
    ),
    ("groups.commands", ("group", "state"), ["billing-service-production", "not_ready"]),
    (
        "streams_groups",
        group_rows.MEMBERS + group_rows.VERBOSE,
        [
            *("billing", "streams", "stable", MEMBER, "billing", "/10.0.12.34", 2, "i-1", "eu-1"),
            *(["orders:0", "orders:1"], ["orders:0"], ["epoch=3", "process=p", "tags=zone:a"]),
        ],
    ),
    ("streams_groups", ("group", "topic"), ["billing", "billing-sums-changelog"]),
    (
        "streams_groups",
        offset_plan.COLUMNS,
        ["payments", 12, 1_234_567, 1_234_987, 1_234_987, 420, 0, "7 is before the start of log"],
    ),
    (
        "streams_groups",
        group_rows.PARTITIONS,
        ["billing", "payments", 12, 1_234_567, 1_234_987, 420, MEMBER, "billing", "/10.0.12.34"],
    ),
    (
        "profiles",
        ("profile", "production", "brokers", "registry"),
        ["prod", True, "broker-1.example.com:9092,broker-2.example.com:9092", "https://registry"],
    ),
    ("profiles", ("property", "value"), ["registry.basic.auth.user.info", "(command: pass)"]),
    (
        "config",
        ("property", "client", "type", "default", "range", "importance", "meaning"),
        ["linger.ms", "producer", "float", "5", "0 to 900000", "high", "Delay in ms. " * 9],
    ),
    (
        "health",
        ("check", "ok", "value", "limit", "found"),
        ["under-replicated", False, 12_345, 0, "12,345 partitions: orders:0, orders:1, orders:2"],
    ),
    ("registry", ("subject",), ["com.example.payments.PaymentAuthorized-value"]),
    (
        "registry",
        ("version", "id", "type", "references"),
        [12, 100_042, "protobuf", ["item.proto=com.example.items-value:12"]],
    ),
    (
        "registry",
        ("subject", "version", "id", "type", "references", "schema"),
        ["orders-value", 12, 100_042, "avro", None, '{"type": "string"}'],
    ),
    (
        "registry",
        ("problem", "place", "reason"),
        ["READER_FIELD_MISSING_DEFAULT_VALUE", "/fields/1", "the field has no default " * 4],
    ),
    ("registry", ("subject", "version", "id"), ["payments.PaymentAuthorized-value", 12, 100_042]),
    ("registry.changes", ("version", "id", "type"), [12, 100_042, "protobuf"]),
    (
        "registry.changes",
        ("subject", "compatibility", "of"),
        ["com.example.payments.PaymentAuthorized-value", "full_transitive", "registry"],
    ),
    ("registry.changes", ("subject", "mode", "of"), ["orders-value", "readwrite", "subject"]),
    ("registry.changes", ("context",), [".production"]),
    (
        "share_groups",
        ("group", "state", "epoch", "coordinator", "member", "client", "host", "partitions"),
        ["billing", "stable", 12, 101, MEMBER, "c", "/10.0.0.1", [f"t:{n}" for n in range(12)]],
    ),
    (
        "lag.hanging",
        ("topic", "partition", "start offset", "producer id", "transactional id", "seconds"),
        ["payments", 12, 1_234_567, 4000, "payments-1", 90_000],
    ),
    ("share_groups", ("topic", "partition", "start", "lag"), ["orders", 1, 123_456_789, 12]),
    ("configs", ("kind", "name"), ["client-metrics", "payments.orders.created"]),
    (
        "configs",
        ("name", "value", "source"),
        ["leader.replication.throttled.replicas", "0:101, 0:102, 1:103 " * 9, "default_config"],
    ),
    ("users", ("user", "mechanism", "iterations"), ["billing", "scram-sha-512", 16384]),
    (
        "acls",
        ("resource", "name", "pattern", "principal", "host", "operation", "permission"),
        ["transactional_id", "billing", "prefixed", "User:billing", "*", "describe", "allow"],
    ),
    (
        "cluster",
        ("cluster", "broker", "host", "port", "rack", "controller"),
        ["5L6g3nShT-eMCtK--X86sw", 101, "kafka-1.example.internal", 9092, "eu-1a", True],
    ),
    (
        "doctor",
        ("part", "found"),
        ["extra [json]", "httpx 0.28.1, jsonschema 4.25.1, jsonschema-rs 0.46.10, and more " * 2],
    ),
    (
        "log_dirs",
        ("broker", "directory", "topic", "partition", "bytes", "lag", "future"),
        [101, "/var/lib/kafka/data-0", "payments.orders", 12, 1_234_567_890, 0, False],
    ),
    (
        "reassign",
        ("topic", "partition", "replicas", "adding", "removing"),
        ["payments.orders.created", 12, [101, 102, 103], [104, 105], [101, 102]],
    ),
    (
        "delegation_tokens",
        ("token id", "owner", "requester", "renewers", "issued", "expires", "max", "hmac"),
        [UUID, "User:alice", "User:ops", ["User:a", "User:b"], MS, MS, MS, UUID * 3],
    ),
    (
        "delegation_tokens",
        ("token id", "owner", "requester", "renewers", "issued", "expires", "max", "hmac"),
        [UUID, "User:alice", "User:ops", ["User:a", "User:b"], MS, MS, MS, UUID * 3],
    ),
    (
        "delegation_tokens",
        ("token id", "owner", "requester", "renewers", "issued", "expires", "max"),
        [UUID, "User:alice", "User:alice", [], MS, MS, MS],
    ),
    ("transactions", ("transactional id", "producer id", "state"), ["billing-1", 4001, "ongoing"]),
    (
        "transactions",
        (
            *("transactional id", "coordinator", "producer id", "epoch"),
            *("state", "timeout ms", "start", "partitions"),
        ),
        ["billing-1", 101, 4001, 12, "ongoing", 60_000, MS, [f"orders:{n}" for n in range(9)]],
    ),
    (
        "transactions",
        (
            *("producer id", "epoch", "coordinator epoch"),
            *("last sequence", "last timestamp", "start offset"),
        ),
        [4001, 12, 7, 123_456, MS, 1_234_567],
    ),
    (
        "quotas",
        ("user", "client-id", "ip", "quota", "value"),
        ["alice", "billing-service", None, "controller_mutation_rate", 1048576.0],
    ),
    (
        "features",
        ("feature", "lowest", "highest", "version", "epoch"),
        ["kraft.version", 0, 1, 1, 9],
    ),
    ("quorum", quorum._REPLICATION, [1, "leader", 123_456, 0, MS, MS, UUID, ["A://h:9093"]]),
    ("quorum", quorum._STATUS, [UUID, 1, 12, 123_456, 0, 0, [1, 2, 3], [101, 102, 103, 104]]),
    (
        "bench",
        ("messages", "seconds", "messages/s", "MB/s", "p50 ms", "p95 ms", "p99 ms"),
        [1_000_000, 1.234567, 810_000, 81.0, 12.34, 45.67, 123.45],
    ),
    ("bench", ("messages", "seconds", "messages/s", "MB/s"), [1_000_000, 1.2345, 810_000, 81.0]),
    (
        "bench.round_trip",
        ("messages", "seconds", "p50 ms", "p95 ms", "p99 ms", "max ms"),
        [1_000_000, 1.234567, 12.34, 45.67, 123.45, 1234.56],
    ),
    (
        "bench.share",
        ("messages", "seconds", "messages/s", "MB/s", "first s"),
        [1_000_000, 1.234567, 810_000, 81.0, 1.234567],
    ),
]


def drawn(what: Drawn, width: int = 80) -> list[str]:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system=None,
        emoji=False,
        markup=False,
    )
    console.print(what, crop=False)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def words_of(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [cell(value)]
    return [word for each in values for word in str(each).split()]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table[0]}-{len(table[1])}")
def test_80_columns(table: tuple[str, tuple[str, ...], list[Any]]) -> None:
    """No line is longer than 80 columns, no name or value is broken, and numbers are aligned."""
    _, names, row = table
    short = [1 if type(value) is int else value for value in row]
    lines = drawn(Drawn(names, [row, short]))
    assert max(map(len, lines)) <= 80
    found = Counter(re.split(r"[\s,]+", " ".join(lines).replace(": ", " ")))
    for value in row:
        for word in words_of(value):
            assert found[word.rstrip(",").rstrip(":")] > 0 or word in " ".join(lines), word
    for name, value, less in zip(names, row, short, strict=True):
        assert all(word in " ".join(lines) for word in name.split())
        if type(value) is int and len(name.split()) == 1 and name in lines[0].split("  "):
            end = re.search(rf"(?<!\S){re.escape(name)}(?!\S)", lines[0])
            assert end is not None
            column = [line[: end.end()] for line in lines[2:]]
            assert any(text.endswith(f" {value}"[-end.end() :]) for text in column)
            assert any(text.endswith(f" {less}"[-end.end() :]) for text in column)


@pytest.mark.parametrize("width", range(27, 90, 3))
def test_lists_break_between_their_items(width: int) -> None:
    """A name and its number stay on one line, in the table and below a row."""
    found = "missing: httpx, jsonschema-rs; jsonschema 4.26.0, orjson 3.11.5, 64 correctness"
    lines = drawn(Drawn(("part", "found"), [["extra [json]", found], ["java", "a" * 20]]), width)
    assert max(map(len, lines)) <= width
    for item in re.split("[,;] ", found):
        assert [line for line in lines if item in line], item


def test_every_table_is_here() -> None:
    """Every table of the commands is in these tests."""
    folder = Path(cli.__file__).parent
    shown = Counter[str]()
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        place = path.relative_to(folder / "commands" if path.parent.name == "commands" else folder)
        shown[".".join(place.with_suffix("").parts)] = len(
            re.findall(r"(?<!def )(?<![\w.])show(?:_changes)?\(", text)
        )
    del shown["connection.administration"]  # which defines both functions
    shown["acls"] -= 1  # the ACLs to delete have the columns of the list
    # `groups describe` shows rows in two ways, and has two tables in a call; `reset-offsets` shows
    # its table before or after a change.
    shown["groups.offsets"] -= 1
    shown["registry.changes"] -= 1  # the versions to delete, and the versions that were deleted
    shown["streams_groups"] -= 1  # `reset-application`, likewise
    shown["top"] += 2  # one call shows the four tables as text, and another one as JSON
    assert +shown == Counter(module for module, _, _ in TABLES)
