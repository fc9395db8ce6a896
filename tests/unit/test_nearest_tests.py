"""tools/nearest_tests.py finds tests for `make check`, whatever files have changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.nearest_tests import NEAREST, nearest_tests, patterns_for

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "nearest_tests.py"
HERE = "tests/unit/test_nearest_tests.py"


@pytest.mark.parametrize("file", NEAREST)
def test_files_and_tests_of_the_table_exist(file: str) -> None:
    """The files and tests in the table exist.

    Otherwise a renamed file would silently lose its tests.
    """
    assert list(ROOT.glob(file))
    assert [tests for tests in NEAREST[file] if not list(ROOT.glob(tests))] == []


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("src/confluent_kafka/csrc/consumer/fetch.c", "tests/embedded/test_consumer_fetch.py"),
        ("src/confluent_kafka/csrc/base/args.c", "tests/unit/test_bad_arguments.py"),
        ("src/confluent_kafka/spark/formats/ddl.py", "tests/spark/test_pipeline_checks.py"),
        (
            "src/confluent_kafka/serializing_producer.py",
            "tests/embedded/test_serializing_clients.py",
        ),
        ("docs/start/quickstart.md", "tests/embedded/test_documentation.py"),
        ("tests/integration/test_tls.py", "tests/integration/test_tls.py"),
    ],
)
def test_a_room_has_its_tests(changed: str, test: str) -> None:
    """Each room has its tests. Files that all rooms depend on have the core tests."""
    assert test in nearest_tests([changed])


def test_tests_of_several_files_are_together() -> None:
    """The tests of each changed file are selected."""
    both = nearest_tests([HERE, "docs/start/quickstart.md"])
    assert set(both) == {HERE, *nearest_tests(["docs/start/quickstart.md"])}


@pytest.mark.parametrize("changed", [[], ["setup.py"], ["tests/unit/test_that_is_gone.py"]])
def test_the_core_is_for_all_else(changed: list[str]) -> None:
    """For other files, the core tests are selected.

    The result is never empty, because pytest would then run the whole suite.
    """
    assert nearest_tests(changed) == nearest_tests(["Makefile"])
    assert HERE in nearest_tests(changed)


@pytest.mark.parametrize("changed", ["pyproject.toml", *NEAREST])
def test_no_brokers_and_no_spark_are_started(changed: str) -> None:
    """Tests that start brokers or Spark are not selected, because they take longer than all other
    tests."""
    assert not [name for name in patterns_for(changed) if "integration" in name]
    slow = {"declarative", "flights", "standalone", "batch_read", "stream_read", "pipeline_kafka"}
    names = {Path(name).stem.removeprefix("test_") for name in nearest_tests([changed])}
    assert not slow & names


def test_the_program_prints_them() -> None:
    """The program prints one file per line, whatever has changed in this tree."""
    done = subprocess.run([sys.executable, TOOL], check=True, capture_output=True, text=True)
    assert done.stdout.split()
    assert all((ROOT / name).is_file() for name in done.stdout.split())
