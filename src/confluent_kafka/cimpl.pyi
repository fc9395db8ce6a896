"""Types of the C extension. Its docstrings are available at run time and in the reference."""

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import GenericAlias, TracebackType
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    Protocol,
    Self,
    TypeAlias,
    TypedDict,
    final,
    overload,
)

from _typeshed import structseq
from typing_extensions import Buffer, TypeVar, disjoint_base

from confluent_kafka._values.metadata import ClusterMetadata, GroupMetadata
from confluent_kafka._values.pausing import PauseWhile
from confluent_kafka._values.rows import RowError
from confluent_kafka._values.share import Messages
from confluent_kafka._values.statistics import Statistics
from confluent_kafka.columns.batch import ColumnDecoder, ColumnEncoder, DecodedBatch

# The types of the key and the value of a message after deserialization.
_K = TypeVar("_K", default=bytes)
_V = TypeVar("_V", default=bytes)

_Payload: TypeAlias = str | Buffer | None
_Headers: TypeAlias = Mapping[str, _Payload] | Sequence[tuple[str, _Payload]]
_DeliveryCallback: TypeAlias = Callable[[KafkaError | None, Message], object]
# An asyncio future, or an object with the same methods.
_Settled: TypeAlias = Any
_RebalanceCallback: TypeAlias = Callable[[Consumer, list[TopicPartition]], object]
_AcknowledgementCallback: TypeAlias = Callable[
    [dict[TopicPartition, set[int]], KafkaException | None], object
]
# Values are not typed further: a dict of texts, numbers and functions is a dict[str, object].
_Config: TypeAlias = Mapping[str, object]

class _ArrowArrayExportable(Protocol):
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

class _BuildInfo(TypedDict):
    version: str
    build: str
    librdkafka: str
    librdkafka_headers: str
    librdkafka_source: Literal["pinned", "system", "prefix"]
    patched: bool
    patches: dict[str, list[str]]
    missing_patches: dict[str, list[str]]
    features: list[str]
    compiler: str
    python: str
    free_threaded: bool

def version() -> str: ...
def libversion() -> tuple[str, int]: ...
def build_info() -> _BuildInfo: ...
def _row_digest(batch: Any, /) -> int: ...
def _decode_rows(payloads: Any, program: _RowProgram, /) -> DecodedRows: ...
def _decode_framed(
    payloads: Any,
    headers: Any,
    name: str,
    programs_for: Callable[
        [set[bytes], set[bytes]],
        tuple[_RowProgram, dict[bytes, _RowProgram | str], dict[bytes, _RowProgram | str]],
    ],
    /,
) -> DecodedRows: ...
def _split_frames(
    payloads: Any, headers: Any, name: str, /
) -> tuple[list[bytes | None], list[bytes | None]]: ...
def _add_header(payloads: Any, headers: Any, name: str, value: Buffer, /) -> EncodedRows: ...
def _arrow_type(schema: Any, /) -> tuple[Any, ...]: ...
def _encode_rows(
    batch: Any, program_for: Callable[[tuple[Any, ...]], _PayloadProgram], prefix: bytes, /
) -> EncodedRows: ...
def _crc32c(data: Buffer, /) -> int: ...
def _read_record(
    data: bytes, position: int, /
) -> tuple[int, int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]: ...
def _snappy_compress(data: Buffer, option: int, /) -> bytes: ...
def _snappy_decompress(data: Buffer, max_size: int, option: int, /) -> bytes: ...
def _lz4_compress(data: Buffer, option: int, /) -> bytes: ...
def _lz4_decompress(data: Buffer, max_size: int, option: int, /) -> bytes: ...
def _zstd_compress(data: Buffer, option: int, /) -> bytes: ...
def _zstd_decompress(data: Buffer, max_size: int, option: int, /) -> bytes: ...
def murmur2(key: Buffer, partition_count: int, /) -> int: ...
def consistent(key: Buffer, partition_count: int, /) -> int: ...
def fnv1a(key: Buffer, partition_count: int, /) -> int: ...

OFFSET_BEGINNING: Final = -2
OFFSET_END: Final = -1
OFFSET_INVALID: Final = -1001
OFFSET_STORED: Final = -1000
TIMESTAMP_NOT_AVAILABLE: Final = 0
TIMESTAMP_CREATE_TIME: Final = 1
TIMESTAMP_LOG_APPEND_TIME: Final = 2
SHARE_ACKNOWLEDGE_TYPE_ACCEPT: Final = 1
SHARE_ACKNOWLEDGE_TYPE_RELEASE: Final = 2
SHARE_ACKNOWLEDGE_TYPE_REJECT: Final = 3

