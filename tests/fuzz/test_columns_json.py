"""JSONDecoder and JSONEncoder agree with Python's json, for generated schemas, values and bytes."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import UTC, date, datetime, time
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confluent_kafka.columns import JSONDecoder, JSONEncoder

SETTINGS = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
# Names must not contain NUL, which ends a name in Arrow's C interface.
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)


class Pair(NamedTuple):
    """A value in json's form and in the column's form."""

    written: Any
    read: Any


class Kind(NamedTuple):
    """A type, and the strategy for its values."""

    type: pa.DataType
    values: st.SearchStrategy[Pair]


def kind(type_: pa.DataType, values: st.SearchStrategy[Any], write: Any = lambda one: one) -> Kind:
    return Kind(type_, values.map(lambda one: Pair(write(one), one)))


def decimal_kind(digits: tuple[int, int]) -> Kind:
    precision, scale = digits
    largest = 10 ** (precision - scale) - 1
    values = st.decimals(-largest, largest, places=scale)
    return kind(pa.decimal128(precision, scale), values, str)


PLAIN = st.one_of(
    st.sampled_from(
        [
            kind(pa.bool_(), st.booleans()),
            kind(pa.int8(), st.integers(-128, 127)),
            kind(pa.uint16(), st.integers(0, 65535)),
            kind(pa.int64(), st.integers(-(2**63), 2**63 - 1)),
            kind(pa.uint64(), st.integers(0, 2**64 - 1)),
            kind(pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
            kind(pa.float32(), st.floats(width=32, allow_nan=False, allow_infinity=False)),
            kind(pa.string(), TEXT),
            kind(pa.binary(), st.binary(max_size=20), lambda one: b64encode(one).decode()),
            kind(pa.uuid(), st.uuids(), str),
            kind(pa.date32(), st.dates(), date.isoformat),
            kind(pa.time64("us"), st.times(), time.isoformat),
            kind(pa.timestamp("us"), st.datetimes(), datetime.isoformat),
            kind(
                pa.timestamp("us", "UTC"), st.datetimes(timezones=st.just(UTC)), datetime.isoformat
            ),
        ]
    ),
    st.tuples(st.integers(1, 30), st.integers(0, 9))
    .filter(lambda one: one[0] > one[1])
    .map(decimal_kind),
)


def list_kind(item: Kind) -> Kind:
    values = st.lists(optional(item), max_size=4)
    pairs = values.map(lambda some: Pair([one.written for one in some], [one.read for one in some]))
    return Kind(pa.list_(item.type), pairs)


def map_kind(item: Kind) -> Kind:
    pairs = st.dictionaries(TEXT, optional(item), max_size=4).map(
        lambda some: Pair(
            {key: one.written for key, one in some.items()},
            [(key, one.read) for key, one in some.items()],
        )
    )
    return Kind(pa.map_(pa.string(), item.type), pairs)


def struct_kind(fields: dict[str, Kind]) -> Kind:
    """Return a kind of objects. Their fields are in any order, and some fields are missing."""
    present = st.fixed_dictionaries(
        {}, optional={name: optional(one) for name, one in fields.items()}
    )
    pairs = st.tuples(present, st.randoms(use_true_random=False)).map(
        lambda drawn: Pair(
            {name: drawn[0][name].written for name in shuffled(drawn[0], drawn[1])},
            {name: drawn[0][name].read if name in drawn[0] else None for name in fields},
        )
    )
    return Kind(pa.struct([(name, one.type) for name, one in fields.items()]), pairs)


def shuffled(names: Any, rng: Random) -> list[str]:
    return rng.sample(list(names), len(names))


def optional(one: Kind) -> st.SearchStrategy[Pair]:
    return st.one_of(st.just(Pair(None, None)), one.values)


KINDS = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        inner.map(list_kind),
        inner.map(map_kind),
        st.dictionaries(NAMES, inner, min_size=1, max_size=4).map(struct_kind),
    ),
    max_leaves=6,
)
SCHEMAS = st.dictionaries(NAMES, KINDS, min_size=1, max_size=5).map(struct_kind)


@settings(SETTINGS, max_examples=200)
@given(SCHEMAS, st.data(), st.booleans(), st.sampled_from([None, 1]))
def test_values(schema: Kind, data: st.DataObject, escaped: bool, indent: int | None) -> None:
    """JSONDecoder returns the values that Python's json has written, for any order of fields."""
    pairs = data.draw(st.lists(schema.values, min_size=1, max_size=5))
    texts = [json.dumps(one.written, ensure_ascii=escaped, indent=indent) for one in pairs]
    rows = JSONDecoder(pa.schema(list(schema.type)), extra="error").decode(pa.array(texts))
    assert not rows.errors
    array = pa.array(rows)
    array.validate(full=True)
    assert array.to_pylist() == [one.read for one in pairs]


def refuse_constant(name: str) -> None:
    raise ValueError(name)


