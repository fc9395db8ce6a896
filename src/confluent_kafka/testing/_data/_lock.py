"""A lock on a folder, so that only one cluster at a time uses it."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    def _take(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _release(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _release(file: BinaryIO) -> None:
        # A forked child also has the file open, so closing it would not unlock it.
        fcntl.flock(file, fcntl.LOCK_UN)


class Lock:
    """Locks a file until release(), or until the process ends.

    Args:
        path: the file. It is created if it is missing, and stays.

    Raises:
        BlockingIOError: another cluster has the lock.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")
        try:
            _take(self._file)
        except OSError as error:
            self._file.close()
            if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                raise
            raise BlockingIOError(
                errno.EAGAIN,
                "another embedded cluster uses this folder: close that cluster, or use another "
                "folder",
                str(path.parent),
            ) from None

    def release(self) -> None:
        """Unlock the file."""
        _release(self._file)
        self._file.close()
