"""Reads the files that `consume --output` writes, as messages."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import click

from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.messages.inputs import Input, Make, json_maker, records_of
from confluent_kafka.cli.messages.layouts import is_typed, json_texts_of

_ROWS = 1000


def file_input(path: Path, encoded: Collection[str], keep_partition: bool) -> Input:
    """Return the input that a file is, by its name.

    Args:
        path: the file: .jsonl, .parquet or .arrow.
        encoded: the parts that are JSON, "key" and "value".
        keep_partition: whether messages have the partitions of the file.
    """
    if path.suffix == ".jsonl":
        make = json_maker({"headers": []}, encoded, keep_partition)
        size = path.stat().st_size
        return Input(str(path), records_of(str(path), b"\n", False), make, size, _bytes_of)
    rows = _ROWS_OF.get(path.suffix)
    if rows is None:
        raise click.BadParameter(
            f"'{path}' does not end with .jsonl, {', '.join(_ROWS_OF)}", param_hint="FILES"
        )
    try:
        import pyarrow
    except ImportError as error:
        fail(f"{path.suffix} files need pyarrow: pip install pyarrow ({error})")
    try:
        count, batches = rows(path)
    except pyarrow.ArrowInvalid as error:
        fail(f"{path}: {error}")
    return Input(str(path), batches, _row_maker(keep_partition), count, len)


def at_speed(inputs: list[Input], speed: float) -> Input:
    """Return an input whose messages keep the intervals between their timestamps.

    It reads all messages first, because the messages of a file are ordered by partition.

    Args:
        inputs: the inputs.
        speed: how many times faster than the timestamps.
    """
    messages = [message for one in inputs for message in _messages_of(one)]
    messages.sort(key=lambda message: message["timestamp"])
    names = ", ".join(one.name for one in inputs)
    batches = _in_time(messages, speed)

    def skip(count: int) -> None:
        del messages[:count]  # before the first batch is read

    return Input(names, batches, dict, len(messages), len, skip=skip)


def _messages_of(one: Input) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    with contextlib.closing(one):
        for batch in one.batches:
            for record in batch:
                try:
                    messages.append(one.make(record))
                except ValueError as error:
                    fail(f"{one.name}, message {len(messages) + 1}: {error}")
    if any("timestamp" not in message for message in messages):
        fail(f"{one.name}: a message has no timestamp, which --speed needs")
    return messages


def _in_time(messages: list[dict[str, Any]], speed: float) -> Iterator[list[dict[str, Any]]]:
    start = time.monotonic()
    for message in messages:
        due = start + (message["timestamp"] - messages[0]["timestamp"]) / 1000 / speed
        time.sleep(max(0.0, due - time.monotonic()))
        yield [message]


def _bytes_of(batch: list[bytes]) -> int:
    return sum(map(len, batch)) + len(batch)


def _row_maker(keep_partition: bool) -> Make:
    def make(row: dict[str, Any]) -> dict[str, Any]:
        message: dict[str, Any] = {
            "key": _encoded(row.get("key")),
            "value": _encoded(row["value"]),
            "headers": [(one["key"], one["value"]) for one in row.get("headers") or ()],
        }
        if row.get("timestamp") is not None:
            message["timestamp"] = row["timestamp"]
        if keep_partition and row.get("partition") is not None:
            message["partition"] = row["partition"]
        return message

    return make


def _encoded(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _parquet(path: Path) -> tuple[int, Iterator[list[Any]]]:
    from pyarrow.parquet import ParquetFile

    file = ParquetFile(path)
    return file.metadata.num_rows, map(_rows, file.iter_batches(_ROWS))


def _arrow(path: Path) -> tuple[int, Iterator[list[Any]]]:
    import pyarrow

    table = pyarrow.ipc.open_file(pyarrow.memory_map(str(path))).read_all()
    return table.num_rows, map(_rows, table.to_batches(_ROWS))


def _rows(batch: Any) -> list[Any]:
    """Return the rows of a record batch. Timestamps become milliseconds."""
    import pyarrow

    place = batch.schema.get_field_index("timestamp")
    if place >= 0:
        times = batch.column(place).cast(pyarrow.timestamp("ms", "UTC")).cast(pyarrow.int64())
        batch = batch.set_column(place, "timestamp", times)
    if batch.schema.get_field_index("value") < 0:
        raise ValueError("the file has no column 'value'")
    for part in ("key", "value"):
        place = batch.schema.get_field_index(part)
        if place >= 0 and is_typed(field := batch.schema.field(place)):
            texts = json_texts_of(batch.column(place), field)
            batch = batch.set_column(place, part, pyarrow.array(texts, pyarrow.binary()))
    rows: list[Any] = batch.to_pylist()
    return rows


_ROWS_OF: dict[str, Callable[[Path], tuple[int, Iterator[list[Any]]]]] = {
    ".parquet": _parquet,
    ".arrow": _arrow,
}
