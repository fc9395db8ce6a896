"""AvroDecoder with a reader's schema follows the specification's rules for schema resolution."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.columns import AvroDecoder, AvroResolutionError, AvroSchemaError  # noqa: E402
from tests.support.avro import encode, record, through, valid  # noqa: E402


def resolved(writer: Any, reader: Any, values: list[Any]) -> list[Any]:
    """The values of a field after the resolution."""
    rows = through(record(("a", writer)), [{"a": one} for one in values], record(("a", reader)))
    return [row["a"] for row in rows.to_pylist()]


def errors(writer: Any, reader: Any, values: list[Any]) -> list[tuple[int, str]]:
    """The errors of a field's values, as pairs (row, reason)."""
    decoder = AvroDecoder(record(("a", writer)), record(("a", reader)))
    payloads = encode(record(("a", writer)), [{"a": one} for one in values])
    rows = decoder.decode(pa.array(payloads))
    valid(rows)
    return [(error.row, error.reason) for error in rows.errors]


PROMOTIONS = [
    ("int", "long", pa.int64(), [1, -(2**31)], [1, -(2**31)]),
    ("int", "float", pa.float32(), [1, -3], [1.0, -3.0]),
    ("int", "double", pa.float64(), [2**31 - 1], [2.0**31 - 1]),
    ("long", "float", pa.float32(), [2**40, -1], [2.0**40, -1.0]),
    ("long", "double", pa.float64(), [2**53, -1], [2.0**53, -1.0]),
    ("float", "double", pa.float64(), [1.5, -0.25], [1.5, -0.25]),
    ("string", "bytes", pa.binary(), ["ü"], ["ü".encode()]),
    ("bytes", "string", pa.string(), ["ü".encode()], ["ü"]),
]


@pytest.mark.parametrize(("writer", "reader", "arrow", "values", "expected"), PROMOTIONS, ids=str)
def test_promotions(writer: str, reader: str, arrow: Any, values: Any, expected: Any) -> None:
    """Numbers become wider, and bytes become text, everywhere in a schema."""
    rows = through(
        record(("a", writer), ("b", ["null", writer]), ("c", {"type": "array", "items": writer})),
        [{"a": one, "b": one, "c": [one]} for one in values],
        record(("a", reader), ("b", ["null", reader]), ("c", {"type": "array", "items": reader})),
    )
    assert [rows.field(name).type for name in "abc"] == [arrow, arrow, pa.list_(arrow)]
    assert rows.to_pylist() == [{"a": one, "b": one, "c": [one]} for one in expected]


def test_bytes_that_are_no_text() -> None:
    """If the reader's type is a string, the written bytes must be UTF-8."""
    assert errors("bytes", "string", [b"good", b"\xff"]) == [(1, "a string that is not UTF-8")]


NARROWING = [
    ("long", "int"), ("double", "float"), ("double", "long"), ("float", "int"), ("int", "string"),
    ("string", "int"), ("boolean", "int"), ("int", "boolean"), ("null", "int"), ("int", "null"),
    ({"type": "array", "items": "int"}, "int"),
    ({"type": "array", "items": "int"}, {"type": "map", "values": "int"}),
    ({"type": "array", "items": "long"}, {"type": "array", "items": "int"}),
    ({"type": "map", "values": "string"}, {"type": "map", "values": "int"}),
    (record(("x", "long"), name="R"), record(("x", "int"), name="R")),
    (record(name="R"), record(name="S")),
    (record(name="R"), record(("x", "int"), name="R")),
    ({"type": "fixed", "name": "F", "size": 1}, {"type": "fixed", "name": "F", "size": 2}),
    ({"type": "fixed", "name": "F", "size": 1}, {"type": "fixed", "name": "G", "size": 1}),
    ({"type": "fixed", "name": "F", "size": 1}, "bytes"),
    (
        {"type": "enum", "name": "E", "symbols": ["X"]},
        {"type": "enum", "name": "F", "symbols": ["X"]},
    ),
    ({"type": "enum", "name": "E", "symbols": ["X"]}, "string"),
    ("int", ["null", "string"]),
    (["int", "long"], "boolean"),
]  # fmt: skip


