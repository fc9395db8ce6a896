"""Schemas and arguments that AvroDecoder refuses, and the selection of fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.columns import AvroDecoder, AvroEncoder, AvroSchemaError  # noqa: E402
from tests.support.avro import record, through  # noqa: E402

ADDRESS = record(("city", "string"), ("zip", ["null", "int"]), name="Address")
SCHEMA = record(
    ("id", "long"),
    ("home", ADDRESS),
    ("work", ["null", "Address"]),
    ("tags", {"type": "array", "items": "string"}),
    ("either", ["int", "string"]),
)
VALUES = [
    {
        "id": 1,
        "home": {"city": "Here", "zip": 1},
        "work": None,
        "tags": ["a"],
        "either": "text",
    },
    {
        "id": 2,
        "home": {"city": "There", "zip": None},
        "work": {"city": "Far", "zip": 3},
        "tags": [],
        "either": 1,
    },
]


# ---- projection --------------------------------------------------------------------------


def test_some_fields_in_their_order() -> None:
    """The columns are in the order of the selection."""
    rows = through(SCHEMA, VALUES, columns=["tags", "id"])
    assert [one.name for one in rows.type] == ["tags", "id"]
    assert rows.to_pylist() == [{"tags": one["tags"], "id": one["id"]} for one in VALUES]


def test_fields_within_records() -> None:
    """A path with dots selects a field of a record, even of an optional record.

    Each level keeps the order of the selection.
    """
    rows = through(SCHEMA, VALUES, columns=["work.zip", "home.zip", "home.city", "id"])
    assert rows.to_pylist() == [
        {"work": None, "home": {"zip": 1, "city": "Here"}, "id": 1},
        {"work": {"zip": 3}, "home": {"zip": None, "city": "There"}, "id": 2},
    ]
    assert [one.name for one in rows.type] == ["work", "home", "id"]
    whole = through(SCHEMA, VALUES, columns=["home.zip", "home"])
    assert whole.to_pylist() == [{"home": one["home"]} for one in VALUES]
    whole = through(SCHEMA, VALUES, columns=("home", "home.zip", "home"))
    assert whole.to_pylist() == [{"home": one["home"]} for one in VALUES]


def test_fields_of_values_that_are_no_records() -> None:
    """If the schema is not a record, the only column is `value`.

    A path below `value` selects its fields.
    """
    assert through("int", [1], columns=["value"]).to_pylist() == [{"value": 1}]
    rows = through(["null", ADDRESS], [None, VALUES[0]["home"]], columns=["value.city"])
    assert rows.to_pylist() == [{"value": None}, {"value": {"city": "Here"}}]
    with pytest.raises(ValueError, match=r"columns must be \['value'\] for a schema that is not"):
        AvroDecoder("int", columns=["a"])


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (["ids"], "columns: there is no field 'ids'; did you mean 'id'?"),
        (["nothing"], "columns: there is no field 'nothing'; there are id, home, work, tags"),
        (["home.cty"], "columns: there is no field 'home.cty'; did you mean 'city'?"),
        (["id.x"], "columns: 'id' is not a record and has no field 'id.x'"),
        (["tags.x"], "columns: 'tags' is not a record and has no field 'tags.x'"),
        (["either.int"], "columns: 'either' is not a record and has no field 'either.int'"),
        ([""], "columns: there is no field ''"),
        (["home."], "columns: there is no field 'home.'"),
        ([], "columns is empty; it must name at least one"),
    ],
    ids=str,
)
def test_fields_that_there_are_not(columns: list[str], problem: str) -> None:
    """The error shows the unknown name and the possible names."""
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}"):
        AvroDecoder(SCHEMA, columns=columns)


# ---- arguments ---------------------------------------------------------------------------


def names() -> Iterator[str]:
    yield "id"


@pytest.mark.parametrize("columns", ["id", b"id", 5, [1], [None], {"id"}, {"id": 1}, names()])
def test_columns_of_another_type(columns: Any) -> None:
    """`columns` must be a list of str, because it is read more than once."""
    with pytest.raises(TypeError, match=r"^columns must be a list of str, not "):
        AvroDecoder(SCHEMA, columns=columns)


@pytest.mark.parametrize("enums", ["text", "", None, 1, ["string"]])
def test_wrong_enums(enums: Any) -> None:
    """`enums` must have one of its two values."""
    with pytest.raises(ValueError, match=r"^enums must be one of string, dictionary, not "):
        AvroDecoder(SCHEMA, enums=enums)


@pytest.mark.parametrize("schema", [None, 5, b'"int"', ("int",), 1.5, object()])
def test_schemas_of_another_type(schema: Any) -> None:
    """A schema must be JSON text or parsed JSON; the error names the argument."""
    with pytest.raises(TypeError, match=r"^writer_schema must be str \(JSON\), dict or list, not"):
        AvroDecoder(schema)
    if schema is not None:
        with pytest.raises(TypeError, match=r"^reader_schema must be str \(JSON\), dict or list"):
            AvroDecoder("int", schema)


# ---- schemas -----------------------------------------------------------------------------


def field(kind: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": "a", "type": kind, **more}]}


WRONG: list[tuple[Any, str]] = [
    ("", "is not JSON"),
    ("{", "is not JSON"),
    ("nonsense", "is not JSON"),
    ("[" * 100_000, "is not JSON"),
    ('"nonsense"', "there is no type 'nonsense'"),
    ("5", "'5' is not a type"),
    ("null null", "is not JSON"),
    ({}, "'{}' is not a type"),
    ({"type": "nonsense"}, "there is no type 'nonsense'"),
    ({"type": 5}, "'5' is not a type"),
    ({"type": None}, "'None' is not a type"),
    ({"type": ("int",)}, "is not a type"),
    ([], "a union has no branch"),
    (["int", ["string"]], "a branch that is a union"),
    (["int", "int"], "a union has 'int' more than once"),
    ([{"type": "array", "items": "int"}, {"type": "array", "items": "long"}], "'array' more than"),
    (["int", {"type": "int", "logicalType": "date"}], "a union has 'int' more than once"),
    ({"type": "array"}, "'array' has no 'items'"),
    ({"type": "map"}, "'map' has no 'values'"),
    ({"type": "array", "items": "nonsense"}, "there is no type 'nonsense'"),
    ({"type": "record", "fields": []}, "'record' has no 'name'"),
    ({"type": "record", "name": "R"}, "'R' has no 'fields'"),
    ({"type": "record", "name": "R", "fields": {}}, "'fields' of 'R' is not a list"),
    ({"type": "record", "name": "R", "fields": "ab"}, "'fields' of 'R' is not a list"),
    ({"type": "record", "name": "R", "fields": None}, "'fields' of 'R' is not a list"),
    ({"type": "record", "name": "R", "fields": ["int"]}, "the field int has no type"),
    ({"type": "record", "name": "R", "fields": [{"name": "a"}]}, "has no type"),
    ({"type": "record", "name": "R", "fields": [{"type": "int"}]}, "'int' has no 'name'"),
    ({"type": "record", "name": "", "fields": []}, "a name is ''"),
    ({"type": "record", "name": 5, "fields": []}, "a name is '5'"),
    ({"type": "record", "name": "a\0b", "fields": []}, "a name is"),
    ({"type": "record", "name": "\ud800", "fields": []}, "a name is"),
    ({"type": "record", "name": "R", "namespace": 5, "fields": []}, "a namespace is '5'"),
    (
        {"type": "record", "name": "R", "aliases": "ab", "fields": []},
        "'aliases' of 'R' is not a list",
    ),
    ({"type": "record", "name": "R", "aliases": [5], "fields": []}, "one of 'aliases' is '5'"),
    (record(("a", "int"), ("a", "long")), "the record 'Row' has 'a' more than once"),
    (record(("a\0", "int")), "a name is"),
    (field("int", aliases="b"), "'aliases' of 'a' is not a list"),
    (field("int", aliases=[None]), "one of 'aliases' is 'None'"),
    ({"type": "fixed", "name": "F"}, "'F' has no 'size'"),
    ({"type": "fixed", "name": "F", "size": -1}, "'F' has a size of -1"),
    ({"type": "fixed", "name": "F", "size": 2**31}, "'F' has a size of 2147483648"),
    ({"type": "fixed", "name": "F", "size": "1"}, "'F' has a size of '1'"),
    ({"type": "fixed", "size": 1}, "'fixed' has no 'name'"),
    ({"type": "enum", "name": "E"}, "'E' has no 'symbols'"),
    ({"type": "enum", "name": "E", "symbols": "XY"}, "'symbols' of 'E' is not a list"),
    ({"type": "enum", "name": "E", "symbols": [1]}, "one of 'symbols' is '1'"),
    ({"type": "enum", "name": "E", "symbols": ["X", "X"]}, "the enum 'E' has 'X' more than once"),
    (
        {"type": "enum", "name": "E", "symbols": ["X"], "default": "Y"},
        "the default of 'E' is not one of its symbols: 'Y'",
    ),
    (
        [{"type": "fixed", "name": "F", "size": 1}, {"type": "fixed", "name": "F", "size": 2}],
        "'F' is defined twice",
    ),
]


@pytest.mark.parametrize(("schema", "problem"), WRONG, ids=lambda one: repr(one)[:50])
def test_schemas_that_are_not_valid(schema: Any, problem: str) -> None:
    """An AvroSchemaError names the argument and the fault in the schema."""
    for arguments, name in (((schema,), "writer_schema"), (("int", schema), "reader_schema")):
        with pytest.raises(AvroSchemaError, match=f"^{name} (cannot be used: |is not JSON)") as one:
            AvroDecoder(*arguments)
        assert problem in str(one.value)


RECURSIVE: list[tuple[Any, str]] = [
    (record(("a", "Row")), "Row"),
    (record(("a", ["null", "Row"])), "Row"),
    (record(("a", {"type": "array", "items": "Row"})), "Row"),
    (record(("a", {"type": "map", "values": record(("b", "Row"), name="In")})), "Row"),
    (record(("a", "ns.Row"), name="ns.Row"), "ns.Row"),
    (record(("a", "Row"), name="ns.Row"), "ns.Row"),
]


@pytest.mark.parametrize(("schema", "name"), RECURSIVE, ids=str)
def test_recursive_schemas(schema: Any, name: str) -> None:
    """A recursive type is refused by name, wherever it is in the schema, unless its field is left
    out."""
    expected = f"'{name}' is recursive and cannot become columns; leave the field out"
    with pytest.raises(AvroSchemaError, match=expected):
        AvroDecoder(schema)
    with pytest.raises(AvroSchemaError, match=expected):
        AvroDecoder(json.dumps(schema))


def nested(depth: int, kind: str) -> Any:
    schema: Any = "int"
    for level in range(depth):
        match kind:
            case "array":
                schema = {"type": "array", "items": schema}
            case "map":
                schema = {"type": "map", "values": schema}
            case "record":
                schema = record(("a", schema), name=f"R{level}")
            case "optional":
                schema = {"type": "array", "items": ["null", schema]}
    return schema


@pytest.mark.parametrize(
    ("kind", "most"), [("array", 47), ("record", 47), ("map", 23), ("optional", 23)]
)
def test_schemas_that_are_deep(kind: str, most: int) -> None:
    """Schemas may be nested as deep as columns. Deeper schemas are refused."""
    value: Any = 7
    for level in range(most):
        value = {"map": {"k": value}, "record": {"a": value}}.get(kind, [value])
        assert level < most
    found = through(nested(most, kind), [value]).to_pylist()[0]
    while not isinstance(found, int):
        found = next(iter(found.values())) if isinstance(found, dict) else found[0]
        found = found[1] if isinstance(found, tuple) else found
    assert found == 7
    for schema in (nested(most + 1, kind), nested(400, kind)):
        with pytest.raises(AvroSchemaError, match="it is nested more than 48 deep"):
            AvroDecoder(schema)


def test_schemas_that_are_deep_by_their_names() -> None:
    """A chain of types that refer to each other is as deep as if it were written out."""
    types: list[Any] = [record(("a", "int"), name="R0")]
    types += [record(("a", f"R{level}"), name=f"R{level + 1}") for level in range(3000)]
    with pytest.raises(AvroSchemaError, match="it is nested more than 48 deep"):
        AvroDecoder(record(*((f"f{number}", one) for number, one in enumerate(types))))
    itself: list[Any] = ["null"]
    itself.append({"type": "array", "items": itself})
    with pytest.raises(AvroSchemaError, match="it is nested more than 48 deep"):
        AvroDecoder(itself)


@pytest.mark.parametrize("leaf", [[("x", "int")], []])
def test_schemas_that_stand_for_too_much(leaf: list[Any]) -> None:
    """Forty types, each with two fields of the previous type, would need more columns than fit into
    memory."""
    types: list[Any] = [record(*leaf, name="R0")]
    types += [
        record(("a", f"R{level}"), ("b", f"R{level}"), name=f"R{level + 1}") for level in range(40)
    ]
    schema = record(*((f"f{number}", one) for number, one in enumerate(types)))
    for arguments in ((schema,), (schema, "int"), ("int", schema)):
        with pytest.raises(AvroSchemaError, match="it has more than 100000 values"):
            AvroDecoder(*arguments)
    small = record(*((f"f{number}", one) for number, one in enumerate(types[:8])))
    AvroDecoder(small)


def test_records_of_many_fields() -> None:
    """Each of ten thousand fields is found, in the writer's schema and in the reader's."""
    writer = record(*((f"f{number}", "int") for number in range(10_000)))
    reader = record(*((f"f{number}", "long") for number in reversed(range(10_000))))
    values = [{f"f{number}": number for number in range(10_000)}]
    rows = through(writer, values, reader, columns=["f9999", "f0", "f5000"])
    assert rows.to_pylist() == [{"f9999": 9999, "f0": 0, "f5000": 5000}]
    assert len(through(writer, values, reader).type) == 10_000


def test_references() -> None:
    """Referenced schemas must be given as a list of JSON texts."""
    city = json.dumps({"type": "record", "name": "City", "fields": []})
    home = {"type": "record", "name": "Home", "fields": [{"name": "city", "type": "City"}]}
    assert AvroEncoder(home, references=[city])
    assert AvroDecoder(home, writer_references=(city,))
    with pytest.raises(TypeError, match="references of schema must be a list of schemas, not int"):
        AvroEncoder(home, references=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"references of writer_schema must be .* not str"):
        AvroDecoder(home, writer_references=city)
    with pytest.raises(AvroSchemaError, match="a reference of schema is not JSON"):
        AvroEncoder(home, references=["{"])
