"""Find the processes below one of ours in ps, and kill them by their ids."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess


def descendants(root: int) -> list[tuple[int, str]]:
    """The id and the command of every process below `root`, parents first."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,args="], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    children: dict[int, list[tuple[int, str]]] = {}
    for line in listed.splitlines():
        pid, parent, command = line.split(maxsplit=2)
        children.setdefault(int(parent), []).append((int(pid), command))
    found: list[tuple[int, str]] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(0), [])
        found += below
        waiting += [pid for pid, _ in below]
    return found


def kill(pid: int) -> None:
    """Send SIGKILL; it is not an error if the process has already ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
