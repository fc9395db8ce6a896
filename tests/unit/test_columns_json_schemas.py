"""JSON Schemas as people and programs write them.

All keywords that apply determine the columns, and other values become JSON texts.
"""

from __future__ import annotations

import enum
import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.columns import JSONDecoder, JSONEncoder, JSONSchemaError  # noqa: E402

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
DATE = {"type": "string", "format": "date"}
NULL = {"type": "null"}


def kinds(schema: Any, **options: Any) -> dict[str, Any]:
    """Return the types of the columns that a schema has."""
    found = pa.schema(JSONDecoder(schema, **options))
    return dict(zip(found.names, found.types, strict=True))


def read(decoder: JSONDecoder, *texts: str) -> list[Any]:
    """Return the decoded rows of texts, which must all be good."""
    rows = decoder.decode(pa.array([text.encode() for text in texts], pa.binary()))
    assert not rows.errors
    return pa.array(rows).to_pylist()


def written(schema: Any, columns: dict[str, Any]) -> list[str]:
    """Return the texts of some rows."""
    rows = JSONEncoder(schema).encode(pa.record_batch(columns))
    assert not rows.errors
    return [one.decode() for one in pa.array(rows).to_pylist()]


# --- several keywords in one schema

A, B, C = ({"properties": {name: one}} for name, one in (("a", TEXT), ("b", WHOLE), ("c", DATE)))
ALL = {"a": pa.string(), "b": pa.int64(), "c": pa.date32()}
TOGETHER: list[tuple[str, dict[str, Any]]] = [
    ("$ref", {**A, "$ref": "#/$defs/b", "allOf": [C], "$defs": {"b": B}}),
    (
        "$dynamicRef",
        {**A, "$dynamicRef": "#b", "allOf": [C], "$defs": {"b": {"$dynamicAnchor": "b"} | B}},
    ),
    ("allOf", {**A, "allOf": [B, {"allOf": [C]}]}),
    (
        "allOf of references",
        {"allOf": [{"$ref": "#/$defs/ab"}, C], "$defs": {"ab": {**A, "allOf": [B]}}},
    ),
    ("oneOf", {**A, "oneOf": [B, C]}),
    ("anyOf", {**A, "anyOf": [{**B, "required": ["b"]}, {"anyOf": [C]}]}),
    ("one anyOf", {**A, "anyOf": [{**B, "allOf": [C]}]}),
    ("if", {**A, "if": {"required": ["a"]}, "then": B, "else": C}),
    ("if within allOf", {**A, "allOf": [{"if": {}, "then": B}, {"if": {}, "then": C}]}),
    ("dependentSchemas", {**A, "dependentSchemas": {"a": B, "b": C}}),
    ("dependencies", {**A, "dependencies": {"a": B, "b": C, "c": ["a"]}}),
]


@pytest.mark.parametrize("schema", [one for _, one in TOGETHER], ids=[one for one, _ in TOGETHER])
@pytest.mark.parametrize("kind", [{}, {"type": "object"}])
def test_keywords_apply_together(schema: dict[str, Any], kind: dict[str, Any]) -> None:
    """No keyword hides the columns of another keyword, at the top or in a field.

    The same data is read and written.
    """
    assert kinds(schema | kind) == ALL
    within = {"properties": {"x": {"$ref": "#/$defs/x"}}, "$defs": {"x": schema | kind}}
    within["$defs"] |= schema.get("$defs", {})
    assert {one.name: one.type for one in kinds(within)["x"]} == ALL
    row = '{"a":"x","b":1,"c":"2024-01-01"}'
    assert read(JSONDecoder(schema), row) == [{"a": "x", "b": 1, "c": date(2024, 1, 1)}]
    [text] = written(schema, {"a": ["x"], "b": [1], "c": [date(2024, 1, 1)]})
    assert json.loads(text) == json.loads(row)


