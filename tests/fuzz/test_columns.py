"""Hostile payloads, schemas and programs result in rows or documented exceptions, with little
memory."""

from __future__ import annotations

import os
import sys
from random import Random

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from confluent_kafka.columns import AvroDecoder  # noqa: E402
from tests.fuzz.columns import Columns, look  # noqa: E402
from tests.support.avro_schemas import Schemas  # noqa: E402
from tests.support.scripts import check_script  # noqa: E402

SETTINGS = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


@settings(SETTINGS, max_examples=500)
@given(st.lists(st.none() | st.binary(max_size=60), max_size=6), st.integers(0, 2**32))
def test_any_bytes(payloads: list[bytes | None], seed: int) -> None:
    """Any bytes become a valid row of any schema, or a bad row with a reason."""
    decoder = AvroDecoder(Schemas(Random(seed)).row())
    look(decoder.decode(pa.array(payloads, pa.binary())), len(payloads)).validate(full=True)


@settings(SETTINGS, max_examples=50)
@given(st.randoms(use_true_random=False))
def test_spoilt_payloads_and_programs(random: Random) -> None:
    """Payloads with a few wrong bytes, and programs with a few wrong parts, are safe to decode."""
    with Columns(Random(random.random())) as target:
        for _ in range(10):
            target.step()


def test_drawn_from_a_seed() -> None:
    """Two thousand inputs, drawn as in the long run, are safe to decode."""
    with Columns(Random("suite")) as target:
        for _ in range(2000):
            target.step()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere ru_maxrss is in another unit")
@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="the sanitizer keeps freed memory")
def test_memory() -> None:
    """Memory is proportional to the bytes of a payload, whatever sizes and counts it claims.

    Each of 2,000 payloads claims to have gigabytes. Together they take less than 64 MiB.
    """
    grown = check_script(
        """
        import resource
        import pyarrow as pa
        from confluent_kafka.columns import AvroDecoder
        from tests.support.avro import record

        lists = {"type": "array", "items": "long"}
        inner = {"type": "array", "items": {"type": "array", "items": "null"}}
        kinds = [lists, "bytes", "string", {"type": "map", "values": lists}, inner]
        sizes = [2**20, 2**31 - 1, 2**31, 2**40, 2**62, -(2**31), -(2**62), -(2**63)]

        def number(value):
            value = value << 1 ^ value >> 63
            result = bytearray()
            while value > 127:
                result.append(value & 127 | 128)
                value >>= 7
            return bytes([*result, value])

        def most():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        payloads = [number(size) + tail for size in sizes for tail in (b"", b"\\2" * 9, bytes(9))]
        column = pa.array(payloads * 16)
        decoders = [AvroDecoder(record(("a", kind))) for kind in kinds]
        for decoder in decoders:
            decoder.decode(column[:1])
        before = most()
        for decoder in decoders:
            rows = decoder.decode(column)
            assert len(rows.errors) == len(column), (rows, decoder)
            del rows
        print(most() - before)
        """
    )
    assert int(grown) < 64 << 10  # KiB
