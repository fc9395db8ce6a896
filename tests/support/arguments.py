"""Lists every callable of the extension, and the values that each parameter accepts."""

from __future__ import annotations

from typing import Any, NamedTuple

from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.protocol.records import Compression, available
from tests.support.arrow_structs import Nulls
from tests.support.clients import empty_batch, empty_rows, group_metadata, partitions
from tests.support.columns import payload_program, row_program


class Text(str):
    __slots__ = ()


class Unhashable:
    __hash__ = None  # type: ignore[assignment]


VALUES: dict[str, Any] = {
    "None": None,
    "True": True,
    "1": 1,
    "-1": -1,
    "-2**15": -(2**15),
    "2**33": 2**33,
    "-2**33": -(2**33),
    "2**70": 2**70,
    "-2**70": -(2**70),
    "10**400": 10**400,
    "1.5": 1.5,
    "-0.5": -0.5,
    "inf": float("inf"),
    "-inf": float("-inf"),
    "nan": float("nan"),
    "complex": 1j,
    "empty": "",
    "text": "text",
    "subclass": Text("text"),
    "NUL": "a\0b",
    "surrogate": "\ud800",
    "bytes": b"bytes",
    "bytearray": bytearray(b"bytes"),
    "gaps": memoryview(b"bytes")[::2],
    "list": [],
    "of objects": [object()],
    "of None": [None],
    "of surrogates": ["\ud800"],
    "of NUL": ["a\0b"],
    "of int": [2**70],
    "of pairs": [("\ud800", b"")],
    "of long tuples": [(1, 2, 3)],
    "dict": {},
    "dict of int": {1: 2},
    "dict of surrogates": {"\ud800": b""},
    "set": set(),
    "generator": (each for each in ""),
    "callable": lambda *_: None,
    "class": KafkaException,
    "unhashable": Unhashable(),
    "object": object(),
    "error": KafkaError(KafkaError._FAIL),
    "partition": TopicPartition("topic", 0, 0),
    "of partitions": [TopicPartition("topic", 0, 0)],
    "unset partition": TopicPartition.__new__(TopicPartition),
    "of unset partitions": [TopicPartition.__new__(TopicPartition)],
    "message": Message("topic", 0, 0),
}


class Kind(NamedTuple):
    """A kind of parameter: a valid argument, and the names of the VALUES that it accepts."""

    valid: Any
    takes: set[str]

    def __or__(self, more: str) -> Kind:
        """Return the same kind, which also accepts the values that `more` lists."""
        return Kind(self.valid, self.takes | set(more.split(", ")))


_INT32 = "True, 1, -1, -2**15"
_INT64 = f"{_INT32}, 2**33, -2**33"

NAME = Kind("topic", set()) | "text, subclass"
TEXT = NAME | "empty"
BYTES = Kind(b"bytes", set()) | "bytes, bytearray, text, subclass, empty, NUL"
PAYLOAD = BYTES | "None"
ID = Kind(1, set()) | "True, 1"
INT32 = ID | _INT32
INT64 = ID | _INT64
SECONDS = Kind(0, set()) | f"{_INT64}, 2**70, -2**70, 1.5, -0.5, inf, -inf"
DELAY = Kind(1, set()) | "True, 1, 1.5"
BOOL = Kind(False, set()) | "True, 1"
TAKE = ID | "2**33"
CALLBACK = Kind(None, set()) | "None, callable, class"
PARTITIONS = Kind(partitions(), set()) | "list, of partitions, of unset partitions"
SOME_PARTITIONS = PARTITIONS | "None"
RECORD_TYPE = Kind(None, set()) | "None"
HEADERS = Kind(None, set()) | "None, list, dict"
ERROR = Kind(None, set()) | "None, error"
REQUEST = Kind("Produce", set())
ANYTHING = Kind(None, set(VALUES))

