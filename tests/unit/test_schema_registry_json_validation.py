"""Validation with a JSON Schema, by jsonschema-rs together with jsonschema, and by jsonschema
alone."""

from __future__ import annotations

import enum
import json
import math
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("jsonschema", reason="jsonschema is not installed")
pytest.importorskip("jsonschema_rs", reason="jsonschema-rs is not installed")

import jsonschema

from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import Schema, SchemaReference, SchemaRegistryClient
from confluent_kafka.schema_registry import _json_validation as validation
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from tests.support.scripts import check_script

VALUE = SerializationContext("t", MessageField.VALUE)
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_6 = "http://json-schema.org/draft-06/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"

# Each row has a draft, a schema, an object that fits and an object that does not fit. The schema
# uses a rule that only this draft has, if there is one. None means that the schema names no draft,
# which means draft 7.
DRAFTS: list[tuple[str | None, dict[str, Any], Any, Any]] = [
    (DRAFT_4, {"minimum": 1, "exclusiveMinimum": True}, 2, 1),
    (DRAFT_4, {"type": "integer"}, 1, 1.0),
    (
        DRAFT_4,
        {"id": "http://a/b", "items": {"$ref": "#/definitions/n"}}
        | {"definitions": {"n": {"type": "null"}}},
        [None],
        [1],
    ),
    (DRAFT_4, {"dependencies": {"a": ["b"]}}, {"a": 1, "b": 1}, {"a": 1}),
    (DRAFT_6, {"exclusiveMinimum": 1}, 2, 1),
    (DRAFT_6, {"type": "integer"}, 1.0, 1.5),
    (DRAFT_6, {"contains": {"const": 1}}, [2, 1], [2]),
    (DRAFT_6, {"propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}),
    (DRAFT_7, {"if": {"minimum": 5}, "then": {"multipleOf": 2}, "else": False}, 6, 7),
    (DRAFT_7, {"items": [{"type": "null"}], "additionalItems": False}, [None], [None, 1]),
    (DRAFT_7, {"$ref": "#/definitions/n", "definitions": {"n": {"minimum": 1}}}, 1, 0),
    (DRAFT_7, {"type": "string", "format": "date"}, "formats are not checked", 1),
    (DRAFT_7, {"uniqueItems": True}, [1, True, "1"], [{"a": 1}, {"a": 1.0}]),
    (None, {"if": {"type": "string"}, "then": {"minLength": 2}}, "ab", "a"),
    (None, {"prefixItems": [{"type": "null"}], "maxItems": 1}, [1], [1, 2]),
    (DRAFT_2019, {"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 1}, {"a": 1}),
    (DRAFT_2019, {"contains": {"type": "null"}, "minContains": 2}, [None, None], [None]),
    (
        DRAFT_2019,
        {"allOf": [{"properties": {"a": {}}}]} | {"unevaluatedProperties": False},
        {"a": 1},
        {"b": 1},
    ),
    (
        DRAFT_2019,
        {"$recursiveAnchor": True, "type": "array"} | {"items": {"$recursiveRef": "#"}},
        [[]],
        [[1]],
    ),
    (DRAFT_2020, {"prefixItems": [{"type": "null"}], "items": False}, [None], [None, 1]),
    (
        DRAFT_2020,
        {"$dynamicAnchor": "a", "type": "array"} | {"items": {"$dynamicRef": "#a"}},
        [[]],
        [[1]],
    ),
    (
        DRAFT_2020,
        {"anyOf": [{"prefixItems": [{"const": 1}]}]} | {"unevaluatedItems": False},
        [1],
        [1, 2],
    ),
    (DRAFT_2020, {"$ref": "#/$defs/n", "maximum": 5, "$defs": {"n": {"minimum": 1}}}, 5, 6),
]


@pytest.fixture(params=["compiled", "jsonschema alone"], autouse=True)
def judges(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The two ways to validate, whose results and texts are the same."""
    if request.param == "jsonschema alone":
        monkeypatch.setattr(validation, "_COMPILERS", {})
    return str(request.param)


@pytest.fixture
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


def _of_draft(draft: str | None, schema: dict[str, Any]) -> str:
    return json.dumps(schema if draft is None else {"$schema": draft, **schema})


def _read(schema: str, obj: Any) -> Any:
    return JSONDeserializer(schema)(b"\0\0\0\0\1" + json.dumps(obj).encode(), VALUE)


@pytest.mark.parametrize(("draft", "schema", "fits", "wrong"), DRAFTS)
def test_drafts(
    draft: str | None, schema: dict[str, Any], fits: Any, wrong: Any, client: SchemaRegistryClient
) -> None:
    """Writing and reading follow the schema's draft. The default is draft 7."""
    text = _of_draft(draft, schema)
    serialize = JSONSerializer(text, client)
    assert serialize(fits, VALUE) is not None
    assert _read(text, fits) == fits
    with pytest.raises(SerializationError, match="'t-value'"):
        serialize(wrong, VALUE)
    with pytest.raises(SerializationError, match="the reader's schema"):
        _read(text, wrong)


def test_draft_3() -> None:
    """Draft 3 is validated by jsonschema, because jsonschema-rs does not support it."""
    schema = _of_draft(
        "http://json-schema.org/draft-03/schema#", {"properties": {"a": {"required": True}}}
    )
    assert _read(schema, {"a": 1}) == {"a": 1}
    with pytest.raises(SerializationError, match="'a' is a required property"):
        _read(schema, {})


@pytest.mark.parametrize(("draft", "schema", "fits", "_wrong"), DRAFTS)
def test_a_compiled_schema_passes_what_fits(
    draft: str | None,
    schema: dict[str, Any],
    fits: Any,
    _wrong: Any,
    judges: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If an object fits, jsonschema does not check it, because jsonschema is a hundred times
    slower."""
    asked: list[Any] = []
    monkeypatch.setattr(jsonschema.exceptions, "best_match", asked.append)
    text = _of_draft(draft, schema)
    assert _read(text, fits) == fits
    referring = _of_draft(draft, {"items": {"$ref": "it.json"}})
    validation.checker(json.loads(referring), {"it.json": Schema(text, "JSON")}, "s")([fits])
    assert len(asked) == (2 if judges == "jsonschema alone" else 0)


class _Color(enum.Enum):
    RED = "red"


class _Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("schema", "obj", "said"),
    [
        ({"type": "array"}, (1, 2), r"\(1, 2\) is not of type 'array'"),
        ({"items": {"type": "string"}}, [_Color.RED], "0: <_Color.RED: 'red'> is not of type"),
        ({"maximum": 5}, math.inf, "the whole: inf is greater than the maximum of 5"),
        ({"properties": {"a": {"minimum": 5}}}, {"a": -math.inf}, "a: -inf is less than"),
        ({"not": {"type": "number"}}, math.nan, "nan should not be valid"),
        ({"additionalProperties": {"type": "null"}}, {1: 2}, "1: 2 is not of type 'null'"),
        ({"type": "null"}, "\ud800", "is not of type 'null'"),
    ],
)
def test_objects_that_no_text_is_decoded_to(
    client: SchemaRegistryClient, schema: dict[str, Any], obj: Any, said: str
) -> None:
    """Objects of Python types that decoding JSON never returns are validated by jsonschema."""
    with pytest.raises(SerializationError, match=said):
        JSONSerializer(json.dumps(schema), client)(obj, VALUE)
    deserialize = JSONDeserializer(json.dumps(schema), json_decode=lambda _: obj)
    with pytest.raises(SerializationError, match=said):
        deserialize(b"\0\0\0\0\1", VALUE)


@pytest.mark.parametrize(
    ("schema", "obj"),
    [
        ({"type": "string"}, _Text("x")),
        ({"type": "number"}, math.nan),
        ({"type": "object"}, {1: 2}),
        ({"pattern": "^(?P<letter>x)(?P=letter)$"}, "xx"),
        ({"pattern": r"^\w$"}, "é"),
        ({"contentEncoding": "base64"}, "%"),
    ],
)
def test_what_jsonschema_lets_pass(schema: dict[str, Any], obj: Any) -> None:
    """Messages that jsonschema accepts can still be read, even if jsonschema-rs refuses them."""
    deserialize = JSONDeserializer(json.dumps(schema), json_decode=lambda _: obj)
    assert deserialize(b"\0\0\0\0\1", VALUE) is obj


def test_references_that_nobody_resolves(tmp_path: Path) -> None:
    """An unresolvable reference raises an error only for objects that need it, and nothing is
    fetched from a file or a server."""
    file = tmp_path / "anything.json"
    file.write_text("{}", encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        for uri in (f"http://127.0.0.1:{server.getsockname()[1]}/x", file.as_uri(), "x.json"):
            schema = json.dumps({"properties": {"a": {"$ref": uri}}})
            assert _read(schema, {"b": 1}) == {"b": 1}
            with pytest.raises(SerializationError, match=f"Unresolvable: {uri}"):
                _read(schema, {"a": 1})
            inner = Schema(schema, "JSON")
            check = validation.checker({"$ref": "inner"}, {"inner": inner}, "s")
            with pytest.raises(SerializationError, match=f"Unresolvable: {uri}"):
                check({"a": 1})
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    ("draft", "referenced", "obj", "said"),
    [
        (DRAFT_2020, {"prefixItems": [{"type": "string"}]}, [1], "0: 1 is not of type 'string'"),
        (DRAFT_2020, {"$schema": DRAFT_7, "$ref": "#/definitions/n"}, 1.5, "1.5 is not of type"),
        (DRAFT_2020, {"$schema": DRAFT_4, "minimum": 1, "exclusiveMinimum": True}, 1, "1 is less"),
        (DRAFT_7, {"$schema": DRAFT_2020, "prefixItems": [{"const": 2}]}, [1], "0: 2 was expected"),
        (DRAFT_7, {"$schema": DRAFT_2019, "dependentRequired": {"a": ["b"]}}, {"a": 1}, "'b' is"),
    ],
)
def test_references_to_other_drafts(
    client: SchemaRegistryClient, draft: str, referenced: dict[str, Any], obj: Any, said: str
) -> None:
    """A document has its own draft, or else the draft of the document that refers to it."""
    definitions = {"n": {"type": "integer"}}
    other = json.dumps({**referenced, "definitions": definitions})
    client.register_schema("other", Schema(other, "JSON"))
    text = _of_draft(draft, {"$ref": "other.json"})
    schema = Schema(text, "JSON", [SchemaReference("other.json", "other", 1)])
    with pytest.raises(SerializationError, match=said):
        JSONSerializer(schema, client)(obj, VALUE)


def test_a_part_of_a_document_of_another_draft(client: SchemaRegistryClient) -> None:
    """A referenced part has the draft of the document that refers to it.

    Here the part has keywords beside a $ref.
    """
    definitions = {"n": {"$ref": "#/definitions/m", "minimum": 5}, "m": {"type": "integer"}}
    other = json.dumps({"$schema": DRAFT_7, "definitions": definitions})
    client.register_schema("other", Schema(other, "JSON"))
    text = _of_draft(DRAFT_2020, {"$ref": "other.json#/definitions/n"})
    schema = Schema(text, "JSON", [SchemaReference("other.json", "other", 1)])
    with pytest.raises(SerializationError, match="1 is less than the minimum of 5"):
        JSONSerializer(schema, client)(1, VALUE)


@pytest.mark.parametrize(
    ("schema", "obj"),
    [
        ({"multipleOf": 2.5}, 3**999),
        ({"$schema": DRAFT_4, "patternProperties": {r"^\p{Lu}$": {"type": "null"}}}, {"É": 1}),
        ({"patternProperties": {"^a$": {"type": "null"}}}, {1: 2}),
        ({"items": True, "additionalItems": False, "maxItems": 1}, [1, 2]),
    ],
    ids=[
        "an integer that no float can hold",
        "a pattern that Python does not know",
        "a pattern for a key that is no text",
        "a fault of jsonschema",
    ],
)
def test_what_jsonschema_cannot_decide(schema: dict[str, Any], obj: Any) -> None:
    """If the libraries fail without a result, the error has the same form as other errors."""
    deserialize = JSONDeserializer(json.dumps(schema), json_decode=lambda _: obj)
    with pytest.raises(SerializationError, match="no title"):
        deserialize(b"\0\0\0\0\1", VALUE)


@pytest.mark.parametrize(
    ("schema", "obj"),
    [
        ({"pattern": r"^\D$"}, "\N{ARABIC-INDIC DIGIT THREE}"),
        ({"multipleOf": 0.01}, 19.99),
    ],
)
def test_where_jsonschema_rs_follows_the_standard(
    schema: dict[str, Any], obj: Any, judges: str
) -> None:
    """jsonschema-rs uses ECMAScript's patterns and decimal numbers. jsonschema uses Python's
    patterns and numbers."""
    if judges == "compiled":
        assert _read(json.dumps(schema), obj) == obj
    else:
        with pytest.raises(SerializationError, match="the whole"):
            _read(json.dumps(schema), obj)


def _deep(levels: int) -> Any:
    obj: Any = 1
    for _ in range(levels):
        obj = [obj]
    return obj


def test_deep_objects_are_errors_wherever_the_stack_ends() -> None:
    """Python's stack can end inside any of the libraries.

    Deep objects raise an error even if a library raises a BaseException.
    """
    check = validation.checker({"items": {"not": {"not": {"$ref": "#"}}}}, {}, "s")
    deep = _deep(900)

    def called_from(depth: int) -> None:
        if depth:
            called_from(depth - 1)
        else:
            check(deep)

    for depth in range(40):
        with pytest.raises(SerializationError, match=r"s \(no title\)"):
            called_from(depth)
    check(_deep(60))


def test_deep_objects_end_no_process() -> None:
    """Deep objects do not end the process, although jsonschema-rs has no limit for its recursion
    and a thread's stack may be small."""
    check_script(
        """
        import threading
        from confluent_kafka.error import SerializationError
        from confluent_kafka.schema_registry import _json_validation as validation

        deep = 1
        for _ in range(200_000):
            deep = {"a": [deep]}
        rules = {"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}}
        check = validation.checker(rules, {}, "s")
        refused = []

        def try_it():
            try:
                check(deep)
            except SerializationError as error:
                refused.append(error)

        threading.stack_size(512 * 1024)
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
        assert len(refused) == 1, refused
        """
    )


@pytest.mark.parametrize("missing", ["", "jsonschema_rs"])
def test_without_jsonschema_rs(missing: str) -> None:
    """jsonschema-rs is optional.

    Without it, validation has the same results, but is as slow as jsonschema.
    """
    check_script(
        """
        import sys
        if sys.argv[1]:
            sys.modules[sys.argv[1]] = None
        from confluent_kafka.error import SerializationError
        from confluent_kafka.schema_registry.json_schema import JSONDeserializer

        read = JSONDeserializer('{"type": "integer"}')
        assert read(b"\\0\\0\\0\\0\\x015") == 5
        try:
            read(b'\\0\\0\\0\\0\\1"x"')
        except SerializationError as error:
            assert "'x' is not of type 'integer'" in str(error), error
        else:
            raise AssertionError("not refused")
        """,
        missing,
    )
