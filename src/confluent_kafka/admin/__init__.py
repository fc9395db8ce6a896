"""Administration: topics, configurations, ACLs, groups, users, and the cluster itself."""

from confluent_kafka._values.metadata import (
    BrokerMetadata,
    ClusterMetadata,
    GroupMember,
    GroupMetadata,
    PartitionMetadata,
    TopicMetadata,
)
from confluent_kafka._values.options import ElectionType as _ElectionType  # noqa: F401
from confluent_kafka.admin._acls import (
    AclBinding,
    AclBindingFilter,
)
from confluent_kafka.admin._classic_groups import (
    ClassicGroupDescription,
)
from confluent_kafka.admin._client import (
    AdminClient,
)
from confluent_kafka.admin._client_metrics import (
    ClientMetricsResourceListing,
)
from confluent_kafka.admin._cluster import (
    DescribeClusterResult,
)
from confluent_kafka.admin._config_values import (
    ConfigEntry,
    ConfigResource,
)
from confluent_kafka.admin._delegation_tokens import (
    DelegationToken,
    TokenInformation,
)
from confluent_kafka.admin._enums import (
    AclOperation,
    AclPermissionType,
    AlterConfigOpType,
    ConfigSource,
    ResourcePatternType,
    ResourceType,
    ScramMechanism,
)
from confluent_kafka.admin._features import (
    FeatureMetadata,
    FeatureUpdate,
    FinalizedVersionRange,
    SupportedVersionRange,
    UpgradeType,
)
from confluent_kafka.admin._group_kinds import (
    GroupListing,
    GroupState,
    GroupType,
    ListGroupsResult,
)
from confluent_kafka.admin._group_members import (
    MemberToRemove,
)
from confluent_kafka.admin._groups import (
    ConsumerGroupDescription,
    ConsumerGroupListing,
    ListConsumerGroupsResult,
    MemberAssignment,
    MemberDescription,
)
from confluent_kafka.admin._log_dirs import (
    LogDirDescription,
    ReplicaInfo,
    ReplicaLogDirInfo,
    TopicPartitionReplica,
)
from confluent_kafka.admin._quorum import (
    QuorumInfo,
    QuorumReplicaState,
    RaftVoterEndpoint,
)
from confluent_kafka.admin._quotas import (
    ClientQuotaAlteration,
    ClientQuotaEntity,
    ClientQuotaFilter,
    ClientQuotaFilterComponent,
)
from confluent_kafka.admin._reassignments import (
    PartitionReassignment,
)
from confluent_kafka.admin._records import (
    DeletedRecords,
    ListOffsetsResultInfo,
    OffsetSpec,
)
from confluent_kafka.admin._scram import (
    ScramCredentialInfo,
    UserScramCredentialAlteration,
    UserScramCredentialDeletion,
    UserScramCredentialsDescription,
    UserScramCredentialUpsertion,
)
from confluent_kafka.admin._share_groups import (
    ShareGroupDescription,
    ShareMemberDescription,
    SharePartitionOffsetInfo,
)
from confluent_kafka.admin._streams_groups import (
    StreamsGroupDescription,
    StreamsGroupMemberAssignment,
    StreamsGroupMemberDescription,
    StreamsGroupSubtopologyDescription,
    StreamsGroupTopicInfo,
)
from confluent_kafka.admin._streams_topology import (
    StreamsGroupTopologyDescription,
    StreamsGroupTopologyDescriptionStatus,
    StreamsGroupTopologyGlobalStore,
    StreamsGroupTopologyNode,
    StreamsGroupTopologyProcessor,
    StreamsGroupTopologySink,
    StreamsGroupTopologySource,
    StreamsGroupTopologySubtopology,
)
from confluent_kafka.admin._topic_description import (
    TopicDescription,
)
from confluent_kafka.admin._transactions import (
    AbortTransactionSpec,
    FencedProducer,
    ListTransactionsResult,
    ProducerState,
    TransactionDescription,
    TransactionListing,
    TransactionState,
)
from confluent_kafka.cimpl import (
    CONFIG_SOURCE_DEFAULT_CONFIG,
    CONFIG_SOURCE_DYNAMIC_BROKER_CONFIG,
    CONFIG_SOURCE_DYNAMIC_DEFAULT_BROKER_CONFIG,
    CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG,
    CONFIG_SOURCE_GROUP_CONFIG,
    CONFIG_SOURCE_STATIC_BROKER_CONFIG,
    CONFIG_SOURCE_UNKNOWN_CONFIG,
    OFFSET_INVALID,
    RESOURCE_ANY,
    RESOURCE_BROKER,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
    RESOURCE_TRANSACTIONAL_ID,
    RESOURCE_UNKNOWN,
    KafkaError,
    KafkaException,
    NewPartitions,
    NewTopic,
)