_AN_HOUR = Kind(0, SECONDS.takes - {"2**33"})
_PRODUCE = {"callback": CALLBACK, "on_delivery": CALLBACK, "block": SECONDS}
_FIELDS = {
    "topic": NAME,
    "value": PAYLOAD,
    "key": PAYLOAD,
    "partition": INT32,
    "timestamp": Kind(0, set()) | "True, 1, 2**33",
    "headers": HEADERS,
}
_PARTITIONS = {"partitions": PARTITIONS}
_TIMEOUT = {"timeout": SECONDS}
_EXIT = dict.fromkeys(("exc_type", "exc_value", "traceback"), ANYTHING)
_PLACE = {"topic": NAME, "partition": ID}
_KEYS = {"key": Kind(b"bytes", set()) | "bytes, bytearray", "partition_count": ID}

_COMPRESSED = Kind(b"bytes", set()) | "bytes, bytearray"
_OPTION = Kind(0, set())
_MAX_SIZE = ID | "2**33"
PAYLOADS = Kind(Nulls(1), set())
SHAPES = (("null", None, None, 0, 0, (), (), (), False),)
_COLUMN = Kind("offset", set()) | "text, subclass, empty"
_DICTS = "dict, dict of int, dict of surrogates"
# The compressed form of an empty input, for each codec.
_SNAPPY, _LZ4, _ZSTD = (
    bytes.fromhex(each) for each in ("00", "04224d18604082" + 4 * "00", "28b52ffd2000010000")
)

# A build without zstd refuses every value in the same way.
_ZSTD_FRAME = Kind(_ZSTD, set()) if available(Compression.ZSTD) else _COMPRESSED

