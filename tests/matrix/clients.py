"""Calls of this package's own clients, for tests that change responses.

Each call must return or raise a documented exception.

A call opens its own clients, and waits at most a few times as long as `WAIT`.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaException,
    Producer,
    ShareConsumer,
    TopicIdCollection,
    TopicPartition,
    Uuid,
    admin,
    protocol,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.testing import MockCluster, RequestContext
from tests.matrix.broker import answer_with_samples
from tests.support.clients import ADMIN_REQUESTS

WAIT = 1.0  # the timeout of one request, in seconds
LATE = 1500  # in milliseconds; longer than a client waits
TOPIC, GROUP = "topic", "group"


@dataclass(frozen=True)
class Call:
    """One call of one kind of client, or a few calls that belong together."""

    client: str
    name: str
    run: Callable[[str], object]  # the argument is the address of the brokers
    raises: tuple[type[BaseException], ...] = (KafkaException,)
    prepare: Callable[[MockCluster], object] = lambda cluster: None
    # A request that a timer sends, so not in each run.
    by_the_clock: type[protocol.Request] | None = None

    def __str__(self) -> str:
        return f"{self.client}.{self.name}"


def config(address: str, **changes: object) -> dict[str, Any]:
    common = {
        "bootstrap.servers": address,
        "log_level": 0,
        "socket.timeout.ms": round(WAIT * 1000),
        "retry.backoff.ms": 10,
        "retry.backoff.max.ms": 50,
        "reconnect.backoff.ms": 10,
        "reconnect.backoff.max.ms": 50,
        "topic.metadata.refresh.fast.interval.ms": 10,
        "topic.metadata.propagation.max.ms": round(WAIT * 1000),
    }
    return common | {name.replace("_", "."): value for name, value in changes.items()}


# ---- AdminClient ----


def outcomes(answer: Any) -> object:
    """Wait for all futures, then raise the first failure, if there is one."""
    failures = []
    for future in _futures(answer):
        try:
            future.result(WAIT * 20)
        except KafkaException as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return answer


def _futures(answer: Any) -> Iterable[Future[Any]]:
    if isinstance(answer, list):  # the requests were sent one after another
        return [future for each in answer for future in _futures(each)]
    return answer.values() if isinstance(answer, Mapping) else [answer]


def administer(ask: Callable[[AdminClient], Any], address: str) -> None:
    with AdminClient(config(address)) as client:
        outcomes(ask(client))


_PLACE = TopicPartition(TOPIC, 0)
_COMMITTED = ConsumerGroupTopicPartitions(GROUP, [TopicPartition(TOPIC, 0, 3)])
_ASKED = ConsumerGroupTopicPartitions(GROUP, [_PLACE])
_SCRAM = admin.ScramCredentialInfo(admin.ScramMechanism.SCRAM_SHA_256, 4096)

_METADATA = (3, 1, b"\xff\xff\xff\xff")  # a raw Metadata request for all topics

_NUMBERS = itertools.count(3)


def new_name() -> str:
    return f"new-{next(_NUMBERS)}"


_t = {"request_timeout": WAIT}
# These calls need another call first, or block.
_ADMINISTRATION: dict[str, Callable[[AdminClient], Any]] = {
    "create_topics": lambda c: c.create_topics([admin.NewTopic(new_name(), 1)], **_t),
    "delete_topics": lambda c: [
        c.create_topics([admin.NewTopic("new", 1)], **_t),
        c.delete_topics(["new"], **_t),
    ],
    "create_partitions": lambda c: c.create_partitions(
        [admin.NewPartitions(TOPIC, next(_NUMBERS))], **_t
    ),
    "delete_consumer_groups": lambda c: [
        c.alter_consumer_group_offsets([_COMMITTED], **_t),
        c.delete_consumer_groups([GROUP], **_t),
    ],
    "alter_consumer_group_offsets": lambda c: c.alter_consumer_group_offsets([_COMMITTED], **_t),
    "delete_consumer_group_offsets": lambda c: [
        c.alter_consumer_group_offsets([_COMMITTED], **_t),
        c.delete_consumer_group_offsets([_ASKED], **_t),
    ],
    "list_some_offsets": lambda c: c.list_consumer_group_offsets([_ASKED], **_t),
    "remove_all_members": lambda c: c.remove_members_from_consumer_group(GROUP, **_t),
    "describe_user_scram_credentials": lambda c: c.describe_user_scram_credentials(["me"], **_t),
    "create_scram_credentials": lambda c: c.alter_user_scram_credentials(
        [admin.UserScramCredentialUpsertion("me", _SCRAM, b"password")], **_t
    ),
    "delete_records": lambda c: c.delete_records([TopicPartition(TOPIC, 0, 1)], **_t),
    "describe_topics_by_id": lambda c: c.describe_topics(TopicIdCollection([Uuid(1, 2)]), **_t),
    "delete_topics_by_id": lambda c: c.delete_topics(TopicIdCollection([Uuid(1, 2)]), **_t),
    "list_tiered_offsets": lambda c: c.list_offsets(
        {_PLACE: admin.OffsetSpec.latest_tiered()}, **_t
    ),
    "list_groups": lambda c: _now(lambda: c.list_groups(timeout=WAIT)),
    "list_topics": lambda c: _now(lambda: c.list_topics(timeout=WAIT)),
    "cluster_id": lambda c: _now(lambda: c.cluster_id(WAIT)),
    "api_versions": lambda c: _now(lambda: c.api_versions(timeout=WAIT)),
    "request": lambda c: _now(
        lambda: c.request(*_METADATA, coordinator=("group", GROUP), timeout=WAIT)
    ),
}
ADMINISTRATION = {
    name: partial(lambda ask, client: ask(client, WAIT), ask)
    for name, ask in ADMIN_REQUESTS.items()
} | _ADMINISTRATION


def _now(call: Callable[[], object]) -> Future[Any]:
    """Make a blocking call, and return its result as a future."""
    future: Future[Any] = Future()
    future.set_result(call())
    return future


# ---- Consumer ----


def consumer(address: str, **changes: object) -> Consumer:
    group = {
        "group_id": GROUP,
        "auto_offset_reset": "earliest",
        "heartbeat_interval_ms": 50,
        "session_timeout_ms": 1000,
        "fetch_wait_max_ms": 50,
        "fetch_error_backoff_ms": 10,
        "enable_auto_commit": False,
    }
    return Consumer(config(address, **(group | changes)))


def read(address: str, **changes: object) -> None:
    """Join, read, commit and leave."""
    with consumer(address, **changes) as client:
        client.subscribe([TOPIC])
        message = _first(client.poll)
        if message is not None:
            client.commit(message=message, asynchronous=False)


def _first(poll: Callable[[float], Any]) -> Any:
    """Return the first message without an error; None if there is none within some seconds."""
    end = time.monotonic() + WAIT * 3
    while time.monotonic() < end:
        message = poll(0.1)
        if message is not None and message.error() is None:
            return message
    return None


def read_assigned(address: str) -> None:
    with consumer(address) as client:
        client.assign([TopicPartition(TOPIC, 0, 0)])
        _first(client.poll)
        client.seek(TopicPartition(TOPIC, 0, 1))
        _first(client.poll)


def ask_about_offsets(address: str) -> None:
    with consumer(address) as client, contextlib.ExitStack() as stack:
        for ask in (
            lambda: client.get_watermark_offsets(_PLACE, timeout=WAIT),
            lambda: client.offsets_for_times([TopicPartition(TOPIC, 0, 1)], timeout=WAIT),
            lambda: client.committed([_PLACE], timeout=WAIT),
            lambda: client.list_topics(timeout=WAIT),
            lambda: client.commit(offsets=[TopicPartition(TOPIC, 0, 2)], asynchronous=False),
        ):
            stack.callback(ask)  # every call is made, even if another call raises


def validate(address: str) -> None:
    """Seek to an offset with a leader epoch, which the client validates with the leader."""
    with consumer(address) as client:
        client.assign([TopicPartition(TOPIC, 0, 0)])
        _first(client.poll)
        client.seek(TopicPartition(TOPIC, 0, 1, leader_epoch=0))
        _first(client.poll)


def by_time(address: str) -> None:
    with consumer(address) as client:
        client.offsets_for_times([TopicPartition(TOPIC, 0, 1)], timeout=WAIT)


def log_in(address: str) -> None:
    """Authenticate before any other request."""
    settings = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"}
    settings |= {"sasl_username": "me", "sasl_password": "password"}
    with AdminClient(config(address, **settings)) as client:
        client.list_topics(timeout=WAIT)


def send_metrics(address: str) -> None:
    with Producer(config(address)) as client:
        client.list_topics(timeout=WAIT)
        client.poll(0.2)  # more than one push interval


def ask(kind: type[protocol.Request], address: str) -> None:
    """Send a raw request of this kind, and decode the response."""
    with AdminClient(config(address)) as client:
        oldest, newest = client.api_versions(timeout=WAIT)[kind.api_key]
        version = kind.common_version((oldest, newest))
        answer = client.request(kind.api_key, version, kind().encode(version), timeout=WAIT)
    kind.response_class.decode(answer, version)


def answer_leaving(cluster: MockCluster) -> None:
    """Respond to LeaveGroup up to version 5, with a reason, which mock brokers do not support."""
    kind = protocol.LeaveGroupRequest

    def answer(_: protocol.Request, context: RequestContext) -> protocol.Response:
        member = kind.response_class.MemberResponse(group_instance_id="instance")
        return kind.response_class(members=[member] if context.version > 2 else [])

    cluster.on_request(kind.api_key, answer, versions=(0, 5))


def share_from_the_start(cluster: MockCluster) -> None:
    cluster.set_share_group_auto_offset_reset("earliest")


def accept_logins(cluster: MockCluster) -> None:
    handshake = protocol.SaslHandshakeResponse(mechanisms=["PLAIN"])
    cluster.on_request(protocol.SaslHandshakeRequest.api_key, lambda *_: handshake)
    accepted = protocol.SaslAuthenticateResponse()
    cluster.on_request(protocol.SaslAuthenticateRequest.api_key, lambda *_: accepted)


def want_metrics(cluster: MockCluster) -> None:
    wanted = protocol.GetTelemetrySubscriptionsResponse(
        client_instance_id=Uuid(1, 2),
        subscription_id=1,
        accepted_compression_types=[0],
        push_interval_ms=50,
        telemetry_max_bytes=100_000,
        requested_metrics=["*"],
    )
    cluster.on_request(protocol.GetTelemetrySubscriptionsRequest.api_key, lambda *_: wanted)


# Clients need the cluster's own responses to these three requests.
_FOR_ALL = {"ApiVersionsRequest", "MetadataRequest", "FindCoordinatorRequest"}
REQUESTS: list[type[protocol.Request]] = [
    getattr(protocol, name)
    for name in dir(protocol)
    if name.endswith("Request") and name not in {"Request", *_FOR_ALL}
]


# ---- Producer ----


def produce(address: str, **changes: object) -> None:
    settings = {"message_timeout_ms": round(WAIT * 1500), "linger_ms": 0}
    reports = []
    with contextlib.suppress(BufferError):
        client = Producer(config(address, **(settings | changes)))
        try:
            for number in range(2):
                client.produce(
                    TOPIC, b"%d" % number, on_delivery=lambda *each: reports.append(each)
                )
            client.flush(WAIT * 10)
            assert len(reports) == 2, "a message without a report"
        finally:
            client.close(0)


def transact(address: str) -> None:
    """Commit a transaction that contains a message and a group's offset."""
    settings = {"transactional_id": "id", "transaction_timeout_ms": 1000}
    settings |= {"message_timeout_ms": 900, "linger_ms": 0}
    with consumer(address) as reader:
        client = Producer(config(address, **settings))
        try:
            client.init_transactions(WAIT * 3)
            client.begin_transaction()
            client.produce(TOPIC, b"value")
            client.send_offsets_to_transaction(
                [TopicPartition(TOPIC, 0, 1)], reader.consumer_group_metadata(), WAIT * 3
            )
            try:
                client.commit_transaction(WAIT * 3)
            except KafkaException as error:
                if error.args[0].txn_requires_abort():
                    client.abort_transaction(WAIT * 3)
                raise
        finally:
            client.close(0)


