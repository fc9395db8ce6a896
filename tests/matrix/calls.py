"""What is called while answers are changed: each call returns, or raises what it documents.

A call opens what it needs and waits for no longer than some `WAIT`s.
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
    ElectionType,
    KafkaException,
    Producer,
    ShareConsumer,
    TopicCollection,
    TopicPartition,
    Uuid,
    admin,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.aio import AIOConsumer, AIOProducer

WAIT = 1.0  # seconds, for one answer
LATE = 1500  # milliseconds: longer than a client waits
TOPIC, GROUP = "topic", "group"


@dataclass(frozen=True)
class Call:
    """One call, or a few that belong together, of one kind of client."""

    client: str
    name: str
    run: Callable[[str], object]  # with the address of the brokers
    raises: tuple[type[BaseException], ...] = (KafkaException,)

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
    """Waits for each future; the first that fails raises when all have ended."""
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
    if isinstance(answer, list):  # of one request after the other
        return [future for each in answer for future in _futures(each)]
    return answer.values() if isinstance(answer, Mapping) else [answer]


def administer(ask: Callable[[AdminClient], Any], address: str) -> None:
    with AdminClient(config(address)) as client:
        outcomes(ask(client))


def _acl(kind: Any = admin.AclBinding) -> Any:
    return kind(
        admin.ResourceType.TOPIC,
        TOPIC,
        admin.ResourcePatternType.LITERAL,
        "User:me",
        "*",
        admin.AclOperation.READ,
        admin.AclPermissionType.ALLOW,
    )


def _resource(**settings: str) -> admin.ConfigResource:
    entries = [
        admin.ConfigEntry(name, value, incremental_operation=admin.AlterConfigOpType.SET)
        for name, value in settings.items()
    ]
    return admin.ConfigResource(
        admin.ResourceType.TOPIC, TOPIC, incremental_configs=entries or None
    )


_PLACE = TopicPartition(TOPIC, 0)
_COMMITTED = ConsumerGroupTopicPartitions(GROUP, [TopicPartition(TOPIC, 0, 3)])
_ASKED = ConsumerGroupTopicPartitions(GROUP, [_PLACE])
_SCRAM = admin.ScramCredentialInfo(admin.ScramMechanism.SCRAM_SHA_256, 4096)
_VOTER = Uuid(1, 2)

_NUMBERS = itertools.count(3)


def new_name() -> str:
    return f"new-{next(_NUMBERS)}"


_t = {"request_timeout": WAIT}
ADMINISTRATION: dict[str, Callable[[AdminClient], Any]] = {
    "create_topics": lambda c: c.create_topics([admin.NewTopic(new_name(), 1)], **_t),
    "delete_topics": lambda c: [
        c.create_topics([admin.NewTopic("new", 1)], **_t),
        c.delete_topics(["new"], **_t),
    ],
    "create_partitions": lambda c: c.create_partitions(
        [admin.NewPartitions(TOPIC, next(_NUMBERS))], **_t
    ),
    "describe_topics": lambda c: c.describe_topics(TopicCollection([TOPIC]), **_t),
    "describe_cluster": lambda c: c.describe_cluster(**_t),
    "describe_configs": lambda c: c.describe_configs([_resource()], **_t),
    "alter_configs": lambda c: c.alter_configs([_resource()], **_t),
    "incremental_alter_configs": lambda c: c.incremental_alter_configs(
        [_resource(**{"retention.ms": "1000"})], **_t
    ),
    "list_config_resources": lambda c: c.list_config_resources(**_t),
    "list_client_metrics_resources": lambda c: c.list_client_metrics_resources(**_t),
    "create_acls": lambda c: c.create_acls([_acl()], **_t),
    "describe_acls": lambda c: c.describe_acls(_acl(admin.AclBindingFilter), **_t),
    "delete_acls": lambda c: c.delete_acls([_acl(admin.AclBindingFilter)], **_t),
    "list_groups": lambda c: _now(lambda: c.list_groups(timeout=WAIT)),
    "list_topics": lambda c: _now(lambda: c.list_topics(timeout=WAIT)),
    "list_consumer_groups": lambda c: c.list_consumer_groups(**_t),
    "describe_consumer_groups": lambda c: c.describe_consumer_groups([GROUP], **_t),
    "describe_classic_groups": lambda c: c.describe_classic_groups([GROUP], **_t),
    "delete_consumer_groups": lambda c: [
        c.alter_consumer_group_offsets([_COMMITTED], **_t),
        c.delete_consumer_groups([GROUP], **_t),
    ],
    "list_consumer_group_offsets": lambda c: c.list_consumer_group_offsets([_ASKED], **_t),
    "alter_consumer_group_offsets": lambda c: c.alter_consumer_group_offsets([_COMMITTED], **_t),
    "delete_consumer_group_offsets": lambda c: [
        c.alter_consumer_group_offsets([_COMMITTED], **_t),
        c.delete_consumer_group_offsets([_ASKED], **_t),
    ],
    "remove_members": lambda c: c.remove_members_from_consumer_group(GROUP, **_t),
    "list_offsets": lambda c: c.list_offsets({_PLACE: admin.OffsetSpec.latest()}, **_t),
    "delete_records": lambda c: c.delete_records([TopicPartition(TOPIC, 0, 1)], **_t),
    "elect_leaders": lambda c: c.elect_leaders(ElectionType.PREFERRED, [_PLACE], **_t),
    "describe_user_scram_credentials": lambda c: c.describe_user_scram_credentials(["me"], **_t),
    "alter_user_scram_credentials": lambda c: c.alter_user_scram_credentials(
        [admin.UserScramCredentialUpsertion("me", _SCRAM, b"password")], **_t
    ),
    "describe_log_dirs": lambda c: c.describe_log_dirs([1], **_t),
    "describe_features": lambda c: c.describe_features(**_t),
    "describe_metadata_quorum": lambda c: c.describe_metadata_quorum(**_t),
    "remove_raft_voter": lambda c: c.remove_raft_voter(1, _VOTER, **_t),
    "unregister_broker": lambda c: c.unregister_broker(1, **_t),
    "describe_client_quotas": lambda c: c.describe_client_quotas(
        admin.ClientQuotaFilter.all(), **_t
    ),
    "list_partition_reassignments": lambda c: c.list_partition_reassignments(**_t),
    "alter_partition_reassignments": lambda c: c.alter_partition_reassignments({_PLACE: [1]}, **_t),
    "create_delegation_token": lambda c: c.create_delegation_token(**_t),
    "renew_delegation_token": lambda c: c.renew_delegation_token(b"hmac", **_t),
    "expire_delegation_token": lambda c: c.expire_delegation_token(b"hmac", **_t),
    "describe_delegation_token": lambda c: c.describe_delegation_token(**_t),
    "list_transactions": lambda c: c.list_transactions(**_t),
    "describe_transactions": lambda c: c.describe_transactions(["id"], **_t),
    "describe_producers": lambda c: c.describe_producers([_PLACE], **_t),
    "fence_producers": lambda c: c.fence_producers(["id"], **_t),
    "list_share_groups": lambda c: c.list_share_groups(**_t),
    "describe_share_groups": lambda c: c.describe_share_groups([GROUP], **_t),
    "list_share_group_offsets": lambda c: c.list_share_group_offsets({GROUP: None}, **_t),
    "list_streams_groups": lambda c: c.list_streams_groups(**_t),
    "describe_streams_groups": lambda c: c.describe_streams_groups([GROUP], **_t),
}


def _now(call: Callable[[], object]) -> Future[Any]:
    """A call that waits itself."""
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
    """Joins, reads, commits and leaves."""
    with consumer(address, **changes) as client:
        client.subscribe([TOPIC])
        message = _first(client.poll)
        if message is not None:
            client.commit(message=message, asynchronous=False)


def _first(poll: Callable[[float], Any]) -> Any:
    """The first message without an error, within some seconds."""
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
            stack.callback(ask)  # each is tried, whatever the others raise


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
    """A transaction from a group's offsets to messages, committed."""
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


