"""Search words: the pages that readers look for when they type a word of docs/search.toml.

Sphinx ranks a page by its title and by how often a word is in it. A page about commits need not
come first for "commit". Each word becomes an entry of the page's index, which Sphinx ranks above
every title and text.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WORDS = Path(__file__).parents[1] / "search.toml"


def words() -> dict[str, list[str]]:
    """Return the places of each word: ``page#section`` or ``page``, the best place first."""
    read: dict[str, list[str]] = tomllib.loads(WORDS.read_text(encoding="utf-8"))["words"]
    return read


def _look_up(app: Sphinx, document: nodes.document, page: str) -> None:
    """Check that the sections of a page exist."""
    sections = {each for part in document.findall(nodes.section) for each in part["ids"]}
    for word, places in app.config.search_words.items():
        for place in places:
            on_page, _, section = place.partition("#")
            if on_page == page and section and section not in sections:
                raise ValueError(f"{WORDS.name}: {word}: {page} has no section #{section}")


def _add(app: Sphinx) -> list[Any]:
    """Add the words to the index of all pages: Sphinx forgets those of pages that it keeps."""
    indexer = getattr(app.builder, "indexer", None)
    for word, places in app.config.search_words.items() if indexer else ():
        for place in places:
            page, _, section = place.partition("#")
            entries = {*indexer._index_entries.get(page, ()), (word, section, "main")}
            indexer._index_entries[page] = sorted(entries)
    return []


def _check(app: Sphinx, env: Any) -> None:
    for word, places in app.config.search_words.items():
        for place in places:
            if (page := place.partition("#")[0]) not in env.found_docs:
                raise ValueError(f"{WORDS.name}: {word}: there is no page {page}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the words to the pages; a change of the file writes all pages again."""
    app.add_config_value("search_words", words(), "html", types=[dict])
    app.connect("env-check-consistency", _check)
    app.connect("doctree-resolved", _look_up)
    app.connect("html-collect-pages", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
