"""ProtobufEncoder writes rows as messages. tests/fuzz compares it with google.protobuf."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("google.protobuf", reason="protobuf is not installed")
pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet
from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import ListValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from confluent_kafka.columns import ProtobufDecoder, ProtobufEncoder, RowError
from tests.support.protobuf import compiled, message_class

HEAD = 'syntax = "proto3"; package t; '
NULL_REASON = "a null, which the schema does not allow here"


class Case:
    """A message type t.M with its encoder and its class in google.protobuf."""

    def __init__(self, body: str, head: str = HEAD, **options: Any) -> None:
        self.descriptors = compiled(head + body)
        self.encoder = ProtobufEncoder(self.descriptors, "t.M", **options)
        self.message = message_class(self.descriptors, "t.M")

    def encode(self, **columns: Any) -> list[bytes | None]:
        """The payloads of columns, which must have no bad rows."""
        rows = self.encoder.encode(pa.record_batch(columns))
        assert rows.errors == []
        return pa.array(rows).to_pylist()

    def reasons(self, **columns: Any) -> list[tuple[int, str, str]]:
        """The errors of bad rows, which are null."""
        rows = self.encoder.encode(pa.record_batch(columns))
        bad = {error.row for error in rows.errors}
        assert [one is None for one in pa.array(rows).to_pylist()] == [
            row in bad for row in range(len(rows))
        ]
        return [(one.row, one.field, one.reason) for one in rows.errors]


# For each scalar type: the Arrow type of a column, and values.
SCALARS = {
    "double": (pa.float64(), [0.0, -0.0, 1.5, math.inf]),
    "float": (pa.float32(), [0.0, -0.0, 0.5, -math.inf]),
    "int32": (pa.int32(), [0, -1, -(2**31), 2**31 - 1]),
    "int64": (pa.int64(), [0, -1, -(2**63), 2**63 - 1]),
    "uint32": (pa.uint32(), [0, 127, 128, 2**32 - 1]),
    "uint64": (pa.uint64(), [0, 1, 2**63, 2**64 - 1]),
    "sint32": (pa.int32(), [0, -1, -(2**31), 2**31 - 1]),
    "sint64": (pa.int64(), [0, -1, -(2**63), 2**63 - 1]),
    "fixed32": (pa.uint32(), [0, 1, 2**31, 2**32 - 1]),
    "fixed64": (pa.uint64(), [0, 1, 2**63, 2**64 - 1]),
    "sfixed32": (pa.int32(), [0, -1, -(2**31), 2**31 - 1]),
    "sfixed64": (pa.int64(), [0, -1, -(2**63), 2**63 - 1]),
    "bool": (pa.bool_(), [False, True]),
    "string": (pa.string(), ["", "hé", "x" * 200]),
    "bytes": (pa.binary(), [b"", b"\xff\0", b"x" * 20_000]),
}


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name: str) -> None:
    """Scalars get the same bytes as from google.protobuf: with and without presence, packed or not,
    in lists and maps."""
    arrow, values = SCALARS[name]
    case = Case(
        f"message M {{ {name} a = 1; optional {name} b = 2; repeated {name} c = 300; "
        f"map<string, {name}> d = 4; oneof e {{ {name} f = 5; bool g = 6; }} }}"
    )
    written = case.encode(
        a=pa.array([*values, None], arrow),
        b=pa.array([*values, None], arrow),
        c=pa.array([values, *([[]] * (len(values) - 1)), None], pa.list_(arrow)),
        d=pa.array([[("", one)] for one in values] + [None], pa.map_(pa.string(), arrow)),
        f=pa.array([*values, None], arrow),
    )
    messages = [case.message(a=one, b=one, d={"": one}, f=one) for one in values]
    messages[0].c.extend(values)
    assert written == [one.SerializeToString() for one in (*messages, case.message())]


def test_lists_that_are_not_packed() -> None:
    """Each item of a list has its own tag, if the file asks for that."""
    case = Case("message M { repeated int32 a = 1 [packed = false]; }")
    message = case.message(a=[0, 300])
    assert case.encode(a=[[0, 300]]) == [message.SerializeToString()]


@pytest.mark.parametrize(
    ("name", "given", "values"),
    [
        ("int32", pa.int64(), [2**31 - 1, 2**31]),
        ("sint32", pa.int64(), [-(2**31), -(2**31) - 1]),
        ("uint32", pa.int8(), [1, -1]),
        ("uint64", pa.int64(), [2**63 - 1, -1]),
        ("int64", pa.uint64(), [2**63 - 1, 2**63]),
        ("sfixed64", pa.uint64(), [0, 2**64 - 1]),
    ],
)
def test_integers_that_do_not_fit(name: str, given: Any, values: list[int]) -> None:
    """Integers of any width are accepted; a number out of the field's range is a bad row."""
    case = Case(f"message M {{ {name} a = 1; }}")
    reason = "an integer that is out of the range of its type"
    assert case.reasons(a=pa.array(values, given)) == [(1, "a", reason)]
    assert case.encode(a=pa.array(values[:1], given)) == [
        case.message(a=values[0]).SerializeToString()
    ]


