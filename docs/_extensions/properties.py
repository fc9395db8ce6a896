"""Shows the table of configuration properties, which tools/configuration_properties.py reads.

`{properties} Security` in a page becomes the list of a group's properties.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
from configuration_properties import NOTES, Property, annotated, properties  # noqa: E402

__all__ = ["Property", "annotated", "properties", "setup", "shown_in"]


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
