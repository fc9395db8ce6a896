"""What files of messages have in common: they exist only when they are complete."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from confluent_kafka import Message
from confluent_kafka.cli.messages.decoding import Decoder
from confluent_kafka.cli.messages.outputs import Output


class FileOutput(Output):
    """Writes a file that exists only when it is complete: until then it has a temporary name.

    In a ``with`` block, the file is published at the end of the block.

    Args:
        path: the file.
        decoded: the decoders of the parts of messages that are JSON texts, "key" and "value".
        temporary: the name until then. None chooses a name with the id of this process.
    """

    def __init__(
        self, path: Path, decoded: Mapping[str, Decoder], temporary: Path | None = None
    ) -> None:
        self._path = path
        self._decoded = decoded
        self._temporary = temporary or path.with_name(f".{path.name}.{os.getpid()}.partial")
        self._file: BinaryIO

    def __enter__(self) -> object:
        self.open()
        return self

    def __exit__(self, kind: object = None, *rest: object) -> None:
        try:
            if kind is None:
                self.complete()
                self.publish()
        finally:
            self.discard()

    def fitting(self, messages: Sequence[Message]) -> int:
        """Return how many of the first messages fit into the file.

        Args:
            messages: the messages.
        """
        return len(messages)

    def open(self) -> None:
        """Create the file under its temporary name."""
        try:
            self._create()
        except BaseException:  # also Ctrl-C: __exit__() is not called
            self._temporary.unlink(missing_ok=True)
            raise

    def complete(self) -> None:
        """Write the end of the file. Its bytes are then on the disk."""
        self._end()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def publish(self) -> None:
        """Give a complete file its name."""
        os.replace(self._temporary, self._path)

    def discard(self) -> None:
        """Delete the file, unless it is published."""
        self._file.close()
        self._temporary.unlink(missing_ok=True)

    def _create(self) -> None:
        try:
            self._file = self._temporary.open("wb")
        except OSError as error:  # the error must not name the temporary file
            raise OSError(error.errno, error.strerror, str(self._path)) from None
        if self._path.exists():
            shutil.copymode(self._path, self._temporary)
        self._begin()

    def _begin(self) -> None:
        """Write what comes before the messages."""

    def _end(self) -> None:
        """Write what comes after the messages."""
