"""JSONEncoder writes rows of Arrow columns as JSON that JSONDecoder and other programs can read."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import uuid
from decimal import Decimal
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka import cimpl  # noqa: E402
from confluent_kafka.columns import (  # noqa: E402
    JSONDecoder,
    JSONEncoder,
    JSONSchemaError,
    RowError,
)

ID = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
NULL_REASON = "a null, which the schema does not allow here"


def rows_of(column: Any) -> Any:
    """A batch of one column, for payloads that are not objects."""
    return pa.record_batch({"value": column})


def texts(rows: Any) -> list[str | None]:
    """The payloads as text."""
    return [None if one is None else one.decode() for one in pa.array(rows).to_pylist()]


def written(column: Any, schema: Any = None, **options: Any) -> list[str | None]:
    """The texts of a column's values in the written objects."""
    schema = None if schema is None else pa.schema([("v", schema)])
    rows = JSONEncoder(schema, **options).encode(pa.record_batch({"v": column}))
    assert rows.errors == []
    return [text and text.removeprefix('{"v":').removesuffix("}") for text in texts(rows)]


def test_an_object() -> None:
    """An object is written as compact text, with the columns in their order.

    Null rows stay null.
    """
    batch = pa.array(
        [{"b": 1, "a": ["x", None], "c": {"d": True}}, None, {"b": None, "a": [], "c": None}]
    )
    assert texts(JSONEncoder().encode(batch)) == [
        '{"b":1,"a":["x",null],"c":{"d":true}}',
        None,
        '{"b":null,"a":[],"c":null}',
    ]


def test_the_order_of_the_schema() -> None:
    """Fields are written in the schema's order. A field without a column is null."""
    schema = pa.schema([("a", pa.int8()), ("x", pa.string()), ("b", pa.int8())])
    batch = pa.record_batch({"b": [1], "a": [2]})
    assert texts(JSONEncoder(schema).encode(batch)) == ['{"a":2,"x":null,"b":1}']
    assert texts(JSONEncoder(schema, nulls="omit").encode(batch)) == ['{"a":2,"b":1}']


def test_nothing_at_all() -> None:
    """Empty objects, lists and maps are written."""
    kind = pa.struct([("a", pa.struct([])), ("b", pa.list_(pa.int8()))])
    batch = pa.array([{"a": {}, "b": []}], kind)
    assert texts(JSONEncoder(nulls="omit").encode(batch)) == ['{"a":{},"b":[]}']
    assert texts(JSONEncoder().encode(pa.array([{}], pa.struct([])))) == ["{}"]
    assert texts(JSONEncoder().encode(batch[:0])) == []


@pytest.mark.parametrize("nulls", ["write", "omit"])
def test_nulls(nulls: str) -> None:
    """Null fields are written or left out, as the option requires.

    Null items and entries are always written.
    """
    kind = pa.struct(
        [
            ("a", pa.int8()),
            ("b", pa.struct([("c", pa.null())])),
            ("d", pa.list_(pa.int8())),
            ("e", pa.map_(pa.string(), pa.int8())),
        ]
    )
    batch = pa.array([{"a": None, "b": {"c": None}, "d": [None], "e": [("k", None)]}], kind)
    expected = {
        "write": '{"a":null,"b":{"c":null},"d":[null],"e":{"k":null}}',
        "omit": '{"b":{},"d":[null],"e":{"k":null}}',
    }
    assert texts(JSONEncoder(nulls=nulls).encode(batch)) == [expected[nulls]]


@pytest.mark.parametrize("nulls", ["write", "omit"])
def test_nulls_that_a_json_schema_decides(nulls: str) -> None:
    """A null in a required field is always written.

    A null in a field that may be missing, but not null, is always left out.
    """
    schema = {
        "properties": {
            "needed": {"type": ["integer", "null"]},
            "maybe": {"type": "integer"},
            "either": {"type": ["integer", "null"]},
        },
        "required": ["needed"],
    }
    batch = pa.record_batch({name: pa.nulls(1) for name in schema["properties"]})
    expected = {"write": '{"needed":null,"either":null}', "omit": '{"needed":null}'}
    encoder = JSONEncoder(schema, nulls=nulls)
    assert texts(encoder.encode(batch)) == [expected[nulls]]
    assert texts(encoder.encode(batch.select([]))) == [expected[nulls]]