ACL_OPERATION_ALL: Final = 2
ACL_OPERATION_ALTER: Final = 7
ACL_OPERATION_ALTER_CONFIGS: Final = 11
ACL_OPERATION_ANY: Final = 1
ACL_OPERATION_CLUSTER_ACTION: Final = 9
ACL_OPERATION_CREATE: Final = 5
ACL_OPERATION_DELETE: Final = 6
ACL_OPERATION_DESCRIBE: Final = 8
ACL_OPERATION_DESCRIBE_CONFIGS: Final = 10
ACL_OPERATION_IDEMPOTENT_WRITE: Final = 12
ACL_OPERATION_READ: Final = 3
ACL_OPERATION_UNKNOWN: Final = 0
ACL_OPERATION_WRITE: Final = 4
ACL_PERMISSION_TYPE_ALLOW: Final = 3
ACL_PERMISSION_TYPE_ANY: Final = 1
ACL_PERMISSION_TYPE_DENY: Final = 2
ACL_PERMISSION_TYPE_UNKNOWN: Final = 0
ALTER_CONFIG_OP_TYPE_APPEND: Final = 2
ALTER_CONFIG_OP_TYPE_DELETE: Final = 1
ALTER_CONFIG_OP_TYPE_SET: Final = 0
ALTER_CONFIG_OP_TYPE_SUBTRACT: Final = 3
CONFIG_SOURCE_DEFAULT_CONFIG: Final = 5
CONFIG_SOURCE_DYNAMIC_BROKER_CONFIG: Final = 2
CONFIG_SOURCE_DYNAMIC_DEFAULT_BROKER_CONFIG: Final = 3
CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG: Final = 1
CONFIG_SOURCE_GROUP_CONFIG: Final = 8
CONFIG_SOURCE_STATIC_BROKER_CONFIG: Final = 4
CONFIG_SOURCE_UNKNOWN_CONFIG: Final = 0
CONSUMER_GROUP_STATE_COMPLETING_REBALANCE: Final = 2
CONSUMER_GROUP_STATE_DEAD: Final = 4
CONSUMER_GROUP_STATE_EMPTY: Final = 5
CONSUMER_GROUP_STATE_PREPARING_REBALANCE: Final = 1
CONSUMER_GROUP_STATE_STABLE: Final = 3
CONSUMER_GROUP_STATE_UNKNOWN: Final = 0
CONSUMER_GROUP_TYPE_CLASSIC: Final = 2
CONSUMER_GROUP_TYPE_CONSUMER: Final = 1
CONSUMER_GROUP_TYPE_UNKNOWN: Final = 0
ELECTION_TYPE_PREFERRED: Final = 0
ELECTION_TYPE_UNCLEAN: Final = 1
ISOLATION_LEVEL_READ_COMMITTED: Final = 1
ISOLATION_LEVEL_READ_UNCOMMITTED: Final = 0
OFFSET_SPEC_EARLIEST: Final = -2
OFFSET_SPEC_LATEST: Final = -1
OFFSET_SPEC_MAX_TIMESTAMP: Final = -3
RESOURCE_ANY: Final = 1
RESOURCE_BROKER: Final = 4
RESOURCE_GROUP: Final = 3
RESOURCE_PATTERN_ANY: Final = 1
RESOURCE_PATTERN_LITERAL: Final = 3
RESOURCE_PATTERN_MATCH: Final = 2
RESOURCE_PATTERN_PREFIXED: Final = 4
RESOURCE_PATTERN_UNKNOWN: Final = 0
RESOURCE_TOPIC: Final = 2
RESOURCE_TRANSACTIONAL_ID: Final = 5
RESOURCE_UNKNOWN: Final = 0
SCRAM_MECHANISM_SHA_256: Final = 1
SCRAM_MECHANISM_SHA_512: Final = 2
SCRAM_MECHANISM_UNKNOWN: Final = 0

