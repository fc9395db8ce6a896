"""The rows of the tables: the program of each side, and the bars (the goals to reach)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

# The topics that consumers read. A mock broker keeps at most 5 MiB of a partition, so many messages
# need many partitions. RUN_LENGTH consecutive messages are from one partition.
PARTITIONS = 40
RUN_LENGTH = 5_000
MAX_MESSAGES = PARTITIONS * 5 * RUN_LENGTH

PRODUCED = "produced"  # the producers fill this topic; no program reads it
VALUES = "values"  # messages with only a value of 100 bytes
RECORDS = "records"  # messages that also have a key of 16 bytes and one header
SHARED = "shared"  # has a partition for each consumer of a busy event loop
CONSUMERS = 200
TOPICS = {PRODUCED: 4, VALUES: PARTITIONS, RECORDS: PARTITIONS, SHARED: CONSUMERS}

AIOKAFKA = "aiokafka"
KAFKA_PYTHON = "kafka-python 3"


class Side(StrEnum):
    """The client that runs a program."""

    OURS = "ours"
    PEER = "confluent-kafka"
    NATIVE = "native C"


@dataclass(frozen=True)
class Bar:
    """Our rate must be at least ``ratio`` times the rate of ``side``."""

    ratio: float
    side: Side


class Group(StrEnum):
    """The tables of the report, by their titles."""

    PRODUCING = "Producing"
    CONSUMING = "Consuming"
    ASYNCIO = "asyncio"
    AIOKAFKA = "Programs written for aiokafka"
    KAFKA_PYTHON = "Programs written for kafka-python"
    COLUMNS = "Payloads and Arrow columns"
    OBJECTS = "Objects and a schema registry in memory"


@dataclass(frozen=True)
class Row:
    """One line of a table: a program (name and options) for each side that has it.

    Attributes:
        name: the row's name in ``--only`` and in the history file; it must not change.
        what: the measured task, in plain words.
        ours: the calls that this package ran.
        theirs: the calls that the peer ran.
        peer: the package that runs as ``Side.PEER``.
    """

    name: str
    group: Group
    what: str
    ours: str
    theirs: str
    programs: Mapping[Side, tuple[str, ...]]
    bar: Bar | None = None
    clock: str = "call_seconds"
    peer: str = str(Side.PEER)


def _produce(call: str) -> tuple[str, ...]:
    return ("produce", "--topic", PRODUCED, "--call", call)


def _consume(call: str, topic: str = VALUES, fetch: str = "before") -> tuple[str, ...]:
    return (
        *("consume", "--topic", topic, "--partitions", str(PARTITIONS)),
        *("--call", call, "--fetch", fetch),
    )


def _aio(call: str, topic: str = VALUES, fetch: str = "before") -> tuple[str, ...]:
    return (
        *("aio", "--topic", topic, "--partitions", str(TOPICS[topic])),
        *("--call", call, "--fetch", fetch),
    )


def _aiokafka_consumer(client: str, call: str) -> tuple[str, ...]:
    return (
        *("aiokafka_consumer", "--client", client, "--call", call),
        *("--topic", VALUES, "--partitions", str(PARTITIONS)),
    )


def _aiokafka_producer(client: str, call: str) -> tuple[str, ...]:
    return ("aiokafka_producer", "--client", client, "--topic", PRODUCED, "--call", call)


def _kafka_python(
    call: str, topic: str, *, ours: tuple[str, str] | None = None
) -> dict[Side, tuple[str, ...]]:
    """Return the programs of a call. `ours` is needed if our module or call has another name."""

    def program(client: str, call: str) -> tuple[str, ...]:
        return (
            *("kafka_python", "--client", client, "--call", call),
            *("--topic", topic, "--partitions", str(TOPICS[topic])),
        )

    module, own_call = ours or ("kafka", call)
    return _sides(program(f"confluent_kafka.compat.{module}", own_call), program("kafka", call))


def _face(program: Callable[[str, str], tuple[str, ...]], call: str) -> dict[Side, tuple[str, ...]]:
    return _sides(program("confluent_kafka.compat.aiokafka", call), program("aiokafka", call))


def _assignment(call: str) -> dict[Side, tuple[str, ...]]:
    return _sides(("assignment", "--call", call), ("assignment", "--call", call))


def _columns(ours: str, peer: str, batch: int = 10_000) -> dict[Side, tuple[str, ...]]:
    size = ("--batch", str(batch))
    return _sides(("columns", "--work", ours, *size), ("columns", "--work", peer, *size))


def _serde(kind: str) -> tuple[str, ...]:
    return ("serde", "--format", kind)


def _sides(
    ours: tuple[str, ...], peer: tuple[str, ...], native: tuple[str, ...] | None = None
) -> dict[Side, tuple[str, ...]]:
    sides = {Side.OURS: ours, Side.PEER: peer}
    return sides if native is None else sides | {Side.NATIVE: native}


ROWS = (
    # --- producing ---
    Row(
        "produce",
        Group.PRODUCING,
        "Enqueue messages one by one",
        "`produce()`",
        "`produce()`",
        _sides(_produce("produce"), _produce("produce"), _produce("native")),
        Bar(1.7, Side.PEER),
    ),
    Row(
        "produce-callback",
        Group.PRODUCING,
        "Enqueue messages one by one, each with a delivery callback",
        "`produce(on_delivery=)`",
        "`produce(on_delivery=)`",
        _sides(_produce("callback"), _produce("callback"), _produce("native")),
        Bar(2.5, Side.PEER),
    ),
    Row(
        "produce-callback-delivered",
        Group.PRODUCING,
        "Enqueue messages with a delivery callback, until every callback has run",
        "`produce(on_delivery=)`, `flush()`",
        "`produce(on_delivery=)`, `flush()`",
        _sides(_produce("callback"), _produce("callback"), _produce("native")),
        clock="total_seconds",
    ),
    Row(
        "produce-batch-values",
        Group.PRODUCING,
        "Enqueue 1,000 messages a call, from the simplest list that the client takes",
        "`produce_batch()` with a list of values",
        "`produce_batch()` with a list of dicts",
        _sides(_produce("values"), _produce("dicts"), _produce("native")),
        Bar(0.8, Side.NATIVE),
    ),
    Row(
        "produce-batch-dicts",
        Group.PRODUCING,
        "Enqueue 1,000 messages a call, from a list of dicts",
        "`produce_batch()`",
        "`produce_batch()`",
        _sides(_produce("dicts"), _produce("dicts"), _produce("native")),
    ),
    # --- consuming ---
    Row(
        "poll",
        Group.CONSUMING,
        "Take messages one by one, without reading them",
        "`poll()`",
        "`poll()`",
        _sides(_consume("poll"), _consume("poll"), _consume("poll")),
        Bar(1.8, Side.PEER),
    ),
    Row(
        "poll-value",
        Group.CONSUMING,
        "Take messages one by one and read the value",
        "`poll()`, `value()`",
        "`poll()`, `value()`",
        _sides(_consume("poll-value"), _consume("poll-value"), _consume("poll")),
        Bar(1.8, Side.PEER),
    ),
    Row(
        "consume-value",
        Group.CONSUMING,
        "Take 1,000 messages a call and read the values",
        "`consume(1000)`, `value()`",
        "`consume(1000)`, `value()`",
        _sides(_consume("consume-value"), _consume("consume-value"), _consume("batch")),
        Bar(2.5, Side.PEER),
    ),
    Row(
        "consume-value-fetching",
        Group.CONSUMING,
        "Take 1,000 messages a call and read the values, while the client fetches",
        "`consume(1000)`, `value()`",
        "`consume(1000)`, `value()`",
        _sides(
            _consume("consume-value", fetch="meanwhile"),
            _consume("consume-value", fetch="meanwhile"),
            _consume("batch", fetch="meanwhile"),
        ),
    ),
    Row(
        "consume-all",
        Group.CONSUMING,
        "Take 1,000 messages a call and read every field, headers included",
        "`consume(1000)`, every accessor",
        "`consume(1000)`, every accessor",
        _sides(_consume("consume-all", RECORDS), _consume("consume-all", RECORDS)),
    ),
    Row(
        "arrow-columns",
        Group.CONSUMING,
        "Read every field but the headers, of messages with a key and a header",
        "`consume_arrow(1000)`, without the column of headers",
        "`consume(1000)`, every accessor but `headers()`",
        _sides(_consume("arrow-columns", RECORDS), _consume("consume-columns", RECORDS)),
        Bar(4.0, Side.PEER),
    ),
    Row(
        "arrow-values",
        Group.CONSUMING,
        "Read every field, of messages that have only a value",
        "`consume_arrow(1000)`",
        "`consume(1000)`, every accessor",
        _sides(_consume("arrow-all", VALUES), _consume("consume-all", VALUES)),
        Bar(4.0, Side.PEER),
    ),
    Row(
        "arrow-headers",
        Group.CONSUMING,
        "Read every field, of messages with a key and a header",
        "`consume_arrow(1000)`",
        "`consume(1000)`, every accessor",
        _sides(_consume("arrow-all", RECORDS), _consume("consume-all", RECORDS)),
    ),
    Row(
        "pause",
        Group.CONSUMING,
        "Pause and resume 10,000 partitions in one call each (the unit is partitions)",
        "`pause()`, `resume()`",
        "`pause()`, `resume()`",
        _assignment("pause"),
    ),
    Row(
        "commit",
        Group.CONSUMING,
        "Commit and request the offsets of 10,000 partitions (the unit is partitions)",
        "`commit()`, `committed()`",
        "`commit()`, `committed()`",
        _assignment("commit"),
    ),
    # --- asyncio ---
    Row(
        "aio-produce",
        Group.ASYNCIO,
        "Send 1,000 messages, flush, then gather the deliveries",
        "`AIOProducer.produce()`, `flush()`",
        "`AIOProducer.produce()`, `flush()`",
        _sides(_aio("produce", PRODUCED), _aio("produce", PRODUCED)),
    ),
    Row(
        "aio-send-aiokafka",
        Group.ASYNCIO,
        "Send 1,000 messages, then await each delivery",
        "`AIOProducer.produce()`",
        "`send()`",
        _sides(_aio("send", PRODUCED), _aiokafka_producer("aiokafka", "send")),
        Bar(4.0, Side.PEER),
        peer=AIOKAFKA,
    ),
    Row(
        "aio-gather-aiokafka",
        Group.ASYNCIO,
        "Send 1,000 messages, then gather the deliveries",
        "`AIOProducer.produce()`",
        "`send()`",
        _sides(_aio("gather", PRODUCED), _aiokafka_producer("aiokafka", "gather")),
        peer=AIOKAFKA,
    ),
    Row(
        "aio-many-aiokafka",
        Group.ASYNCIO,
        "Send 1,000 messages in the fewest calls, then await the deliveries",
        "`AIOProducer.produce_many(1000)`",
        "`send()`",
        _sides(_aio("send-many", PRODUCED), _aiokafka_producer("aiokafka", "send")),
        peer=AIOKAFKA,
    ),
    Row(
        "aio-poll",
        Group.ASYNCIO,
        "Await messages one by one and read the value",
        "`AIOConsumer.poll()`",
        "`AIOConsumer.poll()`, which asks a thread each time",
        _sides(_aio("poll"), _aio("poll")),
        Bar(5.0, Side.PEER),
    ),
    Row(
        "aio-poll-aiokafka",
        Group.ASYNCIO,
        "Await messages one by one and read the value, while the client fetches",
        "`AIOConsumer.poll()`",
        "`getone()`",
        _sides(_aio("poll", fetch="meanwhile"), _aiokafka_consumer("aiokafka", "getone")),
        Bar(5.0, Side.PEER),
        peer=AIOKAFKA,
    ),
    Row(
        "aio-consume",
        Group.ASYNCIO,
        "Await 500 messages a call and read the values",
        "`AIOConsumer.consume(500)`",
        "`AIOConsumer.consume(500)`",
        _sides(_aio("consume"), _aio("consume")),
        Bar(6.0, Side.PEER),
    ),
    Row(
        "aio-consume-fetching",
        Group.ASYNCIO,
        "Await 500 messages a call and read the values, while the client fetches",
        "`AIOConsumer.consume(500)`",
        "`AIOConsumer.consume(500)`",
        _sides(_aio("consume", fetch="meanwhile"), _aio("consume", fetch="meanwhile")),
        Bar(6.0, Side.PEER),
    ),
    Row(
        "aio-consume-aiokafka",
        Group.ASYNCIO,
        "Await messages in batches and read the values, while the client fetches",
        "`AIOConsumer.consume(500)`",
        "`getmany()`",
        _sides(_aio("consume", fetch="meanwhile"), _aiokafka_consumer("aiokafka", "getmany")),
        Bar(6.0, Side.PEER),
        peer=AIOKAFKA,
    ),
    # --- programs for aiokafka ---
    Row(
        "aiokafka-send",
        Group.AIOKAFKA,
        "Send 1,000 messages, then await each delivery",
        "`send()`",
        "`send()`",
        _face(_aiokafka_producer, "send"),
        Bar(3.0, Side.PEER),
        peer=AIOKAFKA,
    ),
    Row(
        "aiokafka-gather",
        Group.AIOKAFKA,
        "Send 1,000 messages, then gather the deliveries",
        "`send()`",
        "`send()`",
        _face(_aiokafka_producer, "gather"),
        peer=AIOKAFKA,
    ),
    Row(
        "aiokafka-getone",
        Group.AIOKAFKA,
        "Await messages one by one and read the value, while the client fetches",
        "`getone()`",
        "`getone()`",
        _face(_aiokafka_consumer, "getone"),
        Bar(3.0, Side.PEER),
        peer=AIOKAFKA,
    ),
    Row(
        "aiokafka-getmany",
        Group.AIOKAFKA,
        "Await messages in batches and read the values, while the client fetches",
        "`getmany()`",
        "`getmany()`",
        _face(_aiokafka_consumer, "getmany"),
        Bar(2.0, Side.PEER),
        peer=AIOKAFKA,
    ),
    # --- programs for kafka-python ---
    Row(
        "kafka-python-send",
        Group.KAFKA_PYTHON,
        "Send messages, then flush",
        "`send()`, `flush()`",
        "`send()`, `flush()`",
        _kafka_python("send", PRODUCED),
        Bar(8.0, Side.PEER),
        peer=KAFKA_PYTHON,
    ),
    Row(
        "kafka-python-iterate",
        Group.KAFKA_PYTHON,
        "Iterate over the consumer and read the value, while the client fetches",
        "`for record in consumer`",
        "`for record in consumer`",
        _kafka_python("iterate", VALUES),
        Bar(8.0, Side.PEER),
        peer=KAFKA_PYTHON,
    ),
    Row(
        "kafka-python-poll",
        Group.KAFKA_PYTHON,
        "Take at most 500 messages a call and read the values, while the client fetches",
        "`poll(max_records=500)`",
        "`poll(max_records=500)`",
        _kafka_python("poll", VALUES),
        Bar(15.0, Side.PEER),
        peer=KAFKA_PYTHON,
    ),
    Row(
        "kafka-python-topics",
        Group.KAFKA_PYTHON,
        "Request all topics, and the partitions of one topic (the unit is pairs of calls)",
        "`topics()`, `partitions_for_topic()`",
        "`topics()`, `partitions_for_topic()`",
        _kafka_python("ask", VALUES),
        Bar(1.0, Side.PEER),
        peer=KAFKA_PYTHON,
    ),
    Row(
        "kafka-python-0.9-send",
        Group.KAFKA_PYTHON,
        "Send messages with the API of kafka-python 0.9, 200 a call",
        "`send_messages()` of version 0.9",
        "`send()`, `flush()` of version 3",
        _kafka_python("send", PRODUCED, ours=("kafka_0_9", "send-messages")),
        Bar(5.0, Side.PEER),
        peer=KAFKA_PYTHON,
    ),
    # --- columns ---
    Row(
        "avro-decode-fastavro",
        Group.COLUMNS,
        "Decode Avro into Arrow columns",
        "`AvroDecoder`",
        "rows, then columns",
        _columns("avro-columns", "avro-fastavro"),
        Bar(40.0, Side.PEER),
        peer="fastavro and pyarrow",
    ),
    *(
        Row(
            f"{name}-{batch}",
            Group.COLUMNS,
            f"{what}, {batch:,} rows a call",
            f"`{ours}`",
            f"`{theirs}()`",
            _columns(program, peer, batch),
            Bar(least, Side.PEER),
            peer="pyruhvro",
        )
        for name, what, ours, theirs, program, peer, least in (
            (
                *("avro-decode", "Decode Avro into Arrow columns"),
                *("AvroDecoder", "deserialize_array"),
                *("avro-columns", "avro-pyruhvro", 1.8),
            ),
            (
                *("nested-avro-decode", "Decode nested Avro into Arrow columns"),
                *("AvroDecoder", "deserialize_array"),
                *("orders-columns", "orders-pyruhvro", 1.8),
            ),
            (
                *("avro-encode", "Encode Arrow columns as Avro"),
                *("AvroEncoder", "serialize_record_batch"),
                *("avro-typed-encoder", "avro-pyruhvro-writer", 1.3),
            ),
            (
                *("nested-avro-encode", "Encode nested Arrow columns as Avro"),
                *("AvroEncoder", "serialize_record_batch"),
                *("orders-encoder", "orders-pyruhvro-writer", 1.3),
            ),
        )
        for batch in (1_000, 10_000, 100_000, 1_000_000)
    ),
    Row(
        "avro-encode-fastavro",
        Group.COLUMNS,
        "Encode Arrow columns as Avro",
        "`AvroEncoder`",
        "row by row",
        _columns("avro-encoder", "avro-fastavro-writer"),
        Bar(20.0, Side.PEER),
        peer="fastavro",
    ),
    Row(
        "json-decode-orjson",
        Group.COLUMNS,
        "Decode JSON into Arrow columns",
        "`JSONDecoder`",
        "rows, then columns",
        _columns("json-columns", "json-orjson"),
        Bar(5.0, Side.PEER),
        peer="orjson and pyarrow",
    ),
    Row(
        "json-decode-pyarrow",
        Group.COLUMNS,
        "Decode JSON into Arrow columns",
        "`JSONDecoder`",
        "`pyarrow.json`, on all texts as lines of one file",
        _columns("json-columns", "json-pyarrow"),
        Bar(1.0, Side.PEER),
        peer="pyarrow",
    ),
    Row(
        "protobuf-decode",
        Group.COLUMNS,
        "Decode Protobuf into Arrow columns",
        "`ProtobufDecoder`",
        "messages, then columns",
        _columns("protobuf-columns", "protobuf-rows"),
        Bar(20.0, Side.PEER),
        peer="protobuf and pyarrow",
    ),
    Row(
        "json-encode",
        Group.COLUMNS,
        "Encode Arrow columns as JSON",
        "`JSONEncoder`",
        "row by row",
        _columns("json-encoder", "json-orjson-writer"),
        Bar(5.0, Side.PEER),
        peer="orjson",
    ),
    Row(
        "protobuf-encode",
        Group.COLUMNS,
        "Encode Arrow columns as Protobuf",
        "`ProtobufEncoder`",
        "row by row",
        _columns("protobuf-encoder", "protobuf-writer"),
        Bar(8.0, Side.PEER),
        peer="protobuf",
    ),
    # --- objects ---
    Row(
        "avro-objects",
        Group.OBJECTS,
        "Serialize an object as Avro and deserialize it",
        "`AvroSerializer`, `AvroDeserializer`",
        "the same classes",
        _sides(_serde("avro"), _serde("avro")),
        Bar(1.3, Side.PEER),
    ),
    Row(
        "json-objects",
        Group.OBJECTS,
        "Serialize an object as JSON and deserialize it, with validation",
        "`JSONSerializer`, `JSONDeserializer`",
        "the same classes",
        _sides(_serde("json"), _serde("json")),
        Bar(8.0, Side.PEER),
    ),
    Row(
        "protobuf-objects",
        Group.OBJECTS,
        "Serialize a Protobuf message and deserialize it",
        "`ProtobufSerializer`, `ProtobufDeserializer`",
        "the same classes",
        _sides(_serde("protobuf"), _serde("protobuf")),
    ),
)


@dataclass(frozen=True)
class MemoryRow:
    """A program whose resident memory is read after each round."""

    name: str
    program: tuple[str, ...]
    sides: tuple[Side, ...] = (Side.OURS, Side.PEER)


def _memory(call: str, topic: str) -> tuple[str, ...]:
    return ("memory", "--topic", topic, "--partitions", str(TOPICS[topic]), "--call", call)


MEMORY_ROWS = (
    MemoryRow("produce(on_delivery=), flush()", _memory("produce", PRODUCED)),
    MemoryRow("poll() and consume(), every accessor", _memory("consume", RECORDS)),
    MemoryRow("consume_arrow() with headers", _memory("arrow", RECORDS), (Side.OURS,)),
)
# A program awaits the deliveries of messages that no broker accepts.
PENDING_ROW = "asyncio: pending deliveries"
PENDING_MESSAGES = 1_000_000
PENDING_PROGRAM = _aio("pending", PRODUCED)

# The allocator may still grow in the first rounds. Later rounds may differ by this many bytes.
MEMORY_ROUNDS = 10
MEMORY_SETTLING_ROUNDS = 3
MEMORY_BAR_BYTES = 5_000_000


@dataclass(frozen=True)
class WaitingRow:
    """A duration in seconds: its median and its 99th percentile."""

    name: str
    program: tuple[str, ...]
    p99_bar_seconds: float | None = None


def _waiting(what: str, *options: str) -> tuple[str, ...]:
    return ("waiting", "--what", what, *options)


BLOCKING_LATENCY = WaitingRow("produce() to poll(), two threads", _waiting("threads"))
AIO_LATENCY = WaitingRow("asyncio: produce() to getone(), two tasks", _waiting("tasks"))
TICK = f"asyncio: delay of a 10 ms timer with 1,000 producing tasks and {CONSUMERS} consumers"
WAITING_ROWS = (
    BLOCKING_LATENCY,
    AIO_LATENCY,
    WaitingRow(
        TICK,
        _waiting("ticks", "--consumers", str(CONSUMERS), "--shared-topic", SHARED),
        0.020,
    ),
    WaitingRow(
        f"{TICK} of all messages",
        _waiting("ticks", "--consumers", str(CONSUMERS)),
    ),
    WaitingRow("protocol: decoding a MetadataResponse of 1 MB", ("metadata",), 0.050),
)
WAITING_SECONDS = 5
# A message to a task may take this much longer than a message to a thread.
WAITING_BAR_SECONDS = 100e-6

IMPORT_RUNS = 20
IMPORT_BAR_SECONDS = 0.030
