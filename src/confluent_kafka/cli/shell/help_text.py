"""The layout of help texts: parts with titles, and whole words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import click

_GAP = 2


class HelpFormatter(click.HelpFormatter):
    """Breaks lines between words. Click also breaks them at hyphens: ``--exit-at-`` and ``end``."""

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        indent = " " * self.current_indent
        paragraphs = [
            "\n".join(indent + line for line in _wrap(paragraph, self.width - len(indent)))
            for paragraph in text.split("\n\n")
        ]
        self.write("\n\n".join(paragraphs) + "\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = _GAP
    ) -> None:
        """Write names, with their descriptions in a second column."""
        rows = list(rows)
        column = min(max(len(name) for name, _ in rows), col_max) + col_spacing
        for name, text in rows:
            lines = _wrap(text, self.width - self.current_indent - column)
            if len(name) > column - col_spacing:
                lines.insert(0, "")
            for number, line in enumerate(lines or [""]):
                first = "" if number else name
                self.write(f"{' ' * self.current_indent}{first:{column}}{line}".rstrip() + "\n")


class Context(click.Context):
    """A context whose help texts have this layout."""

    formatter_class = HelpFormatter


def show_panels(formatter: click.HelpFormatter, panels: dict[str, list[tuple[str, str]]]) -> None:
    """Add parts with a title to a help text.

    Args:
        formatter: what writes the help text.
        panels: the lines of each part, by its title. A part without lines is left out.
    """
    for title, lines in panels.items():
        if lines:
            with formatter.section(title):
                formatter.write_dl(lines)


def show_examples(formatter: click.HelpFormatter, examples: Iterable[str]) -> None:
    """Add command lines to a help text. They are not wrapped, so that a shell can run a copy.

    Args:
        formatter: what writes the help text.
        examples: the command lines. Their longest line has 78 characters, to fit on 80 columns.
    """
    with formatter.section("Examples"):
        for line in "\n".join(examples).splitlines():
            formatter.write(f"{' ' * formatter.current_indent}{line}\n")


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