def test_constraints_beside_properties() -> None:
    """Keywords that only restrict fields, or require fields, do not change the columns."""
    for more in (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"anyOf": [{"required": ["a"]}, {"not": {"required": ["b"]}}]},
        {"allOf": [{"if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["b"]}}]},
        {"allOf": [{"not": {"required": ["a", "b"]}}, {"minProperties": 1}]},
        {"dependentRequired": {"a": ["b"]}, "propertyNames": {"maxLength": 1}},
        {"if": {"required": ["a"]}, "then": {"properties": {"b": False}}},
        {
            "oneOf": [
                {"properties": {"a": {"const": "x"}, "b": False}},
                {"properties": {"b": {"minimum": 1}}},
            ]
        },
        {"unevaluatedProperties": False, "patternProperties": {"^x": TEXT}},
    ):
        schema = {"type": "object", "properties": {"a": TEXT, "b": WHOLE}} | more
        assert kinds(schema) == {"a": pa.string(), "b": pa.int64()}, more


def test_required_and_null_together() -> None:
    """A field is required if one schema requires it, and may be null if all schemas allow null."""
    schema = {
        "properties": {"a": {"type": ["string", "null"]}, "b": WHOLE},
        "required": ["a"],
        "allOf": [
            {"required": ["b"], "properties": {"a": {"type": ["null", "string", "integer"]}}}
        ],
    }
    decoder = JSONDecoder(schema)
    assert read(decoder, '{"a":null,"b":1}') == [{"a": None, "b": 1}]
    errors = decoder.decode(pa.array([b'{"a":null}', b'{"b":null}'])).errors
    assert [one.field for one in errors] == ["b", "b"]


def test_a_field_in_several_schemas() -> None:
    """All schemas of a field apply together, including schemas that apply only under a
    condition."""
    for one, other, wanted in (
        ({"type": ["integer", "string"]}, {"type": "number"}, pa.int64()),
        ({}, DATE, pa.date32()),
        (TEXT, {"format": "date"}, pa.date32()),
        (
            {"properties": {"x": TEXT}},
            {"properties": {"y": WHOLE}},
            pa.struct([("x", pa.string()), ("y", pa.int64())]),
        ),
    ):
        for schema in (
            {"properties": {"f": one}, "allOf": [{"properties": {"f": other}}]},
            {"properties": {"f": other}, "allOf": [{"properties": {"f": one}}]},
        ):
            assert {str(kinds(schema)["f"].num_fields), *kinds(schema)} == {
                str(wanted.num_fields),
                "f",
            }
            assert wanted.num_fields or kinds(schema) == {"f": wanted}
    # If a value may have one of several schemas, the column has their common type.
    schema = {
        "properties": {"f": {}},
        "oneOf": [{"properties": {"f": TEXT}}, {"properties": {"f": WHOLE}}],
    }
    assert read(JSONDecoder(schema), '{"f":1}', '{"f":"x"}') == [{"f": "1"}, {"f": '"x"'}]


@pytest.mark.parametrize(
    ("dialect", "names"),
    [
        *[(f"http://json-schema.org/draft-0{n}/schema#", ["b"]) for n in (3, 4, 6, 7)],
        ("https://json-schema.org/draft/2019-09/schema", ["b", "a"]),
        ("https://json-schema.org/draft/2020-12/schema", ["b", "a"]),
        (None, ["b", "a"]),
    ],
)
def test_keywords_beside_a_reference(dialect: str | None, names: list[str]) -> None:
    """Drafts up to 7 ignore keywords beside a reference.

    Without `$schema`, the keywords count, so that no column is lost.
    """
    schema: dict[str, Any] = {**A, "$ref": "#/definitions/b", "definitions": {"b": B}}
    outer: dict[str, Any] = {
        "properties": {"x": {"$ref": "#/definitions/x"}},
        "definitions": {"x": schema, "b": B},
    }
    if dialect is not None:
        schema["$schema"] = outer["$schema"] = dialect
    assert list(kinds(schema)) == names
    assert [one.name for one in kinds(outer)["x"]] == names


# --- alternatives

JOINED: list[tuple[Any, Any]] = [
    ([TEXT, DATE], pa.string()),
    ([DATE, DATE], pa.date32()),
    ([TEXT, NULL], pa.string()),
    ([TEXT, {"$ref": "#/$defs/none"}], pa.string()),
    ([{"const": "a"}, {"const": "b"}], pa.string()),
    ([WHOLE, {"type": "number"}], pa.float64()),
    ([WHOLE, {"const": 1.5}], pa.float64()),
    ([{"type": "array", "items": TEXT}, {"type": "array", "items": DATE}], pa.list_(pa.string())),
    ([{"type": "object", **A}, {"type": "object", **A}], pa.struct([("a", pa.string())])),
    ([TEXT, False], pa.string()),
    ([TEXT, {"type": "string", "allOf": [WHOLE]}], pa.string()),
]


@pytest.mark.parametrize(("schemas", "kind"), JOINED)
@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_alternatives_of_one_type(word: str, schemas: list[Any], kind: Any) -> None:
    """Alternatives whose values have the same type become a column of that type."""
    schema = {"properties": {"f": {word: schemas}}, "$defs": {"none": NULL}}
    assert kinds(schema) == {"f": kind}


def test_alternatives_of_symbols() -> None:
    """Alternatives that are constants and enums become one dictionary."""
    schema = {"properties": {"f": {"anyOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}, NULL]}}}
    decoder = JSONDecoder(schema, enums="dictionary")
    rows = [{"f": one} for one in ("a", "c", None)]
    assert read(decoder, *map(json.dumps, rows)) == rows


ANY: list[Any] = [
    True,
    {},
    {"title": "Anything", "default": None},
    {"type": "object"},
    {"type": "object", "additionalProperties": True},
    {"type": "object", "properties": {}, "additionalProperties": False},
    {"type": "object", "additionalProperties": {}},
    {"type": ["string", "integer"]},
    {"enum": [1, "a"]},
    {"anyOf": [TEXT, WHOLE, NULL]},
    {
        "oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
        "discriminator": {"propertyName": "a"},
    },
    {"$ref": "#"},
    {"allOf": []},
    {"format": "date"},
]


@pytest.mark.parametrize("schema", ANY)
def test_any_json(schema: Any) -> None:
    """A value without a single type is JSON text, the same as in the payload, and is written
    unchanged."""
    whole = {"properties": {"f": schema, "g": TEXT}, "$defs": {"a": A, "b": B}}
    assert kinds(whole) == {"f": pa.string(), "g": pa.string()}
    assert kinds({"properties": {"l": {"items": schema}}} | {"$defs": whole["$defs"]}) == {
        "l": pa.list_(pa.string())
    }


def test_texts_of_any_json() -> None:
    """The texts are the same as in the payload, and null is null.

    The encoder writes the texts unchanged.
    """
    texts = ['{"a" : [1, {"b":null}]}', "[ ]", '"\\u00e9\\n"', "1.50e3", "true", "false"]
    decoder = JSONDecoder({"properties": {"f": {}}})
    rows = read(decoder, *[f'{{"f": {one} }}' for one in texts], '{"f":null}', "{}")
    assert [row["f"] for row in rows] == [*texts, None, None]
    assert written({"properties": {"f": {}}}, {"f": [*texts, None]}) == [
        *[f'{{"f":{one}}}' for one in texts],
        '{"f":null}',
    ]


@pytest.mark.parametrize(
    ("types", "good", "bad"),
    [
        (["string", "integer"], ['"x"', "1"], ["true", "[]", "{}", "null"]),
        (["object", "array", "null"], ["{}", "[1]", "null"], ["1", '"x"', "false"]),
        (["boolean", "string"], ["true", '""'], ["1", "{"]),
    ],
)
def test_types_of_json_texts(types: list[str], good: list[str], bad: list[str]) -> None:
    """A value of a type that the schema does not allow is bad, when it is read and when it is
    written."""
    schema = {"properties": {"f": {"type": types}}, "required": ["f"]}
    payloads = [f'{{"f":{one}}}'.encode() for one in good + bad]
    errors = JSONDecoder(schema).decode(pa.array(payloads)).errors
    assert [one.row for one in errors] == list(range(len(good), len(good + bad)))
    texts = [None if one == "null" else one for one in good + bad]
    rows = JSONEncoder(schema).encode(pa.record_batch({"f": pa.array(texts)}))
    assert [one.row for one in rows.errors] == list(range(len(good), len(good + bad)))
    assert pa.array(rows).to_pylist()[: len(good)] == payloads[: len(good)]


@pytest.mark.parametrize("text", ["", " ", "{", "1 2", "nul", "'x'", '{"a":1}}', "[1,]"])
def test_columns_that_are_no_json(text: str) -> None:
    """Text that is not exactly one JSON value is a bad row."""
    [error] = JSONEncoder({"properties": {"f": {}}}).encode(pa.record_batch({"f": [text]})).errors
    assert error.field == "f"


def test_other_columns_as_any_json() -> None:
    """A column that is not text is written according to its own type, if the schema allows that
    type."""
    columns = {"f": pa.array([{"a": [1, None]}]), "g": pa.array([Decimal("1.5")])}
    schema = {"properties": {"f": {"type": "object"}, "g": {"type": ["number", "string"]}}}
    assert written(schema, columns) == ['{"f":{"a":[1,null]},"g":"1.5"}']
    with pytest.raises(TypeError, match="'f' is int64"):
        JSONEncoder(schema).encode(pa.record_batch({"f": [1]}))


def test_arrow_schemas_with_json() -> None:
    """A field of Arrow's extension type arrow.json is also read as JSON text."""
    field = pa.field("f", pa.string(), metadata={"ARROW:extension:name": "arrow.json"})
    decoder = JSONDecoder(pa.schema([field]))
    rows = decoder.decode(pa.array([b'{"f":{"a":1}}']))
    assert not rows.errors
    assert pa.array(rows).field("f").cast(pa.string()).to_pylist() == ['{"a":1}']


def test_tuples_and_maps() -> None:
    """Tuples and maps by pattern become lists and maps of their only type.

    If they have several types, the items are JSON texts.
    """
    assert kinds({"properties": {"t": {"type": "array", "prefixItems": [WHOLE, TEXT]}}}) == {
        "t": pa.list_(pa.string())
    }
    for tuple_of in (
        {"prefixItems": [WHOLE, WHOLE], "items": False},
        {"items": [WHOLE, WHOLE], "additionalItems": False},
        {"prefixItems": [WHOLE], "items": WHOLE},
    ):
        assert kinds({"properties": {"t": {"type": "array"} | tuple_of}}) == {
            "t": pa.list_(pa.int64())
        }
    for map_of in (
        {"patternProperties": {"^a": WHOLE, "^b": WHOLE}, "additionalProperties": False},
        {"propertyNames": {"enum": ["a"]}, "additionalProperties": WHOLE},
        {"additionalProperties": WHOLE, "minProperties": 1},
    ):
        assert kinds({"properties": {"m": {"type": "object"} | map_of}}) == {
            "m": pa.map_(pa.string(), pa.int64())
        }


# --- fields that cannot be columns


def test_columns_leave_out_what_cannot_be_one() -> None:
    """A field that cannot be a column is refused only if the program reads or writes it."""
    schema = {
        "properties": {
            "a": TEXT,
            "far": {"$ref": "http://example.com/far.json"},
            "inner": {"properties": {"b": WHOLE, "wrong": {"type": "word"}}},
            "list": {"items": False},
        }
    }
    with pytest.raises(JSONSchemaError, match=r"'far' is a reference .*; `columns` can leave it"):
        JSONDecoder(schema)
    with pytest.raises(JSONSchemaError, match=r"'inner\.wrong' is of the type 'word'"):
        JSONDecoder(schema, columns=["a", "inner"])
    decoder = JSONDecoder(schema, columns=["inner.b", "a"])
    assert read(decoder, '{"a":"x","far":[1],"inner":{"b":1,"wrong":2}}') == [
        {"inner": {"b": 1}, "a": "x"}
    ]
    assert written(schema, {"a": ["x"]}) == ['{"a":"x"}']
    with pytest.raises(JSONSchemaError, match=r"'far' is a reference"):
        JSONEncoder(schema).encode(pa.record_batch({"far": [1]}))


def test_recursion() -> None:
    """A recursive schema becomes JSON text. A schema that is only used twice does not."""
    node = {
        "properties": {
            "v": WHOLE,
            "next": {"$ref": "#/$defs/n"},
            "all": {"items": {"$ref": "#/$defs/n"}},
        }
    }
    for schema in (
        {"$ref": "#/$defs/n", "$defs": {"n": node}},
        {**node, "$defs": {"n": {"$ref": "#"}}},
    ):
        found = kinds(schema)
        assert found == {"v": pa.int64(), "next": pa.string(), "all": pa.list_(pa.string())}
    base = {"properties": {"id": WHOLE}}
    derived = {
        "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"of": {"$ref": "#/$defs/base"}}}]
    }
    assert kinds(derived | {"$defs": {"base": base}}) == {
        "id": pa.int64(),
        "of": pa.struct([("id", pa.int64())]),
    }
    itself = {"properties": {"x": {"anyOf": [{"$ref": "#/properties/x"}, TEXT]}}}
    assert kinds(itself) == {"x": pa.string()}


def test_many_alternatives() -> None:
    """A schema with many conditions, as form generators write them, is read quickly."""
    cases = [
        {"if": {"properties": {"a": {"const": str(n)}}}, "then": {"properties": {f"b{n}": TEXT}}}
        for n in range(200)
    ]
    assert len(kinds({"properties": {"a": TEXT}, "allOf": cases})) == 201
    enums = [
        {"if": {"properties": {"b": {"const": n}}}, "then": {"properties": {"a": {"enum": ["x"]}}}}
        for n in range(200)
    ]
    assert kinds({"properties": {"a": TEXT}, "allOf": enums}) == {"a": pa.string()}
    either = [{"anyOf": [{"format": "date"}, {"format": "time"}]} for _ in range(200)]
    assert kinds({"properties": {"a": {"type": "string", "allOf": either}}}) == {"a": pa.string()}
    plain = [{"if": {"minLength": n}, "then": {"maxLength": 9}} for n in range(200)]
    assert kinds({"properties": {"a": {"type": "string", "allOf": plain}}}) == {"a": pa.string()}


# --- schemas of pydantic


class Color(enum.Enum):
    """An enumeration of texts."""

    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    """An enumeration of numbers."""

    LOW = 1
    HIGH = 2


def test_pydantic_models() -> None:
    """The schema of a model works unchanged.

    The decoder reads the model's JSON, and the model accepts the encoder's JSON.
    """
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    base, field = pydantic.BaseModel, pydantic.Field
    cat = pydantic.create_model("Cat", kind=(Literal["cat"], ...), lives=(int, ...))
    dog = pydantic.create_model("Dog", kind=(Literal["dog"], ...), name=(str, ...))
    pet: Any = Annotated[cat | dog, field(discriminator="kind")]
    node = pydantic.create_model("Node", v=(int, ...), children=("list[Node]", []))
    node.model_rebuild(_types_namespace={"Node": node})
    place = pydantic.create_model("Place", city=(str, ...), zip=(int | None, None))
    assert issubclass(place, base)
    fields: dict[str, tuple[Any, Any, Any]] = {
        "decimal": (Decimal, Decimal("1.50"), pa.string()),
        "money": (Annotated[Decimal, field(max_digits=5)] | None, None, pa.string()),
        "anything": (Any, {"a": [1]}, pa.string()),
        "a_dict": (dict, {"a": 1}, pa.string()),
        "by_name": (dict[str, Any], {"a": [1]}, pa.string()),
        "counts": (dict[str, int], {"a": 1}, pa.map_(pa.string(), pa.int64())),
        "mixed": (dict[str, int | str], {"a": "b"}, pa.map_(pa.string(), pa.string())),
        "a_list": (list, [1, "a", None], pa.list_(pa.string())),
        "numbers": (list[float], [1.5], pa.list_(pa.float64())),
        "either": (int | str, "5", pa.string()),
        "pair": (tuple[int, str], (1, "a"), pa.list_(pa.string())),
        "point": (tuple[float, float], (1.0, 2.0), pa.list_(pa.float64())),
        "many": (tuple[int, ...], (1, 2), pa.list_(pa.int64())),
        "tags": (set[str], {"a"}, pa.list_(pa.string())),
        "node": (node, {"v": 1, "children": [{"v": 2}]}, None),
        "maybe": (int | None, None, pa.int64()),
        "maybe_place": (place | None, None, None),
        "color": (Color, Color.RED, pa.string()),
        "level": (Level, Level.HIGH, pa.int64()),
        "word": (Literal["x", "y"], "y", pa.string()),
        "code": (Literal[1, 2], 2, pa.int64()),
        "one": (Literal["x"], "x", pa.string()),
        "word_or_code": (Literal["x", 2], 2, pa.string()),
        "at": (datetime, datetime(2024, 1, 2, tzinfo=UTC), pa.timestamp("us", "UTC")),
        "day": (date, date(2024, 1, 2), pa.date32()),
        "clock": (time, time(1, 2, 3), pa.time64("us")),
        "long": (timedelta, timedelta(days=1), pa.string()),
        "id": (UUID, UUID(int=5), pa.uuid()),
        "place": (place, {"city": "Here"}, None),
        "places": (list[place], [{"city": "Here", "zip": 1}], None),  # type: ignore[valid-type]
        "pet": (pet, {"kind": "cat", "lives": 9}, pa.string()),
        "pets": (list[pet], [{"kind": "dog", "name": "Rex"}], pa.list_(pa.string())),
        "raw": (bytes, b"x", pa.string()),
        "flag": (bool, True, pa.bool_()),
        "short": (Annotated[str, field(max_length=3, alias="aliased")], "abc", None),
        "described": (Annotated[place, field(description="Where")], {"city": "There"}, None),
    }
    model = pydantic.create_model("Model", **{name: (one[0], ...) for name, one in fields.items()})
    values = {"aliased" if name == "short" else name: one[1] for name, one in fields.items()}
    row = model.model_validate(values)
    for mode in ("validation", "serialization"):
        schema = model.model_json_schema(mode=mode)
        found = kinds(schema)
        assert list(found) == list(values)
        wanted = {name: one[2] for name, one in fields.items() if one[2] is not None}
        assert {name: found[name] for name in wanted} == wanted
        assert found["place"] == pa.struct([("city", pa.string()), ("zip", pa.int64())])
        decoded = JSONDecoder(schema).decode(pa.array([row.model_dump_json(by_alias=True)]))
        assert not decoded.errors
        batch = pa.RecordBatch.from_struct_array(pa.array(decoded))
        encoded = JSONEncoder(schema).encode(batch)
        assert not encoded.errors
        assert model.model_validate_json(pa.array(encoded)[0].as_py()) == row
