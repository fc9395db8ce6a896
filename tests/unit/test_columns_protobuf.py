"""ProtobufDecoder reads payloads as Arrow columns. tests/fuzz compares it with google.protobuf."""

from __future__ import annotations

import json
import locale
import math
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("google.protobuf", reason="protobuf is not installed")
pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from confluent_kafka.cimpl import _decode_rows, _RowProgram
from confluent_kafka.columns import ProtobufDecoder, RowError
from tests.support.protobuf import compiled, message_class, sized, tag, varint
from tests.support.scripts import run_script

HEAD = 'syntax = "proto3"; package t; '


def compile_message(body: str, head: str = HEAD) -> bytes:
    """The FileDescriptorSet of a file with this content."""
    return compiled(head + body)


def decoded(descriptors: bytes, *payloads: bytes | None, **options: Any) -> pa.Array:
    """The rows of t.M as an array. Checks that all rows are good and that the array is valid."""
    rows = ProtobufDecoder(descriptors, "t.M", **options).decode(pa.array(payloads, pa.binary()))
    assert rows.errors == []
    array = pa.array(rows)
    array.validate(full=True)
    return array


def errors(descriptors: bytes, *payloads: bytes, **options: Any) -> list[RowError]:
    """The errors of payloads; rows with an error are null."""
    rows = ProtobufDecoder(descriptors, "t.M", **options).decode(pa.array(payloads, pa.binary()))
    array = pa.array(rows)
    array.validate(full=True)
    bad = {error.row for error in rows.errors}
    assert [not row.is_valid for row in array] == [place in bad for place in range(len(array))]
    return rows.errors


# ---- types


SCALARS = {
    "double": (pa.float64(), 1.5, 0.0),
    "float": (pa.float32(), 0.5, 0.0),
    "int32": (pa.int32(), -(2**31), 0),
    "int64": (pa.int64(), -(2**63), 0),
    "uint32": (pa.uint32(), 2**32 - 1, 0),
    "uint64": (pa.uint64(), 2**64 - 1, 0),
    "sint32": (pa.int32(), -(2**31), 0),
    "sint64": (pa.int64(), -(2**63), 0),
    "fixed32": (pa.uint32(), 2**32 - 1, 0),
    "fixed64": (pa.uint64(), 2**64 - 1, 0),
    "sfixed32": (pa.int32(), -1, 0),
    "sfixed64": (pa.int64(), -1, 0),
    "bool": (pa.bool_(), True, False),
    "string": (pa.string(), "h\xe9", ""),
    "bytes": (pa.binary(), b"\xff\0", b""),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name: str) -> None:
    """Each type becomes an Arrow type. A missing field is the default, or null with presence."""
    kind, value, default = SCALARS[name]
    descriptors = compile_message(
        f"message M {{ {name} a = 1; optional {name} b = 2; repeated {name} c = 3; }}"
    )
    message = message_class(descriptors, "t.M")
    full = message(a=value, b=value, c=[value, default]).SerializeToString()
    array = decoded(descriptors, full, b"", message(b=default).SerializeToString(), None)
    assert [array.type[i].type for i in range(3)] == [kind, kind, pa.list_(kind)]
    assert array.to_pylist() == [
        {"a": value, "b": value, "c": [value, default]},
        {"a": default, "b": None, "c": []},
        {"a": default, "b": default, "c": []},
        None,
    ]


def test_numbers_of_more_bits() -> None:
    """Bits that a type does not have are cut off. For a bool, any number that is not 0 is true."""
    descriptors = compile_message("message M { int32 a = 1; bool b = 2; uint32 c = 3; }")
    many = varint(2**40 + 7)
    array = decoded(descriptors, tag(1, 0) + many + tag(2, 0) + many + tag(3, 0) + many)
    assert array.to_pylist() == [{"a": 7, "b": True, "c": 7}]


def test_presence_of_proto2() -> None:
    """A missing field is null, even if the file gives a default, or if the field is required."""
    descriptors = compile_message(
        "message M { required int32 a = 1; optional int32 b = 2 [default = 7]; }",
        'syntax = "proto2"; package t; ',
    )
    assert decoded(descriptors, b"").to_pylist() == [{"a": None, "b": None}]


def test_presence_of_editions() -> None:
    """The features of the file and of the field decide whether a missing field is null."""
    descriptors = compile_message(
        "message M { int32 a = 1; int32 b = 2 [features.field_presence = IMPLICIT]; }",
        'edition = "2023"; package t; ',
    )
    assert decoded(descriptors, b"").to_pylist() == [{"a": None, "b": 0}]


def test_packed_and_unpacked() -> None:
    """The decoder reads packed and unpacked fields, even mixed, whichever encoding the file
    requires."""
    packed = tag(1, 2) + sized(varint(1) + varint(300))
    unpacked = tag(1, 0) + varint(5)
    for option in ("true", "false"):
        descriptors = compile_message(f"message M {{ repeated int32 a = 1 [packed = {option}]; }}")
        array = decoded(descriptors, packed + unpacked + packed, tag(1, 2) + sized(b""))
        assert array.to_pylist() == [{"a": [1, 300, 5, 1, 300]}, {"a": []}]


def test_repeated_fields_that_take_turns() -> None:
    """If two repeated fields alternate, each field gets its own items, in order."""
    descriptors = compile_message(
        "message M { repeated string a = 1; repeated N b = 2; } message N { repeated int32 c = 1; }"
    )
    one, two = tag(1, 2) + sized(b"x"), tag(1, 2) + sized(b"y")
    inner = tag(2, 2) + sized(tag(1, 0) + varint(1) + tag(1, 0) + varint(2))
    array = decoded(descriptors, one + inner + two + inner, inner)
    assert array.to_pylist() == [
        {"a": ["x", "y"], "b": [{"c": [1, 2]}, {"c": [1, 2]}]},
        {"a": [], "b": [{"c": [1, 2]}]},
    ]


