"""Files of columns: Parquet and Arrow."""

from __future__ import annotations

import contextlib
import io
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from confluent_kafka import Message
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.messages.decoding import place_of
from confluent_kafka.cli.messages.file_outputs import FileOutput
from confluent_kafka.cli.messages.kept import Kept
from confluent_kafka.cli.messages.layouts import Layout
from confluent_kafka.cli.messages.text import timestamp_of

_ROW_GROUP = 50_000
_ROW_GROUP_BYTES = 64 << 20
_READ = {"key": Message.key, "value": Message.value}


class Columns(FileOutput):
    """Columns of pyarrow.

    Keys and values are bytes. If they are decoded, they have the columns of the first message's
    schema. If the first message has no schema, they are JSON texts.
    """

    def _begin(self) -> None:
        self._layouts: dict[str, Layout | None] = {}
        self._writer: Any = None
        self._rows: list[Message] = []
        self._size = 0

    @abstractmethod
    def _open(self, schema: Any, file: Any) -> Any:
        """Return the writer of the file."""

    def fitting(self, messages: Sequence[Message]) -> int:
        """Return how many of the first messages fit into the columns of the file."""
        if self._decoded:
            for number, message in enumerate(messages):
                if not all(self._fits(part, message) for part in self._decoded):
                    return number
        return len(messages)

    def write(self, messages: list[Message]) -> None:
        place = self.fitting(messages)
        if place < len(messages):
            fail(
                f"{place_of(messages[place])} has another schema than the messages before it, and "
                "one file has one schema: use dump with a folder, or --json-values"
            )
        # Each write makes a row group, and small ones make large and slow files.
        self._rows += messages
        self._size += sum(map(len, messages))
        if len(self._rows) >= _ROW_GROUP or self._size >= _ROW_GROUP_BYTES:
            self._flush()

    def discard(self) -> None:
        if self._writer is not None:
            # Otherwise the writer would write into the closed file when Python deletes the writer.
            with contextlib.suppress(Exception):
                self._writer.close()
        super().discard()

    def _end(self) -> None:
        self._flush()
        self._writer.close()
        self._writer = None

    def _fits(self, part: str, message: Message) -> bool:
        """Return whether a key or value has the schema of the file, which the first one chooses."""
        payload = _READ[part](message)
        if payload is None:
            return True
        found = self._layout_of(part, message)
        layout = None if found is None else found[0]
        if part not in self._layouts:
            self._layouts[part] = layout if layout is None or self._supports(layout) else None
        chosen = self._layouts[part]
        # A column of texts takes everything.
        return chosen is None or (layout is not None and layout.is_like(chosen))

    def _layout_of(self, part: str, message: Message) -> tuple[Layout, bytes] | None:
        value = _READ[part](message)
        if not isinstance(value, Kept):
            return None
        return self._decoded[part].layout_of(message, value.payload)

    def _supports(self, layout: Layout) -> bool:
        """Return whether the format has the types of a column, and the column has fields."""
        import pyarrow as pa

        if layout.field.type.equals(pa.struct([])):
            return False
        try:
            self._open(pa.schema([layout.field]), io.BytesIO()).close()
        except pa.ArrowException:
            return False
        return True

    def _flush(self) -> None:
        import pyarrow as pa

        if self._writer is None:
            self._schema = self._whole_schema()
            self._writer = self._open(self._schema, self._file)
        rows = self._rows
        times = [timestamp_of(one) for one in rows]
        columns = {
            "topic": [one.topic() for one in rows],
            "partition": [one.partition() for one in rows],
            "offset": [one.offset() for one in rows],
            "timestamp": [None if time < 0 else time for time in times],
            "key": self._column("key"),
            "value": self._column("value"),
            "headers": [
                [{"key": name, "value": value} for name, value in one.headers() or ()]
                for one in rows
            ],
        }
        self._writer.write_batch(pa.record_batch(columns, self._schema))
        self._rows, self._size = [], 0

    def _whole_schema(self) -> Any:
        import pyarrow as pa

        fields = {"topic": pa.string(), "partition": pa.int32(), "offset": pa.int64()}
        headers = pa.list_(pa.struct({"key": pa.string(), "value": pa.binary()}))
        payloads = []
        for part in ("key", "value"):
            # If no message had a value so far, the column has texts.
            layout = self._layouts.setdefault(part, None)
            plain = pa.string() if part in self._decoded else pa.binary()
            payloads.append(
                pa.field(part, plain) if layout is None else layout.field.with_name(part)
            )
        return pa.schema(
            [
                *(pa.field(name, kind) for name, kind in fields.items()),
                pa.field("timestamp", pa.timestamp("ms", "UTC")),
                *payloads,
                pa.field("headers", headers),
            ]
        )

    def _column(self, part: str) -> Any:
        """Return the keys or values of the rows."""
        import pyarrow as pa

        layout = self._layouts[part]
        if layout is None:
            return [_READ[part](one) for one in self._rows]
        payloads: list[bytes] = []
        places: list[int | None] = []
        for message in self._rows:
            found = self._layout_of(part, message)
            places.append(None if found is None else len(payloads))
            if found is not None:
                payloads.append(found[1])
        array, errors = layout.column(payloads)
        for error in errors:
            wrong = self._rows[places.index(error.row)]
            at = f"{error.field}: " if error.field else ""
            fail(
                f"{place_of(wrong)}: {part}: {at}{error.reason}: columns cannot have this value: "
                "use --json-values"
            )
        return array.take(pa.array(places, pa.int64()))


class Parquet(Columns):
    """Writes Parquet."""

    def _open(self, schema: Any, file: Any) -> Any:
        from pyarrow.parquet import ParquetWriter

        return ParquetWriter(file, schema, compression="zstd")


class Arrow(Columns):
    """Writes Arrow's IPC file format."""

    def _open(self, schema: Any, file: Any) -> Any:
        import pyarrow as pa

        return pa.ipc.new_file(file, schema)