WHOLE = [name for name, (kind, _) in SCALARS.items() if pa.types.is_integer(kind)]
# Types of decimals, each with its number of digits.
DECIMALS = {"decimal32": 9, "decimal64": 18, "decimal128": 38, "decimal256": 76}


@pytest.mark.parametrize("width", DECIMALS)
@pytest.mark.parametrize("name", WHOLE)
def test_integers_of_decimals(name: str, width: str) -> None:
    """Decimals of scale 0 are written as integers. Spark's type for uint64 is DECIMAL(20, 0)."""
    if not hasattr(pa, width):
        pytest.skip(f"pyarrow has no {width}")
    limit = 10 ** DECIMALS[width]
    kind = getattr(pa, width)(DECIMALS[width], 0)
    _, [*_, smallest, largest] = SCALARS[name]
    smallest = smallest if smallest < 0 else 0
    values = [smallest - 1, smallest, 0, largest, largest + 1, limit - 1, 1 - limit, -(2**64), 1]
    values = [one for one in values if abs(one) < limit]
    case = Case(f"message M {{ {name} a = 1; }}")
    fitting = [smallest <= one <= largest for one in values]
    rows = case.encoder.encode(
        pa.record_batch({"a": pa.array([*map(Decimal, values), None], kind)})
    )
    reason = "an integer that is out of the range of its type"
    assert [(one.row, one.reason) for one in rows.errors] == [
        (row, reason) for row, is_fitting in enumerate(fitting) if not is_fitting
    ]
    assert pa.array(rows).to_pylist() == [
        *(
            case.message(a=one).SerializeToString() if is_fitting else None
            for one, is_fitting in zip(values, fitting, strict=True)
        ),
        b"",
    ]


def test_integers_of_decimals_in_lists_and_maps() -> None:
    """Decimals of scale 0 are also written as integers in keys, values, items and wrappers."""
    case = Case(
        IMPORTS + "message M { repeated uint64 a = 1; map<uint64, uint64> b = 2; "
        "google.protobuf.UInt64Value c = 3; }"
    )
    kind = pa.decimal128(20, 0)
    number = 2**64 - 1
    whole = Decimal(number)
    written = case.encode(
        a=pa.array([[whole, 0]], pa.list_(kind)),
        b=pa.array([[(whole, whole)]], pa.map_(kind, kind)),
        c=pa.array([whole], kind),
    )
    message = case.message(a=[number, 0], b={number: number}, c={"value": number})
    assert written == [message.SerializeToString()]


def test_numbers_of_other_kinds() -> None:
    """A float is written from integers and floats of any width.

    A number that is too large for a float is a bad row.
    """
    case = Case("message M { float a = 1; double b = 2; }")
    columns = {"a": pa.array([2**63], pa.uint64()), "b": pa.array([-3], pa.int8())}
    assert case.encode(**columns) == [case.message(a=2.0**63, b=-3).SerializeToString()]
    columns = {"a": pa.array([0.5]), "b": pa.array([0.5], pa.float16())}
    assert case.encode(**columns) == [case.message(a=0.5, b=0.5).SerializeToString()]
    assert case.reasons(a=[1e39]) == [(0, "a", "a number that is too large for a float")]


