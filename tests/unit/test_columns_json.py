"""Tests of confluent_kafka.columns.JSONDecoder. tests/fuzz also compares it with Python's json."""

from __future__ import annotations

import json
import math
import struct
from datetime import UTC, date, datetime, time
from decimal import Decimal, localcontext
from random import Random
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa

from confluent_kafka.cimpl import _RowProgram
from confluent_kafka.columns import JSONDecoder, JSONSchemaError, RowError

MADE = JSONDecoder(pa.schema([("a", pa.int64()), ("b", pa.string())]))


def decode(decoder: JSONDecoder, *payloads: bytes | str | None) -> tuple[list[Any], list[RowError]]:
    """The rows as Python's values, and the errors. Checks that the array is valid."""
    data = [one.encode() if isinstance(one, str) else one for one in payloads]
    rows = decoder.decode(pa.array(data, pa.binary()))
    array = pa.array(rows)
    array.validate(full=True)
    return array.to_pylist(), rows.errors


def value_of(kind: pa.DataType, text: str, **options: Any) -> Any:
    """Return the value that a JSON text has in a column of this type."""
    [row], errors = decode(JSONDecoder(pa.schema([("v", kind)]), **options), f'{{"v": {text}}}')
    assert not errors
    return row["v"]


def refusal(kind: pa.DataType, text: str) -> RowError:
    """The error of a wrong text for a column of this type."""
    [row], [error] = decode(JSONDecoder(kind), text)
    assert row is None
    return error


VALUES = [
    (pa.null(), "null", None),
    (pa.bool_(), "true", True),
    (pa.bool_(), "false", False),
    (pa.bool_(), "null", None),
    (pa.int8(), "-128", -128),
    (pa.uint8(), "255", 255),
    (pa.int16(), "-32768", -32768),
    (pa.uint16(), "65535", 65535),
    (pa.int32(), "-2147483648", -(2**31)),
    (pa.uint32(), "4294967295", 2**32 - 1),
    (pa.int64(), "-9223372036854775808", -(2**63)),
    (pa.int64(), "9223372036854775807", 2**63 - 1),
    (pa.uint64(), "18446744073709551615", 2**64 - 1),
    (pa.int64(), "-0", 0),
    (pa.int64(), "1.0", 1),
    (pa.int64(), "1e2", 100),
    (pa.int64(), "1200E-2", 12),
    (pa.int64(), "0e99999999999999999999", 0),
    (pa.int64(), "1." + "0" * 40, 1),
    (pa.float64(), "1", 1.0),
    (pa.float32(), "0.1", struct.unpack("f", struct.pack("f", 0.1))[0]),
    (pa.string(), '""', ""),
    (pa.string(), '"a\\"\\\\\\/\\b\\f\\n\\r\\t"', 'a"\\/\b\f\n\r\t'),
    (pa.string(), '"\\u0000\\u00e9\\u20AC\\ud83d\\uDe00"', "\0é€😀"),
    (pa.string(), '"é€😀 and more than eight bytes"', "é€😀 and more than eight bytes"),
    (pa.large_string(), '"a"', "a"),
    (pa.string_view(), '"a"', "a"),
    (pa.binary(), '""', b""),
    (pa.binary(), '"AA=="', b"\0"),
    (pa.binary(), '"+\\/8="', b"\xfb\xff"),
    (pa.binary(), '"AAEC"', b"\0\1\2"),
    (pa.binary(2), '"AAE="', b"\0\1"),
    (pa.uuid(), '"00112233-4455-6677-8899-AABBCCDDEEFF"', UUID("00112233445566778899aabbccddeeff")),
    (pa.decimal128(5, 2), "1.5", Decimal("1.50")),
    (pa.decimal128(5, 2), '"-999.99"', Decimal("-999.99")),
    (pa.decimal128(5, 2), "12e1", Decimal("120.00")),
    (pa.decimal128(5, 2), "0.0000000000000000000000e-9999999999", Decimal("0.00")),
    (pa.decimal128(38, 0), "9" * 38, Decimal("9" * 38)),
    (
        pa.decimal256(76, 10),
        "-" + "9" * 66 + "." + "9" * 10,
        Decimal("-" + "9" * 66 + "." + "9" * 10),
    ),
    (pa.date32(), '"1969-12-31"', date(1969, 12, 31)),
    (pa.time32("s"), '"23:59:59.9"', time(23, 59, 59)),
    (pa.time32("ms"), '"00:00:00.0019"', time(0, 0, 0, 1000)),
    (pa.time64("us"), '"01:00:00.000001+02:00"', time(23, 0, 0, 1)),
    (pa.list_(pa.int8()), "[]", []),
    (pa.list_(pa.int8()), " [ 1 , null,2 ] ", [1, None, 2]),
    (pa.large_list(pa.list_(pa.int8())), "[[1],[],null]", [[1], [], None]),
    (pa.map_(pa.string(), pa.int8()), '{"a":1,"\\u0062":null}', [("a", 1), ("b", None)]),
    (pa.struct([("x", pa.int8())]), '{"x":1}', {"x": 1}),
    (pa.struct([("x", pa.int8())]), "{}", {"x": None}),
]


@pytest.mark.parametrize(("kind", "text", "expected"), VALUES)
def test_values(kind: pa.DataType, text: str, expected: Any) -> None:
    """Each type accepts the texts of its values."""
    assert value_of(kind, text) == expected


