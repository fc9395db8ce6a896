"""Avro schemas from registries, with types that are recursive, left out, or used by several
schemas."""

from __future__ import annotations

import json
import uuid
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
polars = pytest.importorskip("polars", reason="polars is not installed")

from confluent_kafka.columns import (  # noqa: E402
    AvroColumns,
    AvroDecoder,
    AvroEncoder,
    AvroSchemaError,
    JSONDecoder,
    JSONEncoder,
)
from tests.support.avro import encode, read, record, through  # noqa: E402

ID = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
UUID_TEXT = {"type": "string", "logicalType": "uuid"}


# --- references

COMMON = record(("id", "long"), name="c.Common")
LEFT = record(("common", "c.Common"), name="l.Left")
RIGHT = record(("common", "c.Common"), name="r.Right")
TOP = record(("left", "l.Left"), ("right", "r.Right"), name="t.Top")
ROW = {"left": {"common": {"id": 1}}, "right": {"common": {"id": 2}}}


class Registered:
    """The registry's response for a subject and version."""

    def __init__(self, text: Any, references: list[Registered] | None = None) -> None:
        self.schema_str = json.dumps(text)
        self.schema_type = "AVRO"
        self.references = references or []
        self.name = self.subject = str(id(self))
        self.version = 1
        self.schema = self
        self.schema_id = 1
        self.asked = 0


class Registry:
    """A registry of schemas that refer to each other."""

    def __init__(self, *schemas: Registered) -> None:
        self._schemas = {one.subject: one for one in schemas}

    def get_schema(self, schema_id: int) -> Registered:
        """Return the last schema."""
        return list(self._schemas.values())[-1]

    def get_latest_version(self, subject: str) -> Registered:
        """Return the last schema."""
        return self.get_schema(1)

    def get_version(self, subject: str, version: int) -> Registered:
        """Return a schema that another schema refers to."""
        found = self._schemas[subject]
        found.asked += 1
        return found


@pytest.fixture
def diamond() -> tuple[Registry, Registered]:
    """A registry with a schema that two other schemas refer to, and the schema that uses them."""
    common = Registered(COMMON)
    left, right = Registered(LEFT, [common]), Registered(RIGHT, [common])
    return Registry(common, left, right, Registered(TOP, [left, right])), common


def test_a_schema_that_two_refer_to(diamond: tuple[Registry, Registered]) -> None:
    """The schema is one type, and is requested once for reading and once for writing."""
    registry, common = diamond
    columns = AvroColumns(registry, "t")
    encoded = columns.encode(pa.Table.from_pylist([ROW]))
    assert not encoded.errors
    rows = columns.decode(encoded)
    assert not rows.errors
    assert pa.array(rows).to_pylist() == [ROW]
    assert common.asked <= 3


def test_definitions_that_come_again() -> None:
    """Several documents may contain the same definition of a type, so that each document is
    complete."""
    again = record(("common", COMMON), name="r.Right")
    for references in ([COMMON, LEFT, COMMON, RIGHT], [COMMON, LEFT, again]):
        batch = pa.Table.from_pylist([ROW])
        rows = AvroEncoder(TOP, references=references).encode(batch)
        assert not rows.errors
        found = AvroDecoder(TOP, writer_references=references).decode(rows)
        assert pa.array(found).to_pylist() == [ROW]
    other = record(("id", "string"), name="c.Common")
    with pytest.raises(AvroSchemaError, match=r"'c\.Common' is defined twice, and not in the same"):
        AvroDecoder(TOP, writer_references=[COMMON, LEFT, other, RIGHT])
    with pytest.raises(AvroSchemaError, match=r"'c\.Common' is defined twice"):
        AvroDecoder(record(("a", COMMON), ("b", COMMON)))
    with pytest.raises(AvroSchemaError, match=r"'c\.Common' is defined twice"):
        AvroDecoder(record(("a", COMMON), ("b", COMMON)), writer_references=[COMMON])


