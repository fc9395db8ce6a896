"""The limits of the embedded cluster: why tests need real brokers, and what the guide contains."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration import limits

ROOT = Path(__file__).resolve().parents[2]
LIMITS = {name: text for name, text in vars(limits).items() if name.isupper()}


@pytest.mark.parametrize("limit", LIMITS)
def test_the_guide_has_the_limit(limit: str) -> None:
    """The guide gives users the same reasons for real brokers as the tests do."""
    guide = (ROOT / "docs/guides/testing.md").read_text()
    section = guide.partition("\n## Limits\n")[2].partition("\n## ")[0]
    assert LIMITS[limit] in " ".join(section.split())


def test_each_limit_is_the_reason_of_a_test() -> None:
    """If no test has a limit as its reason any more, the limit must be removed from the guide."""
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [name for name in LIMITS if f"real_only(limits.{name})" not in tests] == []
