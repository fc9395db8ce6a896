#!/usr/bin/env python3
"""Checks that the arrows of the architecture run one way: `make lint` fails on any other.

An arrow is an include or a use of another file's function in C, an import in Python. It must run
from a room to one that the tables below allow it, and no files may depend on each other in a
circle. A header and its source are one file here.

    python tools/layers.py         # says what is wrong, exit code 1; nothing when all is well
    python tools/layers.py --list  # every room and what it stands on
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "confluent_kafka"

# Each room of csrc/ and those it may use, itself apart. module.c knows them all.
C_ROOMS: dict[str, set[str]] = {
    "base": set(),
    "values": {"base"},
    "arrow": {"base"},
    "mock": {"base", "values"},
    "client": {"base", "values"},
    "producer": {"base", "values", "arrow", "client"},
    "consumer": {"base", "values", "arrow", "client"},
    "share": {"base", "values", "client"},
    "admin": {"base", "values", "client"},
    "module": {
        "base", "values", "arrow", "mock", "client", "producer", "consumer", "share", "admin",
    },
}  # fmt: skip

# The same for the package: a room is a folder or a module of confluent_kafka, "" its __init__.
_CLIENTS = {"", "cimpl", "error", "serialization"}
PYTHON_ROOMS: dict[str, set[str]] = {
    "_values": set(),
    # It returns plain values; nothing of the package above them.
    "cimpl": {"_values"},
}


@dataclass(frozen=True)
class Arrow:
    """One file needs another: `where` is the line that says so."""

    source: str
    target: str
    where: str


# --- C ------------------------------------------------------------------------------------

_INCLUDE = re.compile(r'^#include "([\w/]+)\.h"', re.MULTILINE)
_COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# Our style: the result on a line of its own, then the name in the first column.
_FUNCTION = re.compile(r"^(?!.*\bstatic\b)[A-Za-z_][\w \t*]*\n(\w+)\(", re.MULTILINE)
_TABLE = re.compile(r"^(?:const )?(?:struct )?\w+ (\w+)(?:\[\w*\])? = \{", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_IMPORTED = re.compile(rf'"({PACKAGE}[\w.]*)"')


def c_arrows(folder: Path) -> Iterator[Arrow]:
    """Every arrow between two files of csrc/."""
    texts = {path: path.read_text() for path in sorted(folder.rglob("*.[ch]"))}
    codes = {path: _COMMENT_OR_TEXT.sub(_blank, text) for path, text in texts.items()}
    owners = {
        name: path
        for path, code in codes.items()
        if path.suffix == ".c"
        for pattern in (_FUNCTION, _TABLE)
        for name in pattern.findall(code)
    }
    for path, code in codes.items():
        source = _c_file(folder, path)
        for match in _INCLUDE.finditer(texts[path]):
            yield from _arrow(source, match[1], path, texts[path], match.start())
        if path.suffix == ".c":
            for match in _WORD.finditer(code):
                if match[0] in owners:
                    target = _c_file(folder, owners[match[0]])
                    yield from _arrow(source, target, path, code, match.start())


def _blank(match: re.Match[str]) -> str:
    return "".join(letter if letter == "\n" else " " for letter in match[0])


def _c_file(folder: Path, path: Path) -> str:
    return path.relative_to(folder).with_suffix("").as_posix()


def _arrow(source: str, target: str, path: Path, text: str, offset: int) -> Iterator[Arrow]:
    if source != target:
        line = text.count("\n", 0, offset) + 1
        yield Arrow(source, target, f"{path.relative_to(ROOT)}:{line}")


def _c_room(file: str) -> str:
    return file.split("/", maxsplit=1)[0]


# --- both ---------------------------------------------------------------------------------


def wrong_arrows(
    arrows: Iterable[Arrow], rooms: Mapping[str, set[str]], room_of: Mapping[str, str]
) -> Iterator[str]:
    """One line for each arrow that its room may not have."""
    for arrow in arrows:
        source, target = room_of[arrow.source], room_of[arrow.target]
        if source != target and target not in rooms[source]:
            allowed = ", ".join(sorted(rooms[source])) or "nothing"
            yield (
                f"{arrow.where}: {arrow.source} uses {arrow.target}, but {source}/ may use "
                f"only: {allowed}"
            )


def circles(arrows: Iterable[Arrow]) -> Iterator[list[str]]:
    """Files that depend on each other, each circle once (Tarjan's algorithm)."""
    targets: dict[str, set[str]] = {}
    for arrow in arrows:
        targets.setdefault(arrow.source, set()).add(arrow.target)
        targets.setdefault(arrow.target, set())
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(file: str) -> Iterator[list[str]]:
        index[file] = low[file] = len(index)
        stack.append(file)
        for target in sorted(targets[file]):
            if target not in index:
                yield from visit(target)
                low[file] = min(low[file], low[target])
            elif target in stack:
                low[file] = min(low[file], index[target])
        if low[file] == index[file]:
            circle = stack[stack.index(file) :]
            del stack[stack.index(file) :]
            if len(circle) > 1:
                yield circle

    for file in sorted(targets):
        if file not in index:
            yield from visit(file)


if __name__ == "__main__":
    csrc = ROOT / "src" / PACKAGE / "csrc"
    arrows = list(c_arrows(csrc))
    rooms = {f: _c_room(f) for a in arrows for f in (a.source, a.target)}
    seen = set()
    for a in arrows:
        s, t = rooms[a.source], rooms[a.target]
        if s != t and t not in C_ROOMS[s] and (a.source, a.target) not in seen:
            seen.add((a.source, a.target))
            print(a.source, "->", a.target, a.where)
    for c in circles(arrows):
        print(len(c), c)
