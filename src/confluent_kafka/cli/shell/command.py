"""Commands and groups of commands: their help, and what they refuse."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from confluent_kafka.cli.base.declared import (
    ARGUMENTS,
    OPTIONS,
    Argument,
    Option,
    parameters_of,
    with_groups,
)
from confluent_kafka.cli.connection.chosen_profile import (
    Changes,
    refuse_unmeant_change,
    with_profile,
)
from confluent_kafka.cli.shell.help_text import Context, show_examples, show_panels

# If a user forgets the value of an option, the next option must not become the value. Texts of this
# form count as options, as in the option parsers of other programs.
_LIKE_AN_OPTION = re.compile("--?[A-Za-z]")


class Command(click.Command):
    """A command that calls a function.

    Args:
        name: its name.
        callback: the function, whose docstring is the help.
        changes: whether it changes the cluster or the registry. Every command that connects to
            one of them declares it.
        examples: two command lines, which end the help. A long one continues after a backslash.
        **settings: more arguments of click.Command.
    """

    context_class = Context

    def __init__(
        self,
        name: str | None = None,
        callback: Callable[..., Any] | None = None,
        examples: Sequence[str] = (),
        changes: Changes | None = None,
        **settings: Any,
    ) -> None:
        if callback is not None:
            settings["params"] = with_profile(list(parameters_of(callback)), changes or False)
            _complete_names(settings["params"])
            settings.setdefault("help", callback.__doc__)
            callback = with_groups(callback)
        super().__init__(name, callback=callback, **settings)
        self.examples = examples
        self.changes = changes
        # Click would cut the first paragraph off.
        self.short_help = self.short_help or " ".join((self.help or "").split("\n\n")[0].split())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:  # not a shell that asks for completions
            _refuse_missing_value(ctx, args)
        ctx.allow_extra_args = True  # Click would report them in its own words
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if rest and not self.allow_extra_args and not ctx.resilient_parsing:
            ctx.fail(f"too many arguments: {' '.join(rest)}")
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        try:
            refuse_unmeant_change(ctx, self.changes or False)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        return super().invoke(ctx)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Do nothing: format_options() shows them. Click has both methods since its version 8.5."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show arguments, options, and then other panels."""
        panels: dict[str, list[tuple[str, str]]] = {ARGUMENTS: [], OPTIONS: []}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, Argument):
                panels[ARGUMENTS].append((parameter.make_metavar(ctx), parameter.text))
            elif record := parameter.get_help_record(ctx):
                panels.setdefault(getattr(parameter, "panel", OPTIONS), []).append(record)
        show_panels(formatter, panels)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the examples after everything else."""
        if self.examples:
            show_examples(formatter, self.examples)


# The kinds of names to complete, for parameters whose own names do not show the kind.
_COMPLETED = {"like": "topic"}


def _complete_names(parameters: list[click.Parameter]) -> None:
    """Let a shell complete profiles and, if the command connects to a cluster, its names."""
    connects = any(parameter.name == "config_file" for parameter in parameters)
    for parameter in parameters:
        name = parameter.name or ""
        kind = _COMPLETED.get(name, name.removesuffix("s"))
        if kind == "profile" or (connects and kind in ("topic", "group")):
            assert isinstance(parameter, Argument | Option)
            parameter.names = functools.partial(_names, kind)


def _names(kind: str, ctx: click.Context, incomplete: str) -> list[str]:
    from confluent_kafka.cli.shell.completion_values import names

    return names(kind, ctx, incomplete)


class Group(Command, click.Group):
    """A command that consists of commands, in the order of their definition."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the commands with the first paragraphs of their help."""
        lines = {name: each.short_help or "" for name, each in self.commands.items()}
        show_panels(formatter, {"Commands": list(lines.items())})

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], ctx)
        return super().resolve_command(ctx, args)


class NoSuchCommand(click.UsageError):
    """A group does not have a command. Click has such a class since its version 8.4.

    Args:
        name: the command.
        ctx: the context of the group.
    """

    def __init__(self, name: str, ctx: click.Context) -> None:
        super().__init__(f"there is no command {name!r}", ctx)
        self.name = name


def _refuse_missing_value(ctx: click.Context, args: list[str]) -> None:
    """Refuse ``--brokers -X ...``: the value was forgotten, and Click would take the option."""
    valued = {
        name: each
        for each in ctx.command.params
        if isinstance(each, Option) and not each.is_flag and not each.value_is_optional
        for name in each.opts
    }
    rest = iter(args)
    for token in rest:
        if token == "--" or not (token.startswith("-") or ctx.allow_interspersed_args):
            return
        name = _waiting(token, valued)
        if name is None:
            continue
        value = next(rest, None)
        if value is not None and _LIKE_AN_OPTION.match(value):
            long = max(valued[name].opts, key=len)
            equals = "=" if long.startswith("--") else ""
            ctx.fail(
                f"{name} needs a value ({valued[name].make_metavar(ctx)}), but {value} is an "
                f"option. If it is the value, write {long}{equals}{value}"
            )


def _waiting(token: str, valued: dict[str, Option]) -> str | None:
    """Return the option whose value is the next argument, or None."""
    if token in valued:
        return token
    if token.startswith("-") and not token.startswith("--"):  # in -qb, only b can wait
        for length, letter in enumerate(token[1:], start=2):
            if f"-{letter}" in valued:
                return f"-{letter}" if length == len(token) else None
    return None