REFUSED = [
    (pa.null(), "0", 0, "not null"),
    (pa.bool_(), "1", 0, "neither true nor false"),
    (pa.bool_(), "tru", 0, "neither true nor false"),
    (pa.int8(), "128", 0, "out of the range"),
    (pa.int8(), "-129", 0, "out of the range"),
    (pa.uint8(), "-1", 0, "out of the range"),
    (pa.uint64(), "18446744073709551616", 0, "out of the range"),
    (pa.int64(), "9223372036854775808", 0, "out of the range"),
    (pa.int64(), " 1.5", 1, "a fraction"),
    (pa.int64(), "1e-1", 0, "a fraction"),
    (pa.int64(), "1e999999999999999999", 0, "out of the range"),
    (pa.int64(), '"1"', 0, "not a number"),
    (pa.int64(), "01", 2, "starts with 0"),
    (pa.int64(), "-", 1, "ends within"),
    (pa.int64(), "-a", 1, "without a number"),
    (pa.int64(), "+1", 0, "not a number"),
    (pa.float64(), "1.", 2, "ends within"),
    (pa.float64(), "1.e1", 2, "without digits"),
    (pa.float64(), ".5", 0, "not a number"),
    (pa.float64(), "1e", 2, "ends within"),
    (pa.float64(), "1e+", 3, "ends within"),
    (pa.float64(), "1e+a", 3, "without its exponent"),
    (pa.float64(), "1.7976931348623159e308", 0, "too large"),
    (pa.float64(), "-1e400", 0, "too large"),
    (pa.float32(), "3.4028236e38", 0, "too large"),
    (pa.float64(), "NaN", 0, "not a number"),
    (pa.float64(), "Infinity", 0, "not a number"),
    (pa.string(), "1", 0, "not a string"),
    (pa.string(), '"a', 2, "ends within"),
    (pa.string(), '"a\\', 2, "ends within"),
    (pa.string(), '"\t"', 1, "control character"),
    (pa.string(), '"\\x"', 1, "an escape"),
    (pa.string(), '"\\u12g4"', 1, "an escape"),
    (pa.string(), '"\\ud800"', 1, "surrogate"),
    (pa.string(), '"\\ud800\\u0041"', 1, "surrogate"),
    (pa.string(), '"12345678\\udc00"', 9, "surrogate"),
    (pa.binary(), '"A"', 0, "not base64"),
    (pa.binary(), '"AA"', 0, "not base64"),
    (pa.binary(), '"A==="', 0, "not base64"),
    (pa.binary(), '"-_-_"', 0, "not base64"),
    (pa.binary(3), '"AAE="', 0, "a wrong number of bytes"),
    (pa.uuid(), '"00112233445566778899AABBCCDDEEFF"', 0, "not a UUID"),
    (pa.decimal128(5, 2), "1.555", 0, "more digits after the point"),
    (pa.decimal128(5, 2), "1000", 0, "too large"),
    (pa.decimal128(5, 2), "1e999999999999", 0, "too large"),
    (pa.decimal128(5, 2), '"x"', 0, "not a number"),
    (pa.decimal128(5, 2), '"1 "', 0, "not a number"),
    (pa.decimal128(5, 2), '""', 0, "not a number"),
    (pa.decimal256(76, 0), "9" * 77, 0, "too large"),
    (pa.date32(), "0", 0, "not a string"),
    (pa.list_(pa.int8()), "{}", 0, "not an array"),
    (pa.list_(pa.int8()), "[1", 2, "ends within"),
    (pa.list_(pa.int8()), "[1 2]", 3, "neither a comma nor the end"),
    (pa.list_(pa.int8()), "[1,]", 3, "not a number"),
    (pa.struct([("x", pa.int8())]), "[]", 0, "not an object"),
    (pa.struct([("x", pa.int8())]), '{"x" 1}', 5, "without a colon"),
    (pa.struct([("x", pa.int8())]), '{"x":1,}', 7, "without a key"),
    (pa.struct([("x", pa.int8())]), "{x:1}", 1, "without a key"),
    (pa.struct([("x", pa.int8())]), "{", 1, "ends within"),
    (pa.struct([("x", pa.int8())]), "null", 0, "null, where"),
    (pa.map_(pa.string(), pa.int8()), '{"a":1,}', 7, "without a key"),
    (pa.map_(pa.string(), pa.int8()), '{"a"}', 4, "without a colon"),
    (pa.int64(), "", 0, "ends within"),
    (pa.int64(), "  ", 2, "ends within"),
    (pa.int64(), "1 2", 2, "bytes after the value"),
    (pa.int64(), "1\0", 1, "bytes after the value"),
    (pa.int64(), "\ufeff1", 0, "not a number"),
    (pa.int64(), "1 // one", 2, "bytes after the value"),
]


@pytest.mark.parametrize(("kind", "text", "offset", "reason"), REFUSED)
def test_refused_values(kind: pa.DataType, text: str, offset: int, reason: str) -> None:
    """A value that does not fit the column, or is not JSON, is an error with its place and
    reason."""
    error = refusal(kind, text)
    assert error.offset == offset
    assert reason in error.reason


# --- numbers

HARD_NUMBERS = [
    "0",
    "-0.0",
    "9007199254740993",
    "9007199254740993.00000000000000000000000000000000000000000001",
    "9007199254740991.4999999999999999999999999999999995",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "4.9e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1e-400",
    "1e23",
    "8.589973e9",
    "1e22",
    "123456789012345678901234567890",
    "0.1e1",
    "0." + "0" * 400 + "1e401",
    "1" + "0" * 400 + "e-400",
    "6929495644600919.5",
    "3.7455744005952583e15",
    "5.0052077379577523e-147",
    "2.440254496e57",
    "1090544144181609348671888949248",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "18446744073709551615.5",
    "-1e-7",
]


def as_single(text: str) -> float | None:
    """The nearest float of 32 bits, with ties to even; None if the number is too large."""
    numerator, denominator = Decimal(text.lstrip("-")).as_integer_ratio()
    if not numerator:
        return 0.0
    power = numerator.bit_length() - denominator.bit_length()
    power -= numerator * 2 ** max(-power, 0) < denominator * 2 ** max(power, 0)
    unit = max(power - 23, -149)
    if unit > 104:
        return None
    quotient, rest = divmod(numerator * 2 ** max(-unit, 0), denominator * 2 ** max(unit, 0))
    twice = 2 * rest - denominator * 2 ** max(unit, 0)
    quotient += twice > 0 or (twice == 0 and quotient % 2)
    value = math.ldexp(quotient, unit) * (-1 if text.startswith("-") else 1)
    return None if abs(value) >= 2.0**128 else value


def middles(rng: Random, count: int) -> list[str]:
    """Numbers at, or near, the middle between two doubles or between two floats of 32 bits."""
    found = []
    with localcontext(prec=1_200):
        while len(found) < count:
            if rng.random() < 0.5:
                low = abs(struct.unpack("d", rng.randbytes(8))[0])
                high = math.nextafter(low, math.inf)
            else:
                bits = rng.randrange(0x7F7FFFFF)
                low, high = struct.unpack("2f", struct.pack("2I", bits, bits + 1))
            if math.isfinite(low) and math.isfinite(high):
                middle = (Decimal(low) + Decimal(high)) / 2
                if rng.random() < 0.6:
                    middle += rng.choice([-1, 1]) * middle * Decimal(10) ** -rng.randrange(8, 900)
                found.append(str(middle))
    return found


def many_numbers() -> list[str]:
    rng = Random(1)
    return [
        *HARD_NUMBERS,
        *middles(rng, 400),
        *(repr(rng.random()) for _ in range(300)),
        *(f"{rng.uniform(-1e6, 1e6):.{rng.randrange(30)}f}" for _ in range(300)),
        *(
            f"{rng.randrange(10 ** rng.randrange(1, 25))}e{rng.randrange(-345, 312)}"
            for _ in range(900)
        ),
        *(str(rng.randrange(2**53) << rng.randrange(60)) for _ in range(300)),
    ]


def test_doubles() -> None:
    """Numbers become the nearest double, with ties to even.

    Numbers above the largest double are refused.
    """
    texts = many_numbers()
    rows, errors = decode(JSONDecoder(pa.float64()), *texts)
    expected = [None if math.isinf(float(text)) else {"value": float(text)} for text in texts]
    assert repr(rows) == repr(expected)
    assert len(errors) == expected.count(None)


def test_singles() -> None:
    """Floats of 32 bits are rounded once, and not first to a double."""
    texts = many_numbers()
    rows, _ = decode(JSONDecoder(pa.float32()), *texts)
    expected = [as_single(text) for text in texts]
    assert rows == [None if one is None else {"value": one} for one in expected]


def test_decimals() -> None:
    """Decimals are exact, even with more digits than fit into 64 bits."""
    rng = Random(2)
    digits = [rng.randrange(10 ** rng.randrange(1, 77)) * rng.choice([-1, 1]) for _ in range(300)]
    with localcontext(prec=100):
        expected = [Decimal(number).scaleb(-20) for number in digits]
    texts = [f"{one:f}" for one in expected] + [f'"{one:e}"' for one in expected]
    rows, errors = decode(JSONDecoder(pa.decimal256(76, 20)), *texts)
    assert not errors
    assert [row["value"] for row in rows] == expected * 2