# ---- ShareConsumer ----


def share(address: str) -> None:
    with ShareConsumer(
        config(address, group_id="sharing", share_acknowledgement_mode="implicit")
    ) as client:
        client.subscribe([TOPIC])
        end = time.monotonic() + WAIT * 2
        while time.monotonic() < end:
            if client.poll(0.1):
                break
        client.commit_sync(WAIT)


# ---- asyncio ----


async def _aio_read(address: str) -> None:
    settings = config(address, group_id=GROUP, auto_offset_reset="earliest")
    settings |= {"enable.auto.commit": False, "session.timeout.ms": 1000}
    settings |= {"heartbeat.interval.ms": 50}
    async with AIOConsumer(settings) as client:
        await client.subscribe([TOPIC])
        end = time.monotonic() + WAIT * 3
        while time.monotonic() < end:
            message = await client.poll(0.1)
            if message is not None and message.error() is None:
                await client.commit(message=message)
                break
        await client.committed([_PLACE], timeout=WAIT)


async def _aio_produce(address: str) -> None:
    settings = config(address, message_timeout_ms=round(WAIT * 1500), linger_ms=0)
    async with AIOProducer(settings) as client:
        await (await client.produce(TOPIC, b"value"))


def run_in_loop(coroutine: Callable[[str], Any], address: str) -> None:
    asyncio.run(coroutine(address))


