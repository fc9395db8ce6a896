"""aiokafka's exceptions, by its names and numbers.

``retriable`` says whether the same call may succeed later, ``invalid_metadata`` whether what is
known of the cluster is out of date. An exception that comes from librdkafka has the
``confluent_kafka.KafkaException`` as its ``__cause__``.
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar


class KafkaError(RuntimeError):
    """Something that Kafka, or this client of it, could not do."""

    retriable: ClassVar[bool] = False
    invalid_metadata: ClassVar[bool] = False

    def __str__(self) -> str:
        name = type(self).__name__
        if not self.args:
            return name
        return f"{name}: {self.args[0] if len(self.args) == 1 else self.args}"


class BrokerResponseError(KafkaError):
    """An error that a broker answered with; it has a number in Kafka's protocol."""

    errno: ClassVar[int]
    message: ClassVar[str]
    """The number's name in the protocol."""
    description: ClassVar[str] = ""
    """What the number means."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "description" not in vars(cls):
            cls.description = inspect.cleandoc(cls.__doc__ or "")

    def __str__(self) -> str:
        return f"[Error {self.errno}] {super().__str__()}"


class IllegalOperation(Exception):
    """The call makes no sense with the client's configuration, or its present use."""


class ConsumerStoppedError(Exception):
    """The consumer was stopped, before or while the call waited."""


class IllegalStateError(KafkaError):
    """The object's state does not allow the call."""


class IllegalArgumentError(KafkaError):
    """An argument is not valid."""


class NoBrokersAvailable(KafkaError):
    """No broker answers."""

    retriable = True
    invalid_metadata = True


class NodeNotReadyError(KafkaError):
    """The connection to the broker is not ready."""

    retriable = True


class KafkaProtocolError(KafkaError):
    """The broker's answer is not what the protocol says."""

    retriable = True


class CorrelationIdError(KafkaProtocolError):
    """An answer belongs to another request."""

    retriable = True


class Cancelled(KafkaError):
    """The request was given up."""

    retriable = True


class TooManyInFlightRequests(KafkaError):
    """Too many requests wait for an answer."""

    retriable = True


class StaleMetadata(KafkaError):
    """What is known of the cluster is out of date."""

    retriable = True
    invalid_metadata = True


class MetadataEmptyBrokerList(KafkaError):
    """The broker answered with a cluster without brokers."""

    retriable = True


class UnrecognizedBrokerVersion(KafkaError):
    """The broker's version cannot be told."""


class IncompatibleBrokerVersion(KafkaError):
    """The broker's version does not offer this."""


class CommitFailedError(KafkaError):
    """The group has rebalanced, and the partitions may be another member's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        reason = (
            "the group has rebalanced and assigned the partitions to another member: more than "
            "max_poll_interval_ms passed between two fetches. Raise it, or take fewer messages at "
            "a time (max_poll_records)"
        )
        super().__init__(reason, *args, **kwargs)


class AuthenticationMethodNotSupported(KafkaError):
    """This way to authenticate is not supported."""


class AuthenticationFailedError(KafkaError):
    """The broker did not accept the credentials."""

    retriable = False


class KafkaUnavailableError(KafkaError):
    """The cluster is not available."""


class KafkaTimeoutError(KafkaError):
    """Something was not done in the time that it had."""


class KafkaConnectionError(KafkaError):
    """No connection to a broker."""

    retriable = True
    invalid_metadata = True


class ProducerClosed(KafkaError):
    """The producer was stopped."""


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


class UnsupportedCodecError(KafkaError):
    """The compression is not supported."""


class RecordTooLargeError(KafkaError):
    """A record is larger than a fetch may be, so that it can never be read."""


class KafkaConfigurationError(KafkaError):
    """A keyword's value is wrong."""


class QuotaViolationError(KafkaError):
    """A quota of the broker is used up."""


class NoOffsetForPartitionError(KafkaError):
    """There is no committed offset, and auto_offset_reset is 'none'."""


class UnknownError(BrokerResponseError):
    """The broker failed in a way that it has no number for."""

    errno = -1
    message = "UNKNOWN"


class NoError(BrokerResponseError):
    """No error."""

    errno = 0
    message = "NO_ERROR"


class OffsetOutOfRangeError(BrokerResponseError):
    """The offset is outside the range that the partition holds."""

    errno = 1
    message = "OFFSET_OUT_OF_RANGE"


class CorruptRecordException(BrokerResponseError):
    """The record is corrupt: its checksum or its size is wrong, or it lacks a key that it needs."""

    errno = 2
    message = "CORRUPT_MESSAGE"