# --- times

TIMESTAMPS = [
    ("1970-01-01T00:00:00Z", 0),
    ("1970-01-01t00:00:00z", 0),
    ("1970-01-01 00:00:00-00:00", 0),
    ("1985-04-12T23:20:50.52Z", 482196050_520000000),
    ("1996-12-19T16:39:57-08:00", 851042397_000000000),
    ("1937-01-01T12:00:27.87+00:20", -1041337172_130000000),
    ("1969-12-31T23:59:59.999999999Z", -1),
    ("1969-12-31T23:59:59.9999999991Z", -1),
    ("2000-02-29T00:00:00+23:59", 951782400_000000000 - 86340_000000000),
    ("1678-01-01T00:00:00Z", -9214560000_000000000),
    ("2262-04-11T00:00:00Z", 9223286400_000000000),
]


@pytest.mark.parametrize(("text", "nanoseconds"), TIMESTAMPS)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_timestamps(text: str, nanoseconds: int, unit: str) -> None:
    """Times of RFC 3339 become UTC in the column's unit; smaller units are rounded down."""
    rows = JSONDecoder(pa.timestamp(unit, "Europe/Berlin")).decode(pa.array([f'"{text}"']))
    divisor = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    assert not rows.errors
    [value] = pa.array(rows).field("value").cast(pa.int64()).to_pylist()
    assert value == nanoseconds // divisor


