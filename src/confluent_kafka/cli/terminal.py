"""What commands draw on a terminal. Names and texts of a cluster are data, never markup."""

from __future__ import annotations

import re

from rich.console import Console

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def open_console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return the console of a command.

    It draws text as it is: a group may be called ``x[/]`` and a user ``User:[ops]``, which rich
    would take for markup, or ``:smile:``, which it would take for an emoji.

    Args:
        stderr: whether it writes to stderr instead of stdout.
        quiet: whether it writes nothing.
    """
    return Console(stderr=stderr, quiet=quiet, highlight=False, markup=False, emoji=False)


def printable(text: str) -> str:
    r"""Return a text of a cluster on one line, with its control characters as escapes: ``\x1b``.

    A terminal would obey them, and a tab or a line end would break the columns of a script.

    Args:
        text: a name, or any other text that the cluster or another client made.
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)
