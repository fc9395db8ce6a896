"""The options that determine where reading stops."""

from __future__ import annotations

from typing import Annotated

import click

from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.declared import option

Until = Annotated[
    str | None,
    option(
        show_default="never",
        help="Where to stop: end (the end of the topic at the start of the command), an "
        "offset, a time, or a duration back from now.",
    ),
]
ExitAtEnd = Annotated[bool, option("--exit-at-end", "-e", help="The same as --until end.")]


def end_of(until: str | None, exit_at_end: bool) -> Bound | None:
    """Return where reading stops; None if it does not stop.

    Args:
        until: value of --until.
        exit_at_end: value of --exit-at-end.
    """
    if exit_at_end and until is not None:
        raise click.BadParameter("cannot be combined with --until", param_hint="--exit-at-end")
    if until is None and not exit_at_end:
        return None
    return Bound.parse("end" if until is None else until, "--until")