@settings(SETTINGS, max_examples=200)
@given(SCHEMAS, st.data(), st.sampled_from(["write", "omit"]), st.booleans())
def test_the_way_back(schema: Kind, data: st.DataObject, nulls: str, own: bool) -> None:
    """JSONDecoder reads JSONEncoder's output as the same values."""
    pairs = data.draw(st.lists(schema.values, max_size=5))
    given = [json.dumps(one.written) for one in pairs] + [None]
    fields = pa.schema(list(schema.type))
    values = pa.array(JSONDecoder(fields).decode(pa.array(given, pa.string())))
    start = data.draw(st.integers(0, len(values)))
    encoder = JSONEncoder(None if own else fields, nulls=nulls)
    rows = encoder.encode(values[start:])
    assert not rows.errors
    texts = pa.array(rows).to_pylist()
    for text in texts:
        if text is not None:
            value = json.loads(text, parse_constant=refuse_constant)
            assert json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() == text
    decoded = JSONDecoder(fields, extra="error").decode(rows)
    assert not decoded.errors
    assert pa.array(decoded).to_pylist() == values[start:].to_pylist()


@settings(SETTINGS, max_examples=100)
@given(st.lists(st.none() | st.uuids(), max_size=20))
def test_uuids_and_back(ids: list[UUID | None]) -> None:
    """A column of arrow.uuid is written as str() writes UUIDs, and read as the same UUIDs."""
    column = pa.array([one and one.bytes for one in ids], pa.uuid())
    rows = JSONEncoder().encode(pa.record_batch({"id": column}))
    assert not rows.errors
    texts = pa.array(rows).to_pylist()
    assert [json.loads(one)["id"] for one in texts] == [one and str(one) for one in ids]
    decoded = JSONDecoder(pa.schema({"id": pa.uuid()})).decode(rows)
    assert not decoded.errors
    assert pa.record_batch(decoded)["id"].equals(column)


PIECES = [
    *(bytes([byte]) for byte in b'{}[]:,"\\ \t\n0123456789-+.eEtfnu/x'),
    b"true",
    b"false",
    b"null",
    b'""',
    b'"a"',
    b'"\\u00e9"',
    b'"\\ud83d\\ude00"',
    b"\\ud800",
    b'{"a":',
    b"[1,",
    b"1.5e3",
    b"-0",
    b"NaN",
    b"\xc3\xa9",
    b"\xff",
    b"\x00",
]


def is_json(data: bytes) -> bool:
    """Whether Python's json reads the data without its own constants and lone surrogates."""
    try:
        json.dumps(
            json.loads(data.decode(), parse_constant=refuse_constant), ensure_ascii=False
        ).encode()
    except (ValueError, RecursionError):
        return False
    return True


SKIPPING = JSONDecoder(pa.schema([("a", pa.int8())]))


@settings(SETTINGS, max_examples=1_000)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_any_text(data: bytes) -> None:
    """A value that belongs to no column is skipped if it is valid JSON.

    Otherwise it is an error.
    """
    rows = SKIPPING.decode(pa.array([b'{"b":' + data + b"}", b'{"a":1}']))
    assert bool(rows.errors) is not is_json(b'{"b":' + data + b"}")
    assert pa.array(rows).to_pylist()[1] == {"a": 1}


NESTED = pa.schema(
    [
        ("a", pa.list_(pa.struct([("b", pa.string()), ("c", pa.float64())]))),
        ("d", pa.map_(pa.string(), pa.list_(pa.int64()))),
        ("e", pa.decimal128(12, 3)),
        ("f", pa.timestamp("ms", "UTC")),
        ("g", pa.binary()),
    ]
)
DECODERS = [
    JSONDecoder(NESTED),
    JSONDecoder(NESTED, missing="error", extra="error", duplicates="error", epoch=True),
    JSONDecoder(NESTED, columns=["g", "d"]),
]
SAMPLE = (
    b'{"a":[{"b":"x\\u00e9","c":1.5},null,{"c":-1e-7,"b":"\xe2\x82\xac"}],"d":{"k":[1,2],"l":null},'
    b'"e":"12.345","f":"2024-02-29T12:00:00.5+01:00","g":"AAEC"}'
)


@settings(SETTINGS, max_examples=1_000)
@given(st.randoms(use_true_random=False), st.integers(1, 4), st.sampled_from(DECODERS))
def test_spoilt_payloads(rng: Random, times: int, decoder: JSONDecoder) -> None:
    """Spoilt payloads become rows or errors, and do not affect other rows."""
    own = Random(rng.random())
    changed = bytearray(SAMPLE)
    for _ in range(times):
        place = own.randrange(len(changed) + 1)
        changed[place : place + own.randrange(4)] = own.choice(PIECES)
    rows = decoder.decode(pa.array([SAMPLE, bytes(changed), SAMPLE]))
    array = pa.array(rows)
    array.validate(full=True)
    first, spoilt, last = array.to_pylist()
    assert first == last is not None
    assert (spoilt is None) is bool(rows.errors)
    assert spoilt is None or is_json(bytes(changed))