class UnknownTopicOrPartitionError(BrokerResponseError):
    """The broker does not have this topic or partition."""

    errno = 3
    message = "UNKNOWN_TOPIC_OR_PARTITION"
    retriable = True
    invalid_metadata = True


class InvalidFetchRequestError(BrokerResponseError):
    """The maximum size of a fetch is not valid."""

    errno = 4
    message = "INVALID_FETCH_SIZE"


class LeaderNotAvailableError(BrokerResponseError):
    """The partition has no leader at the moment; one is being elected."""

    errno = 5
    message = "LEADER_NOT_AVAILABLE"
    retriable = True
    invalid_metadata = True


class NotLeaderForPartitionError(BrokerResponseError):
    """The broker is not the partition's leader (any more)."""

    errno = 6
    message = "NOT_LEADER_FOR_PARTITION"
    retriable = True
    invalid_metadata = True


class RequestTimedOutError(BrokerResponseError):
    """The broker could not complete the request in the time that it had."""

    errno = 7
    message = "REQUEST_TIMED_OUT"
    retriable = True


class BrokerNotAvailableError(BrokerResponseError):
    """The broker is not available."""

    errno = 8
    message = "BROKER_NOT_AVAILABLE"


class ReplicaNotAvailableError(BrokerResponseError):
    """The replica is not available on this broker."""

    errno = 9
    message = "REPLICA_NOT_AVAILABLE"


class MessageSizeTooLargeError(BrokerResponseError):
    """The message is larger than the broker, or max_request_size, allows."""

    errno = 10
    message = "MESSAGE_SIZE_TOO_LARGE"


class StaleControllerEpochError(BrokerResponseError):
    """The broker does not follow the newest controller."""

    errno = 11
    message = "STALE_CONTROLLER_EPOCH"


class OffsetMetadataTooLargeError(BrokerResponseError):
    """The metadata of a committed offset is longer than the broker allows."""

    errno = 12
    message = "OFFSET_METADATA_TOO_LARGE"


class StaleLeaderEpochCodeError(BrokerResponseError):
    """The connection ended before an answer came."""

    errno = 13
    message = "STALE_LEADER_EPOCH_CODE"


class GroupLoadInProgressError(BrokerResponseError):
    """The group's coordinator is still loading its state."""

    errno = 14
    message = "COORDINATOR_LOAD_IN_PROGRESS"
    retriable = True


class GroupCoordinatorNotAvailableError(BrokerResponseError):
    """The group's coordinator is not available."""

    errno = 15
    message = "COORDINATOR_NOT_AVAILABLE"
    retriable = True


class NotCoordinatorForGroupError(BrokerResponseError):
    """The broker is not the group's coordinator (any more)."""

    errno = 16
    message = "NOT_COORDINATOR"
    retriable = True


class InvalidTopicError(BrokerResponseError):
    """The topic's name is not valid, or the topic is internal."""

    errno = 17
    message = "INVALID_TOPIC"


class RecordListTooLargeError(BrokerResponseError):
    """The batch is larger than a segment of the partition."""

    errno = 18
    message = "RECORD_LIST_TOO_LARGE"


class NotEnoughReplicasError(BrokerResponseError):
    """The partition has fewer replicas in sync than acks=all needs."""

    errno = 19
    message = "NOT_ENOUGH_REPLICAS"
    retriable = True


class NotEnoughReplicasAfterAppendError(BrokerResponseError):
    """The records were written, but to fewer replicas than acks=all needs."""

    errno = 20
    message = "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
    retriable = True


class InvalidRequiredAcksError(BrokerResponseError):
    """acks is not valid."""

    errno = 21
    message = "INVALID_REQUIRED_ACKS"


class IllegalGenerationError(BrokerResponseError):
    """The member's generation is not that of the group."""

    errno = 22
    message = "ILLEGAL_GENERATION"


class InconsistentGroupProtocolError(BrokerResponseError):
    """The member's assignors and the group's have none in common."""

    errno = 23
    message = "INCONSISTENT_GROUP_PROTOCOL"


class InvalidGroupIdError(BrokerResponseError):
    """The group's id is not valid."""

    errno = 24
    message = "INVALID_GROUP_ID"


class UnknownMemberIdError(BrokerResponseError):
    """The coordinator does not know this member."""

    errno = 25
    message = "UNKNOWN_MEMBER_ID"


class InvalidSessionTimeoutError(BrokerResponseError):
    """session_timeout_ms is outside the range that the broker allows."""

    errno = 26
    message = "INVALID_SESSION_TIMEOUT"


