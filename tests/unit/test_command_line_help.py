"""The help of the commands, the time that it takes, and hints for options of other tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka import cli
from confluent_kafka.cli.base import habits
from tests.support.command_line import ended, run, started, words
from tests.support.kafka import NO_BROKER
from tests.support.scripts import check_script

ROOT = Path(__file__).parents[2]
WIDE = {"COLUMNS": "1000"}
NARROW = {"COLUMNS": "80"}


def commands() -> Iterator[tuple[str, Any]]:
    """All commands and groups of commands, by their path."""
    for name in (*cli.COMMANDS, *cli.ADMINISTRATION):
        command = cli._imported(name)
        yield name, command
        for part, each in getattr(command, "commands", {}).items():
            yield f"{name} {part}", each


ALL = dict(commands())


@pytest.mark.parametrize("path", ALL)
def test_help_shows_every_word(path: str) -> None:
    """No part of a help text is lost, at any width, and no word is divided at its hyphens. Only
    options with a default show one."""
    command = ALL[path]
    for environment in (WIDE, NARROW):
        shown = run(*path.split(), "--help", environment=environment).stdout.decode()
        found = words(shown)
        for paragraph in command.help.split("\n\n"):
            assert words(paragraph) in found
        for parameter in command.params:
            assert words(getattr(parameter, "text", None) or parameter.help) in found
        assert "object at 0x" not in found  # Click's placeholder for no default
        assert max(map(len, shown.splitlines())) <= 100
    assert max(map(len, shown.splitlines())) <= 80


def test_lines_of_help() -> None:
    """The line that `--help` shows for a command is the beginning of the command's own help."""
    for name, line in (*cli.COMMANDS.items(), *cli.ADMINISTRATION.items()):
        assert " ".join(ALL[name].help.split("\n\n")[0].split()) == line


def test_the_guide_has_every_command() -> None:
    """The table of the guide names every command."""
    guide = (ROOT / "docs/guides/command-line.md").read_text(encoding="utf-8")
    for name in (*cli.COMMANDS, *cli.ADMINISTRATION):
        assert re.search(rf"^\| \[?`{name}\b", guide, re.MULTILINE), name


def listed(*command: str) -> list[str]:
    """The names of the commands in a help text, in the order of the text."""
    shown = run(*command, "--help").stdout.decode()
    return re.findall(r"^  ([a-z][a-z-]+) {2,}", shown, re.MULTILINE)


def test_order() -> None:
    """Common commands come first, and commands for administrators are in a part of their own.

    A command's own options come before the options of the connection.
    """
    assert listed() == [*cli.COMMANDS, *cli.ADMINISTRATION]
    assert listed()[:4] == ["produce", "consume", "topics", "groups"]
    assert listed("topics") == [
        *("list", "describe", "create", "grow", "delete"),
        *("offsets", "delete-records", "apply", "compare-replicas"),
    ]
    assert listed("groups")[:3] == ["list", "describe", "delete"]
    create = run("topics", "create", "--help").stdout.decode()
    assert create.index("--partitions") < create.index("Connection:") < create.index("--brokers")


# The modules that commands import, besides those of every command.
_EVERY = {"base.declared", "base.values"}
_EVERY |= {"connection.chosen_profile", "shell.command", "shell.help_text"}
_CONNECTING = {"base.ending", "base.habits", "base.terminal", "connection.settings"}
_CONSUME = _CONNECTING | {"base.bound", "base.interrupts", "commands.consume"}
_CONSUME |= {"topics.place", "topics.selection"}
_CONSUME |= {
    f"messages.{part}"
    for part in (
        *(
            "decoding",
            "decoding_options",
            "end_options",
            "filter_options",
            "flow",
            "formats",
            "membership",
        ),
        *("kept", "outcome", "outputs", "places", "reading", "share_reading", "text"),
    )
}
_TOPICS = _CONNECTING | {"base.bound", "commands.topics", "connection.administration"}
_TOPICS |= {"base.uuids", "topics.creation", "topics.listing"}
_TOPICS |= {
    f"topics.{part}" for part in ("apply", "names", "offsets", "replicas", "selection", "states")
}


@pytest.mark.parametrize(
    ("arguments", "parts", "not_loaded"),
    [
        (["--version"], set(), {"rich", "asyncio", "confluent_kafka.admin"}),
        (["--help"], set(), {"rich", "asyncio", "confluent_kafka.admin"}),
        (
            ["consume", "--help"],
            _CONSUME,
            {"rich", "asyncio", "confluent_kafka.admin"},
        ),
        (
            ["topics", "list", "-b", NO_BROKER, "--timeout", "0.1"],
            _TOPICS,
            {"rich", "asyncio"},
        ),
        (
            ["consume", "t", "-b", NO_BROKER, "--timeout", "0.1"],
            _CONSUME,
            {"rich", "asyncio", "confluent_kafka.admin"},
        ),
    ],
)
def test_what_a_command_imports(
    arguments: list[str], parts: set[str], not_loaded: set[str]
) -> None:
    """A command imports only the packages that it needs, so that the command line starts
    quickly."""
    shown = check_script(f"""
    import io, sys
    from confluent_kafka.__main__ import main

    sys.argv[1:] = {arguments!r}
    stdout, stderr = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = io.TextIOWrapper(io.BytesIO())
    try:
        main()
    except SystemExit:
        pass
    sys.stdout, sys.stderr = stdout, stderr
    print(*sys.modules)
    """)
    loaded = set(shown.split())
    prefix = "confluent_kafka.cli."
    ours = {name.removeprefix(prefix) for name in loaded if name.startswith(prefix)}
    folders = {name.partition(".")[0] for name in ours}
    assert ours - folders == _EVERY | parts
    never = {"typer", "pyspark", "pyarrow", "pandas", "httpx", "confluent_kafka.testing"}
    assert not loaded & (not_loaded | never)