STRINGS = [
    "",
    "plain text of some length",
    'a"b',
    "back\\slash",
    "\0\1\x1f\x7f",
    "\b\t\n\f\r",
    "é€😀",
]
STRINGS += ["1234567" + '"' * 20, "x" * 100 + "\n"]


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())],
)
def test_strings(kind: Any) -> None:
    """Strings are written as by json.dumps(), but without escapes for characters outside of
    ASCII."""
    expected = [json.dumps(text, ensure_ascii=False) for text in STRINGS]
    assert written(pa.array(STRINGS, kind)) == expected


def test_keys() -> None:
    """Names of fields and keys of maps are escaped like other strings."""
    batch = pa.array(
        [{'a"\n': [('k"\\', 1)]}], pa.struct([('a"\n', pa.map_(pa.string(), pa.int8()))])
    )
    assert texts(JSONEncoder().encode(batch)) == ['{"a\\"\\n":{"k\\"\\\\":1}}']


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64"])
def test_integers(name: str) -> None:
    """Integers of all widths are written up to their limits."""
    kind, unsigned = getattr(pa, name)(), getattr(pa, f"u{name}")()
    bits = kind.bit_width
    limits = [-(2 ** (bits - 1)), -1, 0, 7, 99, 100, 2 ** (bits - 1) - 1]
    assert written(pa.array(limits, kind)) == list(map(str, limits))
    assert written(pa.array([0, 2**bits - 1], unsigned)) == ["0", str(2**bits - 1)]


@pytest.mark.parametrize(
    ("values", "given", "wanted"),
    [
        ([127, 128], pa.int64(), pa.int8()),
        ([-128, -129], pa.int64(), pa.int8()),
        ([0, -1], pa.int8(), pa.uint8()),
        ([0, -1], pa.int64(), pa.uint64()),
        ([2**63 - 1, 2**63], pa.uint64(), pa.int64()),
        ([2**32 - 1, 2**32], pa.uint64(), pa.uint32()),
    ],
)
def test_integers_that_do_not_fit(values: list[int], given: Any, wanted: Any) -> None:
    """A number out of the range of the schema's type is a bad row."""
    rows = JSONEncoder(pa.schema([("v", wanted)])).encode(
        pa.record_batch({"v": pa.array(values, given)})
    )
    assert texts(rows) == [f'{{"v":{values[0]}}}', None]
    assert rows.errors == [RowError(1, 1, "v", "an integer that is out of the range of its type")]


def test_floats() -> None:
    """Floats are written with the fewest digits for their width in the schema.

    Integers are written without a fraction.
    """
    assert written(pa.array([0.1, -0.0, 1e300, 1e16])) == ["0.1", "-0.0", "1e+300", "1e+16"]
    assert written(pa.array([0.1], pa.float32())) == ["0.1"]
    assert written(pa.array([0.1], pa.float16())) == ["0.099975586"]
    assert written(pa.array([0.1]), pa.float32()) == ["0.1"]
    assert written(pa.array([2**62]), pa.float64()) == [str(2**62)]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_numbers_that_json_has_not(kind: Any) -> None:
    """NaN and the infinities are bad rows, since RFC 8259 has no text for them."""
    values = [math.nan, math.inf, -math.inf, 1.0]
    rows = JSONEncoder().encode(pa.record_batch({"v": pa.array(values, kind)}))
    assert texts(rows) == [None, None, None, '{"v":1.0}']
    assert {(one.field, one.reason) for one in rows.errors} == {
        ("v", "a number that is not finite, which JSON does not have")
    }


