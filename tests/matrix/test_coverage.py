"""The matrix has a case for each request that a client sends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import confluent_kafka
from confluent_kafka import protocol
from confluent_kafka.admin import AdminClient
from confluent_kafka.compat import kafka, kafka_0_9, kafka_2
from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient
from tests.matrix.calls import CALLS
from tests.matrix.worker import Worker
from tests.support.patches import needs

# Requests that librdkafka sends: the rd_kafka_*Request() functions in its sources.
# fmt: off
OF_LIBRDKAFKA = {
    "AddOffsetsToTxn", "AddPartitionsToTxn", "AlterConfigs", "AlterUserScramCredentials",
    "ApiVersions", "ConsumerGroupDescribe", "ConsumerGroupHeartbeat", "CreateAcls",
    "CreatePartitions", "CreateTopics", "DeleteAcls", "DeleteGroups", "DeleteRecords",
    "DeleteTopics", "DescribeAcls", "DescribeConfigs", "DescribeGroups",
    "DescribeUserScramCredentials", "ElectLeaders", "EndTxn", "Fetch", "FindCoordinator",
    "GetTelemetrySubscriptions", "Heartbeat", "IncrementalAlterConfigs", "InitProducerId",
    "JoinGroup", "LeaveGroup", "ListGroups", "ListOffsets", "Metadata", "OffsetCommit",
    "OffsetDelete", "OffsetFetch", "OffsetForLeaderEpoch", "Produce", "PushTelemetry",
    "SaslAuthenticate", "SaslHandshake", "ShareAcknowledge", "ShareFetch",
    "ShareGroupHeartbeat", "SyncGroup", "TxnOffsetCommit",
}
# fmt: on
OF_ONE_PROCESS = {"close", "connect", "io_event_enable", "last_error", "poll", "start", "stats"}
OF_ONE_PROCESS |= {"set_sasl_credentials", "wakeup"}


def sent_by_python() -> set[str]:
    """Return the requests in our sources, except in the modules for brokers."""
    root = Path(confluent_kafka.__file__).parent
    words: set[str] = set()
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] not in ("protocol", "testing"):
            words.update(re.findall(r"\b([A-Z]\w+)Request\b", path.read_text()))
    return {word for word in words if hasattr(protocol, f"{word}Request")}


@needs("admin-replies", "coordinator-lookup", "mock-on-request", "raw-request")
def test_every_request_has_a_case() -> None:
    """For each request, including librdkafka's own requests, a case changes the response."""
    seen: set[str] = set()
    for call in CALLS.values():
        if call.client == "protocol":
            continue  # these cases send any request, so they do not count
        worker = Worker(call)
        try:
            seen.update(protocol.request_class(key).__name__ for key in worker.answered())
        finally:
            worker.close()
    wanted = {f"{name}Request" for name in OF_LIBRDKAFKA | sent_by_python()}
    assert wanted - seen == set()


def test_every_parser_has_a_case() -> None:
    """Each kind of response has a case, because callers of request() decode responses of any
    kind."""
    asked = {call.name for call in CALLS.values() if call.client == "protocol"}
    asked |= {"ApiVersions", "FindCoordinator", "Metadata"}  # every client decodes these responses
    kinds = {name.removesuffix("Request") for name in dir(protocol) if name.endswith("Request")}
    assert kinds - {""} - asked == set()


@pytest.mark.parametrize(
    ("client", "client_class"),
    [
        ("admin", AdminClient),
        ("kafka", kafka.KafkaAdminClient),
        ("kafka_2", kafka_2.KafkaAdminClient),
        ("aiokafka", AIOKafkaAdminClient),
        ("kafka_0_9", kafka_0_9.KafkaClient),
    ],
)
def test_every_method_has_a_case(client: str, client_class: Any) -> None:
    """Each public method that sends a request has a case."""
    public = {name for name in dir(client_class) if name[0].islower()}
    if client == "kafka_0_9":
        public = {name for name in public if name.startswith("send_")}
    if client == "kafka_2":  # the other methods come from generation 3
        public -= set(dir(kafka.KafkaAdminClient))
    asked = {call.name for call in CALLS.values() if call.client == client}
    assert public - OF_ONE_PROCESS - asked == set()