def _run(coroutine: Callable[[str], Any], address: str) -> None:
    asyncio.run(coroutine(address))


# ---- the compatibility APIs ----


async def _aiokafka(address: str) -> None:
    from confluent_kafka.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer

    options = {"bootstrap_servers": address, "request_timeout_ms": round(WAIT * 1000)}
    options["retry_backoff_ms"] = 10
    async with AIOKafkaProducer(**options) as producer:
        await producer.send_and_wait(TOPIC, b"value")
    async with AIOKafkaConsumer(
        TOPIC, group_id=GROUP, auto_offset_reset="earliest", enable_auto_commit=False, **options
    ) as reader:
        await reader.getmany(timeout_ms=500)
        await reader.end_offsets(list(reader.assignment()))
        await reader.commit()


def _kafka_python(address: str) -> None:
    from confluent_kafka.compat.kafka import KafkaConsumer, KafkaProducer

    options = {"bootstrap_servers": address, "request_timeout_ms": round(WAIT * 1000)}
    options |= {"retry_backoff_ms": 10, "bootstrap_timeout_ms": round(WAIT * 1000)}
    producer = KafkaProducer(
        max_block_ms=round(WAIT * 1000), delivery_timeout_ms=round(WAIT * 1500), **options
    )
    try:
        producer.send(TOPIC, b"value").get(WAIT * 3)
    finally:
        producer.close(timeout=WAIT)
    reader = KafkaConsumer(
        TOPIC, group_id=GROUP, auto_offset_reset="earliest", enable_auto_commit=False, **options
    )
    try:
        reader.poll(timeout_ms=500)
        reader.end_offsets(list(reader.assignment()))
        reader.commit()
    finally:
        reader.close()


def _calls() -> list[Call]:
    from confluent_kafka.compat.aiokafka.errors import KafkaError as AIOKafkaError
    from confluent_kafka.compat.kafka.errors import KafkaError as KafkaPythonError

    return [
        *(Call("admin", name, partial(administer, ask)) for name, ask in ADMINISTRATION.items()),
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
        Call("producer", "produce", produce),
        Call("producer", "idempotent", partial(produce, enable_idempotence=True)),
        Call("producer", "transaction", transact),
        Call("share", "read", share),
        Call("aio", "read", partial(_run, _aio_read)),
        Call("aio", "produce", partial(_run, _aio_produce)),
        Call("aiokafka", "all", partial(_run, _aiokafka), (AIOKafkaError,)),
        Call("kafka", "all", _kafka_python, (KafkaPythonError,)),
    ]


CALLS = {str(call): call for call in _calls()}