@pytest.mark.parametrize("text", ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_far_timestamps(text: str) -> None:
    """Times in all units except nanoseconds may be in the years 0 to 9999."""
    rows = JSONDecoder(pa.timestamp("us", "UTC")).decode(pa.array([f'"{text}"']))
    [value] = pa.array(rows).field("value").cast(pa.int64()).to_pylist()
    first = -62167219200  # Python's years begin with 1
    last = int(datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp())
    assert value == (first if text.startswith("0") else last) * 10**6
    assert "nanoseconds" in refusal(pa.timestamp("ns", "UTC"), f'"{text}"').reason


NANOSECONDS = [
    ("1677-09-21T00:12:43.145224192Z", -(2**63)),
    ("1677-09-21T00:12:43.145224193Z", -(2**63) + 1),
    ("1677-09-21T00:12:43.999999999Z", -9_223_372_036_000_000_001),
    ("1677-09-21T00:12:44Z", -9_223_372_036_000_000_000),
    ("2262-04-11T23:47:15.999999999Z", 9_223_372_035_999_999_999),
    ("2262-04-11T23:47:16Z", 9_223_372_036_000_000_000),
    ("2262-04-12T00:47:16.854775807+01:00", 2**63 - 1),
    ("1677-09-21T00:12:43.145224191Z", None),
    ("1677-09-21T00:12:43Z", None),
    ("1677-09-21T00:12:42.999999999Z", None),
    ("2262-04-11T23:47:16.854775808Z", None),
    ("2262-04-11T23:47:17Z", None),
]


@pytest.mark.parametrize(("text", "expected"), NANOSECONDS)
def test_the_first_and_the_last_nanosecond(text: str, expected: int | None) -> None:
    """All nanoseconds that 64 bits can count are read.

    Only a part of the first second and of the last second fits.
    """
    rows = JSONDecoder(pa.timestamp("ns", "UTC")).decode(pa.array([f'"{text}"']))
    assert pa.array(rows).field("value").cast(pa.int64()).to_pylist() == [expected]
    reason = "a time that nanoseconds cannot count from 1970"
    assert [error.reason for error in rows.errors] == ([reason] if expected is None else [])


def test_days() -> None:
    """Dates become days since 1970 in the Gregorian calendar, in all years that Python has."""
    rng = Random(3)
    days = [date.fromordinal(rng.randint(1, date.max.toordinal())) for _ in range(3000)]
    for year in (1, 4, 1600, 1899, 1900, 1969, 1970, 2000, 2024, 2100, 9999):
        march = date(year, 3, 1).toordinal()
        days += [date(year, 1, 1), date(year, 12, 31), *map(date.fromordinal, (march - 1, march))]
    rows, errors = decode(JSONDecoder(pa.date32()), *(f'"{day.isoformat()}"' for day in days))
    assert not errors
    assert [row["value"] for row in rows] == days


BAD_TIMES = [
    "",
    "1970-01-01",
    "1970-01-01T00:00Z",
    "1970-01-01T00:00:00.Z",
    "1970-01-01T00:00:00,5Z",
    "1970-1-01T00:00:00Z",
    "1970-13-01T00:00:00Z",
    "1970-00-01T00:00:00Z",
    "1970-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "1970-04-31T00:00:00Z",
    "1970-01-00T00:00:00Z",
    "1970-01-01T24:00:00Z",
    "1970-01-01T00:60:00Z",
    "1990-12-31T23:59:60Z",
    "1970-01-01T00:00:00+24:00",
    "1970-01-01T00:00:00+00:60",
    "1970-01-01T00:00:00+0000",
    "1970-01-01T00:00:00+00",
    "1970-01-01T00:00:00ZZ",
    "1970-01-01_00:00:00Z",
    "+1970-01-01T00:00:00Z",
    "19700101T000000Z",
    "1970-01-01T00:00:00Z ",
    "197\u0660-01-01T00:00:00Z",
]


@pytest.mark.parametrize("text", BAD_TIMES)
def test_bad_timestamps(text: str) -> None:
    """Texts that RFC 3339 does not allow, and leap seconds, are refused."""
    assert "RFC 3339" in refusal(pa.timestamp("us", "UTC"), f'"{text}"').reason


@pytest.mark.parametrize("text", ["1970-02-30", "1970-01-01T", "70-01-01", "1970-01-1", ""])
def test_bad_dates(text: str) -> None:
    """A date must have four, two and two digits, and the day must exist in the month."""
    assert "RFC 3339 date" in refusal(pa.date32(), f'"{text}"').reason


@pytest.mark.parametrize("text", ["24:00:00", "1:00:00", "00:00", "00:00:00.", "00:00:00+1:00"])
def test_bad_times(text: str) -> None:
    """A time of day must have seconds, and an offset must have minutes."""
    assert "RFC 3339 time" in refusal(pa.time64("us"), f'"{text}"').reason


def test_zones() -> None:
    """A column with a time zone needs offsets; a column without a zone refuses them."""
    local, aware = '"2024-01-01T00:00:00"', '"2024-01-01T00:00:00Z"'
    assert value_of(pa.timestamp("s"), local) == datetime(2024, 1, 1)
    assert "with an offset" in refusal(pa.timestamp("s"), aware).reason
    assert "without an offset" in refusal(pa.timestamp("s", "UTC"), local).reason


EPOCHS = [
    (pa.timestamp("ms", "UTC"), "-1", -1),
    (pa.timestamp("ns"), "9223372036854775807", 2**63 - 1),
    (pa.timestamp("s"), '"1970-01-01T00:00:01"', 1),
    (pa.date32(), "-2147483648", -(2**31)),
    (pa.time32("s"), "86399", 86399),
    (pa.time64("ns"), "86399999999999", 86399999999999),
]


@pytest.mark.parametrize(("kind", "text", "units"), EPOCHS)
def test_epoch(kind: pa.DataType, text: str, units: int) -> None:
    """With epoch=True, numbers are times in the column's unit. Texts are still read as times."""
    rows = JSONDecoder(kind, epoch=True).decode(pa.array([text]))
    assert not rows.errors
    storage = pa.int32() if kind.bit_width == 32 else pa.int64()
    assert pa.array(rows).field("value").view(storage).to_pylist() == [units]
    if not text.startswith('"'):
        assert refusal(kind, text).reason == "not a string"


@pytest.mark.parametrize("text", ["86400", "-1", "1.5"])
def test_epoch_of_a_day(text: str) -> None:
    """A number for a time of day must be less than a day."""
    _, [error] = decode(JSONDecoder(pa.time32("s"), epoch=True), text)
    assert "out of the range" in error.reason


# --- objects


def test_any_order() -> None:
    """Fields may be in any order, with any white space, and with escapes in their names."""
    texts = [
        '{"a":1,"b":"x"}',
        '{"b":"x","a":1}',
        ' {\t"b"\r:\n"x" , "a" : 1 } ',
        '{"\\u0061":1,"\\u0062":"x"}',
        '{"c":null,"b":"x","ab":[{}],"a":1,"":0}',
    ]
    rows, errors = decode(MADE, *texts)
    assert not errors
    assert rows == [{"a": 1, "b": "x"}] * len(texts)


def test_odd_names() -> None:
    """Fields are found even if their names are escaped in JSON, empty or long."""
    names = ['a"b', "back\\slash", "", "new\nline", "é", "😀", 'a"', "x" * 1000, "a"]
    schema = pa.schema([(name, pa.int64()) for name in names])
    row = {name: number for number, name in enumerate(names)}
    texts = [
        json.dumps(row),
        json.dumps(row, ensure_ascii=False),
        json.dumps(dict(reversed(row.items()))),
    ]
    rows, errors = decode(JSONDecoder(schema, extra="error"), *texts)
    assert not errors
    assert rows == [row] * 3


def test_many_fields() -> None:
    """Each of a thousand fields is found, in the schema's order and in another order."""
    names = [f"field {number}" for number in range(1000)]
    row = {name: number for number, name in enumerate(names)}
    shuffled = list(row.items())
    Random(3).shuffle(shuffled)
    decoder = JSONDecoder(pa.schema([(name, pa.int64()) for name in names]), extra="error")
    rows, errors = decode(decoder, json.dumps(row), json.dumps(dict(shuffled)))
    assert not errors
    assert rows == [row, row]


NESTED = pa.schema(
    [
        ("a", pa.int64()),
        ("s", pa.struct([("x", pa.list_(pa.string())), ("y", pa.map_(pa.string(), pa.int8()))])),
        ("l", pa.list_(pa.struct([("z", pa.string()), ("w", pa.bool_())]))),
    ]
)


def test_duplicates() -> None:
    """If a field occurs twice, its last value counts, whatever it contains.

    With an option, this is an error.
    """
    texts = [
        '{"a":1,"s":{"x":["old","er"],"y":{"k":1},"x":["new"]},"l":[{"z":"q"}],"a":2}',
        '{"s":{"x":["a"],"y":{"k":1}},"l":[{"z":"q","z":"r"},{}],"s":null,"l":[{"w":true}],"a":3}',
        '{"a":4,"l":null,"s":null,"l":[],"s":{}}',
        '{"a":5,"a":null,"l":[null],"a":"x"}',
        '{"a":6}',
    ]
    rows, errors = decode(JSONDecoder(NESTED), *texts)
    assert rows == [
        {"a": 2, "s": {"x": ["new"], "y": [("k", 1)]}, "l": [{"z": "q", "w": None}]},
        {"a": 3, "s": None, "l": [{"z": None, "w": True}]},
        {"a": 4, "s": {"x": None, "y": None}, "l": []},
        None,
        {"a": 6, "s": None, "l": None},
    ]
    assert [(error.row, error.field) for error in errors] == [(3, "a")]
    rows, errors = decode(JSONDecoder(NESTED, duplicates="error"), *texts)
    assert [row is None for row in rows] == [True, True, True, True, False]
    assert [error.field for error in errors] == ["s.x", "l[].z", "l", "a"]
    assert {error.reason for error in errors} == {"a field that occurs twice"}


BAD_THEN_GOOD = [
    '{"a":"x","a":2}',
    '{"a":"x","b":"y","a":[],"s":1,"l":5,"a":2,"b":1,"l":[],"s":{}}',
    '{"s":{"x":[1],"y":{"k":"v"},"x":["a"],"y":{}},"a":2}',
    '{"s":{"x":[1]},"s":{"x":["a"]},"a":2}',
    '{"l":[{"z":1,"z":"q","w":0,"w":true}],"a":2}',
    '{"a":1e99,"\\u0061":2}',
    '{"a":"x","skipped":{"a":1},"a":2}',
    '{"s":{"y":{"k":"bad","k":2,"j":1}},"a":2}',
    '{"s":{"y":{"k":"bad","j":[],"k":{},"k":2,"j":3}},"a":2}',
]


@pytest.mark.parametrize("text", BAD_THEN_GOOD)
def test_a_bad_value_before_a_good_one(text: str) -> None:
    """Only the last value of a field or key counts: a value that is replaced may be of any type."""
    decoder = JSONDecoder(NESTED)
    rows, errors = decode(decoder, text, '{"a":7}')
    assert not errors
    assert rows == decode(decoder, json.dumps(json.loads(text)), '{"a":7}')[0]
    assert decode(JSONDecoder(NESTED, duplicates="error"), text)[1]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"a":1,"a":"x"}', "a"),
        ('{"a":"x","l":5,"a":1}', "l"),
        ('{"a":"x","l":5}', "a"),
        ('{"l":5,"a":"x","l":[]}', "a"),
        ('{"s":{"y":{"k":1,"j":"bad","k":2}},"a":1}', "s.y[]"),
        ('{"s":{"y":{"k":1,"k":"bad"}},"a":1}', "s.y[]"),
        ('{"s":{"x":[1]},"a":"x","a":1}', "s.x[]"),
        ('{"a":"x","l":[}', "a"),
        ('{"a":"x","s":{"x":[1]', "a"),
        ('{"a":"x\x01","a":1}', "a"),
    ],
)
def test_a_bad_value_that_counts(text: str, field: str) -> None:
    """The error is about the first bad value that no later value replaces.

    The other rows do not change.
    """
    rows, errors = decode(JSONDecoder(NESTED), '{"a":5}', text, '{"a":6}')
    assert [row and row["a"] for row in rows] == [5, None, 6]
    assert [error.field for error in errors] == [field]


def test_many_bad_values() -> None:
    """Each bad value is read once and skipped once, whatever their number is, also in maps."""
    keys = [f"k{number}" for number in range(500)]
    bad = ",".join(f'"{key}":"bad"' for key in keys)
    good = ",".join(f'"{key}":1' for key in keys)
    kind = pa.map_(pa.string(), pa.int8())
    assert value_of(kind, f"{{{bad},{good}}}") == [(key, 1) for key in keys]
    rows, [error] = decode(JSONDecoder(kind), f'{{{bad},{good},"k7":null,"x":"bad"}}')
    assert rows == [None]
    assert error.reason == "not a number"