def test_the_last_one_counts() -> None:
    """If a field occurs more than once, the last value replaces all earlier values."""
    descriptors = compile_message("message M { int32 a = 1; string b = 2; bool c = 3; }")
    first = tag(1, 0) + varint(1) + tag(2, 2) + sized(b"long") + tag(3, 0) + varint(1)
    second = tag(3, 0) + varint(0) + tag(2, 2) + sized(b"s") + tag(1, 0) + varint(2)
    array = decoded(descriptors, first + second, second + first)
    assert array.to_pylist() == [{"a": 2, "b": "s", "c": False}, {"a": 1, "b": "long", "c": True}]


def test_messages_are_merged() -> None:
    """If a message occurs again, its fields are merged into the earlier message, at any depth."""
    descriptors = compile_message(
        "message M { N n = 1; }"
        "message N { int32 a = 1; int32 b = 2; repeated int32 c = 3; N2 d = 4; }"
        "message N2 { int32 e = 1; int32 f = 2; }"
    )
    kind = message_class(descriptors, "t.M")
    first = kind(n={"a": 1, "b": 1, "c": [1], "d": {"e": 1}}).SerializeToString()
    second = kind(n={"b": 2, "c": [2], "d": {"f": 2}}).SerializeToString()
    merged = {"n": {"a": 1, "b": 2, "c": [1, 2], "d": {"e": 1, "f": 2}}}
    assert decoded(descriptors, first + second).to_pylist() == [merged]


def test_absent_messages_are_null() -> None:
    """A missing message is null, but an empty message is not."""
    descriptors = compile_message("message M { N n = 1; } message N { int32 a = 1; }")
    assert decoded(descriptors, b"", tag(1, 2) + sized(b"")).to_pylist() == [
        {"n": None},
        {"n": {"a": 0}},
    ]


def test_oneofs() -> None:
    """The last member of a oneof replaces the other members.

    If a replaced message comes again, it begins empty.
    """
    descriptors = compile_message(
        "message M { oneof o { string a = 1; N b = 2; int32 c = 3; } }"
        "message N { int32 d = 1; repeated int32 e = 2; }"
    )
    a = tag(1, 2) + sized(b"text")
    b = tag(2, 2) + sized(tag(1, 0) + varint(4) + tag(2, 0) + varint(5))
    c = tag(3, 0) + varint(0)
    nothing = {"a": None, "b": None, "c": None}
    array = decoded(descriptors, b"", a + b + c, c + b, b + a, b + a + tag(2, 2) + sized(b""))
    assert array.to_pylist() == [
        nothing,
        nothing | {"c": 0},
        nothing | {"b": {"d": 4, "e": [5]}},
        nothing | {"a": "text"},
        nothing | {"b": {"d": 0, "e": []}},
    ]


def test_a_oneof_of_which_one_member_is_asked_for() -> None:
    """A selected member of a oneof is also null if a later member without a column replaces it."""
    descriptors = compile_message(
        "message M { oneof o { string a = 1; int32 b = 2; } int32 c = 3; }"
    )
    a, b = tag(1, 2) + sized(b"text"), tag(2, 0) + varint(7)
    array = decoded(descriptors, a + b, b + a, columns=["a"])
    assert array.to_pylist() == [{"a": None}, {"a": "text"}]


def test_groups() -> None:
    """Groups are read like messages. Unknown groups are skipped with their contents."""
    descriptors = compile_message(
        "message M { optional group G = 1 { optional int32 a = 1; } repeated group H = 2 "
        "{ optional int32 b = 1; } optional int32 c = 3; }",
        'syntax = "proto2"; package t; ',
    )
    inner = tag(1, 0) + varint(4)
    unknown = tag(9, 3) + inner + tag(8, 3) + tag(8, 4) + tag(9, 4)
    payload = (
        tag(1, 3) + unknown + inner + tag(1, 4) + unknown
        + (tag(2, 3) + inner + tag(2, 4)) * 2 + tag(3, 0) + varint(5)
    )  # fmt: skip
    assert decoded(descriptors, payload).to_pylist() == [
        {"g": {"a": 4}, "h": [{"b": 4}, {"b": 4}], "c": 5}
    ]


def test_unknown_fields() -> None:
    """Unknown fields, and known fields with another wire type, are skipped."""
    descriptors = compile_message("message M { int32 a = 1; }")
    payload = (
        tag(2, 0) + varint(2**64 - 1) + tag(3, 1) + bytes(8) + tag(1, 0) + varint(4)
        + tag(4, 2) + sized(b"text") + tag(5, 5) + bytes(4) + tag(1, 5) + bytes(4)
    )  # fmt: skip
    assert decoded(descriptors, payload).to_pylist() == [{"a": 4}]


# ---- maps


def test_maps() -> None:
    """Keys have any type, and values may be messages. A missing key or value is the default."""
    descriptors = compile_message(
        "message M { map<string, int32> a = 1; map<int64, N> b = 2; map<bool, string> c = 3; }"
        "message N { int32 d = 1; repeated int32 e = 2; }"
    )
    nothing = sized(b"")
    payload = tag(1, 2) + nothing + tag(2, 2) + nothing + tag(3, 2) + nothing
    array = decoded(descriptors, payload, b"")
    assert array.type.field("a").type == pa.map_(pa.string(), pa.int32())
    assert array.to_pylist() == [
        {"a": [("", 0)], "b": [(0, {"d": 0, "e": []})], "c": [(False, "")]},
        {"a": [], "b": [], "c": []},
    ]


