"""compat.aiokafka: the errors of a consumer when its group's coordinator refuses a request.

The tables contain the observed behaviour of aiokafka 0.14, except for the rows of PATIENT.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Producer, protocol
from confluent_kafka.compat.aiokafka import errors
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop
from tests.support.aiokafka_consumer import consumer_at, values
from tests.support.kafka import numbers, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request")

NAMES = {
    -1: "UnknownError",
    3: "UnknownTopicOrPartitionError",
    5: "LeaderNotAvailableError",
    6: "NotLeaderForPartitionError",
    7: "RequestTimedOutError",
    8: "BrokerNotAvailableError",
    9: "ReplicaNotAvailableError",
    13: "StaleLeaderEpochCodeError",
    14: "GroupLoadInProgressError",
    15: "GroupCoordinatorNotAvailableError",
    16: "NotCoordinatorForGroupError",
    19: "NotEnoughReplicasError",
    20: "NotEnoughReplicasAfterAppendError",
    22: "IllegalGenerationError",
    23: "InconsistentGroupProtocolError",
    24: "InvalidGroupIdError",
    25: "UnknownMemberIdError",
    26: "InvalidSessionTimeoutError",
    27: "RebalanceInProgressError",
    30: "GroupAuthorizationFailedError",
    56: "KafkaStorageError",
    79: "MemberIdRequired",
    81: "UnknownError",  # aiokafka has no name for it
}

# For these codes, aiokafka repeats the request or joins again.
REPEATED = {
    "JoinGroup": {14, 15, 16, 25, 79},
    "SyncGroup": {15, 16, 22, 25, 27},
    "Heartbeat": {15, 16, 22, 25, 27},
}
# For these codes, this package repeats the request, which may succeed. aiokafka raises an error.
PATIENT = {"JoinGroup": {7, 22, 27}, "SyncGroup": {7, 14}, "Heartbeat": {7, 14}}
# These codes raise their own exception.
RAISED = {"JoinGroup": {23, 24, 26}, "SyncGroup": set[int](), "Heartbeat": set[int]()}


def expected(request: str, group: str, code: int) -> tuple[str, str]:
    """The name of the exception, and the beginning of its text."""
    name = NAMES[code]
    if code in REPEATED[request] | PATIENT[request]:
        return "", "works"
    if code == 30:
        return name, f"[Error 30] {name}: {group}"
    if code in RAISED[request]:
        return name, f"[Error {code}] {name}"
    where = "Unexpected exception in heartbeat task: " if request == "Heartbeat" else ""
    return "KafkaError", f"KafkaError: {where}{name}()"


def refusing(request: str) -> Callable[[Any, object], Any]:
    """Refuse requests with the code in the group's name. If the consumer must tolerate the code,
    only the first request is refused; otherwise every request is refused."""
    seen: Counter[int] = Counter()
    response = getattr(protocol, f"{request}Response")

    def refuse(asked: Any, _: object) -> Any:
        code = int(asked.group_id.partition(" ")[2])
        seen[code] += 1
        is_over = code in REPEATED[request] | PATIENT[request] and seen[code] > 1
        return None if is_over else response(error_code=code)

    return refuse


async def outcome(cluster: MockCluster, topic: str, group: str, request: str) -> tuple[str, str]:
    """The exception of start(), or later of getone()."""
    consumer = consumer_at(cluster.bootstrap_servers, topic, group_id=group, retry_backoff_ms=20)
    try:
        await asyncio.wait_for(consumer.start(), TIMEOUT)
        await values(consumer, 3)
        if request == "Heartbeat" and expected(request, group, int(group.split()[1]))[0]:
            await asyncio.wait_for(consumer.getone(), TIMEOUT)
    except errors.KafkaError as failure:
        return type(failure).__name__, str(failure)
    finally:
        await consumer.stop()
    return "", "works"


@needs("group-refused")
@pytest.mark.parametrize("request_name", REPEATED)
@in_loop
async def test_a_refused_request(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, request_name: str
) -> None:
    """start(), or getone() after a refused Heartbeat, raises the same error as aiokafka, or
    continues."""
    kafka_cluster.set_group_initial_rebalance_delay(0)
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
    api_key = getattr(protocol, f"{request_name}Request").api_key
    kafka_cluster.on_request(api_key, refusing(request_name))
    groups = {code: f"group {code}" for code in NAMES}
    if request_name != "JoinGroup":
        del groups[25]  # the new member waits until the former member's session ends
    found = await asyncio.gather(
        *(outcome(kafka_cluster, kafka_topic, group, request_name) for group in groups.values())
    )
    wrong = {
        code: (kind, text)
        for code, (kind, text) in zip(groups, found, strict=True)
        if (kind, text[: len(expected(request_name, groups[code], code)[1])])
        != expected(request_name, groups[code], code)
    }
    assert not wrong