def test_an_empty_namespace() -> None:
    """An empty namespace means no namespace. Names in it do not get the surrounding namespace."""
    inner = {**record(("x", "int"), name="In"), "namespace": ""}
    schema = {**record(("a", inner), ("b", "In")), "namespace": "n"}
    found = read(AvroDecoder(schema), [b"\x02\x04"])
    assert found.to_pylist() == [{"a": {"x": 1}, "b": {"x": 2}}]
    # Both types exist, and each name means the type of its own namespace.
    own = {**record(("y", "int"), name="In"), "namespace": "n"}
    both = {**record(("a", inner), ("c", own), ("d", "In"), ("e", "n.In")), "namespace": "n"}
    names = {one.name: [part.name for part in one.type] for one in columns_of(both)}
    assert names == {"a": ["x"], "c": ["y"], "d": ["y"], "e": ["y"]}
    assert AvroDecoder({**inner, "namespace": None})


def columns_of(schema: Any) -> Any:
    """The columns of a schema."""
    return pa.schema(AvroDecoder(schema))


# --- recursive types, and other types that cannot become columns

TREE = record(
    ("v", "int"),
    ("next", ["null", "Tree"]),
    ("children", {"type": "array", "items": "Tree"}),
    ("by_name", {"type": "map", "values": ["null", "Tree"]}),
    ("last", "string"),
    name="Tree",
)


def tree(v: int, *children: Any, **by_name: Any) -> dict[str, Any]:
    """A value of the recursive type."""
    following = children[0] if children else None
    return {"v": v, "next": following, "children": list(children), "by_name": by_name, "last": "z"}


TREES = [
    tree(1),
    tree(2, tree(3), tree(4, tree(5), x=tree(6)), a=tree(7, b=None), b=None),
    tree(8, tree(9, tree(10, tree(11, tree(12))))),
]


def test_recursive_types_that_columns_leaves_out() -> None:
    """The decoder skips a recursive type, however deep its value is nested, and reads the later
    fields."""
    flat = [{"v": one["v"], "last": "z"} for one in TREES]
    assert through(TREE, TREES, columns=["v", "last"]).to_pylist() == flat
    reader = record(("v", "long"), ("last", "string"), name="Tree")
    assert through(TREE, TREES, reader).to_pylist() == flat
    outer = record(("a", "int"), ("tree", TREE), ("again", ["null", "Tree"]), ("z", "int"))
    rows = [{"a": 1, "tree": one, "again": one, "z": 2} for one in TREES]
    assert through(outer, rows, columns=["z", "tree.last"]).to_pylist() == [
        {"z": 2, "tree": {"last": "z"}}
    ] * len(TREES)


def test_two_types_that_are_within_each_other() -> None:
    """Types that contain themselves indirectly are skipped, too."""
    even = record(("odd", ["null", record(("even", ["null", "Even"]), name="Odd")]), name="Even")
    value = {"odd": {"even": {"odd": {"even": {"odd": None}}}}}
    schema = record(("a", even), ("b", "Odd"), ("c", "int"))
    rows = [{"a": value, "b": value["odd"], "c": 3}]
    assert through(schema, rows, columns=["c"]).to_pylist() == [{"c": 3}]


def test_a_reader_that_ends() -> None:
    """If the reader's schema is not recursive, the decoder reads as many levels as that schema
    has."""
    leaf = {**record(("v", "int"), name="Leaf"), "aliases": ["Tree"]}
    reader = record(("v", "int"), ("children", {"type": "array", "items": leaf}), name="Tree")
    assert through(TREE, TREES, reader).to_pylist() == [
        {"v": one["v"], "children": [{"v": child["v"]} for child in one["children"]]}
        for one in TREES
    ]


def test_deep_values_that_are_skipped() -> None:
    """A value that is nested too deep is a bad row, and does not use more of the stack."""
    schema = record(("next", ["null", "Row"]), ("last", "int"))
    decoder = AvroDecoder(schema, columns=["last"])
    good, bad = (b"\x02" * depth + b"\x00" + b"\x02" * (depth + 1) for depth in (100, 100_000))
    rows = decoder.decode(pa.array([good, bad, good]))
    assert pa.array(rows).to_pylist() == [{"last": 1}, None, {"last": 1}]
    [error] = rows.errors
    assert "nested in itself more than 128 deep" in error.reason
    assert decoder.decode(pa.array([good[:50]])).errors
    with pytest.raises(AvroSchemaError, match="is recursive"):
        AvroDecoder(schema)
    endless = AvroDecoder(record(("r", "Row"), ("x", "int")), columns=["x"])
    assert endless.decode(pa.array([b"\x02"])).errors


