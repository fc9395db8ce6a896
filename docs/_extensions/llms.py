"""Writes llms.txt, which tells language models what the project and its pages are.

Its form is that of https://llmstxt.org: a title, a summary, and a list of links for each section.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_INTRODUCTION = """\
# {project}

> Apache Kafka for Python: blocking and asyncio clients in a C extension over librdkafka, typed
> Arrow columns, Spark sources and sinks, an embedded cluster for tests, and the APIs of aiokafka
> and kafka-python. Imported as `confluent_kafka`.
"""
_LONGEST = 300  # characters of a page's first paragraph


def _write(app: Sphinx, failure: Exception | None) -> None:
    if failure is not None or app.builder.format != "html":
        return
    parts = [_INTRODUCTION.format(project=app.config.project)]
    folder = None
    for page in sorted(app.env.found_docs, key=_order(app)):
        name = page.rpartition("/")[0]
        if name != folder:
            folder = name
            parts.append(f"\n## {(folder or 'Home').replace('-', ' ').capitalize()}\n\n")
        title = app.env.titles[page].astext()
        parts.append(f"- [{title}]({page}.html): {_first_paragraph(app, page)}\n")
    Path(app.outdir, "llms.txt").write_text("".join(parts), encoding="utf-8")


def _order(app: Sphinx) -> Any:
    """Pages in the order of the site's navigation."""
    tree = [page for part in app.env.toctree_includes.values() for page in part]
    return lambda page: (page.count("/"), tree.index(page) if page in tree else -1)


def _first_paragraph(app: Sphinx, page: str) -> str:
    for paragraph in app.env.get_doctree(page).findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if not isinstance(paragraph.parent, nodes.list_item | nodes.entry):
            return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} ..."
    return "reference"


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the file when all pages are there."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