@disjoint_base
class KafkaError(Exception):
    args: tuple[Any, ...]
    _BAD_MSG: Final = -199
    _BAD_COMPRESSION: Final = -198
    _DESTROY: Final = -197
    _FAIL: Final = -196
    _TRANSPORT: Final = -195
    _CRIT_SYS_RESOURCE: Final = -194
    _RESOLVE: Final = -193
    _MSG_TIMED_OUT: Final = -192
    _PARTITION_EOF: Final = -191
    _UNKNOWN_PARTITION: Final = -190
    _FS: Final = -189
    _UNKNOWN_TOPIC: Final = -188
    _ALL_BROKERS_DOWN: Final = -187
    _INVALID_ARG: Final = -186
    _TIMED_OUT: Final = -185
    _QUEUE_FULL: Final = -184
    _ISR_INSUFF: Final = -183
    _NODE_UPDATE: Final = -182
    _SSL: Final = -181
    _WAIT_COORD: Final = -180
    _UNKNOWN_GROUP: Final = -179
    _IN_PROGRESS: Final = -178
    _PREV_IN_PROGRESS: Final = -177
    _EXISTING_SUBSCRIPTION: Final = -176
    _ASSIGN_PARTITIONS: Final = -175
    _REVOKE_PARTITIONS: Final = -174
    _CONFLICT: Final = -173
    _STATE: Final = -172
    _UNKNOWN_PROTOCOL: Final = -171
    _NOT_IMPLEMENTED: Final = -170
    _AUTHENTICATION: Final = -169
    _NO_OFFSET: Final = -168
    _OUTDATED: Final = -167
    _TIMED_OUT_QUEUE: Final = -166
    _UNSUPPORTED_FEATURE: Final = -165
    _WAIT_CACHE: Final = -164
    _INTR: Final = -163
    _KEY_SERIALIZATION: Final = -162
    _VALUE_SERIALIZATION: Final = -161
    _KEY_DESERIALIZATION: Final = -160
    _VALUE_DESERIALIZATION: Final = -159
    _PARTIAL: Final = -158
    _READ_ONLY: Final = -157
    _NOENT: Final = -156
    _UNDERFLOW: Final = -155
    _INVALID_TYPE: Final = -154
    _RETRY: Final = -153
    _PURGE_QUEUE: Final = -152
    _PURGE_INFLIGHT: Final = -151
    _FATAL: Final = -150
    _INCONSISTENT: Final = -149
    _GAPLESS_GUARANTEE: Final = -148
    _MAX_POLL_EXCEEDED: Final = -147
    _UNKNOWN_BROKER: Final = -146
    _NOT_CONFIGURED: Final = -145
    _FENCED: Final = -144
    _APPLICATION: Final = -143
    _ASSIGNMENT_LOST: Final = -142
    _NOOP: Final = -141
    _AUTO_OFFSET_RESET: Final = -140
    _LOG_TRUNCATION: Final = -139
    _INVALID_DIFFERENT_RECORD: Final = -138
    _DESTROY_BROKER: Final = -137
    UNKNOWN: Final = -1
    NO_ERROR: Final = 0
    OFFSET_OUT_OF_RANGE: Final = 1
    INVALID_MSG: Final = 2
    UNKNOWN_TOPIC_OR_PART: Final = 3
    INVALID_MSG_SIZE: Final = 4
    LEADER_NOT_AVAILABLE: Final = 5
    NOT_LEADER_FOR_PARTITION: Final = 6
    REQUEST_TIMED_OUT: Final = 7
    BROKER_NOT_AVAILABLE: Final = 8
    REPLICA_NOT_AVAILABLE: Final = 9
    MSG_SIZE_TOO_LARGE: Final = 10
    STALE_CTRL_EPOCH: Final = 11
    OFFSET_METADATA_TOO_LARGE: Final = 12
    NETWORK_EXCEPTION: Final = 13
    COORDINATOR_LOAD_IN_PROGRESS: Final = 14
    COORDINATOR_NOT_AVAILABLE: Final = 15
    NOT_COORDINATOR: Final = 16
    GROUP_LOAD_IN_PROGRESS: Final = 14
    GROUP_COORDINATOR_NOT_AVAILABLE: Final = 15
    NOT_COORDINATOR_FOR_GROUP: Final = 16
    TOPIC_EXCEPTION: Final = 17
    RECORD_LIST_TOO_LARGE: Final = 18
    NOT_ENOUGH_REPLICAS: Final = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND: Final = 20
    INVALID_REQUIRED_ACKS: Final = 21
    ILLEGAL_GENERATION: Final = 22
    INCONSISTENT_GROUP_PROTOCOL: Final = 23
    INVALID_GROUP_ID: Final = 24
    UNKNOWN_MEMBER_ID: Final = 25
    INVALID_SESSION_TIMEOUT: Final = 26
    REBALANCE_IN_PROGRESS: Final = 27
    INVALID_COMMIT_OFFSET_SIZE: Final = 28
    TOPIC_AUTHORIZATION_FAILED: Final = 29
    GROUP_AUTHORIZATION_FAILED: Final = 30
    CLUSTER_AUTHORIZATION_FAILED: Final = 31
    INVALID_TIMESTAMP: Final = 32
    UNSUPPORTED_SASL_MECHANISM: Final = 33
    ILLEGAL_SASL_STATE: Final = 34
    UNSUPPORTED_VERSION: Final = 35
    TOPIC_ALREADY_EXISTS: Final = 36
    INVALID_PARTITIONS: Final = 37
    INVALID_REPLICATION_FACTOR: Final = 38
    INVALID_REPLICA_ASSIGNMENT: Final = 39
    INVALID_CONFIG: Final = 40
    NOT_CONTROLLER: Final = 41
    INVALID_REQUEST: Final = 42
    UNSUPPORTED_FOR_MESSAGE_FORMAT: Final = 43
    POLICY_VIOLATION: Final = 44
    OUT_OF_ORDER_SEQUENCE_NUMBER: Final = 45
    DUPLICATE_SEQUENCE_NUMBER: Final = 46
    INVALID_PRODUCER_EPOCH: Final = 47
    INVALID_TXN_STATE: Final = 48
    INVALID_PRODUCER_ID_MAPPING: Final = 49
    INVALID_TRANSACTION_TIMEOUT: Final = 50
    CONCURRENT_TRANSACTIONS: Final = 51
    TRANSACTION_COORDINATOR_FENCED: Final = 52
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED: Final = 53
    SECURITY_DISABLED: Final = 54
    OPERATION_NOT_ATTEMPTED: Final = 55
    KAFKA_STORAGE_ERROR: Final = 56
    LOG_DIR_NOT_FOUND: Final = 57
    SASL_AUTHENTICATION_FAILED: Final = 58
    UNKNOWN_PRODUCER_ID: Final = 59
    REASSIGNMENT_IN_PROGRESS: Final = 60
    DELEGATION_TOKEN_AUTH_DISABLED: Final = 61
    DELEGATION_TOKEN_NOT_FOUND: Final = 62
    DELEGATION_TOKEN_OWNER_MISMATCH: Final = 63
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: Final = 64
    DELEGATION_TOKEN_AUTHORIZATION_FAILED: Final = 65
    DELEGATION_TOKEN_EXPIRED: Final = 66
    INVALID_PRINCIPAL_TYPE: Final = 67
    NON_EMPTY_GROUP: Final = 68
    GROUP_ID_NOT_FOUND: Final = 69
    FETCH_SESSION_ID_NOT_FOUND: Final = 70
    INVALID_FETCH_SESSION_EPOCH: Final = 71
    LISTENER_NOT_FOUND: Final = 72
    TOPIC_DELETION_DISABLED: Final = 73
    FENCED_LEADER_EPOCH: Final = 74
    UNKNOWN_LEADER_EPOCH: Final = 75
    UNSUPPORTED_COMPRESSION_TYPE: Final = 76
    STALE_BROKER_EPOCH: Final = 77
    OFFSET_NOT_AVAILABLE: Final = 78
    MEMBER_ID_REQUIRED: Final = 79
    PREFERRED_LEADER_NOT_AVAILABLE: Final = 80
    GROUP_MAX_SIZE_REACHED: Final = 81
    FENCED_INSTANCE_ID: Final = 82
    ELIGIBLE_LEADERS_NOT_AVAILABLE: Final = 83
    ELECTION_NOT_NEEDED: Final = 84
    NO_REASSIGNMENT_IN_PROGRESS: Final = 85
    GROUP_SUBSCRIBED_TO_TOPIC: Final = 86
    INVALID_RECORD: Final = 87
    UNSTABLE_OFFSET_COMMIT: Final = 88
    THROTTLING_QUOTA_EXCEEDED: Final = 89
    PRODUCER_FENCED: Final = 90
    RESOURCE_NOT_FOUND: Final = 91
    DUPLICATE_RESOURCE: Final = 92
    UNACCEPTABLE_CREDENTIAL: Final = 93
    INCONSISTENT_VOTER_SET: Final = 94
    INVALID_UPDATE_VERSION: Final = 95
    FEATURE_UPDATE_FAILED: Final = 96
    PRINCIPAL_DESERIALIZATION_FAILURE: Final = 97
    UNKNOWN_TOPIC_ID: Final = 100
    INCONSISTENT_TOPIC_ID: Final = 103
    FENCED_MEMBER_EPOCH: Final = 110
    UNRELEASED_INSTANCE_ID: Final = 111
    UNSUPPORTED_ASSIGNOR: Final = 112
    STALE_MEMBER_EPOCH: Final = 113
    MISMATCHED_ENDPOINT_TYPE: Final = 114
    UNSUPPORTED_ENDPOINT_TYPE: Final = 115
    UNKNOWN_CONTROLLER_ID: Final = 116
    UNKNOWN_SUBSCRIPTION_ID: Final = 117
    TELEMETRY_TOO_LARGE: Final = 118
    INVALID_REGISTRATION: Final = 119
    TRANSACTION_ABORTABLE: Final = 120
    INVALID_RECORD_STATE: Final = 121
    SHARE_SESSION_NOT_FOUND: Final = 122
    INVALID_SHARE_SESSION_EPOCH: Final = 123
    FENCED_STATE_EPOCH: Final = 124
    INVALID_VOTER_KEY: Final = 125
    DUPLICATE_VOTER: Final = 126
    VOTER_NOT_FOUND: Final = 127
    INVALID_REGULAR_EXPRESSION: Final = 128
    REBOOTSTRAP_REQUIRED: Final = 129
    STREAMS_INVALID_TOPOLOGY: Final = 130
    STREAMS_INVALID_TOPOLOGY_EPOCH: Final = 131
    STREAMS_TOPOLOGY_FENCED: Final = 132
    SHARE_SESSION_LIMIT_REACHED: Final = 133
    def __init__(
        self,
        error: int,
        reason: builtins.str | None = None,
        fatal: bool = False,
        retriable: bool = False,
        txn_requires_abort: bool = False,
    ) -> None: ...
    def code(self) -> int: ...
    def name(self) -> builtins.str: ...
    def str(self) -> builtins.str: ...
    def fatal(self) -> bool: ...
    def retriable(self) -> bool: ...
    def txn_requires_abort(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: KafkaError | int, /) -> bool: ...
    def __le__(self, other: KafkaError | int, /) -> bool: ...
    def __gt__(self, other: KafkaError | int, /) -> bool: ...
    def __ge__(self, other: KafkaError | int, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

class KafkaException(Exception):
    # Not a property: an attribute of a subclass may have this name.
    error: KafkaError | None
    kafka_message: Message | None
    def code(self) -> int | None: ...

class IllegalStateException(RuntimeError): ...
class ConcurrentModificationException(RuntimeError): ...

@disjoint_base
class Uuid:
    def __init__(self, most_significant_bits: int, least_significant_bits: int) -> None: ...
    def get_most_significant_bits(self) -> int: ...
    def get_least_significant_bits(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class TopicPartition:
    partition: int
    offset: int
    def __init__(
        self,
        topic: str,
        partition: int = -1,
        offset: int = -1001,
        metadata: str | None = None,
        leader_epoch: int | None = None,
        error: KafkaError | None = None,
    ) -> None: ...
    @property
    def topic(self) -> str: ...
    @property
    def metadata(self) -> str | None: ...
    @property
    def leader_epoch(self) -> int | None: ...
    @property
    def error(self) -> KafkaError | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: TopicPartition, /) -> bool: ...
    def __le__(self, other: TopicPartition, /) -> bool: ...
    def __gt__(self, other: TopicPartition, /) -> bool: ...
    def __ge__(self, other: TopicPartition, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class Message(Generic[_K, _V]):
    def __init__(
        self,
        topic: str | None = None,
        partition: int | None = None,
        offset: int | None = None,
        key: Any = None,
        value: Any = None,
        headers: _Headers | None = None,
        error: KafkaError | None = None,
        timestamp: tuple[int, int] | None = None,
        latency: float | None = None,
        leader_epoch: int | None = None,
        delivery_count: int | None = None,
    ) -> None: ...
    def topic(self) -> str | None: ...
    def partition(self) -> int | None: ...
    def offset(self) -> int | None: ...
    # deserialized_key() and deserialized_value() return the same objects as key() and value(), but
    # with the types of the deserialized objects.
    def key(self) -> bytes | None: ...
    def value(self) -> bytes | None: ...
    def deserialized_key(self) -> _K | None: ...
    def deserialized_value(self) -> _V | None: ...
    def headers(self) -> list[tuple[str, bytes | None]] | None: ...
    def error(self) -> KafkaError | None: ...
    def timestamp(self) -> tuple[int, int]: ...
    def latency(self) -> float | None: ...
    def leader_epoch(self) -> int | None: ...
    def delivery_count(self) -> int | None: ...
    def set_topic(self, topic: str | None, /) -> None: ...
    def set_key(self, key: Any, /) -> None: ...
    def set_value(self, value: Any, /) -> None: ...
    def set_headers(self, headers: _Headers | None, /) -> None: ...
    def set_error(self, error: KafkaError | None, /) -> None: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __class_getitem__(cls, types: Any, /) -> GenericAlias: ...

@final
class MessageBatch:
    @property
    def eof(self) -> list[TopicPartition]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def to_pandas(self) -> Any: ...

@final
class DecodedRows:
    @property
    def errors(self) -> list[RowError]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def error_column(self) -> DecodedRows: ...
    def _bad_rows(self) -> list[tuple[int, int, str, str]]: ...

@final
class _ColumnBatch:
    def __new__(cls, batch: Any) -> Self: ...
    def __len__(self) -> int: ...
    def column(self, name: str, /) -> _ColumnBatch: ...
    def replaced(self, columns: dict[str, Any], /) -> _ColumnBatch: ...
    @classmethod
    def of(cls, columns: dict[str, Any], /) -> Self: ...
    @classmethod
    def chunks_of(cls, batch: Any, /) -> list[Self]: ...
    @classmethod
    def stream_of(cls, batches: tuple[_ColumnBatch, ...], /) -> object: ...
    def names(self) -> list[str]: ...
    def until(self, name: str, limit: int, /) -> _ColumnBatch: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class EncodedRows:
    @property
    def errors(self) -> list[RowError]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def error_column(self) -> DecodedRows: ...
    def _bad_rows(self) -> list[tuple[int, int, str, str]]: ...

@final
class _AvroWriter:
    def __new__(cls, shapes: tuple[tuple[Any, ...], ...]) -> Self: ...
    def write(self, obj: Any, /) -> bytes | None: ...

@final
class _PayloadProgram:
    def __new__(
        cls, payload_format: str, types: tuple[Any, ...], instructions: tuple[Any, ...]
    ) -> Self: ...

@final
class _RowProgram:
    def __new__(
        cls, row_format: str, columns: tuple[Any, ...], instructions: tuple[Any, ...]
    ) -> Self: ...
    def __arrow_c_schema__(self) -> object: ...

@disjoint_base
class _Client:
    def list_topics(self, topic: str | None = None, timeout: float = -1) -> ClusterMetadata: ...
    def cluster_id(self, timeout: float = -1) -> str | None: ...
    def request(
        self,
        api_key: int,
        version: int,
        body: Buffer = b"",
        *,
        broker: int | None = None,
        controller: bool = False,
        coordinator: tuple[str, str] | None = None,
        timeout: float = -1,
    ) -> bytes: ...
    def api_versions(
        self, broker: int | None = None, timeout: float = -1
    ) -> dict[int, tuple[int, int]]: ...
    def set_sasl_credentials(self, username: str, password: str) -> None: ...
    def wakeup(self) -> None: ...
    def io_event_enable(self, fd: int, /) -> None: ...
    def _check_open(self) -> None: ...
    def _queue_length(self) -> int: ...
    def _join_loop(
        self,
        is_running: Callable[[], bool] | None,
        create_future: Callable[[], Any] | None,
        unclosed: str,
        /,
    ) -> None: ...
    def _begin_turn(self, seconds: float, /) -> None: ...
    def _interrupt_after(self, checks: int, /) -> int: ...
    @property
    def _is_turn(self) -> bool: ...
    @property
    def _closed(self) -> bool: ...
    @property
    def _oauth_timeout(self) -> float: ...
    def connect(self, timeout: float = 30, topic: str | None = None) -> None: ...
    @property
    def last_error(self) -> KafkaError | None: ...
    def stats(self) -> Statistics | None: ...
    def _close_soon(self) -> None: ...
    def _be_called(self, name: str, /) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

@disjoint_base
class NewTopic:
    num_partitions: int
    replication_factor: int
    replica_assignment: list[list[int]] | None
    config: dict[str, Any] | None
    def __init__(
        self,
        topic: str,
        num_partitions: int = -1,
        replication_factor: int = -1,
        replica_assignment: list[list[int]] | None = None,
        config: dict[str, Any] | None = None,
    ) -> None: ...
    @property
    def topic(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: NewTopic, /) -> bool: ...
    def __le__(self, other: NewTopic, /) -> bool: ...
    def __gt__(self, other: NewTopic, /) -> bool: ...
    def __ge__(self, other: NewTopic, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class NewPartitions:
    new_total_count: int
    replica_assignment: list[list[int]] | None
    def __init__(
        self,
        topic: str,
        new_total_count: int,
        replica_assignment: list[list[int]] | None = None,
    ) -> None: ...
    @property
    def topic(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __lt__(self, other: NewPartitions, /) -> bool: ...
    def __le__(self, other: NewPartitions, /) -> bool: ...
    def __gt__(self, other: NewPartitions, /) -> bool: ...
    def __ge__(self, other: NewPartitions, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@disjoint_base
class _AdminClient(_Client):
    def __init__(self, config: _Config = ..., /, **kwargs: Any) -> None: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def _request(
        self,
        request: str,
        argument: object,
        options: dict[str, object],
        on_answer: Callable[[Any, BaseException | None, str | None], object] | None,
        /,
    ) -> None: ...
    def _answer_in_loop(self) -> None: ...
    def _serve_answers(self) -> None: ...
    def list_groups(self, group: str | None = None, timeout: float = -1) -> list[GroupMetadata]: ...
    def poll(self, timeout: float = -1) -> int: ...
    def close(self) -> None: ...

@disjoint_base
class Producer(_Client):
    def __init__(self, config: _Config = ..., /, **kwargs: Any) -> None: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def produce(
        self,
        topic: str,
        value: _Payload = None,
        key: _Payload = None,
        partition: int = -1,
        callback: _DeliveryCallback | None = None,
        on_delivery: _DeliveryCallback | None = None,
        timestamp: int = 0,
        headers: _Headers | None = None,
        *,
        block: float = 0,
    ) -> None: ...
    def produce_batch(
        self,
        topic: str,
        messages: list[Any],
        partition: int = -1,
        callback: _DeliveryCallback | None = None,
        on_delivery: _DeliveryCallback | None = None,
        *,
        block: float = 0,
    ) -> int: ...
    def produce_arrow(
        self,
        batch: _ArrowArrayExportable,
        topic: str | None = None,
        *,
        on_delivery: _DeliveryCallback | None = None,
        block: float = 0,
        partition_count: int | None = None,
        key: ColumnEncoder | None = None,
        value: ColumnEncoder | None = None,
    ) -> int: ...
    def poll(self, timeout: float = -1) -> int: ...
    def flush(self, timeout: float = -1) -> int: ...
    def _expedite(self, timeout: float, /) -> None: ...
    def _send(
        self,
        future: _Settled | None,
        topic: str,
        value: _Payload,
        key: _Payload,
        partition: int,
        timestamp: int,
        headers: _Headers | None,
        /,
    ) -> bool: ...
    def _send_now(
        self,
        topic: str,
        value: _Payload,
        key: _Payload,
        partition: int,
        timestamp: int,
        headers: _Headers | None,
        /,
    ) -> Any: ...
    def _send_batch(
        self,
        future: _Settled | None,
        topic: str,
        messages: list[Any],
        partition: int,
        wrap: Callable[[Any], _Settled] | None,
        first: int,
        seconds: float,
        /,
    ) -> tuple[int, int]: ...
    def _import_rows(
        self, batch: _ArrowArrayExportable, topic: str | None, partition_count: int | None, /
    ) -> object: ...
    def _send_rows(
        self, future: _Settled | None, rows: object, first: int, seconds: float, /
    ) -> tuple[int, int]: ...
    def _settle(self, seconds: float, /) -> int: ...
    def _settle_as(
        self,
        record_type: type[tuple[Any, ...]] | None,
        partition_type: type[tuple[Any, ...]],
        failure: Callable[[KafkaException], BaseException],
        /,
    ) -> None: ...
    def purge(
        self, in_queue: bool = True, in_flight: bool = True, blocking: bool = True
    ) -> None: ...
    def init_transactions(self, timeout: float = -1) -> None: ...
    def begin_transaction(self) -> None: ...
    def commit_transaction(self, timeout: float = -1) -> None: ...
    def abort_transaction(self, timeout: float = -1) -> None: ...
    def send_offsets_to_transaction(
        self,
        positions: Sequence[TopicPartition],
        group_metadata: bytes,
        timeout: float = -1,
    ) -> None: ...
    def close(self, timeout: float = -1) -> bool: ...

@disjoint_base
class _Record:
    topic: Any
    partition: Any
    offset: Any
    timestamp: Any
    timestamp_type: Any
    key: Any
    value: Any
    checksum: Any
    serialized_key_size: Any
    serialized_value_size: Any
    headers: Any

@disjoint_base
class Consumer(_Client):
    def __init__(self, config: _Config = ..., /, **kwargs: Any) -> None: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Message: ...
    def poll(self, timeout: float = -1) -> Message | None: ...
    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]: ...
    @overload
    def consume_arrow(
        self,
        num_messages: int = 1,
        timeout: float = -1,
        *,
        headers: bool = False,
        columns: Sequence[str] | None = None,
        key: None = None,
        value: None = None,
    ) -> MessageBatch: ...
    @overload
    def consume_arrow(
        self,
        num_messages: int = 1,
        timeout: float = -1,
        *,
        headers: bool = False,
        columns: Sequence[str] | None = None,
        key: ColumnDecoder | None = None,
        value: ColumnDecoder,
    ) -> DecodedBatch: ...
    @overload
    def consume_arrow(
        self,
        num_messages: int = 1,
        timeout: float = -1,
        *,
        headers: bool = False,
        columns: Sequence[str] | None = None,
        key: ColumnDecoder,
        value: None = None,
    ) -> DecodedBatch: ...
    def subscribe(
        self,
        topics: Sequence[str],
        on_assign: _RebalanceCallback | None = None,
        on_revoke: _RebalanceCallback | None = None,
        on_lost: _RebalanceCallback | None = None,
    ) -> None: ...
    def unsubscribe(self) -> None: ...
    def assign(self, partitions: Sequence[TopicPartition]) -> None: ...
    def unassign(self) -> None: ...
    def incremental_assign(self, partitions: Sequence[TopicPartition]) -> None: ...
    def incremental_unassign(self, partitions: Sequence[TopicPartition]) -> None: ...
    def subscription(self) -> list[str]: ...
    def assignment(self) -> list[TopicPartition]: ...
    def pause(self, partitions: Sequence[TopicPartition]) -> None: ...
    def resume(self, partitions: Sequence[TopicPartition]) -> None: ...
    def paused(self) -> list[TopicPartition]: ...
    def pause_while(self) -> PauseWhile: ...
    def _poll_now(self, timeout: float, store: int, /) -> Message | None: ...
    def _consume_now(self, num_messages: int, store: int, /) -> list[Message]: ...
    def _take(self, num_messages: int, store: int, /) -> list[Message]: ...
    def _take_one(self, timeout: float, take: int, /) -> Message | None: ...
    def _take_arrow(
        self, num_messages: int, take: int, headers: bool, columns: Sequence[str] | None, /
    ) -> MessageBatch: ...
    def _hand_out(self, take: int, /) -> bool: ...
    def _split_take(self, take: int, partition: TopicPartition, own_take: int, /) -> None: ...
    def _give_back(self, take: int, /) -> None: ...
    def _store(self, offsets: Sequence[TopicPartition], /) -> None: ...
    def _rewind(self, partitions: Sequence[TopicPartition], /) -> None: ...
    def _next_position(self, partitions: Sequence[TopicPartition], /) -> list[TopicPartition]: ...
    def _gather(self, num_messages: int, /) -> int: ...
    def _wait(self, seconds: float, /) -> None: ...
    def _by_partition(
        self,
        num_messages: int,
        partitions: Sequence[TopicPartition] | None,
        store: int,
        record_type: type[_Record | tuple[Any, ...]] | None = None,
        partition_type: Callable[[str, int], Any] | None = None,
        partition_bytes: int | None = None,
    ) -> dict[Any, list[Any]] | Message: ...
    @overload
    def _poll_of(
        self, partitions: Sequence[TopicPartition] | None, store: int, record_type: None = None
    ) -> Message | None: ...
    @overload
    def _poll_of(
        self,
        partitions: Sequence[TopicPartition] | None,
        store: int,
        record_type: type[_Record | tuple[Any, ...]],
    ) -> Any: ...
    def _defer_rebalance(self) -> int: ...
    def _finish_rebalance(self, number: int, /) -> None: ...
    def _pause_begin(self) -> None: ...
    def _pause_serve(self) -> None: ...
    def _pause_end(self) -> None: ...
    def _pause_lost(self) -> list[TopicPartition]: ...
    @overload
    def commit(
        self,
        message: Message[Any, Any] | None = None,
        offsets: Sequence[TopicPartition] | None = None,
        asynchronous: Literal[True] = True,
    ) -> None: ...
    @overload
    def commit(
        self,
        message: Message[Any, Any] | None = None,
        offsets: Sequence[TopicPartition] | None = None,
        *,
        asynchronous: Literal[False],
    ) -> list[TopicPartition]: ...
    @overload
    def commit(
        self,
        message: Message[Any, Any] | None = None,
        offsets: Sequence[TopicPartition] | None = None,
        asynchronous: bool = True,
    ) -> list[TopicPartition] | None: ...
    def _commit(
        self, offsets: Sequence[TopicPartition], timeout: float
    ) -> list[TopicPartition]: ...
    def store_offsets(
        self,
        message: Message[Any, Any] | None = None,
        offsets: Sequence[TopicPartition] | None = None,
    ) -> None: ...
    def committed(
        self, partitions: Sequence[TopicPartition], timeout: float = -1
    ) -> list[TopicPartition]: ...
    def offsets_for_times(
        self, partitions: Sequence[TopicPartition], timeout: float = -1
    ) -> list[TopicPartition]: ...
    def seek(self, partition: TopicPartition) -> None: ...
    def position(self, partitions: Sequence[TopicPartition]) -> list[TopicPartition]: ...
    def get_watermark_offsets(
        self, partition: TopicPartition, timeout: float = -1, cached: bool = False
    ) -> tuple[int, int]: ...
    def lag(self) -> dict[TopicPartition, int | None]: ...
    def memberid(self) -> str | None: ...
    def consumer_group_metadata(self) -> bytes: ...
    def close(self) -> None: ...
    def _close(self, timeout: float, /) -> None: ...

@disjoint_base
class ShareConsumer(_Client):
    def __init__(self, config: _Config = ..., /, **kwargs: Any) -> None: ...
    def subscribe(self, topics: Sequence[str]) -> None: ...
    def unsubscribe(self) -> None: ...
    def subscription(self) -> list[str]: ...
    def poll(self, timeout: float = -1) -> Messages: ...
    def _take(self, timeout: float, /) -> list[Message[Any, Any]]: ...
    def _hand_out(self, outcomes: list[tuple[Any, Any, Any]], /) -> Messages: ...
    def acknowledge(self, message: Message[Any, Any], ack_type: int = 1) -> None: ...
    def acknowledge_offset(
        self, topic: str, partition: int, offset: int, ack_type: int = 1
    ) -> None: ...
    def commit_sync(self, timeout: float = 60) -> dict[TopicPartition, KafkaException | None]: ...
    def commit_async(self) -> None: ...
    def renew(self) -> int: ...
    def acquisition_lock_timeout_ms(self) -> int | None: ...
    def set_acknowledgement_commit_callback(
        self, callback: _AcknowledgementCallback | None
    ) -> None: ...
    def close(self) -> None: ...

@final
class MockRequest(structseq[Any], tuple[str, int, int, float]):
    __match_args__: Final = ("request", "api_key", "broker_id", "timestamp")
    @property
    def request(self) -> str: ...
    @property
    def api_key(self) -> int: ...
    @property
    def broker_id(self) -> int: ...
    @property
    def timestamp(self) -> float: ...

@disjoint_base
class MockCluster:
    def __new__(cls, brokers: int = 3, *, retention_bytes: int | None = None) -> Self: ...
    @property
    def bootstrap_servers(self) -> str: ...
    @property
    def brokers(self) -> int: ...
    def create_topic(
        self, topic: str, partitions: int = 1, replication_factor: int = 1
    ) -> None: ...
    def set_topic_error(self, topic: str, error: int | KafkaError | None) -> None: ...
    def set_leader(self, topic: str, partition: int, broker_id: int | None) -> None: ...
    def set_follower(self, topic: str, partition: int, broker_id: int | None) -> None: ...
    def set_follower_watermarks(
        self, topic: str, partition: int, low: int | None, high: int | None
    ) -> None: ...
    def set_broker_down(self, broker_id: int | None = None) -> None: ...
    def set_broker_up(self, broker_id: int | None = None) -> None: ...
    def set_rack(self, broker_id: int | None, rack: str) -> None: ...
    def set_round_trip_time(self, broker_id: int | None, round_trip_time: float) -> None: ...
    def set_coordinator(
        self, coordinator_type: Literal["group", "transaction"], key: str, broker_id: int
    ) -> None: ...
    def set_transaction_version(self, version: Literal[1, 2]) -> None: ...
    def set_group_initial_rebalance_delay(self, delay: float) -> None: ...
    def set_group_consumer_heartbeat_interval(self, interval: float) -> None: ...
    def set_group_consumer_session_timeout(self, timeout: float) -> None: ...
    def set_share_group_auto_offset_reset(
        self, offset_reset: Literal["earliest", "latest"]
    ) -> None: ...
    def set_share_group_heartbeat_interval(self, interval: float) -> None: ...
    def set_share_group_record_lock_duration(self, duration: float) -> None: ...
    def set_share_group_delivery_count_limit(self, limit: int) -> None: ...
    def inject_errors(
        self,
        request: str,
        errors: Sequence[int | KafkaError],
        *,
        broker_id: int | None = None,
        round_trip_time: float | None = None,
    ) -> None: ...
    def pending_errors(self, request: str, broker_id: int) -> int: ...
    def clear_errors(self, request: str | None = None) -> None: ...
    def set_api_versions(
        self, request: str, min_version: int | None, max_version: int | None
    ) -> None: ...
    def start_request_tracking(self) -> None: ...
    def stop_request_tracking(self) -> None: ...
    def requests(self) -> list[MockRequest]: ...
    def clear_requests(self) -> None: ...
    def _answers(self, api_key: int) -> bool: ...
    def _offers(self) -> Iterator[tuple[int, int, int, int, int, str | None, bytes]]: ...
    def _offer_requests(
        self,
        api_key: int,
        min_version: int | None,
        max_version: int | None,
        flexible_version: int | None,
    ) -> None: ...
    def _answer(self, offer: int, action: int, body: bytes) -> None: ...
    def _snapshot(self) -> bytes: ...
    def _records(self, topic: str, partition: int) -> bytes: ...
    def _write_records(
        self, topic: str, partition: int, data: bytes, low: int, high: int
    ) -> None: ...
    def _add_partitions(self, topic: str, partitions: int) -> None: ...
    def _delete_topic(self, topic: str) -> None: ...
    def _delete_records(self, topic: str, partition: int, offset: int) -> None: ...
    def _delete_group(self, group: str) -> None: ...
    def _delete_offset(self, group: str, topic: str, partition: int) -> None: ...
    def _set_replicas(self, topic: str, partition: int, broker_ids: list[int]) -> None: ...
    def _set_share_offset(self, group: str, topic: str, partition: int, offset: int) -> None: ...
    def _write_marker(
        self,
        topic: str,
        partition: int,
        producer_id: int,
        producer_epoch: int,
        committed: bool,
    ) -> None: ...
    def _set_topic_rules(
        self,
        topic: str,
        max_size: int,
        low: int,
        high: int,
        append_time: bool,
        compacted: bool,
    ) -> None: ...
    def _set_client_quota(
        self, client_id: str | None, produce_rate: int, fetch_rate: int
    ) -> None: ...
    def _set_topic_id(
        self, topic: str, most_significant_bits: int, least_significant_bits: int
    ) -> None: ...
    def _set_leader_epoch(self, topic: str, partition: int, leader_epoch: int) -> None: ...
    def _add_aborted(
        self, topic: str, partition: int, producer_id: int, low: int, high: int
    ) -> None: ...
    def _commit_offset(
        self, group: str, topic: str, partition: int, offset: int, metadata: str | None
    ) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
