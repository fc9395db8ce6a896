"""Calls of the compatibility APIs, for tests that change responses."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from confluent_kafka.compat import aiokafka, kafka, kafka_0_9, kafka_2
from confluent_kafka.compat.aiokafka import admin as of_aiokafka
from confluent_kafka.compat.aiokafka.admin.config_resource import (
    ConfigResource as AIOKafkaConfigResource,
)
from confluent_kafka.compat.aiokafka.admin.config_resource import (
    ConfigResourceType as AIOKafkaConfigResourceType,
)
from confluent_kafka.compat.aiokafka.errors import KafkaError as AIOKafkaError
from confluent_kafka.compat.kafka import admin as of_kafka
from confluent_kafka.compat.kafka import structs
from confluent_kafka.compat.kafka.errors import KafkaError as KafkaPythonError
from confluent_kafka.compat.kafka_0_9 import common
from confluent_kafka.compat.kafka_2 import admin as of_kafka_2
from confluent_kafka.compat.kafka_2.errors import KafkaError as KafkaPython2Error
from tests.matrix.clients import GROUP, TOPIC, WAIT, Call, new_name, run_in_loop

_MS = round(WAIT * 1000)
_PLACE = kafka.TopicPartition(TOPIC, 0)
_SIZES = itertools.count(3)


# ---- kafka-python ----


def _kafka_admin(client_class: Any, ask: Callable[[Any], object], address: str) -> None:
    client = client_class(
        bootstrap_servers=address,
        request_timeout_ms=_MS,
        retry_backoff_ms=10,
        **({"bootstrap_timeout_ms": _MS} if client_class is kafka.KafkaAdminClient else {}),
    )
    try:
        ask(client)
    finally:
        client.close()


_PATTERN = of_kafka.ResourcePattern(of_kafka.ResourceType.TOPIC, TOPIC)
_RULE = of_kafka.ACL(
    "User:me", "*", of_kafka.ACLOperation.READ, of_kafka.ACLPermissionType.ALLOW, _PATTERN
)
_RULES = of_kafka.ACLFilter(
    None,
    None,
    of_kafka.ACLOperation.ANY,
    of_kafka.ACLPermissionType.ANY,
    of_kafka.ResourcePatternFilter(
        of_kafka.ResourceType.TOPIC, TOPIC, of_kafka.ACLResourcePatternType.ANY
    ),
)
_CHANGED = of_kafka.ConfigResource("topic", TOPIC, {"retention.ms": "1000"})
_REPLICA = structs.TopicPartitionReplica(TOPIC, 0, 1)
_OFFSETS = {_PLACE: kafka.OffsetAndMetadata(2, "", -1)}
_USER = of_kafka.UserScramCredentialUpsertion("me", "SCRAM-SHA-256", "password")


def _offsets_to_delete(client: Any) -> object:
    client.alter_group_offsets(GROUP, _OFFSETS)
    return client.delete_group_offsets(GROUP, [_PLACE])


def _group_to_delete(client: Any) -> object:
    client.alter_group_offsets(GROUP, _OFFSETS)
    return client.delete_groups([GROUP])


def _topic_to_delete(client: Any) -> object:
    client.create_topics([of_kafka.NewTopic("new", 1, 1)], raise_errors=False)
    return client.delete_topics(["new"])


KAFKA_ADMINISTRATION: dict[str, Callable[[Any], object]] = {
    "abort_transaction": lambda c: c.abort_transaction(of_kafka.AbortTransactionSpec(_PLACE, 1, 0)),
    "alter_configs": lambda c: c.alter_configs([_CHANGED], incremental=False),
    "alter_configs_incrementally": lambda c: c.alter_configs([_CHANGED], incremental=True),
    "alter_group_offsets": lambda c: c.alter_group_offsets(GROUP, _OFFSETS),
    "alter_partition_reassignments": lambda c: c.alter_partition_reassignments({_PLACE: [1]}),
    "alter_replica_log_dirs": lambda c: c.alter_replica_log_dirs({_REPLICA: "/directory"}),
    "alter_user_scram_credentials": lambda c: c.alter_user_scram_credentials([_USER]),
    "api_versions": lambda c: c.api_versions(),
    "create_acls": lambda c: c.create_acls([_RULE]),
    "create_partitions": lambda c: c.create_partitions({TOPIC: next(_SIZES)}),
    "create_topics": lambda c: c.create_topics([of_kafka.NewTopic(new_name(), 1, 1)]),
    "delete_acls": lambda c: c.delete_acls([_RULES]),
    "delete_group_offsets": _offsets_to_delete,
    "delete_groups": _group_to_delete,
    "delete_records": lambda c: c.delete_records({_PLACE: 1}),
    "delete_topics": _topic_to_delete,
    "describe_acls": lambda c: c.describe_acls(_RULES),
    "describe_cluster": lambda c: c.describe_cluster(),
    "describe_configs": lambda c: c.describe_configs([of_kafka.ConfigResource("topic", TOPIC)]),
    "describe_features": lambda c: c.describe_features(),
    "describe_groups": lambda c: c.describe_groups([GROUP]),
    "describe_log_dirs": lambda c: c.describe_log_dirs([_PLACE]),
    "describe_metadata_quorum": lambda c: c.describe_metadata_quorum(),
    "describe_producers": lambda c: c.describe_producers([_PLACE]),
    "describe_topic_partitions": lambda c: c.describe_topic_partitions([TOPIC]),
    "describe_topics": lambda c: c.describe_topics([TOPIC]),
    "describe_transactions": lambda c: c.describe_transactions(["id"]),
    "describe_user_scram_credentials": lambda c: c.describe_user_scram_credentials(["me"]),
    "elect_leaders": lambda c: c.elect_leaders("preferred", [_PLACE]),
    "find_hanging_transactions": lambda c: c.find_hanging_transactions(),
    "get_broker_version_data": lambda c: c.get_broker_version_data(1),
    "list_config_resources": lambda c: c.list_config_resources(["topic"]),
    "list_group_offsets": lambda c: c.list_group_offsets(GROUP),
    "list_groups": lambda c: c.list_groups(),
    "list_partition_offsets": lambda c: c.list_partition_offsets(
        {_PLACE: structs.OffsetSpec.LATEST}
    ),
    "list_partition_reassignments": lambda c: c.list_partition_reassignments([_PLACE]),
    "list_topics": lambda c: c.list_topics(),
    "list_transactions": lambda c: c.list_transactions(),
    "remove_group_members": lambda c: c.remove_group_members(
        GROUP, [of_kafka.MemberToRemove(group_instance_id="instance")]
    ),
    "reset_configs": lambda c: c.reset_configs([_CHANGED]),
    "reset_group_offsets": lambda c: c.reset_group_offsets(GROUP, {_PLACE: 2}),
    "update_features": lambda c: c.update_features(
        {"feature": (1, of_kafka.UpdateFeatureType.UPGRADE)}, timeout_ms=_MS
    ),
    "wait_for_topics": lambda c: c.wait_for_topics([TOPIC], timeout_ms=_MS),
}

# Methods that are different in generation 2.
_CHANGED_2 = of_kafka_2.ConfigResource("TOPIC", TOPIC, {"retention.ms": "1000"})
KAFKA_2_ADMINISTRATION: dict[str, Callable[[Any], object]] = {
    "alter_configs": lambda c: c.alter_configs([_CHANGED_2]),
    "create_topics": lambda c: c.create_topics([of_kafka_2.NewTopic(new_name(), 1, 1)]),
    "delete_consumer_groups": lambda c: c.delete_consumer_groups([GROUP]),
    "describe_configs": lambda c: c.describe_configs([of_kafka_2.ConfigResource("TOPIC", TOPIC)]),
    "perform_leader_election": lambda c: c.perform_leader_election("PREFERRED", [_PLACE]),
    "describe_consumer_groups": lambda c: c.describe_consumer_groups([GROUP]),
    "list_consumer_group_offsets": lambda c: c.list_consumer_group_offsets(GROUP),
    "list_consumer_groups": lambda c: c.list_consumer_groups(),
}


def _kafka_messages(address: str) -> None:
    options = {"bootstrap_servers": address, "request_timeout_ms": _MS}
    options |= {"retry_backoff_ms": 10, "bootstrap_timeout_ms": _MS}
    producer = kafka.KafkaProducer(
        max_block_ms=_MS, delivery_timeout_ms=round(_MS * 1.5), **options
    )
    try:
        producer.send(TOPIC, b"value").get(WAIT * 3)
    finally:
        producer.close(timeout=WAIT)
    reader = kafka.KafkaConsumer(
        TOPIC, group_id=GROUP, auto_offset_reset="earliest", enable_auto_commit=False, **options
    )
    try:
        reader.poll(timeout_ms=500)
        reader.end_offsets(list(reader.assignment()))
        reader.offsets_for_times(dict.fromkeys(reader.assignment(), 1))
        reader.commit()
    finally:
        reader.close()


# ---- kafka-python 0.9.5 ----

_T = TOPIC.encode()
KAFKA_0_9_REQUESTS: dict[str, Callable[[Any], object]] = {
    "send_consumer_metadata_request": lambda c: c.send_consumer_metadata_request(GROUP),
    "send_fetch_request": lambda c: c.send_fetch_request([common.FetchRequest(_T, 0, 0, 4096)]),
    "send_metadata_request": lambda c: c.send_metadata_request([_T]),
    "send_offset_commit_request": lambda c: c.send_offset_commit_request(
        GROUP, [common.OffsetCommitRequest(_T, 0, 2, b"")]
    ),
    "send_offset_fetch_request": lambda c: c.send_offset_fetch_request(
        GROUP, [common.OffsetFetchRequest(_T, 0)]
    ),
    "send_offset_fetch_request_kafka": lambda c: c.send_offset_fetch_request_kafka(
        GROUP, [common.OffsetFetchRequest(_T, 0)]
    ),
    "send_offset_request": lambda c: c.send_offset_request([common.OffsetRequest(_T, 0, -1, 1)]),
    "send_produce_request": lambda c: c.send_produce_request(
        [common.ProduceRequest(_T, 0, [kafka_0_9.create_message(b"value")])]
    ),
}


def _kafka_0_9(ask: Callable[[Any], object], address: str) -> None:
    client = kafka_0_9.KafkaClient(address, timeout=WAIT)
    try:
        ask(client)
    finally:
        client.close()


# ---- aiokafka ----

_RECORDS = {aiokafka.TopicPartition(TOPIC, 0): of_aiokafka.RecordsToDelete(1)}
_TOPIC_RESOURCE = AIOKafkaConfigResource(AIOKafkaConfigResourceType.TOPIC, TOPIC)
_CHANGED_RESOURCE = AIOKafkaConfigResource(
    AIOKafkaConfigResourceType.TOPIC, TOPIC, {"retention.ms": "1000"}
)
AIOKAFKA_ADMINISTRATION: dict[str, Callable[[Any], Any]] = {
    "alter_configs": lambda c: c.alter_configs([_CHANGED_RESOURCE]),
    "create_partitions": lambda c: c.create_partitions(
        {TOPIC: of_aiokafka.NewPartitions(next(_SIZES))}
    ),
    "create_topics": lambda c: c.create_topics([of_aiokafka.NewTopic(new_name(), 1, 1)]),
    "delete_records": lambda c: c.delete_records(_RECORDS),
    "delete_topics": lambda c: c.delete_topics(["nowhere"]),
    "describe_cluster": lambda c: c.describe_cluster(),
    "describe_configs": lambda c: c.describe_configs([_TOPIC_RESOURCE]),
    "describe_consumer_groups": lambda c: c.describe_consumer_groups([GROUP]),
    "describe_topics": lambda c: c.describe_topics([TOPIC]),
    "find_coordinator": lambda c: c.find_coordinator(GROUP),
    "list_consumer_group_offsets": lambda c: c.list_consumer_group_offsets(GROUP),
    "list_consumer_groups": lambda c: c.list_consumer_groups(),
    "list_topics": lambda c: c.list_topics(),
}


async def _aiokafka_admin(ask: Callable[[Any], Any], address: str) -> None:
    client = of_aiokafka.AIOKafkaAdminClient(
        bootstrap_servers=address, request_timeout_ms=_MS, retry_backoff_ms=10
    )
    try:
        await client.start()
        await ask(client)
    finally:
        await client.close()


async def _aiokafka_messages(address: str) -> None:
    options: dict[str, Any] = {"bootstrap_servers": address, "request_timeout_ms": _MS}
    options["retry_backoff_ms"] = 10
    async with aiokafka.AIOKafkaProducer(**options) as producer:
        await producer.send_and_wait(TOPIC, b"value")
    async with aiokafka.AIOKafkaConsumer(
        TOPIC, group_id=GROUP, auto_offset_reset="earliest", enable_auto_commit=False, **options
    ) as reader:
        await reader.getmany(timeout_ms=500)
        await reader.end_offsets(list(reader.assignment()))
        await reader.commit()


async def _aiokafka_transaction(address: str) -> None:
    async with aiokafka.AIOKafkaProducer(
        bootstrap_servers=address,
        request_timeout_ms=_MS,
        retry_backoff_ms=10,
        transactional_id="id",
        transaction_timeout_ms=_MS,
    ) as producer:
        with contextlib.suppress(AIOKafkaError):
            async with producer.transaction():
                await producer.send_and_wait(TOPIC, b"value")
                await producer.send_offsets_to_transaction(
                    {aiokafka.TopicPartition(TOPIC, 0): 1}, GROUP
                )


def calls() -> list[Call]:
    return [
        *(
            Call(
                "aiokafka",
                name,
                partial(run_in_loop, partial(_aiokafka_admin, ask)),
                (AIOKafkaError,),
            )
            for name, ask in AIOKAFKA_ADMINISTRATION.items()
        ),
        Call("aiokafka", "messages", partial(run_in_loop, _aiokafka_messages), (AIOKafkaError,)),
        Call(
            "aiokafka", "transaction", partial(run_in_loop, _aiokafka_transaction), (AIOKafkaError,)
        ),
        *(
            Call(
                "kafka",
                name,
                partial(_kafka_admin, kafka.KafkaAdminClient, ask),
                (KafkaPythonError,),
            )
            for name, ask in KAFKA_ADMINISTRATION.items()
        ),
        Call("kafka", "messages", _kafka_messages, (KafkaPythonError,)),
        *(
            Call(
                "kafka_2",
                name,
                partial(_kafka_admin, kafka_2.KafkaAdminClient, ask),
                (KafkaPython2Error,),
            )
            for name, ask in KAFKA_2_ADMINISTRATION.items()
        ),
        *(
            Call("kafka_0_9", name, partial(_kafka_0_9, ask), (common.KafkaError,))
            for name, ask in KAFKA_0_9_REQUESTS.items()
        ),
    ]
