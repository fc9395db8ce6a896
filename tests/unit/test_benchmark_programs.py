"""How the benchmarks start each client's programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.programs import Programs
from benchmarks.rows import Side

# This script replaces an interpreter, and prints the PYTHONPATH that it was started with.
TELLS_ITS_PATH = f"""\
#!{sys.executable}
import json, os
print(json.dumps({{"client": os.environ.get("PYTHONPATH", "none"), "librdkafka": ""}}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no interpreter there")
@pytest.mark.parametrize(("side", "path"), [(Side.OURS, "build/lib"), (Side.PEER, "none")])
def test_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: Side, path: str) -> None:
    """PYTHONPATH is set only for our programs.

    Otherwise the peer would import our build instead of its own package.
    """
    monkeypatch.setenv("PYTHONPATH", "build/lib")
    interpreter = tmp_path / "python"
    interpreter.write_text(TELLS_ITS_PATH)
    interpreter.chmod(0o755)
    programs = Programs(ours=interpreter, peer=interpreter, native=interpreter)
    assert programs.versions(side) == (path, "")
