"""kafka-python 2's admin client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from confluent_kafka import protocol

from ...kafka.admin import client
from ...kafka.admin._wire import group_coordinator, only
from ...kafka.admin.acls import ACLFilter, operations, rule_and_error
from ...kafka.admin.configs import ConfigResourceType, set_all
from .. import errors
from .._config import DEFAULTS, brokers_needed, of_version_3
from ..structs import (
    GroupInformation,
    MemberInformation,
    OffsetAndMetadata,
    TopicPartition,
    with_epochs,
    without_epochs,
)
from ._answers import (
    AlteredResource,
    AssignedTopic,
    ConfigEntry,
    ConfigSynonym,
    ConsumerAssignment,
    ConsumerMetadata,
    DescribedResource,
    Elections,
    LogDir,
    LogDirPartition,
    LogDirs,
    LogDirTopic,
    PartitionElection,
    Resources,
    TopicElections,
    TopicError,
    TopicErrorCode,
    TopicErrorCodes,
    TopicErrors,
)
from .config_resource import ConfigResource


class KafkaAdminClient(client.KafkaAdminClient):
    """Administers a cluster. It also has the other methods of the client of version 3.

    Args:
        configs: the keywords of ``DEFAULT_CONFIG``, from versions 2 and 3. The guide "Coming from
            kafka-python 2" describes each of them.

    Raises:
        NoBrokersAvailable: no broker answered for ``api_version_auto_timeout_ms``.
        KafkaConfigurationError, ValueError, TypeError: a keyword is wrong; the text names it.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = client.KafkaAdminClient.DEFAULT_CONFIG | DEFAULTS

    def __init__(self, **configs: Any) -> None:
        with brokers_needed():
            super().__init__(**of_version_3(configs, self.DEFAULT_CONFIG))

    # ---- topics ----

    def create_topics(  # type: ignore[override]
        self, new_topics: Any, timeout_ms: float | None = None, validate_only: bool = False
    ) -> TopicErrors:
        """Create topics.

        Args:
            new_topics: NewTopics.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            validate_only: whether to check the request only, without a change.

        Returns:
            An answer with ``topic_errors``: (topic, error_code, error_message) of each topic.

        Raises:
            TopicAlreadyExistsError, BrokerResponseError: the error of the first topic that failed.
        """
        answer = super().create_topics(new_topics, timeout_ms, validate_only)
        return TopicErrors(
            [
                TopicError(one["name"], one["error_code"], one["error_message"])
                for one in answer["topics"]
            ]
        )

    def delete_topics(  # type: ignore[override]
        self, topics: Iterable[str], timeout_ms: float | None = None
    ) -> TopicErrorCodes:
        """Delete topics.

        Args:
            topics: the names of the topics.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            An answer with ``topic_error_codes``: (topic, error_code) of each topic.

        Raises:
            BrokerResponseError: the error of the first topic that failed.
        """
        answer = super().delete_topics(topics, timeout_ms)
        return TopicErrorCodes(
            [TopicErrorCode(one["name"], one["error_code"]) for one in answer["topics"]]
        )

    def create_partitions(  # type: ignore[override]
        self,
        topic_partitions: Mapping[str, Any],
        timeout_ms: float | None = None,
        validate_only: bool = False,
    ) -> TopicErrors:
        """Give topics more partitions.

        Args:
            topic_partitions: NewPartitions by topic.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            validate_only: whether to check the request only, without a change.

        Returns:
            An answer with ``topic_errors``: (topic, error_code, error_message) of each topic.

        Raises:
            BrokerResponseError: the error of the first topic that failed.
        """
        answer = super().create_partitions(topic_partitions, timeout_ms, validate_only)
        return TopicErrors(
            [TopicError(one.name, one.error_code, one.error_message) for one in answer.results]
        )

    def perform_leader_election(
        self, election_type: Any, topic_partitions: Any = None, timeout_ms: float | None = None
    ) -> Elections:
        """Start elections of leaders.

        Args:
            election_type: 0 for the preferred replica, 1 for any, even one that lacks records.
            topic_partitions: the numbers of partitions by topic; None means all.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            An answer with ``replication_election_results``: by topic, (partition_id, error_code,
            error_message) of each partition. It is not an error if a partition needs no election.

        Raises:
            BrokerResponseError: the error of the first partition that failed.
        """
        answer = self.elect_leaders(election_type, topic_partitions, timeout_ms)
        return Elections(
            [
                TopicElections(
                    topic.topic,
                    [
                        PartitionElection(one.partition_id, one.error_code, one.error_message)
                        for one in topic.partition_result
                    ],
                )
                for topic in answer.replica_election_results
            ]
        )

    def describe_log_dirs(self) -> LogDirs:  # type: ignore[override]
        """Return the directories of a broker, with the sizes of partitions.

        Returns:
            An answer with ``log_dirs``: (error_code, log_dir, topics) of each directory.
        """
        answer = self._wire.ask(protocol.DescribeLogDirsRequest(topics=None))
        return LogDirs([_log_dir(one) for one in answer.results])

    def describe_topics(self, topics: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """Return topics, each with its partitions, under the names of version 2.

        Args:
            topics: the names of the topics; None means all.
        """
        return [_topic(one) for one in super().describe_topics(topics)]

    def list_topics(self) -> list[str]:
        """Return the names of all topics."""
        return [topic["topic"] for topic in self.describe_topics()]

    def describe_cluster(self) -> dict[str, Any]:
        """Return the cluster's id, its brokers and its controller, under the names of version 2."""
        found = super().describe_cluster()
        brokers = [
            {"node_id": one["broker_id"]} | {name: one[name] for name in ("host", "port", "rack")}
            for one in found["brokers"]
        ]
        return {
            "throttle_time_ms": 0,
            "brokers": brokers,
            "cluster_id": found["cluster_id"],
            "controller_id": found["controller_id"],
        }

    # ---- configurations ----

    def describe_configs(  # type: ignore[override]
        self, config_resources: Iterable[ConfigResource], include_synonyms: bool = False
    ) -> list[Resources]:
        """Read configurations.

        Args:
            config_resources: the resources; their ``configs`` are the names of values, None means
                all.
            include_synonyms: whether to return all sources of each value.

        Returns:
            Answers, one for each broker among the resources and one for all others, with
            ``resources``: (error_code, error_message, resource_type, resource_name,
            config_entries) of each.
        """
        own: list[DescribedResource] = []
        others: list[DescribedResource] = []
        for resource in config_resources:
            found = _configuration(self._described(resource, include_synonyms))
            is_broker = resource.resource_type == ConfigResourceType.BROKER
            (own if is_broker else others).append(found)
        answers = [Resources([one]) for one in own]
        return [*answers, Resources(others)] if others else answers

    def alter_configs(  # type: ignore[override]
        self, config_resources: Iterable[ConfigResource]
    ) -> Resources:
        """Change configurations; values that are not given stay the same.

        Args:
            config_resources: the resources, with the values by name in ``configs``.

        Returns:
            An answer with ``resources``: (error_code, error_message, resource_type, resource_name)
            of each resource.
        """
        kind = protocol.IncrementalAlterConfigsRequest
        results = [
            self._altered(kind, resource, set_all(kind, resource.configs or {}), False)
            for resource in config_resources
        ]
        return Resources(
            [
                AlteredResource(
                    one.error_code, one.error_message, one.resource_type, one.resource_name
                )
                for one in results
            ]
        )

    # ---- rules ----

    def delete_acls(
        self, acl_filters: Iterable[ACLFilter]
    ) -> list[tuple[ACLFilter, list[Any], type[errors.BrokerResponseError]]]:
        """Delete the rules that filters name.

        Returns:
            For each filter: the filter, the deleted rules, each with the class of its error, and
                the class of the filter's error. The class is NoError for a success.
        """
        return [
            (each, [rule_and_error(one) for one in result.matching_acls], error)
            for each, result, error in self._deleted(acl_filters)
        ]

    # ---- groups ----

    def list_consumer_groups(
        self, broker_ids: Iterable[int] | None = None
    ) -> list[tuple[str, str]]:
        """Return groups, each with the type of its protocol.

        Args:
            broker_ids: the ids of the brokers to ask; None means all.
        """
        return [(one["group_id"], one["protocol_type"]) for one in self.list_groups(broker_ids)]

    def describe_consumer_groups(
        self,
        group_ids: Iterable[str],
        group_coordinator_id: int | None = None,
        include_authorized_operations: bool = False,
    ) -> list[GroupInformation]:
        """Return groups with their members.

        Args:
            group_ids: the ids of the groups.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.
            include_authorized_operations: whether to return the operations that the client may use.

        Raises:
            BrokerResponseError: the error of the first group that failed.
        """
        return [self._group(group, include_authorized_operations) for group in group_ids]

    def list_consumer_group_offsets(
        self,
        group_id: str,
        group_coordinator_id: int | None = None,
        partitions: Iterable[TopicPartition] | None = None,
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Return the committed offsets of a group.

        Args:
            group_id: the group.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.
            partitions: the partitions; None means all partitions with a committed offset.

        Returns:
            The offsets by partition; -1 for a partition without an offset.

        Raises:
            BrokerResponseError: the error of the group, or of the first partition that failed.
        """
        return self.list_group_offsets({group_id: partitions})[group_id]

    def list_group_offsets(self, group_specs: Any) -> dict[str, dict[TopicPartition, Any]]:
        """Return the committed offsets of groups; see the admin client of version 3."""
        found = super().list_group_offsets(group_specs)
        return {group: without_epochs(offsets) for group, offsets in found.items()}

    def alter_group_offsets(
        self, group_id: str, offsets: Any, group_coordinator_id: int | None = None
    ) -> dict[TopicPartition, type[errors.BrokerResponseError]]:
        """Commit offsets for a group that has no members; see the admin client of version 3."""
        return super().alter_group_offsets(group_id, with_epochs(offsets), group_coordinator_id)

    def delete_consumer_groups(
        self, group_ids: Iterable[str], group_coordinator_id: int | None = None
    ) -> list[tuple[str, type[errors.BrokerResponseError]]]:
        """Delete groups that have no members.

        Args:
            group_ids: the ids of the groups.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.

        Returns:
            Pairs of each group and the class of its error; NoError for a success.
        """
        found = []
        for group in group_ids:
            request = protocol.DeleteGroupsRequest(groups_names=[group])
            one = only(self._wire.ask(request, group_coordinator(group)).results)
            found.append((group, errors.for_code(one.error_code)))
        return found

    def _group(self, group: str, with_operations: bool) -> GroupInformation:
        request = protocol.DescribeGroupsRequest(
            groups=[group], include_authorized_operations=with_operations
        )
        found = only(self._wire.ask(request, group_coordinator(group)).groups)
        # Newer brokers return an error for a group that older brokers called dead.
        if found.error_code not in (0, errors.GroupIdNotFoundError.errno):
            raise errors.for_code(found.error_code)(group)
        return GroupInformation(
            0,
            found.group_id,
            found.group_state,
            found.protocol_type,
            found.protocol_data,
            [_member(one) for one in found.members],
            operations(found.authorized_operations),
        )


def _topic(topic: dict[str, Any]) -> dict[str, Any]:
    partitions = [
        {
            "error_code": one["error_code"],
            "partition": one["partition_index"],
            "leader": one["leader_id"],
            "leader_epoch": one["leader_epoch"],
            "replicas": one["replica_nodes"],
            "isr": one["isr_nodes"],
            "offline_replicas": one["offline_replicas"],
        }
        for one in topic["partitions"]
    ]
    return {
        "error_code": topic["error_code"],
        "topic": topic["name"],
        "is_internal": topic["is_internal"],
        "partitions": partitions,
    }


def _log_dir(found: Any) -> LogDir:
    topics = [
        LogDirTopic(
            topic.name,
            [
                LogDirPartition(
                    one.partition_index, one.partition_size, one.offset_lag, one.is_future_key
                )
                for one in topic.partitions
            ],
        )
        for topic in found.topics
    ]
    return LogDir(found.error_code, found.log_dir, topics)


def _configuration(result: Any) -> DescribedResource:
    entries = [
        ConfigEntry(
            one.name,
            one.value,
            one.read_only,
            one.config_source,
            one.is_sensitive,
            [ConfigSynonym(each.name, each.value, each.source) for each in one.synonyms],
        )
        for one in result.configs
    ]
    what = result.resource_type, result.resource_name
    return DescribedResource(result.error_code, result.error_message, *what, entries)


def _member(member: Any) -> MemberInformation:
    """Return a member; the data of clients other than consumers stays bytes."""
    metadata = _of_consumer(protocol.ConsumerProtocolSubscription, member.member_metadata)
    if not isinstance(metadata, bytes):
        version, message = metadata
        metadata = ConsumerMetadata(version, list(message.topics), message.user_data)
    assignment = _of_consumer(protocol.ConsumerProtocolAssignment, member.member_assignment)
    if not isinstance(assignment, bytes):
        version, message = assignment
        topics = [
            AssignedTopic(one.topic, list(one.partitions)) for one in message.assigned_partitions
        ]
        assignment = ConsumerAssignment(version, topics, message.user_data)
    who = member.member_id, member.client_id, member.client_host
    return MemberInformation(*who, metadata, assignment)


def _of_consumer(kind: Any, data: bytes) -> Any:
    """Return the decoded data of a consumer: a version, and a message of that version."""
    version = int.from_bytes(data[:2], "big")
    try:
        return version, kind.decode(data[2:], min(version, kind.valid_versions.stop - 1))
    except ValueError:
        return data
