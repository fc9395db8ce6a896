"""Keys and values as typed columns: the options ``keyFormat`` and ``valueFormat``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.types import DataType, StringType, StructField

from . import parts
from .formats import Decoder
from .formats.choice import choose
from .formats.model import REGISTERED, Decoding, SourceFormat
from .offsets import Partition
from .options import Taker
from .parts import PARTS, check_raw, check_registry, registry

ERROR = "error"
"""The column with the reason why a row was not decoded, in the mode PERMISSIVE."""

_FORMATS: tuple[SourceFormat, ...] = ("raw", "json", *REGISTERED)
_MODES = ("FAILFAST", "PERMISSIVE", "DROPMALFORMED")
OPTIONS = (*parts.OPTIONS, "mode")


class UndecodableRow(ValueError):
    """A row was not decoded, in the mode FAILFAST."""


@dataclass(frozen=True)
class TypedColumns:
    """Decodes the keys and values of a read. Spark sends it to the executors.

    Args:
        kinds: the types of the decoded parts.
        decoders: the decoders of these parts.
        mode: what happens to rows that do not decode; one of the modes of Spark's own formats.
        headers: whether headers are needed, because they may name the schema of a row.
    """

    kinds: Mapping[str, DataType]
    decoders: Mapping[str, Decoder]
    mode: str
    headers: bool

    @property
    def fields(self) -> list[StructField]:
        """The columns that differ from the source's own schema, or are added to it."""
        found = [StructField(part, kind) for part, kind in self.kinds.items()]
        return [*found, StructField(ERROR, StringType())] if self.mode == "PERMISSIVE" else found

    def needed(self, names: list[str]) -> set[str]:
        """Return the columns of messages that are needed to make columns of a read."""
        wanted = {name for name in names if name != ERROR}
        decoded = self.kinds if self._all_parts(names) else wanted & self.kinds.keys()
        return wanted | set(decoded) | ({"headers"} if decoded and self.headers else set())

    def decode(
        self, batch: pa.RecordBatch, names: list[str], partition_at: Callable[[int], Partition]
    ) -> tuple[pa.RecordBatch, pa.Array]:
        """Decode a batch of messages.

        Args:
            batch: a batch with the columns that needed() returns.
            names: the columns to return.
            partition_at: returns the partition of a row, for messages.

        Returns:
            The batch without the dropped rows, and the errors, which are null for a good row.

        Raises:
            UndecodableRow: a row does not decode, in the mode FAILFAST.
        """
        headers = batch.column("headers") if "headers" in batch.schema.names else None
        failures: dict[int, str] = {}
        for part in self.kinds if self._all_parts(names) else self.kinds.keys() & set(names):
            column, failed = self.decoders[part](batch.column(part), headers)
            batch = batch.set_column(batch.schema.get_field_index(part), part, column)
            for row, reason in failed.items():
                failures.setdefault(row, f"{part}: {reason}")
        if not failures:
            return batch, pa.nulls(len(batch), pa.string())
        if self.mode == "FAILFAST":
            raise UndecodableRow(_described(batch, failures, partition_at))
        errors = pa.array([failures.get(row) for row in range(len(batch))], pa.string())
        if self.mode == "DROPMALFORMED":
            good = errors.is_null()
            return batch.filter(good), errors.filter(good)
        return batch, errors

    def _all_parts(self, names: list[str]) -> bool:
        """Return whether a bad part makes its row bad, even if the query does not read the part."""
        return ERROR in names


def typed_columns(given: Mapping[str, str], topic: str | None) -> TypedColumns | None:
    """Return the decoding of keys and values; None if both stay bytes.

    Args:
        given: the options that were given, with their names in the original spelling.
        topic: the topic whose subjects have the schemas; None if there are several topics.

    Raises:
        ValueError: an option is wrong, or the registry has no usable schema.
        SchemaRegistryError: the registry refuses the request or cannot be reached.
    """
    take = Taker(given)
    decodings = {part: _decoding(take, part) for part in PARTS}
    place = registry(take)
    mode = take("mode", _mode, "FAILFAST")
    chosen: dict[str, tuple[DataType, Decoder]] = {}
    for part, decoding in decodings.items():
        if decoding.format == "raw":
            check_raw(given, part)
            continue
        check_registry(decoding.format, part, place)
        subject = decoding.subject or (f"{topic}-{part}" if topic else None)
        if decoding.format in REGISTERED and decoding.schema is None and subject is None:
            raise ValueError(f"option {part}Subject is required where there are several topics")
        chosen[part] = choose(decoding, part, subject, place)
    if not chosen:
        return None
    return TypedColumns(
        kinds={part: kind for part, (kind, _) in chosen.items()},
        decoders={part: decoder for part, (_, decoder) in chosen.items()},
        mode=mode,
        headers=any(decodings[part].format in REGISTERED for part in chosen),
    )


def _decoding(take: Taker, part: str) -> Decoding:
    decoding = Decoding(
        format=take(f"{part}Format", _format, "raw"),
        schema=take.optional(f"{part}Schema", str),
        subject=take.optional(f"{part}Subject", str),
        message=take.optional(f"{part}Message", str),
    )
    if decoding.format == "json" and decoding.schema is None:
        raise ValueError(f"option {part}Format json needs {part}Schema, the columns as DDL")
    return decoding


def _format(text: str) -> SourceFormat:
    for known in _FORMATS:
        if text.strip().lower() == known:
            return known
    raise ValueError(f"{text!r} is none of {', '.join(_FORMATS)}")


def _mode(text: str) -> str:
    word = text.strip().upper()
    if word not in _MODES:
        raise ValueError(f"{text!r} is none of {', '.join(_MODES)}")
    return word


def _described(
    batch: pa.RecordBatch, failures: Mapping[int, str], partition_at: Callable[[int], Partition]
) -> str:
    row, reason = min(failures.items())
    return (
        f"{partition_at(row)} offset {batch.column('offset')[row]} does not decode, {reason}. "
        "With the option mode PERMISSIVE such rows are null, with the reason in a column "
        f"{ERROR!r}; DROPMALFORMED leaves them out."
    )
