"""The help of every command ends with two examples, which the command accepts."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka import cli
from tests.support.command_line import run
from tests.unit.test_command_line_help import ALL

PROGRAM = "confluent-kafka"
COMMANDS = {"": cli.app, **ALL}
FILE = re.compile(r"[\w-]+\.[a-z]+")


def called(example: str) -> list[str]:
    """The arguments of our command in an example: what a shell passes on, without redirections."""
    (part,) = [each for each in example.split(" | ") if each.startswith(f"{PROGRAM} ")]
    return shlex.split(part.split(" < ")[0].replace("\\\n", ""))[1:]


def parsed(arguments: list[str]) -> str:
    """Parse arguments without calling the command, and return the path of the command."""
    path = max(
        (each for each in COMMANDS if arguments[: len(each.split())] == each.split()), key=len
    )
    with COMMANDS[path].make_context(path, arguments[len(path.split()) :]):
        return path


@pytest.mark.parametrize("path", COMMANDS)
def test_examples(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are two examples, they call this command, and its own parser accepts them."""
    monkeypatch.chdir(tmp_path)
    command = COMMANDS[path]
    assert len(command.examples) == len(set(command.examples)) == 2
    for example in command.examples:
        arguments = called(example)
        for word in filter(FILE.fullmatch, arguments):  # a file must exist
            Path(word).touch()
        assert f"{parsed(arguments)} ".startswith(f"{path} " if path else "")


@pytest.mark.parametrize("path", ["", "topics", "topics create", "consume", "acls create"])
def test_help_ends_with_examples(path: str) -> None:
    """The help ends with the examples. Their lines are not wrapped, even on a narrow terminal."""
    shown = run(*path.split(), "--help", environment={"COLUMNS": "60"}).stdout.decode()
    lines = "\n".join(COMMANDS[path].examples).splitlines()
    assert shown.endswith("\n\nExamples:\n" + "".join(f"  {line}\n" for line in lines))
    assert all(len(line) <= 78 for line in lines)
