"""If a group's coordinator refuses requests, members wait before they repeat them."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, ShareConsumer, protocol
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytestmark = needs("mock-on-request")

CODES = [
    *(-1, 3, 5, 6, 7, 8, 9, 13, 14, 15, 16, 19, 20, 22, 23, 24, 25, 26, 27, 30, 42, 56, 69),
    *(79, 81, 82, 110, 111, 112, 113),
]
EAGER: dict[str, Any] = {"heartbeat.interval.ms": 50}
COOPERATIVE = EAGER | {"partition.assignment.strategy": "cooperative-sticky"}
KIP_848: dict[str, Any] = {"group.protocol": "consumer"}

# If the id of a joined member is refused, the member joins again, and waits until its former
# session ends.
OF_MEMBERS = [code for code in CODES if code != KafkaError.UNKNOWN_MEMBER_ID]
# OffsetFetch is not repeated after other codes.
OF_OFFSETS = [7, 14, 19, 20, 56]

# The time for ten requests: a few are repeated at once, and the others after 100 ms and then 200
# ms. Heartbeats of KIP-848 are repeated after 1, 2, 4, ... ms. Random jitter can make a time a
# fifth shorter.
SECONDS_FOR_TEN = 0.3
# Depending on the code, JoinGroup is repeated every 2 s or like SyncGroup; FindCoordinator is
# repeated every 500 ms.
SECONDS_FOR_THREE = 0.08
SLOW = {"FindCoordinator", "JoinGroup"}


def group_of(request: Any) -> str:
    """The group of a request."""
    if isinstance(request, protocol.FindCoordinatorRequest):
        return str(request.key or request.coordinator_keys[0])
    return str(request.group_id)


class Refusing:
    """Refuses all requests of one kind with the code at the end of the group's name."""

    def __init__(self, cluster: MockCluster, name: str) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self._response = getattr(protocol, f"{name}Response")
        cluster.on_request(getattr(protocol, f"{name}Request").api_key, self._answer)

    def _answer(self, request: Any, _: object) -> Any:
        group = group_of(request)
        self.times[group].append(time.monotonic())
        return self._response(error_code=int(group.partition(" ")[2]))


def poll(consumer: Any) -> bool:
    """Poll; return whether the consumer has a fatal error, after which it sends no more
    requests."""
    try:
        if isinstance(consumer, ShareConsumer):
            consumer.poll(0.01)
            return False
        message = consumer.poll(0.001)
    except KafkaException as failure:
        return bool(failure.args[0].fatal())
    return message is not None and message.error().fatal()


@needs("refused-backoff")
@pytest.mark.parametrize(
    ("name", "config", "codes"),
    [
        ("FindCoordinator", EAGER, CODES),
        ("JoinGroup", EAGER, CODES),
        ("JoinGroup", COOPERATIVE, CODES),
        ("SyncGroup", EAGER, OF_MEMBERS),
        ("SyncGroup", COOPERATIVE, OF_MEMBERS),
        ("Heartbeat", EAGER, OF_MEMBERS),
        ("OffsetFetch", EAGER, OF_OFFSETS),
        ("ConsumerGroupHeartbeat", KIP_848, CODES),
        ("ShareGroupHeartbeat", None, CODES),
    ],
    ids=[
        "FindCoordinator",
        "JoinGroup",
        "JoinGroup-cooperative",
        "SyncGroup",
        "SyncGroup-cooperative",
        "Heartbeat",
        "OffsetFetch",
        "ConsumerGroupHeartbeat",
        "ShareGroupHeartbeat",
    ],
)
def test_pauses_between_refused_requests(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    name: str,
    config: dict[str, Any] | None,
    codes: list[int],
) -> None:
    """Members wait between repeated requests, for every code, until they get a fatal error."""
    kafka_cluster.set_group_initial_rebalance_delay(0)
    count, least = (3, SECONDS_FOR_THREE) if name in SLOW else (10, SECONDS_FOR_TEN)
    refusing = Refusing(kafka_cluster, name)
    common = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "retry.backoff.ms": 100,
        "retry.backoff.max.ms": 200,
        "log_level": 0,
    }
    with contextlib.ExitStack() as stack:
        waiting: dict[str, Any] = {}
        for code in codes:
            group = f"group {code}"
            one: Any = (
                ShareConsumer(common | {"group.id": group})
                if config is None
                else Consumer(common | {"group.id": group} | config)
            )
            stack.callback(one.close)
            one.subscribe([kafka_topic])
            waiting[group] = one

        def step() -> None:
            for group, consumer in list(waiting.items()):
                if poll(consumer) or len(refusing.times[group]) >= count:
                    del waiting[group]

        wait_until(lambda: not waiting, step)
    hasty = {
        group: times[count - 1] - times[0]
        for group, times in refusing.times.items()
        if len(times) >= count and times[count - 1] - times[0] < least
    }
    assert not hasty


def told(cluster: MockCluster, topic: str, name: str, code: int) -> list[tuple[int, str]]:
    """The errors that poll() returns until the member has its assignment, after two refusals."""
    cluster.set_group_initial_rebalance_delay(0)
    asked: list[Any] = []
    errors: list[tuple[int, str]] = []

    def refuse(request: Any, _: object) -> Any:
        asked.append(request)
        response = getattr(protocol, f"{name}Response")
        return response(error_code=code) if len(asked) <= 2 else None

    cluster.on_request(getattr(protocol, f"{name}Request").api_key, refuse)
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "group",
            "heartbeat.interval.ms": 50,
            "retry.backoff.ms": 10,
        }
    )

    def step() -> None:
        message = consumer.poll(0.01)
        error = None if message is None else message.error()
        if error is not None:
            errors.append((error.code(), error.str().partition(":")[0]))

    with contextlib.closing(consumer):
        consumer.subscribe([topic])
        wait_until(lambda: len(asked) > 2 and consumer.assignment(), step)
    return errors


@needs("group-refused")
@pytest.mark.parametrize("code", [KafkaError.UNKNOWN, KafkaError.LEADER_NOT_AVAILABLE])
@pytest.mark.parametrize("name", ["JoinGroup", "SyncGroup", "Heartbeat"])
def test_a_refused_member_is_told_once(
    kafka_cluster: MockCluster, kafka_topic: str, name: str, code: int
) -> None:
    """If a request is refused repeatedly, the error is reported once, and the member continues."""
    assert told(kafka_cluster, kafka_topic, name, code) == [(code, f"{name} failed")]


@needs("group-refused")
@pytest.mark.parametrize(
    "code",
    [
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.NOT_COORDINATOR,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.REQUEST_TIMED_OUT,
    ],
)
@pytest.mark.parametrize("name", ["SyncGroup", "Heartbeat"])
def test_what_passes_is_not_told(
    kafka_cluster: MockCluster, kafka_topic: str, name: str, code: int
) -> None:
    """For temporary errors, the member repeats the request or joins again, and reports no error."""
    assert told(kafka_cluster, kafka_topic, name, code) == []
