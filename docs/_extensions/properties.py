"""The table of configuration properties: librdkafka's own, with our notes.

`{properties} Security` in a page becomes the list of a group's properties. The facts are
those of CONFIGURATION.md in the pinned sources, the notes those of docs/properties.toml.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
NOTES = ROOT / "docs" / "properties.toml"
# A property belongs to the first group whose pattern fits. "P", "C" or "*" stands before its name.
GROUPS = {
    "Security": r"(\* )(security|ssl|sasl|https|enable\.s[sa]s?l)",
    "Transactions and idempotence": r"P (transaction|enable\.(idempotence|gapless))",
    "Producer": r"P ",
    "Consumer group and offsets": r"C (group|partition\.assign|session|heartbeat|coordinator"
    r"|.*commit|max\.poll\.interval|.*offset\.(store|reset))",
    "Consumer": r"C ",
    "Topics and metadata": r"\* (topic|metadata\.(max|recovery)|allow\.auto)",
    "Logs, statistics and metrics": r"\* (log|debug|statistics|enable\.metrics|enabled_events)",
    "Connections": r"\* (bootstrap|metadata\.broker|client|socket|broker|connections|reconnect"
    r"|retry|api|max\.in|receive|message)",
    "Other properties": "",
}
_CLIENTS = {"*": "all clients", "P": "producer", "C": "consumer"}
_ALIAS = re.compile(r"(?:\*\*DEPRECATED\*\* )?Alias for `([^`]+)`: ")
_TYPE = re.compile(r"\s*<br>\*Type: (.*?)\*\s*$")


@dataclass
class Property:
    """A property of librdkafka: one row of its table, with the rows of its other names.

    Args:
        client: "P", "C", or "*" for all.
        text: librdkafka's description, in Markdown.
    """

    names: list[str]
    client: str
    range: str
    default: str
    importance: str
    type: str
    text: str
    notes: list[str] = field(default_factory=list)

    @property
    def is_of_c(self) -> bool:
        """Whether only a program in C can set it."""
        return self.type == "see dedicated API"

    @property
    def group(self) -> str:
        """The heading under which it stands."""
        title = f"{self.client} {self.names[0]}"
        return next(name for name, pattern in GROUPS.items() if re.match(pattern, title))

    @property
    def facts(self) -> str:
        """Its row of the table as one line."""
        facts = [_CLIENTS[self.client], self.type]
        if self.range:
            facts.append(self.range.replace(" .. ", " to ") if ".." in self.range else self.range)
        facts.append(f"default {self.default or 'not set'}")
        return " · ".join([*facts, f"{self.importance} importance"])


def read(table: str) -> list[Property]:
    """Return the properties of a CONFIGURATION.md.

    Its second table, of properties for topics, repeats some names of the first. The first is what
    a client applies.
    """
    found: dict[str, Property] = {}
    aliases: list[tuple[str, str]] = []
    for cells in _rows(table):
        name, client, allowed, default, importance, described = cells
        kind = _TYPE.search(described)
        text = _TYPE.sub("", described)
        if name in found:
            continue
        if alias := _ALIAS.match(text):
            aliases.append((name, alias[1]))
            continue
        found[name] = Property([name], client, allowed, default, importance, kind[1], text)
    for name, original in aliases:
        if all(name not in each.names for each in found.values()):
            found[original].names.insert(0, name)
    return list(found.values())


def _rows(table: str) -> Iterator[list[str]]:
    for line in table.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line, maxsplit=5)]
        if len(cells) == 6 and cells[1] in _CLIENTS:
            yield [cell.replace(r"\|", "|") for cell in cells]


def annotated(properties: list[Property], notes: dict[str, Any]) -> list[Property]:
    """Add the notes, and the keys that are of this package; a note's name must be a property's."""
    known = {name: each for each in properties for name in each.names}
    for name, own in notes["python"].items():
        if name in known:
            properties.remove(known[name])
        known[name] = Property([name], range="", **own)
        properties.append(known[name])
    for name, note in notes["notes"].items():
        if name not in known:
            raise ValueError(f"{NOTES.name} has a note about {name}, which is no property")
        known[name].notes.append(note)
    return properties


def properties() -> list[Property]:
    """All properties of the pinned librdkafka and of this package."""
    sys.path.append(str(ROOT / "tools"))
    import librdkafka

    return annotated(
        read(librdkafka.read("CONFIGURATION.md")),
        tomllib.loads(NOTES.read_text(encoding="utf-8")),
    )


def anchor(name: str) -> str:
    """What stands behind the # of a link to a property."""
    return nodes.make_id(name)


class Properties(SphinxDirective):
    """Shows the properties of the group that its argument names."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the definition list of one group."""
        self.env.note_dependency(str(NOTES))
        self.env.note_dependency(str(ROOT / "tools" / "librdkafka.py"))
        return [self._list([each for each in _all() if shown_in(each) == self.arguments[0]])]

    def _list(self, shown: list[Property]) -> nodes.Node:
        listed = nodes.definition_list()
        for each in sorted(shown, key=lambda one: one.names[0]):
            item = nodes.definition_list_item("", self._term(each))
            body = nodes.definition("", nodes.paragraph("", "", nodes.emphasis("", each.facts)))
            texts = [] if each.is_of_c else [each.text]
            texts += [f"**In this package:** {note}" for note in each.notes]
            for text in filter(None, texts):
                body += self.parse_text_to_nodes(text)
            item += body
            listed += item
        return listed

    def _term(self, each: Property) -> nodes.Node:
        term = nodes.term()
        domain = self.env.domains.standard_domain
        for number, name in enumerate(each.names):
            shown = nodes.literal("", name, ids=[anchor(name)], classes=["property"])
            self.state.document.note_explicit_target(shown)
            domain.note_object("confval", name, anchor(name), location=term)
            term += [nodes.Text(", "), shown] if number else [shown]
        return term


_read: list[Property] = []


def _all() -> list[Property]:
    if not _read:
        _read.extend(properties())
    return _read


def shown_in(each: Property) -> str:
    """The group of a property."""
    if each.is_of_c:
        return "Properties for programs in C"
    return "Keys of this package" if each.type.startswith("Python") else each.group


def _offer_to_links(app: Sphinx, document: nodes.document) -> None:
    """Let Markdown links of other pages lead to a property, as if it were a heading."""
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for name in document.findall(nodes.literal):
        if {"property", "link-target"} & set(name["classes"]):
            slugs[name["ids"][0]] = (0, name["ids"][0], name.astext())


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("properties", Properties)
    app.connect("doctree-read", _offer_to_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
