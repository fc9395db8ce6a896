"""aiokafka's exceptions, with the same names and numbers.

``retriable`` is true if the same call may succeed later. ``invalid_metadata`` is true if the
client's metadata is out of date. If librdkafka raised the error, ``__cause__`` is the
``confluent_kafka.KafkaException``.
"""

from __future__ import annotations

from typing import Any, ClassVar

from .._common.error_table import define


class KafkaError(RuntimeError):
    """An operation of Kafka or of this client failed."""

    retriable: ClassVar[bool] = False
    invalid_metadata: ClassVar[bool] = False

    def __str__(self) -> str:
        name = type(self).__name__
        if not self.args:
            return name
        return f"{name}: {self.args[0] if len(self.args) == 1 else self.args}"


class BrokerResponseError(KafkaError):
    """An error in a broker's answer; it has a number in Kafka's protocol."""

    errno: ClassVar[int]
    message: ClassVar[str]
    """The number's name in the protocol."""
    description: ClassVar[str] = ""
    """The meaning of the number."""

    def __str__(self) -> str:
        return f"[Error {self.errno}] {super().__str__()}"


class IllegalOperation(Exception):
    """The call is not possible with the client's configuration or in its present state."""


class ConsumerStoppedError(Exception):
    """The consumer was stopped, before or while the call waited."""


class CommitFailedError(KafkaError):
    """The group has rebalanced, and the partitions may belong to another member."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        reason = (
            "the group has rebalanced and assigned the partitions to another member: more than "
            "max_poll_interval_ms passed between two fetches. Increase max_poll_interval_ms, or "
            "take fewer messages at a time (max_poll_records)"
        )
        super().__init__(reason, *args, **kwargs)


class ProducerFenced(KafkaError):
    """A newer producer uses the same transactional_id, or the transaction timed out."""

    def __init__(
        self,
        msg: str = (
            "a newer producer uses the same transactional_id, or the transaction took longer than "
            "transaction_timeout_ms"
        ),
    ) -> None:
        super().__init__(msg)


_WITHOUT_A_NUMBER = """
IllegalStateError
    The object's state does not allow the call.
IllegalArgumentError
    An argument is not valid.
NoBrokersAvailable retriable invalid_metadata
    No broker answers.
NodeNotReadyError retriable
    The connection to the broker is not ready.
KafkaProtocolError retriable
    The broker's answer does not follow the protocol.
CorrelationIdError(KafkaProtocolError) retriable
    An answer belongs to another request.
Cancelled retriable
    The request was given up.
TooManyInFlightRequests retriable
    Too many requests wait for an answer.
StaleMetadata retriable invalid_metadata
    The known metadata of the cluster is out of date.
MetadataEmptyBrokerList retriable
    The broker answered with a cluster without brokers.
UnrecognizedBrokerVersion
    The broker's version is unknown.
IncompatibleBrokerVersion
    The broker's version does not offer this.
AuthenticationMethodNotSupported
    This way to authenticate is not supported.
AuthenticationFailedError
    The broker did not accept the credentials.
KafkaUnavailableError
    The cluster is not available.
KafkaTimeoutError
    An operation did not end in time.
KafkaConnectionError retriable invalid_metadata
    No connection to a broker.
ProducerClosed
    The producer was stopped.
UnsupportedCodecError
    The compression is not supported.
RecordTooLargeError
    A record is larger than a fetch may be, so that it can never be read.
KafkaConfigurationError
    A keyword's value is wrong.
QuotaViolationError
    A quota of the broker is used up.
NoOffsetForPartitionError
    There is no committed offset, and auto_offset_reset is 'none'.
"""

_NUMBERED = """
UnknownError -1 UNKNOWN
    The broker failed in a way that it has no number for.
NoError 0 NO_ERROR
    No error.
OffsetOutOfRangeError 1 OFFSET_OUT_OF_RANGE
    The offset is outside the range that the partition holds.
CorruptRecordException 2 CORRUPT_MESSAGE
    The record is corrupt: its checksum or its size is wrong, or it lacks a key that it needs.
UnknownTopicOrPartitionError 3 UNKNOWN_TOPIC_OR_PARTITION retriable invalid_metadata
    The broker does not have this topic or partition.
InvalidFetchRequestError 4 INVALID_FETCH_SIZE
    The maximum size of a fetch is not valid.
LeaderNotAvailableError 5 LEADER_NOT_AVAILABLE retriable invalid_metadata
    The partition has no leader at the moment; one is being elected.
NotLeaderForPartitionError 6 NOT_LEADER_FOR_PARTITION retriable invalid_metadata
    The broker is not the partition's leader (or no longer is).
