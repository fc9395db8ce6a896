"""Every command is on a page of the documentation, with what it prints."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli import ADMINISTRATION, COMMANDS
from tests.support.documents import DOCUMENTS, ROOT
from tests.support.stories import steps
from tests.unit.test_snippets import NOT_RUN, RUN

# Brokers of Apache Kafka are needed: these tests compare what the page shows (output_of).
ON_REAL_BROKERS = {
    "delegation-tokens": "tests/integration/test_command_line.py",
    "dump-log": "tests/integration/test_dump_log.py",
}
# The server prints nothing for people: the page shows the answer that a client gets.
PROTOCOL = {"mcp": "docs/guides/command-line/mcp.md"}

_SHOWN = re.compile(r"^\$ (?:confluent-kafka|python -m confluent_kafka) ([\w-]+)", re.M)


def shown() -> set[str]:
    """The commands of blocks that show output, and that the tests run and compare."""
    pages = [page for page in DOCUMENTS if page not in RUN | NOT_RUN]
    blocks = [
        step.text + (step.prints or "")
        for page in pages
        for step in steps(ROOT / page)
        if step.language == "console" and step.reason is None
    ]
    return {
        name
        for text in blocks
        if any(line and not line.startswith("$ ") for line in text.splitlines())
        for name in _SHOWN.findall(text.replace(" | confluent-kafka", "\n$ confluent-kafka"))
    }


def test_every_command() -> None:
    """A test runs the command as a page shows it, and compares the output."""
    missing = (COMMANDS.keys() | ADMINISTRATION.keys()) - shown()
    assert missing == ON_REAL_BROKERS.keys() | PROTOCOL.keys()
    for name, test in ON_REAL_BROKERS.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        assert "output_of(" in text, name
        assert name in text
    for name, page in PROTOCOL.items():
        languages = [step.language for step in steps(ROOT / page) if step.reason is None]
        assert "python" in languages, name