# Every callable of the extension, by its name, with every parameter of its signature.
MATRIX: dict[str, dict[str, Kind]] = {
    "version": {},
    "libversion": {},
    "build_info": {},
    "_row_digest": {"batch": Kind(empty_batch(), set())},
    "_decode_rows": {
        "payloads": PAYLOADS,
        "program": Kind(row_program(), set()),
    },
    "_decode_framed": {
        "payloads": PAYLOADS,
        "headers": Kind(None, {"None"}),
        "name": _COLUMN,
        "programs_for": Kind(lambda *_: (row_program(), {}, {}), set()),
    },
    "_split_frames": {
        "payloads": PAYLOADS,
        "headers": Kind(None, {"None"}),
        "name": _COLUMN,
    },
    "_add_header": {
        "payloads": PAYLOADS,
        "headers": Kind(None, {"None"}),
        "name": _COLUMN,
        "value": PAYLOAD,
    },
    "_encode_rows": {
        "batch": Kind(empty_batch(), set()),
        "program_for": Kind(payload_program, set()),
        "prefix": PAYLOAD,
    },
    "_AvroWriter": {"shapes": Kind(SHAPES, set())},
    "_AvroWriter.write": {"obj": ANYTHING},
    "_PayloadProgram": {
        "payload_format": Kind("avro", set()),
        "types": Kind(("+s", "", (), None, "", None), set()),
        "instructions": Kind((), set()),
    },
    "EncodedRows.__arrow_c_schema__": {},
    "EncodedRows.__arrow_c_array__": {"requested_schema": ANYTHING},
    "EncodedRows.__arrow_c_stream__": {"requested_schema": ANYTHING},
    "EncodedRows.error_column": {},
    "EncodedRows._bad_rows": {},
    "_arrow_type": {"schema": Kind(row_program(), set())},
    "_RowProgram": {
        "row_format": Kind("avro", set()),
        "columns": Kind(("+s", "", True, (), None, None), set()),
        "instructions": Kind((), set()),
    },
    "_RowProgram.__arrow_c_schema__": {},
    "DecodedRows.__arrow_c_schema__": {},
    "DecodedRows.__arrow_c_array__": {"requested_schema": ANYTHING},
    "DecodedRows.__arrow_c_stream__": {"requested_schema": ANYTHING},
    "DecodedRows.error_column": {},
    "DecodedRows._bad_rows": {},
    "_ColumnBatch": {"batch": PAYLOADS},
    "_ColumnBatch.column": {"name": _COLUMN},
    "_ColumnBatch.until": {"name": _COLUMN, "limit": INT64},
    "_ColumnBatch.replaced": {"columns": Kind({}, set()) | _DICTS},
    "_ColumnBatch.names": {},
    "_ColumnBatch.__arrow_c_schema__": {},
    "_ColumnBatch.__arrow_c_array__": {"requested_schema": ANYTHING},
    "_ColumnBatch.__arrow_c_stream__": {"requested_schema": ANYTHING},
    "_crc32c": {"data": _COMPRESSED},
    "_read_record": {
        "data": Kind(bytes.fromhex("0c000000010100"), set()),
        "position": Kind(0, set()),
    },
    "_snappy_compress": {"data": _COMPRESSED, "option": _OPTION},
    "_snappy_decompress": {"data": Kind(_SNAPPY, set()), "max_size": _MAX_SIZE, "option": _OPTION},
    "_lz4_compress": {"data": _COMPRESSED, "option": _OPTION | "True, 1"},
    "_lz4_decompress": {
        "data": Kind(_LZ4, set()),
        "max_size": _MAX_SIZE,
        "option": _OPTION | "True, 1",
    },
    "_zstd_compress": {"data": _COMPRESSED, "option": _OPTION | _INT32},
    "_zstd_decompress": {"data": _ZSTD_FRAME, "max_size": _MAX_SIZE, "option": _OPTION},
    "murmur2": _KEYS,
    "consistent": _KEYS,
    "fnv1a": _KEYS,
    "KafkaError": {
        "error": INT32,
        "reason": TEXT | "None, NUL, surrogate",
        "fatal": BOOL,
        "retriable": BOOL,
        "txn_requires_abort": BOOL,
    },
    **{f"KafkaError.{name}": {} for name in ("code", "name", "str")},
    **{f"KafkaError.{name}": {} for name in ("fatal", "retriable", "txn_requires_abort")},
    "KafkaException.code": {},
    "Uuid": {"most_significant_bits": INT64, "least_significant_bits": INT64},
    "Uuid.get_most_significant_bits": {},
    "Uuid.get_least_significant_bits": {},
    "TopicPartition": {
        "topic": TEXT,
        "partition": INT32,
        "offset": INT64,
        "metadata": TEXT | "None",
        "leader_epoch": INT32 | "None",
        "error": ERROR,
    },
    "Message": {
        "topic": ANYTHING,
        "partition": INT32 | "None",
        "offset": INT64 | "None",
        "key": ANYTHING,
        "value": ANYTHING,
        "headers": ANYTHING,
        "error": ANYTHING,
        "timestamp": Kind((1, 0), {"None"}),
        "latency": SECONDS | "None",
        "leader_epoch": INT32 | "None",
        "delivery_count": INT32 | "None",
    },
    **{f"Message.{name}": {} for name in ("topic", "partition", "offset", "key", "value")},
    **{f"Message.{name}": {} for name in ("headers", "error", "timestamp", "latency")},
    **{f"Message.{name}": {} for name in ("leader_epoch", "delivery_count")},
    **{f"Message.deserialized_{name}": {} for name in ("key", "value")},
    **{
        f"Message.set_{name}": {name: ANYTHING}
        for name in ("topic", "key", "value", "headers", "error")
    },
    "MessageBatch.__arrow_c_schema__": {},
    "MessageBatch.to_pandas": {},
    "MessageBatch.__arrow_c_array__": {"requested_schema": ANYTHING},
    "MessageBatch.__arrow_c_stream__": {"requested_schema": ANYTHING},
    "_Client._close_soon": {},
    "_Client._be_called": {"name": TEXT},
    "_Client.list_topics": {"topic": TEXT | "None", "timeout": SECONDS},
    "_Client.cluster_id": _TIMEOUT,
    "_Client.request": {
        "api_key": ID,
        "version": ID,
        "body": Kind(b"bytes", set()) | "bytes, bytearray",
        "broker": ID | "None",
        "controller": BOOL,
        "coordinator": Kind(None, {"None"}),
        "timeout": _AN_HOUR,
    },
    "_Client.api_versions": {"broker": ID | "None", "timeout": _AN_HOUR},
    "_Client.set_sasl_credentials": {"username": TEXT, "password": TEXT},
    "_Client.wakeup": {},
    "_Client._interrupt_after": {"checks": Kind(0, ID.takes)},
    "_Client._check_open": {},
    "_Client.connect": {"timeout": SECONDS, "topic": TEXT | "None"},
    "_Client.stats": {},
    "_Client.__enter__": {},
    "_Client.__exit__": _EXIT,
    "Producer.produce": {
        "topic": NAME,
        "value": PAYLOAD,
        "key": PAYLOAD,
        "partition": INT32,
        "timestamp": INT64,
        "headers": HEADERS,
        **_PRODUCE,
    },
    "Producer.produce_batch": {
        "topic": NAME,
        "messages": Kind([], {"list"}),
        "partition": INT32,
        **_PRODUCE,
    },
    "Producer.produce_arrow": {
        "batch": Kind(empty_batch(), set()),
        "topic": NAME | "None",
        "on_delivery": CALLBACK,
        "block": SECONDS,
        "partition_count": Kind(None, set()) | "None, True, 1",
        "key": Kind(None, {"None"}),  # for an encoder of confluent_kafka.columns
        "value": Kind(None, {"None"}),
    },
    **{f"Producer.{name}": _TIMEOUT for name in ("poll", "flush", "close")},
    "Producer.purge": dict.fromkeys(("in_queue", "in_flight", "blocking"), BOOL),
    "Producer.begin_transaction": {},
    **{f"Producer.{name}_transaction": _TIMEOUT for name in ("commit", "abort")},
    "Producer.init_transactions": _TIMEOUT,
    "Producer.send_offsets_to_transaction": {
        "positions": PARTITIONS,
        "group_metadata": Kind(group_metadata(), set()),
        "timeout": SECONDS,
    },
    "Consumer.poll": _TIMEOUT,
    "Consumer.consume": {"num_messages": ID, "timeout": SECONDS},
    "Consumer.consume_arrow": {
        "num_messages": ID,
        "timeout": SECONDS,
        "headers": BOOL,
        "columns": Kind(["value"], {"None"}),
        "key": Kind(None, {"None"}),  # for a decoder of confluent_kafka.columns
        "value": Kind(None, {"None"}),
    },
    "Consumer.subscribe": {
        "topics": Kind(["topic"], set()),
        **dict.fromkeys(("on_assign", "on_revoke", "on_lost"), CALLBACK),
    },
    **{
        f"Consumer.{name}": {}
        for name in ("unsubscribe", "unassign", "subscription", "assignment", "close")
    },
    **{f"Consumer.{name}": {} for name in ("memberid", "consumer_group_metadata", "lag")},
    "Consumer.pause_while": {},
    **{f"Consumer._pause_{name}": {} for name in ("begin", "serve", "end", "lost")},
    "Consumer.paused": {},
    "Consumer._gather": {"num_messages": ID},
    "Consumer._wait": {"seconds": SECONDS},
    "Consumer._close": {"timeout": SECONDS},
    "Consumer._commit": {"offsets": PARTITIONS, "timeout": SECONDS},
    "Consumer._by_partition": {
        "num_messages": ID,
        "partitions": SOME_PARTITIONS,
        "store": TAKE,
        "record_type": RECORD_TYPE,
        "partition_type": CALLBACK,
        "partition_bytes": ID | "None, 2**33",
    },
    "Consumer._poll_of": {
        "partitions": SOME_PARTITIONS,
        "store": TAKE,
        "record_type": RECORD_TYPE,
    },
    "Consumer._take": {"num_messages": ID, "store": TAKE},
    "Consumer._poll_now": {"timeout": ANYTHING, "store": TAKE},  # the awaited poll() checks it
    "Consumer._consume_now": {"num_messages": ID, "store": TAKE},
    "Consumer._take_one": {"timeout": SECONDS, "take": TAKE},
    "Consumer._take_arrow": {
        "num_messages": ID,
        "take": TAKE,
        "headers": BOOL,
        "columns": Kind(["value"], {"None"}),
    },
    "Consumer._hand_out": {"take": TAKE},
    "Consumer._give_back": {"take": TAKE},
    "Consumer._split_take": {
        "take": TAKE,
        "partition": Kind(TopicPartition("topic", 0, 0), {"partition", "unset partition"}),
        "own_take": TAKE,
    },
    "Consumer._store": {"offsets": PARTITIONS},
    "Consumer._rewind": _PARTITIONS,
    "Consumer._next_position": _PARTITIONS,
    "Consumer._defer_rebalance": {},
    "Consumer._finish_rebalance": {"number": ID},
    "Producer._expedite": {"timeout": SECONDS},
    "Producer._send": {"future": Kind(None, {"None"}), **_FIELDS},
    "Producer._send_now": dict.fromkeys(_FIELDS, ANYTHING),  # only asyncio clients read them
    "Producer._send_batch": {
        "future": Kind(None, {"None"}),
        "topic": NAME,
        "messages": Kind([], {"list"}),
        "partition": INT32,
        "wrap": CALLBACK,
        "first": Kind(0, set()) | "True, 1, 2**33",
        "seconds": SECONDS,
    },
    "Producer._import_rows": {
        "batch": Kind(empty_batch(), set()),
        "topic": Kind("topic", set(VALUES)),
        "partition_count": Kind(None, set()) | "None, True, 1",
    },
    "Producer._send_rows": {
        "future": Kind(None, {"None"}),
        "rows": Kind(empty_rows(), set()),
        "first": Kind(0, set()) | "True, 1, 2**33",
        "seconds": SECONDS,
    },
    "Producer._settle": {"seconds": SECONDS},
    "Producer._settle_as": {
        "record_type": RECORD_TYPE,
        "partition_type": Kind(tuple, set()),
        "failure": Kind(repr, set()) | "callable, class",
    },
    "_Client.io_event_enable": {"fd": Kind(-1, {"-1"})},
    "_Client._queue_length": {},
    "_Client._join_loop": {
        "is_running": CALLBACK,
        "create_future": CALLBACK,
        "unclosed": TEXT,
    },
    "_Client._begin_turn": {"seconds": SECONDS},
    **{f"Consumer.{name}": _PARTITIONS for name in ("assign", "pause", "resume", "position")},
    **{f"Consumer.incremental_{name}": _PARTITIONS for name in ("assign", "unassign")},
    **{
        f"Consumer.{name}": {"partitions": PARTITIONS, "timeout": SECONDS}
        for name in ("committed", "offsets_for_times")
    },
    "Consumer.commit": {
        "message": Kind(None, {"None", "message"}),
        "offsets": PARTITIONS | "None",
        "asynchronous": BOOL,
    },
    "Consumer.store_offsets": {
        "message": Kind(None, {"None", "message"}),
        "offsets": PARTITIONS | "None",
    },
    "Consumer.seek": {"partition": Kind(TopicPartition("topic", 0, 0), {"partition"})},
    "Consumer.get_watermark_offsets": {
        "partition": Kind(TopicPartition("topic", 0), {"partition"}),
        "timeout": SECONDS,
        "cached": BOOL,
    },
    "ShareConsumer.subscribe": {"topics": Kind(["topic"], {"list"})},
    **{f"ShareConsumer.{name}": {} for name in ("unsubscribe", "subscription", "close")},
    "ShareConsumer.poll": _TIMEOUT,
    "ShareConsumer._take": {"timeout": SECONDS},
    "ShareConsumer._hand_out": {"outcomes": Kind([], {"list"})},
    "ShareConsumer.acknowledge": {
        "message": Kind(Message("topic", 0, 0), {"message"}),
        "ack_type": ID,
    },
    "ShareConsumer.acknowledge_offset": {
        "topic": TEXT,
        "partition": Kind(0, set()) | "True, 1",
        "offset": Kind(0, set()) | "True, 1, 2**33",
        "ack_type": ID,
    },
    "ShareConsumer.commit_sync": _TIMEOUT,
    "ShareConsumer.commit_async": {},
    "ShareConsumer.renew": {},
    "ShareConsumer.acquisition_lock_timeout_ms": {},
    "ShareConsumer.set_acknowledgement_commit_callback": {"callback": CALLBACK},
    "NewTopic": {
        "topic": TEXT,
        "num_partitions": INT32,
        "replication_factor": INT32,
        "replica_assignment": ANYTHING,  # create_topics() checks this and config
        "config": ANYTHING,
    },
    "NewPartitions": {
        "topic": TEXT,
        "new_total_count": INT32,
        "replica_assignment": ANYTHING,
    },
    "_AdminClient._request": {
        "request": Kind("describe_cluster", set()),
        "argument": Kind(None, {"None"}),
        "options": Kind({}, {"dict"}),
        "on_answer": Kind(lambda *_: None, {"None", "callable", "class"}),
    },
    "_AdminClient.list_groups": {"group": TEXT | "None", "timeout": SECONDS},
    "_AdminClient._answer_in_loop": {},
    "_AdminClient._serve_answers": {},
    "_AdminClient.poll": _TIMEOUT,
    "_AdminClient.close": {},
    "MockCluster": {"brokers": ID, "retention_bytes": ID | "None"},
    "MockCluster.create_topic": {"topic": NAME, "partitions": ID, "replication_factor": ID},
    "MockCluster.set_topic_error": {"topic": NAME, "error": ERROR | _INT32},
    "MockCluster.set_leader": {**_PLACE, "broker_id": ID | "None"},
    "MockCluster.set_follower": {**_PLACE, "broker_id": ID | "None"},
    "MockCluster.set_follower_watermarks": {
        **_PLACE,
        "low": ID | "None, 2**33",
        "high": ID | "None, 2**33",
    },
    "MockCluster.set_broker_down": {"broker_id": ID | "None"},
    "MockCluster.set_broker_up": {"broker_id": ID | "None"},
    "MockCluster.set_rack": {"broker_id": ID | "None", "rack": TEXT},
    "MockCluster.set_round_trip_time": {"broker_id": ID | "None", "round_trip_time": DELAY},
    "MockCluster.set_coordinator": {
        "coordinator_type": Kind("group", set()),
        "key": TEXT,
        "broker_id": ID,
    },
    "MockCluster.set_transaction_version": {"version": ID},
    "MockCluster.set_group_initial_rebalance_delay": {"delay": DELAY},
    "MockCluster.set_group_consumer_heartbeat_interval": {"interval": DELAY},
    "MockCluster.set_group_consumer_session_timeout": {"timeout": DELAY},
    "MockCluster.set_share_group_auto_offset_reset": {"offset_reset": Kind("earliest", set())},
    "MockCluster.set_share_group_heartbeat_interval": {"interval": DELAY},
    "MockCluster.set_share_group_record_lock_duration": {"duration": DELAY},
    "MockCluster.set_share_group_delivery_count_limit": {"limit": ID},
    "MockCluster.inject_errors": {
        "request": REQUEST,
        "errors": Kind([KafkaError.NOT_COORDINATOR], {"list"}),
        "broker_id": ID | "None",
        "round_trip_time": Kind(None, {"None"}),  # needs broker_id
    },
    "MockCluster.pending_errors": {"request": REQUEST, "broker_id": ID},
    "MockCluster.clear_errors": {"request": REQUEST | "None"},
    "MockCluster.set_api_versions": {
        "request": REQUEST,
        "min_version": Kind(0, set()) | "True, 1",
        "max_version": Kind(3, set()) | "True, 1",
    },
    "MockCluster._answers": {"api_key": INT32},
    "MockCluster._offers": {},
    "MockCluster._offer_requests": {
        "api_key": ID,
        "min_version": ID | "None",
        "max_version": ID | "None",
        "flexible_version": INT32 | "None",
    },
    "MockCluster._answer": {
        "offer": Kind(0, set()) | "True, 1, 2**33",
        "action": ID,
        "body": PAYLOAD,
    },
    "MockCluster._snapshot": {},
    "MockCluster._records": {"topic": TEXT, "partition": ID},
    "MockCluster._write_records": {
        "topic": TEXT,
        "partition": ID,
        "data": PAYLOAD,
        "low": Kind(0, set()) | "True, 1, 2**33",
        "high": Kind(0, set()) | "True, 1, 2**33",
    },
    "MockCluster._add_partitions": {"topic": TEXT, "partitions": ID},
    "MockCluster._delete_topic": {"topic": TEXT},
    "MockCluster._delete_records": {
        "topic": TEXT,
        "partition": ID,
        "offset": Kind(0, set()) | "True, 1, 2**33",
    },
    "MockCluster._delete_group": {"group": TEXT},
    "MockCluster._delete_offset": {"group": TEXT, "topic": TEXT, "partition": ID},
    "MockCluster._set_replicas": {
        "topic": TEXT,
        "partition": ID,
        "broker_ids": Kind([1], {"list"}),
    },
    "MockCluster._set_share_offset": {
        "group": TEXT,
        "topic": TEXT,
        "partition": ID,
        "offset": Kind(0, set()) | "True, 1, -1, 2**33",
    },
    "MockCluster._write_marker": {
        "topic": TEXT,
        "partition": ID,
        "producer_id": Kind(0, set()) | "True, 1, 2**33",
        "producer_epoch": ID,
        "committed": BOOL,
    },
    "MockCluster._set_topic_rules": {
        "topic": TEXT,
        "max_size": ID,
        "low": Kind(0, set()) | "True, 1, 2**33",
        "high": Kind(0, set()) | "True, 1, 2**33",
        "append_time": BOOL,
        "compacted": BOOL,
    },
    "MockCluster._set_client_quota": {
        "client_id": TEXT | "None",
        "produce_rate": Kind(0, set()) | "True, 1, 2**33",
        "fetch_rate": Kind(0, set()) | "True, 1, 2**33",
    },
    "MockCluster._set_cluster_id": {"value": TEXT},
    "MockCluster._set_topic_id": {
        "topic": TEXT,
        "most_significant_bits": Kind(0, set()) | "True, 1, -1, 2**33, -2**33, -2**15",
        "least_significant_bits": Kind(0, set()) | "True, 1, -1, 2**33, -2**33, -2**15",
    },
    "MockCluster._set_leader_epoch": {"topic": TEXT, "partition": ID, "leader_epoch": ID},
    "MockCluster._add_aborted": {
        "topic": TEXT,
        "partition": ID,
        "producer_id": Kind(0, set()) | "True, 1, 2**33",
        "low": Kind(0, set()) | "True, 1, 2**33",
        "high": Kind(0, set()) | "True, 1, 2**33",
    },
    "MockCluster._commit_offset": {
        "group": TEXT,
        "topic": TEXT,
        "partition": ID,
        "offset": Kind(0, set()) | "True, 1, 2**33",
        "metadata": TEXT | "None",
    },
    **{f"MockCluster.{name}_request_tracking": {} for name in ("start", "stop")},
    **{f"MockCluster.{name}": {} for name in ("requests", "clear_requests", "close")},
    "MockCluster.__enter__": {},
    "MockCluster.__exit__": _EXIT,
}
