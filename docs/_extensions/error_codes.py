"""The tables of error codes: the library's own names, numbers and texts, with our remedies.

`{error-codes} local` and `{error-codes} broker` in a page become tables of all codes, and
`{error-remedies}` the list of those in docs/errors.toml.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from confluent_kafka import KafkaError

if TYPE_CHECKING:
    from sphinx.application import Sphinx

REMEDIES = Path(__file__).parents[1] / "errors.toml"


@dataclass
class Code:
    """One error code.

    Args:
        names: all names of KafkaError that have the number; the first is what name() returns.
        is_retriable: the broker's error may disappear by itself. None: the library's own code.
    """

    number: int
    names: list[str]
    text: str
    is_retriable: bool | None


def codes(retriable: list[int]) -> list[Code]:
    """All error codes of the library, by number: first the local ones."""
    names: dict[int, list[str]] = {}
    for name in dir(KafkaError):
        number = getattr(KafkaError, name)
        if name.upper() == name and isinstance(number, int):
            names.setdefault(number, []).append(name)
    return [
        Code(
            number,
            sorted(found, key=lambda name: name != KafkaError(number).name()),
            KafkaError(number).str(),
            None if number < 0 else number in retriable,
        )
        for number, found in sorted(names.items())
    ]


def remedies() -> dict[str, Any]:
    """The file of remedies; ValueError for one of a code that does not exist."""
    read = tomllib.loads(REMEDIES.read_text(encoding="utf-8"))
    for name in read["remedies"]:
        if not isinstance(getattr(KafkaError, name, None), int):
            raise ValueError(f"{REMEDIES.name} has a remedy for {name}, which is no error code")
    return read


def anchor(name: str) -> str:
    """What stands behind the # of a link to a code."""
    return nodes.make_id(name)


class ErrorCodes(SphinxDirective):
    """The table of all local codes, or of all codes of brokers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_dependency(str(REMEDIES))
        read = remedies()
        is_local = self.arguments[0] == "local"
        shown = [each for each in codes(read["retriable"]) if (each.number < 0) is is_local]
        if not is_local:
            shown = [each for each in shown if each.number > 0]
        head = "| Number | Name | Text |" + ("" if is_local else " Retriable |")
        lines = [head, "|---:|" + "---|" * (2 if is_local else 3)]
        for each in shown:
            names = ", ".join(self._name(name, read["remedies"]) for name in each.names)
            text = each.text.partition(": ")[2] or each.text
            lines.append(
                f"| {each.number} | {names} | {text} |"
                + ("" if is_local else f" {'yes' if each.is_retriable else 'no'} |")
            )
        return self.parse_text_to_nodes("\n".join(lines))

    def _name(self, name: str, described: dict[str, Any]) -> str:
        return f"[`{name}`](error-codes.md#{anchor(name)})" if name in described else f"`{name}`"


class ErrorRemedies(SphinxDirective):
    """Causes and remedies of the codes that users meet: local ones, or those of brokers."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a definition list."""
        self.env.note_dependency(str(REMEDIES))
        is_local = self.arguments[0] == "local"
        listed = nodes.definition_list()
        for name, remedy in sorted(remedies()["remedies"].items()):
            if name.startswith("_") is not is_local:
                continue
            shown = nodes.literal("", name, ids=[anchor(name)], classes=["link-target"])
            self.state.document.note_explicit_target(shown)
            number = getattr(KafkaError, name)
            term = nodes.term("", "", shown, nodes.Text(f" ({number}): {KafkaError(number).str()}"))
            body = nodes.definition()
            for title in ("cause", "remedy"):
                body += self.parse_text_to_nodes(f"**{title.capitalize()}:** {remedy[title]}")
            listed += nodes.definition_list_item("", term, body)
        return [listed]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("error-codes", ErrorCodes)
    app.add_directive("error-remedies", ErrorRemedies)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