def test_duplicate_keys_of_maps() -> None:
    """If a key of a map occurs twice, its last entry counts. With an option, this is an error."""
    text = '{"b":1,"a":2,"b":3,"aa":4}'
    kind = pa.map_(pa.string(), pa.int8())
    assert value_of(kind, text) == [("a", 2), ("b", 3), ("aa", 4)]
    strict = JSONDecoder(kind, duplicates="error")
    rows, [error] = decode(strict, '{"b":1,"a":2,"ab":3}', text, '{"b":1}')
    assert rows == [{"value": [("b", 1), ("a", 2), ("ab", 3)]}, None, {"value": [("b", 1)]}]
    assert error == RowError(1, len(text), "value", "a key that occurs twice")


def test_missing() -> None:
    """A missing field is null if it may be null, and otherwise an error."""
    texts = ['{"a":1}', "{}", '{"b":"x","a":null}']
    rows, errors = decode(MADE, *texts)
    assert not errors
    assert rows == [{"a": 1, "b": None}, {"a": None, "b": None}, {"a": None, "b": "x"}]
    rows, errors = decode(JSONDecoder(pa.schema(MADE), missing="error"), *texts)
    assert [row is None for row in rows] == [True, True, False]
    assert errors == [
        RowError(0, 7, "b", "a field that is missing"),
        RowError(1, 2, "a", "a field that is missing"),
    ]


def test_fields_that_are_not_nullable() -> None:
    """Fields that are not nullable must be present and not null.

    Their columns are still nullable, because bad rows are null.
    """
    inner = pa.struct([pa.field("y", pa.int8(), nullable=False)])
    items = pa.list_(pa.field("element", pa.int8(), nullable=False))
    schema = pa.schema([pa.field("x", pa.int8(), nullable=False), ("s", inner), ("l", items)])
    decoder = JSONDecoder(schema)
    texts = ['{"x":1}', '{"x":null}', "{}", '{"x":1,"s":{}}', '{"x":1,"l":[1,null]}']
    rows, errors = decode(decoder, *texts)
    assert rows == [{"x": 1, "s": None, "l": None}, *[None] * 4]
    assert [(error.field, error.offset) for error in errors] == [
        ("x", 5),
        ("x", 2),
        ("s.y", 13),
        ("l[]", 14),
    ]
    assert pa.schema(decoder).field("l").type.value_field.name == "element"
    assert all(field.nullable for field in pa.schema(decoder))


def test_extra() -> None:
    """Fields that the schema does not have are skipped, or are an error at the place where they
    begin."""
    text = '{"a":1,"c":[{"d":null}],"b":"x"}'
    assert decode(MADE, text) == ([{"a": 1, "b": "x"}], [])
    rows, errors = decode(JSONDecoder(pa.schema(MADE), extra="error"), text)
    assert rows == [None]
    assert errors == [RowError(0, 7, "", "a field that the schema does not have")]


def test_columns() -> None:
    """Only the selected fields become columns, in the order of the selection; the other fields do
    not count as unknown."""
    decoder = JSONDecoder(NESTED, columns=["l", "s.y"], extra="error", missing="error")
    assert pa.schema(decoder).names == ["l", "s"]
    rows, errors = decode(decoder, '{"a":"any","s":{"y":{},"x":0},"l":[]}', '{"a":tru}')
    assert rows == [{"l": [], "s": {"y": []}}, None]
    assert [(error.field, error.offset) for error in errors] == [("", 5)]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (["b"], "no field 'b'; there are a, s, l"),
        (["s.z"], "no field 's.z'"),
        (["a.x"], "'a' is not an object"),
        (["l.z"], "'l' is not an object"),
        ([], "empty"),
    ],
)
def test_columns_that_are_not_there(columns: list[str], problem: str) -> None:
    """The error contains the path of a field that cannot be selected."""
    with pytest.raises(ValueError, match=problem):
        JSONDecoder(NESTED, columns=columns)


def test_nulls() -> None:
    """A null payload becomes a null row without an error.

    The value null also becomes a null row, if the schema allows null.
    """
    assert decode(MADE, None, "null")[1] == [RowError(1, 0, "", "null, where the schema has none")]
    decoder = JSONDecoder({"type": ["object", "null"], "properties": {"a": {"type": "string"}}})
    assert decode(decoder, None, "null", "{}") == ([None, None, {"a": None}], [])


def test_many_rows() -> None:
    """Good, bad and null rows can be mixed, even if they need more memory than was reserved at
    first."""
    rng = Random(4)
    good = {"a": 7, "s": {"x": ["é", None], "y": [("k", 1)]}, "l": [{"z": "long" * 9, "w": None}]}
    text = json.dumps({**good, "s": {"x": ["é", None], "y": {"k": 1}}})
    payloads: list[str | None] = []
    expected = []
    for _ in range(5000):
        kind = rng.randrange(4)
        cut = rng.randrange(len(text))
        payloads.append([text, text, None, text[:cut]][kind])
        expected.append(good if kind < 2 else None)
    rows, errors = decode(JSONDecoder(NESTED), *payloads)
    assert rows == expected
    wanted = [row for row, one in enumerate(payloads) if one is not None and one != text]
    assert [error.row for error in errors] == wanted


# --- hostile bytes

GOOD = (
    b'{"a":-12,"s":{"x":["a\\u00e9\\n","\xc3\xa9"],"y":{"k":1}},"extra":[1.5e3,{"t":true,"n":null}],'
    b'"l":[{"z":"q","w":false},null]}'
)


def test_cut_payloads() -> None:
    """A payload that is cut short anywhere is an error at that place.

    The other rows do not change.
    """
    payloads = []
    for size in range(len(GOOD)):
        payloads += [GOOD[:size], GOOD]
    rows, errors = decode(JSONDecoder(NESTED), *payloads)
    assert [row is None for row in rows] == [True, False] * len(GOOD)
    assert all(row == rows[1] for row in rows[1::2])
    assert [error.row for error in errors] == list(range(0, 2 * len(GOOD), 2))


def test_spoilt_payloads() -> None:
    """If any byte is changed, the result is a row, or an error with a place within the payload."""
    payloads = [
        GOOD[:place] + bytes([byte]) + GOOD[place + 1 :]
        for place in range(len(GOOD))
        for byte in b'\x00"\\{}[]:,0-.eE \x7f\x80\xc3\xed\xf5\xff'
    ]
    rows, errors = decode(JSONDecoder(NESTED), *payloads)
    assert sum(row is None for row in rows) == len(errors)
    assert all(0 <= error.offset <= len(GOOD) for error in errors)


BAD_UTF8 = [
    b"\x80",
    b"\xc3",
    b"\xc0\x80",
    b"\xc1\xbf",
    b"\xe0\x80\x80",
    b"\xed\xa0\x80",
    b"\xf0\x80\x80\x80",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xff",
]


@pytest.mark.parametrize("data", BAD_UTF8)
@pytest.mark.parametrize("before", ["", "1234567", "12345678", "\\n"])
def test_utf8(data: bytes, before: str) -> None:
    """Strings, keys and skipped values must be UTF-8."""
    text = b'"' + before.encode() + data + b'"'
    payloads = [b'{"b":' + text + b"}", b"{" + text + b":1}", b'{"c":' + text + b"}"]
    rows, errors = decode(MADE, *payloads)
    assert rows == [None] * 3
    assert {error.reason for error in errors} == {"a string that is not UTF-8"}