def test_what_help_imports() -> None:
    """The help of a command, and the completion at each TAB, import no large package."""
    shown = check_script("""
    import io, sys
    from confluent_kafka.cli import ADMINISTRATION, COMMANDS, app

    for name in (*COMMANDS, *ADMINISTRATION):
        stdout, sys.stdout = sys.stdout, io.StringIO()
        app([name, "--help"], standalone_mode=False)
        sys.stdout = stdout
    print(*sys.modules)
    """)
    large = {
        "rich",
        "asyncio",
        "logging",
        "email",
        "pydantic",
        "typer",
        "pyspark",
        "pyarrow",
        "httpx",
    }
    ours = {f"confluent_kafka.{name}" for name in ("admin", "testing", "aio", "compat", "spark")}
    assert not set(shown.split()) & (large | ours)


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("topics list --bootstrap-server x", "Use --brokers HOST:PORT (-b)."),
        ("consume t --from-beginning", "You can leave it out"),
        ("consume -t orders", "Name the topic as an argument: `consume TOPIC`."),
        ("consume t -c 5", "Use --count N (-n)."),
        ("produce --topic orders", "Name the topic as an argument: `produce TOPIC`."),
        ("topics create --topic orders", "Name the topic as an argument: `topics create TOPIC`."),
        ("topics create t --replication-factor 3", "Use --replicas N (-r)."),
        ("topics --list", "Use `topics list`."),
        ("groups --describe --group g", "Use `groups describe GROUP`."),
        ("groups describe --group g", "Name the group as an argument: `groups describe GROUP`."),
        (
            "configs describe --entity-type topics",
            "Name the kind as an argument: `configs describe topic TOPIC`.",
        ),
        ("acls create --allow-principal User:a", "Use --principal User:NAME --permission allow."),
        ("bench produce t --num-records 5", "Use --count N (-n)."),
        ("-L -b x", "Use `topics list`, or `cluster describe` for the brokers."),
        ("-b x topics list", "Give it after the command"),
        ("-C -t orders", "Use `consume TOPIC`."),
        ("-C prod topics list", "Use `consume TOPIC`. If you mean a profile, name it after the"),
        ("--profile prod topics list", "Give it after the command"),
        ("topics list --context prod", "Use --profile NAME (-C)."),
        ("topics describe --under-replicated-partitions", "Use --under-replicated."),
        ("groups list --all", "Use --lag to show members and lag"),
        ("groups --reset-offsets --group g", "Use `groups reset-offsets GROUP --to WHERE`."),
        ("groups reset-offsets g --to-earliest", "Use --to earliest."),
        ("groups reset-offsets g --dry-run", "You can leave it out"),
        ("help", "Use --help."),
        ("version", "Use --version."),
        ("client-metrics list", "Use `configs list client-metrics`, and"),
        ("reassign --generate", "Use `reassign plan TOPIC`."),
        ("elect-leaders --election-type preferred", "Use --unclean, or no option"),
        ("list", "Use `topics list` or `groups list`."),
        ("produce t -b x --property parse.key=true", "Use `produce --key-separator SEPARATOR`."),
        ("consume t -b x --property print.key=true", "Use `consume --format FORMAT`."),
    ],
)
def test_hints(command: str, hint: str) -> None:
    """If a user enters an option, a command or a property of another tool, the error names its
    equivalent here."""
    done = run(*command.split())
    assert done.status == 2
    assert f". {hint}" in words(done.stderr)


def test_no_hint() -> None:
    """For an option that no tool has, the error suggests the nearest of the command's own
    options."""
    stderr = run("topics", "list", "--broker-s").stderr
    assert "there is no option --broker-s: did you mean '--brokers'?\n" in stderr
    assert "there is no option -?\n" in run("topics", "list", "-?").stderr


def options_of(command: Any) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts}


def test_hints_are_true() -> None:
    """At least one command shows each hint, and this command does not have the option itself.

    The commands and options in hints exist.
    """
    for scope, texts in habits.HINTS.items():
        for option, text in texts.items():
            for quoted in re.findall("`([^`{]+)`", text):
                named = quoted.split()
                command = ALL.get(" ".join(named[:2]), ALL.get(named[0]))
                assert command is not None, quoted
                assert habits.options_in(quoted) <= options_of(command), quoted
            shown = [
                path
                for path, command in ALL.items()
                if (scope in ("*", path) or path.startswith(f"{scope} "))
                and option not in options_of(command)
                and habits.hint(path.split(), option, command) is not None
            ]
            assert shown or not scope, (scope, option)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["no-file.py"], "'no-file.py' does not exist"),
        (["-m", "no_module.part"], "no module named 'no_module.part'"),
    ],
)
def test_a_program_that_is_missing(arguments: list[str], problem: str) -> None:
    """`run` reports a missing program in one sentence, as wrong usage."""
    done = ended(started("run", "--as", "kafka", *arguments))
    assert (done.status, done.stdout) == (2, b"")
    assert problem in words(done.stderr)
