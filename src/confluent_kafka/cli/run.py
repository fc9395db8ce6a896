"""A program of another client, on this one."""

from __future__ import annotations

import os
import runpy
import sys
from typing import Annotated

import typer

from confluent_kafka.compat import install


def run(
    name: Annotated[
        str,
        typer.Option(
            "--as",
            help="The package that the program imports: aiokafka, kafka, kafka:2 or kafka:0.9.",
        ),
    ],
    program: Annotated[
        list[str] | None, typer.Argument(help="The program's file, and its arguments.")
    ] = None,
    module: Annotated[
        str | None, typer.Option("-m", help="A module to run, instead of a file.")
    ] = None,
) -> None:
    """Run a program that is written for another client, unchanged."""
    arguments = program or []
    if module is None and not arguments:
        raise typer.BadParameter("a program's file, or -m and a module")
    try:
        package, _, generation = name.partition(":")
        install(package, generation or None)
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong), param_hint="--as") from None
    try:
        if module is not None:
            # The first one becomes the module's file.
            sys.argv[:] = [module, *arguments]
            sys.path[0] = os.getcwd()
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        else:
            sys.argv[:] = arguments
            sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
            runpy.run_path(arguments[0], run_name="__main__")
    except KeyboardInterrupt:  # as Python ends, and not the command line
        sys.excepthook(*sys.exc_info())
        sys.exit(130)
