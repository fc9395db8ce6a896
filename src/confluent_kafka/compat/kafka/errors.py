"""kafka-python's exceptions, by its names and numbers.

``retriable`` says whether the same call may succeed later, ``invalid_metadata`` whether what is
known of the cluster is out of date. An exception that comes from librdkafka has the
``confluent_kafka.KafkaException`` as its ``__cause__``.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar


class KafkaError(RuntimeError):
    """Something that Kafka, or this client of it, could not do.

    It is a RuntimeError, as in kafka-python 2: both generations have the same exceptions here.
    """

    retriable: ClassVar[bool] = False
    invalid_metadata: ClassVar[bool] = False

    def __str__(self) -> str:
        name = type(self).__name__
        if not self.args:
            return name
        return f"{name}: {self.args[0] if len(self.args) == 1 else self.args}"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.args == self.args

    def __hash__(self) -> int:
        return hash((type(self), str(self.args)))


class BrokerResponseError(KafkaError):
    """An error that a broker answered with; it has a number in Kafka's protocol."""

    errno: ClassVar[int | None] = None
    message: ClassVar[str | None] = None
    """The number's name in the protocol."""
    description: ClassVar[str | None] = None
    """What the number means."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "description" not in vars(cls):
            cls.description = inspect.cleandoc(cls.__doc__ or "")

    def __str__(self) -> str:
        return f"[Error {self.errno}] {super().__str__()}"


class CommitFailedError(KafkaError):
    """The group has rebalanced, and the partitions may be another member's."""

    def __init__(self, *args: Any) -> None:
        reason = (
            "the group has rebalanced and assigned the partitions to another member: more than "
            "max_poll_interval_ms passed between two calls of poll(). Raise it, or take fewer "
            "messages at a time (max_poll_records)"
        )
        super().__init__(*(args or (reason,)))


