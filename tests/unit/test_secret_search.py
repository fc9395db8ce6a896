"""The search finds secrets in the output of tests."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from tests.support.secrets import MARK, reveals, secret

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]

OUTPUT = {
    "stdout": "print({0!r})",
    "stderr": "import sys; print({0!r}, file=sys.stderr)",
    "a descriptor": "import os; os.write(2, {0!r}.encode())",
    "a log record": "import logging; logging.getLogger('x').warning({0!r})",
    "a fixture's end": "request.addfinalizer(lambda: print({0!r}))",
}


@pytest.mark.parametrize("statement", OUTPUT.values(), ids=OUTPUT)
def test_output_with_a_secret_fails(
    pytester: pytest.Pytester,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
) -> None:
    """A test fails if its output contains a secret, in any stream, and even if the test itself
    passes."""
    pytester.makeini("[pytest]")
    pytester.makeconftest("from tests.support.secret_search import pytest_runtest_makereport")
    pytester.makepyfile(
        f"def test_leak(request): {statement.format(secret('word'))}\n"
        f"def test_clean(request): {statement.format('nothing')}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    # In this process, the log of the inner test would also be in the log of this test.
    result = pytester.runpytest_subprocess()
    capfd.readouterr()  # otherwise this test itself would fail
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*a secret of tests/support/secrets.py is in: Captured *"])


@pytest.mark.parametrize("lead", range(7))
def test_base64_hides_nothing(lead: int) -> None:
    """A secret inside Base64 is found at any position, as in basic authentication and in tokens."""
    for tail in range(4):
        text = base64.urlsafe_b64encode(b"x" * lead + MARK.encode() + b"y" * tail).decode()
        assert MARK not in text
        assert reveals(text)


def test_other_text_is_no_secret() -> None:
    assert not reveals(base64.b64encode(bytes(range(256)) * 4).decode() + MARK.lower())