RequestTimedOutError 7 REQUEST_TIMED_OUT retriable
    The broker could not complete the request in the time that it had.
BrokerNotAvailableError 8 BROKER_NOT_AVAILABLE
    The broker is not available.
ReplicaNotAvailableError 9 REPLICA_NOT_AVAILABLE
    The replica is not available on this broker.
MessageSizeTooLargeError 10 MESSAGE_SIZE_TOO_LARGE
    The message is larger than the broker, or max_request_size, allows.
StaleControllerEpochError 11 STALE_CONTROLLER_EPOCH
    The broker does not follow the newest controller.
OffsetMetadataTooLargeError 12 OFFSET_METADATA_TOO_LARGE
    The metadata of a committed offset is longer than the broker allows.
StaleLeaderEpochCodeError 13 STALE_LEADER_EPOCH_CODE
    The connection ended before an answer came.
GroupLoadInProgressError 14 COORDINATOR_LOAD_IN_PROGRESS retriable
    The group's coordinator is still loading its state.
GroupCoordinatorNotAvailableError 15 COORDINATOR_NOT_AVAILABLE retriable
    The group's coordinator is not available.
NotCoordinatorForGroupError 16 NOT_COORDINATOR retriable
    The broker is not the group's coordinator (or no longer is).
InvalidTopicError 17 INVALID_TOPIC
    The topic's name is not valid, or the topic is internal.
RecordListTooLargeError 18 RECORD_LIST_TOO_LARGE
    The batch is larger than a segment of the partition.
NotEnoughReplicasError 19 NOT_ENOUGH_REPLICAS retriable
    The partition has fewer replicas in sync than acks=all needs.
NotEnoughReplicasAfterAppendError 20 NOT_ENOUGH_REPLICAS_AFTER_APPEND retriable
    The records were written, but to fewer replicas than acks=all needs.
InvalidRequiredAcksError 21 INVALID_REQUIRED_ACKS
    acks is not valid.
IllegalGenerationError 22 ILLEGAL_GENERATION
    The member's generation is not the group's current one.
InconsistentGroupProtocolError 23 INCONSISTENT_GROUP_PROTOCOL
    The member and the group have no assignor in common.
InvalidGroupIdError 24 INVALID_GROUP_ID
    The group's id is not valid.
UnknownMemberIdError 25 UNKNOWN_MEMBER_ID
    The coordinator does not know this member.
InvalidSessionTimeoutError 26 INVALID_SESSION_TIMEOUT
    session_timeout_ms is outside the range that the broker allows.
RebalanceInProgressError 27 REBALANCE_IN_PROGRESS
    The group is rebalancing: the member has to join again.
InvalidCommitOffsetSizeError 28 INVALID_COMMIT_OFFSET_SIZE
    The offsets to commit are larger than the broker allows.
TopicAuthorizationFailedError 29 TOPIC_AUTHORIZATION_FAILED
    The principal may not use this topic.
GroupAuthorizationFailedError 30 GROUP_AUTHORIZATION_FAILED
    The principal may not use this group.
ClusterAuthorizationFailedError 31 CLUSTER_AUTHORIZATION_FAILED
    The principal may not do this to the cluster.
InvalidTimestampError 32 INVALID_TIMESTAMP
    The record's timestamp is outside the range that the topic allows.
UnsupportedSaslMechanismError 33 UNSUPPORTED_SASL_MECHANISM
    The broker does not offer this SASL mechanism.
IllegalSaslStateError 34 ILLEGAL_SASL_STATE
    The SASL request does not fit the state of the connection.
UnsupportedVersionError 35 UNSUPPORTED_VERSION
    The broker does not know this version of the request.
TopicAlreadyExistsError 36 TOPIC_ALREADY_EXISTS
    There is a topic of this name already.
InvalidPartitionsError 37 INVALID_PARTITIONS
    The number of partitions is not valid.
InvalidReplicationFactorError 38 INVALID_REPLICATION_FACTOR
    The replication factor is not valid, or there are fewer brokers.
InvalidReplicationAssignmentError 39 INVALID_REPLICATION_ASSIGNMENT
    The assignment of replicas to brokers is not valid.
InvalidConfigurationError 40 INVALID_CONFIG
    The configuration is not valid.
NotControllerError 41 NOT_CONTROLLER retriable
    The broker is not the cluster's controller.
InvalidRequestError 42 INVALID_REQUEST
    The request is not valid.
UnsupportedForMessageFormatError 43 UNSUPPORTED_FOR_MESSAGE_FORMAT
    The format that the topic's messages are stored in does not allow this.
