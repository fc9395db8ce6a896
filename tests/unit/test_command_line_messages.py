"""What `consume` and `produce` do with single messages: unpacking, and defaults of Avro."""

from __future__ import annotations

import json
import sys

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli.base.values import topic_or_pattern
from confluent_kafka.cli.messages.avro_defaults import Defaults
from confluent_kafka.cli.messages.unpacking import Unpacked
from tests.support.command_line import run
from tests.support.kafka import NO_BROKER


@pytest.mark.parametrize(
    ("letters", "payload", "values"),
    [
        ("b", b"\xff", -1),
        ("B", b"\xff", 255),
        ("hH", b"\xff\xfe\xff\xfe", [-2, 65534]),
        ("<i>i", b"\1\0\0\0\0\0\0\1", [1, 1]),
        ("q", b"\x80" + bytes(7), -(2**63)),
        ("Q$", b"\x80" + bytes(7), 2**63),
        ("Is", b"\0\0\0\1text", [1, "text"]),
        ("bs$", b"\1\xff", [1, {"base64": "/w=="}]),
        ("cc", b"ab and more", ["a", "b"]),
    ],
)
def test_letters(letters: str, payload: bytes, values: object) -> None:
    """Each letter is a field, big-endian by default. Without $, remaining bytes are ignored."""
    assert json.loads(Unpacked(letters).read(payload)) == values


@pytest.mark.parametrize("letters", ["", "x", "s$b", "sb", "$$", "$b", "ss"])
def test_wrong_letters(letters: str) -> None:
    """Unknown letters are refused, and so are letters after s (the rest) or $ (the end)."""
    with pytest.raises(ValueError, match=r"must consist of the letters|nothing can follow"):
        Unpacked(letters)


def test_defaults() -> None:
    """Fields that are missing get their defaults, also in records inside lists, maps, unions and
    records that contain themselves. Bytes are base64, as `consume` shows them."""
    point = {
        "type": "record",
        "name": "com.acme.Point",
        "fields": [
            {"name": "x", "type": "int", "default": 1},
            {"name": "next", "type": ["null", "com.acme.Point"], "default": None},
        ],
    }
    schema = {
        "type": "record",
        "name": "All",
        "fields": [
            {"name": "needed", "type": "int"},
            {"name": "raw", "type": "bytes", "default": "\u00ff"},
            {"name": "either", "type": ["int", "null"], "default": 5},
            {"name": "list", "type": {"type": "array", "items": point}},
            {"name": "map", "type": {"type": "map", "values": "Point"}},
            {"name": "union", "type": ["null", "com.acme.Point", "string"]},
        ],
    }
    value = {"list": [{}], "map": {"a": {"x": 2}}, "union": {"next": {}}}
    one = {"x": 1, "next": None}
    assert Defaults(schema, ()).fill(value) == {
        "raw": "/w==",
        "either": 5,
        "list": [one],
        "map": {"a": {"x": 2, "next": None}},
        "union": {"x": 1, "next": one},
    }
    assert Defaults({"type": "array", "items": "Point"}, [point]).fill([{}]) == [one]
    assert Defaults(schema, ()).fill("text") == "text"


def test_patterns() -> None:
    """A topic that begins with ^ is a pattern; other topics must be legal names."""
    assert topic_or_pattern("^a[.]b$") == "^a[.]b$"
    assert topic_or_pattern("a.b") == "a.b"
    with pytest.raises(Exception, match="cannot be a topic"):
        topic_or_pattern("a b")


@pytest.mark.parametrize(
    ("package", "arguments", "reason"),
    [
        ("cel_expr_python", ["consume", "t", "--where", "true"], "--where needs cel-expr-python"),
        ("jinja2", ["produce", "t", "--template", "x"], "--template needs Jinja"),
        ("pyarrow", ["consume", "t", "-e", "-o", "x.parquet"], "--output .parquet needs pyarrow"),
        (
            "httpx",
            ["consume", "t", "--value", "auto", "--registry", "http://x"],
            "--value auto needs the extra [schemaregistry]: pip install",
        ),
    ],
)
def test_missing_packages(
    package: str, arguments: list[str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that an option needs is named, before anything is read or sent."""
    for name in [one for one in sys.modules if one.startswith("confluent_kafka.schema_registry")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    done = run(*arguments, "-b", NO_BROKER)
    assert (done.status, done.stdout) == (1, b"")
    assert reason in done.stderr
