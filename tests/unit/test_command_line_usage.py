"""Errors of usage have one line with the reason and the right form, and one line about the help."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

import click

from confluent_kafka import cli
from tests.support.command_line import run
from tests.support.kafka import NO_BROKER

PROGRAM = "python -m confluent_kafka"
RULE = (
    "a topic's name has 1 to 249 of the characters a-z, A-Z, 0-9, '.', '_' and '-', and is not "
    "'.' or '..'"
)


def reason(command: str) -> str:
    """The reason that a command prints. Checks that its two lines have the form of usage errors."""
    done = run(*shlex.split(command), environment={"KAFKA_BOOTSTRAP_SERVERS": NO_BROKER})
    assert (done.status, done.stdout) == (2, b"")
    line, advice = done.stderr.splitlines()
    assert line.startswith("error: ")
    assert advice.startswith(f"Try '{PROGRAM}")
    assert advice.endswith(" --help' for help.")
    return line.removeprefix("error: ")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("topic list", "there is no command 'topic': did you mean 'topics'?"),
        ("topics lst", "there is no command 'lst': did you mean 'list'?"),
        ("quotas list", "there is no command 'list': there are describe, alter"),
        ("config show", "there is no command 'show': there is only list"),
        (
            "users set a --password b",
            "there is no option --password. Write the password to stdin: other users can see the "
            "arguments of a program.",
        ),
        ("consume t --grop g", "there is no option --grop: did you mean '--group'?"),
        ("consume t --qqq", "there is no option --qqq"),
        ("consume t -e=1", "there is no option -="),
        ("consume", f"TOPICS is missing. Usage: {PROGRAM} consume [OPTIONS] TOPICS..."),
        (
            "acls create --name n",
            f"--principal is missing. Usage: {PROGRAM} acls create [OPTIONS]",
        ),
        ("delegation-tokens renew x y", "too many arguments: y"),
        ("groups describe ''", "GROUPS: must not be empty"),
        ("why ''", "GROUP: must not be empty"),
        ("users set ''", "USER: must not be empty"),
        ("users set '\udcff'", r"USER: '\udcff' is not UTF-8"),
        ("profiles show ''", "PROFILE: must not be empty"),
        ("configs describe group ''", "NAME: must not be empty"),
        ("configs describe broker x", "NAME: 'x' is not a whole number of at least 0"),
        (
            "acls create --principal bob --producer --topic orders",
            "--principal: 'bob' needs a type: write User:bob",
        ),
        ("acls list --principal bob", "--principal: 'bob' needs a type: write User:bob"),
        ("delegation-tokens create --owner bob", "--owner: 'bob' needs a type: write User:bob"),
        ("topics grow x 3 y", "too many arguments: y"),
        ("consume t -b", "-b needs a value: HOST:PORT,..."),
        ("consume t --json=1", "--json has no value"),
        (
            "configs describe nope x",
            "KIND: 'nope' is not one of topic, broker, group, broker-logger, client-metrics",
        ),
        (
            "quotas describe --default nope",
            "--default: 'nope' is not one of user, client-id, ip",
        ),
        ("dump-log no-file", "FILE: 'no-file' does not exist"),
        ("dump-log .", "FILE: '.' is a directory"),
        ("topics list -F no-file", "--config-file: 'no-file' does not exist"),
        ("topics list -X a", "-X: needs KEY=VALUE"),
        ("run --as kafka no-file.py -m -x", "PROGRAM: 'no-file.py' does not exist"),
    ],
)
def test_reasons(command: str, expected: str) -> None:
    """Every kind of wrong usage is explained in this project's words, with the nearest name."""
    assert reason(command) == expected


@pytest.mark.parametrize(
    ("command", "value", "expected"),
    [
        ("consume t -n {}", "0", "--count: '0' is not a whole number of at least 1"),
        ("consume t -n {}", "1.5", "--count: '1.5' is not a whole number of at least 1"),
        ("topics grow t {}", "x", "PARTITIONS: 'x' is not a whole number of at least 1"),
        ("cluster --port {}", "65536", "--port: '65536' is not a whole number from 0 to 65535"),
        ("log-dirs --broker {}", "x", "--broker: 'x' is not a whole number"),
        ("groups describe g --watch {}", "nan", "--watch: 'nan' is not a number of at least 0.1"),
        *[
            (
                f"{command} --timeout {{}}",
                seconds,
                f"--timeout: '{seconds}' is not a number from 0.1 to 3600",
            )
            for command in ("consume t", "produce t", "bench consume t", "topics list")
            for seconds in ("0", "nan", "inf", "soon")
        ],
    ],
)
def test_numbers(command: str, value: str, expected: str) -> None:
    """The error names the allowed numbers. `--timeout 0` is not allowed, because no broker could
    answer in time."""
    assert reason(command.format(value)) == expected