def test_doubles_that_no_float_is() -> None:
    """A number above the largest float is a bad row if the schema has a float."""
    rows = JSONEncoder(pa.float32()).encode(rows_of(pa.array([1e39])))
    assert rows.errors[0].reason == "a number that is too large for a float"


@pytest.mark.parametrize("size", range(8))
def test_binary(size: int) -> None:
    """Binary is written as Base64 with padding."""
    data = bytes(range(250, 250 + size)) if size < 6 else b"\xff" * size
    [text] = written(pa.array([data], pa.binary()))
    assert JSONDecoder(pa.binary()).decode(pa.array([text])).errors == []
    assert pa.array(JSONDecoder(pa.binary()).decode(pa.array([text]))).to_pylist() == [
        {"value": data}
    ]


def test_fixed_binary() -> None:
    """Fixed-size binary is written as Base64; a value of another size is a bad row."""
    assert written(pa.array([b"abc"], pa.binary(3))) == ['"YWJj"']
    schema = pa.schema([("v", pa.binary(3))])
    rows = JSONEncoder(schema).encode(pa.record_batch({"v": [b"abc", b"ab"]}))
    assert texts(rows) == ['{"v":"YWJj"}', None]
    assert rows.errors[0].reason == "a wrong number of bytes for the type"


def test_uuids() -> None:
    """UUIDs are written as text in lower case, from 16 bytes or from text in upper or lower
    case."""
    text = f'"{ID}"'
    assert written(pa.array([ID.bytes], pa.binary(16)), pa.uuid()) == [text]
    assert written(pa.array([str(ID).upper()]), pa.uuid()) == [text]
    rows = JSONEncoder(pa.uuid()).encode(rows_of(pa.array(["x"])))
    assert rows.errors[0].reason == "text that is not a UUID"


def test_uuids_without_a_schema() -> None:
    """Columns of arrow.uuid are written as text, also in lists and dictionaries.

    Other columns of 16 bytes are written as binary.
    """
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([ID.bytes, None], pa.binary(16)))
    batch = pa.record_batch(
        {
            "a": ids,
            "items": pa.ListArray.from_arrays([0, 1, 2], ids),
            "encoded": pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), ids),
            "bytes": ids.storage,
        }
    )
    encoded = f'"{base64.b64encode(ID.bytes).decode()}"'
    assert texts(JSONEncoder().encode(batch)) == [
        f'{{"a":"{ID}","items":["{ID}"],"encoded":null,"bytes":{encoded}}}',
        f'{{"a":null,"items":[null],"encoded":"{ID}","bytes":null}}',
    ]
    plain = batch.set_column(0, "a", ids.storage)
    encoder = JSONEncoder()  # it keeps a program for each of the two types
    assert texts(encoder.encode(batch))[0].startswith(f'{{"a":"{ID}"')
    assert texts(encoder.encode(plain))[0].startswith(f'{{"a":{encoded}')


@pytest.mark.parametrize("schema", [pa.uint64(), {"type": "integer", "format": "uint64"}])
def test_integers_of_decimals(schema: Any) -> None:
    """Decimals of scale 0 are written as integers.

    Other scales are refused, because digits would be lost.
    """
    values = [2**64 - 1, 2**64, -1, 0]
    column = pa.array(list(map(Decimal, values)), pa.decimal128(20))
    rows = JSONEncoder(schema).encode(rows_of(column))
    assert texts(rows) == [str(2**64 - 1), None, None, "0"]
    reason = "an integer that is out of the range of its type"
    assert [(one.row, one.reason) for one in rows.errors] == [(1, reason), (2, reason)]
    with pytest.raises(TypeError, match="'value' is decimal, which cannot be written as uint64"):
        JSONEncoder(schema).encode(rows_of(pa.array([Decimal("1.5")])))


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"type": "string", "format": "date"}, "2024-02-29", "2023-02-29"),
        ({"type": "string", "format": "time"}, "23:59:00.25+01:00", "24:00:00Z"),
        ({"type": "string", "format": "date-time"}, "2024-02-29t01:02:03Z", "2024-02-29T01:02:03"),
        (pa.timestamp("us"), "2024-02-29 01:02:03", "2024-02-29T01:02:03Z"),
        (pa.time32("s"), "01:02:03", '01:02:03"'),
        (pa.date32(), "2024-02-29", ""),
    ],
)
def test_times_of_text(schema: Any, right: str, wrong: str) -> None:
    """Text with a time in the form of RFC 3339 is written unchanged, and JSONDecoder reads it."""
    encoder = JSONEncoder(schema)
    rows = encoder.encode(rows_of(pa.array([right, wrong])))
    assert texts(rows) == [f'"{right}"', None]
    assert [(one.row, one.reason) for one in rows.errors] == [
        (1, "text that is not in the form of RFC 3339")
    ]
    decoded = JSONDecoder(schema).decode(rows)
    assert not decoded.errors
    with pytest.raises(TypeError, match="which cannot be written as"):
        encoder.encode(rows_of(pa.array([right.encode()])))


