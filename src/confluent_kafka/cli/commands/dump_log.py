"""``python -m confluent_kafka dump-log``: show the contents of the files of partitions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import click

from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import WRONG_USAGE, ending, fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import AsJson
from confluent_kafka.cli.messages.internal_topics import named, plain
from confluent_kafka.cli.messages.text import text_or_base64
from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import Batch, ControlType, Record, RecordBatch, RecordsError

# Number of bytes to read at once. A batch can be larger.
_CHUNK = 1 << 20
# Files that a broker keeps beside a log, and that are not logs.
_OTHER_FILES = frozenset({".index", ".timeindex", ".txnindex", ".snapshot"})
_TIMESTAMPS = {TIMESTAMP_CREATE_TIME: "create", TIMESTAMP_LOG_APPEND_TIME: "append"}

_Row = dict[str, Any]

EXAMPLES = (
    "confluent-kafka dump-log 00000000000000000000.log",
    "confluent-kafka dump-log 00000000000000000000.log --records --json",
)


def dump_log(
    files: Annotated[
        list[Path],
        argument(
            metavar="FILE",
            exists=True,
            help="Log segments (.log), or KRaft snapshots (.checkpoint).",
        ),
    ],
    with_records: Annotated[
        bool,
        option("--records", "-r", "--print-data-log", help="Also show the records of each batch."),
    ] = False,
    topic: Annotated[
        str | None,
        option(
            help="With --records: the internal topic of the records; by default the topic in the "
            "name of the file's folder."
        ),
    ] = None,
    max_size: Annotated[
        int | None,
        option(
            min=0,
            show_default=str(records.MAX_SIZE),
            help="With --records: the largest decompressed size of a batch, in bytes.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the batches in log segments of a broker, including KRaft metadata and snapshots.

    The records of internal topics, and the control records of other topics, are decoded.

    Exit status: 0 shown, 1 a file is corrupt or cannot be read (the rest is shown), 2 wrong usage,
    130 ended by Ctrl-C.
    """
    if not with_records:
        for option, value in (("--topic", topic), ("--max-size", max_size)):
            if value is not None:
                raise click.BadParameter("needs --records", param_hint=option)
    if max_size is None:
        max_size = records.MAX_SIZE
    failures: list[str] = []
    with ending():
        for path in files:
            if path.suffix in _OTHER_FILES:
                fail(
                    f"{path} is not a log segment: name files that end in .log or .checkpoint",
                    status=WRONG_USAGE,
                )
            name = topic or path.absolute().parent.name.rpartition("-")[0]
            with path.open("rb") as file:
                for position, batch in _batches(file, path, failures):
                    row = {"file": str(path), "position": position, **_batch_row(batch)}
                    if with_records:
                        try:
                            row["records"] = _record_rows(batch, name, max_size)
                        except RecordsError as error:
                            failures.append(f"{path}: the batch at byte {position}: {error}")
                    if not batch.is_valid:
                        failures.append(f"{path}: the CRC of the batch at byte {position} is wrong")
                    _show(row, as_json)
    if failures:
        fail(*failures)


# --- reading ------------------------------------------------------------------------------


def _batches(file: BinaryIO, path: Path, failures: list[str]) -> Iterator[tuple[int, Batch]]:
    """Yield the batches of a file with their positions. An unreadable rest is a failure."""
    position, rest = 0, b""
    # The file is not mapped into memory: if a broker truncated it, this process would crash.
    while chunk := file.read(max(_CHUNK, len(rest))):
        rest += chunk
        used = 0
        try:
            for batch in records.read(rest, check_crc=False, start=position):
                yield position + used, batch
                used += batch.size
        except RecordsError as error:
            failures.append(f"{path}: {error}")
            return
        position += used
        rest = rest[used:]
    if rest:
        failures.append(
            f"{path}: {counted(len(rest), 'byte')} {'follows' if len(rest) == 1 else 'follow'} the "
            "last whole batch"
        )


# --- the facts about a batch --------------------------------------------------------------


def _batch_row(batch: Batch) -> _Row:
    return {
        **(_facts_of_format_2(batch) if isinstance(batch, RecordBatch) else {}),
        "last_offset": batch.last_offset,
        "timestamp_type": _TIMESTAMPS.get(batch.timestamp_type),
        "max_timestamp": batch.max_timestamp,
        "size": batch.size,
        "magic": batch.magic,
        "compression": _codec(batch),
        "crc": batch.crc,
        "valid": batch.is_valid,
    }


def _facts_of_format_2(batch: RecordBatch) -> _Row:
    return {
        "base_offset": batch.base_offset,
        "count": batch.count,
        "partition_leader_epoch": batch.partition_leader_epoch,
        "producer_id": batch.producer_id,
        "producer_epoch": batch.producer_epoch,
        "base_sequence": batch.base_sequence,
        "last_sequence": batch.last_sequence,
        "transactional": batch.is_transactional,
        "control": batch.is_control,
        "delete_horizon": batch.delete_horizon,
    }


def _codec(batch: Batch) -> str:
    try:
        return batch.compression.name.lower()
    except RecordsError:
        return "unknown"


# --- the facts about records ---------------------------------------------------------------


def _record_rows(batch: Batch, topic: str, max_size: int) -> list[_Row]:
    is_control = isinstance(batch, RecordBatch) and batch.is_control
    return [
        {
            "offset": record.offset,
            "timestamp": record.timestamp,
            "key_size": -1 if record.key is None else len(record.key),
            "value_size": -1 if record.value is None else len(record.value),
            "headers": [_header(*header) for header in record.headers],
            **_content(record, topic, is_control),
        }
        for record in batch.records(max_size=max_size)
    ]


def _header(name: str, value: bytes | None) -> list[Any]:
    # Bytes of a name that are not UTF-8 are lone surrogates, which cannot be printed.
    return [text_or_base64(name.encode(errors="surrogateescape")), text_or_base64(value)]


def _content(record: Record, topic: str, is_control: bool) -> _Row:
    """Return key and value, decoded if the topic or the record has a known format."""
    key: Any = text_or_base64(record.key)
    value: Any = text_or_base64(record.value)
    if is_control:
        control = records.control(record)
        key = _name(control.type)
        value = value if control.message is None else plain(control.message.as_dict())
    elif topic in records.INTERNAL_TOPICS:
        internal = records.internal(topic, record)
        if internal.key is not None:
            key = named(internal.key)
        if internal.value is not None:
            value = named(internal.value)
    return {"key": key, "value": value}


def _name(number: int) -> str:
    return number.name.lower() if isinstance(number, ControlType) else str(number)


# --- output -------------------------------------------------------------------------------


def _show(row: _Row, as_json: bool) -> None:
    """Print a JSON object; or a line of text, and one more for each record."""
    if as_json:
        print(json.dumps(row, ensure_ascii=False))
        return
    made = row.pop("records", [])
    print(_line(row))
    for each in made:
        print("|", _line(each))


def _line(row: _Row) -> str:
    """Return names and values. Texts are quoted as in JSON, so that they stay on one line."""
    plain = ("file", "timestamp_type", "compression")
    return " ".join(
        f"{name}: {value if name in plain else json.dumps(value, ensure_ascii=False)}"
        for name, value in row.items()
    )
