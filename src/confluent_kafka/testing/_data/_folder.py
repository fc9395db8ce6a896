"""The files of a data folder.

``cluster.json`` describes the cluster and names the folder of the logs. A save writes the logs into
a new folder and then replaces ``cluster.json``. So the folder always contains one complete state,
even if a save is interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from confluent_kafka.testing._data._lock import Lock

FORMAT = 1
"""The version of the format that this package writes. It reads this version and older ones."""

METADATA, _LOCK, _DRAFT = "cluster.json", "lock", "cluster.json.new"
_LOGS = re.compile(r"logs-(\d+)")
_ADVICE = "data must be a folder that this user can create and write"


class Folder:
    """A data folder, locked until close().

    Args:
        path: the folder. It is created if it is missing.

    Raises:
        OSError: the folder cannot be created or written, or another cluster uses it.
        ValueError: the folder contains other files.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(
                errno.ENOTDIR, "data must be a folder, but this is a file", str(self.path)
            )
        with _with_advice():
            self.path.mkdir(parents=True, exist_ok=True)
            self._refuse_other_content()
            self._lock = Lock(self.path / _LOCK)

    def _refuse_other_content(self) -> None:
        names = sorted(each.name for each in self.path.iterdir())
        known = {METADATA, _LOCK, _DRAFT}
        other = [name for name in names if name not in known and not _LOGS.fullmatch(name)]
        if other and METADATA not in names:
            raise ValueError(
                f"data: {self.path} contains other files, such as {other[0]!r}: name a new or "
                "empty folder, or the folder of an earlier run"
            )

    def close(self) -> None:
        """Release the lock."""
        self._lock.release()

    # ---- read ----

    def read(self) -> dict[str, Any] | None:
        """Return the description of the cluster, or None if nothing was saved.

        Raises:
            ValueError: the description is damaged, or this package does not support its format yet.
        """
        path = self.path / METADATA
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            metadata = json.loads(text)
            version = int(metadata["format"])
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"data: {path} is damaged: {error!r}") from None
        if version > FORMAT:
            raise ValueError(
                f"data: {path} has format {version}, and this confluent_kafka reads formats up to "
                f"{FORMAT}: use the newer confluent_kafka that wrote it, or another folder"
            )
        return dict(metadata)

    # ---- written ----

    def write(self, metadata: dict[str, Any], logs: Iterable[tuple[str, bytes]]) -> None:
        """Replace the saved state.

        Args:
            metadata: the description of the cluster.
            logs: the path and the contents of each log, relative to the folder of the logs.
        """
        folder = self._new_logs()
        for path, data in logs:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            _write(target, data)
            _sync_folder(target.parent)
        _sync_folder(folder)
        text = json.dumps({"format": FORMAT, "logs": folder.name} | metadata, indent=1)
        _write(self.path / _DRAFT, text.encode() + b"\n")
        os.replace(self.path / _DRAFT, self.path / METADATA)
        _sync_folder(self.path)
        for each in self._logs():
            if each != folder:
                shutil.rmtree(each, ignore_errors=True)  # the next save tries again

    def _logs(self) -> list[Path]:
        return [each for each in self.path.iterdir() if _LOGS.fullmatch(each.name)]

    def _new_logs(self) -> Path:
        """Create the folder for the logs of a save."""
        numbers = [int(each.name.partition("-")[2]) for each in self._logs()]
        folder = self.path / f"logs-{max(numbers, default=0) + 1}"
        folder.mkdir()
        return folder


@contextlib.contextmanager
def _with_advice() -> Iterator[None]:
    """Add advice about the folder to an error of the system."""
    try:
        yield
    except BlockingIOError:
        raise
    except OSError as error:
        text = f"{error.strerror} ({_ADVICE})"
        raise type(error)(error.errno, text, error.filename) from None


def _write(path: Path, data: bytes) -> None:
    # Only the owner of the folder may read the credentials of users.
    opened = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600
    )
    with open(opened, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Make the names in a folder survive a crash of the machine, where the system can do that."""
    if os.name != "posix":
        return
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
