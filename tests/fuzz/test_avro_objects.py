"""The extension and fastavro encode any object as Avro of any schema in the same way."""

from __future__ import annotations

import enum
import io
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pytest.importorskip("hypothesis", reason="hypothesis is not installed")

import fastavro
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confluent_kafka import cimpl
from confluent_kafka.schema_registry._avro_shapes import Shapes


class Text(enum.StrEnum):
    """A text whose hash differs from the hash of an equal str."""

    RED = "RED"


ENUM = {"type": "enum", "name": "E", "symbols": ["RED", "BLUE"]}
FIXED = {"type": "fixed", "name": "F", "size": 3}
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}

_LEAVES = st.sampled_from(
    ["null", "boolean", "int", "long", "float", "double", "bytes", "string", ENUM, FIXED, DECIMAL]
)
_OBJECTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**33), 2**33)
    | st.floats()
    | st.binary(max_size=4)
    | st.sampled_from([b"abc", "RED", "\ud800", Decimal("1.5"), Decimal("1.234"), Text.RED])
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "-type"]), inner, max_size=3)
        | st.tuples(st.sampled_from(["int", "string", "R0"]), inner)
    ),
    max_leaves=6,
)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 2) -> Any:
    """A random schema that defines each of its named types once."""
    counter = iter(range(100))
    seen: set[str] = set()

    def one(level: int, in_union: bool = False) -> Any:
        kind = draw(st.sampled_from(["leaf", "array", "map", "record", "union"]))
        if kind == "leaf" or level == 0 or (kind == "union" and in_union):
            leaf = draw(_LEAVES)
            name = leaf.get("name") if isinstance(leaf, dict) else None
            if name in seen:
                return name
            if name:
                seen.add(name)
            return leaf
        if kind == "array":
            return {"type": "array", "items": one(level - 1)}
        if kind == "map":
            return {"type": "map", "values": one(level - 1)}
        if kind == "record":
            name = f"R{next(counter)}"
            fields = [{"name": field, "type": one(level - 1)} for field in draw(_FIELDS)]
            return {"type": "record", "name": name, "fields": fields}
        return [one(level - 1, True) for _ in range(draw(st.integers(1, 3)))]

    return one(depth)


_FIELDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3, unique=True)


@settings(derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(schemas(), _OBJECTS)
def test_both_ways_agree(schema: Any, obj: Any) -> None:
    """If the extension encodes an object, fastavro accepts the object and writes the same bytes."""
    named: dict[str, Any] = {}
    parsed = fastavro.parse_schema(schema, named)
    shapes = Shapes(parsed, named, False, False)
    written = cimpl._AvroWriter(shapes.all).write(obj)
    if written is not None:
        assert shapes.misfit(obj) is None
        buffer = io.BytesIO()
        fastavro.schemaless_writer(buffer, shapes.schema, obj)
        assert written == buffer.getvalue()