def test_strings_that_are_no_text() -> None:
    """A string that is not UTF-8 is a bad row; a field of bytes accepts any bytes."""
    case = Case("message M { string a = 1; bytes b = 2; }")
    assert case.reasons(a=pa.array([b"x", b"\xff"])) == [(1, "a", "a string that is not UTF-8")]
    assert case.encode(b=pa.array([b"\xff"], pa.binary(1))) == [b"\x12\1\xff"]


PROTO2 = 'syntax = "proto2"; package t; '


def test_required_fields() -> None:
    """A null in a required field is a bad row; a required field without a column is a TypeError."""
    case = Case("message M { required int32 a = 1; optional int32 b = 2 [default = 7]; }", PROTO2)
    assert case.reasons(a=[0, None], b=[7, 7]) == [(1, "a", NULL_REASON)]
    assert case.encode(a=[0], b=[7]) == [b"\x08\0\x10\7"]
    with pytest.raises(TypeError, match="there is no column 'a', which is required"):
        case.encode(b=[1])
    with pytest.raises(TypeError, match="'a' is null, which cannot be written as int32"):
        case.encode(a=pa.nulls(1))


def test_groups() -> None:
    """Groups are written as fields between two tags, also in lists and for delimited messages of
    editions."""
    case = Case(
        "message M { optional group A = 1 { optional int32 x = 2; } "
        "repeated group B = 300 { optional int32 y = 1; } }",
        PROTO2,
    )
    message = case.message(a={"x": 5}, b=[{"y": 1}, {}])
    columns = {"a": [{"x": 5}, None], "b": [[{"y": 1}, {"y": None}], []]}
    assert case.encode(**columns) == [message.SerializeToString(), b""]


@pytest.mark.parametrize("size", [0, 1, 123, 127, 128, 16_383, 16_384, 3_000_000])
def test_sizes_of_messages(size: int) -> None:
    """The size before a message takes as many bytes as it needs, also in nested messages."""
    case = Case("message N { bytes x = 1; } message O { N n = 1; } message M { O o = 1; }")
    text = b"x" * size
    message = case.message(o={"n": {"x": text}})
    column = pa.array([{"n": {"x": text}}], pa.struct([("n", pa.struct([("x", pa.binary())]))]))
    assert case.encode(o=column) == [message.SerializeToString()]


def test_nested_messages() -> None:
    """A null message is left out. An empty message is written."""
    case = Case("message N { int32 x = 1; repeated N more = 2; } message M { N n = 1; }")
    inner = {"x": 1, "more": [{"x": None}, {"x": 2}]}
    message = case.message(n={"x": 1, "more": [{}, {"x": 2}]})
    assert case.encode(n=[inner, {"x": None, "more": None}, None]) == [
        message.SerializeToString(),
        b"\x0a\0",
        b"",
    ]


ENUM = "enum E { A = 0; B = 5; NEG = -1; option allow_alias = true; C = 5; } "


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["A", "B", "C", "NEG", "77", "-2147483648"]),
        pa.array(["A", "B", "C", "NEG", "77", "-2147483648"]).dictionary_encode(),
        pa.array([0, 5, 5, -1, 77, -(2**31)], pa.int64()),
    ],
)
def test_enums(column: Any) -> None:
    """Enums are written from names, also aliases, and from numbers; an open enum accepts numbers
    without a name."""
    case = Case(ENUM + "message M { E a = 1; repeated E b = 2; }")
    numbers = [0, 5, 5, -1, 77, -(2**31)]
    lists = pa.ListArray.from_arrays(pa.array([0, 0, 0, 0, 0, 0, 6], pa.int32()), column)
    expected = [case.message(a=number) for number in numbers]
    expected[-1].b.extend(numbers)
    assert case.encode(a=column, b=lists) == [one.SerializeToString() for one in expected]


