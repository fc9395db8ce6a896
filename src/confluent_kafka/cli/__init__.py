"""The command line: one module per command, which is imported when the command is called."""

from __future__ import annotations

import importlib
import signal
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from confluent_kafka import libversion, version
from confluent_kafka.cli.habits import COMMAND_HINTS, hinting

if TYPE_CHECKING:
    from collections.abc import Mapping

# What `--help` shows: the commands in this order, each with the first paragraph of its own help.
# The texts are here so that `--help` does not import all modules. A test compares the texts.
COMMANDS: Mapping[str, str] = {
    "produce": "Send lines or files as messages, and wait until they are delivered.",
    "consume": "Read messages, and write them to stdout.",
    "topics": "List, describe, create, grow and delete topics.",
    "groups": "List, describe and delete consumer groups.",
    "configs": "Show and change the configuration of topics, brokers, loggers, groups and client "
    "metrics.",
    "cluster": "Run a Kafka cluster in memory on this machine, until Ctrl-C or SIGTERM.",
    "doctor": "Show what is installed: package, librdkafka, patches, features and extras.",
    "pipeline": "Run Spark pipelines that a file declares.",
    "bench": "Measure throughput and latency.",
    "run": "Run a program that is written for another client, unchanged.",
}
ADMINISTRATION: Mapping[str, str] = {
    "acls": "List, create and delete ACLs.",
    "quotas": "Show and change client quotas.",
    "share-groups": "List, describe and delete share groups, and change their offsets.",
    "transactions": "List and describe transactions and their producers, and abort transactions.",
    "reassign": "Move partitions to other brokers, list such moves, and cancel them.",
    "log-dirs": "List the replicas in the log directories of brokers, with their sizes.",
    "dump-log": "Show the batches in log segments of a broker, including KRaft metadata and "
    "snapshots.",
    "quorum": "Show the metadata quorum, and change which controllers vote in it.",
    "features": "Show and change the versions of a cluster's features.",
    "delegation-tokens": "Create, renew, expire and describe delegation tokens.",
}
_MARKUP: Literal["markdown"] = "markdown"


class _Ordered(TyperGroup):
    """Lists its commands in the order of their definition. Old versions of Typer sort them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)


class _Commands(_Ordered):
    """Has a name and a line of help for each command, and imports the one that is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for panel, commands in ((None, COMMANDS), ("Administration", ADMINISTRATION)):
            for name, text in commands.items():
                self.add_command(TyperCommand(name, short_help=text, rich_help_panel=panel))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with hinting():
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in COMMAND_HINTS:
            ctx.fail(f"No such command '{args[0]}'. {COMMAND_HINTS[args[0]]}")
        name, command, rest = super().resolve_command(ctx, args)
        imported = command and _imported(command.name or "")
        _let_commands_see_ctrl_c()
        return name, imported, rest

    def invoke(self, ctx: Any) -> Any:
        try:
            with hinting():
                return super().invoke(ctx)
        except KeyboardInterrupt:  # before the command could handle it, or after
            from confluent_kafka.cli.ending import INTERRUPTED

            raise typer.Exit(INTERRUPTED) from None


def _let_commands_see_ctrl_c() -> None:
    """Turn Ctrl-C into KeyboardInterrupt from now on: main() lets it end the process until here."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _imported(name: str) -> Any:
    """Return a command, or a group of commands, out of its module."""
    module_name = name.replace("-", "_")
    module = importlib.import_module(f"{__name__}.{module_name}")
    commands = typer.Typer(add_completion=False, rich_markup_mode=_MARKUP)
    if hasattr(module, "app"):
        commands.add_typer(module.app, name=name, cls=_Ordered)
    else:
        settings = getattr(module, "CONTEXT_SETTINGS", None)
        commands.command(name, context_settings=settings)(getattr(module, module_name))
    return get_group(commands).commands[name]


app: typer.Typer = typer.Typer(
    name="python -m confluent_kafka",
    cls=_Commands,
    no_args_is_help=True,
    # The locals of a traceback may be passwords.
    pretty_exceptions_enable=False,
    rich_markup_mode=_MARKUP,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"confluent-kafka {version()}, librdkafka {libversion()[0]}")
        raise typer.Exit


@app.callback()
def _common(
    show_version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the versions."),
    ] = False,
) -> None:
    """Apache Kafka from the command line."""


__all__ = ["app"]
