"""Findings of `why` on a terminal: texts are wrapped, and each command is on one line."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from confluent_kafka.cli.base.terminal import printable
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.lag.finding import Finding, Severity

_STYLES = {Severity.CRITICAL: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold"}


def draw(console: Console, findings: Iterable[Finding], connection: str) -> None:
    """Write findings to a terminal.

    Args:
        console: the terminal, as open_console() returns it.
        findings: the findings.
        connection: the options for the connection, which follow each command.
    """
    for each in findings:
        head = Text(each.severity.name.lower(), style=_STYLES[each.severity])
        console.print(head.append(f" {each.name}", style="default"))
        console.print(Padding(Text(each.text), (0, 0, 0, 2)))
        for line in each.evidence:
            console.print(Padding(Text(printable(line), style="dim"), (0, 0, 0, 4)))
        for line in each.commands:
            # A command that is longer than the terminal is wide must not get line ends.
            text = Text(f"  $ confluent-kafka {printable(line)}{connection}", no_wrap=True)
            console.print(text, overflow="ignore", crop=False)


def options_of(connection: Connection, profile: str | None) -> str:
    """Return the options that name the cluster, as the user gave them.

    Properties are left out, because they may contain passwords.

    Args:
        connection: the options of the command.
        profile: the profile that the command uses, which takes the place of the file.
    """
    brokers, file, _ = connection
    if profile is not None:
        text = f" -C {shlex.quote(profile)}"
    else:
        text = "" if file is None else f" -F {shlex.quote(str(file))}"
    return text if brokers is None else f"{text} -b {shlex.quote(brokers)}"