@pytest.mark.parametrize(
    ("number", "precision", "scale", "text"),
    [
        ("0", 5, 0, "0"),
        ("0", 5, 2, "0.00"),
        ("-0.05", 5, 2, "-0.05"),
        ("123.45", 5, 2, "123.45"),
        ("-99999", 5, 0, "-99999"),
        ("1" * 38, 38, 0, "1" * 38),
        ("0." + "7" * 76, 76, 76, "0." + "7" * 76),
        ("-" + "9" * 76, 76, 0, "-" + "9" * 76),
        ("1000000000", 12, 1, "1000000000.0"),
    ],
)
def test_decimals(number: str, precision: int, scale: int, text: str) -> None:
    """Decimals are written as text, or with an option as numbers. JSONDecoder reads both."""
    kind = pa.decimal256(precision, scale)
    column = pa.array([Decimal(number)], kind)
    assert written(column) == [f'"{text}"']
    assert written(column, decimals="number") == [text]
    for decimals in ("string", "number"):
        encoded = JSONEncoder(decimals=decimals).encode(rows_of(column))
        decoded = JSONDecoder(pa.schema([("value", kind)])).decode(encoded)
        assert pa.array(decoded).to_pylist() == [{"value": Decimal(number)}]


def test_decimals_of_another_scale() -> None:
    """A decimal is rescaled to the schema's scale. Its row is bad if digits would be lost."""
    schema = pa.schema([("v", pa.decimal128(5, 2))])
    column = pa.array(
        [Decimal("1.500"), Decimal("1.555"), Decimal("1234.000")], pa.decimal128(10, 3)
    )
    rows = JSONEncoder(schema).encode(pa.record_batch({"v": column}))
    assert texts(rows) == ['{"v":"1.50"}', None, None]
    assert [one.reason for one in rows.errors] == [
        "a decimal of more digits after the point than its scale",
        "a decimal of more digits than its precision",
    ]
    assert written(pa.array([Decimal("1200")], pa.decimal128(5, -2))) == ['"1200"']