def test_enums_that_have_no_such_value() -> None:
    """Unknown names, numbers over 32 bits, and unknown numbers of a closed enum are refused."""
    reason = "a value that the enum does not have"
    case = Case(ENUM + "message M { E a = 1; }")
    wrong = ["X", "", "-", "1x", "2147483648", "-2147483649", "9" * 40]
    assert case.reasons(a=wrong) == [(row, "a", reason) for row in range(len(wrong))]
    closed = Case(ENUM + "message M { optional E a = 1; }", PROTO2)
    assert closed.reasons(a=["A", "77", "X"]) == [(1, "a", reason), (2, "a", reason)]
    assert closed.reasons(a=[5, -1, 77]) == [(2, "a", reason)]


def test_oneofs() -> None:
    """One member of a oneof is written, even if it is the default.

    A row with two members is bad.
    """
    case = Case("message M { oneof kind { int32 a = 1; string b = 2; M c = 3; } int32 d = 4; }")
    columns = {"a": [0, None, None, 1], "b": [None, "", None, "x"], "d": [0, 0, 0, 0]}
    assert case.reasons(**columns) == [(3, "kind", "more than one member of a oneof")]
    first = {name: values[:3] for name, values in columns.items()}
    assert case.encode(**first) == [b"\x08\0", b"\x12\0", b""]


def test_maps() -> None:
    """Maps are written from maps and from lists of structs of key and value; keys may have any type
    that the field accepts."""
    case = Case("message M { map<int32, string> a = 1; }")
    expected = [case.message(a={5: "x"}).SerializeToString(), b"\x0a\4\x08\0\x12\0", b""]
    maps = pa.array([[(5, "x")], [(0, "")], None], pa.map_(pa.int64(), pa.string()))
    entry = pa.struct([("value", pa.string()), ("key", pa.int8())])
    lists = pa.array(
        [[{"key": 5, "value": "x"}], [{"key": 0, "value": ""}], None], pa.large_list(entry)
    )
    assert case.encode(a=maps) == case.encode(a=lists) == expected
    for view in (pa.list_view, pa.large_list_view):
        assert case.encode(a=pa.array(lists.to_pylist(), view(entry))) == expected
    assert case.reasons(a=pa.array([[(1, None)]], pa.map_(pa.int8(), pa.string()))) == [
        (0, "a[]", NULL_REASON)
    ]


@pytest.mark.parametrize("view", [pa.ListViewArray, pa.LargeListViewArray])
def test_list_views(view: Any) -> None:
    """The rows of list views may be in any order and overlap: packed numbers, text and messages."""
    case = Case(
        "message N { repeated string c = 1; } "
        "message M { repeated int32 a = 1; repeated string b = 2; repeated N n = 3; }"
    )
    width = pa.int32() if view is pa.ListViewArray else pa.int64()

    def views(offsets: list[int], sizes: list[int], values: Any, **more: Any) -> Any:
        return view.from_arrays(pa.array(offsets, width), pa.array(sizes, width), values, **more)

    mask = pa.array([False, True, False, False])
    offsets, sizes = [2, 0, 0, 4], [2, -7, 3, 0]
    numbers = views(offsets, sizes, pa.array([9, 1, 2, 300, -4]).slice(1), mask=mask)
    texts = views(offsets, sizes, pa.array(["a", "", "c" * 200, "d"]), mask=mask)
    messages = views([3, 0, 1, 2], [1, 0, 3, 2], pa.StructArray.from_arrays([texts], ["c"]))
    batch = pa.record_batch({"a": numbers, "b": texts, "n": messages})
    for start in range(4):
        rows = batch[start:]
        read = [
            case.message(**{name: value for name, value in row.items() if value is not None})
            for row in rows.to_pylist()
        ]
        assert case.encode(**dict(zip(rows.schema.names, rows.columns, strict=True))) == [
            message.SerializeToString() for message in read
        ]


def test_nulls_in_lists() -> None:
    """Protobuf has no nulls in lists, so such a row is bad."""
    case = Case("message N {} message M { repeated int32 a = 1; repeated N b = 2; }")
    columns = {"a": [[1, None], [1]], "b": pa.array([[], [None]], pa.list_(pa.struct([])))}
    assert case.reasons(**columns) == [(0, "a[]", NULL_REASON), (1, "b[]", NULL_REASON)]


