"""Columns of Protobuf agree with google.protobuf, for messages of any type."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
pytest.importorskip("google.protobuf", reason="protobuf is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confluent_kafka.columns import ProtobufDecoder, ProtobufEncoder
from tests.fuzz.columns_protobuf import ProtobufColumns, spoilt
from tests.support.protobuf import (
    expected,
    has_dropped_entries,
    holds_json,
    plain,
    random_payload,
)
from tests.support.protobuf_types import random_type

SETTINGS = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
# Values that google.protobuf allows in a message, but that columns refuse.
STRICTER = (
    "a string that is not UTF-8",
    "a Timestamp",
    "a Duration",
    "a number that is not finite",
    "nested more than",
    "a field number of 0",  # a field number inside an unknown group
)


def check(payloads: list[bytes], rows: Any, kind: Any, enums: str) -> None:
    """Check that each row has google.protobuf's values, and that google.protobuf refuses each bad
    row."""
    array = pa.array(rows)
    array.validate(full=True)
    errors = {error.row: error for error in rows.errors}
    for row, payload in enumerate(payloads):
        try:
            message = kind.FromString(payload)
        except DecodeError:
            # google.protobuf ignores an invalid part of JSON if a later part replaces it.
            assert row in errors or holds_json(kind.DESCRIPTOR), payload
            continue
        if row in errors:
            assert any(text in errors[row].reason for text in STRICTER), (errors[row], payload)
            assert 0 <= errors[row].offset <= len(payload)
            continue
        if has_dropped_entries(message):
            continue
        assert plain(array[row], kind.DESCRIPTOR) == expected(message, enums), payload


@settings(SETTINGS, max_examples=200)
@given(
    st.randoms(use_true_random=False),
    st.sampled_from(["string", "dictionary", "number"]),
)
def test_any_message(rng: Random, enums: str) -> None:
    """Columns agree with google.protobuf for messages of random types, in any form that the
    encoding allows."""
    own = Random(rng.random())
    descriptors, kind, name = random_type(own)
    payloads = [random_payload(own, kind.DESCRIPTOR) for _ in range(10)]
    payloads += [one + two for one, two in pairwise(payloads)]
    decoder = ProtobufDecoder(descriptors, name, enums=enums)
    check(payloads, decoder.decode(pa.array(payloads, pa.binary())), kind, enums)


@settings(SETTINGS, max_examples=200)
@given(st.randoms(use_true_random=False))
def test_spoilt_messages(rng: Random) -> None:
    """google.protobuf also refuses each bad row, and the rows next to a bad row are correct."""
    own = Random(rng.random())
    descriptors, kind, name = random_type(own)
    payloads = [spoilt(own, random_payload(own, kind.DESCRIPTOR)) for _ in range(15)]
    rows = ProtobufDecoder(descriptors, name).decode(pa.array(payloads, pa.binary()))
    check(payloads, rows, kind, "string")


@settings(SETTINGS, max_examples=100)
@given(st.randoms(use_true_random=False))
def test_some_columns(rng: Random) -> None:
    """Selected fields have the same values as in a decoder of all fields."""
    own = Random(rng.random())
    descriptors, kind, name = random_type(own)
    fields = [field.name for field in kind.DESCRIPTOR.fields]
    chosen = own.sample(fields, own.randrange(1, len(fields) + 1))
    payloads = pa.array([random_payload(own, kind.DESCRIPTOR) for _ in range(10)], pa.binary())
    some = pa.array(ProtobufDecoder(descriptors, name, columns=chosen).decode(payloads))
    every = pa.array(ProtobufDecoder(descriptors, name).decode(payloads))
    for row, whole in zip(some, every, strict=True):
        assert list(row) == chosen
        if whole.is_valid:
            assert [repr(row[one]) for one in chosen] == [repr(whole[one]) for one in chosen]


@settings(SETTINGS, max_examples=200)
@given(
    st.randoms(use_true_random=False),
    # Not "dictionary", in which numbers without a name become null.
    st.sampled_from(["string", "number"]),
    st.integers(0, 3),
)
def test_the_way_back(rng: Random, enums: str, start: int) -> None:
    """Encoded columns of random types are the same messages as the original payloads."""
    own = Random(rng.random())
    descriptors, kind, name = random_type(own)
    payloads = [random_payload(own, kind.DESCRIPTOR) for _ in range(10)]
    decoded = pa.array(
        ProtobufDecoder(descriptors, name, enums=enums).decode(pa.array(payloads, pa.binary()))
    )
    encoded = ProtobufEncoder(descriptors, name).encode(decoded[start:])
    assert encoded.errors == []
    for row, written in enumerate(pa.array(encoded).to_pylist(), start):
        assert (written is None) is not decoded[row].is_valid
        if written is None:
            continue
        message = kind.FromString(written)
        given = kind.FromString(payloads[row])
        if not has_dropped_entries(given):
            assert expected(message, "number") == expected(given, "number"), payloads[row]
        # The entries of a map have no order, so the bytes are sorted.
        assert sorted(written) == sorted(message.SerializeToString())


@pytest.mark.parametrize("filler", [b"\0", b"\x0a\x00", b"\x0b", b"\x7f", b"\xff", b"\x08\x01"])
def test_hostile_bytes(filler: bytes) -> None:
    """For any message type, each hostile payload becomes a row or an error."""
    for seed in range(20):
        descriptors, kind, name = random_type(Random(seed))
        payloads = [filler * 2_000, filler * 2_001 + b"\x0c"]
        rows = ProtobufDecoder(descriptors, name).decode(pa.array(payloads, pa.binary()))
        check(payloads, rows, kind, "string")


def test_drawn_from_a_seed() -> None:
    """A thousand payloads and programs, drawn as in the long run, are safe to decode."""
    with ProtobufColumns(Random("suite")) as target:
        for _ in range(1_000):
            target.step()