@pytest.mark.parametrize("name", ["a/b", "", ".", "..", "a b", "ü", "a" * 250])
@pytest.mark.parametrize(
    ("command", "parameter"),
    [
        ("consume {}", "TOPICS: "),
        ("produce {}", "TOPIC: "),
        ("bench produce {}", "TOPIC: "),
        ("bench round-trip {}", "TOPIC: "),
        ("bench share {} -g group", "TOPIC: "),
        ("topics create {}", "TOPIC: "),
        ("topics describe {}", "TOPICS: "),
        ("topics delete --yes t {}", "TOPICS: "),
        ("log-dirs --topic {}", "--topic: "),
        ("configs describe topic {}", "NAME: "),
        ("configs set topic {} a=b", "NAME: "),
        ("topics offsets {}", "TOPIC[:PARTITION,...]...: "),
        ("topics delete-records {} --before end", "TOPIC[:PARTITION,...]...: "),
        ("elect-leaders {}", "TOPIC[:PARTITION,...]...: "),
        ("share-groups reset-offsets g --topic {} --to end", "--topic: "),
        ("share-groups delete-offsets g {} --yes", "TOPICS: "),
    ],
)
def test_names_of_topics(command: str, parameter: str, name: str) -> None:
    """A name that no topic can have is wrong usage, and not a topic that does not exist."""
    found = reason(command.format(shlex.quote(name)))
    assert found == f"{parameter}{name!r} cannot be a topic: {RULE}"


@pytest.mark.parametrize("command", ["reassign start a/b:0=1 --yes", "transactions abort a/b:0"])
def test_names_of_partitions(command: str) -> None:
    """A wrong topic in the name of a partition is also wrong usage."""
    options = " --start-offset 0 --yes" if command.startswith("transactions") else ""
    assert reason(command + options) == f"'a/b' cannot be a topic: {RULE}"


def options_with_values() -> list[tuple[str, str]]:
    """Each option that needs a value, for each command."""
    found = []
    for name in (*cli.COMMANDS, *cli.ADMINISTRATION):
        command: Any = cli._imported(name)
        parts = {f"{name} {part}": each for part, each in getattr(command, "commands", {}).items()}
        for path, each in {name: command, **parts}.items():
            found += [
                (path, option)
                for parameter in each.params
                if isinstance(parameter, click.Option) and not parameter.is_flag
                for option in parameter.opts
            ]
    return found


@pytest.mark.parametrize(("path", "option"), options_with_values())
def test_a_forgotten_value(path: str, option: str) -> None:
    """No option takes the next option as its value."""
    assert reason(f"{path} {option} -X a=b").startswith(f"{option} needs a value (")
    assert reason(f"{path} {option} --unknown").startswith(f"{option} needs a value (")


def test_what_a_forgotten_value_is_told() -> None:
    """The error shows the form of the value, and how to write a value that looks like an option."""
    text = "needs a value (HOST:PORT,...), but -X is an option. If it is the value, write "
    assert reason("consume t -b -X a=b") == f"-b {text}--brokers=-X"
    assert reason("consume t -eb -X a=b") == f"-b {text}--brokers=-X"
    text = "needs a value (TEXT), but --as is an option. If it is the value, write "
    assert reason("run -m --as kafka") == f"-m {text}-m--as"


@pytest.mark.parametrize(
    "options",
    ["--from -1", "--group=-X", "-gX", "-f -%s", "-X -", "-n 1 -- --from", "-f '' --from end"],
)
def test_values_that_begin_with_a_hyphen(options: str) -> None:
    """A value may begin with a hyphen if it comes after = or if no letter follows the hyphen."""
    done = run("consume", "t", *shlex.split(options), "-b", NO_BROKER, "--timeout", "0.1")
    assert "needs a value" not in done.stderr


def test_no_argument_can_be_empty() -> None:
    """An empty name is usually a variable of a shell without a value. It is refused at once."""
    from tests.unit.test_command_line_help import ALL

    with_empty_text = {
        (path, each.name)
        for path, command in ALL.items()
        for each in command.params
        if isinstance(each, click.Argument) and each.type is click.STRING
    }
    # `run` passes its arguments on to a program. In `configs`, an empty name means all brokers.
    kinds = ("describe", "set", "unset")
    assert with_empty_text == {("run", "program"), *((f"configs {kind}", "name") for kind in kinds)}


# Commands whose stdout is a program's, a protocol's or a report of Spark, and commands that write
# nothing to stdout. `reassign plan` writes the JSON of a plan.
NO_JSON = {"run", "mcp", "pipeline validate", "pipeline explain", "pipeline run"}
NO_JSON |= {"copy", "load", "dump", "reassign plan"}


def test_every_command_has_json() -> None:
    """Programs can read what a command shows, and what a command that changes something did."""
    from tests.unit.test_command_line_help import ALL

    without = {
        path
        for path, command in ALL.items()
        if not isinstance(command, click.Group)
        and not any("--json" in each.opts for each in command.params)
    }
    assert without == NO_JSON


# The texts that these modules print contain no names from a cluster.
PRINTING = ("__init__: ", "cluster: ", "completion: ", "pipeline: ")


def printing() -> Iterator[str]:
    """The calls of print() to stdout with a text that contains values."""
    for path in sorted(Path(cli.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "print"
                and any(isinstance(each, ast.JoinedStr) for each in node.args)
                and not any(each.arg == "file" for each in node.keywords)
            ):
                yield f"{path.stem}: {ast.unparse(node)}"


def test_lines_about_what_was_done() -> None:
    """Commands write these lines with report(), which shows control characters as escapes."""
    others = [each for each in printing() if not each.startswith(PRINTING)]
    assert others == []


def test_a_release_that_is_not_known() -> None:
    """`features describe --release` names the releases that it has."""
    done = run("features", "describe", "--release", "3.9")
    assert (done.status, done.stdout) == (2, b"")
    known = "give one of 4.0, 4.1, 4.2, 4.3, 4.4"
    assert f"--release: '3.9' is not a known release: {known}\n" in done.stderr
