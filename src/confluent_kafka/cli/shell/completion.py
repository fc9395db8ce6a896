"""Completion of commands and options: the script of a shell, and where the shell finds it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from confluent_kafka.cli.base.ending import ending
from confluent_kafka.cli.shell.shells import NAMES, class_of

_PROGRAM = "confluent-kafka"
# Click looks for this variable. The scripts set it when they ask the program what can follow.
_VARIABLE = "_CONFLUENT_KAFKA_COMPLETE"


def show_script(shell: str) -> None:
    """Write the script of a shell to stdout.

    Args:
        shell: its name; an empty text is the user's own shell.
    """
    with ending():
        print(_script(_known(shell)))


def install_script(shell: str) -> None:
    """Store the script of a shell where the shell finds it when it starts.

    Args:
        shell: its name; an empty text is the user's own shell.
    """
    shell = _known(shell)
    home = Path.home()
    with ending():
        if shell == "bash":
            path = home / ".bash_completions" / f"{_PROGRAM}.sh"
            _append(home / ".bashrc", f"source '{path}'")
        elif shell == "zsh":
            path = home / ".zfunc" / f"_{_PROGRAM}"
            folder = Path(os.environ.get("ZDOTDIR") or home)
            _append(folder / ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit")
        elif shell == "fish":
            folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
            path = folder / "fish" / "completions" / f"{_PROGRAM}.fish"
        else:
            raise click.BadParameter(
                f"run in PowerShell: {_PROGRAM} --show-completion powershell >> $PROFILE"
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{_script(shell)}\n", encoding="utf-8")
        print(f"completion for {shell} is in {path}: it works in new shells")


def _known(shell: str) -> str:
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name in NAMES:
        return name
    given = repr(shell) if shell else "the shell in $SHELL"
    raise click.BadParameter(f"{given} is not one of {', '.join(NAMES)}")


def _script(shell: str) -> str:
    return class_of(shell)(click.Command(_PROGRAM), {}, _PROGRAM, _VARIABLE).source()


def _append(file: Path, line: str) -> None:
    """Add a line to the file that a shell reads when it starts, unless the line is there."""
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    if line not in text.splitlines():
        before = "" if not text or text.endswith("\n") else "\n"
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"{before}{line}\n")
