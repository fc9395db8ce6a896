"""The table of Kafka Improvement Proposals, from docs/kips.toml: each claim names its tests."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]
CLAIMS = ROOT / "docs" / "kips.toml"


def claims() -> list[dict[str, Any]]:
    """The claims by number; ValueError for one whose test does not exist."""
    read = sorted(
        tomllib.loads(CLAIMS.read_text(encoding="utf-8"))["kip"], key=lambda each: each["number"]
    )
    for claim in read:
        if not claim["tests"]:
            raise ValueError(f"{CLAIMS.name}: KIP-{claim['number']} names no test")
        for test in claim["tests"]:
            if not exists(test):
                raise ValueError(f"{CLAIMS.name}: KIP-{claim['number']}: there is no {test}")
    return read


def exists(test: str) -> bool:
    """Whether a file has a test of this name: path::name or path::class::name."""
    path, *names = test.split("::")
    if not names or not (ROOT / path).is_file():
        return False
    body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    for name in names:
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        found = [each for each in body if isinstance(each, kinds) and each.name == name]
        if not found:
            return False
        body = found[0].body
    return names[-1].startswith("test_")


class Kips(SphinxDirective):
    """The table of all claims."""

    def run(self) -> list[nodes.Node]:
        """Return the table; a claim without its test ends the build."""
        self.env.note_dependency(str(CLAIMS))
        lines = ["| KIP | What it is | What is supported | Tests |", "|---:|---|---|---|"]
        for each in claims():
            tests = ", ".join(f"`{test}`" for test in each["tests"])
            lines.append(f"| {each['number']} | {each['title']} | {each['supported']} | {tests} |")
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("kips", Kips)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