__all__ = [
    "CONFIG_SOURCE_DEFAULT_CONFIG",
    "CONFIG_SOURCE_DYNAMIC_BROKER_CONFIG",
    "CONFIG_SOURCE_DYNAMIC_DEFAULT_BROKER_CONFIG",
    "CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG",
    "CONFIG_SOURCE_GROUP_CONFIG",
    "CONFIG_SOURCE_STATIC_BROKER_CONFIG",
    "CONFIG_SOURCE_UNKNOWN_CONFIG",
    "OFFSET_INVALID",
    "RESOURCE_ANY",
    "RESOURCE_BROKER",
    "RESOURCE_GROUP",
    "RESOURCE_TOPIC",
    "RESOURCE_TRANSACTIONAL_ID",
    "RESOURCE_UNKNOWN",
    "AbortTransactionSpec",
    "AclBinding",
    "AclBindingFilter",
    "AclOperation",
    "AclPermissionType",
    "AdminClient",
    "AlterConfigOpType",
    "BrokerMetadata",
    "ClassicGroupDescription",
    "ClientMetricsResourceListing",
    "ClientQuotaAlteration",
    "ClientQuotaEntity",
    "ClientQuotaFilter",
    "ClientQuotaFilterComponent",
    "ClusterMetadata",
    "ConfigEntry",
    "ConfigResource",
    "ConfigSource",
    "ConsumerGroupDescription",
    "ConsumerGroupListing",
    "DelegationToken",
    "DeletedRecords",
    "DescribeClusterResult",
    "FeatureMetadata",
    "FeatureUpdate",
    "FencedProducer",
    "FinalizedVersionRange",
    "GroupListing",
    "GroupMember",
    "GroupMetadata",
    "GroupState",
    "GroupType",
    "KafkaError",
    "KafkaException",
    "ListConsumerGroupsResult",
    "ListGroupsResult",
    "ListOffsetsResultInfo",
    "ListTransactionsResult",
    "LogDirDescription",
    "MemberAssignment",
    "MemberDescription",
    "MemberToRemove",
    "NewPartitions",
    "NewTopic",
    "OffsetSpec",
    "PartitionMetadata",
    "PartitionReassignment",
    "ProducerState",
    "QuorumInfo",
    "QuorumReplicaState",
    "RaftVoterEndpoint",
    "ReplicaInfo",
    "ReplicaLogDirInfo",
    "ResourcePatternType",
    "ResourceType",
    "ScramCredentialInfo",
    "ScramMechanism",
    "ShareGroupDescription",
    "ShareMemberDescription",
    "SharePartitionOffsetInfo",
    "StreamsGroupDescription",
    "StreamsGroupMemberAssignment",
    "StreamsGroupMemberDescription",
    "StreamsGroupSubtopologyDescription",
    "StreamsGroupTopicInfo",
    "StreamsGroupTopologyDescription",
    "StreamsGroupTopologyDescriptionStatus",
    "StreamsGroupTopologyGlobalStore",
    "StreamsGroupTopologyNode",
    "StreamsGroupTopologyProcessor",
    "StreamsGroupTopologySink",
    "StreamsGroupTopologySource",
    "StreamsGroupTopologySubtopology",
    "SupportedVersionRange",
    "TokenInformation",
    "TopicDescription",
    "TopicMetadata",
    "TopicPartitionReplica",
    "TransactionDescription",
    "TransactionListing",
    "TransactionState",
    "UpgradeType",
    "UserScramCredentialAlteration",
    "UserScramCredentialDeletion",
    "UserScramCredentialUpsertion",
    "UserScramCredentialsDescription",
]
