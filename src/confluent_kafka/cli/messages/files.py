"""Files of messages: JSON lines, CSV, Parquet and Arrow, by the name of the file."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from abc import abstractmethod
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, BinaryIO

import click

from confluent_kafka import Message
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.messages.outputs import Output
from confluent_kafka.cli.messages.text import json_line, text_or_base64, timestamp_of

_NAMES = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")


class FileOutput(Output):
    """Writes a file that exists only when it is complete: until then it has a temporary name.

    Args:
        path: the file.
        decoded: the parts of messages that are JSON texts, "key" and "value".
    """

    def __init__(self, path: Path, decoded: Collection[str]) -> None:
        self._path = path
        self._decoded = decoded
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
        self._file: BinaryIO

    def __enter__(self) -> object:
        try:
            self._create()
        except BaseException:  # also Ctrl-C: __exit__() is not called
            self._temporary.unlink(missing_ok=True)
            raise
        return self

    def _create(self) -> None:
        try:
            self._file = self._temporary.open("wb")
        except OSError as error:  # it must not name a file that the user does not know
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        if self._path.exists():
            shutil.copymode(self._path, self._temporary)
        self._begin()

    def __exit__(self, kind: object = None, *rest: object) -> None:
        try:
            if kind is None:
                self._end()
            self._file.close()
            if kind is None:
                os.replace(self._temporary, self._path)
        finally:
            self._file.close()
            self._temporary.unlink(missing_ok=True)

    def _begin(self) -> None:
        """Write what comes before the messages."""

    def _end(self) -> None:
        """Write what comes after the messages."""


class _JsonLines(FileOutput):
    def _begin(self) -> None:
        self._line = json_line(self._decoded)

    def write(self, messages: list[Message]) -> None:
        self._file.writelines(map(self._line, messages))


class _Csv(FileOutput):
    def _begin(self) -> None:
        self._file.write(",".join(_NAMES).encode() + b"\n")

    def write(self, messages: list[Message]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(map(self._row, messages))
        self._file.write(text.getvalue().encode())

    def _row(self, one: Message) -> list[object]:
        headers = [[name, text_or_base64(value)] for name, value in one.headers() or ()]
        time = timestamp_of(one)
        return [
            one.topic(),
            one.partition(),
            one.offset(),
            None if time < 0 else time,
            _cell(one.key()),
            _cell(one.value()),
            json.dumps(headers, ensure_ascii=False) if headers else None,
        ]


def _cell(payload: bytes | None) -> str | None:
    text = text_or_base64(payload)
    return json.dumps(text) if isinstance(text, dict) else text


class _Columns(FileOutput):
    """Columns of pyarrow. Keys and values are bytes, or text if they are decoded."""

    def _begin(self) -> None:
        import pyarrow as pa

        self._schema = pa.schema(
            {
                "topic": pa.string(),
                "partition": pa.int32(),
                "offset": pa.int64(),
                "timestamp": pa.timestamp("ms", "UTC"),
                **{
                    part: pa.string() if part in self._decoded else pa.binary()
                    for part in ("key", "value")
                },
                "headers": pa.list_(pa.struct({"key": pa.string(), "value": pa.binary()})),
            }
        )
        self._writer = self._open(pa)

    @abstractmethod
    def _open(self, pa: Any) -> Any:
        """Return the writer of the file."""

    def write(self, messages: list[Message]) -> None:
        import pyarrow as pa

        times = [timestamp_of(one) for one in messages]
        columns = {
            "topic": [one.topic() for one in messages],
            "partition": [one.partition() for one in messages],
            "offset": [one.offset() for one in messages],
            "timestamp": [None if time < 0 else time for time in times],
            "key": [one.key() for one in messages],
            "value": [one.value() for one in messages],
            "headers": [
                [{"key": name, "value": value} for name, value in one.headers() or ()]
                for one in messages
            ],
        }
        self._writer.write_batch(pa.record_batch(columns, self._schema))

    def _end(self) -> None:
        self._writer.close()


class _Parquet(_Columns):
    def _begin(self) -> None:
        super()._begin()
        self._rows: list[Message] = []
        self._size = 0

    def _open(self, pa: Any) -> Any:
        from pyarrow.parquet import ParquetWriter

        return ParquetWriter(self._file, self._schema, compression="zstd")

    def write(self, messages: list[Message]) -> None:
        # Each write makes a row group, and small ones make large and slow files.
        self._rows += messages
        self._size += sum(map(len, messages))
        if len(self._rows) >= _ROW_GROUP or self._size >= _ROW_GROUP_BYTES:
            self._flush()

    def _end(self) -> None:
        self._flush()
        super()._end()

    def _flush(self) -> None:
        super().write(self._rows)
        self._rows, self._size = [], 0


class _Arrow(_Columns):
    def _open(self, pa: Any) -> Any:
        return pa.ipc.new_file(self._file, self._schema)


_ROW_GROUP = 50_000
_ROW_GROUP_BYTES = 64 << 20
_KINDS: dict[str, Callable[[Path, Collection[str]], FileOutput]] = {
    ".arrow": _Arrow,
    ".csv": _Csv,
    ".jsonl": _JsonLines,
    ".parquet": _Parquet,
}


def file_output(path: Path, decoded: Collection[str], overwrite: bool) -> FileOutput:
    """Return what writes a file, in the format of its name.

    Args:
        path: the file.
        decoded: the parts of messages that are JSON texts, "key" and "value".
        overwrite: whether the file may exist.
    """
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise click.BadParameter(
            f"{str(path)!r} does not end with {', '.join(_KINDS)}. Use --from for the place to "
            "start",
            param_hint="--output",
        )
    if kind in (_Arrow, _Parquet):
        try:
            import pyarrow  # noqa: F401
        except ImportError as error:
            fail(f"--output {path.suffix} needs pyarrow: pip install pyarrow ({error})")
    return kind(_target(path, overwrite), decoded)


def _target(path: Path, overwrite: bool) -> Path:
    """Return the file to write: what a symbolic link points to, or the path itself."""
    # Path.resolve() raises for a loop only before CPython 3.13. realpath() leaves such links.
    target = Path(os.path.realpath(path))
    if any(map(os.path.islink, (target, *target.parents))):
        raise _refused(path, "it cannot be resolved: its symbolic links form a loop")
    if target.exists() and not target.is_file():
        raise _refused(path, "it is not a regular file")
    if target.exists() and not overwrite:
        raise _refused(path, "the file exists. Use --overwrite to replace it")
    if not target.parent.is_dir():
        raise _refused(path, f"there is no directory {str(target.parent)!r}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise _refused(path, f"the directory {str(target.parent)!r} is not writable")
    return target


def _refused(path: Path, reason: str) -> click.BadParameter:
    return click.BadParameter(f"{str(path)!r}: {reason}", param_hint="--output")