def entry(key: bytes, value: bytes) -> bytes:
    """An entry of the map in field 1, from a key and a value with their tags."""
    return tag(1, 2) + sized(tag(1, 2) + sized(key) + value)


@pytest.mark.parametrize("count", [2, 12, 13, 100])
def test_keys_that_come_again(count: int) -> None:
    """The last value of each key counts, for values of any type. Other rows do not change."""
    descriptors = compile_message(
        "message M { map<string, N> a = 1; }"
        "message N { int32 b = 1; repeated string c = 2; bool d = 3; map<string, int32> e = 4; "
        "optional double f = 5; }"
    )
    kind = message_class(descriptors, "t.M")
    keys = [f"key{number % (count // 2)}" for number in range(count)]
    values = [
        {
            "b": number,
            "c": ["text"] * (number % 3),
            "d": number % 2 == 0,
            "e": {str(number): number},
            "f": 0.5 if number % 2 else None,
        }
        for number in range(count)
    ]
    parts = [
        kind(a={key: {name: part for name, part in value.items() if part is not None}})
        for key, value in zip(keys, values, strict=True)
    ]
    payload = b"".join(part.SerializeToString() for part in parts)
    rows = decoded(descriptors, payload, b"", payload).to_pylist()
    for row in (rows[0], rows[2]):
        found = {key: value | {"e": dict(value["e"])} for key, value in row["a"]}
        assert len(row["a"]) == len(found)
        assert found == dict(zip(keys, values, strict=True))


def test_many_keys_take_no_more_than_their_share_of_time() -> None:
    """A map of 200,000 entries is read quickly, whether all keys are equal or all are different."""
    descriptors = compile_message("message M { map<string, int32> a = 1; }")
    same = entry(b"key", tag(2, 0) + varint(1)) * 200_000
    other = b"".join(entry(b"%06d" % number, b"") for number in range(200_000))
    lengths = [len(row["a"]) for row in decoded(descriptors, same, other)]
    assert lengths == [1, 200_000]


# ---- enums


COLOURS = "enum E { RED = 0; GREEN = 1; BLUE = 5; } message M { E a = 1; repeated E b = 2; }"


@pytest.mark.parametrize(
    ("enums", "kind", "values", "unknown"),
    [
        ("string", pa.string(), ["RED", "GREEN", "BLUE"], "7"),
        ("dictionary", pa.dictionary(pa.int32(), pa.string()), ["RED", "GREEN", "BLUE"], None),
        ("number", pa.int32(), [0, 1, 5], 7),
    ],
)
def test_open_enums(enums: str, kind: pa.DataType, values: list[Any], unknown: Any) -> None:
    """An unknown number stays a number, becomes its digits, or is null, depending on `enums`."""
    descriptors = compile_message(COLOURS)
    payload = tag(1, 0) + varint(5) + tag(2, 2) + sized(bytes([0, 1, 5, 7]))
    array = decoded(descriptors, payload, b"", tag(1, 0) + varint(7), enums=enums)
    assert array.type.field("a").type == kind
    assert array.to_pylist() == [
        {"a": values[2], "b": [*values, unknown]},
        {"a": values[0], "b": []},
        {"a": unknown, "b": []},
    ]


@pytest.mark.parametrize("enums", ["string", "dictionary", "number"])
def test_closed_enums(enums: str) -> None:
    """A number that the enum does not have counts as an unknown field, as if it were not in the
    payload."""
    descriptors = compile_message(
        "enum E { ZERO = 0; ONE = 1; MINUS = -1; } message M { optional E a = 1; repeated E b = 2; "
        "map<int32, E> c = 3; oneof o { E d = 4; int32 e = 5; } }",
        'syntax = "proto2"; package t; ',
    )
    one, minus = ("ONE", "MINUS") if enums != "number" else (1, -1)
    known, unknown = varint(1), varint(9)
    lost = tag(3, 2) + sized(tag(1, 0) + varint(7) + tag(2, 0) + unknown)
    kept = tag(3, 2) + sized(tag(1, 0) + varint(8) + tag(2, 0) + varint(-1))
    payload = (
        tag(1, 0) + known + tag(1, 0) + unknown + tag(2, 2) + sized(known + unknown)
        + lost + kept + lost + tag(5, 0) + varint(3) + tag(4, 0) + unknown
    )  # fmt: skip
    array = decoded(descriptors, payload, tag(1, 0) + unknown, enums=enums)
    assert array.to_pylist() == [
        {"a": one, "b": [one], "c": [(8, minus)], "d": None, "e": 3},
        {"a": None, "b": [], "c": [], "d": None, "e": None},
    ]


def test_the_other_names_of_a_number() -> None:
    """If a number has several names, the column has the first name, as in other Protobuf
    libraries."""
    descriptors = compile_message(
        "enum E { option allow_alias = true; A = 0; B = 1; C = 1; } message M { E a = 1; }"
    )
    for enums in ("string", "dictionary"):
        array = decoded(descriptors, tag(1, 0) + varint(1), enums=enums)
        assert array.to_pylist() == [{"a": "B"}]


# ---- well-known types


TIMES = (
    'import "google/protobuf/timestamp.proto"; import "google/protobuf/duration.proto";'
    "message M { google.protobuf.Timestamp a = 1; google.protobuf.Duration b = 2; }"
)


