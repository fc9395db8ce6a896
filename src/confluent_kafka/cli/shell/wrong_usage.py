"""What is wrong in the arguments of a command, and what is right instead."""

from __future__ import annotations

from typing import NoReturn

import click
from click.exceptions import BadOptionUsage, MissingParameter, NoSuchOption

from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli.base.ending import WRONG_USAGE, fail
from confluent_kafka.cli.base.habits import COMMAND_HINTS, hint
from confluent_kafka.cli.shell.command import NoSuchCommand

# An error lists the commands of a group if there are at most this many.
_FEW = 12


def refuse(error: click.UsageError) -> NoReturn:
    """End the program because its arguments are wrong.

    Args:
        error: the error, which Click or a command has raised.
    """
    context = error.ctx
    advice = "" if context is None else f"Try '{context.command_path} --help' for help."
    fail(_reason(error), status=WRONG_USAGE, advice=advice)


def _reason(error: click.UsageError) -> str:
    context = error.ctx
    if context is None:
        return error.format_message()
    match error:
        case NoSuchCommand():
            return f"there is no command {error.name!r}{_instead_of_command(error.name, context)}"
        case NoSuchOption():
            name = error.option_name
            return f"there is no option {name}{_instead_of_option(name, context)}"
        case BadOptionUsage():
            return _bad_option_usage(error.option_name, context)
        case MissingParameter(param=click.Parameter() as parameter):
            return f"{_name(parameter)} is missing. {context.get_usage()}"
        case click.BadParameter(param_hint=str(name)):
            return f"{name}: {error.message}"
        case click.BadParameter(param=click.Parameter() as parameter):
            return f"{_name(parameter)}: {error.message}"
    return error.message


def _instead_of_command(name: str, context: click.Context) -> str:
    if context.parent is None and name in COMMAND_HINTS:
        return f". {COMMAND_HINTS[name]}"
    known = list(context.command.commands) if isinstance(context.command, click.Group) else []
    near = did_you_mean(name, known)
    if not near and len(known) <= _FEW:
        near = f"there are {', '.join(known)}" if len(known) > 1 else f"there is only {known[0]}"
    return f": {near}" if near else ""


def _instead_of_option(name: str, context: click.Context) -> str:
    program = context.find_root().command_path.split()
    text = hint(context.command_path.split()[len(program) :], name, context.command)
    if text is not None:
        return f". {text}"
    parameters = context.command.get_params(context)
    near = did_you_mean(name, (opt for each in parameters for opt in _options(each)))
    return f": {near}" if near else ""


def _options(parameter: click.Parameter) -> list[str]:
    return (
        [*parameter.opts, *parameter.secondary_opts] if isinstance(parameter, click.Option) else []
    )


def _bad_option_usage(name: str, context: click.Context) -> str:
    for parameter in context.command.get_params(context):
        if isinstance(parameter, click.Option) and name in _options(parameter):
            if parameter.is_flag:
                return f"{name} has no value"
            return f"{name} needs a value: {parameter.make_metavar(context)}"
    return f"{name} is wrong"


def _name(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name.strip("[]")
