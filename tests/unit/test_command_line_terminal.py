"""Commands show names and texts of a cluster as data, whatever they look like."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import BinaryIO, cast

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

import click

import confluent_kafka.cli
from confluent_kafka.cli.base import tables, terminal
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.tables import watched
from confluent_kafka.cli.connection.administration import show
from confluent_kafka.cli.messages.inputs import split

HOSTILE = {
    "x[/]": "x[/]",
    "[red]ops[/red]": "[red]ops[/red]",
    "User:[ops]": "User:[ops]",
    ":smile:": ":smile:",
    "\x1b[2Jcleared": r"\x1b[2Jcleared",
    "two\nlines\tand a tab": r"two\nlines\tand a tab",
    "bell\x07\x9b1m": r"bell\x07\x9b1m",
}


@pytest.mark.parametrize("on_a_terminal", [True, False])
@pytest.mark.parametrize(("name", "shown"), HOSTILE.items())
def test_tables(
    name: str,
    shown: str,
    on_a_terminal: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A name that looks like markup, an emoji or a control sequence is shown unchanged, in one row
    of a table, and in one line for scripts."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: on_a_terminal)
    monkeypatch.setenv("TERM", "dumb")  # without colours, which are control sequences, too
    monkeypatch.setenv("COLUMNS", "200")
    show(("group", "members"), [[name, [name, "b"]]], as_json=False)
    out = capsys.readouterr().out
    assert out.count(shown) == 2
    assert not set(out) & set("\x07\x1b\x9b")
    if not on_a_terminal:
        assert out == f"group\tmembers\n{shown}\t{shown},b\n"


@pytest.mark.parametrize(("name", "shown"), HOSTILE.items())
def test_live_tables(name: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`groups describe --watch` also shows names as data."""
    with watched(("group",)) as update:
        update([[name]])
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize("name", HOSTILE)
def test_errors(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An error can contain any name, and stays on one line."""
    with pytest.raises(click.exceptions.Exit):
        fail(f"group {name!r} {name}: refused")
    error = capsys.readouterr().err
    assert error.startswith(f"error: group {name!r} ")
    assert error.count("\n") == 1
    assert not set(error) & set("\x07\x1b\x9b")


def test_one_place_opens_consoles() -> None:
    """Only one function opens a console, because rich's default would interpret data as markup."""
    folder = Path(confluent_kafka.cli.__file__).parent
    opened = [
        file.name for file in folder.rglob("*.py") if re.search(r"\bConsole\(", file.read_text())
    ]
    assert opened == ["terminal.py"]
    assert tables.open_console is terminal.open_console


class Chunks:
    """A file that returns the requested data in small pieces, as a pipe does."""

    def __init__(self, data: bytes, size: int) -> None:
        self._file = io.BytesIO(data)
        self._size = size

    def read(self, _: int) -> bytes:
        return self._file.read(self._size)

    read1 = read


@pytest.mark.parametrize("delimiter", [b"\n", b"aa", b"--end--"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_splitting(delimiter: bytes, size: int) -> None:
    """Input is split into the same messages, whatever pieces it arrives in."""
    data = delimiter.join([b"one", b"", b"aab", b"-", b"--end", b"xa"])
    wanted = data.split(delimiter)
    found = [
        record
        for records in split(cast(BinaryIO, Chunks(data, size)), delimiter, whole=False)
        for record in records
    ]
    assert found == wanted


def test_a_long_message_is_not_copied_with_every_chunk() -> None:
    """A message of 40 MB in 40,000 pieces is read quickly.

    A copy with each piece would copy 800 GB.
    """
    data = bytes(40_000_000)
    [[record]] = split(cast(BinaryIO, Chunks(data, 1000)), b"\n", whole=False)
    assert record == data
