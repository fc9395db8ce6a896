"""The command line: one module per command, which is imported when the command is called.

So that a command starts quickly, its module imports confluent_kafka.admin and other large packages
only in the functions that need them.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import click

from confluent_kafka import libversion, version
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.shell.command import Command, Group
from confluent_kafka.cli.shell.help_text import show_panels

# What `--help` shows: the commands in this order, each with the first paragraph of its own help.
# The texts are here so that `--help` does not import all modules. A test compares the texts.
COMMANDS: Mapping[str, str] = {
    "produce": "Send lines or files as messages, and wait until they are delivered.",
    "consume": "Read messages, and write them to stdout.",
    "topics": "List, describe, create, grow and delete topics.",
    "groups": "List, describe and delete groups, and change their offsets.",
    "why": "Explain why a group is behind: findings with their evidence, and commands to type "
    "next.",
    "top": "Show a cluster live: brokers, topics, groups with their lag, rates and messages.",
    "configs": "Show and change the configuration of topics, brokers, loggers, groups and client "
    "metrics.",
    "registry": "Show, check, register and delete the schemas of a schema registry.",
    "cluster": "Run a Kafka cluster in memory on this machine, until Ctrl-C or SIGTERM.",
    "health": "Check brokers, controller, partitions, and the lag of groups.",
    "profiles": "List and show the profiles of clusters.",
    "config": "List the configuration properties of clients.",
    "doctor": "Show what is installed: package, librdkafka, patches, features and extras.",
    "pipeline": "Run Spark pipelines that a file declares.",
    "copy": "Copy the messages of a topic to another topic, exactly once.",
    "dump": "Write topics into files, which `load` sends again.",
    "load": "Send the messages of files that `dump` or `consume --output` wrote.",
    "bench": "Measure throughput and latency.",
    "run": "Run a program that was written for another client, without changes.",
    "mcp": "Let a language model look at a cluster: a Model Context Protocol server on stdin and "
    "stdout.",
}
ADMINISTRATION: Mapping[str, str] = {
    "acls": "List, create and delete ACLs.",
    "users": "List, set and delete the credentials of users who log in with SCRAM.",
    "quotas": "Show and change client quotas.",
    "share-groups": "List, describe and delete share groups, and change their offsets.",
    "streams-groups": "List, describe and delete groups of Kafka Streams, and change their "
    "offsets.",
    "transactions": "List and describe transactions and their producers, and abort transactions.",
    "brokers": "List brokers, show their configuration and versions, and unregister brokers.",
    "elect-leaders": "Make the first replica of each partition its leader again.",
    "reassign": "Move partitions to other brokers or disks, list such moves, and cancel them.",
    "log-dirs": "List the replicas in the log directories of brokers, with their sizes.",
    "dump-log": "Show the batches in log segments of a broker, including KRaft metadata and "
    "snapshots.",
    "quorum": "Show the metadata quorum, and change which controllers vote in it.",
    "features": "Show and change the versions of a cluster's features.",
    "delegation-tokens": "Create, renew, expire and describe delegation tokens.",
}


class _Commands(Group):
    """Has a name and a line of help for each command, and imports the one that is called."""

    def __init__(self, name: str | None = None, **settings: Any) -> None:
        super().__init__(name, **settings)
        for each, text in {**COMMANDS, **ADMINISTRATION}.items():
            self.add_command(click.Command(each, short_help=text))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        panels = {"Commands": COMMANDS, "Administration": ADMINISTRATION}
        show_panels(formatter, {title: list(lines.items()) for title, lines in panels.items()})

    def main(self, *arguments: Any, **settings: Any) -> Any:
        if "_CONFLUENT_KAFKA_COMPLETE" in os.environ:  # a shell asks what can follow
            from confluent_kafka.cli.shell import shells  # noqa: F401  # registers them
        return super().main(*arguments, **settings)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        imported = command and _imported(command.name or "")
        _let_commands_see_ctrl_c()
        return name, imported, rest

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with _refusing():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _refusing():
                return super().invoke(ctx)
        except KeyboardInterrupt:  # outside of the command's own handling
            from confluent_kafka.cli.base.ending import INTERRUPTED

            raise click.exceptions.Exit(INTERRUPTED) from None


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Report wrong usage in our words. A group without a command shows its help."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        from confluent_kafka.cli.shell.wrong_usage import refuse

        refuse(error)


def _let_commands_see_ctrl_c() -> None:
    """Let Ctrl-C raise KeyboardInterrupt from now on. Before, it ends the process: see main()."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _imported(name: str) -> click.Command:
    """Return a command, or a group of commands, out of its module."""
    module_name = name.replace("-", "_")
    module = importlib.import_module(f"{__name__}.commands.{module_name}")
    if hasattr(module, "app"):
        group: click.Command = module.app
        return group
    settings = getattr(module, "CONTEXT_SETTINGS", None)
    callback = getattr(module, module_name)
    return Command(
        name,
        callback,
        module.EXAMPLES,
        getattr(module, "CHANGES", None),
        context_settings=settings,
    )


def _show_version(_: bool) -> None:
    print(f"confluent-kafka {version()}, librdkafka {libversion()[0]}")


def _show_completion(shell: str) -> None:
    from confluent_kafka.cli.shell.completion import show_script

    show_script(shell)


def _install_completion(shell: str) -> None:
    from confluent_kafka.cli.shell.completion import install_script

    install_script(shell)


def _common(
    show_version: Annotated[
        bool, option("--version", instead=_show_version, help="Show the versions.")
    ] = False,
    install_completion: Annotated[
        str | None,
        option(
            metavar="[SHELL]",
            value_is_optional=True,
            instead=_install_completion,
            help="Install completion for bash, zsh or fish; by default for the shell in $SHELL.",
        ),
    ] = None,
    show_completion: Annotated[
        str | None,
        option(
            metavar="[SHELL]",
            value_is_optional=True,
            instead=_show_completion,
            help="Show the script of this shell that --install-completion installs.",
        ),
    ] = None,
) -> None:
    """Apache Kafka from the command line."""


app = _Commands(
    "python -m confluent_kafka",
    callback=_common,
    context_settings={"max_content_width": 100},
    examples=(
        "echo hello | confluent-kafka produce greetings -b localhost:9092",
        "confluent-kafka consume greetings --exit-at-end -b localhost:9092",
    ),
)

__all__ = ["app"]