IMPORTS = "".join(
    f'import "google/protobuf/{name}.proto"; '
    for name in ("timestamp", "duration", "struct", "wrappers", "any")
)


# The seconds since 1970 at which the two years begin.
YEAR_1, YEAR_10000 = -62135596800, 253402300800


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times(unit: str) -> None:
    """Timestamps and durations of any unit are written.

    The fraction of a timestamp counts forward. All parts of a duration have the same sign.
    """
    case = Case(
        IMPORTS + "message M { google.protobuf.Timestamp a = 1; google.protobuf.Duration b = 2; }"
    )
    second = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[unit]
    values = [0, 1, -1, second * 3 + second // 2, -second * 3 - second // 2]
    values += [2**63 - 1, -(2**63)] if unit == "ns" else [YEAR_10000 * second - 1, YEAR_1 * second]
    times = pa.array([*values, None], pa.timestamp(unit, "UTC"))
    spans = pa.array([*values, None], pa.duration(unit))
    expected = []
    for value in values:
        message = case.message()
        message.a.SetInParent(), message.b.SetInParent()
        message.a.seconds = value // second
        message.a.nanos = value % second * (10**9 // second)
        sign = 1 if value >= 0 else -1
        message.b.seconds = sign * (abs(value) // second)
        message.b.nanos = sign * (abs(value) % second) * (10**9 // second)
        expected.append(message.SerializeToString())
    assert case.encode(a=times, b=spans) == [*expected, b""]


@pytest.mark.parametrize("second", [1, 10**3, 10**6])
def test_times_that_google_does_not_allow(second: int) -> None:
    """Years outside of 1 to 9999, and longer durations, are bad rows, because json_format refuses
    them."""
    case = Case(
        IMPORTS + "message M { google.protobuf.Timestamp a = 1; google.protobuf.Duration b = 2; }"
    )
    unit = {1: "s", 10**3: "ms", 10**6: "us"}[second]
    first, last = YEAR_1 * second, YEAR_10000 * second - 1
    times = pa.array([first, last, first - 1, last + 1, 2**63 - 1, -(2**63)], pa.timestamp(unit))
    reason = "a Timestamp whose year is not from 1 to 9999"
    assert case.reasons(a=times) == [(row, "a", reason) for row in (2, 3, 4, 5)]
    # The limit applies to whole seconds. A fraction may be added to the largest number of seconds.
    most = 315_576_000_000 * second + second - 1
    spans = pa.array([most, -most, most + 1, -most - 1, 2**63 - 1, -(2**63)], pa.duration(unit))
    reason = "a Duration of more than 315576000000 seconds"
    assert case.reasons(b=spans) == [(row, "b", reason) for row in (2, 3, 4, 5)]
    for written in case.encode(a=times[:2], b=spans[:2]):
        MessageToDict(case.message.FromString(written))
    repeated = Case(IMPORTS + "message M { repeated google.protobuf.Timestamp a = 1; }")
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 3], pa.int32()), times)
    reason = "a Timestamp whose year is not from 1 to 9999"
    assert repeated.reasons(a=lists) == [(1, "a[]", reason)]


def test_wrappers() -> None:
    """A wrapper is written as a message with a value.

    The message is empty for the default. For a null, no message is written.
    """
    case = Case(
        IMPORTS
        + "message M { google.protobuf.Int32Value a = 1; google.protobuf.StringValue b = 2; }"
    )
    message = case.message(a={"value": 5})
    message.b.SetInParent()
    assert case.encode(a=[5, None], b=["", None]) == [message.SerializeToString(), b""]


JSONS = [
    "{}",
    ' { "a" : [ 1 , -2.5e3 , "x\\u00e9\\n" , null , true , { } , [ ] ] , "b" : { "c" : false } } ',
    json.dumps({"k" * 200: "v" * 20_000, "": [[[[]]]]}),
]


@pytest.mark.parametrize("text", JSONS)
def test_json(text: str) -> None:
    """Struct, Value and ListValue get the contents of the JSON texts."""
    case = Case(
        IMPORTS + "message M { google.protobuf.Struct a = 1; google.protobuf.Value b = 2; "
        "google.protobuf.ListValue c = 3; }"
    )
    [written] = case.encode(a=[text], b=[text], c=[f"[{text}]"])
    message = MessageToDict(case.message.FromString(written))
    given = json.loads(text)
    assert message == {"a": given, "b": given, "c": [given]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "JSON that is not an object"),
        ("[]", "JSON that is not an object"),
        ("{", "JSON with a key that is not a string"),
        ("{1:2}", "JSON with a key that is not a string"),
        ('{"a"}', "JSON with a key without a colon after it"),
        ('{"a":1 "b"}', "JSON with neither a comma nor the end after a value"),
        ('{"a":1,}', "JSON with a key that is not a string"),
        ("{} x", "JSON with more after its value"),
        ('{"a":1e999}', "JSON with a number that is too large for a double"),
        ('{"a":' + "[" * 70, "JSON that is nested more than 64 deep"),
        ('{"a":nil}', "neither a value nor the end of one"),
    ],
)
def test_text_that_is_no_json(text: str, reason: str) -> None:
    """Text that is not JSON is a bad row with the reason."""
    encoder = ProtobufEncoder(DescriptorOf.struct)
    rows = encoder.encode(pa.record_batch({"a": [text]}))
    [error] = rows.errors
    if reason.startswith("JSON"):
        assert error == RowError(0, error.offset, "a", reason)
    assert pa.array(rows).to_pylist() == [None]