def test_other_fields_that_are_left_out() -> None:
    """A decimal with too many digits, or a union of too many types, does not affect other
    fields."""
    digits = {"type": "bytes", "logicalType": "decimal", "precision": 100, "scale": 2}
    names = [record(name=f"R{number}") for number in range(200)]
    schema = record(("a", "int"), ("d", digits), ("u", names), ("z", "string"))
    rows = [{"a": 1, "d": b"\x01", "u": {}, "z": "end"}]
    plain = record(("a", "int"), ("d", "bytes"), ("u", names), ("z", "string"))
    [payload] = encode(plain, rows)
    for options in (
        {"columns": ["z", "a"]},
        {"reader_schema": record(("z", "string"), ("a", "int"))},
    ):
        decoder = AvroDecoder(schema, **options)
        assert read(decoder, [payload]).to_pylist() == [{"z": "end", "a": 1}]
    for field, problem in (("d", "'d' is a decimal of 100 digits"), ("u", "'u' is a union of 200")):
        with pytest.raises(AvroSchemaError, match=problem):
            AvroDecoder(schema, columns=[field])


# --- decimals of Connect


@pytest.mark.parametrize("fixed", [False, True])
def test_wide_decimals_as_decimal128(fixed: bool) -> None:
    """With an option, decimals that Kafka Connect writes with 64 digits get a type that all
    libraries support."""
    kind: dict[str, Any] = {"type": "bytes", "logicalType": "decimal", "precision": 64, "scale": 4}
    if fixed:
        kind |= {"type": "fixed", "name": "F", "size": 30}
    schema = record(("d", ["null", kind]), ("other", "int"))
    values = [Decimal("1.5"), Decimal(10**34 - 1), Decimal(10**34), Decimal(-(10**34)), None]
    payloads = encode(schema, [{"d": one, "other": 7} for one in values])
    assert pa.schema(AvroDecoder(schema)).field("d").type == pa.decimal256(64, 4)
    decoder = AvroDecoder(schema, decimals="decimal128")
    assert pa.schema(decoder).field("d").type == pa.decimal128(38, 4)
    rows = decoder.decode(pa.array(payloads))
    found = pa.array(rows).to_pylist()
    assert found == [
        {"d": values[0], "other": 7},
        {"d": values[1], "other": 7},
        None,
        None,
        {"d": None, "other": 7},
    ]
    assert [one.row for one in rows.errors] == [2, 3]
    assert all('decimals="decimal128"' in one.reason for one in rows.errors)
    assert polars.DataFrame(pa.table({"rows": pa.array(rows)})).height == len(values)