@pytest.mark.parametrize(("writer", "reader"), NARROWING, ids=str)
def test_types_that_do_not_resolve(writer: Any, reader: Any) -> None:
    """Types that do not resolve raise an error with the name of the field, before any payload is
    read."""
    with pytest.raises(AvroResolutionError, match=r"'?\ba\b"):
        AvroDecoder(record(("a", writer)), record(("a", reader)))
    # Fields that are not selected cause no error.
    more = record(("a", writer), ("b", "int")), record(("a", reader), ("b", "int"))
    AvroDecoder(*more, columns=["b"])


def test_what_a_resolution_error_says() -> None:
    """The error names the field, the writer's type and the reader's type."""
    writer = record(("r", record(("x", {"type": "array", "items": "string"}), name="R")))
    reader = record(("r", record(("x", {"type": "array", "items": "long"}), name="R")))
    expected = r"^r\.x\[\] was written as string, and is to be read as long$"
    with pytest.raises(AvroResolutionError, match=expected):
        AvroDecoder(writer, reader)
    with pytest.raises(AvroResolutionError, match=r"^the value was written as int, which the read"):
        AvroDecoder("int", ["null", "string"])
    reader = record(("r", record(("y", "long"), name="R")))
    with pytest.raises(AvroResolutionError, match=r"'r\.y' was not written, and has no default"):
        AvroDecoder(writer, reader)


def test_fields_in_another_order() -> None:
    """Fields are found by their names; fields that the reader does not have are skipped."""
    writer = record(("a", "int"), ("b", "string"), ("c", "double"))
    reader = record(("c", "double"), ("a", "long"))
    rows = through(writer, [{"a": 1, "b": "b", "c": 0.5}], reader)
    assert rows.to_pylist() == [{"c": 0.5, "a": 1}]
    assert [one.name for one in rows.type] == ["c", "a"]


SKIPPED: list[tuple[Any, Any]] = [
    ("null", None),
    ("boolean", True),
    ("int", 2**31 - 1),
    ("long", -(2**63)),
    ("float", 0.5),
    ("double", 0.5),
    ("bytes", b"\x00" * 200),
    ("string", "text"),
    ({"type": "fixed", "name": "F", "size": 9}, b"123456789"),
    ({"type": "enum", "name": "E", "symbols": ["X", "Y"]}, "Y"),
    ({"type": "array", "items": {"type": "array", "items": "null"}}, [[None], [], [None] * 9]),
    ({"type": "map", "values": {"type": "map", "values": "long"}}, {"k": {"x": 1}, "": {}}),
    (["null", "string", "int"], 7),
    (["null", {"type": "array", "items": "string"}], ["a", "b"]),
    (record(("x", ["null", "int"]), ("y", record(name="Empty")), name="In"), {"x": 1, "y": {}}),
]


@pytest.mark.parametrize(("kind", "value"), SKIPPED, ids=lambda one: str(one)[:40])
def test_fields_that_are_skipped(kind: Any, value: Any) -> None:
    """Values of every type can be skipped, by the reader's schema and by columns=."""
    writer = record(("before", "int"), ("skipped", kind), ("after", "int"))
    values = [{"before": i, "skipped": value, "after": -i} for i in range(3)]
    expected = [{"before": i, "after": -i} for i in range(3)]
    reader = record(("before", "int"), ("after", "int"))
    assert through(writer, values, reader).to_pylist() == expected
    assert through(writer, values, columns=["before", "after"]).to_pylist() == expected
    # A payload that is cut short within a skipped value is also a bad row.
    decoder = AvroDecoder(writer, reader)
    payload = encode(writer, values)[2]
    rows = decoder.decode(pa.array([payload[:end] for end in range(len(payload))]))
    assert len(rows.errors) == len(payload)


DEFAULTS: list[tuple[Any, Any, Any]] = [
    ("null", None, None),
    ("boolean", True, True),
    ("int", -(2**31), -(2**31)),
    ("long", 2**63 - 1, 2**63 - 1),
    ("float", 1.5, 1.5),
    ("float", 2, 2.0),
    ("double", -1, -1.0),
    ("bytes", "\u00ff\u0000", b"\xff\x00"),
    ("string", "ünï", "ünï"),
    ({"type": "fixed", "name": "F", "size": 2}, "\u00ff1", b"\xff1"),
    ({"type": "enum", "name": "E", "symbols": ["X", "Y"]}, "Y", "Y"),
    ({"type": "array", "items": "int"}, [], []),
    ({"type": "array", "items": ["null", "string"]}, ["a", None], ["a", None]),
    ({"type": "map", "values": "int"}, {"k": 1}, [("k", 1)]),
    ({"type": "map", "values": "int"}, {}, []),
    (["null", "int"], None, None),
    (["int", "null"], 5, 5),
    (["null", "int"], 5, 5),  # since Avro 1.12, the default may match any branch
    (["null", "int", "string"], "a", "a"),
    (
        record(("x", "int"), {"name": "y", "type": "string", "default": "inner"}, name="R"),
        {"x": 1},
        {"x": 1, "y": "inner"},
    ),
    ({"type": "int", "logicalType": "time-millis"}, 1000, None),
    (
        {"type": "string", "logicalType": "uuid"},
        "00000000-0000-0000-0000-00000000000A",
        uuid.UUID(int=10),
    ),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 3, "scale": 1},
        "\u00ff",
        Decimal("-0.1"),
    ),
]


