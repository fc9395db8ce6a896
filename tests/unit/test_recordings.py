"""The recorded terminal sessions of the documentation, and the tool that makes them."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the extra [tui] is not installed")

from rich.console import Console

from tools import recordings

PICTURES = sorted(recordings.FOLDER.glob("*.svg"))


def test_the_recorded_commands() -> None:
    """`top` and `why` are recorded, and their pages show the pictures."""
    assert [picture.stem for picture in PICTURES] == ["top", "why"]
    for picture in PICTURES:
        page = picture.with_suffix(".md").read_text(encoding="utf-8")
        assert f"{{image}} {picture.name}" in page


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_needs_no_network(picture: Path) -> None:
    """It has no address but the one that says what SVG is, and it is small."""
    text = picture.read_text(encoding="utf-8")
    assert set(re.findall(r"\w+://[^\s\"')]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "@font-face" not in text
    assert len(text.encode()) < 100_000


def test_addresses_are_removed_or_refused() -> None:
    """The fonts of rich's pictures are left out. Another address is an error."""
    console = Console(file=io.StringIO(), record=True, width=40)
    console.print("lag")
    picture = console.export_svg(title="t", clear=False)
    assert "@font-face" in picture
    found = recordings.without_addresses(picture)
    assert "@font-face" not in found
    assert ">lag<" in found
    console.print("http://example.com")
    with pytest.raises(ValueError, match=r"the picture has addresses: http://example\.com"):
        recordings.without_addresses(console.export_svg(title="t"))
