"""Tests that share brokers or other resources run one after another in one process, while other
tests run in other processes."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.side_by_side import (
    PROCESSES,
    line_of,
    pytest_collection_modifyitems,
    pytest_xdist_auto_num_workers,
    times_of_lines,
)

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
HOOKS = "from tests.support.side_by_side import pytest_xdist_make_scheduler"
WHERE = "import os, pathlib\ndef {}(): pathlib.Path('{}').write_text(str(os.getpid()))\n"


def test_a_line_is_one_process(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """One process runs all tests of a line. Another process runs the tests without a line."""
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    pytester.makeini("[pytest]")
    pytester.makeconftest(HOOKS)
    for folder, name in [("integration", "a"), ("integration", "b"), ("unit", "c"), ("unit", "d")]:
        path = pytester.path / "tests" / folder / f"test_{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WHERE.format(f"test_{name}", name))
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    pytester.runpytest_subprocess("-n", "2").assert_outcomes(passed=4)
    a, b, c, d = (pytester.path.joinpath(name).read_text() for name in "abcd")
    assert a == b
    assert len({a, c, d}) == 2


def test_all_chaos_is_in_a_line_of_its_own() -> None:
    """Tests that break brokers run in a line of their own, so that the brokers of other tests do
    not break."""
    chaos = line_of("tests/integration/test_chaos.py::test_x")
    others = line_of("tests/integration/test_tls.py::test_x")
    alone = line_of("tests/embedded/test_import.py::test_x")
    assert line_of("tests/integration/test_tls.py::test_x[a-embedded]") is None
    assert len({chaos, others, alone}) == 3
    assert alone is None


@pytest.mark.parametrize(
    ("test", "fixtures", "refused"),
    [
        ("tests/unit/test_x.py::test_x", ["kafka"], True),
        ("tests/unit/test_x.py::test_x", ["spark"], True),
        ("tests/unit/test_x.py::test_x", ["tmp_path"], False),
        ("tests/integration/test_x.py::test_x", ["kafka"], False),
        ("tests/integration/test_x.py::test_x[embedded-a]", ["kafka"], False),
    ],
)
def test_what_is_dear_is_in_a_line(test: str, fixtures: list[str], refused: bool) -> None:
    """A test that needs a cluster must be in a line.

    Outside of the lines, it would start another cluster.
    """
    items: list[pytest.Item] = [SimpleNamespace(nodeid=test, fixturenames=fixtures)]  # type: ignore[list-item]
    if not refused:
        pytest_collection_modifyitems(items)
        return
    with pytest.raises(pytest.UsageError, match=test):
        pytest_collection_modifyitems(items)


@pytest.mark.parametrize(
    ("arguments", "processes"),
    [
        ([], PROCESSES),
        (["-x", "tests/embedded"], PROCESSES),
        (["-k", "poll"], 0),
        (["--lf"], 0),
        (["-s"], 0),
        (["tests/unit/test_import.py"], 0),
        (["tests/unit/test_import.py::test_x"], 0),
        ([f"tests/unit/test_{name}.py" for name in "abcdef"], PROCESSES),
    ],
    ids=str,
)
def test_a_few_tests_need_one_process(
    pytester: pytest.Pytester, arguments: list[str], processes: int
) -> None:
    """A few tests run in one process, because starting more processes would take longer than the
    tests."""
    pytester.path.joinpath("tests/embedded").mkdir(parents=True)
    pytester.path.joinpath("tests/unit").mkdir()
    for name in ("import", *"abcdef"):
        pytester.path.joinpath(f"tests/unit/test_{name}.py").touch()
    assert pytest_xdist_auto_num_workers(pytester.parseconfig(*arguments)) == processes


def test_the_times_of_lines() -> None:
    """The times are sorted, and in minutes since the start of the first test.

    Tests without a line have one entry. A test that ended its process has no times.
    """
    ran = [
        ("tests/unit/test_x.py::test_x", 60.0, 120.0),
        ("tests/embedded/test_x.py::test_x", 0.0, 30.0),
        ("tests/unit/test_x.py::test_y", 120.0, 180.0),
    ]
    reports: list[Any] = [
        SimpleNamespace(nodeid=test, start=1e9 + start, stop=1e9 + stop)
        for test, start, stop in ran
    ]
    crashed: Any = SimpleNamespace(nodeid="tests/unit/test_x.py::test_z", start=0, stop=0)
    reports.append(crashed)
    assert times_of_lines(reports) == "others 0.0 to 0.5, computing 1.0 to 3.0"
    assert times_of_lines([]) == ""