def test_dates_and_times() -> None:
    """Dates and times are written as in RFC 3339, with a fraction only if it is not 0."""
    day, noon = dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 12, 0, 5)
    fine = noon.replace(microsecond=1500)
    assert written(pa.array([day, dt.date(1, 1, 1)])) == ['"2024-02-29"', '"0001-01-01"']
    assert written(pa.array([day, dt.date(9999, 12, 31)], pa.date64())) == [
        '"2024-02-29"',
        '"9999-12-31"',
    ]
    assert written(pa.array([noon, fine])) == [
        '"2024-02-29T12:00:05"',
        '"2024-02-29T12:00:05.001500"',
    ]
    zoned = pa.array([noon, fine], pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    assert written(zoned.cast(pa.timestamp("ns", "Asia/Tokyo"))) == [
        '"2024-02-29T12:00:05Z"',
        '"2024-02-29T12:00:05.001500000Z"',
    ]
    assert written(pa.array([0, 86_399_999], pa.time32("ms"))) == ['"00:00:00"', '"23:59:59.999"']
    assert written(pa.array([1], pa.time64("ns"))) == ['"00:00:00.000000001"']
    assert written(pa.array([5], pa.time32("s"))) == ['"00:00:05"']


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_before_1970(unit: str) -> None:
    """The fraction of a time before 1970 counts forward, even for the earliest time of a column."""
    column = pa.array([-1, -(10**9)], pa.timestamp(unit))
    kind = pa.schema([("value", pa.timestamp(unit))])
    decoded = JSONDecoder(kind).decode(JSONEncoder().encode(rows_of(column)))
    assert pa.array(decoded).field("value").equals(column)
    JSONEncoder().encode(rows_of(pa.array([-(2**63), 2**63 - 1], pa.timestamp(unit))))


def test_all_nanoseconds() -> None:
    """All times in nanoseconds that fit into 64 bits are written and read, also both ends."""
    ends = [-(2**63), -(2**63) + 1, -(10**9) - 1, 0, 2**63 - 854_775_808, 2**63 - 1]
    column = pa.array(ends, pa.timestamp("ns", "UTC"))
    rows = JSONEncoder().encode(rows_of(column))
    decoded = JSONDecoder(pa.schema([("value", column.type)])).decode(rows)
    assert not rows.errors
    assert not decoded.errors
    assert pa.array(decoded).field("value").equals(column)


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (pa.array([2**62], pa.timestamp("s")), "a date whose year is not from 0 to 9999"),
        (pa.array([2_932_897], pa.date32()), "a date whose year is not from 0 to 9999"),
        (pa.array([-719_529], pa.date32()), "a date whose year is not from 0 to 9999"),
        (pa.array([-1], pa.int64()).cast(pa.time64("us")), "a time of day that is out of range"),
        (pa.array([86_400], pa.int32()).cast(pa.time32("s")), "a time of day that is out of range"),
    ],
)
def test_times_that_rfc_3339_has_not(column: Any, reason: str) -> None:
    """Years without exactly four digits, and times outside a day, are bad rows."""
    rows = JSONEncoder().encode(rows_of(column))
    assert [(one.field, one.reason) for one in rows.errors] == [("value", reason)]


def test_zones() -> None:
    """The schema determines whether a time has an offset.

    Local times of other zones are refused.
    """
    noon = pa.array([43_200], pa.timestamp("s"))
    utc, tokyo = noon.cast(pa.timestamp("s", "UTC")), noon.cast(pa.timestamp("s", "Asia/Tokyo"))
    zoned, plain = pa.timestamp("s", "UTC"), pa.timestamp("s")
    assert written(noon, zoned) == written(utc, zoned) == ['"1970-01-01T12:00:00Z"']
    assert written(utc, plain) == ['"1970-01-01T12:00:00"']
    with pytest.raises(TypeError, match="Asia/Tokyo"):
        written(tokyo, plain)


def test_maps() -> None:
    """Maps, lists of structs of key and value, and structs become maps.

    Null fields of structs are left out.
    """
    schema = pa.schema([("v", pa.map_(pa.string(), pa.int64()))])
    entry = pa.struct([("value", pa.int64()), ("key", pa.dictionary(pa.int8(), pa.string()))])
    columns = [
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())),
        pa.array([[{"key": "a", "value": 1}]], pa.list_(entry)),
        pa.array([{"a": 1, "b": None}]),
    ]
    for column in columns:
        rows = JSONEncoder(schema).encode(pa.record_batch({"v": column}))
        assert texts(rows) == ['{"v":{"a":1}}']


def test_keys_that_are_no_text() -> None:
    """A map whose keys are not text is refused."""
    column = pa.array([[(1, 2)]], pa.map_(pa.int8(), pa.int8()))
    with pytest.raises(TypeError, match="keys of int8; JSON keys are text"):
        JSONEncoder().encode(rows_of(column))


