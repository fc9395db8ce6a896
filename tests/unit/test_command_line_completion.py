"""Completion of commands and options in shells."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli.shell.typed import typed
from tests.support.command_line import run
from tests.support.waiting import TIMEOUT, wait_until

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
        "COMP_LINE='confluent-kafka topics de' COMP_POINT=25\n"
        f"_confluent_kafka_completion {program}\n"
        'echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", f"{script}\n{ask}"], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert (done.stdout, done.stderr) == ("describe delete delete-records\n", "")


@pytest.mark.parametrize(
    ("line", "words", "last", "quote", "kept"),
    [
        ("", [], "", "", 0),
        ("a", [], "a", "", 0),
        ("a ", ["a"], "", "", 0),
        ("a -b h:1 t", ["a", "-b", "h:1"], "t", "", 0),
        ("a --b=h:1", ["a"], "--b=h:1", "", 6),
        ("a '' b", ["a", ""], "b", "", 0),
        (r"a b\ c\:d", ["a"], "b c:d", "", 0),
        ("a x'b c", ["a"], "xb c", "'", 1),
        ('a "b:\\"\\c', ["a"], 'b:"\\c', '"', 0),
        ("a 'b'\\''c", ["a"], "b'c", "'", 2),
        ("a b\\", ["a"], "b", "", 0),
        ("a 'b c' ", ["a", "b c"], "", "", 0),
    ],
)
def test_typed(line: str, words: list[str], last: str, quote: str, kept: int) -> None:
    """The words of a line as a shell reads them, and what bash replaces of the last one."""
    assert typed(line, " \t\n\"'><=;|&(:") == (words, last, quote, kept)


# What a user types before TAB, for each name. The shell must insert the rest.
NAMES = {
    "with space": ["wi", r"with\ s", "'with s"],
    "quote's": ["qu"],
    'double"quote': ["'dou"],
    "dollar$(id)": ["dol", '"dol'],
    "co:lon:x": ["co:l"],
    "semi;colon": ["se"],
    "w\u00f6rld": ["w\u00f6"],
}
STARTED = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}


@pytest.mark.parametrize("shell", STARTED)
def test_names_in_a_shell(shell: str, tmp_path: Path) -> None:
    """A shell inserts each name so that the command gets exactly this name, whatever characters
    it has, and however it was begun."""
    # A shell needs the terminal as its own.
    for program in (shell, "setsid"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program}")
    lines = [each for begun in NAMES.values() for each in begun]
    expected = [name for name, begun in NAMES.items() for _ in begun]
    environment = prepared(shell, tmp_path)
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        ["setsid", "--ctty", shell, *STARTED[shell]],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    drained = threading.Thread(target=drain, args=(ours,), daemon=True)
    drained.start()
    got = tmp_path / "got"
    try:
        os.write(ours, f"source {tmp_path / 'script'}\n".encode())
        for number, begun in enumerate(lines, start=1):
            # Each line ends only after the shell has completed it: the rest of the input waits.
            os.write(ours, f"confluent-kafka profiles show {begun}\t\n".encode())
            wait_until(functools.partial(has_received, got, number))
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert received(got) == expected


def prepared(shell: str, folder: Path) -> dict[str, str]:
    """The environment of a shell, with a program that completes profiles and writes down the last
    argument that it gets."""
    tables = "".join(f"[{json.dumps(name)}]\n" for name in NAMES)
    (folder / "profiles.toml").write_text(tables, encoding="utf-8")
    begin = "autoload -Uz compinit; compinit -u\n" if shell == "zsh" else ""
    script = run("--show-completion", shell).stdout.decode()
    (folder / "script").write_text(f"{begin}{script}", encoding="utf-8")
    program = folder / "confluent-kafka"
    program.write_text(
        "#!/bin/sh\n"
        f'[ -n "$_CONFLUENT_KAFKA_COMPLETE" ] && exec "{sys.executable}" -c "{PROGRAM}"\n'
        f"shift 2\nprintf '%s\\n' \"$*\" >> '{folder / 'got'}'\n"
    )
    program.chmod(0o755)
    return os.environ | {
        "HOME": str(folder),
        "KAFKA_PROFILES": str(folder / "profiles.toml"),
        "LC_ALL": "C.UTF-8",
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "TERM": "xterm",
    }


def drain(terminal: int) -> None:
    """Read what a shell writes, so that it can go on."""
    with contextlib.suppress(OSError):  # the terminal is closed
        while os.read(terminal, 4096):
            pass


def has_received(file: Path, number: int) -> bool:
    return len(received(file)) == number


def received(file: Path) -> list[str]:
    """The last arguments that the program has got."""
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
