"""The asyncio admin client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from concurrent.futures import Executor, Future
from typing import Any, TypeVar, overload

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    ElectionType,
    IsolationLevel,
    KafkaError,
    TopicCollection,
    TopicIdCollection,
    TopicPartition,
    Uuid,
)
from confluent_kafka.admin import (
    AbortTransactionSpec,
    AclBinding,
    AclBindingFilter,
    AdminClient,
    ClassicGroupDescription,
    ClientMetricsResourceListing,
    ClientQuotaAlteration,
    ClientQuotaEntity,
    ClientQuotaFilter,
    ConfigEntry,
    ConfigResource,
    ConsumerGroupDescription,
    DelegationToken,
    DeletedRecords,
    DescribeClusterResult,
    FeatureMetadata,
    FeatureUpdate,
    FencedProducer,
    GroupMetadata,
    GroupState,
    ListConsumerGroupsResult,
    ListGroupsResult,
    ListOffsetsResultInfo,
    ListTransactionsResult,
    LogDirDescription,
    MemberToRemove,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    PartitionReassignment,
    ProducerState,
    QuorumInfo,
    RaftVoterEndpoint,
    ReplicaLogDirInfo,
    ResourceType,
    ShareGroupDescription,
    SharePartitionOffsetInfo,
    StreamsGroupDescription,
    TopicDescription,
    TopicPartitionReplica,
    TransactionDescription,
    TransactionState,
    UserScramCredentialAlteration,
    UserScramCredentialsDescription,
)

from ._answers import Answers, Key
from ._client import MAX_WORKERS, AIOClient
from ._readiness import Readiness

T = TypeVar("T")


class AIOAdminClient(AIOClient):
    """Administers a cluster: the requests of AdminClient, awaited.

    A request is sent when the method is called, and returns what is awaited: a future, or Answers,
    which has a future for each thing that the request is about and may be awaited as a whole. The
    event loop settles them; there is no thread. Cancelling a wait does not stop the request.
    list_topics(), cluster_id(), list_groups() and connect() wait inside librdkafka, on threads of
    the executor.

    ::

        async with AIOAdminClient({"bootstrap.servers": "localhost:9092"}) as admin:
            await admin.create_topics([NewTopic("flights", 12)])

    Args:
        conf: the configuration of an AdminClient. ``error_cb``, ``throttle_cb`` and ``stats_cb``
            may be coroutines and run in the event loop, whose exception handler gets their
            exceptions. ``oauth_cb`` may be a coroutine too; a plain function runs on a thread of
            its own.
        max_workers: threads for requests that wait inside librdkafka.
        executor: runs these requests instead; it is not shut down.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
        RuntimeError: no event loop is running in this thread.

    A method raises TypeError or ValueError for a wrong argument and RuntimeError when the client is
    closed or belongs to another event loop. What is awaited raises KafkaException.
    """

    _client: AdminClient

    def __init__(
        self,
        conf: Mapping[str, Any],
        max_workers: int = MAX_WORKERS,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(conf, max_workers, executor)

    # ---- topics

    def create_topics(
        self,
        new_topics: list[NewTopic],
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
        validate_only: bool = False,
    ) -> Answers[str, None]:
        """Create topics; see AdminClient.create_topics()."""
        return self._each(
            self._open().create_topics(
                new_topics,
                operation_timeout=operation_timeout,
                request_timeout=request_timeout,
                validate_only=validate_only,
            )
        )

    @overload
    def delete_topics(
        self,
        topics: list[str],
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> Answers[str, None]: ...
    @overload
    def delete_topics(
        self,
        topics: TopicIdCollection,
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> Answers[Uuid, None]: ...
    def delete_topics(
        self,
        topics: list[str] | TopicIdCollection,
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> Answers[Any, None]:
        """Delete topics; see AdminClient.delete_topics()."""
        return self._each(
            self._open().delete_topics(
                topics, operation_timeout=operation_timeout, request_timeout=request_timeout
            )
        )

    def create_partitions(
        self,
        new_partitions: list[NewPartitions],
        *,
        operation_timeout: float | None = None,
        request_timeout: float | None = None,
        validate_only: bool = False,
    ) -> Answers[str, None]:
        """Give topics more partitions; see AdminClient.create_partitions()."""
        return self._each(
            self._open().create_partitions(
                new_partitions,
                operation_timeout=operation_timeout,
                request_timeout=request_timeout,
                validate_only=validate_only,
            )
        )

    @overload
    def describe_topics(
        self,
        topics: TopicCollection,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, TopicDescription]: ...
    @overload
    def describe_topics(
        self,
        topics: TopicIdCollection,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[Uuid, TopicDescription]: ...
    def describe_topics(
        self,
        topics: TopicCollection | TopicIdCollection,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[Any, TopicDescription]:
        """Describe topics; see AdminClient.describe_topics()."""
        return self._each(
            self._open().describe_topics(
                topics,
                include_authorized_operations=include_authorized_operations,
                request_timeout=request_timeout,
            )
        )

    # ---- configurations

    def describe_configs(
        self,
        resources: list[ConfigResource],
        *,
        request_timeout: float | None = None,
        broker: int | None = None,
    ) -> Answers[ConfigResource, dict[str, ConfigEntry]]:
        """Read configurations; see AdminClient.describe_configs()."""
        return self._each(
            self._open().describe_configs(resources, request_timeout=request_timeout, broker=broker)
        )

    def incremental_alter_configs(
        self,
        resources: list[ConfigResource],
        *,
        request_timeout: float | None = None,
        validate_only: bool = False,
        broker: int | None = None,
    ) -> Answers[ConfigResource, None]:
        """Change some configurations and leave all others as they are.

        See AdminClient.incremental_alter_configs().
        """
        return self._each(
            self._open().incremental_alter_configs(
                resources,
                request_timeout=request_timeout,
                validate_only=validate_only,
                broker=broker,
            )
        )

    def alter_configs(
        self,
        resources: list[ConfigResource],
        *,
        request_timeout: float | None = None,
        validate_only: bool = False,
        broker: int | None = None,
    ) -> Answers[ConfigResource, None]:
        """Replace all configurations: those that are not given are reset to their defaults.

        See AdminClient.alter_configs().
        """
        return self._each(
            self._open().alter_configs(
                resources,
                request_timeout=request_timeout,
                validate_only=validate_only,
                broker=broker,
            )
        )

    def list_config_resources(
        self,
        config_resource_types: set[ResourceType] | None = None,
        *,
        request_timeout: float | None = None,
    ) -> asyncio.Future[list[ConfigResource]]:
        """List what has configurations; see AdminClient.list_config_resources()."""
        return self._one(
            self._open().list_config_resources(
                config_resource_types, request_timeout=request_timeout
            )
        )

    # ---- ACLs

    def create_acls(
        self, acls: list[AclBinding], *, request_timeout: float | None = None
    ) -> Answers[AclBinding, None]:
        """Create ACLs. An ACL that exists already is left as it is.

        See AdminClient.create_acls().
        """
        return self._each(self._open().create_acls(acls, request_timeout=request_timeout))

    def describe_acls(
        self, acl_binding_filter: AclBindingFilter, *, request_timeout: float | None = None
    ) -> asyncio.Future[list[AclBinding]]:
        """Find ACLs; see AdminClient.describe_acls()."""
        return self._one(
            self._open().describe_acls(acl_binding_filter, request_timeout=request_timeout)
        )

    def delete_acls(
        self, acl_binding_filters: list[AclBindingFilter], *, request_timeout: float | None = None
    ) -> Answers[AclBindingFilter, list[AclBinding]]:
        """Delete ACLs; see AdminClient.delete_acls()."""
        return self._each(
            self._open().delete_acls(acl_binding_filters, request_timeout=request_timeout)
        )

    # ---- groups

    async def list_groups(
        self, group: str | None = None, timeout: float = -1
    ) -> list[GroupMetadata]:
        """List groups, one or all; see AdminClient.list_groups()."""
        return await self._request(self._client.list_groups, group, timeout)

    def list_consumer_groups(
        self,
        *,
        request_timeout: float | None = None,
        states: set[ConsumerGroupState] | None = None,
        types: set[ConsumerGroupType] | None = None,
    ) -> asyncio.Future[ListConsumerGroupsResult]:
        """List the consumer groups of all brokers; see AdminClient.list_consumer_groups()."""
        return self._one(
            self._open().list_consumer_groups(
                request_timeout=request_timeout, states=states, types=types
            )
        )

    def describe_consumer_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, ConsumerGroupDescription]:
        """Describe consumer groups and their members.

        See AdminClient.describe_consumer_groups().
        """
        return self._each(
            self._open().describe_consumer_groups(
                group_ids,
                include_authorized_operations=include_authorized_operations,
                request_timeout=request_timeout,
            )
        )

    def delete_consumer_groups(
        self, group_ids: list[str], *, request_timeout: float | None = None
    ) -> Answers[str, None]:
        """Delete consumer groups that have no members, with their offsets.

        See AdminClient.delete_consumer_groups().
        """
        return self._each(
            self._open().delete_consumer_groups(group_ids, request_timeout=request_timeout)
        )

    def list_consumer_group_offsets(
        self,
        list_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions],
        *,
        require_stable: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, ConsumerGroupTopicPartitions]:
        """Read a consumer group's committed offsets.

        See AdminClient.list_consumer_group_offsets().
        """
        return self._each(
            self._open().list_consumer_group_offsets(
                list_consumer_group_offsets_request,
                require_stable=require_stable,
                request_timeout=request_timeout,
            )
        )

    def alter_consumer_group_offsets(
        self,
        alter_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions],
        *,
        request_timeout: float | None = None,
    ) -> Answers[str, ConsumerGroupTopicPartitions]:
        """Set the committed offsets of a consumer group that has no members.

        See AdminClient.alter_consumer_group_offsets().
        """
        return self._each(
            self._open().alter_consumer_group_offsets(
                alter_consumer_group_offsets_request, request_timeout=request_timeout
            )
        )

    def delete_consumer_group_offsets(
        self,
        delete_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions],
        *,
        request_timeout: float | None = None,
    ) -> Answers[str, ConsumerGroupTopicPartitions]:
        """Delete committed offsets of a consumer group that does not read these topics.

        See AdminClient.delete_consumer_group_offsets().
        """
        return self._each(
            self._open().delete_consumer_group_offsets(
                delete_consumer_group_offsets_request, request_timeout=request_timeout
            )
        )

    def describe_classic_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, ClassicGroupDescription]:
        """Describe groups of the classic protocol; see AdminClient.describe_classic_groups()."""
        return self._each(
            self._open().describe_classic_groups(
                group_ids,
                include_authorized_operations=include_authorized_operations,
                request_timeout=request_timeout,
            )
        )

    def remove_members_from_consumer_group(
        self,
        group_id: str,
        members: list[MemberToRemove] | None = None,
        *,
        reason: str | None = None,
        request_timeout: float | None = None,
    ) -> Answers[MemberToRemove, None] | asyncio.Future[None]:
        """Remove members; see AdminClient.remove_members_from_consumer_group()."""
        asked = self._open().remove_members_from_consumer_group(
            group_id, members, reason=reason, request_timeout=request_timeout
        )
        if isinstance(asked, dict):
            return self._each(asked)
        return self._one(asked)

    # ---- streams groups

    def list_streams_groups(
        self, *, states: set[GroupState] | None = None, request_timeout: float | None = None
    ) -> asyncio.Future[ListGroupsResult]:
        """List the streams groups of all brokers; see AdminClient.list_streams_groups()."""
        return self._one(
            self._open().list_streams_groups(states=states, request_timeout=request_timeout)
        )

    def describe_streams_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, StreamsGroupDescription]:
        """Describe streams groups and their members; see AdminClient.describe_streams_groups()."""
        return self._each(
            self._open().describe_streams_groups(
                group_ids,
                include_authorized_operations=include_authorized_operations,
                request_timeout=request_timeout,
            )
        )

    def delete_streams_groups(
        self, group_ids: list[str], *, request_timeout: float | None = None
    ) -> Answers[str, None]:
        """Delete streams groups without members; see AdminClient.delete_streams_groups()."""
        return self._each(
            self._open().delete_streams_groups(group_ids, request_timeout=request_timeout)
        )

    def list_streams_group_offsets(
        self,
        group_specs: dict[str, list[TopicPartition] | None],
        *,
        require_stable: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, list[TopicPartition]]:
        """Read committed offsets; see AdminClient.list_streams_group_offsets()."""
        return self._each(
            self._open().list_streams_group_offsets(
                group_specs, require_stable=require_stable, request_timeout=request_timeout
            )
        )

    def alter_streams_group_offsets(
        self,
        group_id: str,
        offsets: dict[TopicPartition, int],
        *,
        request_timeout: float | None = None,
    ) -> Answers[TopicPartition, None]:
        """Set a group's committed offsets; see AdminClient.alter_streams_group_offsets()."""
        return self._each(
            self._open().alter_streams_group_offsets(
                group_id, offsets, request_timeout=request_timeout
            )
        )

    def delete_streams_group_offsets(
        self,
        group_id: str,
        partitions: list[TopicPartition],
        *,
        request_timeout: float | None = None,
    ) -> Answers[TopicPartition, None]:
        """Delete committed offsets; see AdminClient.delete_streams_group_offsets()."""
        return self._each(
            self._open().delete_streams_group_offsets(
                group_id, partitions, request_timeout=request_timeout
            )
        )

    # ---- share groups

    def list_share_groups(
        self, *, states: set[GroupState] | None = None, request_timeout: float | None = None
    ) -> asyncio.Future[ListGroupsResult]:
        """List the share groups of all brokers; see AdminClient.list_share_groups()."""
        return self._one(
            self._open().list_share_groups(states=states, request_timeout=request_timeout)
        )

    def describe_share_groups(
        self,
        group_ids: list[str],
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, ShareGroupDescription]:
        """Describe share groups and their members; see AdminClient.describe_share_groups()."""
        return self._each(
            self._open().describe_share_groups(
                group_ids,
                include_authorized_operations=include_authorized_operations,
                request_timeout=request_timeout,
            )
        )

    def delete_share_groups(
        self, group_ids: list[str], *, request_timeout: float | None = None
    ) -> Answers[str, None]:
        """Delete share groups without members; see AdminClient.delete_share_groups()."""
        return self._each(
            self._open().delete_share_groups(group_ids, request_timeout=request_timeout)
        )

    def list_share_group_offsets(
        self,
        group_specs: dict[str, list[TopicPartition] | None],
        *,
        request_timeout: float | None = None,
    ) -> Answers[str, dict[TopicPartition, SharePartitionOffsetInfo]]:
        """Read how far share groups have got; see AdminClient.list_share_group_offsets()."""
        return self._each(
            self._open().list_share_group_offsets(group_specs, request_timeout=request_timeout)
        )

    def alter_share_group_offsets(
        self,
        group_id: str,
        offsets: dict[TopicPartition, int],
        *,
        request_timeout: float | None = None,
    ) -> Answers[TopicPartition, None]:
        """Set where a share group goes on; see AdminClient.alter_share_group_offsets()."""
        return self._each(
            self._open().alter_share_group_offsets(
                group_id, offsets, request_timeout=request_timeout
            )
        )

    def delete_share_group_offsets(
        self, group_id: str, topics: list[str], *, request_timeout: float | None = None
    ) -> Answers[str, None]:
        """Make a share group forget topics; see AdminClient.delete_share_group_offsets()."""
        return self._each(
            self._open().delete_share_group_offsets(
                group_id, topics, request_timeout=request_timeout
            )
        )

    # ---- partitions and their records

    def delete_records(
        self,
        topic_partition_offsets: list[TopicPartition],
        *,
        request_timeout: float | None = None,
        operation_timeout: float | None = None,
    ) -> Answers[TopicPartition, DeletedRecords]:
        """Delete the records before an offset; see AdminClient.delete_records()."""
        return self._each(
            self._open().delete_records(
                topic_partition_offsets,
                request_timeout=request_timeout,
                operation_timeout=operation_timeout,
            )
        )

    def list_offsets(
        self,
        topic_partition_offsets: dict[TopicPartition, OffsetSpec],
        *,
        isolation_level: IsolationLevel | None = None,
        request_timeout: float | None = None,
    ) -> Answers[TopicPartition, ListOffsetsResultInfo]:
        """Look up offsets: the first, the last, or by time; see AdminClient.list_offsets()."""
        return self._each(
            self._open().list_offsets(
                topic_partition_offsets,
                isolation_level=isolation_level,
                request_timeout=request_timeout,
            )
        )

    def elect_leaders(
        self,
        election_type: ElectionType,
        partitions: list[TopicPartition] | None = None,
        *,
        request_timeout: float | None = None,
        operation_timeout: float | None = None,
    ) -> asyncio.Future[dict[TopicPartition, KafkaError | None]]:
        """Elect partitions' leaders; see AdminClient.elect_leaders()."""
        return self._one(
            self._open().elect_leaders(
                election_type,
                partitions,
                request_timeout=request_timeout,
                operation_timeout=operation_timeout,
            )
        )

    # ---- SCRAM credentials

    def describe_user_scram_credentials(
        self, users: list[str] | None = None, *, request_timeout: float | None = None
    ) -> Awaitable[dict[str, UserScramCredentialsDescription]]:
        """Describe users' credentials: their mechanisms, not their passwords.

        See AdminClient.describe_user_scram_credentials().
        """
        asked = self._open().describe_user_scram_credentials(users, request_timeout=request_timeout)
        return self._each(asked) if isinstance(asked, dict) else self._one(asked)

    def alter_user_scram_credentials(
        self,
        alterations: list[UserScramCredentialAlteration],
        *,
        request_timeout: float | None = None,
    ) -> Answers[str, None]:
        """Set and delete users' credentials; see AdminClient.alter_user_scram_credentials()."""
        return self._each(
            self._open().alter_user_scram_credentials(alterations, request_timeout=request_timeout)
        )

    # ---- delegation tokens

    def create_delegation_token(
        self,
        *,
        owner: str | None = None,
        renewers: list[str] | None = None,
        max_lifetime: float | None = None,
        request_timeout: float | None = None,
    ) -> asyncio.Future[DelegationToken]:
        """Create a delegation token; see AdminClient.create_delegation_token()."""
        return self._one(
            self._open().create_delegation_token(
                owner=owner,
                renewers=renewers,
                max_lifetime=max_lifetime,
                request_timeout=request_timeout,
            )
        )

    def renew_delegation_token(
        self,
        hmac: bytes,
        *,
        renew_time_period: float | None = None,
        request_timeout: float | None = None,
    ) -> asyncio.Future[int]:
        """Make a token expire later; see AdminClient.renew_delegation_token()."""
        return self._one(
            self._open().renew_delegation_token(
                hmac, renew_time_period=renew_time_period, request_timeout=request_timeout
            )
        )

    def expire_delegation_token(
        self,
        hmac: bytes,
        *,
        expiry_time_period: float | None = None,
        request_timeout: float | None = None,
    ) -> asyncio.Future[int]:
        """Make a token expire, or remove it; see AdminClient.expire_delegation_token()."""
        return self._one(
            self._open().expire_delegation_token(
                hmac, expiry_time_period=expiry_time_period, request_timeout=request_timeout
            )
        )

    def describe_delegation_token(
        self, *, owners: list[str] | None = None, request_timeout: float | None = None
    ) -> asyncio.Future[list[DelegationToken]]:
        """Describe delegation tokens; see AdminClient.describe_delegation_token()."""
        return self._one(
            self._open().describe_delegation_token(owners=owners, request_timeout=request_timeout)
        )

    # ---- transactions

    def list_transactions(
        self,
        *,
        states: set[TransactionState] | None = None,
        producer_ids: set[int] | None = None,
        duration: float | None = None,
        transactional_id_pattern: str | None = None,
        request_timeout: float | None = None,
    ) -> asyncio.Future[ListTransactionsResult]:
        """List transactional ids; see AdminClient.list_transactions()."""
        return self._one(
            self._open().list_transactions(
                states=states,
                producer_ids=producer_ids,
                duration=duration,
                transactional_id_pattern=transactional_id_pattern,
                request_timeout=request_timeout,
            )
        )

    def describe_transactions(
        self, transactional_ids: list[str], *, request_timeout: float | None = None
    ) -> Answers[str, TransactionDescription]:
        """Describe transactions; see AdminClient.describe_transactions()."""
        return self._each(
            self._open().describe_transactions(transactional_ids, request_timeout=request_timeout)
        )

    def describe_producers(
        self,
        topic_partitions: list[TopicPartition],
        *,
        broker: int | None = None,
        request_timeout: float | None = None,
    ) -> Answers[TopicPartition, list[ProducerState]]:
        """Describe the producers of partitions; see AdminClient.describe_producers()."""
        return self._each(
            self._open().describe_producers(
                topic_partitions, broker=broker, request_timeout=request_timeout
            )
        )

    def abort_transaction(
        self, spec: AbortTransactionSpec, *, request_timeout: float | None = None
    ) -> asyncio.Future[None]:
        """Abort a transaction that hangs; see AdminClient.abort_transaction()."""
        return self._one(self._open().abort_transaction(spec, request_timeout=request_timeout))

    def fence_producers(
        self, transactional_ids: list[str], *, request_timeout: float | None = None
    ) -> Answers[str, FencedProducer]:
        """Fence producers; see AdminClient.fence_producers()."""
        return self._each(
            self._open().fence_producers(transactional_ids, request_timeout=request_timeout)
        )

    def force_terminate_transaction(
        self, transactional_id: str, *, request_timeout: float | None = None
    ) -> asyncio.Future[None]:
        """Abort an id's transaction; see AdminClient.force_terminate_transaction()."""
        return self._one(
            self._open().force_terminate_transaction(
                transactional_id, request_timeout=request_timeout
            )
        )

    # ---- the cluster

    def describe_log_dirs(
        self, brokers: list[int], *, request_timeout: float | None = None
    ) -> Answers[int, dict[str, LogDirDescription]]:
        """Describe the log directories of brokers; see AdminClient.describe_log_dirs()."""
        return self._each(self._open().describe_log_dirs(brokers, request_timeout=request_timeout))

    def describe_replica_log_dirs(
        self, replicas: list[TopicPartitionReplica], *, request_timeout: float | None = None
    ) -> Answers[TopicPartitionReplica, ReplicaLogDirInfo]:
        """Tell where replicas are; see AdminClient.describe_replica_log_dirs()."""
        return self._each(
            self._open().describe_replica_log_dirs(replicas, request_timeout=request_timeout)
        )

    def alter_replica_log_dirs(
        self,
        assignment: dict[TopicPartitionReplica, str],
        *,
        request_timeout: float | None = None,
    ) -> Answers[TopicPartitionReplica, None]:
        """Move replicas to other log directories; see AdminClient.alter_replica_log_dirs()."""
        return self._each(
            self._open().alter_replica_log_dirs(assignment, request_timeout=request_timeout)
        )

    def alter_partition_reassignments(
        self,
        reassignments: dict[TopicPartition, list[int] | None],
        *,
        allow_replication_factor_change: bool = True,
        request_timeout: float | None = None,
    ) -> Answers[TopicPartition, None]:
        """Move partitions, or cancel that; see AdminClient.alter_partition_reassignments()."""
        return self._each(
            self._open().alter_partition_reassignments(
                reassignments,
                allow_replication_factor_change=allow_replication_factor_change,
                request_timeout=request_timeout,
            )
        )

    def list_partition_reassignments(
        self,
        partitions: list[TopicPartition] | None = None,
        *,
        request_timeout: float | None = None,
    ) -> asyncio.Future[dict[TopicPartition, PartitionReassignment]]:
        """List reassignments in progress; see AdminClient.list_partition_reassignments()."""
        return self._one(
            self._open().list_partition_reassignments(partitions, request_timeout=request_timeout)
        )

    def describe_client_quotas(
        self,
        filter: ClientQuotaFilter,  # noqa: A002 - its name in Java
        *,
        request_timeout: float | None = None,
    ) -> asyncio.Future[dict[ClientQuotaEntity, dict[str, float]]]:
        """Read client quotas; see AdminClient.describe_client_quotas()."""
        return self._one(
            self._open().describe_client_quotas(filter, request_timeout=request_timeout)
        )

    def alter_client_quotas(
        self,
        entries: list[ClientQuotaAlteration],
        *,
        validate_only: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[ClientQuotaEntity, None]:
        """Set and remove client quotas; see AdminClient.alter_client_quotas()."""
        return self._each(
            self._open().alter_client_quotas(
                entries, validate_only=validate_only, request_timeout=request_timeout
            )
        )

    def list_client_metrics_resources(
        self, *, request_timeout: float | None = None
    ) -> asyncio.Future[list[ClientMetricsResourceListing]]:
        """List client metrics resources; see AdminClient.list_client_metrics_resources()."""
        return self._one(
            self._open().list_client_metrics_resources(request_timeout=request_timeout)
        )

    def describe_features(
        self, *, broker: int | None = None, request_timeout: float | None = None
    ) -> asyncio.Future[FeatureMetadata]:
        """Read the versions of features; see AdminClient.describe_features()."""
        return self._one(
            self._open().describe_features(broker=broker, request_timeout=request_timeout)
        )

    def update_features(
        self,
        feature_updates: dict[str, FeatureUpdate],
        *,
        validate_only: bool = False,
        request_timeout: float | None = None,
    ) -> Answers[str, None]:
        """Give features other versions; see AdminClient.update_features()."""
        return self._each(
            self._open().update_features(
                feature_updates, validate_only=validate_only, request_timeout=request_timeout
            )
        )

    def describe_metadata_quorum(
        self, *, request_timeout: float | None = None
    ) -> asyncio.Future[QuorumInfo]:
        """Describe the metadata quorum; see AdminClient.describe_metadata_quorum()."""
        return self._one(self._open().describe_metadata_quorum(request_timeout=request_timeout))

    def add_raft_voter(
        self,
        voter_id: int,
        voter_directory_id: Uuid,
        endpoints: set[RaftVoterEndpoint],
        *,
        cluster_id: str | None = None,
        request_timeout: float | None = None,
    ) -> asyncio.Future[None]:
        """Let a controller vote; see AdminClient.add_raft_voter()."""
        return self._one(
            self._open().add_raft_voter(
                voter_id,
                voter_directory_id,
                endpoints,
                cluster_id=cluster_id,
                request_timeout=request_timeout,
            )
        )

    def remove_raft_voter(
        self,
        voter_id: int,
        voter_directory_id: Uuid,
        *,
        cluster_id: str | None = None,
        request_timeout: float | None = None,
    ) -> asyncio.Future[None]:
        """Take the vote from a controller; see AdminClient.remove_raft_voter()."""
        return self._one(
            self._open().remove_raft_voter(
                voter_id,
                voter_directory_id,
                cluster_id=cluster_id,
                request_timeout=request_timeout,
            )
        )

    def unregister_broker(
        self, broker_id: int, *, request_timeout: float | None = None
    ) -> asyncio.Future[None]:
        """Forget a broker that was shut down; see AdminClient.unregister_broker()."""
        return self._one(self._open().unregister_broker(broker_id, request_timeout=request_timeout))

    def describe_cluster(
        self, *, include_authorized_operations: bool = False, request_timeout: float | None = None
    ) -> asyncio.Future[DescribeClusterResult]:
        """Describe the cluster; see AdminClient.describe_cluster()."""
        return self._one(
            self._open().describe_cluster(
                include_authorized_operations=include_authorized_operations,
                request_timeout=request_timeout,
            )
        )

    def _make_client(self, conf: dict[str, Any]) -> AdminClient:
        return AdminClient(conf)

    def _make_readiness(self) -> Readiness:
        readiness = Readiness(self._client, self._loop, self._serve)
        self._client._answer_in_loop()
        return readiness

    def _callback_failed(self, error: BaseException) -> None:
        self._loop.call_exception_handler(
            {"message": "a callback of AIOAdminClient failed", "exception": error}
        )

    def _served_elsewhere(self) -> None:
        super()._served_elsewhere()
        self._serve()

    def _serve(self) -> None:
        if self._left:
            return  # close() serves the rest
        try:
            self._client._serve_answers()
            self._client.poll(0)
        except Exception as error:
            self._callback_failed(error)
        if self._client._queue_length() > 0:  # no byte tells of what is left
            self._loop.call_soon(self._serve)

    def _open(self) -> AdminClient:
        """Return the client, which raises if it is closed."""
        self._check_loop()
        if self._left:
            raise self._closed_error()
        return self._client

    def _one(self, asked: Future[T]) -> asyncio.Future[T]:
        answer = asyncio.wrap_future(asked, loop=self._loop)
        answer.add_done_callback(self._answered)
        return answer

    def _answered(self, _: asyncio.Future[Any]) -> None:
        """Do nothing: the future has this, and keeps the client, without which no answer comes."""

    def _each(self, asked: Mapping[Key, Future[T]]) -> Answers[Key, T]:
        return Answers({key: self._one(future) for key, future in asked.items()})
