"""What is measured: the rows of the table, the program of each side, and the bars to reach."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

# The topics that consumers read. A mock broker keeps at most 5 MiB of a partition, so that many
# partitions are needed for many messages; RUN_LENGTH messages of one follow each other.
PARTITIONS = 40
RUN_LENGTH = 5_000
MAX_MESSAGES = PARTITIONS * 5 * RUN_LENGTH

PRODUCED = "produced"  # what the producers fill; nobody reads it
VALUES = "values"  # 100-byte values and nothing else
RECORDS = "records"  # with a 16-byte key and one header
SHARED = "shared"  # a partition for each consumer of a busy event loop
CONSUMERS = 200
TOPICS = {PRODUCED: 4, VALUES: PARTITIONS, RECORDS: PARTITIONS, SHARED: CONSUMERS}

# In a row's name: who is measured at the peer's side.
AIOKAFKA = "(in place of confluent-kafka: aiokafka)"
KAFKA_PYTHON = "(in place of confluent-kafka: kafka-python 3)"


class Side(StrEnum):
    """Who runs a program."""

    OURS = "ours"
    PEER = "confluent-kafka"
    NATIVE = "native C"


@dataclass(frozen=True)
class Bar:
    """Our rate must be at least ``ratio`` times that of ``side``."""

    ratio: float
    side: Side


@dataclass(frozen=True)
class Row:
    """One line of the table: a program (name and options) for each side that has it."""

    name: str
    programs: Mapping[Side, tuple[str, ...]]
    bar: Bar | None = None
    clock: str = "call_seconds"


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
    """`ours` is another module and call than kafka-python 3's."""

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
    Row(
        "produce()",
        _sides(_produce("produce"), _produce("produce"), _produce("native")),
        Bar(1.7, Side.PEER),
    ),
    Row(
        "produce(on_delivery=)",
        _sides(_produce("callback"), _produce("callback"), _produce("native")),
        Bar(2.5, Side.PEER),
    ),
    Row(
        "produce(on_delivery=), until every callback has run",
        _sides(_produce("callback"), _produce("callback"), _produce("native")),
        clock="total_seconds",
    ),
    Row(
        "produce_batch() of 1000 values (confluent-kafka: dicts)",
        _sides(_produce("values"), _produce("dicts"), _produce("native")),
        Bar(0.8, Side.NATIVE),
    ),
    Row(
        "produce_batch() of 1000 dicts",
        _sides(_produce("dicts"), _produce("dicts"), _produce("native")),
    ),
    Row(
        "poll()",
        _sides(_consume("poll"), _consume("poll"), _consume("poll")),
        Bar(1.8, Side.PEER),
    ),
    Row(
        "poll(), value()",
        _sides(_consume("poll-value"), _consume("poll-value"), _consume("poll")),
        Bar(1.8, Side.PEER),
    ),
    Row(
        "consume(1000), value()",
        _sides(_consume("consume-value"), _consume("consume-value"), _consume("batch")),
        Bar(2.5, Side.PEER),
    ),
    Row(
        "consume(1000), value(), while fetching",
        _sides(
            _consume("consume-value", fetch="meanwhile"),
            _consume("consume-value", fetch="meanwhile"),
            _consume("batch", fetch="meanwhile"),
        ),
    ),
    Row(
        "consume(1000), every accessor",
        _sides(_consume("consume-all", RECORDS), _consume("consume-all", RECORDS)),
    ),
    Row(
        "consume_arrow(1000) (confluent-kafka: consume, every accessor but headers())",
        _sides(_consume("arrow-columns", RECORDS), _consume("consume-columns", RECORDS)),
        Bar(4.0, Side.PEER),
    ),
    Row(
        "consume_arrow(1000), no headers (confluent-kafka: consume, every accessor)",
        _sides(_consume("arrow-all", VALUES), _consume("consume-all", VALUES)),
        Bar(4.0, Side.PEER),
    ),
    Row(
        "consume_arrow(1000) with headers (confluent-kafka: consume, every accessor)",
        _sides(_consume("arrow-all", RECORDS), _consume("consume-all", RECORDS)),
    ),
    Row(
        "asyncio: produce(), until all are delivered",
        _sides(_aio("produce", PRODUCED), _aio("produce", PRODUCED)),
    ),
    Row(
        "asyncio: a thousand produce(), then each delivery",
        _sides(_aio("send", PRODUCED), _aio("send", PRODUCED)),
        Bar(4.0, Side.PEER),
    ),
    Row(
        f"asyncio: a thousand produce(), then each delivery {AIOKAFKA}",
        _sides(_aio("send", PRODUCED), _aiokafka_producer("aiokafka", "send")),
        Bar(4.0, Side.PEER),
    ),
    Row(
        "asyncio: a thousand produce(), then gather()",
        _sides(_aio("gather", PRODUCED), _aio("gather", PRODUCED)),
    ),
    Row(
        "asyncio: produce_many(1000) (confluent-kafka: produce(), each delivery)",
        _sides(_aio("send-many", PRODUCED), _aio("send", PRODUCED)),
    ),
    Row(
        "asyncio: poll(), value()",
        _sides(_aio("poll"), _aio("poll")),
        Bar(5.0, Side.PEER),
    ),
    Row(
        f"asyncio: poll(), value(), while fetching {AIOKAFKA}",
        _sides(_aio("poll", fetch="meanwhile"), _aiokafka_consumer("aiokafka", "getone")),
        Bar(5.0, Side.PEER),
    ),
    Row(
        "asyncio: consume(500), value()",
        _sides(_aio("consume"), _aio("consume")),
        Bar(6.0, Side.PEER),
    ),
    Row(
        "asyncio: consume(500), value(), while fetching",
        _sides(_aio("consume", fetch="meanwhile"), _aio("consume", fetch="meanwhile")),
        Bar(6.0, Side.PEER),
    ),
    Row(
        f"asyncio: consume(500), value(), while fetching {AIOKAFKA}",
        _sides(_aio("consume", fetch="meanwhile"), _aiokafka_consumer("aiokafka", "getmany")),
        Bar(6.0, Side.PEER),
    ),
    Row(
        "pause() and resume() of 10,000 partitions, each",
        _assignment("pause"),
    ),
    Row(
        "commit() and committed() of 10,000 partitions, each",
        _assignment("commit"),
    ),
    Row(
        f"aiokafka's send(), a thousand, then each delivery {AIOKAFKA}",
        _face(_aiokafka_producer, "send"),
        Bar(3.0, Side.PEER),
    ),
    Row(
        f"aiokafka's send(), a thousand, then gather() {AIOKAFKA}",
        _face(_aiokafka_producer, "gather"),
    ),
    Row(
        f"aiokafka's getone(), value, while fetching {AIOKAFKA}",
        _face(_aiokafka_consumer, "getone"),
        Bar(3.0, Side.PEER),
    ),
    Row(
        f"aiokafka's getmany(), value, while fetching {AIOKAFKA}",
        _face(_aiokafka_consumer, "getmany"),
        Bar(2.0, Side.PEER),
    ),
    Row(
        f"kafka-python's send(), then flush() {KAFKA_PYTHON}",
        _kafka_python("send", PRODUCED),
        Bar(8.0, Side.PEER),
    ),
    Row(
        f"kafka-python's iteration, value, while fetching {KAFKA_PYTHON}",
        _kafka_python("iterate", VALUES),
        Bar(8.0, Side.PEER),
    ),
    Row(
        f"kafka-python's poll() of 500, value, while fetching {KAFKA_PYTHON}",
        _kafka_python("poll", VALUES),
        Bar(15.0, Side.PEER),
    ),
    Row(
        f"kafka-python's topics() and partitions_for_topic() {KAFKA_PYTHON}",
        _kafka_python("ask", VALUES),
        Bar(1.0, Side.PEER),
    ),
    Row(
        "kafka-python 0.9's send_messages() of 200 (kafka-python 3: send(), then flush())",
        _kafka_python("send", PRODUCED, ours=("kafka_0_9", "send-messages")),
        Bar(5.0, Side.PEER),
    ),
    Row(
        "Avro into Arrow columns (in place of confluent-kafka: fastavro, pyarrow)",
        _columns("avro-columns", "avro-fastavro"),
        Bar(40.0, Side.PEER),
    ),
    *(
        Row(
            f"{what}, {batch:,} rows a call (in place of confluent-kafka: pyruhvro)",
            _columns(ours, peer, batch),
            Bar(least, Side.PEER),
        )
        for what, ours, peer, least in (
            ("Avro into Arrow columns", "avro-columns", "avro-pyruhvro", 1.8),
            ("Nested Avro into Arrow columns", "orders-columns", "orders-pyruhvro", 1.8),
            ("Arrow columns into Avro", "avro-typed-encoder", "avro-pyruhvro-writer", 1.3),
            ("Nested Arrow columns into Avro", "orders-encoder", "orders-pyruhvro-writer", 1.3),
        )
        for batch in (1_000, 10_000, 100_000, 1_000_000)
    ),
    Row(
        "Arrow columns into Avro (in place of confluent-kafka: fastavro)",
        _columns("avro-encoder", "avro-fastavro-writer"),
        Bar(20.0, Side.PEER),
    ),
    Row(
        "JSON into Arrow columns (in place of confluent-kafka: orjson, pyarrow)",
        _columns("json-columns", "json-orjson"),
        Bar(5.0, Side.PEER),
    ),
    Row(
        "JSON into Arrow columns (in place of confluent-kafka: pyarrow.json, on lines)",
        _columns("json-columns", "json-pyarrow"),
        Bar(1.0, Side.PEER),
    ),
    Row(
        "Protobuf into Arrow columns (in place of confluent-kafka: protobuf, pyarrow)",
        _columns("protobuf-columns", "protobuf-rows"),
        Bar(20.0, Side.PEER),
    ),
    Row(
        "Arrow columns into JSON (in place of confluent-kafka: orjson, of rows)",
        _columns("json-encoder", "json-orjson-writer"),
        Bar(5.0, Side.PEER),
    ),
    Row(
        "Arrow columns into Protobuf (in place of confluent-kafka: protobuf, of rows)",
        _columns("protobuf-encoder", "protobuf-writer"),
        Bar(8.0, Side.PEER),
    ),
    Row(
        "Avro there and back (a registry in memory)",
        _sides(_serde("avro"), _serde("avro")),
        Bar(1.3, Side.PEER),
    ),
    Row(
        "JSON there and back, validated (a registry in memory)",
        _sides(_serde("json"), _serde("json")),
        Bar(8.0, Side.PEER),
    ),
    Row(
        "Protobuf there and back (a registry in memory)",
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
# Deliveries that are awaited, of messages that no broker takes.
PENDING_ROW = "asyncio: pending deliveries"
PENDING_MESSAGES = 1_000_000
PENDING_PROGRAM = _aio("pending", PRODUCED)

# The allocator may still grow in the first rounds; how far each later one may be from them.
MEMORY_ROUNDS = 10
MEMORY_SETTLING_ROUNDS = 3
MEMORY_BAR_BYTES = 5_000_000


@dataclass(frozen=True)
class WaitingRow:
    """Seconds that something takes in the median and at its 99th percentile."""

    name: str
    program: tuple[str, ...]
    p99_bar_seconds: float | None = None


def _waiting(what: str, *options: str) -> tuple[str, ...]:
    return ("waiting", "--what", what, *options)


BLOCKING_LATENCY = WaitingRow("produce() to poll(), two threads", _waiting("threads"))
AIO_LATENCY = WaitingRow("asyncio: produce() to getone(), two tasks", _waiting("tasks"))
TICK = f"asyncio: a tick of 10 ms beside 1,000 producing tasks and {CONSUMERS} consumers"
WAITING_ROWS = (
    BLOCKING_LATENCY,
    AIO_LATENCY,
    WaitingRow(
        f"{TICK}, too late by",
        _waiting("ticks", "--consumers", str(CONSUMERS), "--shared-topic", SHARED),
        0.020,
    ),
    WaitingRow(
        f"{TICK} that read all messages each, too late by",
        _waiting("ticks", "--consumers", str(CONSUMERS)),
    ),
    WaitingRow("protocol: decoding a MetadataResponse of 1 MB", ("metadata",), 0.050),
)
WAITING_SECONDS = 5
# How much longer a message may take to a task than to a thread.
WAITING_BAR_SECONDS = 100e-6

IMPORT_RUNS = 20
IMPORT_BAR_SECONDS = 0.030
