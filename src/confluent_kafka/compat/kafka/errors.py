"""kafka-python's exceptions, with the same names and numbers.

``retriable`` is true if the same call may succeed later. ``invalid_metadata`` is true if the
client's metadata is out of date. If librdkafka raised the error, ``__cause__`` is the
``confluent_kafka.KafkaException``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .._common.error_table import define


class KafkaError(RuntimeError):
    """An operation of Kafka or of this client failed.

    It is a RuntimeError, as in kafka-python 2, because both generations share these exceptions.
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
    """An error in a broker's answer; it has a number in Kafka's protocol."""

    errno: ClassVar[int | None] = None
    message: ClassVar[str | None] = None
    """The number's name in the protocol."""
    description: ClassVar[str | None] = None
    """The meaning of the number."""

    def __str__(self) -> str:
        return f"[Error {self.errno}] {super().__str__()}"


class CommitFailedError(KafkaError):
    """The group has rebalanced, and the partitions may belong to another member."""

    def __init__(self, *args: Any) -> None:
        reason = (
            "the group has rebalanced and assigned the partitions to another member: more than "
            "max_poll_interval_ms passed between two calls of poll(). Increase "
            "max_poll_interval_ms, or take fewer messages at a time (max_poll_records)"
        )
        super().__init__(*(args or (reason,)))


