"""Files of columns: Parquet and Arrow."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from confluent_kafka import Message
from confluent_kafka.cli.messages.file_outputs import FileOutput
from confluent_kafka.cli.messages.text import timestamp_of

_ROW_GROUP = 50_000
_ROW_GROUP_BYTES = 64 << 20


class Columns(FileOutput):
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


class Parquet(Columns):
    """Writes Parquet."""

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


class Arrow(Columns):
    """Writes Arrow's IPC file format."""

    def _open(self, pa: Any) -> Any:
        return pa.ipc.new_file(self._file, self._schema)
