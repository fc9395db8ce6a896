"""The file of `load --resume`: how many messages of each input file are delivered."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from confluent_kafka.cli.base.ending import WRONG_USAGE, fail

_VERSION = 1
_SECONDS = 1.0


class LoadProgress:
    """The file of --resume.

    Args:
        path: the file, which need not exist.
        target: what all runs must share, by option.
    """

    def __init__(self, path: Path, target: Mapping[str, str]) -> None:
        self._path = path
        self._target = dict(target)
        self._delivered: dict[str, int] = {}
        self._stored_at = time.monotonic()
        if path.exists():
            self._read()
        else:
            self._write()  # if the file cannot be written, no message is sent

    def delivered(self, name: str) -> int:
        """Return how many messages of a file are delivered.

        Args:
            name: the file.
        """
        return self._delivered.get(name, 0)

    def is_due(self) -> bool:
        """Return whether it is time for the next call of store()."""
        return time.monotonic() - self._stored_at >= _SECONDS

    def store(self, name: str, count: int) -> None:
        """Record that the first messages of a file are delivered.

        Args:
            name: the file.
            count: how many messages.
        """
        self._delivered[name] = count
        self._write()
        self._stored_at = time.monotonic()

    def _read(self) -> None:
        try:
            found = json.loads(self._path.read_bytes())
            if found["version"] != _VERSION:
                raise ValueError("another version of this package wrote it")
            target, self._delivered = dict(found["target"]), dict(found["delivered"])
        except (ValueError, KeyError, TypeError) as error:
            fail(f"--resume: {self._path}: is not a file of --resume ({error})", status=WRONG_USAGE)
        different = [
            f"{name}: the file has {target.get(name)}, not {mine}"
            for name, mine in self._target.items()
            if target.get(name) != mine
        ]
        if different:
            fail(
                f"--resume: {self._path} belongs to another load: use its arguments, or another "
                "file",
                *different,
                status=WRONG_USAGE,
            )

    def _write(self) -> None:
        fields = {"version": _VERSION, "target": self._target, "delivered": self._delivered}
        temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}.partial")
        try:
            temporary.write_text(json.dumps(fields, indent=1), encoding="utf-8")
            os.replace(temporary, self._path)
        except OSError as error:  # the error must not name the temporary file
            raise OSError(error.errno, error.strerror, str(self._path)) from None