class DescriptorOf:
    """Message types that several tests use."""

    struct = message_class(
        compiled(HEAD + IMPORTS + "message M { google.protobuf.Struct a = 1; }"), "t.M"
    )


def test_depth_of_json() -> None:
    """JSON may be nested as deep as ProtobufDecoder can read."""
    text = '{"a":' + "[" * 63 + "]" * 63 + "}"
    rows = ProtobufEncoder(DescriptorOf.struct).encode(pa.record_batch({"a": [text]}))
    assert pa.array(ProtobufDecoder(DescriptorOf.struct).decode(rows)).to_pylist() == [{"a": text}]


def test_unions() -> None:
    """Each row of a union is written as its child, with children of scalars and of lists."""
    case = Case("message M { int32 a = 1; repeated int32 b = 2; }")
    union = pa.UnionArray.from_dense(
        pa.array([0, 1, 1], pa.int8()),
        pa.array([0, 0, 1], pa.int32()),
        [pa.array([7], pa.int8()), pa.array([300, None])],
    )
    lists = pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [pa.array([[1], None, []])])
    assert case.encode(a=union, b=lists) == [b"\x08\7\x12\1\1", b"\x08\xac\2", b""]


def test_columns_that_do_not_match() -> None:
    """Columns that the message does not have, or that occur twice, are refused."""
    case = Case("message N { int32 x = 1; } message M { int32 carrier = 1; N n = 2; }")
    with pytest.raises(TypeError, match=r"no field 'carier'; did you mean 'carrier'"):
        case.encode(carier=[1])
    with pytest.raises(TypeError, match="no field 'y' in 'n'"):
        case.encode(n=[{"y": 1}])
    twice = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], names=["carrier"] * 2)
    with pytest.raises(TypeError, match="there are 2 columns 'carrier'"):
        case.encoder.encode(twice)
    ignoring = ProtobufEncoder(case.descriptors, "t.M", extra="ignore")
    rows = ignoring.encode(pa.record_batch({"carrier": [1], "y": [2]}))
    assert pa.array(rows).to_pylist() == [b"\x08\1"]


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("int32", pa.array([1.5])),
        ("int32", pa.array(["1"])),
        ("bool", pa.array([1])),
        ("int32", pa.array([Decimal("1.5")])),
        ("uint64", pa.array([Decimal("1200")], pa.decimal128(5, -2))),
        ("bool", pa.array([Decimal(1)])),
        ("double", pa.array([True])),
        ("string", pa.array([1])),
        ("string", pa.array([b"x"], pa.binary(1))),
        ("bytes", pa.array([1])),
        ("E", pa.array([1.5])),
        ("N", pa.array([1])),
        ("repeated int32", pa.array([1])),
        ("map<string, int32>", pa.array([{"a": 1}])),
        ("google.protobuf.Timestamp", pa.array([1])),
        ("google.protobuf.Duration", pa.array([1], pa.timestamp("s"))),
        ("google.protobuf.Struct", pa.array([{"a": 1}])),
        ("google.protobuf.Int32Value", pa.array(["x"])),
        ("repeated int32", pa.array([[None]], pa.list_(pa.null()))),
    ],
)
def test_columns_of_another_type(kind: str, column: Any) -> None:
    """A column that does not have the field's type raises a TypeError that names both types."""
    case = Case(IMPORTS + ENUM + f"message N {{}} message M {{ {kind} a = 1; }}")
    with pytest.raises(TypeError, match=r"batch: 'a(\[\])?' is .*, which cannot be written as"):
        case.encode(a=column)


