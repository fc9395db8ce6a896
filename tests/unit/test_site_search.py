"""The search of the site, and the list of its versions."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import confluent_kafka

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site" / confluent_kafka.__version__
pytest.importorskip("sphinx", reason="the packages of requirements/docs.txt are not installed")
sys.path.append(str(ROOT / "docs" / "_extensions"))
import search_words  # noqa: E402
import versions  # noqa: E402


@pytest.fixture(scope="module")
def index() -> dict[str, Any]:
    """The search index that `make site` wrote last."""
    file = SITE / "searchindex.js"
    if not file.exists():
        pytest.skip("the site is not built: make site")
    found = re.fullmatch(r"Search\.setIndex\((.*)\)", file.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


class TestSearch:
    @pytest.mark.parametrize(
        ("query", "page"),
        [
            ("commit", "guides/consuming"),
            ("headers", "guides/producing"),
            ("ssl", "operations/security"),
            ("lag", "operations/diagnostics"),
            ("exactly once", "guides/transactions"),
        ],
    )
    def test_first_results(self, index: dict[str, Any], query: str, page: str) -> None:
        """A main entry of the index scores 100, a title at most 16, and a text 5."""
        entries = index["indexentries"][query]
        assert page in [index["docnames"][each] for each, _, is_main in entries if is_main]

    def test_every_word(self, index: dict[str, Any]) -> None:
        """Each page and section that docs/search.toml names for a word is in the index."""
        missing = [
            (word, place)
            for word, places in search_words.words().items()
            for place in places
            if place
            not in [
                index["docnames"][page] + (f"#{section}" if section else "")
                for page, section, _ in index["indexentries"].get(word, [])
            ]
        ]
        assert missing == []

    def test_words_are_in_lower_case(self) -> None:
        """The words are in lower case, because the search converts the reader's words to lower
        case."""
        assert [word for word in search_words.words() if word != word.lower()] == []


class TestVersions:
    def test_headings(self) -> None:
        """The newest build of each version is read from the changelog, with and without a date."""
        text = (
            "# Changelog\n\n## 2.17.0, build 2\n\n### Added\n\n- One.\n\n"
            "## 2.17.0, build 1 - 2026-12-01\n\n## [2.16.1] - 2026-11-26\n"
        )
        assert versions.versions(text) == [
            versions.Version("2.17.0", "2", None),
            versions.Version("2.16.1", None, "2026-11-26"),
        ]

    def test_this_version_is_the_newest(self) -> None:
        """The changelog begins with the version that is built."""
        newest = versions.versions(versions.CHANGELOG.read_text(encoding="utf-8"))[0]
        assert newest.number == confluent_kafka.__version__

    def test_published(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The list links the existing versions, and the redirects lead to the newest version."""
        changelog = tmp_path / "CHANGELOG.md"
        changelog.write_text("## 2.2.0 - 2027-01-02\n\n## 2.1.0\n\n## 2.0.0 - 2026-01-02\n")
        monkeypatch.setattr(versions, "CHANGELOG", changelog)
        for number in ("2.2.0", "2.0.0"):
            (tmp_path / "site" / number).mkdir(parents=True)
        versions.publish(tmp_path / "site" / "2.2.0", ["index", "guides/consuming"], "the project")
        listed = (tmp_path / "site" / "versions.html").read_text()
        assert '<a href="2.2.0/index.html">2.2.0</a></td><td>2027-01-02' in listed
        assert "<td>2.1.0</td><td>not released yet</td>" in listed
        assert 'href="2.0.0/index.html"' in listed
        page = (tmp_path / "site" / "latest" / "guides" / "consuming.html").read_text()
        assert "../../2.2.0/guides/consuming.html" in page
        assert "latest/index.html" in (tmp_path / "site" / "index.html").read_text()
        versions.publish(tmp_path / "site" / "2.0.0", ["index"], "the project")
        assert "../2.2.0/index.html" in (tmp_path / "site" / "latest" / "index.html").read_text()
