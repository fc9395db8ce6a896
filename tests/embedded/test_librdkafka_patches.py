"""All patches together: the header of each patch, and librdkafka's own tests with all of them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from confluent_kafka import build_info
from tests.support.native import ROOT, build_program, run_program
from tools import librdkafka

sys.path.append(str(ROOT / "tools"))
from patches import Patch

patched = pytest.mark.skipif(not build_info()["patched"], reason="this librdkafka is not patched")


@pytest.mark.parametrize("path", librdkafka.PATCHES, ids=lambda path: path.stem)
def test_header(path: Path) -> None:
    """Each header has the text of a pull request, and names a test that is skipped without the
    patch."""
    patch = Patch.read(path)
    text = patch.pull_request()
    assert text.startswith(f"{patch.title}\n\n")
    assert all(part in text for part in (patch.cause, patch.reproduce, patch.change))
    for test in patch.tests:
        file, _, name = test.partition("::")
        marks = getattr(load(ROOT / file), name).pytestmark
        assert patch.name in [name for mark in marks for name in mark.kwargs.get("patches", ())]
    assert patch.tests or "`make " in patch.shown_by


def load(file: Path) -> object:
    """Import the module of tests, without running them."""
    spec = importlib.util.spec_from_file_location(f"named_by_a_patch_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@patched
def test_unit_tests_of_librdkafka(tmp_path: Path) -> None:
    """librdkafka's own unit tests pass with the patches."""
    source = tmp_path / "unittest.c"
    source.write_text(
        "#include <librdkafka/rdkafka.h>\nint main(void) { return rd_kafka_unittest(); }\n"
    )
    program = build_program(source, tmp_path)
    # With CI set, most time limits of these tests do not apply, because they are for an idle
    # machine. One limit is left: a pause of the machine of 10 ms makes a rate too low. A wrong
    # patch would fail each time.
    for _ in range(3):
        result = run_program(program, CI="1")
        failed = [line for line in result.stderr.splitlines() if "RDUT: FAIL" in line]
        if result.returncode == 0:
            break
    assert (result.returncode, failed) == (0, [])