def times(number: int, *parts: tuple[int, int]) -> bytes:
    """A field with a Timestamp or a Duration in several parts."""
    return b"".join(
        tag(number, 2) + sized(tag(1, 0) + varint(seconds) + tag(2, 0) + varint(nanos))
        for seconds, nanos in parts
    )


def test_timestamps_and_durations() -> None:
    """Timestamps and durations become nanoseconds of 64 bits.

    If a message comes in parts, the parts are merged.
    """
    descriptors = compile_message(TIMES)
    largest, smallest = divmod(2**63 - 1, 10**9), divmod(-(2**63), 10**9)
    array = decoded(
        descriptors,
        times(1, largest) + times(2, largest),
        times(1, smallest) + times(2, (smallest[0] + 1, smallest[1] - 10**9)),
        times(1, (-1, 999_999_999)) + times(2, (0, -1)),
        tag(1, 2) + sized(tag(1, 0) + varint(-5)) + tag(1, 2) + sized(tag(2, 0) + varint(3)),
        tag(1, 2) + sized(b"") + tag(2, 2) + sized(b""),
        b"",
    )
    assert array.type.field("a").type == pa.timestamp("ns", "UTC")
    assert array.type.field("b").type == pa.duration("ns")
    assert array.field("a").cast(pa.int64()).to_pylist() == [
        2**63 - 1,
        -(2**63),
        -1,
        -5 * 10**9 + 3,
        0,
        None,
    ]
    assert array.field("b").cast(pa.int64()).to_pylist() == [2**63 - 1, -(2**63), -1, None, 0, None]


def test_times_in_microseconds() -> None:
    """All valid times fit into microseconds. Timestamps are rounded down, and Durations towards
    zero."""
    descriptors = compile_message(TIMES)
    first, last = -62_135_596_800, 253_402_300_799
    array = decoded(
        descriptors,
        times(1, (first, 0)) + times(2, (-315_576_000_000, -1)),
        times(1, (last, 999_999_999)) + times(2, (315_576_000_000, 1_999)),
        times(1, (-1, 999_999_999)),
        unit="us",
    )
    assert array.type.field("a").type == pa.timestamp("us", "UTC")
    assert array.type.field("b").type == pa.duration("us")
    found = [array.field(name).cast(pa.int64()).to_pylist() for name in ("a", "b")]
    assert found == [
        [first * 10**6, last * 10**6 + 999_999, -1],
        [-315_576_000_000 * 10**6, 315_576_000_000 * 10**6 + 1, None],
    ]
    with pytest.raises(ValueError, match="unit must be one of ns, us, not 'ms'"):
        ProtobufDecoder(descriptors, "M", unit="ms")


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (times(1, (0, -1)), "a Timestamp's nanos that are not 0 to 999999999"),
        (times(1, (0, 10**9)), "a Timestamp's nanos that are not 0 to 999999999"),
        (times(1, (2**40, 0)), 'a Timestamp that 64 bits cannot hold; with unit="us" they can'),
        (
            times(1, divmod(2**63, 10**9)),
            'a Timestamp that 64 bits cannot hold; with unit="us" they can',
        ),
        (
            times(1, divmod(-(2**63) - 1, 10**9)),
            'a Timestamp that 64 bits cannot hold; with unit="us" they can',
        ),
        (times(2, (1, -1)), "a Duration whose nanos are out of range or have the wrong sign"),
        (times(2, (0, 10**9)), "a Duration whose nanos are out of range or have the wrong sign"),
        (times(2, (-(2**40), 0)), 'a Duration that 64 bits cannot hold; with unit="us" they can'),
    ],
)
def test_times_that_are_none(payload: bytes, reason: str) -> None:
    """A time that is not valid makes a bad row, and does not become another time."""
    [error] = errors(compile_message(TIMES), payload)
    assert (error.field, error.reason) == ("a" if "Timestamp" in reason else "b", reason)


def test_wrappers() -> None:
    """A missing wrapper is null, and an empty wrapper is the default. The last value counts."""
    names = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"]
    fields = "".join(
        f"google.protobuf.{name}Value {name} = {place};" for place, name in enumerate(names, 1)
    )
    descriptors = compile_message(
        'import "google/protobuf/wrappers.proto"; message M {'
        f"{fields} repeated google.protobuf.Int32Value list = 20; }}"
    )
    empty = b"".join(tag(place, 2) + sized(b"") for place in range(1, 10))
    five = tag(5, 2) + sized(tag(1, 0) + varint(5))
    items = tag(20, 2) + sized(b"") + tag(20, 2) + sized(tag(1, 0) + varint(5))
    array = decoded(descriptors, b"", empty + items, five + empty)
    assert array.type.field("UInt64").type == pa.uint64()
    defaults = dict(zip(names, [0.0, 0.0, 0, 0, 0, 0, False, "", b""], strict=True))
    assert array.to_pylist() == [
        dict.fromkeys(names) | {"list": []},
        defaults | {"list": [0, 5]},
        defaults | {"Int32": 5, "list": []},
    ]


VALUES = (
    'import "google/protobuf/struct.proto"; message M { google.protobuf.Struct a = 1; '
    "google.protobuf.Value b = 2; google.protobuf.ListValue c = 3; "
    "map<string, google.protobuf.Value> d = 4; }"
)
TREE = {
    "text": 'q"\\\n\x1f\u00e9\U0001f600',
    "numbers": [0, -1, 0.1, 1e300, 5e-324, 123456789012345680, 2**53, -2.5],
    "nothing": None,
    "yes": True,
    "inner": {"list": [[], {}, [False]], "": 1},
}


