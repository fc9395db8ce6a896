"""Clients that never reach a broker: their configurations, and one call of each method."""

from __future__ import annotations

import functools
import logging
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    ElectionType,
    Message,
    Producer,
    ShareConsumer,
    TopicCollection,
    TopicPartition,
    Uuid,
)
from confluent_kafka.admin import (
    AbortTransactionSpec,
    AclBinding,
    AclBindingFilter,
    AdminClient,
    AlterConfigOpType,
    ClientQuotaAlteration,
    ClientQuotaEntity,
    ClientQuotaFilter,
    ConfigEntry,
    ConfigResource,
    FeatureUpdate,
    MemberToRemove,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    RaftVoterEndpoint,
    ScramMechanism,
    TopicPartitionReplica,
    UserScramCredentialDeletion,
)
from confluent_kafka.cimpl import MessageBatch
from tests.support.patches import LACKS
from tests.support.waiting import TIMEOUT

# No server listens on this port. Clients try again and again, and requests end at their timeouts.
UNREACHABLE = "127.0.0.1:1"

# This logger is not in the hierarchy of loggers, so no other handler gets its records.
QUIET = logging.Logger("quiet")
QUIET.addHandler(logging.NullHandler())


def config(more: dict[str, Any] | None = None, client: type[Any] | None = None) -> dict[str, Any]:
    """A configuration for any client, or for this type, without log records on stderr.

    close() waits for commits in the background until the session timeout, which is therefore short.
    A ShareConsumer has no setting for its session timeout, because the brokers set it.
    """
    base: dict[str, Any] = {
        "bootstrap.servers": UNREACHABLE,
        "group.id": "group",
        "logger": QUIET,
    }
    if client is None or not issubclass(client, ShareConsumer):
        base |= {"session.timeout.ms": 1000, "heartbeat.interval.ms": 300}
    return base | (more or {})


def partitions() -> list[TopicPartition]:
    return [TopicPartition("topic", 0, 0)]


@functools.cache
def empty_batch() -> MessageBatch:
    with Consumer(config()) as consumer:
        return consumer.consume_arrow(0)


@functools.cache
def empty_rows() -> object:
    with Producer(config()) as producer:
        return producer._import_rows(empty_batch(), "topic", None)


@functools.cache
def group_metadata() -> bytes:
    with Consumer(config()) as consumer:
        return consumer.consumer_group_metadata()


