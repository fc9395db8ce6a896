"""``python -m confluent_kafka run``: a program written for another client."""

from __future__ import annotations

import os
import runpy
import sys
from importlib.util import find_spec
from typing import Annotated

import click

from confluent_kafka.cli.base.declared import argument, option

# The options after the program are the program's.
CONTEXT_SETTINGS = {"ignore_unknown_options": True, "allow_interspersed_args": False}

EXAMPLES = (
    "confluent-kafka run --as aiokafka program.py --verbose",
    "confluent-kafka run --as kafka:2 -m package.program",
)


def run(
    name: Annotated[
        str,
        option(
            "--as",
            help="Package that the program imports: aiokafka, kafka, kafka:2 or kafka:0.9.",
        ),
    ],
    program: Annotated[
        list[str] | None,
        argument(type=click.STRING, help="File of the program, and its arguments."),
    ] = None,
    module: Annotated[str | None, option("-m", help="Module to run instead of a file.")] = None,
) -> None:
    """Run a program that was written for another client, without changes."""
    from confluent_kafka.compat import install

    arguments = program or []
    if module is None and not arguments:
        raise click.BadParameter("give the file of a program, or -m and a module")
    if module is None and not os.path.exists(arguments[0]):
        raise click.BadParameter(f"'{arguments[0]}' does not exist", param_hint="PROGRAM")
    try:
        package, _, generation = name.partition(":")
        install(package, generation or None)
    except ValueError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--as") from None
    try:
        if module is not None:
            # runpy replaces the first one by the file of the module.
            sys.argv[:] = [module, *arguments]
            sys.path[0] = os.getcwd()
            if not _is_there(module.partition(".")[0]):
                raise click.BadParameter(f"no module named '{module}'", param_hint="-m")
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        else:
            sys.argv[:] = arguments
            sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
            runpy.run_path(arguments[0], run_name="__main__")
    except KeyboardInterrupt:  # end as Python does, and not as the command line does
        sys.excepthook(*sys.exc_info())
        sys.exit(130)


def _is_there(package: str) -> bool:
    """Whether a package or module that contains no dot can be imported."""
    return bool(package) and (package in sys.modules or find_spec(package) is not None)
