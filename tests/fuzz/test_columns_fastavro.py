"""Columns have the same values as fastavro reads, for any schema and any payload of the schema."""

from __future__ import annotations

import io
import math
import struct
from random import Random
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
fastavro = pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from confluent_kafka.columns import AvroDecoder  # noqa: E402
from tests.support.avro_schemas import Schemas, kind_of  # noqa: E402

SETTINGS = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


def same(schema: Any, ours: Any, theirs: Any) -> bool:
    """Whether two values of a type are the same."""
    if ours is None or theirs is None:
        return ours is theirs
    match kind_of(schema):
        case "union":
            return any(same_branch(branch, ours, theirs) for branch in schema)
        case "record":
            names = [one["name"] for one in schema["fields"]]
            return set(theirs) == set(names) == set(ours) and all(
                same(one["type"], ours[one["name"]], theirs[one["name"]])
                for one in schema["fields"]
            )
        case "array":
            return len(ours) == len(theirs) and all(
                same(schema["items"], one, other) for one, other in zip(ours, theirs, strict=True)
            )
        case "map":
            # pyarrow returns a map as a list of pairs, because Arrow allows duplicate keys.
            return dict(ours).keys() == theirs.keys() and all(
                same(schema["values"], one, theirs[key]) for key, one in ours
            )
        case "float":
            # fastavro reads a long as a Python float, which has more digits than Avro's float.
            theirs = struct.unpack("f", struct.pack("f", theirs))[0]
    logical = schema.get("logicalType") if isinstance(schema, dict) else None
    return same_plain(logical, ours, theirs)


def same_branch(schema: Any, ours: Any, theirs: Any) -> bool:
    """Like same(), but returns False if a value does not belong to this branch."""
    try:
        return same(schema, ours, theirs)
    except Exception:
        return False


def same_plain(logical: str | None, ours: Any, theirs: Any) -> bool:
    match logical:
        case "duration":
            months, days, millis = struct.unpack("<III", theirs)
            return tuple(ours) == (months, days, millis * 1_000_000)
        case "timestamp-nanos" | "local-timestamp-nanos":
            # With pandas installed, the value is a pandas Timestamp, which has nanoseconds.
            exact = ours.value if hasattr(ours, "value") else nanoseconds(ours)
            return exact == theirs
        case "uuid":
            theirs = theirs if isinstance(theirs, UUID) else UUID(bytes=theirs)
    if isinstance(ours, float) and math.isnan(ours):
        return math.isnan(theirs)
    return type(ours) is type(theirs) and ours == theirs


def nanoseconds(moment: Any) -> int:
    from datetime import datetime, timedelta

    return (moment - datetime(1970, 1, 1, tzinfo=moment.tzinfo)) // timedelta(microseconds=1) * 1000


def by_fastavro(writer: Any, payload: bytes, reader: Any) -> tuple[bool, Any]:
    """Return whether fastavro can read the payload, and the value."""
    try:
        return True, fastavro.schemaless_reader(io.BytesIO(payload), writer, reader)
    except (ValueError, TypeError, fastavro.read.SchemaResolutionError):
        return False, None


def compare(writer: Any, reader: Any, payloads: list[bytes]) -> None:
    rows = AvroDecoder(writer, reader).decode(pa.array(payloads, pa.binary()))
    array = pa.array(rows)
    array.validate(full=True)
    bad = {error.row: error for error in rows.errors}
    wanted = writer if reader is None else reader
    for place, (payload, ours) in enumerate(zip(payloads, array.to_pylist(), strict=True)):
        is_read, theirs = by_fastavro(writer, payload, reader)
        assert is_read == (place not in bad), (bad.get(place), theirs)
        if is_read:
            value = ours if kind_of(wanted) == "record" else ours["value"]
            assert same(wanted, value, theirs), (ours, theirs)


@settings(SETTINGS, max_examples=400)
@given(st.randoms(use_true_random=False))
def test_written_and_read_with_one_schema(random: Random) -> None:
    """Columns have fastavro's values for every type, also nested in other types."""
    # Use a separate generator, because hypothesis stores every draw from its own generator.
    schemas = Schemas(Random(random.random()))
    schema = schemas.row()
    compare(schema, None, [schemas.payload(schema) for _ in range(8)])


@settings(SETTINGS, max_examples=400)
@given(st.randoms(use_true_random=False))
def test_read_with_another_schema(random: Random) -> None:
    """Columns have fastavro's values with a reader's schema: other fields, wider types, other enums
    and unions."""
    schemas = Schemas(Random(random.random()), promotable=False)
    writer = schemas.row()
    compare(writer, schemas.reader(writer), [schemas.payload(writer) for _ in range(8)])