@pytest.fixture(params=["C", "comma"])
def any_locale(request: pytest.FixtureRequest) -> Iterator[None]:
    """The locale C, and a locale with a decimal comma if the machine has one."""
    before = locale.setlocale(locale.LC_NUMERIC)
    if request.param == "comma":
        for name in ("de_DE.UTF-8", "fr_FR.UTF-8"):
            try:
                locale.setlocale(locale.LC_NUMERIC, name)
            except locale.Error:
                continue
            break
        else:
            pytest.skip("no locale with a decimal comma is installed")
    yield
    locale.setlocale(locale.LC_NUMERIC, before)


@pytest.mark.usefixtures("any_locale")
def test_structs_are_json() -> None:
    """A Struct becomes JSON with the same contents, whatever the locale is."""
    descriptors = compile_message(VALUES)
    kind = message_class(descriptors, "t.M")
    message = kind()
    message.a.update(TREE)
    message.b.struct_value.update(TREE)
    message.c.extend([TREE, None])
    message.d["key"].number_value = 0.5
    message.d["none"].SetInParent()
    [row] = decoded(descriptors, message.SerializeToString()).to_pylist()
    assert json.loads(row["a"]) == TREE
    assert json.loads(row["b"]) == TREE
    assert json.loads(row["c"]) == [TREE, None]
    assert dict(row["d"]) == {"key": "0.5", "none": "null"}


def test_json_of_what_did_not_come() -> None:
    """If a message is missing, the column is null.

    An empty message becomes an empty JSON value of its kind.
    """
    descriptors = compile_message(VALUES)
    empty = b"".join(tag(number, 2) + sized(b"") for number in (1, 2, 3))
    assert decoded(descriptors, b"", empty).to_pylist() == [
        {"a": None, "b": None, "c": None, "d": []},
        {"a": "{}", "b": "null", "c": "[]", "d": []},
    ]


def test_json_in_parts() -> None:
    """If a message occurs twice, both are merged, and a repeated key occurs once in the JSON."""
    descriptors = compile_message(VALUES)
    kind = message_class(descriptors, "t.M")
    first, second = kind(), kind()
    for message, number in ((first, 1), (second, 2)):
        message.a.update({"same": number, f"own{number}": {"a": number}})
        message.b.struct_value.update({f"own{number}": number})
        message.c.append(number)
    [row] = decoded(descriptors, first.SerializeToString() + second.SerializeToString())
    assert json.loads(row["a"].as_py()) == {"same": 2, "own1": {"a": 1}, "own2": {"a": 2}}
    assert json.loads(row["b"].as_py()) == {"own1": 1, "own2": 2}
    assert json.loads(row["c"].as_py()) == [1, 2]
    broken = kind().FromString(first.SerializeToString())
    broken.b.number_value = math.inf
    [error] = errors(descriptors, first.SerializeToString() + broken.SerializeToString())
    assert error.field == "b"


def test_json_that_is_none() -> None:
    """Numbers that JSON does not have, and values that are nested too deep, make a bad row."""
    descriptors = compile_message(VALUES)
    deep = Value(number_value=1)
    for _ in range(40):
        outer = Value()
        outer.list_value.values.append(deep)
        deep = outer
    data = deep.SerializeToString()
    for _ in range(40):
        data = tag(6, 2) + sized(tag(1, 2) + sized(data))
    infinite = tag(2, 2) + sized(Value(number_value=math.inf).SerializeToString())
    text = Struct(fields={"key": Value(string_value="xyz")}).SerializeToString()
    spoilt = tag(1, 2) + sized(text.replace(b"xyz", b"x\xffz"))
    found = errors(descriptors, infinite, tag(2, 2) + sized(data), spoilt)
    assert [(error.field, error.reason) for error in found] == [
        ("b", "a number that is not finite, which JSON does not have"),
        ("b", "a Value that is nested more than 64 deep"),
        ("a", "a string that is not UTF-8"),
    ]
    assert spoilt[found[2].offset :].startswith(b"x\xff")


def test_any() -> None:
    """An Any is not unpacked, because its type may be unknown."""
    descriptors = compile_message(
        'import "google/protobuf/any.proto"; message M { google.protobuf.Any a = 1; }'
    )
    message = message_class(descriptors, "t.M")()
    message.a.Pack(Timestamp(seconds=5))
    url = "type.googleapis.com/google.protobuf.Timestamp"
    assert decoded(descriptors, message.SerializeToString()).to_pylist() == [
        {"a": {"type_url": url, "value": b"\x08\x05"}}
    ]


# ---- selected columns


NESTED = (
    "message M { int32 a = 1; N n = 2; repeated N list = 3; M again = 4; }"
    "message N { string b = 1; int32 c = 2; N2 d = 3; } message N2 { int32 e = 1; int32 f = 2; }"
)


def test_columns() -> None:
    """Only the selected fields become columns, in the order of the selection."""
    descriptors = compile_message(NESTED)
    kind = message_class(descriptors, "t.M")
    full = kind(a=1, n={"b": "x", "c": 2, "d": {"e": 3, "f": 4}}, list=[{"b": "y"}])
    payload = full.SerializeToString()
    array = decoded(descriptors, payload, b"", columns=["n.d.f", "n.b", "a"])
    assert list(array[0]) == ["n", "a"]
    assert array.to_pylist() == [
        {"n": {"d": {"f": 4}, "b": "x"}, "a": 1},
        {"n": None, "a": 0},
    ]
    assert decoded(descriptors, payload, columns=["list"]).to_pylist() == [
        {"list": [{"b": "y", "c": 0, "d": None}]}
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["b"], "columns: there is no field 'b'"),
        (["n.x"], "columns: there is no field 'n.x'"),
        (["a.b"], "columns: 'a' is not a message and has no field 'a.b'"),
        (["list.b"], "columns: 'list' is not a message and has no field 'list.b'"),
        (["again"], "the message t.M is recursive at 'again' and cannot become columns"),
        (None, "the message t.M is recursive at 'again' and cannot become columns"),
        ([], "columns is empty; it must name at least one"),
    ],
)
def test_columns_that_cannot_be(columns: list[str] | None, message: str) -> None:
    """The error names the field that cannot be a column."""
    with pytest.raises(ValueError, match=f"^{message}"):
        ProtobufDecoder(compile_message(NESTED), "t.M", columns=columns)