def test_unions() -> None:
    """Each row is written as the value of its child."""
    union = pa.UnionArray.from_sparse(
        pa.array([0, 1, 1], pa.int8()), [pa.array([1, 2, 3]), pa.array(["a", "b", None])]
    )
    assert written(union) == ["1", '"b"', "null"]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_,
        pa.large_list,
        pa.list_view,
        pa.large_list_view,
        lambda one: pa.list_(one, 2),
    ],
)
def test_lists(kind: Any) -> None:
    """Lists of all kinds are written, with a schema and without."""
    column = pa.array([[1, 2], None], kind(pa.int8()))
    assert written(column) == ["[1,2]", "null"]
    assert written(column, pa.list_(pa.int8())) == ["[1,2]", "null"]
    assert written(column[1:]) == ["null"]


def test_list_views() -> None:
    """The rows of list views may be in any order and overlap. List views of structs can be maps."""
    entries = pa.array([{"key": key, "value": ord(key)} for key in "abcd"])
    offsets, sizes = pa.array([2, 0, 0, 3], pa.int32()), pa.array([2, 3, 9, 0], pa.int32())
    mask = pa.array([False, False, True, False])
    column = pa.ListViewArray.from_arrays(offsets, sizes, entries, mask=mask)
    for start in range(4):
        assert [json.loads(one or "") for one in written(column[start:])] == (
            column[start:].to_pylist()
        )
    assert written(column, pa.map_(pa.string(), pa.int64())) == [
        '{"c":99,"d":100}',
        '{"a":97,"b":98,"c":99}',
        "null",
        "{}",
    ]


def test_a_schema_of_no_object() -> None:
    """If the schema is not an object, the column "value" becomes the whole payload."""
    assert texts(JSONEncoder(pa.int8()).encode(rows_of(pa.array([1, None])))) == ["1", "null"]
    schema = {"type": "array", "items": {"type": "string"}}
    rows = JSONEncoder(schema).encode(rows_of(pa.array([["a"], None])))
    assert texts(rows) == ['["a"]', None]
    assert rows.errors == [RowError(1, 0, "value", NULL_REASON)]
    with pytest.raises(TypeError, match="there is no column 'value', which the schema requires"):
        JSONEncoder(schema).encode(pa.record_batch({"valeu": [["a"]]}))


def test_a_schema_id() -> None:
    """The registry's frame comes before each payload."""
    rows = JSONEncoder(schema_id=258).encode(pa.record_batch({"a": [1, None]}))
    assert pa.array(rows).to_pylist() == [b'\0\0\0\1\2{"a":1}', b'\0\0\0\1\2{"a":null}']


def test_bad_rows() -> None:
    """Bad rows are null. The errors and the error column contain the reasons."""
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["b"]}
    batch = pa.record_batch({"a": pa.array([b"x", b"\xff", b"y"]), "b": [1, 2, None]})
    rows = JSONEncoder(schema).encode(batch)
    assert texts(rows) == ['{"a":"x","b":1}', None, None]
    assert rows.errors == [
        RowError(1, 1, "a", "a string that is not UTF-8"),
        RowError(2, 9, "b", NULL_REASON),
    ]
    assert [one and one["field"] for one in pa.array(rows.error_column()).to_pylist()] == [
        None,
        "a",
        "b",
    ]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array(["1"]), pa.int8()),
        (pa.array([1]), pa.string()),
        (pa.array([1.5]), pa.int64()),
        (pa.array([1]), pa.bool_()),
        (pa.array([1]), pa.decimal128(5, 2)),
        (pa.array([1]), pa.date32()),
        (pa.array([1]), pa.timestamp("s")),
        (pa.array([1], pa.time32("s")), pa.timestamp("s")),
        (pa.array([1]), pa.list_(pa.int64())),
        (pa.array([1]), pa.map_(pa.string(), pa.int64())),
        (pa.array([1]), pa.struct([("a", pa.int64())])),
        (pa.array([b"x"], pa.binary(1)), pa.uuid()),
        (pa.array([b"x"], pa.binary(1)), pa.binary(2)),
        (pa.array([1]), pa.null()),
    ],
)
def test_columns_of_another_type(column: Any, kind: Any) -> None:
    """A column that does not have the schema's type raises a TypeError that names both types."""
    with pytest.raises(TypeError, match=r"batch: 'v' is .*, which cannot be written as"):
        written(column, kind)