@pytest.mark.parametrize(("kind", "default", "expected"), DEFAULTS, ids=lambda one: str(one)[:60])
def test_defaults(kind: Any, default: Any, expected: Any) -> None:
    """A field that the writer does not have gets its default in every row."""
    reader = record(("a", "int"), {"name": "new", "type": kind, "default": default})
    rows = through(record(("a", "int")), [{"a": 1}, {"a": 2}], reader)
    found = rows.field("new").to_pylist()
    if expected is None and default is not None:
        assert found[0] is not None
        assert found[0] == found[1]
    else:
        assert found == [expected] * 2
    # Within a list, each item gets the default.
    inner = record(("a", "int"), name="In"), {**reader, "name": "In"}
    lists = through(
        record(("l", {"type": "array", "items": inner[0]})),
        [{"l": [{"a": 1}] * 3}, {"l": []}],
        record(("l", {"type": "array", "items": inner[1]})),
    )
    assert [len(row["l"]) for row in lists.to_pylist()] == [3, 0]
    assert [one["new"] for one in lists.to_pylist()[0]["l"]] == [found[0]] * 3


WRONG_DEFAULTS: list[tuple[Any, Any]] = [
    ("null", 0), ("boolean", 1), ("boolean", None), ("int", 2**31), ("int", 1.5), ("int", True),
    ("long", 2**63), ("long", "1"), ("float", "1.5"), ("float", 1e300), ("float", True),
    ("double", 10**400), ("double", None), ("bytes", "\u0100"), ("bytes", b"bytes"), ("bytes", 1),
    ("string", None), ("string", "\ud800"), ("string", b"a"),
    ({"type": "fixed", "name": "F", "size": 2}, "1"),
    ({"type": "fixed", "name": "F", "size": 2}, None),
    ({"type": "fixed", "name": "F", "size": 1}, ["1"]),
    ({"type": "enum", "name": "E", "symbols": ["X"]}, "Y"),
    ({"type": "enum", "name": "E", "symbols": ["X"]}, ["X"]),
    ({"type": "array", "items": "string"}, "text"),
    ({"type": "array", "items": "string"}, {"k": 1}),
    ({"type": "array", "items": "string"}, [1]),
    ({"type": "array", "items": "string"}, None),
    ({"type": "map", "values": "int"}, [["k", 1]]),
    ({"type": "map", "values": "int"}, {"k": "v"}),
    ({"type": "map", "values": "int"}, {1: 1}),
    (["null", "int"], "a"),
    (record(("x", "int"), name="R"), {}),
    (record(("x", "int"), name="R"), [1]),
    (record({"name": "x", "type": "int", "default": 1}, name="R"), "text"),
    ({"type": "string", "logicalType": "uuid"}, "text"),
    ({"type": "bytes", "logicalType": "decimal", "precision": 2}, "\u0064"),
    ({"type": "fixed", "name": "F", "size": 1, "logicalType": "decimal", "precision": 2}, "\u0064"),
    ({"type": "int", "logicalType": "time-millis"}, -1),
    ({"type": "long", "logicalType": "time-micros"}, 86_400_000_000),
    ({"type": "fixed", "name": "F", "size": 12, "logicalType": "duration"}, "\u00ff" * 12),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "default"), WRONG_DEFAULTS, ids=lambda one: repr(one)[:60])
def test_defaults_of_another_type(kind: Any, default: Any) -> None:
    """A default of a wrong type is refused with the name of the field, but only if it is needed."""
    reader = record(("a", "int"), {"name": "new", "type": kind, "default": default})
    with pytest.raises(AvroSchemaError, match=r"the default of the field 'new'"):
        AvroDecoder(record(("a", "int")), reader)
    AvroDecoder(record(("a", "int")), reader, columns=["a"])