@pytest.mark.parametrize("before", ['{"c":', "["])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth(before: str, opening: str, closing: str) -> None:
    """Skipped values may be nested at most 64 deep, so that no payload needs more of the stack."""
    decoder = JSONDecoder(pa.schema([("a", pa.int8())]))
    for depth, is_good in ((64, True), (65, False), (100_000, False)):
        text = f'{{"c":{opening * depth}0{closing * depth}}}'
        rows, errors = decode(decoder, text)
        assert (not errors) is is_good
        assert is_good or "64 deep" in errors[0].reason
    rows, errors = decode(decoder, (before + opening) * 100_000)
    assert rows == [None]
    assert errors


def test_deep_columns() -> None:
    """Columns can be nested up to the limit. Deeper columns are refused."""
    kind: pa.DataType = pa.int8()
    for _ in range(62):
        kind = pa.list_(kind)
    rows, errors = decode(JSONDecoder(kind), "[" * 62 + "1" + "]" * 62)
    assert not errors
    value = rows[0]["value"]
    for _ in range(62):
        [value] = value
    assert value == 1
    with pytest.raises(ValueError, match="64 deep"):
        JSONDecoder(pa.list_(pa.list_(kind)))


# --- schemas

SCHEMAS = [
    ({"type": "integer"}, pa.int64()),
    ({"type": "integer", "format": "int16"}, pa.int16()),
    ({"type": ["null", "integer", "number"]}, pa.float64()),
    ({"type": "number", "format": "float"}, pa.float32()),
    ({"type": "boolean"}, pa.bool_()),
    ({"type": "null"}, pa.null()),
    ({"type": "string"}, pa.string()),
    ({"type": "string", "format": "email"}, pa.string()),
    ({"type": "string", "format": "date-time"}, pa.timestamp("us", "UTC")),
    ({"type": "string", "format": "date"}, pa.date32()),
    ({"type": "string", "format": "time"}, pa.time64("us")),
    ({"type": "string", "format": "uuid"}, pa.uuid()),
    ({"type": "string", "contentEncoding": "base64"}, pa.binary()),
    ({"enum": ["a", "b"]}, pa.string()),
    ({"const": "a"}, pa.string()),
    ({"type": "array", "items": {"type": "string"}}, pa.list_(pa.string())),
    ({"items": {"type": "string"}}, pa.list_(pa.string())),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}},
        pa.map_(pa.string(), pa.int64()),
    ),
    (
        {"type": "array", "items": {"properties": {"a": {"type": "string"}}}},
        pa.list_(pa.struct([("a", pa.string())])),
    ),
    ({"anyOf": [{"type": "null"}, {"type": "string"}]}, pa.string()),
    ({"oneOf": [{"type": "string"}]}, pa.string()),
    ({"oneOf": [{"type": "null", "title": "Not included"}, {"type": "string"}]}, pa.string()),
    ({"anyOf": [{"type": "integer"}, {"type": ["null"], "default": None}]}, pa.int64()),
    ({"oneOf": [{"const": None}, {"type": "string"}]}, pa.string()),
    ({"oneOf": [{"enum": [None]}, {"type": "string"}]}, pa.string()),
    ({"$ref": "#/$defs/a~1b%20c", "$defs": {"a/b c": {"type": "string"}}}, pa.string()),
    ({"$ref": "#/allOf/0", "allOf": [{"type": "string"}]}, pa.string()),
]


@pytest.mark.parametrize(("schema", "kind"), SCHEMAS)
def test_json_schemas(schema: dict[str, Any], kind: pa.DataType) -> None:
    """A JSON Schema determines the type of the column. The schema may be a text or a dict."""
    assert pa.schema(JSONDecoder(schema)).types == [kind]
    assert pa.schema(JSONDecoder(json.dumps(schema))).types == [kind]


def test_a_null_with_a_title() -> None:
    """The title of a null does not matter: the value may be null."""
    null = {"type": "null", "title": "Not included", "description": "", "examples": [None]}
    schema = {"properties": {"a": {"oneOf": [null, {"type": "string"}]}}, "required": ["a"]}
    rows, errors = decode(JSONDecoder(schema), '{"a":null}', '{"a":"x"}')
    assert not errors
    assert rows == [{"a": None}, {"a": "x"}]


TEXT = {"type": "string"}
REFERENCES: list[tuple[str, dict[str, Any]]] = [
    ("#x", {"$defs": {"a": {"$anchor": "x", **TEXT}}}),
    ("#x", {"$defs": {"a": {"$dynamicAnchor": "x", **TEXT}}}),
    ("#x", {"definitions": {"a": {"$id": "#x", **TEXT}}}),
    ("#x", {"definitions": {"a": {"id": "#x", **TEXT}}}),
    ("#x", {"$id": "http://e/s.json", "$defs": {"a": {"$anchor": "x", **TEXT}}}),
    ("#x", {"$id": "urn:example:s", "$defs": {"a": {"$anchor": "x", **TEXT}}}),
    ("http://e/s.json#/$defs/a", {"$id": "http://e/s.json", "$defs": {"a": TEXT}}),
    ("http://e/s.json#/$defs/a", {"$id": "http://e/s.json#", "$defs": {"a": TEXT}}),
    ("http://e/s.json#/$defs/a", {"id": "http://e/s.json#", "$defs": {"a": TEXT}}),
    ("s.json#/$defs/a", {"$id": "http://e/s.json", "$defs": {"a": TEXT}}),
    ("/s.json#x", {"$id": "http://e/d/../s.json", "$defs": {"a": {"$id": "/s.json#x", **TEXT}}}),
    ("urn:example:s#/$defs/a", {"$id": "urn:example:s", "$defs": {"a": TEXT}}),
    ("urn:example:a", {"$defs": {"a": {"id": "urn:example:a", **TEXT}}}),
    ("a.json", {"$defs": {"a": {"$id": "a.json", **TEXT}}}),
    ("http://e/d/a.json", {"$id": "http://e/d/", "$defs": {"a": {"$id": "a.json", **TEXT}}}),
    (
        "a.json",
        {"$defs": {"a": {"$id": "a.json", "$ref": "#/$defs/b", "$defs": {"b": TEXT}}, "b": {}}},
    ),
    (
        "http://e/d/a#/$defs/b",
        {
            "$id": "http://e/s",
            "$defs": {"a": {"$id": "d/a", "$defs": {"b": {"$ref": "c#x"}}}, "c": {"$id": "c"}},
            "not": {"$id": "d/c", "$defs": {"x": {"$anchor": "x", **TEXT}}},
        },
    ),
    # The pointer passes through a schema with an `$id`. That `$id` applies to references below it.
    (
        "#/$defs/a/items",
        {"$defs": {"a": {"$id": "d/a", "items": {"$ref": "b"}}, "b": {"$id": "d/b", **TEXT}}},
    ),
    # These schemas contain data and names that look like identifiers.
    ("a", {"default": {"$id": "a"}, "$defs": {"$id": {"const": "x", "$id": "a"}}}),
    ("#x", {"enum": [{"$anchor": "x"}], "$defs": {"const": {"$anchor": "x", **TEXT}}}),
    # An `id` that is only information for readers does not hide a definition.
    ("#/$defs/a", {"$defs": {"a": {"id": "7", "$ref": "#/$defs/b"}, "b": TEXT}}),
]


