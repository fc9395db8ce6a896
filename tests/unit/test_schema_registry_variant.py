"""Variants are read as Spark writes them, and broken variants are refused."""

from __future__ import annotations

import decimal
import json
import struct
import uuid
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("google.protobuf", reason="protobuf is not installed")

from confluent_kafka.schema_registry.protobuf import protobuf_to_variant, variant_to_protobuf
from confluent_kafka.schema_registry.variant import Variant, VariantError, VariantType

NO_NAMES = b"\1\0\0"
# Each row has JSON, the type, the value and the metadata, encoded by Spark's parse_json().
OF_SPARK = [
    ("null", "NULL", "00", "010000"),
    ("true", "BOOLEAN", "04", "010000"),
    ("false", "BOOLEAN", "08", "010000"),
    ("1", "BYTE", "0c01", "010000"),
    ("-1", "BYTE", "0cff", "010000"),
    ("300", "SHORT", "102c01", "010000"),
    ("70000", "INT", "1470110100", "010000"),
    ("5000000000", "LONG", "1800f2052a01000000", "010000"),
    ("1.5", "DECIMAL4", "20010f000000", "010000"),
    ('"abc"', "STRING", "0d616263", "010000"),
]


def primitive(number: int, form: str = "", content: Any = None) -> bytes:
    return bytes([number << 2]) + (struct.pack(form, content) if form else b"")


def nested(depth: int, children: int) -> bytes:
    """Nested arrays.

    All elements of one array share the same bytes.
    """
    value = b"\0"
    for _ in range(depth):
        header = bytes([3 | 3 << 2, children]) + bytes(4 * children)
        value = header + struct.pack("<I", len(value)) + value
    return value


@pytest.mark.parametrize(("text", "kind", "value", "metadata"), OF_SPARK)
def test_values_that_spark_wrote(text: str, kind: str, value: str, metadata: str) -> None:
    """Variants of Spark have the right type, and are converted to their original JSON."""
    variant = Variant(bytes.fromhex(value), bytes.fromhex(metadata))
    assert variant.get_type() is VariantType(kind)
    assert variant.to_json() == text


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '[1,2,"a"]',
        '{"a":1,"b":{"c":[null,true]}}',
        "12345678901234567890",
        "0.001",
        "1e+300",
        json.dumps("ä" * 70, ensure_ascii=False),
        json.dumps({f"field{number:03}": [number, str(number) * 50] for number in range(300)}),
    ],
    ids=lambda text: text[:20],
)
def test_what_spark_encodes(text: str) -> None:
    """Values that PySpark encodes can be read, including large and small objects, arrays, texts and
    numbers."""
    types = pytest.importorskip("pyspark.sql.types", reason="pyspark is not installed")
    encoded = types.VariantVal.parseJson(text)
    variant = Variant(encoded.value, encoded.metadata)
    assert json.loads(variant.to_json()) == json.loads(text)
    assert variant.standalone_value_bytes() == encoded.value


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (primitive(11, "<i", 19724), VariantType.DATE, '"2024-01-02"'),
        (primitive(12, "<q", 1704164645123456), "TIMESTAMP_TZ", '"2024-01-02T03:04:05.123456Z"'),
        (primitive(12, "<q", -1), "TIMESTAMP_TZ", '"1969-12-31T23:59:59.999999Z"'),
        (primitive(13, "<q", 1704164645000000), "TIMESTAMP_NTZ", '"2024-01-02T03:04:05"'),
        (primitive(14, "<f", 1.5), "FLOAT", "1.5"),
        (primitive(15, "<I", 3) + b"abc", "BINARY", '"YWJj"'),
        (primitive(17, "<q", 3661000001), "TIME", '"01:01:01.000001"'),
        (
            primitive(18, "<q", 1704164645123456789),
            "TIMESTAMP_NANOS_TZ",
            '"2024-01-02T03:04:05.123456789Z"',
        ),
        (primitive(19, "<q", 1000), "TIMESTAMP_NANOS_NTZ", '"1970-01-01T00:00:00.000001"'),
        (primitive(20) + bytes(15) + b"\5", "UUID", '"00000000-0000-0000-0000-000000000005"'),
        (primitive(7, "<d", 1.0), "DOUBLE", "1.0"),
        (primitive(8, "<b", 2) + struct.pack("<i", -5), "DECIMAL4", "-0.05"),
    ],
)
def test_types_that_json_has_not(value: bytes, kind: str, text: str) -> None:
    """Types that JSON does not have become texts.

    The test encodes the bytes by hand, according to the specification.
    """
    variant = Variant(value, NO_NAMES)
    assert variant.get_type() == kind
    assert variant.to_json() == text
    assert variant.standalone_value_bytes() == value