def test_types_that_grow_without_end() -> None:
    """A few message types that refer to each other cannot fill the memory, because the decoder
    refuses them first."""
    messages = "".join(f"message N{i} {{ N{i + 1} a = 1; N{i + 1} b = 2; }}" for i in range(40))
    descriptors = compile_message(f"message M {{ N0 a = 1; }} {messages} message N40 {{ }}")
    with pytest.raises(ValueError, match="more than 20000 fields within each other"):
        ProtobufDecoder(descriptors, "t.M")


# ---- descriptors


def test_what_a_descriptor_may_be() -> None:
    """The descriptor may be a class, its Descriptor, or a FileDescriptorSet, with files in any
    order and without Google's files."""
    descriptors = compile_message(TIMES)
    kind = message_class(descriptors, "t.M")
    files = FileDescriptorSet.FromString(descriptors)
    backwards = FileDescriptorSet(file=reversed(files.file))
    alone = FileDescriptorSet(file=[file for file in files.file if file.name == "test.proto"])
    given = [(kind,), (kind.DESCRIPTOR,), (descriptors, "t.M"), (backwards, "t.M"), (alone, "t.M")]
    types = [pa.field(ProtobufDecoder(*one)).type for one in given]
    assert [type_.names for type_ in types] == [["a", "b"]] * 5


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5,), TypeError, "descriptor must be a message class, a Descriptor or a"),
        ((int,), TypeError, "descriptor must be a message class, a Descriptor or a"),
        ((Timestamp, "t.M"), TypeError, "message is only for a FileDescriptorSet"),
        ((b"",), TypeError, "message must be the full name of a message"),
        ((b"\xff", "t.M"), ValueError, "descriptor is not a FileDescriptorSet"),
        ((b"", "t.M"), ValueError, "the descriptor has no message 't.M'"),
    ],
)
def test_descriptors_that_are_none(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    """The error names the argument."""
    with pytest.raises(error, match=f"^{message}"):
        ProtobufDecoder(*arguments)


def test_a_file_that_is_missing() -> None:
    """The error names the missing file."""
    files = FileDescriptorSet()
    files.file.add(name="a.proto", dependency=["b.proto"])
    with pytest.raises(ValueError, match=r"^a\.proto imports b\.proto, which is not in the"):
        ProtobufDecoder(files, "t.M")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"enums": "names"}, ValueError, "enums must be one of string, dictionary, number"),
        ({"columns": "a"}, TypeError, "columns must be a list of str"),
        ({"message_indexes": 1}, TypeError, "message_indexes must be bool or a list of int"),
        ({"message_indexes": [True]}, TypeError, "message_indexes must be bool or a list of int"),
        ({"message_indexes": []}, ValueError, "message_indexes must have at least one"),
        ({"message_indexes": [-1]}, ValueError, "message_indexes must have at least one"),
    ],
)
def test_options_that_are_none(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    """The error names the option and its allowed values."""
    with pytest.raises(error, match=f"^{message}"):
        ProtobufDecoder(Timestamp, **options)


def test_without_protobuf() -> None:
    """The error names the package to install."""
    script = """
        import sys
        sys.modules["google.protobuf.descriptor"] = None
        from confluent_kafka.columns import ProtobufDecoder
        ProtobufDecoder(b"", "t.M")
        """
    assert (
        "ImportError: columns of Protobuf need protobuf: pip install protobuf ("
        in run_script(script).stderr
    )


# ---- framing


def test_message_indexes() -> None:
    """Message indexes are skipped, or must equal the given indexes.

    A single 0 means the file's first message.
    """
    descriptors = compile_message("message M { int32 a = 1; }")
    value = tag(1, 0) + varint(7)
    first, same, other = b"\0", b"\x02\0", b"\x04\x02\x06"
    payloads = [first + value, same + value, other + value]
    assert decoded(descriptors, *payloads, message_indexes=True).to_pylist() == [{"a": 7}] * 3
    reason = "message indexes of another message"
    for indexes, bad in (([0], [2]), ([1, 3], [0, 1]), ([1], [0, 1, 2]), ([1, 4], [0, 1, 2])):
        found = errors(descriptors, *payloads, message_indexes=indexes)
        assert [(one.row, one.reason) for one in found] == [(row, reason) for row in bad]


@pytest.mark.parametrize("payload", [b"", b"\1", b"\x04\x02", b"\xff" * 11, b"\xfe\xff\xff\x0f\0"])
def test_message_indexes_that_are_none(payload: bytes) -> None:
    """Message indexes that are not valid make a bad row."""
    [error] = errors(compile_message("message M { }"), payload, message_indexes=True)
    assert error.field == ""


# ---- bad rows


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (b"\x08", RowError(0, 1, "a", "the payload ends within a value")),
        (b"\x08" + b"\xff" * 10, RowError(0, 11, "a", "a number of more than ten bytes")),
        (b"\x12\x05abcd", RowError(0, 2, "b", "the payload ends within a value")),
        (b"\x12\x01\xff", RowError(0, 3, "b", "a string that is not UTF-8")),
        (b"\x12\xff\xff\xff\xff\x7f", RowError(0, 6, "b", "a size of more than 32 bits")),
        (b"\x1a\x02\x08", RowError(0, 2, "n", "the payload ends within a value")),
        (b"\x1a\x01\x08", RowError(0, 3, "n.a", "the payload ends within a value")),
        (b"\x22\x03\x12\x01\xff", RowError(0, 5, "list[].b", "a string that is not UTF-8")),
        (b"\x2a\x01\xff", RowError(0, 3, "p[]", "the payload ends within a value")),
        (b"\x31\0\0", RowError(0, 1, "d", "the payload ends within a value")),
        (b"\0", RowError(0, 1, "", "a field number of 0")),
        (b"\xff" * 6, RowError(0, 5, "", "a field number of more than 29 bits")),
        (b"\x0e", RowError(0, 1, "", "an unknown wire type")),
        (b"\x0c", RowError(0, 1, "", "the end of a group that is not open")),
        (b"\x7b\x74", RowError(0, 2, "", "the end of a group that is not open")),
        (b"\x7b", RowError(0, 1, "", "the payload ends within a value")),
        (b"\x7b" * 101, RowError(0, 101, "", "groups are nested more than 100 deep")),
    ],
)
def test_bad_rows(payload: bytes, error: RowError) -> None:
    """A bad row is null, and its error has the place and the reason.

    The values that the row has already added are removed.
    """
    descriptors = compile_message(
        "message M { int32 a = 1; string b = 2; N n = 3; repeated N list = 4; "
        "repeated int32 p = 5; double d = 6; } message N { int32 a = 1; string b = 2; }"
    )
    kind = message_class(descriptors, "t.M")
    good = kind(a=1, b="x", n={"a": 1}, list=[{"b": "y"}], p=[1, 2], d=0.5).SerializeToString()
    assert errors(descriptors, payload) == [error]
    [after] = errors(descriptors, good, good + payload, good)
    assert after == error._replace(row=1, offset=error.offset + len(good))
    rows = ProtobufDecoder(descriptors, "t.M").decode(
        pa.array([good, good + payload, None, good], pa.binary())
    )
    one = decoded(descriptors, good).to_pylist()[0]
    assert pa.array(rows).to_pylist() == [one, None, None, one]


