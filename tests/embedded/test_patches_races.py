"""Data races in librdkafka that the thread sanitizer reports (tests/native/races.c).

The tests need a librdkafka that was compiled with the sanitizer: `make tsan` runs them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.native import ROOT, build_program, run_program
from tests.support.patches import needs

pytestmark = pytest.mark.skipif(
    "TSAN_OPTIONS" not in os.environ, reason="only make tsan has a librdkafka that is watched"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = ROOT / "tests" / "native" / "races.c"
    return build_program(source, tmp_path_factory.mktemp("native"), watched=True)


@needs("max-poll-flag")
def test_polling_while_the_consumer_joins(program: Path) -> None:
    """A poll reads an atomic flag, and not the flags that librdkafka's main thread changes."""
    assert_no_report(program, "poll")


@needs("share-broker-state", "max-poll-flag")
def test_share_consumer_while_a_broker_goes(program: Path) -> None:
    """The main thread reads the state of a broker with the broker's lock held."""
    assert_no_report(program, "share")


def assert_no_report(program: Path, what: str) -> None:
    result = run_program(program, what)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr
