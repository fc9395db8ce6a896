"""The Python examples in the documents run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.documents import DOCUMENTS, ROOT, block_with, run


def anchors_of(document: Path) -> set[str]:
    """The anchors that GitHub makes for the headings of a document."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", ["CHANGELOG.md", *DOCUMENTS])
def test_links_lead_somewhere(name: str) -> None:
    """No link to a file of this repository, or to a heading in a file, is broken."""
    document = ROOT / name
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if "://" in link:
            continue
        if target.name in ("configuration.md", "error-codes.md"):
            anchor = ""  # most anchors are made when the site is built; that build checks them
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    assert not broken


class TestArrow:
    def test_data_frames(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A data frame is sent as messages, and is read as a data frame."""
        pytest.importorskip("polars", reason="polars is not installed")
        run(block_with("docs/guides/arrow.md", "import polars"))
        table = capsys.readouterr().out
        assert "(3, 4)" in table
        for name in ("key", "value", "offset", "timestamp"):
            assert name in table