# Public methods other than close(), each with valid arguments. On an open client, they raise only
# KafkaException, and do not wait for a broker.
COMMON_CALLS: dict[str, Callable[[Any], object]] = {
    "list_topics": lambda client: client.list_topics(timeout=0),
    "cluster_id": lambda client: client.cluster_id(0),
    "request": lambda client: client.request(3, 1, timeout=0),
    "api_versions": lambda client: client.api_versions(timeout=0),
    "set_sasl_credentials": lambda client: client.set_sasl_credentials("name", "word"),
    "wakeup": lambda client: client.wakeup(),
    "connect": lambda client: client.connect(0),
    "stats": lambda client: client.stats(),
    "io_event_enable": lambda client: client.io_event_enable(-1),
}
PRODUCER_CALLS: dict[str, Callable[[Producer], object]] = COMMON_CALLS | {
    "produce": lambda producer: producer.produce("topic", b"value"),
    "produce_batch": lambda producer: producer.produce_batch("topic", [b"value"]),
    "produce_arrow": lambda producer: producer.produce_arrow(empty_batch(), "topic"),
    "poll": lambda producer: producer.poll(0),
    "flush": lambda producer: producer.flush(0),
    "purge": lambda producer: producer.purge(),
    "init_transactions": lambda producer: producer.init_transactions(0),
    "begin_transaction": lambda producer: producer.begin_transaction(),
    "commit_transaction": lambda producer: producer.commit_transaction(0),
    "abort_transaction": lambda producer: producer.abort_transaction(0),
    "send_offsets_to_transaction": lambda producer: producer.send_offsets_to_transaction(
        partitions(), group_metadata(), 0
    ),
}
CONSUMER_CALLS: dict[str, Callable[[Consumer], object]] = COMMON_CALLS | {
    "poll": lambda consumer: consumer.poll(0),
    "consume": lambda consumer: consumer.consume(1, 0),
    "consume_arrow": lambda consumer: consumer.consume_arrow(1, 0),
    "subscribe": lambda consumer: consumer.subscribe(["topic"]),
    "unsubscribe": lambda consumer: consumer.unsubscribe(),
    "assign": lambda consumer: consumer.assign(partitions()),
    "unassign": lambda consumer: consumer.unassign(),
    "incremental_assign": lambda consumer: consumer.incremental_assign(partitions()),
    "incremental_unassign": lambda consumer: consumer.incremental_unassign(partitions()),
    "subscription": lambda consumer: consumer.subscription(),
    "assignment": lambda consumer: consumer.assignment(),
    "pause": lambda consumer: consumer.pause(partitions()),
    "resume": lambda consumer: consumer.resume(partitions()),
    "commit": lambda consumer: consumer.commit(Message("topic", 0, 0)),
    "store_offsets": lambda consumer: consumer.store_offsets(offsets=partitions()),
    "committed": lambda consumer: consumer.committed(partitions(), 0),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times(partitions(), 0),
    "seek": lambda consumer: consumer.seek(partitions()[0]),
    "position": lambda consumer: consumer.position(partitions()),
    "get_watermark_offsets": lambda consumer: consumer.get_watermark_offsets(partitions()[0], 0),
    "paused": lambda consumer: consumer.paused(),
    "pause_while": lambda consumer: consumer.pause_while(),
    "lag": lambda consumer: consumer.lag(),
    "memberid": lambda consumer: consumer.memberid(),
    "consumer_group_metadata": lambda consumer: consumer.consumer_group_metadata(),
}
SHARE_CALLS: dict[str, Callable[[ShareConsumer], object]] = COMMON_CALLS | {
    "subscribe": lambda consumer: consumer.subscribe(["topic"]),
    "subscription": lambda consumer: consumer.subscription(),
    "poll": lambda consumer: consumer.poll(0),
    "acknowledge": lambda consumer: consumer.acknowledge(Message("topic", 0, 0)),
    "acknowledge_offset": lambda consumer: consumer.acknowledge_offset("topic", 0, 0),
    "commit_sync": lambda consumer: consumer.commit_sync(0),
    "commit_async": lambda consumer: consumer.commit_async(),
    "renew": lambda consumer: consumer.renew(),
    "acquisition_lock_timeout_ms": lambda consumer: consumer.acquisition_lock_timeout_ms(),
    "set_acknowledgement_commit_callback": (
        lambda consumer: consumer.set_acknowledgement_commit_callback(None)
    ),
    "unsubscribe": lambda consumer: consumer.unsubscribe(),
}


def answered(futures: Any) -> None:
    """Waits for the futures of a request, and raises the exception of the first failed future."""
    for future in futures.values() if isinstance(futures, dict) else [futures]:
        assert isinstance(future, Future)
        future.result(TIMEOUT)


BINDING = AclBinding("topic", "topic", "literal", "User:name", "*", "read", "allow")
ANY_ACL = AclBindingFilter("any", None, "any", None, None, "any", "any")
GROUP = ConsumerGroupTopicPartitions("group", partitions())
REPLICA = TopicPartitionReplica("topic", 0, 1)
ALL_OF_GROUP = ConsumerGroupTopicPartitions("group")
_QUOTA = ClientQuotaAlteration(
    ClientQuotaEntity({ClientQuotaEntity.USER: "name"}), {"producer_byte_rate": 1}
)
_DELETION = UserScramCredentialDeletion("name", ScramMechanism.SCRAM_SHA_256)
_CHANGE = ConfigEntry("retention.ms", "1", incremental_operation=AlterConfigOpType.SET)
_RESOURCE = ConfigResource("topic", "topic", {"retention.ms": "1"}, incremental_configs=[_CHANGE])


def _alter_configs(admin: AdminClient, seconds: float) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return admin.alter_configs([_RESOURCE], request_timeout=seconds)


