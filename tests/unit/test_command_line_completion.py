"""Completion of commands and options in shells."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import run
from tests.support.waiting import TIMEOUT

# A part of the script that is valid only in this shell.
SCRIPTS = {
    "bash": "complete -o nosort -F _confluent_kafka_completion confluent-kafka",
    "zsh": "#compdef confluent-kafka",
    "fish": "complete --no-files --command confluent-kafka",
}
# This program does the same as the script `confluent-kafka`. Its name determines the variable that
# requests completion.
PROGRAM = (
    "import sys; from confluent_kafka.__main__ import main; sys.argv[0] = 'confluent-kafka'; main()"
)


@pytest.mark.parametrize("shell", SCRIPTS)
def test_each_shell_has_its_own_script(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script is for the shell that the user names, or else for the shell in $SHELL."""
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    done = run("--show-completion", shell)
    assert done.status == 0
    shown = done.stdout.decode()
    assert [name for name, part in SCRIPTS.items() if part in shown] == [shell]
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    assert run("--show-completion") == done


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
def test_a_shell_without_completion(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the shells that have a completion, and nothing is installed."""
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    for arguments in ([option, "tcsh"], [option]):
        done = run(*arguments)
        assert (done.status, done.stdout) == (2, b"")
        assert " is not one of bash, zsh, fish" in done.stderr


@pytest.mark.parametrize(
    ("shell", "script", "started"),
    [
        ("bash", ".bash_completions/confluent-kafka.sh", ".bashrc"),
        ("zsh", ".zfunc/_confluent-kafka", ".zshrc"),
        ("fish", ".config/fish/completions/confluent-kafka.fish", None),
    ],
)
def test_installing(
    shell: str, script: str, started: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script is in a place where the shell finds it.

    The shell's own file keeps its text, and gets only one more line even if the completion is
    installed again.
    """
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ZDOTDIR", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    if started is not None:
        (tmp_path / started).write_text("alias ll='ls -l'")
    for _ in range(2):
        done = run("--install-completion", shell)
        assert done.status == 0
        assert str(tmp_path / script) in done.stdout.decode()
    assert (tmp_path / script).read_bytes() == run("--show-completion", shell).stdout
    if started is not None:
        first, *others = (tmp_path / started).read_text().splitlines()
        assert first == "alias ll='ls -l'"
        assert len(others) == 1


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("pro", {"produce"}),
        ("topics de", {"describe", "delete"}),
        ("consume --from", {"--from"}),
        ("topics create t --rep", {"--replicas"}),
        ("configs describe broker", {"broker", "broker-logger"}),
        # A value is missing here. The program offers nothing, because the shell cannot show an
        # error.
        ("consume t --brokers -X a=b --fr", {"--from"}),
    ],
)
@pytest.mark.parametrize("shell", SCRIPTS)
def test_what_is_offered(shell: str, typed: str, offered: set[str]) -> None:
    """The program answers the scripts with commands, options and values."""
    line = f"confluent-kafka {typed}"
    words = line.split()
    environment = {
        "_CONFLUENT_KAFKA_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert offered <= set(re.split(r"[,\t\n]", done.stdout))


def test_in_bash(tmp_path: Path) -> None:
    """Bash itself runs the script and receives the commands."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    program = tmp_path / "confluent-kafka"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{PROGRAM}"\n')
    program.chmod(0o755)
    script = run("--show-completion", "bash").stdout.decode()
    ask = (
        "COMP_WORDS=(confluent-kafka topics de) COMP_CWORD=2\n"
        f"_confluent_kafka_completion {program}\n"
        'echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", f"{script}\n{ask}"], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert (done.stdout, done.stderr) == ("describe delete delete-records\n", "")
