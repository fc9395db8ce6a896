"""docs/guides/command-line/comparison.md: every task has an existing command of ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli import ADMINISTRATION, COMMANDS
from tests.support.documents import ROOT
from tests.unit.test_command_line_examples import FILE, PROGRAM, called, parsed

PAGE = ROOT / "docs/guides/command-line/comparison.md"
_COLUMNS = ["task", "kcat", "Kafka's scripts", "kafkactl", PROGRAM]
# Commands that are about this package itself, or about programs.
_OUR_OWN = {"doctor", "pipeline", "profiles", "run"}


def lines() -> list[list[str]]:
    """The cells of each line of the tables."""
    found = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    return [cells for cells in found if cells != _COLUMNS and not set(cells) <= {"---"}]


LINES = lines()


@pytest.mark.parametrize("cells", LINES, ids=lambda cells: cells[0].replace(" ", "-"))
def test_our_column(cells: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command's own parser accepts what the page shows."""
    monkeypatch.chdir(tmp_path)
    arguments = called(cells[-1].strip("`"))
    for word in filter(FILE.fullmatch, arguments):  # a file must exist
        Path(word).touch()
    assert parsed(arguments)


def test_every_cell() -> None:
    """A cell of a tool is "no", or a command of this tool. No task is listed twice."""
    programs = {
        1: r"kcat ",
        2: r"(kafka-[a-z-]+|connect-mirror-maker)\.sh\b",
        3: r"kafkactl ",
        4: f"{PROGRAM} ",
    }
    for cells in LINES:
        assert len(cells) == len(_COLUMNS), cells
        for column, program in programs.items():
            allowed = rf"`{program}[^`]*`" if column == 4 else rf"no|`{program}[^`]*`"
            assert re.fullmatch(allowed, cells[column]), cells[column]
    tasks = [cells[0] for cells in LINES]
    assert len(tasks) == len(set(tasks))


def test_every_command_has_a_line() -> None:
    """The page names every command of this package."""
    shown = {called(cells[-1].strip("`"))[0] for cells in LINES}
    assert (COMMANDS.keys() | ADMINISTRATION.keys()) - shown == _OUR_OWN
