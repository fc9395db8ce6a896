"""Text for a terminal. Names and texts that come from a cluster are data, never markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def open_console(*, stderr: bool = False) -> Console:
    """Return the console for a command that draws. Other commands print, without rich.

    It draws text as it is. A group can be called ``x[/]`` and a user ``User:[ops]``, which rich
    would read as markup, or ``:smile:``, which rich would replace with an emoji.

    Args:
        stderr: whether it writes to stderr instead of stdout.
    """
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def printable(text: str) -> str:
    r"""Return a text on one line, with its control characters as escapes such as ``\x1b``.

    A terminal would execute them, and a tab or a line end would break the columns for scripts.

    Args:
        text: a name or another text that comes from a cluster or another client.
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 message``, ``2,000 messages``.

    Args:
        number: how many there are.
        noun: the noun for one of them.
        plural: the noun for another number; by default with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def cell(value: object, separator: str = ",") -> str:
    """Return a value of a table as text. None is an unknown value, and "-" also an empty list.

    Args:
        value: the value.
        separator: the text between the items of a list.
    """
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return printable(separator.join(str(each) for each in value))
    return printable(str(value))