@pytest.mark.parametrize("depth", [1, 64, 65, 99, 100, 101])
def test_groups_within_groups(depth: int) -> None:
    """Groups in an unknown field are skipped up to the depth that google.protobuf reads."""
    descriptors = compile_message("message M { int32 a = 1; }")
    payload = b"\x7b" * depth + b"\x7c" * depth + b"\x08\x05"
    if depth <= 100:
        assert message_class(descriptors, "t.M").FromString(payload).a == 5
        assert decoded(descriptors, payload).to_pylist() == [{"a": 5}]
    else:
        with pytest.raises(DecodeError):
            message_class(descriptors, "t.M").FromString(payload)
        [error] = errors(descriptors, payload)
        assert error.reason == "groups are nested more than 100 deep"


def test_many_rows() -> None:
    """The memory of columns grows with the rows, also if nulls begin late and bad rows come in
    between."""
    descriptors = compile_message(
        "message M { int32 a = 1; optional string b = 2; repeated int32 c = 3; N n = 4; } "
        "message N { bool d = 1; }"
    )
    kind = message_class(descriptors, "t.M")
    messages = [
        kind(a=i, b="x" * (i % 5), c=range(i % 4), n={"d": True} if i % 7 == 0 else None)
        for i in range(3_000)
    ]
    for message in messages[1_000::3]:
        message.ClearField("b")
    payloads = [message.SerializeToString() for message in messages]
    payloads[5::500] = [b"\xff"] * len(payloads[5::500])
    rows = ProtobufDecoder(descriptors, "t.M").decode(pa.array(payloads, pa.binary()))
    array = pa.array(rows)
    array.validate(full=True)
    assert [error.row for error in rows.errors] == list(range(5, 3_000, 500))
    for place, (message, row) in enumerate(zip(messages, array.to_pylist(), strict=True)):
        if place % 500 == 5:
            assert row is None
            continue
        assert row == {
            "a": message.a,
            "b": message.b if message.HasField("b") else None,
            "c": list(message.c),
            "n": {"d": message.n.d} if message.HasField("n") else None,
        }


def test_no_fields() -> None:
    """A message type without fields becomes a struct without fields."""
    assert decoded(compile_message("message M { }"), b"", b"\x08\x01").to_pylist() == [{}, {}]


# ---- programs that no message type produces


def column(kind: str, *children: Any, symbols: tuple[str, ...] | None = None) -> tuple[Any, ...]:
    return (kind, "c", True, children, None, symbols)


def field(number: int, kind: str, index: int, **more: Any) -> tuple[Any, ...]:
    """The description of a field, with the changes in `more`."""
    values = {"wire": 0, "shape": 0, "column": index, "argument": 0, "message": None}
    values |= {"rivals": (), "symbols": (), "texts": b"", "initial": bytes(8), "optional": False}
    return ("f", number, kind, *(values | more).values())


ROOT = column(
    "+s",
    column("i"),
    column("u"),
    column("+l", column("+s", column("l"))),
    column("i", symbols=("A", "B")),
)
INT = field(1, "varint32", 1)
TEXT = field(2, "string", 2, wire=2, rivals=(1,), initial=b"")
LIST = field(3, "message", 3, wire=2, shape=1, message=1)
ENUM = field(4, "enum", 6, symbols=((0, 0, 0), (1, 1, 0)))
ITEM = (4, "f[]", (field(1, "varint64", 5),))


