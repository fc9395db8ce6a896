"""The lines of the keys of a TOML file, which ``tomllib`` does not report."""

from __future__ import annotations

import re
import tomllib

from .problems import Key, flat

_HEADER = re.compile(r"\s*\[(?P<path>[^\[\]=]+)\]\s*(#.*)?$")
_ENTRY = re.compile(r"""\s*(?P<path>(?:[A-Za-z0-9_.\- \t]|"[^"]*"|'[^']*')+?)\s*=""")
_MULTILINE = re.compile(r'"""|\'\'\'')


def key_lines(text: str) -> dict[Key, int]:
    """Return the line, from 1, of each table and key of a well-formed TOML file.

    The keys of an inline table have the line of the key that contains the table.
    """
    lines: dict[Key, int] = {}
    table: Key = ()
    open_quote: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        inside = open_quote is not None
        for quote in _MULTILINE.findall(line):
            if open_quote is None:
                open_quote = quote
            elif open_quote == quote:
                open_quote = None
        if inside:
            continue
        if header := _HEADER.match(line):
            table = key = _path(header["path"])
        elif entry := _ENTRY.match(line):
            key = table + _path(entry["path"])
        else:
            continue
        # A table without a header begins at its first key.
        for length in range(1, len(key) + 1):
            lines.setdefault(flat(key[:length]), number)
    return lines


def _path(text: str) -> Key:
    """Return the parts of a key, which can be dotted and quoted, as the parser splits them."""
    try:
        document = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        # Not a key, but a line of an array that looks like one.
        return (text,)
    parts = []
    while isinstance(document, dict):
        [(part, document)] = document.items()
        parts.append(part)
    return tuple(parts)
