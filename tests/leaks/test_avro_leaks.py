"""Encoding objects as Avro leaks nothing, if it succeeds, is refused, or fails half-way."""

from __future__ import annotations

from typing import Any

from confluent_kafka.cimpl import _AvroWriter
from tests.support.refcounts import assert_no_leaks


def shape(kind: str, *parts: int, names: Any = (), defaults: Any = (), prepare: Any = None) -> Any:
    """One type of a schema."""
    return (kind, prepare, {}, -10, 10, names, defaults, parts, False)


def test_objects() -> None:
    """Nothing is leaked by a record with every type, a function that raises, or a refused shape."""

    def prepare(data: Any, schema: Any) -> Any:
        return data + 1

    kinds = ["null", "boolean", "int", "float", "double", "bytes", "string", "fixed"]
    shapes = (
        shape("record", *range(1, 14), names=tuple("abcdefghijklm"), defaults=(("",),) * 13),
        *map(shape, kinds),
        shape("enum", names={"RED": 0}),
        shape("array", 3),
        shape("map", 7),
        shape("union", 1, 3, 7, 10, names=("null", "int", "string", "array")),
        shape("int", prepare=prepare),
    )
    fits = [None, True, 5, 1.5, 2, b"x" * 20, "ä" * 200, b"x" * 10, "RED", [1, 2], {"a": "x"}]
    others = [
        object(),
        {},
        "\ud800",
        2**70,
        10**400,
        bytearray(b"x"),
        [1, "x"],
        {"a": 1},
        ("int", 5),
    ]

    def work() -> None:
        writer = _AvroWriter(shapes)
        for one in ([1], 5, "x", None, ("int", 5), ("x", 5), object()):
            obj = dict(zip("abcdefghijklm", [*fits, one, 5], strict=True))
            writer.write(obj)
            for name in obj:
                for other in others:
                    writer.write(obj | {name: other})
            del obj["c"]
            assert writer.write(obj) is None
        for wrong in (shape("array"), shape("record", 0), shape("union", 0, names=("a", "b")), 5):
            try:
                _AvroWriter((*shapes, wrong))
            except (TypeError, ValueError):
                pass
            else:
                raise AssertionError("it was accepted")

    assert_no_leaks(work, repeat=10)