@pytest.mark.parametrize("kind", [pa.duration("s"), pa.month_day_nano_interval()])
def test_types_that_json_has_not(kind: Any) -> None:
    """Without a schema, a type that JSONDecoder does not read is refused."""
    with pytest.raises(TypeError, match="which JSON has no text for"):
        written(pa.nulls(1, kind))


def test_columns_that_do_not_match() -> None:
    """Columns that the schema does not have, that are missing, or that occur twice are refused."""
    schema = {"properties": {"carrier": {"type": "string"}}, "required": ["carrier"]}
    encoder = JSONEncoder(schema)
    with pytest.raises(TypeError, match="no field 'extra'; extra=\"ignore\" leaves it out"):
        encoder.encode(pa.record_batch({"carrier": ["a"], "extra": [1]}))
    with pytest.raises(TypeError, match=r"no column 'carrier'.*did you mean 'carier'"):
        encoder.encode(pa.record_batch({"carier": ["a"]}))
    ignoring = JSONEncoder(schema, extra="ignore")
    batch = pa.record_batch({"carrier": ["a"], "extra": [1]})
    assert texts(ignoring.encode(batch)) == ['{"carrier":"a"}']
    twice = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    for one in (JSONEncoder(), JSONEncoder(pa.schema([("a", pa.int8())]))):
        with pytest.raises(TypeError, match="there are 2 columns 'a'"):
            one.encode(twice)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"schema": 5}, TypeError, "schema must be an Arrow schema"),
        ({"schema": "{"}, JSONSchemaError, "schema is not JSON"),
        ({"schema": {"type": "word"}}, JSONSchemaError, "of the type 'word'"),
        ({"schema_id": "1"}, TypeError, "schema_id must be int, not str"),
        ({"schema_id": -1}, ValueError, "schema_id must be from 0 to"),
        ({"extra": "drop"}, ValueError, "extra must be one of error, ignore, not 'drop'"),
        ({"nulls": "drop"}, ValueError, "nulls must be one of write, omit, not 'drop'"),
        ({"decimals": 1}, ValueError, "decimals must be one of string, number, not 1"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    """The error names the wrong argument."""
    with pytest.raises(error, match=message):
        JSONEncoder(**arguments)


def test_programs_by_hand() -> None:
    """Instructions in an order that no schema produces do no harm."""

    def step(name: str, index: int = -1, **more: Any) -> tuple[Any, ...]:
        values = {"argument": 0, "target": 0, "table": (), "data": b"", "field": "f"} | more
        return (name, index, *values.values())

    batch = pa.record_batch({"a": pa.array([Decimal(1)], pa.decimal128(5)), "b": pa.array([1])})

    def encode(*steps: Any) -> Any:
        rows = cimpl._encode_rows(
            batch, lambda types: cimpl._PayloadProgram("json", types, steps), b"p"
        )
        return pa.array(rows).to_pylist()

    assert encode(step("end"), step("end-object"), step("end")) == [b"p}"]
    assert encode() == [b"p"]
    with pytest.raises(ValueError, match="does not fit its column"):
        encode(step("decimal", 1, table=(0,), data=bytes(31)))
    with pytest.raises(ValueError, match="does not fit its column"):
        encode(step("date", 2, argument=0))
    limit = b"\xff" * 32
    with pytest.raises(OverflowError):
        encode(step("decimal", 1, argument=2**31 - 1, table=(0,), data=limit))
    assert encode(step("time", 2, argument=1, table=(-7,)), step("end"))