class RebalanceInProgressError(BrokerResponseError):
    """The group is rebalancing: the member has to join again."""

    errno = 27
    message = "REBALANCE_IN_PROGRESS"


class InvalidCommitOffsetSizeError(BrokerResponseError):
    """The offsets to commit are larger than the broker allows."""

    errno = 28
    message = "INVALID_COMMIT_OFFSET_SIZE"


class TopicAuthorizationFailedError(BrokerResponseError):
    """The principal may not use this topic."""

    errno = 29
    message = "TOPIC_AUTHORIZATION_FAILED"


class GroupAuthorizationFailedError(BrokerResponseError):
    """The principal may not use this group."""

    errno = 30
    message = "GROUP_AUTHORIZATION_FAILED"


class ClusterAuthorizationFailedError(BrokerResponseError):
    """The principal may not do this to the cluster."""

    errno = 31
    message = "CLUSTER_AUTHORIZATION_FAILED"


class InvalidTimestampError(BrokerResponseError):
    """The record's timestamp is outside the range that the topic allows."""

    errno = 32
    message = "INVALID_TIMESTAMP"


class UnsupportedSaslMechanismError(BrokerResponseError):
    """The broker does not offer this SASL mechanism."""

    errno = 33
    message = "UNSUPPORTED_SASL_MECHANISM"


class IllegalSaslStateError(BrokerResponseError):
    """The SASL request does not fit the state of the connection."""

    errno = 34
    message = "ILLEGAL_SASL_STATE"


class UnsupportedVersionError(BrokerResponseError):
    """The broker does not know this version of the request."""

    errno = 35
    message = "UNSUPPORTED_VERSION"


class TopicAlreadyExistsError(BrokerResponseError):
    """There is a topic of this name already."""

    errno = 36
    message = "TOPIC_ALREADY_EXISTS"


class InvalidPartitionsError(BrokerResponseError):
    """The number of partitions is not valid."""

    errno = 37
    message = "INVALID_PARTITIONS"


class InvalidReplicationFactorError(BrokerResponseError):
    """The replication factor is not valid, or there are fewer brokers."""

    errno = 38
    message = "INVALID_REPLICATION_FACTOR"


class InvalidReplicationAssignmentError(BrokerResponseError):
    """The assignment of replicas to brokers is not valid."""

    errno = 39
    message = "INVALID_REPLICATION_ASSIGNMENT"


class InvalidConfigurationError(BrokerResponseError):
    """The configuration is not valid."""

    errno = 40
    message = "INVALID_CONFIG"


class NotControllerError(BrokerResponseError):
    """The broker is not the cluster's controller."""

    errno = 41
    message = "NOT_CONTROLLER"
    retriable = True


class InvalidRequestError(BrokerResponseError):
    """The request is not valid."""

    errno = 42
    message = "INVALID_REQUEST"


class UnsupportedForMessageFormatError(BrokerResponseError):
    """The format that the topic's messages are stored in does not allow this."""

    errno = 43
    message = "UNSUPPORTED_FOR_MESSAGE_FORMAT"


class PolicyViolationError(BrokerResponseError):
    """A policy of the broker forbids it."""

    errno = 44
    message = "POLICY_VIOLATION"


class OutOfOrderSequenceNumber(BrokerResponseError):
    """A batch before this one is missing."""

    errno = 45
    message = "OUT_OF_ORDER_SEQUENCE_NUMBER"


class DuplicateSequenceNumber(BrokerResponseError):
    """The broker has this batch already."""

    errno = 46
    message = "DUPLICATE_SEQUENCE_NUMBER"


class InvalidProducerEpoch(BrokerResponseError):
    """A newer producer uses the same transactional_id."""

    errno = 47
    message = "INVALID_PRODUCER_EPOCH"


class InvalidTxnState(BrokerResponseError):
    """The transaction's state does not allow this."""

    errno = 48
    message = "INVALID_TXN_STATE"


class InvalidProducerIdMapping(BrokerResponseError):
    """The producer's id does not belong to its transactional_id."""

    errno = 49
    message = "INVALID_PRODUCER_ID_MAPPING"


class InvalidTransactionTimeout(BrokerResponseError):
    """transaction_timeout_ms is more than the broker allows."""

    errno = 50
    message = "INVALID_TRANSACTION_TIMEOUT"


class ConcurrentTransactions(BrokerResponseError):
    """Another step of this transaction has not ended yet."""

    errno = 51
    message = "CONCURRENT_TRANSACTIONS"


