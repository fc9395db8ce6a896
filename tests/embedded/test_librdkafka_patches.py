"""The patches as a whole: they are in the library, and librdkafka's own tests pass with them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from confluent_kafka import build_info

patched = pytest.mark.skipif(not build_info()["patched"], reason="this librdkafka is not patched")


@patched
def test_unit_tests_of_librdkafka(tmp_path: Path) -> None:
    """librdkafka's own unit tests pass with the patches."""
    tool = Path(__file__).resolve().parents[2] / "tools" / "librdkafka.py"

    def flags(kind: str) -> list[str]:
        command = [sys.executable, str(tool), "--print", kind]
        return shlex.split(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )

    source = tmp_path / "unittest.c"
    source.write_text(
        "#include <librdkafka/rdkafka.h>\nint main(void) { return rd_kafka_unittest(); }\n"
    )
    program = tmp_path / "unittest"
    subprocess.run(
        ["cc", "-o", program, *flags("cflags"), source, *flags("libs")], check=True, timeout=60
    )
    # Without what a sanitizer run preloads: some of them read memory that they did not set.
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    environment["CI"] = "1"  # their limits of time are for a machine of their own
    result = subprocess.run(
        [program], capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    failed = [line for line in result.stderr.splitlines() if "RDUT: FAIL" in line]
    assert (result.returncode, failed) == (0, [])