PolicyViolationError 44 POLICY_VIOLATION
    A policy of the broker forbids it.
OutOfOrderSequenceNumber 45 OUT_OF_ORDER_SEQUENCE_NUMBER
    A batch before this one is missing.
DuplicateSequenceNumber 46 DUPLICATE_SEQUENCE_NUMBER
    The broker has this batch already.
InvalidProducerEpoch 47 INVALID_PRODUCER_EPOCH
    A newer producer uses the same transactional_id.
InvalidTxnState 48 INVALID_TXN_STATE
    The transaction's state does not allow this.
InvalidProducerIdMapping 49 INVALID_PRODUCER_ID_MAPPING
    The producer's id does not belong to its transactional_id.
InvalidTransactionTimeout 50 INVALID_TRANSACTION_TIMEOUT
    transaction_timeout_ms is more than the broker allows.
ConcurrentTransactions 51 CONCURRENT_TRANSACTIONS
    Another step of this transaction has not ended yet.
TransactionCoordinatorFenced 52 TRANSACTION_COORDINATOR_FENCED
    The coordinator that wrote the marker is not the transaction's any more.
TransactionalIdAuthorizationFailed 53 TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    The principal may not use this transactional_id.
SecurityDisabled 54 SECURITY_DISABLED
    The broker has no authorizer.
OperationNotAttempted 55 OPERATION_NOT_ATTEMPTED
    The operation was not tried, as another of the same request failed.
KafkaStorageError 56 KAFKA_STORAGE_ERROR retriable invalid_metadata
    A disk of the broker failed.
LogDirNotFound 57 LOG_DIR_NOT_FOUND
    The broker does not have this log directory.
SaslAuthenticationFailed 58 SASL_AUTHENTICATION_FAILED
    The broker did not accept the credentials.
UnknownProducerId 59 UNKNOWN_PRODUCER_ID
    The broker does not know the producer's id (or no longer knows it).
ReassignmentInProgress 60 REASSIGNMENT_IN_PROGRESS
    The partition is being reassigned.
DelegationTokenAuthDisabled 61 DELEGATION_TOKEN_AUTH_DISABLED
    Delegation tokens are switched off.
DelegationTokenNotFound 62 DELEGATION_TOKEN_NOT_FOUND
    The broker does not have this delegation token.
DelegationTokenOwnerMismatch 63 DELEGATION_TOKEN_OWNER_MISMATCH
    The delegation token belongs to somebody else.
DelegationTokenRequestNotAllowed 64 DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
    This connection may not ask for delegation tokens.
DelegationTokenAuthorizationFailed 65 DELEGATION_TOKEN_AUTHORIZATION_FAILED
    The principal may not use this delegation token.
DelegationTokenExpired 66 DELEGATION_TOKEN_EXPIRED
    The delegation token has expired.
InvalidPrincipalType 67 INVALID_PRINCIPAL_TYPE
    The principal's type is not valid.
NonEmptyGroup 68 NON_EMPTY_GROUP
    The group has members.
GroupIdNotFound 69 GROUP_ID_NOT_FOUND
    There is no such group.
FetchSessionIdNotFound 70 FETCH_SESSION_ID_NOT_FOUND
    The broker does not have this fetch session.
InvalidFetchSessionEpoch 71 INVALID_FETCH_SESSION_EPOCH
    The epoch of the fetch session is not the broker's.
ListenerNotFound 72 LISTENER_NOT_FOUND
    The leader has no listener with the name of the listener that got the request.
MemberIdRequired 79 MEMBER_ID_REQUIRED
    The member has to join again, with the id that the coordinator gave it.
"""

define(globals(), KafkaError, _WITHOUT_A_NUMBER)
_BY_NUMBER = define(globals(), BrokerResponseError, _NUMBERED)

# Other names that aiokafka, or its documents, have.
_ALIASES = {
    "CoordinatorLoadInProgressError": "GroupLoadInProgressError",
    "CoordinatorNotAvailableError": "GroupCoordinatorNotAvailableError",
    "InvalidMessageError": "CorruptRecordException",
    "NotCoordinatorError": "NotCoordinatorForGroupError",
    "TransactionIdAuthorizationFailed": "TransactionalIdAuthorizationFailed",
}
globals().update({name: globals()[of] for name, of in _ALIASES.items()})


def for_code(error_code: int) -> type[BrokerResponseError]:
    """Return the exception class of an error number.

    Args:
        error_code: a number of Kafka's protocol.

    Returns:
        The class; UnknownError for a number without a class in aiokafka.
    """
    return _BY_NUMBER.get(error_code, _BY_NUMBER[-1])