# ---- the registry's framing ----


NESTED = "message A {} message M { message B {} message C { message D {} } int32 x = 1; } "


@pytest.mark.parametrize(
    ("name", "indexes"),
    [("A", b"\0"), ("M", b"\2\2"), ("M.B", b"\4\2\0"), ("M.C", b"\4\2\2"), ("M.C.D", b"\6\2\2\0")],
)
def test_message_indexes(name: str, indexes: bytes) -> None:
    """After the schema's id, the payload contains the place of the message in its file.

    The place of the first message takes one byte.
    """
    descriptors = compiled(HEAD + NESTED)
    nothing = pa.array([{}], pa.struct([]))

    def prefix(**options: Any) -> Any:
        return pa.array(ProtobufEncoder(descriptors, f"t.{name}", **options).encode(nothing))[0]

    assert prefix().as_py() == b""
    assert prefix(schema_id=258).as_py() == b"\0\0\0\1\2" + indexes
    assert prefix(schema_id=258, message_indexes=False).as_py() == b"\0\0\0\1\2"
    assert prefix(message_indexes=True).as_py() == indexes
    assert prefix(message_indexes=[0, 200]).as_py() == b"\4\0\x90\3"
    rows = ProtobufEncoder(descriptors, f"t.{name}", message_indexes=True).encode(nothing)
    assert ProtobufDecoder(descriptors, "t.M", message_indexes=True).decode(rows).errors == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((5,), TypeError, "descriptor must be a message class"),
        ((b"\xff",), ValueError, "descriptor is not a FileDescriptorSet"),
        ((FileDescriptorSet(),), TypeError, "message must be the full name"),
        ((FileDescriptorSet(), "t.M"), ValueError, "the descriptor has no message 't.M'"),
        ((Timestamp, "t.M"), TypeError, "message is only for a FileDescriptorSet"),
    ],
)
def test_wrong_descriptors(arguments: Any, error: type[Exception], message: str) -> None:
    """The error names the wrong descriptor."""
    with pytest.raises(error, match=message):
        ProtobufEncoder(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"schema_id": "1"}, TypeError, "schema_id must be int, not str"),
        ({"schema_id": 2**32}, ValueError, "schema_id must be from 0 to"),
        ({"message_indexes": 5}, TypeError, "message_indexes must be bool or a list of int"),
        ({"message_indexes": [-1]}, ValueError, "message_indexes must have at least one"),
        ({"extra": "drop"}, ValueError, "extra must be one of error, ignore, not 'drop'"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    """The error names the wrong argument."""
    with pytest.raises(error, match=message):
        ProtobufEncoder(Timestamp, **options)


@pytest.mark.parametrize("kind", [Struct, Value, ListValue, Timestamp, DescriptorProto])
def test_messages_of_google(kind: Any) -> None:
    """Google's messages that become special columns as fields can also be the row itself, even
    recursive messages."""
    batch = pa.array([{}], pa.struct([]))
    assert pa.array(ProtobufEncoder(kind).encode(batch)).to_pylist() == [b""]