class LogTruncationError(KafkaError):
    """A partition has lost records that were read, or other records have replaced them.

    Args:
        divergent_offsets: the offsets at which the logs begin to differ, by partition.
    """

    def __init__(self, divergent_offsets: Any, *args: Any) -> None:
        self.divergent_offsets = divergent_offsets
        super().__init__(*(args or (f"truncated partitions: {divergent_offsets}",)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.divergent_offsets, *self.args)


class TransactionAbortedError(KafkaError):
    """The transaction was aborted, together with its messages."""

    message = "TRANSACTION_ABORTED"


_WITHOUT_A_NUMBER = """
AuthorizationError(BrokerResponseError)
    The client may not do this.
IllegalArgumentError
    An argument is not valid.
IllegalStateError
    The object's state does not allow the call.
KafkaConfigurationError
    A keyword's value is wrong.
KafkaProtocolError
    The broker's answer does not follow the protocol.
InvalidReceiveError(KafkaProtocolError)
    An answer cannot be read.
NoOffsetForPartitionError
    There is no committed offset, and auto_offset_reset is 'none'.
QuotaViolationError
    A quota of the broker is used up.
RetriableError retriable
    The same call may succeed later.
Cancelled(RetriableError)
    The request was given up.
CorrelationIdError(RetriableError, KafkaProtocolError)
    An answer belongs to another request.
InvalidMetadataError(RetriableError) invalid_metadata
    The known metadata of the cluster is out of date.
KafkaConnectionError(InvalidMetadataError)
    No connection to a broker.
KafkaTimeoutError(RetriableError)
    An operation did not end in time.
MetadataEmptyBrokerList(RetriableError)
    A broker answered with a cluster without brokers.
NodeNotReadyError(RetriableError)
    The connection to the broker is not ready.
StaleMetadata(InvalidMetadataError)
    The known metadata of the cluster is older than the requested metadata.
TooManyInFlightRequests(RetriableError)
    Too many requests wait for an answer.
UnknownBrokerIdError
    The cluster has no broker of this id.
UnrecognizedBrokerVersion
    The broker's version is unknown.
UnsupportedCodecError
    The compression is not supported.
"""

_NUMBERED = """
UnknownError -1 UNKNOWN
    The broker failed in a way that has no other number.
NoError 0 NO_ERROR
    No error.
OffsetOutOfRangeError 1 OFFSET_OUT_OF_RANGE
    Offset out of range.
CorruptRecordError 2 CORRUPT_MESSAGE
    Invalid message.
UnknownTopicOrPartitionError(InvalidMetadataError, BrokerResponseError) 3 UNKNOWN_TOPIC_OR_PARTITION
    Unknown topic or partition.
InvalidFetchRequestError 4 INVALID_FETCH_SIZE
    Invalid message size.
LeaderNotAvailableError(InvalidMetadataError, BrokerResponseError) 5 LEADER_NOT_AVAILABLE
    Leader not available.
NotLeaderForPartitionError(InvalidMetadataError, BrokerResponseError) 6 NOT_LEADER_FOR_PARTITION
    Not leader for partition.
RequestTimedOutError(RetriableError, BrokerResponseError) 7 REQUEST_TIMED_OUT
    Request timed out.
BrokerNotAvailableError 8 BROKER_NOT_AVAILABLE
    Broker not available.
ReplicaNotAvailableError(InvalidMetadataError, BrokerResponseError) 9 REPLICA_NOT_AVAILABLE
    Replica not available.
MessageSizeTooLargeError 10 MESSAGE_SIZE_TOO_LARGE
    Message size too large.
StaleControllerEpochError 11 STALE_CONTROLLER_EPOCH
    StaleControllerEpochCode.
OffsetMetadataTooLargeError 12 OFFSET_METADATA_TOO_LARGE
    Offset metadata string too large.
NetworkExceptionError(InvalidMetadataError, BrokerResponseError) 13 NETWORK_EXCEPTION
    Broker disconnected before response received.
CoordinatorLoadInProgressError(RetriableError, BrokerResponseError) 14 COORDINATOR_LOAD_IN_PROGRESS
    Coordinator load in progress.
CoordinatorNotAvailableError(RetriableError, BrokerResponseError) 15 COORDINATOR_NOT_AVAILABLE
    Coordinator not available.
NotCoordinatorError(RetriableError, BrokerResponseError) 16 NOT_COORDINATOR
    Not coordinator.
InvalidTopicError 17 INVALID_TOPIC
    Invalid topic.
RecordListTooLargeError 18 RECORD_LIST_TOO_LARGE
    Message batch larger than configured server segment size.
NotEnoughReplicasError(RetriableError, BrokerResponseError) 19 NOT_ENOUGH_REPLICAS
    Not enough in-sync replicas.
NotEnoughReplicasAfterAppendError(RetriableError, BrokerResponseError) 20 NOT_ENOUGH_REPLICAS_AFTER_APPEND
    Message(s) written to insufficient number of in-sync replicas.
InvalidRequiredAcksError 21 INVALID_REQUIRED_ACKS
    Invalid required acks value.
IllegalGenerationError 22 ILLEGAL_GENERATION
    Specified group generation id is not valid.
InconsistentGroupProtocolError 23 INCONSISTENT_GROUP_PROTOCOL
    Inconsistent group protocol.
InvalidGroupIdError 24 INVALID_GROUP_ID
    Invalid group.id.
UnknownMemberIdError 25 UNKNOWN_MEMBER_ID
    Unknown member.
InvalidSessionTimeoutError 26 INVALID_SESSION_TIMEOUT
    Invalid session timeout.
RebalanceInProgressError 27 REBALANCE_IN_PROGRESS
    Group rebalance in progress.
InvalidCommitOffsetSizeError 28 INVALID_COMMIT_OFFSET_SIZE
    Commit offset data size is not valid.
TopicAuthorizationFailedError(AuthorizationError) 29 TOPIC_AUTHORIZATION_FAILED
    Topic authorization failed.
GroupAuthorizationFailedError(AuthorizationError) 30 GROUP_AUTHORIZATION_FAILED
    Group authorization failed.
ClusterAuthorizationFailedError(AuthorizationError) 31 CLUSTER_AUTHORIZATION_FAILED
    Cluster authorization failed.
InvalidTimestampError 32 INVALID_TIMESTAMP
    Invalid timestamp.
UnsupportedSaslMechanismError 33 UNSUPPORTED_SASL_MECHANISM
    Unsupported SASL mechanism.
IllegalSaslStateError 34 ILLEGAL_SASL_STATE
    Request not valid in current SASL state.
UnsupportedVersionError 35 UNSUPPORTED_VERSION
    API version not supported.
TopicAlreadyExistsError 36 TOPIC_ALREADY_EXISTS
    Topic already exists.
InvalidPartitionsError 37 INVALID_PARTITIONS
    Invalid number of partitions.
InvalidReplicationFactorError 38 INVALID_REPLICATION_FACTOR
    Invalid replication factor.
InvalidReplicationAssignmentError 39 INVALID_REPLICATION_ASSIGNMENT
    Invalid replica assignment.
InvalidConfigurationError 40 INVALID_CONFIG
    Configuration is invalid.
NotControllerError(RetriableError, BrokerResponseError) 41 NOT_CONTROLLER
    Not controller for cluster.
InvalidRequestError 42 INVALID_REQUEST
    Invalid request.
UnsupportedForMessageFormatError 43 UNSUPPORTED_FOR_MESSAGE_FORMAT
    Message format on broker does not support request.
PolicyViolationError 44 POLICY_VIOLATION
    Policy violation.
OutOfOrderSequenceNumberError 45 OUT_OF_ORDER_SEQUENCE_NUMBER
    Broker received an out of order sequence number.
DuplicateSequenceNumberError 46 DUPLICATE_SEQUENCE_NUMBER
    The broker has this sequence number already.
InvalidProducerEpochError 47 INVALID_PRODUCER_EPOCH
    Producer attempted an operation with an old epoch.
InvalidTxnStateError 48 INVALID_TXN_STATE
    Producer attempted a transactional operation in an invalid state.
InvalidProducerIdMappingError 49 INVALID_PRODUCER_ID_MAPPING
    The producer's id is not the one that its transactional id has now.
InvalidTransactionTimeoutError 50 INVALID_TRANSACTION_TIMEOUT
    The transaction's timeout is longer than the broker's transaction.max.timeout.ms.
ConcurrentTransactionsError(RetriableError, BrokerResponseError) 51 CONCURRENT_TRANSACTIONS
    Another operation of the same transaction is not finished.
TransactionCoordinatorFencedError 52 TRANSACTION_COORDINATOR_FENCED
    The transaction coordinator is not the producer's any more.
TransactionalIdAuthorizationFailedError(AuthorizationError) 53 TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    Transactional Id authorization failed.
SecurityDisabledError 54 SECURITY_DISABLED
    Security features are disabled.
OperationNotAttemptedError 55 OPERATION_NOT_ATTEMPTED
    Operation not attempted.
KafkaStorageError(InvalidMetadataError, BrokerResponseError) 56 KAFKA_STORAGE_ERROR
    Disk error when trying to access log file on disk.
LogDirNotFoundError 57 LOG_DIR_NOT_FOUND
    The user-specified log directory is not found in the broker config.
SaslAuthenticationFailedError 58 SASL_AUTHENTICATION_FAILED
    SASL Authentication failed.
UnknownProducerIdError 59 UNKNOWN_PRODUCER_ID
    Unknown Producer Id.
ReassignmentInProgressError 60 REASSIGNMENT_IN_PROGRESS
    Partition reassignment is in progress.
DelegationTokenAuthDisabledError 61 DELEGATION_TOKEN_AUTH_DISABLED
    Delegation Token feature is not enabled.
DelegationTokenNotFoundError 62 DELEGATION_TOKEN_NOT_FOUND
    Delegation Token is not found on server.
DelegationTokenOwnerMismatchError 63 DELEGATION_TOKEN_OWNER_MISMATCH
    Specified Principal is not valid Owner/Renewer.
DelegationTokenRequestNotAllowedError 64 DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    Delegation Token requests are not allowed on this connection.
DelegationTokenAuthorizationFailedError(AuthorizationError) 65 DELEGATION_TOKEN_AUTHORIZATION_FAILED
    Delegation Token authorization failed.
DelegationTokenExpiredError 66 DELEGATION_TOKEN_EXPIRED
    Delegation Token is expired.
InvalidPrincipalTypeError 67 INVALID_PRINCIPAL_TYPE
    Supplied principalType is not supported.
NonEmptyGroupError 68 NON_EMPTY_GROUP
    The group is not empty.
GroupIdNotFoundError 69 GROUP_ID_NOT_FOUND
    The group id does not exist.
FetchSessionIdNotFoundError(RetriableError, BrokerResponseError) 70 FETCH_SESSION_ID_NOT_FOUND
    The fetch session ID was not found.
InvalidFetchSessionEpochError(RetriableError, BrokerResponseError) 71 INVALID_FETCH_SESSION_EPOCH
    The fetch session epoch is invalid.
ListenerNotFoundError(InvalidMetadataError, BrokerResponseError) 72 LISTENER_NOT_FOUND
    No matching listener.
TopicDeletionDisabledError 73 TOPIC_DELETION_DISABLED
    Topic deletion is disabled.
FencedLeaderEpochError(InvalidMetadataError, BrokerResponseError) 74 FENCED_LEADER_EPOCH
    Leader epoch is older than broker epoch.
UnknownLeaderEpochError(InvalidMetadataError, BrokerResponseError) 75 UNKNOWN_LEADER_EPOCH
    Leader epoch is newer than broker epoch.
UnsupportedCompressionTypeError 76 UNSUPPORTED_COMPRESSION_TYPE
    Unsupported compression type.
StaleBrokerEpochError 77 STALE_BROKER_EPOCH
    Broker epoch has changed.
OffsetNotAvailableError(RetriableError, BrokerResponseError) 78 OFFSET_NOT_AVAILABLE
    Leader high watermark is not caught up.
MemberIdRequiredError 79 MEMBER_ID_REQUIRED
    Group member needs a valid member ID.
PreferredLeaderNotAvailableError(InvalidMetadataError, BrokerResponseError) 80 PREFERRED_LEADER_NOT_AVAILABLE
    Preferred leader was not available.
GroupMaxSizeReachedError 81 GROUP_MAX_SIZE_REACHED
    Consumer group has reached maximum size.
FencedInstanceIdError 82 FENCED_INSTANCE_ID
    Static consumer fenced by other consumer with same group.instance.id.
EligibleLeadersNotAvailableError(InvalidMetadataError, BrokerResponseError) 83 ELIGIBLE_LEADERS_NOT_AVAILABLE
    Eligible partition leaders are not available.
ElectionNotNeededError(InvalidMetadataError, BrokerResponseError) 84 ELECTION_NOT_NEEDED
    Leader election not needed for topic partition.
NoReassignmentInProgressError 85 NO_REASSIGNMENT_IN_PROGRESS
    No partition reassignment is in progress.
GroupSubscribedToTopicError 86 GROUP_SUBSCRIBED_TO_TOPIC
    Deleting offsets of a topic while the consumer group is subscribed to it.
InvalidRecordError 87 INVALID_RECORD
    Broker failed to validate record.
UnstableOffsetCommitError(RetriableError, BrokerResponseError) 88 UNSTABLE_OFFSET_COMMIT
    There are unstable offsets that need to be cleared.
ThrottlingQuotaExceededError(RetriableError, BrokerResponseError) 89 THROTTLING_QUOTA_EXCEEDED
    Throttling quota has been exceeded.
ProducerFencedError 90 PRODUCER_FENCED
    There is a newer producer with the same transactionalId which fences the current one.
ResourceNotFoundError 91 RESOURCE_NOT_FOUND
    Request illegally referred to resource that does not exist.
DuplicateResourceError 92 DUPLICATE_RESOURCE
    Request illegally referred to the same resource twice.
UnacceptableCredentialError 93 UNACCEPTABLE_CREDENTIAL
    Requested credential would not meet criteria for acceptability.
InconsistentVoterSetError 94 INCONSISTENT_VOTER_SET
    A sender or a recipient is not one of the voters.
InvalidUpdateVersionError 95 INVALID_UPDATE_VERSION
    Invalid update version.
FeatureUpdateFailedError 96 FEATURE_UPDATE_FAILED
    Unable to update finalized features due to server error.
PrincipalDeserializationFailureError 97 PRINCIPAL_DESERIALIZATION_FAILURE
    Request principal deserialization failed during forwarding.
SnapshotNotFoundError 98 SNAPSHOT_NOT_FOUND
    There is no such snapshot.
PositionOutOfRangeError 99 POSITION_OUT_OF_RANGE
    The position is outside of the snapshot.
UnknownTopicIdError(InvalidMetadataError, BrokerResponseError) 100 UNKNOWN_TOPIC_ID
    Unknown topic id.
DuplicateBrokerRegistrationError 101 DUPLICATE_BROKER_REGISTRATION
    A broker of this id is registered already.
BrokerIdNotRegisteredError 102 BROKER_ID_NOT_REGISTERED
    No broker of this id is registered.
InconsistentTopicIdError(InvalidMetadataError, BrokerResponseError) 103 INCONSISTENT_TOPIC_ID
    The log's topic ID did not match the topic ID in the request.
InconsistentClusterIdError 104 INCONSISTENT_CLUSTER_ID
    The request is for another cluster.
TransactionalIdNotFoundError 105 TRANSACTIONAL_ID_NOT_FOUND
    The coordinator does not know the transactional id.
FetchSessionTopicIdError(RetriableError, BrokerResponseError) 106 FETCH_SESSION_TOPIC_ID_ERROR
    The fetch session has other topic ids than the request.
IneligibleReplicaError 107 INELIGIBLE_REPLICA
    The replica may not join the in-sync replicas.
NewLeaderElectedError 108 NEW_LEADER_ELECTED
    The controller has elected another leader.
OffsetMovedToTieredStorageError 109 OFFSET_MOVED_TO_TIERED_STORAGE
    The offset's records are in tiered storage.
FencedMemberEpochError 110 FENCED_MEMBER_EPOCH
    The member epoch is fenced by the group coordinator.
UnreleasedInstanceIdError 111 UNRELEASED_INSTANCE_ID
    The instance ID is still used by another member in the consumer group.
UnsupportedAssignorError 112 UNSUPPORTED_ASSIGNOR
    The assignor or its version range is not supported by the consumer group.
StaleMemberEpochError 113 STALE_MEMBER_EPOCH
    The member epoch is stale.
MismatchedEndpointTypeError 114 MISMATCHED_ENDPOINT_TYPE
    The request was sent to an endpoint of the wrong type.
UnsupportedEndpointTypeError 115 UNSUPPORTED_ENDPOINT_TYPE
    This endpoint type is not supported yet.
UnknownControllerIdError 116 UNKNOWN_CONTROLLER_ID
    This controller ID is not known.
UnknownSubscriptionIdError 117 UNKNOWN_SUBSCRIPTION_ID
    Client sent a push telemetry request with an invalid or outdated subscription ID.
TelemetryTooLargeError 118 TELEMETRY_TOO_LARGE
    Client sent a push telemetry request larger than the maximum size the broker will accept.
InvalidRegistrationError 119 INVALID_REGISTRATION
    The controller has considered the broker registration to be invalid.
TransactionAbortableError 120 TRANSACTION_ABORTABLE
    The server encountered an error with the transaction.
InvalidRecordStateError 121 INVALID_RECORD_STATE
    The record state is invalid.
ShareSessionNotFoundError(RetriableError, BrokerResponseError) 122 SHARE_SESSION_NOT_FOUND
    The share session was not found.
InvalidShareSessionEpochError(RetriableError, BrokerResponseError) 123 INVALID_SHARE_SESSION_EPOCH
    The share session epoch is invalid.
FencedStateEpochError 124 FENCED_STATE_EPOCH
    The share-group state epoch did not match.
InvalidVoterKeyError 125 INVALID_VOTER_KEY
    The voter key doesn't match the receiving replica's key.
DuplicateVoterError 126 DUPLICATE_VOTER
    The voter is already part of the set of voters.
VoterNotFoundError 127 VOTER_NOT_FOUND
    The voter is not part of the set of voters.
IncompatibleBrokerVersion(UnsupportedVersionError)
    The broker is too old for this.
"""  # noqa: E501

define(globals(), KafkaError, _WITHOUT_A_NUMBER)
_BY_NUMBER = define(globals(), BrokerResponseError, _NUMBERED)

# The name of kafka-python 2.
globals()["CorruptRecordException"] = _BY_NUMBER[2]


def for_code(error_code: int) -> type[BrokerResponseError]:
    """Return the exception class of an error number.

    Args:
        error_code: a number of Kafka's protocol.

    Returns:
        The class; a new ``UnrecognizedBrokerError`` for a number that kafka-python does not have.
    """
    known = _BY_NUMBER.get(error_code)
    if known is not None:
        return known
    attributes = {"errno": error_code, "description": f"Error {error_code} of the protocol."}
    return type("UnrecognizedBrokerError", (_BY_NUMBER[-1],), attributes)
