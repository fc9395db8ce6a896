r"""The syntax of Java's ``.properties`` files.

A logical line is ``key=value``, ``key:value`` or ``key value``. A backslash at the end of a line
continues it, and ``\t``, ``\n``, ``\f``, ``\r`` and ``\uXXXX`` are escapes. ``#`` and ``!`` begin
comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\r|\n")
_KEY = re.compile(r"(?:\\.|[^\\=: \t\f])*")
_SEPARATOR = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*\\$")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_SPACE = " \t\f"


def java_lines(text: str) -> Iterator[tuple[int, str, str]]:
    r"""Yield the number of the line, the key and the value of each property.

    Args:
        text: the text of the file.

    Raises:
        ValueError: a ``\u`` is not followed by four hexadecimal digits. The error names the line.
    """
    for number, line in _logical_lines(text):
        key = _KEY.match(line)
        assert key is not None  # it matches an empty text
        separator = _SEPARATOR.match(line, key.end())
        assert separator is not None
        try:
            yield number, _unescaped(key[0]), _unescaped(line[separator.end() :])
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each property on one line, with the number of its first line."""
    lines = iter(enumerate(_LINE_END.split(text), start=1))
    for number, raw in lines:
        line = raw.lstrip(_SPACE)
        if not line or line[0] in "#!":
            continue
        while _CONTINUED.search(line):
            _, following = next(lines, (0, ""))
            line = line[:-1] + following.lstrip(_SPACE)
        yield number, line


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    escape = found[1]
    if len(escape) > 1:
        return chr(int(escape[1:], 16))
    if escape == "u":
        raise ValueError(r"\u needs four hexadecimal digits")
    return _LETTERS.get(escape, escape)
