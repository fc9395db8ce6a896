"""Makes record batches with random records, and describes batches as text."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import Batch, Compression, Record, RecordBatch

CREATE_TIME = 1_500_000_000_000
APPEND_TIME = 1_600_000_000_123
KINDS = ("create", "append", "transaction", "horizon")
FORMATS = [
    (magic, codec, kind)
    for magic in (0, 1, 2)
    for codec in Compression
    for kind in KINDS
    if (magic == 2 or codec != Compression.ZSTD)
    and kind in (KINDS, KINDS[:2], KINDS[:1])[2 - magic]
]


def random_records(rng: Random, magic: int, largest: int = 150_000) -> list[Record]:
    """Some records that a batch of this format can carry, with values below `largest` bytes."""
    made = []
    offset = rng.randrange(1_000_000)
    for _ in range(rng.randint(1, 6)):
        timestamp = -1 if magic == 0 else CREATE_TIME + rng.randrange(1_000_000)
        headers = [
            (f"nümber{n}", _bytes(rng, largest))
            for n in range(rng.randrange(3) if magic == 2 else 0)
        ]
        made.append(
            Record(offset, timestamp, _bytes(rng, largest), _bytes(rng, largest), tuple(headers))
        )
        offset += rng.randint(1, 3)
    return made


def _bytes(rng: Random, largest: int) -> bytes | None:
    """Null, an empty value, a short value, or a value longer than a block of any codec."""
    chosen = rng.randrange(20)
    if chosen < 3:
        return None
    size = rng.randrange(40) if chosen < 18 else rng.randrange(largest)
    return bytes(rng.choices(range(rng.randint(1, 256)), k=size))


def batch_of(
    made: list[Record], magic: int, codec: Compression, kind: str = "create"
) -> tuple[Batch, ...]:
    """The records in a batch, or in entries of a message set."""
    append_time = APPEND_TIME if kind == "append" else None
    if magic < 2:
        return records.message_set(
            made, magic=magic, compression=codec, log_append_time=append_time
        )
    facts: dict[str, dict[str, Any]] = {
        "append": {"log_append_time": append_time},
        "transaction": {
            "transactional": True,
            "producer_id": 4711,
            "producer_epoch": 3,
            "base_sequence": 2**31 - 2,
        },
        "horizon": {"delete_horizon": CREATE_TIME + 99, "last_offset": made[-1].offset + 7},
    }
    more = facts.get(kind, {})
    return (RecordBatch.of(made, compression=codec, partition_leader_epoch=9, **more),)


def said(data: bytes) -> str:
    """The contents of batches as text, in the format of Batches.java."""
    return " ".join(_said(data))


def _said(data: bytes) -> Iterator[str]:
    for batch in records.read(data):
        facts: list[Any] = [
            batch.magic,
            batch.crc,
            batch.size,
            batch.last_offset,
            int(batch.compression),
            batch.timestamp_type - 1,
            batch.max_timestamp,
        ]
        if isinstance(batch, RecordBatch):
            facts += [
                batch.base_offset,
                batch.count,
                batch.partition_leader_epoch,
                batch.producer_id,
                batch.producer_epoch,
                batch.base_sequence,
                batch.last_sequence,
                str(batch.is_transactional).lower(),
                str(batch.is_control).lower(),
                -1 if batch.delete_horizon is None else batch.delete_horizon,
            ]
        yield "batch:" + ",".join(map(str, facts))
        for record in batch.records():
            key, value = _hex(record.key), _hex(record.value)
            headers = [f"{name.encode().hex()}={_hex(each)}" for name, each in record.headers]
            numbers = [str(record.offset), str(record.timestamp)]
            yield "record:" + ",".join([*numbers, key, value, *headers])


def _hex(value: bytes | None) -> str:
    return "null" if value is None else value.hex()