def program(*fields: Any, item: Any = ITEM, indexes: Any = None) -> Any:
    return _RowProgram("protobuf", ROOT, (indexes, ((0, "", fields), item)))


def test_a_program_by_hand() -> None:
    """A correct program is accepted. Each test below changes one part of this program."""
    payload = tag(1, 0) + varint(5) + tag(3, 2) + sized(tag(1, 0) + varint(6)) + tag(4, 0) + b"\1"
    rows = _decode_rows(pa.array([payload, b"\xff"]), program(INT, TEXT, LIST, ENUM))
    array = pa.array(rows)
    array.validate(full=True)
    assert [array[0][place].as_py() for place in range(4)] == [5, "", [{"c": 6}], "B"]
    assert not array[1].is_valid


@pytest.mark.parametrize(
    "fields",
    [
        (INT, TEXT, LIST),
        (INT, TEXT, LIST, ENUM, INT),
        (TEXT, INT, LIST, ENUM),
        (INT, INT, LIST, ENUM),
        (INT, field(2, "varint32", 2), LIST, ENUM),
        (INT, field(2, "string", -1), LIST, ENUM),
        (INT, field(2, "string", 5), LIST, ENUM),
        (INT, field(2, "string", 99), LIST, ENUM),
        (INT, field(2, "nothing", 2), LIST, ENUM),
        (INT, field(2, "string", 2, rivals=(2,)), LIST, ENUM),
        (INT, field(2, "string", 2, rivals=(5,)), LIST, ENUM),
        (INT, field(2, "string", 2, rivals=(99,)), LIST, ENUM),
        (INT, field(2, "string", 2, shape=1), LIST, ENUM),
        (INT, field(2, "string", 2, shape=7), LIST, ENUM),
        (INT, field(2, "string", 2, wire=7), LIST, ENUM),
        (INT, field(2, "string", 2, message=1), LIST, ENUM),
        (INT, field(2, "enum-text", 2, symbols=((0, 3, 2),), texts=b"text"), LIST, ENUM),
        (INT, field(2, "enum-text", 2, symbols=((0, -1, 2),), texts=b"text"), LIST, ENUM),
        (INT, field(2, "enum-text", 2, symbols=((1, 0, 2), (1, 0, 2)), texts=b"te"), LIST, ENUM),
        (field(0, "varint32", 1), TEXT, LIST, ENUM),
        (field(2**29, "varint32", 1), TEXT, LIST, ENUM),
        (field(1, "varint32", 1, initial=b"\0"), TEXT, LIST, ENUM),
        (field(1, "timestamp", 1, argument=0), TEXT, LIST, ENUM),
        (INT, TEXT, field(3, "message", 3, shape=1), ENUM),
        (INT, TEXT, field(3, "message", 3, shape=1, message=0), ENUM),
        (INT, TEXT, field(3, "message", 3, shape=1, message=2), ENUM),
        (INT, TEXT, field(3, "message", 3, shape=1, message=-1), ENUM),
        (INT, TEXT, field(3, "message", 3, shape=2, message=1), ENUM),
        (INT, TEXT, LIST, field(4, "varint32", 6)),
        (INT, TEXT, LIST, field(4, "enum", 6, symbols=((0, 2, 0),))),
        (INT, TEXT, LIST, field(4, "enum", 6, symbols=((0, -1, 0),))),
        (INT, TEXT, LIST, field(4, "enum", 6, initial=b"\2\0\0\0")),
        (INT, TEXT, LIST, ENUM, field(5, "wrapper-rival", -1)),
        (INT, TEXT, LIST, ENUM, field(5, "rival", 1)),
    ],
)
def test_programs_that_do_not_fit(fields: Any) -> None:
    """A program that could use memory outside of the columns, or skip a column, is refused."""
    with pytest.raises(ValueError, match=r"field 'f'|message|kind 'nothing'"):
        program(*fields)


@pytest.mark.parametrize(
    ("description", "error"),
    [
        ((), TypeError),
        ((None,), TypeError),
        ((None, ()), ValueError),
        ((None, [(0, "", ())]), TypeError),
        ((5, ((0, "", ()),)), TypeError),
        (("a", ((0, "", ()),)), TypeError),
        ((("a",), ((0, "", ()),)), TypeError),
        (((2**40,), ((0, "", ()),)), OverflowError),
        ((None, ((1, "", ()),)), ValueError),
        ((None, ((0, "", ()),)), ValueError),
        ((None, ((99, "", ()),)), ValueError),
        ((None, ((0, 5, ()),)), TypeError),
        ((None, ((0, "\ud800", ()),)), UnicodeEncodeError),
        ((None, ((0, "", 5),)), TypeError),
        ((None, ((0, "", (5,)),)), TypeError),
        ((None, ((0, "", (INT[:-1],)),)), TypeError),
        ((None, ((0, "", ((5, *INT[1:]),)),)), TypeError),
        ((None, ((0, "", ((*INT[:8], 5, *INT[9:]),)),)), TypeError),
        ((None, ((0, "", ((*INT[:9], (5,), *INT[10:]),)),)), TypeError),
        ((None, ((0, "", ((*INT[:10], "", *INT[11:]),)),)), TypeError),
    ],
)
def test_descriptions_that_are_none(description: Any, error: type[Exception]) -> None:
    """A description must have the same form as the descriptions that the package writes."""
    with pytest.raises(error):
        _RowProgram("protobuf", ROOT, description)