class TransactionCoordinatorFenced(BrokerResponseError):
    """The coordinator that wrote the marker is not the transaction's any more."""

    errno = 52
    message = "TRANSACTION_COORDINATOR_FENCED"


class TransactionalIdAuthorizationFailed(BrokerResponseError):
    """The principal may not use this transactional_id."""

    errno = 53
    message = "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"


class SecurityDisabled(BrokerResponseError):
    """The broker has no authorizer."""

    errno = 54
    message = "SECURITY_DISABLED"


class OperationNotAttempted(BrokerResponseError):
    """The operation was not tried, as another of the same request failed."""

    errno = 55
    message = "OPERATION_NOT_ATTEMPTED"


class KafkaStorageError(BrokerResponseError):
    """A disk of the broker failed."""

    errno = 56
    message = "KAFKA_STORAGE_ERROR"
    retriable = True
    invalid_metadata = True


class LogDirNotFound(BrokerResponseError):
    """The broker does not have this log directory."""

    errno = 57
    message = "LOG_DIR_NOT_FOUND"


class SaslAuthenticationFailed(BrokerResponseError):
    """The broker did not accept the credentials."""

    errno = 58
    message = "SASL_AUTHENTICATION_FAILED"


class UnknownProducerId(BrokerResponseError):
    """The broker does not know the producer's id (any more)."""

    errno = 59
    message = "UNKNOWN_PRODUCER_ID"


class ReassignmentInProgress(BrokerResponseError):
    """The partition is being reassigned."""

    errno = 60
    message = "REASSIGNMENT_IN_PROGRESS"


class DelegationTokenAuthDisabled(BrokerResponseError):
    """Delegation tokens are switched off."""

    errno = 61
    message = "DELEGATION_TOKEN_AUTH_DISABLED"


class DelegationTokenNotFound(BrokerResponseError):
    """The broker does not have this delegation token."""

    errno = 62
    message = "DELEGATION_TOKEN_NOT_FOUND"


class DelegationTokenOwnerMismatch(BrokerResponseError):
    """The delegation token belongs to somebody else."""

    errno = 63
    message = "DELEGATION_TOKEN_OWNER_MISMATCH"


class DelegationTokenRequestNotAllowed(BrokerResponseError):
    """This connection may not ask for delegation tokens."""

    errno = 64
    message = "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED"


class DelegationTokenAuthorizationFailed(BrokerResponseError):
    """The principal may not use this delegation token."""

    errno = 65
    message = "DELEGATION_TOKEN_AUTHORIZATION_FAILED"


class DelegationTokenExpired(BrokerResponseError):
    """The delegation token has expired."""

    errno = 66
    message = "DELEGATION_TOKEN_EXPIRED"


class InvalidPrincipalType(BrokerResponseError):
    """The principal's type is not valid."""

    errno = 67
    message = "INVALID_PRINCIPAL_TYPE"


class NonEmptyGroup(BrokerResponseError):
    """The group has members."""

    errno = 68
    message = "NON_EMPTY_GROUP"


class GroupIdNotFound(BrokerResponseError):
    """There is no such group."""

    errno = 69
    message = "GROUP_ID_NOT_FOUND"


class FetchSessionIdNotFound(BrokerResponseError):
    """The broker does not have this fetch session."""

    errno = 70
    message = "FETCH_SESSION_ID_NOT_FOUND"


class InvalidFetchSessionEpoch(BrokerResponseError):
    """The epoch of the fetch session is not the broker's."""

    errno = 71
    message = "INVALID_FETCH_SESSION_EPOCH"


class ListenerNotFound(BrokerResponseError):
    """The leader has no listener of the name that the request came by."""

    errno = 72
    message = "LISTENER_NOT_FOUND"


class MemberIdRequired(BrokerResponseError):
    """The member has to join again, with the id that the coordinator gave it."""

    errno = 79
    message = "MEMBER_ID_REQUIRED"


CoordinatorLoadInProgressError = GroupLoadInProgressError
CoordinatorNotAvailableError = GroupCoordinatorNotAvailableError
InvalidMessageError = CorruptRecordException
NotCoordinatorError = NotCoordinatorForGroupError


_BY_NUMBER = {
    kind.errno: kind
    for kind in list(vars().values())
    if isinstance(kind, type) and issubclass(kind, BrokerResponseError) and hasattr(kind, "errno")
}


def for_code(error_code: int) -> type[BrokerResponseError]:
    """Return the exception class of an error number.

    Args:
        error_code: a number of Kafka's protocol.

    Returns:
        The class; UnknownError for a number that aiokafka has no class for.
    """
    return _BY_NUMBER.get(error_code, UnknownError)
