"""docs/guides/command-line/comparison.md: the commands exist, and tests do the tasks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli import ADMINISTRATION, COMMANDS
from tests.support.documents import ROOT
from tests.support.tasks import NO_REAL_BROKERS, TESTS
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
OURS = [cells for cells in LINES if cells[-1] != "no"]


@pytest.mark.parametrize("cells", OURS, ids=lambda cells: cells[0].replace(" ", "-"))
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
        2: r"(kafka-[a-z0-9-]+|connect-mirror-maker)\.sh\b",
        3: r"kafkactl ",
        4: f"{PROGRAM} ",
    }
    for cells in LINES:
        assert len(cells) == len(_COLUMNS), cells
        for column, program in programs.items():
            assert re.fullmatch(rf"no|`{program}[^`]*`", cells[column]), cells[column]
        assert set(cells[1:]) != {"no"}, cells[0]
    tasks = [cells[0] for cells in LINES]
    assert len(tasks) == len(set(tasks))


def test_every_command_has_a_line() -> None:
    """The page names every command of this package."""
    shown = {called(cells[-1].strip("`"))[0] for cells in OURS}
    assert (COMMANDS.keys() | ADMINISTRATION.keys()) - shown == _OUR_OWN


def test_every_task_has_a_test() -> None:
    """Each line with a command of ours names an existing test, which uses the command. The tests of
    all lines but a few use real brokers."""
    pytest.importorskip("sphinx", reason="the packages of requirements/docs.txt are not installed")
    from tests.unit.test_site_tables import kips

    assert {cells[0] for cells in OURS} == TESTS.keys()
    assert [test for test in TESTS.values() if not kips.exists(test)] == []
    elsewhere = {task for task, test in TESTS.items() if not test.startswith("tests/integration/")}
    assert elsewhere == NO_REAL_BROKERS
    commands = {cells[0]: called(cells[-1].strip("`"))[0] for cells in OURS}
    without = [
        task
        for task, test in TESTS.items()
        if commands[task] not in (ROOT / test.split("::")[0]).read_text(encoding="utf-8")
    ]
    assert without == []