@pytest.mark.parametrize(("reference", "schema"), REFERENCES)
def test_references(reference: str, schema: dict[str, Any]) -> None:
    """References are relative to `$id`, and name a schema by its `$id`, its anchor or a JSON
    pointer."""
    wanted = {"a": pa.string(), "b": pa.list_(pa.string())}
    uses: dict[str, Any] = {"a": {"$ref": reference}, "b": {"items": {"$ref": reference}}}
    decoder = JSONDecoder({**schema, "type": "object", "properties": uses})
    assert pa.schema(decoder) == pa.schema(list(wanted.items()))


def test_json_schema_of_objects() -> None:
    """`required` and the type null determine which fields may be null or missing."""
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "at": {"$ref": "#/definitions/time"},
            "to": {"$ref": "#/definitions/time"},
            "tags": {"type": "array", "items": {"type": ["string", "null"]}},
        },
        "required": ["id", "to"],
        "definitions": {"time": {"type": ["string", "null"], "format": "date-time"}},
    }
    texts = [
        '{"id":1,"to":null,"tags":["a",null]}',
        '{"id":1,"tags":null,"at":"2024-01-01T00:00:00Z"}',
        '{"id":null,"to":null}',
        '{"to":null}',
    ]
    rows, errors = decode(JSONDecoder(schema), *texts)
    assert rows == [
        {"id": 1, "at": None, "to": None, "tags": ["a", None]},
        {"id": 1, "at": datetime(2024, 1, 1, tzinfo=UTC), "to": None, "tags": None},
        None,
        None,
    ]
    assert [error.field for error in errors] == ["id", "id"]


def test_enums() -> None:
    """An enum becomes strings, or a dictionary that has only the values of the enum."""
    schema = {"properties": {"e": {"enum": ["x", "yy", None, "zé"]}}}
    texts = ['{"e":"zé"}', '{"e":"z\\u00e9"}', '{"e":"x"}', '{"e":null}', "{}", '{"e":"xx"}']
    rows, errors = decode(JSONDecoder(schema), *texts)
    assert not errors
    assert [row["e"] for row in rows] == ["zé", "zé", "x", None, None, "xx"]
    decoder = JSONDecoder(schema, enums="dictionary")
    assert pa.schema(decoder).types == [pa.dictionary(pa.int32(), pa.string())]
    rows, [error] = decode(decoder, *texts)
    assert [row and row["e"] for row in rows] == ["zé", "zé", "x", None, None, None]
    assert error == RowError(5, 5, "e", "a string that the enum does not have")


REFUSED_SCHEMAS: list[tuple[Any, str]] = [
    ("{", "not JSON"),
    ("false", "the value is false, which no value matches"),
    ({"properties": {"a": {"properties": {"b": False}}}}, "'a.b' is false"),
    ({"properties": {"a": "text"}}, "'a' is 'text', which is not a schema"),
    ({"properties": {"a": {"items": {"properties": {"b": False}}}}}, "'a\\[\\].b' is false"),
    ({"type": "text"}, "of the type 'text'"),
    ({"type": "string", "allOf": [{"type": "integer"}]}, "of no type"),
    ({"anyOf": [False, False]}, "false"),
    ({"properties": {"a\0": {"type": "null"}}}, "has a NUL"),
    ({"properties": 5}, "'properties' of '5'"),
    ({"anyOf": {}}, "not a list"),
    (
        {"$ref": "other.json"},
        "'other.json', which is not within the schema; copy it into '\\$defs'",
    ),
    ({"$id": "http://e/a", "$ref": "b#/c"}, "'b#/c', .* with the '\\$id' 'http://e/b'"),
    ({"$id": "http://e/a", "$ref": "http://[#x"}, "'http://\\[#x', which is not within"),
    ({"$ref": "http://[#x"}, "'http://\\[#x', which is not within"),
    ({"$ref": 5}, "a reference to '5', which is not a text"),
    ({"$ref": "#x", "items": {"$anchor": "y"}}, "'#x', which is not there; add it"),
    ({"$ref": "#/allOf/" + "9" * 5000, "allOf": [{}]}, "which is not there"),
    ({"$ref": "#/allOf/00", "allOf": [{}]}, "which is not there"),
    ({"$ref": "#/type/x", "type": "string"}, "which is not there"),
    ({"$ref": "#/$defs/a"}, "'#/\\$defs/a', which is not there"),
    ({"$ref": "#"}, "a reference that only leads back to itself"),
    (
        {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}},
        "a reference that only leads back to itself",
    ),
]


DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]

INVALID_SCHEMAS: list[tuple[Any, str]] = [
    ("[" * 100_000, "schema is not JSON"),
    ('{"a":' * 100_000, "schema is not JSON"),
    ({"type": [{}]}, "of the type"),
    ({"type": {}}, "of the type '{}'"),
    ({"type": [None]}, "of the type"),
    ({"type": DEEP}, "of the type a list that is nested too deep"),
    ({"properties": {"a": {}}, "required": 5}, "a schema whose 'required' is '5', not a list"),
    ({"properties": {"a": {}}, "required": "a"}, "a schema whose 'required' is 'a', not a list"),
    ({"properties": {"a": {"type": "null"}, 5: {}}}, "an object with the field 5, which is no"),
    ({"properties": {None: {}}}, "an object with the field None, which is not a text"),
    ({"properties": {"a": {"enum": 5}}}, "'a' is a schema whose 'enum' is '5', not a list"),
    ({"type": "string", "enum": "xy"}, "a schema whose 'enum' is 'xy', not a list"),
    ({"$defs": {5: {}}, 5: {}, "$ref": "#x"}, "'#x', which is not there"),
]


@pytest.mark.parametrize(("schema", "problem"), INVALID_SCHEMAS, ids=map(str, range(13)))
def test_invalid_json_schemas(schema: Any, problem: str) -> None:
    """A JSON Schema that is not valid is refused, and the error contains the place."""
    with pytest.raises(JSONSchemaError, match=problem):
        JSONDecoder(schema, enums="dictionary")


def test_a_json_schema_within_itself() -> None:
    """A schema that was built by hand may contain itself, and references in it are still found."""
    schema: dict[str, Any] = {"$id": "a/", "$ref": "#x", "$defs": {"x": {"$anchor": "x", **TEXT}}}
    schema["$defs"]["circle"] = schema["circle"] = schema
    assert pa.schema(JSONDecoder(schema)).types == [pa.string()]


@pytest.mark.parametrize(("schema", "problem"), REFUSED_SCHEMAS)
def test_refused_json_schemas(schema: Any, problem: str) -> None:
    """The error contains the path of a type that cannot be a column."""
    with pytest.raises(JSONSchemaError, match=problem):
        JSONDecoder(schema)