def calls() -> list[Call]:
    return [
        *(Call("admin", name, partial(administer, ask)) for name, ask in ADMINISTRATION.items()),
        Call(
            "admin",
            "remove_members",
            partial(administer, ADMINISTRATION["remove_members_from_consumer_group"]),
            prepare=answer_leaving,
        ),
        *(
            Call(
                "protocol",
                kind.__name__.removesuffix("Request"),
                partial(ask, kind),
                (KafkaException, protocol.MalformedMessageError),
                partial(answer_with_samples, api_keys=[kind.api_key]),
            )
            for kind in REQUESTS
        ),
        Call("consumer", "read", read),
        Call(
            "consumer",
            "read_consumer_protocol",
            partial(
                read, group_protocol="consumer", session_timeout_ms=None, heartbeat_interval_ms=None
            ),
        ),
        Call(
            "consumer",
            "read_cooperative",
            partial(read, partition_assignment_strategy="cooperative-sticky"),
        ),
        Call("consumer", "read_static", partial(read, group_instance_id="instance")),
        Call("consumer", "read_assigned", read_assigned),
        Call("consumer", "offsets", ask_about_offsets),
        Call("consumer", "validate", validate),
        Call("consumer", "by_time", by_time),
        Call("admin", "log_in", log_in, prepare=accept_logins),
        Call(
            *("producer", "metrics", send_metrics),
            prepare=want_metrics,
            by_the_clock=protocol.PushTelemetryRequest,
        ),
        Call("producer", "produce", produce),
        Call("producer", "idempotent", partial(produce, enable_idempotence=True)),
        Call("producer", "transaction", transact),
        Call(
            "producer",
            "transaction_of_version_1",
            transact,
            prepare=lambda cluster: cluster.set_transaction_version(1),
        ),
        Call("share", "read", share, prepare=share_from_the_start),
        Call("aio", "read", partial(run_in_loop, _aio_read)),
        Call("aio", "produce", partial(run_in_loop, _aio_produce)),
    ]
