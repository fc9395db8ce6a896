"""Files of text: JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json

from confluent_kafka import Message
from confluent_kafka.cli.messages.file_outputs import FileOutput
from confluent_kafka.cli.messages.text import json_line, text_or_base64, timestamp_of

_NAMES = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")


class JsonLines(FileOutput):
    """Writes JSON lines."""

    def _begin(self) -> None:
        self._line = json_line(self._decoded)

    def write(self, messages: list[Message]) -> None:
        self._file.writelines(map(self._line, messages))


class Csv(FileOutput):
    """Writes CSV with a header."""

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