def test_decimals_that_are_narrow() -> None:
    """The option changes no other column.

    An error suggests the option, or explains why it does not help.
    """
    for precision in (9, 38):
        kind = {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": 2}
        decoder = AvroDecoder(record(("d", kind)), decimals="decimal128")
        assert pa.schema(decoder).field("d").type == pa.decimal128(precision, 2)
    kind = {"type": "bytes", "logicalType": "decimal", "precision": 90, "scale": 2}
    assert pa.schema(AvroDecoder(record(("d", kind)), decimals="decimal128")).types == [
        pa.decimal128(38, 2)
    ]
    with pytest.raises(AvroSchemaError, match='give decimals="decimal128"'):
        AvroDecoder(record(("d", kind)))
    with pytest.raises(AvroSchemaError, match=r"of which 50 are after the point; Arrow's .* 38"):
        AvroDecoder(record(("d", kind | {"scale": 50})), decimals="decimal128")
    wrong: Any = 1
    with pytest.raises(ValueError, match="decimals must be one of exact, decimal128, not 1"):
        AvroDecoder("int", decimals=wrong)
    with pytest.raises(ValueError, match="decimals must be one of exact, decimal128, not 1"):
        AvroColumns(Registry(), "int", decimals=wrong)


# --- uuids


def test_a_uuid_column_as_text() -> None:
    """UUIDs are written as text if the schema has a string, at every place in the schema."""
    ids = pa.array([ID.bytes], pa.uuid())
    maps = pa.MapArray.from_arrays([0, 1], ids, pa.array([1]))
    string_map = {"type": "map", "values": "int"}
    for schema, column, value in (
        ("string", ids, str(ID)),
        (["null", "string"], ids, str(ID)),
        ({"type": "array", "items": "string"}, pa.ListArray.from_arrays([0, 1], ids), [str(ID)]),
        (string_map, maps, [(str(ID), 1)]),
        ("bytes", ids, ID.bytes),
        (UUID_TEXT, ids, ID),
    ):
        payloads = AvroEncoder(record(("a", schema))).encode(pa.table({"a": column}))
        assert not payloads.errors
        found = read(AvroDecoder(record(("a", schema))), pa.array(payloads).to_pylist())
        assert found.to_pylist() == [{"a": value}]
    rows = JSONEncoder({"properties": {"a": {"type": "string"}}}).encode(pa.table({"a": ids}))
    assert pa.array(rows).to_pylist() == [f'{{"a":"{ID}"}}'.encode()]
    with pytest.raises(TypeError, match="keys of"):
        JSONEncoder().encode(pa.table({"a": maps}))


@pytest.mark.parametrize("kind", [UUID_TEXT, ["null", UUID_TEXT], [UUID_TEXT, "null"]])
def test_a_default_uuid_of_no_characters(kind: Any) -> None:
    """An empty string as the default of a UUID means null, so rows from before the field existed
    are null."""
    reader = record(("a", "int"), {"name": "id", "type": kind, "default": ""})
    found = through(record(("a", "int")), [{"a": 1}, {"a": 2}], reader)
    assert found.to_pylist() == [{"a": 1, "id": None}, {"a": 2, "id": None}]
    assert found.field("id").type == pa.uuid()


# --- maps

VALUES: list[tuple[Any, Any, Any]] = [
    ("int", [1, 2, 3], [3, 2]),
    ("string", ["old", "b", "new"], ["new", "b"]),
    (["null", "int"], [1, None, None], [None, None]),
    (["int", "string"], [1, "b", "new"], ["new", "b"]),
    ({"type": "array", "items": "string"}, [["a"], [], ["c", "d"]], [["c", "d"], []]),
    (record(("x", "int"), name="In"), [{"x": 1}, {"x": 2}, {"x": 3}], [{"x": 3}, {"x": 2}]),
    ("null", [None, None, None], [None, None]),
    ("boolean", [True, True, False], [False, True]),
]


@pytest.mark.parametrize(("kind", "values", "kept"), VALUES, ids=str)
def test_a_key_of_a_map_that_comes_twice(kind: Any, values: list[Any], kept: list[Any]) -> None:
    """The last value of a key counts, in one block or in several blocks.

    Other rows keep their entries.
    """
    items = [b"\x02k", b"\x02l", b"\x02k"]
    parts = [key + value for key, value in zip(items, encode(kind, values), strict=True)]
    one_block = b"\x06" + b"".join(parts) + b"\x00"
    blocks = b"".join(b"\x02" + part for part in parts) + b"\x00"
    alone = b"\x02" + parts[0] + b"\x00"
    schema = {"type": "map", "values": kind}
    found = read(AvroDecoder(schema), [alone, one_block, blocks, alone]).field("value").to_pylist()
    first, last = [("k", values[0])], [("l", kept[1]), ("k", kept[0])]
    assert found == [first, last, last, first]


def test_json_maps_of_nested_values() -> None:
    """The last value of a key also counts in JSON, although the columns of the earlier value are
    already filled."""
    inner = pa.map_(pa.string(), pa.list_(pa.struct([("x", pa.string())])))
    decoder = JSONDecoder(pa.schema([("m", pa.map_(pa.string(), inner))]))
    text = b'{"m":{"a":{"k":[{"x":"1"}]},"b":{"k":[],"k":[{"x":"2"},{}]},"a":{"j":[{"x":"3"}]}}}'
    rows = decoder.decode(pa.array([text, text]))
    assert not rows.errors
    array = pa.array(rows)
    array.validate(full=True)
    wanted = {"m": [("b", [("k", [{"x": "2"}, {"x": None}])]), ("a", [("j", [{"x": "3"}])])]}
    assert array.to_pylist() == [wanted, wanted]
