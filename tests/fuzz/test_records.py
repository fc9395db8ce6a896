"""confluent_kafka.protocol.records reads any bytes: it returns batches or raises errors.

Reading needs little memory.
"""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from random import Random

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import Compression, Record, RecordsError
from tests.support.batches import FORMATS, batch_of, random_records

KNOWN = [each for each in FORMATS if records.available(each[1])]
CODECS = st.sampled_from([codec for codec in Compression if records.available(codec)])
SETTINGS = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
DAMAGE = [b"", b"\0", b"\1", b"\x7f", b"\xff", b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\x0f"]
MAX_SIZE = 1 << 20


def read(data: bytes) -> None:
    """Read all batches in the data, and check that each batch is encoded to the same bytes
    again."""
    with suppress(RecordsError):
        for batch in records.read(data, check_crc=False):
            encoded = batch.encode()
            assert encoded in data
            with suppress(RecordsError):
                for record in batch.records(max_size=MAX_SIZE):
                    assert isinstance(record, Record)


def spoilt(data: bytes, rng: Random, times: int) -> bytes:
    changed = bytearray(data)
    for _ in range(times):
        place = rng.randrange(len(changed) + 1)
        changed[place : place + rng.randrange(3)] = rng.choice(DAMAGE)
    return bytes(changed)


@settings(SETTINGS, max_examples=1_000)
@given(st.binary(max_size=200), st.integers(0, 2), st.integers(0, 255))
def test_any_bytes(data: bytes, magic: int, attributes: int) -> None:
    """Reading any bytes raises only RecordsError, even if the size and the format are right."""
    read(data)
    header = bytes(8) + (len(data) + 6).to_bytes(4) + bytes(4) + bytes([magic, attributes])
    read(header + data)


@settings(SETTINGS, max_examples=1_000)
@given(st.sampled_from(KNOWN), st.randoms(use_true_random=False), st.integers(1, 4))
def test_spoilt_batches(which: tuple[int, Compression, str], rng: Random, times: int) -> None:
    """Reading batches with a few changed bytes, which reach more code, raises only RecordsError."""
    magic, codec, kind = which
    made = random_records(Random(rng.random()), magic, largest=300)
    read(spoilt(records.write(batch_of(made, magic, codec, kind)), rng, times))


@settings(SETTINGS, max_examples=1_000)
@given(CODECS, st.randoms(use_true_random=False), st.integers(0, 4), st.booleans())
def test_spoilt_compression(codec: Compression, rng: Random, times: int, old: bool) -> None:
    """A codec returns at most `max_size` bytes, or raises an error."""
    # Use a separate generator, because hypothesis stores every draw from its own generator.
    own = Random(rng.random())
    data = bytes(own.choices(range(own.randint(1, 256)), k=own.randrange(3_000)))
    packed = spoilt(records.compress(codec, data, magic=0 if old else 2), rng, times)
    with suppress(RecordsError):
        unpacked = records.decompress(codec, packed, max_size=5_000, magic=0 if old else 2)
        assert len(unpacked) <= 5_000


@settings(SETTINGS, max_examples=500)
@given(CODECS, st.binary(max_size=500), st.integers(1, 500))
def test_round_trip(codec: Compression, data: bytes, times: int) -> None:
    """Data is unchanged after compression and decompression."""
    assert records.decompress(codec, records.compress(codec, data * times)) == data * times


@pytest.mark.parametrize("filler", [b"\0", b"\1", b"\2", b"\x7f", b"\xff"])
@pytest.mark.parametrize(("magic", "place"), [(0, 18), (1, 26), (2, 61)])
def test_memory(filler: bytes, magic: int, place: int) -> None:
    """The memory is proportional to the actual bytes, whatever sizes and counts the data claims."""
    [batch] = batch_of([Record(0, 0 if magic else -1)], magic, Compression.NONE)
    size = 4_000
    start = bytearray(batch.encode()[:place])
    start[8:12] = (place + size - 12).to_bytes(4)
    tracemalloc.start()
    read(bytes(start) + filler * size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * size
