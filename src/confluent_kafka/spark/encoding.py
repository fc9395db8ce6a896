"""Typed columns as keys and values: the options ``keyFormat`` and ``valueFormat`` of a write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import StructType

from confluent_kafka.cimpl import _ColumnBatch
from confluent_kafka.columns.batch import add_mark

from . import parts
from .formats.model import REGISTERED, Payload, PayloadFormat, Registry
from .options import Taker, boolean
from .parts import PARTS, check_raw, check_registry, registry

if TYPE_CHECKING:
    from .formats.payloads import Encoder

_ID_SERIALIZER = "schema.id.serializer"
OPTIONS = (*parts.OPTIONS, "registerSchemas", _ID_SERIALIZER)
_FORMATS: tuple[PayloadFormat, ...] = ("raw", "json", "avro", "json-schema", "protobuf")


class UnencodableRow(ValueError):
    """A row cannot be written with the schema of its key or value."""


@dataclass(frozen=True)
class RowEncoder:
    """Encodes the keys and values of record batches. Spark sends it to the executors.

    Args:
        encoders: the encoder of each column; the other columns stay as they are.
        topic: the topic of every row, or None if the column ``topic`` names it.
    """

    encoders: Mapping[str, Encoder]
    topic: str | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield batches with encoded columns.

        Raises:
            UnencodableRow: a row cannot be encoded.
        """
        for batch in batches:
            encoded = batch
            for part, encode in self.encoders.items():
                payloads, failures = encode(batch.column(part))
                if failures:
                    first = failures[0]
                    place = f"{part}.{first.field}" if first.field else part
                    topic = self.topic or batch.column("topic")[first.row].as_py()
                    raise UnencodableRow(
                        f"row {first.row} (topic {topic!r}) cannot be encoded, {place}: "
                        f"{first.reason}"
                    )
                index = encoded.schema.get_field_index(part)
                encoded = encoded.set_column(index, part, payloads)
                if encode.name.mark is not None:
                    marked = add_mark(_ColumnBatch(encoded), part, encode.name.mark)
                    encoded = pa.record_batch(marked)
            yield encoded

    def columns(self, written: Sequence[str]) -> list[str]:
        """Return the names of the columns that are written after the encoding.

        Args:
            written: the names of the columns that are written before the encoding.
        """
        is_marked = any(one.name.mark is not None for one in self.encoders.values())
        added = ["headers"] if is_marked and "headers" not in written else []
        return [*written, *added]


@dataclass(frozen=True)
class Payloads:
    """The formats in which the columns ``key`` and ``value`` are written.

    Args:
        parts: the format of each column that is encoded.
        registry: the registry with the schemas; None if nothing is encoded.
    """

    parts: Mapping[str, Payload] = field(default_factory=dict)
    registry: Registry | None = None

    def encoder(self, schema: StructType, topic: str | None) -> RowEncoder:
        """Return the encoder of the rows of a DataFrame.

        Args:
            schema: its columns, which include the columns in `parts`.
            topic: the topic of every row, or None if a column names it.

        Raises:
            ValueError: the registry cannot be reached or does not have the schema, or a column
                cannot be written with the schema.
        """
        if not self.parts:
            return RowEncoder({}, topic)
        # The libraries of a format are imported only if the format is used.
        from .formats.payload_choice import choose_encoder

        encoders = {}
        for part, payload in self.parts.items():
            try:
                place = self.registry if payload.format in REGISTERED else None
                encoders[part] = choose_encoder(payload, place, schema[part].dataType)
            except ValueError as error:
                raise ValueError(f"column {part}: {error}") from error
        return RowEncoder(encoders, topic)


def payloads(given: Mapping[str, str], topic: str | None) -> Payloads:
    """Return the formats of keys and values.

    Args:
        given: the options that were given, with their names in the original spelling.
        topic: the topic whose subjects have the schemas; None if a column names the topics.

    Raises:
        ValueError: an option is wrong.
    """
    take = Taker(given)
    place = registry(take)
    register = take("registerSchemas", boolean, "false")
    in_header = take(_ID_SERIALIZER, _is_header, "prefix")
    found: dict[str, Payload] = {}
    for part in PARTS:
        form = take(f"{part}Format", _format, "raw")
        if form == "raw":
            check_raw(given, part)
            continue
        check_registry(form, part, place)
        found[part] = _payload(take, part, form, topic, register=register, in_header=in_header)
    if register and not any(one.schema for one in found.values()):
        raise ValueError(
            "option registerSchemas: there is no schema, give valueSchema or keySchema"
        )
    if in_header and not any(one.format in REGISTERED for one in found.values()):
        raise ValueError(
            f"option {_ID_SERIALIZER}: there is no schema of a registry, give valueFormat or "
            "keyFormat"
        )
    return Payloads(found, place)


def _payload(
    take: Taker,
    part: str,
    form: PayloadFormat,
    topic: str | None,
    *,
    register: bool,
    in_header: bool,
) -> Payload:
    given = {what: take.optional(f"{part}{what}", str) for what in ("Schema", "Subject", "Message")}
    taken = {"Schema", "Subject"} if form in REGISTERED else set()
    if form == "protobuf":
        taken.add("Message")
    for what, text in given.items():
        if text is not None and what not in taken:
            raise ValueError(f"option {part}{what}: the format {form} does not take it")
    if form not in REGISTERED:
        return Payload(format=form)
    subject = given["Subject"] or (f"{topic}-{part}" if topic else None)
    if subject is None:
        raise ValueError(f"option {part}Subject is required where a column names the topics")
    return Payload(
        format=form,
        schema=given["Schema"],
        subject=subject,
        message=given["Message"],
        register=register,
        in_header=in_header,
    )


def _is_header(text: str) -> bool:
    known = {"prefix": False, "header": True}
    if text.strip().lower() not in known:
        raise ValueError(f"{text!r} is none of {', '.join(known)}")
    return known[text.strip().lower()]


def _format(text: str) -> PayloadFormat:
    for known in _FORMATS:
        if text.strip().lower() == known:
            return known
    raise ValueError(f"{text!r} is none of {', '.join(_FORMATS)}")