def test_getters() -> None:
    """Each getter returns the Python object of its type."""

    def of(number: int, form: str, content: Any) -> Variant:
        return Variant(primitive(number, form, content), NO_NAMES)

    assert of(3, "<b", -3).get_byte() == of(3, "<b", -3).get_long() == -3
    assert of(4, "<h", -300).get_short() == of(4, "<h", -300).get_int() == -300
    assert of(5, "<i", 70000).get_int() == 70000
    assert of(6, "<q", 2**40).get_long() == of(12, "<q", 2**40).get_long() == 2**40
    assert of(7, "<d", 0.1).get_double() == 0.1
    assert of(14, "<f", 0.5).get_float() == 0.5
    assert Variant(primitive(1), NO_NAMES).get_boolean() is True
    assert Variant(primitive(2), NO_NAMES).get_boolean() is False
    assert Variant(primitive(16, "<I", 2) + b"ab", NO_NAMES).get_string() == "ab"
    assert Variant(primitive(15, "<I", 2) + b"ab", NO_NAMES).get_binary() == b"ab"
    assert Variant(primitive(20) + bytes(16), NO_NAMES).get_uuid() == uuid.UUID(int=0)
    number = Variant(primitive(8, "<b", 2) + struct.pack("<i", 150), NO_NAMES).get_decimal()
    assert (number, number.as_tuple().exponent) == (decimal.Decimal("1.50"), -2)


def test_objects_and_arrays() -> None:
    """Fields are found by name and by position, and elements by position.

    A missing field or element is None.
    """
    # {"a": [7, 8]}: one field, id 0, of one array of two bytes.
    value = bytes.fromhex("020100000703020002040c070c08")
    variant = Variant(value, b"\x11\1\0\1a")
    assert variant.num_object_fields() == 1
    name, field = variant.get_field_at_index(0)
    assert (name, field.pos) == ("a", 5)
    array = variant.get_field_by_key("a")
    assert array is not None
    assert array.num_array_elements() == 2
    assert [array.get_element_at_index(place) is None for place in (-1, 0, 1, 2)] == [
        True,
        False,
        False,
        True,
    ]
    assert variant.get_field_by_key("b") is None
    assert array.standalone_value_bytes() == value[5:]
    with pytest.raises(VariantError, match="idx must be from 0 to 0, not 1"):
        variant.get_field_at_index(1)


@pytest.mark.parametrize(
    ("getter", "what"),
    [
        ("get_boolean", "a boolean"),
        ("get_byte", "an integer of one byte"),
        ("get_short", "an integer of two bytes"),
        ("get_int", "an integer of four bytes"),
        ("get_long", "an integer"),
        ("get_float", "a float"),
        ("get_double", "a double"),
        ("get_decimal", "a decimal"),
        ("get_string", "a string"),
        ("get_binary", "binary"),
        ("get_uuid", "a UUID"),
        ("num_array_elements", "an array"),
        ("num_object_fields", "an object"),
    ],
)
def test_another_type(getter: str, what: str) -> None:
    """The error names the requested and the existing type."""
    with pytest.raises(VariantError, match=f"variant is not {what}, it is of type NULL"):
        getattr(Variant(b"\0", NO_NAMES), getter)()


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda: Variant(b"\0", b""), "it ends at 0"),
        (lambda: Variant(b"\0", b"\2\0\0"), "version 2"),
        (lambda: Variant(b"", NO_NAMES), "it ends at 0"),
        (lambda: Variant(b"\0", NO_NAMES, 7), "it ends at 1"),
        (lambda: Variant(primitive(30), NO_NAMES), "unknown variant primitive type: 30"),
        (lambda: Variant(primitive(6) + b"12", NO_NAMES), "it ends at 3, not at 9"),
        (lambda: Variant(primitive(16, "<I", 2**32 - 1), NO_NAMES), "it ends at 5"),
        (lambda: Variant(b"\x09\xff\xff", NO_NAMES), "not UTF-8"),
        (lambda: Variant(b"\x03\xff", NO_NAMES), "it ends at 2"),
        (lambda: Variant(bytes.fromhex("02010500010c01"), NO_NAMES), "no name 5"),
        (lambda: Variant(primitive(12, "<q", 2**63 - 1), NO_NAMES), "out of the range of years"),
        (lambda: Variant(primitive(11, "<i", 2**31 - 1), NO_NAMES), "out of the range of years"),
        (lambda: Variant(nested(40, 2), NO_NAMES), "values overlap"),
        (lambda: Variant(nested(3000, 1), NO_NAMES), "nested too deeply"),
    ],
)
def test_broken_ones(made: Callable[[], Variant], text: str) -> None:
    """Any bytes are decoded to a value or raise VariantError.

    A small message does not fill the memory.
    """
    with pytest.raises(VariantError, match=text):
        made().to_json()


def test_in_protobuf_messages() -> None:
    """A part of another variant is written as a variant of its own, with the same bytes as from
    other clients."""
    whole = Variant(bytes.fromhex("0302000204" + "0c070c08"), NO_NAMES)
    part = whole.get_element_at_index(1)
    assert part is not None
    message = variant_to_protobuf(part)
    assert message.DESCRIPTOR.full_name == "confluent.type.Variant"
    assert message.SerializeToString() == b"\x0a\3\1\0\0\x12\2\x0c\x08"
    assert protobuf_to_variant(message).get_long() == 8
