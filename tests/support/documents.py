"""Finds the snippets in README and in the guides, and runs the Python snippets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from confluent_kafka.testing import MockCluster
    from tests.integration.kafka_cluster import KafkaCluster

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md"]
DOCUMENTS += sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
ADDRESS = "localhost:9092"
_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


class Snippet(NamedTuple):
    """A block of a document. A block that shows a terminal gives a Snippet for each command."""

    language: str
    text: str


def snippets(document: str) -> list[Snippet]:
    """The snippets that a reader of the document can type."""
    found = []
    for _, language, text in _BLOCK.findall((ROOT / document).read_text(encoding="utf-8")):
        if language == "console":
            commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
            found += [Snippet(language, command) for command in commands]
        else:
            found.append(Snippet(language, text))
    return found


def block_with(document: str, text: str) -> str:
    """The only snippet of the document that has the text in it."""
    (found,) = (snippet.text for snippet in snippets(document) if text in snippet.text)
    return found


def run(
    block: str, cluster: MockCluster | KafkaCluster | None = None, **names: Any
) -> dict[str, Any]:
    """Runs a block unchanged, except for the cluster's address; returns its variables."""
    if cluster is not None:
        assert ADDRESS in block
        block = block.replace(ADDRESS, cluster.bootstrap_servers)
    exec(compile(block, "<document>", "exec"), names)
    return names