def test_aliases_of_fields() -> None:
    """A field is found by its own name, or else by an alias.

    Each written field is read only once.
    """
    writer = record(("old", "int"), ("b", "int"))
    one = [{"old": 1, "b": 2}] * 3
    reader = record({"name": "new", "type": "int", "aliases": ["older", "old"]}, ("b", "int"))
    assert through(writer, one, reader).to_pylist() == [{"new": 1, "b": 2}] * 3
    # The writer has both names of one field. The reader gets the value of the field's own name.
    reader = record({"name": "b", "type": "int", "aliases": ["old"]})
    assert through(writer, one, reader).to_pylist() == [{"b": 2}] * 3
    # Two fields have the same former name. The first field gets the value. The second field uses
    # its next alias or its default.
    first = {"name": "x", "type": "int", "aliases": ["old"]}
    second = {"name": "y", "type": "int", "aliases": ["old", "b"], "default": 7}
    assert through(writer, one, record(first, second)).to_pylist() == [{"x": 1, "y": 2}] * 3
    second["aliases"] = ["old"]
    assert through(writer, one, record(first, second)).to_pylist() == [{"x": 1, "y": 7}] * 3


def test_aliases_of_types() -> None:
    """Named types match if their names without namespaces, or an alias, are equal."""
    writer = record(("x", "int"), name="old.space.Point")
    for name, aliases in (
        ("Point", []),
        ("new.Point", []),
        ("New", ["Point"]),
        ("New", ["q.Point"]),
    ):
        reader = record(("x", "long"), name=name) | {"aliases": aliases}
        assert resolved(writer, reader, [{"x": 1}]) == [{"x": 1}]
    fixed = {"type": "fixed", "name": "F", "size": 1}
    assert resolved(fixed, fixed | {"name": "G", "aliases": ["F"]}, [b"a"]) == [b"a"]
    enum = {"type": "enum", "name": "E", "symbols": ["X"]}
    assert resolved(enum, enum | {"name": "G", "aliases": ["E"]}, ["X"]) == ["X"]


def test_enums() -> None:
    """Symbols are found by their names. A symbol that the reader does not have becomes the default;
    without a default its row is bad."""
    writer = {"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}
    reader = {"type": "enum", "name": "E", "symbols": ["C", "A", "Z"]}
    assert errors(writer, reader, ["A", "B", "C"]) == [
        (1, "a symbol that the reader's enum does not have, and it has no default")
    ]
    assert resolved(writer, reader, ["A", "C"]) == ["A", "C"]
    assert resolved(writer, reader | {"default": "Z"}, ["A", "B", "C"]) == ["A", "Z", "C"]
    rows = through(
        record(("a", writer)),
        [{"a": "A"}, {"a": "B"}, {"a": "C"}],
        record(("a", reader | {"default": "Z"})),
        enums="dictionary",
    )
    assert rows.field("a").indices.to_pylist() == [1, 2, 0]


def test_unions_and_other_types() -> None:
    """A union resolves with another type in both directions, also with promotion.

    Two unions also resolve.
    """
    assert resolved("int", ["null", "int"], [1]) == [1]
    assert resolved("int", ["null", "long"], [1]) == [1]
    assert resolved("int", ["string", "double"], [1]) == [1.0]
    assert resolved("null", ["int", "null"], [None]) == [None]
    assert resolved(["int"], "long", [1]) == [1]
    assert resolved("int", ["int"], [1]) == [1]
    assert resolved(["null", "int"], ["int", "null"], [None, 1]) == [None, 1]
    assert resolved(["null", "int"], ["long", "null"], [None, 1]) == [None, 1]
    assert resolved(["int", "string"], ["string", "null", "int"], [1, "a"]) == [1, "a"]
    assert resolved(["int", "string"], ["bytes", "long"], [1, "a"]) == [1, b"a"]
    assert resolved(["null", "int", "float"], ["null", "double"], [None, 1, 0.5]) == [None, 1, 0.5]
    assert resolved(["null", "int"], ["null", "int", "string"], [None, 1]) == [None, 1]
    assert resolved(["int", "long"], "long", [1, 2**40]) == [1, 2**40]


def test_branches_that_do_not_resolve() -> None:
    """A branch that the reader does not have makes a row bad only if the row contains this
    branch."""
    reason = "a branch of the writer's union that the reader does not have"
    assert errors(["null", "int"], "int", [1, None, 2]) == [(1, reason)]
    assert errors(["null", "int", "string"], ["null", "int"], [None, "a", 1]) == [(1, reason)]
    assert errors(["int", "string"], ["boolean", "long"], [1, "a"]) == [(1, reason)]
    assert errors(["null", "int"], ["null", "string"], [None, 1, None]) == [(1, reason)]
    assert resolved(["null", "int"], ["string", "null"], [None, None]) == [None, None]


def test_records_in_unions() -> None:
    """The branch with the same full name is taken, or else the first that matches."""
    one, other = record(("x", "int"), name="p.R"), record(("y", "int"), name="q.R")
    rows = resolved([one, other], [other, one], [("p.R", {"x": 1}), ("q.R", {"y": 2})])
    assert rows == [{"x": 1}, {"y": 2}]
    renamed = record(("x", "int"), name="New") | {"aliases": ["p.R"]}
    assert resolved([one, "null"], ["null", renamed], [{"x": 1}, None]) == [{"x": 1}, None]


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        (logical("int", "time-millis"), logical("long", "time-micros")),
        (logical("int", "date"), logical("long", "timestamp-millis")),
        (
            logical("bytes", "decimal", precision=5, scale=2),
            logical("bytes", "decimal", precision=5, scale=1),
        ),
    ],
    ids=str,
)
def test_logical_types_of_another_unit(writer: Any, reader: Any) -> None:
    """Logical types of another unit do not resolve and match no branch, because the same number
    would mean another time."""
    with pytest.raises(AvroResolutionError, match=r"was written as .* \(.*\), and is to be read"):
        AvroDecoder(record(("a", writer)), record(("a", reader)))
    with pytest.raises(AvroResolutionError, match="union"):
        AvroDecoder(record(("a", writer)), record(("a", ["null", reader])))