def test_json_schema_that_grows() -> None:
    """A few definitions that refer to each other cannot fill the memory or the stack."""
    definitions: dict[str, Any] = {"0": {"type": "string"}}
    for depth in range(1, 40):
        inner = {"$ref": f"#/$defs/{depth - 1}"}
        definitions[str(depth)] = {"properties": {"a": inner, "b": inner}}
    with pytest.raises(JSONSchemaError, match="more than 100000 values"):
        JSONDecoder({"$ref": "#/$defs/39", "$defs": definitions})
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        deep = {"items": deep}
    with pytest.raises(JSONSchemaError, match="48 deep"):
        JSONDecoder(deep)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (pa.float16(), "float of 16 bits"),
        (pa.date64(), "date of 64 bits"),
        (pa.duration("s"), "duration"),
        (pa.decimal128(3, -2), "decimal of a negative scale"),
        (pa.decimal32(3, 2), "decimal .* of 32"),
        (pa.month_day_nano_interval(), "interval"),
        (pa.list_(pa.int8(), 2), "list of a fixed size"),
        (pa.dictionary(pa.int8(), pa.string()), "dictionary"),
        (pa.map_(pa.int8(), pa.int8()), "keys are not strings"),
        (pa.sparse_union([pa.field("a", pa.int8())]), "union"),
        (pa.run_end_encoded(pa.int32(), pa.int8()), "run-end"),
        (pa.binary(0), "w:0"),
    ],
)
def test_refused_arrow_types(kind: pa.DataType, words: str) -> None:
    """The error contains the path of a type that JSON has no text for."""
    with pytest.raises(ValueError, match=f"the type is .*{words}"):
        JSONDecoder(kind)
    with pytest.raises(ValueError, match=rf"'a.b\[\]' is .*{words}"):
        JSONDecoder(pa.schema([("a", pa.struct([("b", pa.list_(kind))]))]))


def test_arrow_schemas() -> None:
    """The columns have the schema's names and types.

    Large types and view types become plain types.
    """
    assert pa.schema(JSONDecoder(NESTED)) == NESTED
    schema = pa.schema([("a", pa.large_string()), ("b", pa.large_list(pa.binary_view()))])
    plain = pa.schema([("a", pa.string()), ("b", pa.large_list(pa.binary()))])
    assert pa.schema(JSONDecoder(schema)).field("a").type == plain.field("a").type
    assert pa.schema(JSONDecoder(schema)).field("b").type == pa.list_(pa.binary())
    assert pa.schema(JSONDecoder(pa.field("x", pa.int8()))) == pa.schema([("value", pa.int8())])
    with pytest.raises(ValueError, match="two fields 'a'"):
        JSONDecoder(pa.schema([("a", pa.int8()), ("a", pa.int8())]))


def test_polars() -> None:
    """A schema and payloads of polars have the same results as a schema and payloads of pyarrow."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    schema = polars.Schema({"a": polars.Int64(), "b": polars.List(polars.String())})
    rows = JSONDecoder(schema).decode(polars.Series(['{"a":1,"b":["x"]}', None]))
    assert polars.DataFrame(rows).rows() == [(1, ["x"]), (None, None)]


# --- arguments


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"missing": "no"}, "missing must be 'null' or 'error', not 'no'"),
        ({"extra": None}, "extra must be 'ignore' or 'error', not None"),
        ({"duplicates": "first"}, "duplicates must be 'last' or 'error', not 'first'"),
        ({"epoch": 1}, "epoch must be bool, not int"),
        ({"enums": "int"}, "enums must be one of string, dictionary, not 'int'"),
        ({"columns": "a"}, "columns must be a list of str"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], problem: str) -> None:
    """A value that an argument does not allow is refused with the name of the argument."""
    with pytest.raises((TypeError, ValueError), match=problem):
        JSONDecoder(NESTED, **arguments)


@pytest.mark.parametrize("schema", [None, 1, [], b"{}"])
def test_bad_schemas(schema: Any) -> None:
    """A schema that is neither Arrow's nor a JSON Schema is refused."""
    with pytest.raises(TypeError, match="schema must be an Arrow schema"):
        JSONDecoder(schema)


class Odd:
    """An object whose method returns what the test wants."""

    def __init__(self, given: object) -> None:
        self.given = given

    def __arrow_c_schema__(self) -> object:
        return self.given


def test_odd_capsules() -> None:
    """An object that returns no schema, or an array's capsule, is refused."""
    with pytest.raises(TypeError, match="'arrow_schema', not int"):
        JSONDecoder(Odd(1))
    with pytest.raises(TypeError, match="'arrow_schema', not PyCapsule"):
        JSONDecoder(Odd(pa.array([1]).__arrow_c_array__()[1]))
    capsule = pa.schema([("a", pa.int8())]).__arrow_c_schema__()
    pa.schema(Odd(capsule))
    with pytest.raises(ValueError, match="used before"):
        JSONDecoder(Odd(capsule))


STRUCT = (
    "+s",
    "",
    True,
    (
        ("l", "a", True, (), None, None),
        ("+l", "b", True, (("u", "item", True, (), None, None),), None, None),
    ),
    None,
    None,
)
NUMBER = ("int64", 1, 1, 0, 0, (), (), "a")
STRINGS = ("array", 2, 1, 0, 0, (), (("string", 3, 1, 0, 0, (), (), "b[]"),), "b")
PROGRAMS: list[tuple[type[Exception], Any]] = [
    (TypeError, ()),
    (TypeError, ("object",)),
    (ValueError, ("none", 0, 1, 0, 0, (), (), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a",), (NUMBER,), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a", "b"), (NUMBER, None), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a", "a"), (NUMBER, STRINGS), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a", "b"), (NUMBER, NUMBER), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a",), (NUMBER, STRINGS), "")),
    (ValueError, ("object", 1, 1, 0, 0, ("a", "b"), (NUMBER, STRINGS), "")),
    (ValueError, ("object", 9, 1, 0, 0, ("a", "b"), (NUMBER, STRINGS), "")),
    (ValueError, ("object", -1, 1, 0, 0, ("a", "b"), (NUMBER, STRINGS), "")),
    (ValueError, ("object", 0, 1, 99, 0, ("a", "b"), (NUMBER, STRINGS), "")),
    (OverflowError, ("object", 2**40, 1, 0, 0, ("a", "b"), (NUMBER, STRINGS), "")),
    (ValueError, ("row", 0, 1, 0, 0, (), (NUMBER,), "")),
    (ValueError, ("row", 0, 1, 0, 0, (), (None,), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a", "b"), (NUMBER, ("map", *STRINGS[1:])), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a", "b"), (("int32", *NUMBER[1:]), STRINGS), "")),
    (ValueError, ("object", 0, 1, 0, 0, ("a", "b"), ((*NUMBER[:6], (NUMBER,), "a"), STRINGS), "")),
    (TypeError, ("object", 0, 1, 0, 0, ["a", "b"], (NUMBER, STRINGS), "")),
    (TypeError, ("object", 0, 1, 0, 0, ("a", 1), (NUMBER, STRINGS), "")),
    (TypeError, ("object", 0, 1, 0, 0, ("a", "b"), (NUMBER, 1), "")),
    (TypeError, ("object", "0", 1, 0, 0, ("a", "b"), (NUMBER, STRINGS), "")),
    (TypeError, ("object", 0, 1, 0, 0, ("a", "b"), (NUMBER, STRINGS), None)),
]


@pytest.mark.parametrize(("error", "program"), PROGRAMS)
def test_programs_that_do_not_fit(error: type[Exception], program: Any) -> None:
    """A program that could write outside of its columns is refused."""
    with pytest.raises(error):
        _RowProgram("json", STRUCT, program)


def test_a_program_that_fits() -> None:
    """The valid program, from which the wrong programs are made, is accepted."""
    _RowProgram("json", STRUCT, ("object", 0, 1, 0, 0, ("a", "b"), (NUMBER, STRINGS), ""))