class LogTruncationError(KafkaError):
    """A partition has lost records that were read, or its log has changed there.

    Args:
        divergent_offsets: where the logs part, by partition.
    """

    def __init__(self, divergent_offsets: Any, *args: Any) -> None:
        self.divergent_offsets = divergent_offsets
        super().__init__(*(args or (f"truncated partitions: {divergent_offsets}",)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.divergent_offsets, *self.args)


class AuthorizationError(BrokerResponseError):
    """The client may not do this."""


class IllegalArgumentError(KafkaError):
    """An argument is not valid."""


class IllegalStateError(KafkaError):
    """The object's state does not allow the call."""


class KafkaConfigurationError(KafkaError):
    """A keyword's value is wrong."""


class KafkaProtocolError(KafkaError):
    """The broker's answer is not what the protocol says."""


class InvalidReceiveError(KafkaProtocolError):
    """An answer cannot be read."""


class NoOffsetForPartitionError(KafkaError):
    """There is no committed offset, and auto_offset_reset is 'none'."""


class QuotaViolationError(KafkaError):
    """A quota of the broker is used up."""


class RetriableError(KafkaError):
    """The same call may succeed later."""

    retriable = True


class Cancelled(RetriableError):
    """The request was given up."""


class CorrelationIdError(RetriableError, KafkaProtocolError):
    """An answer belongs to another request."""


class InvalidMetadataError(RetriableError):
    """What is known of the cluster is out of date."""

    invalid_metadata = True


class KafkaConnectionError(InvalidMetadataError):
    """No connection to a broker."""


class KafkaTimeoutError(RetriableError):
    """Something was not done in the time that it had."""


class MetadataEmptyBrokerList(RetriableError):
    """A broker answered with a cluster without brokers."""


class NodeNotReadyError(RetriableError):
    """The connection to the broker is not ready."""


class StaleMetadata(InvalidMetadataError):
    """What is known of the cluster is older than what is asked."""


class TooManyInFlightRequests(RetriableError):
    """Too many requests wait for an answer."""


class TransactionAbortedError(KafkaError):
    """The transaction was aborted, and its messages with it."""

    message = "TRANSACTION_ABORTED"


class UnknownBrokerIdError(KafkaError):
    """The cluster has no broker of this id."""


class UnrecognizedBrokerVersion(KafkaError):
    """The broker's version cannot be told."""


class UnsupportedCodecError(KafkaError):
    """The compression is not supported."""


class UnknownError(BrokerResponseError):
    """The broker failed in a way that has no other number."""

    errno = -1
    message = "UNKNOWN"


class NoError(BrokerResponseError):
    """No error."""

    errno = 0
    message = "NO_ERROR"


class OffsetOutOfRangeError(BrokerResponseError):
    """Offset out of range."""

    errno = 1
    message = "OFFSET_OUT_OF_RANGE"


class CorruptRecordError(BrokerResponseError):
    """Invalid message."""

    errno = 2
    message = "CORRUPT_MESSAGE"


class UnknownTopicOrPartitionError(InvalidMetadataError, BrokerResponseError):
    """Unknown topic or partition."""

    errno = 3
    message = "UNKNOWN_TOPIC_OR_PARTITION"


class InvalidFetchRequestError(BrokerResponseError):
    """Invalid message size."""

    errno = 4
    message = "INVALID_FETCH_SIZE"


class LeaderNotAvailableError(InvalidMetadataError, BrokerResponseError):
    """Leader not available."""

    errno = 5
    message = "LEADER_NOT_AVAILABLE"


class NotLeaderForPartitionError(InvalidMetadataError, BrokerResponseError):
    """Not leader for partition."""

    errno = 6
    message = "NOT_LEADER_FOR_PARTITION"


class RequestTimedOutError(RetriableError, BrokerResponseError):
    """Request timed out."""

    errno = 7
    message = "REQUEST_TIMED_OUT"


class BrokerNotAvailableError(BrokerResponseError):
    """Broker not available."""

    errno = 8
    message = "BROKER_NOT_AVAILABLE"


class ReplicaNotAvailableError(InvalidMetadataError, BrokerResponseError):
    """Replica not available."""

    errno = 9
    message = "REPLICA_NOT_AVAILABLE"


class MessageSizeTooLargeError(BrokerResponseError):
    """Message size too large."""

    errno = 10
    message = "MESSAGE_SIZE_TOO_LARGE"


class StaleControllerEpochError(BrokerResponseError):
    """StaleControllerEpochCode."""

    errno = 11
    message = "STALE_CONTROLLER_EPOCH"


class OffsetMetadataTooLargeError(BrokerResponseError):
    """Offset metadata string too large."""

    errno = 12
    message = "OFFSET_METADATA_TOO_LARGE"


class NetworkExceptionError(InvalidMetadataError, BrokerResponseError):
    """Broker disconnected before response received."""

    errno = 13
    message = "NETWORK_EXCEPTION"


class CoordinatorLoadInProgressError(RetriableError, BrokerResponseError):
    """Coordinator load in progress."""

    errno = 14
    message = "COORDINATOR_LOAD_IN_PROGRESS"


class CoordinatorNotAvailableError(RetriableError, BrokerResponseError):
    """Coordinator not available."""

    errno = 15
    message = "COORDINATOR_NOT_AVAILABLE"


class NotCoordinatorError(RetriableError, BrokerResponseError):
    """Not coordinator."""

    errno = 16
    message = "NOT_COORDINATOR"


class InvalidTopicError(BrokerResponseError):
    """Invalid topic."""

    errno = 17
    message = "INVALID_TOPIC"


class RecordListTooLargeError(BrokerResponseError):
    """Message batch larger than configured server segment size."""

    errno = 18
    message = "RECORD_LIST_TOO_LARGE"


class NotEnoughReplicasError(RetriableError, BrokerResponseError):
    """Not enough in-sync replicas."""

    errno = 19
    message = "NOT_ENOUGH_REPLICAS"


class NotEnoughReplicasAfterAppendError(RetriableError, BrokerResponseError):
    """Message(s) written to insufficient number of in-sync replicas."""

    errno = 20
    message = "NOT_ENOUGH_REPLICAS_AFTER_APPEND"


class InvalidRequiredAcksError(BrokerResponseError):
    """Invalid required acks value."""

    errno = 21
    message = "INVALID_REQUIRED_ACKS"


class IllegalGenerationError(BrokerResponseError):
    """Specified group generation id is not valid."""

    errno = 22
    message = "ILLEGAL_GENERATION"


class InconsistentGroupProtocolError(BrokerResponseError):
    """Inconsistent group protocol."""

    errno = 23
    message = "INCONSISTENT_GROUP_PROTOCOL"


class InvalidGroupIdError(BrokerResponseError):
    """Invalid group.id."""

    errno = 24
    message = "INVALID_GROUP_ID"


class UnknownMemberIdError(BrokerResponseError):
    """Unknown member."""

    errno = 25
    message = "UNKNOWN_MEMBER_ID"


class InvalidSessionTimeoutError(BrokerResponseError):
    """Invalid session timeout."""

    errno = 26
    message = "INVALID_SESSION_TIMEOUT"


class RebalanceInProgressError(BrokerResponseError):
    """Group rebalance in progress."""

    errno = 27
    message = "REBALANCE_IN_PROGRESS"


class InvalidCommitOffsetSizeError(BrokerResponseError):
    """Commit offset data size is not valid."""

    errno = 28
    message = "INVALID_COMMIT_OFFSET_SIZE"


class TopicAuthorizationFailedError(AuthorizationError):
    """Topic authorization failed."""

    errno = 29
    message = "TOPIC_AUTHORIZATION_FAILED"


class GroupAuthorizationFailedError(AuthorizationError):
    """Group authorization failed."""

    errno = 30
    message = "GROUP_AUTHORIZATION_FAILED"


class ClusterAuthorizationFailedError(AuthorizationError):
    """Cluster authorization failed."""

    errno = 31
    message = "CLUSTER_AUTHORIZATION_FAILED"


class InvalidTimestampError(BrokerResponseError):
    """Invalid timestamp."""

    errno = 32
    message = "INVALID_TIMESTAMP"


class UnsupportedSaslMechanismError(BrokerResponseError):
    """Unsupported SASL mechanism."""

    errno = 33
    message = "UNSUPPORTED_SASL_MECHANISM"


class IllegalSaslStateError(BrokerResponseError):
    """Request not valid in current SASL state."""

    errno = 34
    message = "ILLEGAL_SASL_STATE"


class UnsupportedVersionError(BrokerResponseError):
    """API version not supported."""

    errno = 35
    message = "UNSUPPORTED_VERSION"


class IncompatibleBrokerVersion(UnsupportedVersionError):
    """The broker is too old for this."""


class TopicAlreadyExistsError(BrokerResponseError):
    """Topic already exists."""

    errno = 36
    message = "TOPIC_ALREADY_EXISTS"


class InvalidPartitionsError(BrokerResponseError):
    """Invalid number of partitions."""

    errno = 37
    message = "INVALID_PARTITIONS"


class InvalidReplicationFactorError(BrokerResponseError):
    """Invalid replication factor."""

    errno = 38
    message = "INVALID_REPLICATION_FACTOR"


class InvalidReplicationAssignmentError(BrokerResponseError):
    """Invalid replica assignment."""

    errno = 39
    message = "INVALID_REPLICATION_ASSIGNMENT"


class InvalidConfigurationError(BrokerResponseError):
    """Configuration is invalid."""

    errno = 40
    message = "INVALID_CONFIG"


class NotControllerError(RetriableError, BrokerResponseError):
    """Not controller for cluster."""

    errno = 41
    message = "NOT_CONTROLLER"


class InvalidRequestError(BrokerResponseError):
    """Invalid request."""

    errno = 42
    message = "INVALID_REQUEST"


class UnsupportedForMessageFormatError(BrokerResponseError):
    """Message format on broker does not support request."""

    errno = 43
    message = "UNSUPPORTED_FOR_MESSAGE_FORMAT"


class PolicyViolationError(BrokerResponseError):
    """Policy violation."""

    errno = 44
    message = "POLICY_VIOLATION"


class OutOfOrderSequenceNumberError(BrokerResponseError):
    """Broker received an out of order sequence number."""

    errno = 45
    message = "OUT_OF_ORDER_SEQUENCE_NUMBER"


class DuplicateSequenceNumberError(BrokerResponseError):
    """The broker has this sequence number already."""

    errno = 46
    message = "DUPLICATE_SEQUENCE_NUMBER"


class InvalidProducerEpochError(BrokerResponseError):
    """Producer attempted an operation with an old epoch."""

    errno = 47
    message = "INVALID_PRODUCER_EPOCH"


class InvalidTxnStateError(BrokerResponseError):
    """Producer attempted a transactional operation in an invalid state."""

    errno = 48
    message = "INVALID_TXN_STATE"


class InvalidProducerIdMappingError(BrokerResponseError):
    """The producer's id is not the one that its transactional id has now."""

    errno = 49
    message = "INVALID_PRODUCER_ID_MAPPING"


class InvalidTransactionTimeoutError(BrokerResponseError):
    """The transaction's timeout is longer than the broker's transaction.max.timeout.ms."""

    errno = 50
    message = "INVALID_TRANSACTION_TIMEOUT"


class ConcurrentTransactionsError(RetriableError, BrokerResponseError):
    """Another operation of the same transaction is not finished."""

    errno = 51
    message = "CONCURRENT_TRANSACTIONS"


class TransactionCoordinatorFencedError(BrokerResponseError):
    """The transaction coordinator is not the producer's any more."""

    errno = 52
    message = "TRANSACTION_COORDINATOR_FENCED"


class TransactionalIdAuthorizationFailedError(AuthorizationError):
    """Transactional Id authorization failed."""

    errno = 53
    message = "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"


class SecurityDisabledError(BrokerResponseError):
    """Security features are disabled."""

    errno = 54
    message = "SECURITY_DISABLED"


class OperationNotAttemptedError(BrokerResponseError):
    """Operation not attempted."""

    errno = 55
    message = "OPERATION_NOT_ATTEMPTED"


class KafkaStorageError(InvalidMetadataError, BrokerResponseError):
    """Disk error when trying to access log file on disk."""

    errno = 56
    message = "KAFKA_STORAGE_ERROR"


class LogDirNotFoundError(BrokerResponseError):
    """The user-specified log directory is not found in the broker config."""

    errno = 57
    message = "LOG_DIR_NOT_FOUND"


class SaslAuthenticationFailedError(BrokerResponseError):
    """SASL Authentication failed."""

    errno = 58
    message = "SASL_AUTHENTICATION_FAILED"


class UnknownProducerIdError(BrokerResponseError):
    """Unknown Producer Id."""

    errno = 59
    message = "UNKNOWN_PRODUCER_ID"


class ReassignmentInProgressError(BrokerResponseError):
    """Partition reassignment is in progress."""

    errno = 60
    message = "REASSIGNMENT_IN_PROGRESS"


class DelegationTokenAuthDisabledError(BrokerResponseError):
    """Delegation Token feature is not enabled."""

    errno = 61
    message = "DELEGATION_TOKEN_AUTH_DISABLED"


class DelegationTokenNotFoundError(BrokerResponseError):
    """Delegation Token is not found on server."""

    errno = 62
    message = "DELEGATION_TOKEN_NOT_FOUND"


class DelegationTokenOwnerMismatchError(BrokerResponseError):
    """Specified Principal is not valid Owner/Renewer."""

    errno = 63
    message = "DELEGATION_TOKEN_OWNER_MISMATCH"


class DelegationTokenRequestNotAllowedError(BrokerResponseError):
    """Delegation Token requests are not allowed on this connection."""

    errno = 64
    message = "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED"


class DelegationTokenAuthorizationFailedError(AuthorizationError):
    """Delegation Token authorization failed."""

    errno = 65
    message = "DELEGATION_TOKEN_AUTHORIZATION_FAILED"


class DelegationTokenExpiredError(BrokerResponseError):
    """Delegation Token is expired."""

    errno = 66
    message = "DELEGATION_TOKEN_EXPIRED"


class InvalidPrincipalTypeError(BrokerResponseError):
    """Supplied principalType is not supported."""

    errno = 67
    message = "INVALID_PRINCIPAL_TYPE"


class NonEmptyGroupError(BrokerResponseError):
    """The group is not empty."""

    errno = 68
    message = "NON_EMPTY_GROUP"


class GroupIdNotFoundError(BrokerResponseError):
    """The group id does not exist."""

    errno = 69
    message = "GROUP_ID_NOT_FOUND"


class FetchSessionIdNotFoundError(RetriableError, BrokerResponseError):
    """The fetch session ID was not found."""

    errno = 70
    message = "FETCH_SESSION_ID_NOT_FOUND"


class InvalidFetchSessionEpochError(RetriableError, BrokerResponseError):
    """The fetch session epoch is invalid."""

    errno = 71
    message = "INVALID_FETCH_SESSION_EPOCH"


class ListenerNotFoundError(InvalidMetadataError, BrokerResponseError):
    """No matching listener."""

    errno = 72
    message = "LISTENER_NOT_FOUND"


class TopicDeletionDisabledError(BrokerResponseError):
    """Topic deletion is disabled."""

    errno = 73
    message = "TOPIC_DELETION_DISABLED"


class FencedLeaderEpochError(InvalidMetadataError, BrokerResponseError):
    """Leader epoch is older than broker epoch."""

    errno = 74
    message = "FENCED_LEADER_EPOCH"


class UnknownLeaderEpochError(InvalidMetadataError, BrokerResponseError):
    """Leader epoch is newer than broker epoch."""

    errno = 75
    message = "UNKNOWN_LEADER_EPOCH"


class UnsupportedCompressionTypeError(BrokerResponseError):
    """Unsupported compression type."""

    errno = 76
    message = "UNSUPPORTED_COMPRESSION_TYPE"


class StaleBrokerEpochError(BrokerResponseError):
    """Broker epoch has changed."""

    errno = 77
    message = "STALE_BROKER_EPOCH"


class OffsetNotAvailableError(RetriableError, BrokerResponseError):
    """Leader high watermark is not caught up."""

    errno = 78
    message = "OFFSET_NOT_AVAILABLE"


class MemberIdRequiredError(BrokerResponseError):
    """Group member needs a valid member ID."""

    errno = 79
    message = "MEMBER_ID_REQUIRED"


class PreferredLeaderNotAvailableError(InvalidMetadataError, BrokerResponseError):
    """Preferred leader was not available."""

    errno = 80
    message = "PREFERRED_LEADER_NOT_AVAILABLE"


class GroupMaxSizeReachedError(BrokerResponseError):
    """Consumer group has reached maximum size."""

    errno = 81
    message = "GROUP_MAX_SIZE_REACHED"


class FencedInstanceIdError(BrokerResponseError):
    """Static consumer fenced by other consumer with same group.instance.id."""

    errno = 82
    message = "FENCED_INSTANCE_ID"


class EligibleLeadersNotAvailableError(InvalidMetadataError, BrokerResponseError):
    """Eligible partition leaders are not available."""

    errno = 83
    message = "ELIGIBLE_LEADERS_NOT_AVAILABLE"


class ElectionNotNeededError(InvalidMetadataError, BrokerResponseError):
    """Leader election not needed for topic partition."""

    errno = 84
    message = "ELECTION_NOT_NEEDED"


class NoReassignmentInProgressError(BrokerResponseError):
    """No partition reassignment is in progress."""

    errno = 85
    message = "NO_REASSIGNMENT_IN_PROGRESS"


class GroupSubscribedToTopicError(BrokerResponseError):
    """Deleting offsets of a topic while the consumer group is subscribed to it."""

    errno = 86
    message = "GROUP_SUBSCRIBED_TO_TOPIC"


class InvalidRecordError(BrokerResponseError):
    """Broker failed to validate record."""

    errno = 87
    message = "INVALID_RECORD"


class UnstableOffsetCommitError(RetriableError, BrokerResponseError):
    """There are unstable offsets that need to be cleared."""

    errno = 88
    message = "UNSTABLE_OFFSET_COMMIT"


class ThrottlingQuotaExceededError(RetriableError, BrokerResponseError):
    """Throttling quota has been exceeded."""

    errno = 89
    message = "THROTTLING_QUOTA_EXCEEDED"


class ProducerFencedError(BrokerResponseError):
    """There is a newer producer with the same transactionalId which fences the current one."""

    errno = 90
    message = "PRODUCER_FENCED"


class ResourceNotFoundError(BrokerResponseError):
    """Request illegally referred to resource that does not exist."""

    errno = 91
    message = "RESOURCE_NOT_FOUND"


class DuplicateResourceError(BrokerResponseError):
    """Request illegally referred to the same resource twice."""

    errno = 92
    message = "DUPLICATE_RESOURCE"


class UnacceptableCredentialError(BrokerResponseError):
    """Requested credential would not meet criteria for acceptability."""

    errno = 93
    message = "UNACCEPTABLE_CREDENTIAL"


class InconsistentVoterSetError(BrokerResponseError):
    """A sender or a recipient is not one of the voters."""

    errno = 94
    message = "INCONSISTENT_VOTER_SET"


class InvalidUpdateVersionError(BrokerResponseError):
    """Invalid update version."""

    errno = 95
    message = "INVALID_UPDATE_VERSION"


class FeatureUpdateFailedError(BrokerResponseError):
    """Unable to update finalized features due to server error."""

    errno = 96
    message = "FEATURE_UPDATE_FAILED"


class PrincipalDeserializationFailureError(BrokerResponseError):
    """Request principal deserialization failed during forwarding."""

    errno = 97
    message = "PRINCIPAL_DESERIALIZATION_FAILURE"


class SnapshotNotFoundError(BrokerResponseError):
    """There is no such snapshot."""

    errno = 98
    message = "SNAPSHOT_NOT_FOUND"


class PositionOutOfRangeError(BrokerResponseError):
    """The position is outside of the snapshot."""

    errno = 99
    message = "POSITION_OUT_OF_RANGE"


class UnknownTopicIdError(InvalidMetadataError, BrokerResponseError):
    """Unknown topic id."""

    errno = 100
    message = "UNKNOWN_TOPIC_ID"


class DuplicateBrokerRegistrationError(BrokerResponseError):
    """A broker of this id is registered already."""

    errno = 101
    message = "DUPLICATE_BROKER_REGISTRATION"


class BrokerIdNotRegisteredError(BrokerResponseError):
    """No broker of this id is registered."""

    errno = 102
    message = "BROKER_ID_NOT_REGISTERED"


class InconsistentTopicIdError(InvalidMetadataError, BrokerResponseError):
    """The log's topic ID did not match the topic ID in the request."""

    errno = 103
    message = "INCONSISTENT_TOPIC_ID"


class InconsistentClusterIdError(BrokerResponseError):
    """The request is for another cluster."""

    errno = 104
    message = "INCONSISTENT_CLUSTER_ID"


class TransactionalIdNotFoundError(BrokerResponseError):
    """The coordinator does not know the transactional id."""

    errno = 105
    message = "TRANSACTIONAL_ID_NOT_FOUND"


class FetchSessionTopicIdError(RetriableError, BrokerResponseError):
    """The fetch session has other topic ids than the request."""

    errno = 106
    message = "FETCH_SESSION_TOPIC_ID_ERROR"


class IneligibleReplicaError(BrokerResponseError):
    """The replica may not join those in sync."""

    errno = 107
    message = "INELIGIBLE_REPLICA"


class NewLeaderElectedError(BrokerResponseError):
    """The controller has elected another leader."""

    errno = 108
    message = "NEW_LEADER_ELECTED"


class OffsetMovedToTieredStorageError(BrokerResponseError):
    """The offset's records are in tiered storage."""

    errno = 109
    message = "OFFSET_MOVED_TO_TIERED_STORAGE"


class FencedMemberEpochError(BrokerResponseError):
    """The member epoch is fenced by the group coordinator."""

    errno = 110
    message = "FENCED_MEMBER_EPOCH"


class UnreleasedInstanceIdError(BrokerResponseError):
    """The instance ID is still used by another member in the consumer group."""

    errno = 111
    message = "UNRELEASED_INSTANCE_ID"


class UnsupportedAssignorError(BrokerResponseError):
    """The assignor or its version range is not supported by the consumer group."""

    errno = 112
    message = "UNSUPPORTED_ASSIGNOR"


class StaleMemberEpochError(BrokerResponseError):
    """The member epoch is stale."""

    errno = 113
    message = "STALE_MEMBER_EPOCH"


class MismatchedEndpointTypeError(BrokerResponseError):
    """The request was sent to an endpoint of the wrong type."""

    errno = 114
    message = "MISMATCHED_ENDPOINT_TYPE"


class UnsupportedEndpointTypeError(BrokerResponseError):
    """This endpoint type is not supported yet."""

    errno = 115
    message = "UNSUPPORTED_ENDPOINT_TYPE"


class UnknownControllerIdError(BrokerResponseError):
    """This controller ID is not known."""

    errno = 116
    message = "UNKNOWN_CONTROLLER_ID"


class UnknownSubscriptionIdError(BrokerResponseError):
    """Client sent a push telemetry request with an invalid or outdated subscription ID."""

    errno = 117
    message = "UNKNOWN_SUBSCRIPTION_ID"


class TelemetryTooLargeError(BrokerResponseError):
    """Client sent a push telemetry request larger than the maximum size the broker will accept."""

    errno = 118
    message = "TELEMETRY_TOO_LARGE"


class InvalidRegistrationError(BrokerResponseError):
    """The controller has considered the broker registration to be invalid."""

    errno = 119
    message = "INVALID_REGISTRATION"


class TransactionAbortableError(BrokerResponseError):
    """The server encountered an error with the transaction."""

    errno = 120
    message = "TRANSACTION_ABORTABLE"


class InvalidRecordStateError(BrokerResponseError):
    """The record state is invalid."""

    errno = 121
    message = "INVALID_RECORD_STATE"


class ShareSessionNotFoundError(RetriableError, BrokerResponseError):
    """The share session was not found."""

    errno = 122
    message = "SHARE_SESSION_NOT_FOUND"


class InvalidShareSessionEpochError(RetriableError, BrokerResponseError):
    """The share session epoch is invalid."""

    errno = 123
    message = "INVALID_SHARE_SESSION_EPOCH"


class FencedStateEpochError(BrokerResponseError):
    """The share-group state epoch did not match."""

    errno = 124
    message = "FENCED_STATE_EPOCH"


class InvalidVoterKeyError(BrokerResponseError):
    """The voter key doesn't match the receiving replica's key."""

    errno = 125
    message = "INVALID_VOTER_KEY"


class DuplicateVoterError(BrokerResponseError):
    """The voter is already part of the set of voters."""

    errno = 126
    message = "DUPLICATE_VOTER"


class VoterNotFoundError(BrokerResponseError):
    """The voter is not part of the set of voters."""

    errno = 127
    message = "VOTER_NOT_FOUND"


CorruptRecordException = CorruptRecordError


_BY_NUMBER: dict[int, type[BrokerResponseError]] = {
    vars(kind)["errno"]: kind
    for kind in list(vars().values())
    # Not those that inherit a number.
    if isinstance(kind, type)
    and issubclass(kind, BrokerResponseError)
    and vars(kind).get("errno") is not None
}


def for_code(error_code: int) -> type[BrokerResponseError]:
    """Return the exception class of an error number.

    Args:
        error_code: a number of Kafka's protocol.

    Returns:
        The class; a new ``UnrecognizedBrokerError`` for a number that kafka-python does not know.
    """
    known = _BY_NUMBER.get(error_code)
    if known is not None:
        return known
    attributes = {"errno": error_code, "description": f"Error {error_code} of the protocol."}
    return type("UnrecognizedBrokerError", (UnknownError,), attributes)