def test_timestamps_of_another_unit() -> None:
    """A timestamp of another unit is converted and rounded down.

    If it does not fit into 64 bits, its row is bad.
    """
    millis, micros, nanos = (
        logical("long", f"timestamp-{unit}") for unit in ("millis", "micros", "nanos")
    )
    at = datetime(2026, 1, 1, 12, 30, 0, 123_000, tzinfo=UTC)
    before = datetime(1969, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
    for writer, per_second in ((millis, 10**3), (micros, 10**6), (nanos, 10**9)):
        written = [round(one.timestamp() * 1000) * per_second // 1000 for one in (at, before)]
        for reader in (millis, micros, nanos):
            assert resolved(writer, reader, written) == [at, before]
            local = logical("long", "local-" + reader["logicalType"])
            assert resolved(writer, local, written)[0] == at.replace(tzinfo=None)
    assert resolved(micros, millis, [-1]) == [before]
    assert errors(millis, micros, [2**53, 2**55, -(2**55)]) == [
        (1, "a timestamp of more than 64 bits in the reader's unit"),
        (2, "a timestamp of more than 64 bits in the reader's unit"),
    ]


def test_logical_types_that_resolve() -> None:
    """A logical type resolves from and to its underlying type, between zones, and to more or fewer
    digits."""
    assert resolved("int", logical("int", "date"), [1])[0].day == 2
    assert resolved(logical("long", "timestamp-millis"), "long", [1]) == [1]
    assert resolved("int", logical("long", "timestamp-millis"), [1000])[0].second == 1
    assert (
        resolved(
            logical("long", "timestamp-millis"), logical("long", "local-timestamp-millis"), [1000]
        )[0].tzinfo
        is None
    )
    wide, narrow = (logical("bytes", "decimal", precision=p, scale=1) for p in (5, 2))
    assert resolved(narrow, wide, [Decimal("1.5")]) == [Decimal("1.5")]
    assert resolved(wide, narrow, [Decimal("1.5")]) == [Decimal("1.5")]
    assert errors(wide, narrow, [Decimal("1.5"), Decimal("12.5")]) == [
        (1, "a decimal of more digits than its precision")
    ]
    assert resolved("bytes", wide, [b"\x0f"]) == [Decimal("1.5")]
    assert errors("long", logical("long", "time-micros"), [0, -1]) == [
        (1, "a time of day that is out of range")
    ]
    assert resolved("string", logical("string", "uuid"), [str(uuid.UUID(int=3))]) == [
        uuid.UUID(int=3)
    ]