# Each request of an AdminClient, with valid arguments. The requests return futures.
ADMIN_REQUESTS: dict[str, Callable[[AdminClient, float], Any]] = {
    "create_topics": lambda admin, seconds: admin.create_topics(
        [NewTopic("topic", 1, 1, config={"retention.ms": "1"})], request_timeout=seconds
    ),
    "delete_topics": lambda admin, seconds: admin.delete_topics(["topic"], request_timeout=seconds),
    "create_partitions": lambda admin, seconds: admin.create_partitions(
        [NewPartitions("topic", 2, [[1]])], request_timeout=seconds
    ),
    "describe_topics": lambda admin, seconds: admin.describe_topics(
        TopicCollection(["topic"]), request_timeout=seconds
    ),
    "describe_configs": lambda admin, seconds: admin.describe_configs(
        [_RESOURCE], request_timeout=seconds
    ),
    "alter_configs": _alter_configs,
    "incremental_alter_configs": lambda admin, seconds: admin.incremental_alter_configs(
        [_RESOURCE], request_timeout=seconds
    ),
    "create_acls": lambda admin, seconds: admin.create_acls([BINDING], request_timeout=seconds),
    "describe_acls": lambda admin, seconds: admin.describe_acls(ANY_ACL, request_timeout=seconds),
    "delete_acls": lambda admin, seconds: admin.delete_acls([ANY_ACL], request_timeout=seconds),
    "list_consumer_groups": lambda admin, seconds: admin.list_consumer_groups(
        request_timeout=seconds
    ),
    "describe_consumer_groups": lambda admin, seconds: admin.describe_consumer_groups(
        ["group"], request_timeout=seconds
    ),
    "delete_consumer_groups": lambda admin, seconds: admin.delete_consumer_groups(
        ["group"], request_timeout=seconds
    ),
    "delete_share_groups": lambda admin, seconds: admin.delete_share_groups(
        ["group"], request_timeout=seconds
    ),
    "delete_streams_groups": lambda admin, seconds: admin.delete_streams_groups(
        ["group"], request_timeout=seconds
    ),
    "list_streams_group_offsets": lambda admin, seconds: admin.list_streams_group_offsets(
        {"group": None}, request_timeout=seconds
    ),
    "alter_streams_group_offsets": lambda admin, seconds: admin.alter_streams_group_offsets(
        "group", {TopicPartition("topic", 0): 0}, request_timeout=seconds
    ),
    "delete_streams_group_offsets": lambda admin, seconds: admin.delete_streams_group_offsets(
        "group", [TopicPartition("topic", 0)], request_timeout=seconds
    ),
    "list_consumer_group_offsets": lambda admin, seconds: admin.list_consumer_group_offsets(
        [ALL_OF_GROUP], request_timeout=seconds
    ),
    "alter_consumer_group_offsets": lambda admin, seconds: admin.alter_consumer_group_offsets(
        [GROUP], request_timeout=seconds
    ),
    "delete_consumer_group_offsets": lambda admin, seconds: admin.delete_consumer_group_offsets(
        [GROUP], request_timeout=seconds
    ),
    "delete_records": lambda admin, seconds: admin.delete_records(
        partitions(), request_timeout=seconds
    ),
    "list_offsets": lambda admin, seconds: admin.list_offsets(
        {TopicPartition("topic", 0): OffsetSpec.latest()}, request_timeout=seconds
    ),
    "elect_leaders": lambda admin, seconds: admin.elect_leaders(
        ElectionType.PREFERRED, partitions(), request_timeout=seconds
    ),
    "describe_user_scram_credentials": lambda admin, seconds: admin.describe_user_scram_credentials(
        ["name"], request_timeout=seconds
    ),
    "alter_user_scram_credentials": lambda admin, seconds: admin.alter_user_scram_credentials(
        [_DELETION], request_timeout=seconds
    ),
    "describe_cluster": lambda admin, seconds: admin.describe_cluster(request_timeout=seconds),
}
# Requests that librdkafka has no function for. It only sends the bytes of the requests.
_OF_THE_PROTOCOL: dict[str, Callable[[AdminClient, float], Any]] = {
    "describe_log_dirs": lambda admin, seconds: admin.describe_log_dirs(
        [1], request_timeout=seconds
    ),
    "describe_replica_log_dirs": lambda admin, seconds: admin.describe_replica_log_dirs(
        [REPLICA], request_timeout=seconds
    ),
    "alter_replica_log_dirs": lambda admin, seconds: admin.alter_replica_log_dirs(
        {REPLICA: "/directory"}, request_timeout=seconds
    ),
    "describe_client_quotas": lambda admin, seconds: admin.describe_client_quotas(
        ClientQuotaFilter.all(), request_timeout=seconds
    ),
    "alter_client_quotas": lambda admin, seconds: admin.alter_client_quotas(
        [_QUOTA], request_timeout=seconds
    ),
    "list_client_metrics_resources": lambda admin, seconds: admin.list_client_metrics_resources(
        request_timeout=seconds
    ),
    "list_config_resources": lambda admin, seconds: admin.list_config_resources(
        request_timeout=seconds
    ),
    "alter_partition_reassignments": lambda admin, seconds: admin.alter_partition_reassignments(
        {TopicPartition("topic", 0): [1]}, request_timeout=seconds
    ),
    "list_partition_reassignments": lambda admin, seconds: admin.list_partition_reassignments(
        partitions(), request_timeout=seconds
    ),
    "list_all_groups": lambda admin, seconds: admin.list_all_groups(request_timeout=seconds),
    "list_share_groups": lambda admin, seconds: admin.list_share_groups(request_timeout=seconds),
    "describe_share_groups": lambda admin, seconds: admin.describe_share_groups(
        ["group"], request_timeout=seconds
    ),
    "list_share_group_offsets": lambda admin, seconds: admin.list_share_group_offsets(
        {"group": None}, request_timeout=seconds
    ),
    "alter_share_group_offsets": lambda admin, seconds: admin.alter_share_group_offsets(
        "group", {TopicPartition("topic", 0): 0}, request_timeout=seconds
    ),
    "delete_share_group_offsets": lambda admin, seconds: admin.delete_share_group_offsets(
        "group", ["topic"], request_timeout=seconds
    ),
    "list_streams_groups": lambda admin, seconds: admin.list_streams_groups(
        request_timeout=seconds
    ),
    "describe_streams_groups": lambda admin, seconds: admin.describe_streams_groups(
        ["group"], request_timeout=seconds
    ),
    "create_delegation_token": lambda admin, seconds: admin.create_delegation_token(
        request_timeout=seconds
    ),
    "renew_delegation_token": lambda admin, seconds: admin.renew_delegation_token(
        b"hmac", request_timeout=seconds
    ),
    "expire_delegation_token": lambda admin, seconds: admin.expire_delegation_token(
        b"hmac", request_timeout=seconds
    ),
    "describe_delegation_token": lambda admin, seconds: admin.describe_delegation_token(
        request_timeout=seconds
    ),
    "describe_classic_groups": lambda admin, seconds: admin.describe_classic_groups(
        ["group"], request_timeout=seconds
    ),
    "remove_members_from_consumer_group": lambda admin, seconds: (
        admin.remove_members_from_consumer_group(
            "group", [MemberToRemove("instance")], request_timeout=seconds
        )
    ),
    "list_transactions": lambda admin, seconds: admin.list_transactions(request_timeout=seconds),
    "describe_transactions": lambda admin, seconds: admin.describe_transactions(
        ["id"], request_timeout=seconds
    ),
    "describe_producers": lambda admin, seconds: admin.describe_producers(
        partitions(), request_timeout=seconds
    ),
    "abort_transaction": lambda admin, seconds: admin.abort_transaction(
        AbortTransactionSpec(TopicPartition("topic", 0), 1, 0), request_timeout=seconds
    ),
    "fence_producers": lambda admin, seconds: admin.fence_producers(
        ["id"], request_timeout=seconds
    ),
    "describe_features": lambda admin, seconds: admin.describe_features(request_timeout=seconds),
    "update_features": lambda admin, seconds: admin.update_features(
        {"feature": FeatureUpdate(1)}, request_timeout=seconds
    ),
    "describe_metadata_quorum": lambda admin, seconds: admin.describe_metadata_quorum(
        request_timeout=seconds
    ),
    "add_raft_voter": lambda admin, seconds: admin.add_raft_voter(
        1, Uuid(1, 2), {RaftVoterEndpoint("CONTROLLER", "host", 9093)}, request_timeout=seconds
    ),
    "remove_raft_voter": lambda admin, seconds: admin.remove_raft_voter(
        1, Uuid(1, 2), request_timeout=seconds
    ),
    "unregister_broker": lambda admin, seconds: admin.unregister_broker(7, request_timeout=seconds),
    "unregister_controller": lambda admin, seconds: admin.unregister_controller(
        7, request_timeout=seconds
    ),
    "force_terminate_transaction": lambda admin, seconds: admin.force_terminate_transaction(
        "id", request_timeout=seconds
    ),
}
if "raw-request" not in LACKS:
    ADMIN_REQUESTS |= _OF_THE_PROTOCOL


def _answered_soon(request: Callable[[AdminClient, float], Any]) -> Callable[[AdminClient], None]:
    return lambda admin: answered(request(admin, 0.01))


ADMIN_CALLS: dict[str, Callable[[AdminClient], object]] = COMMON_CALLS | {
    "poll": lambda admin: admin.poll(0),
    "list_groups": lambda admin: admin.list_groups(timeout=0),
    **{name: _answered_soon(request) for name, request in ADMIN_REQUESTS.items()},
}
