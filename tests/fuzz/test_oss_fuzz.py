"""The parts of tests/fuzz/oss_fuzz that run without OSS-Fuzz."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from tests.fuzz.campaign import TARGETS

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "oss_fuzz"
# This module replaces atheris, and gives some inputs to a harness, as libFuzzer would.
ATHERIS = """
from random import Random

def Setup(arguments, one_input):
    global given
    given = one_input

def Fuzz():
    random = Random("suite")
    for _ in range(50):
        given(random.randbytes(random.randrange(200)))
    print("50 inputs")
"""


def built() -> list[str]:
    """Return the targets for which build.sh makes a program."""
    [names] = re.findall(r"^for target in (.*); do$", (FOLDER / "build.sh").read_text(), re.M)
    return str(names).split()


def test_every_target_is_built() -> None:
    """build.sh makes a program for each target except "boundary", which has threads and clusters of
    its own."""
    assert built() == sorted(TARGETS.keys() - {"boundary"})


@pytest.mark.parametrize("target", built())
def test_harness(target: str, tmp_path: Path) -> None:
    """The harness runs the target that its file name contains, and raises only documented
    exceptions."""
    program = tmp_path / f"fuzz_{target}.py"
    shutil.copy(FOLDER / "fuzz_target.py", program)
    (tmp_path / "atheris.py").write_text(ATHERIS)
    paths = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(program)],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "50 inputs\n"), done.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_build_script(tmp_path: Path) -> None:
    """The script builds with the given sanitizer, and makes one program for each target."""
    for name in ("python3", "compile_python_fuzzer"):
        command = tmp_path / name
        command.write_text(f'#!/bin/sh\necho "{name} $SANITIZE $1 $2 $3" >>"$OUT/calls"\n')
        command.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "OUT": str(tmp_path),
        "WORK": str(tmp_path),
        "SANITIZER": "undefined",
    }
    command = ["bash", "-eu", str(FOLDER / "build.sh")]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=60)
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[0] == "python3 undefined,fuzzer-no-link -m pip install"
    assert len(calls) == 1 + len(built())
    assert all((tmp_path / f"fuzz_{target}.py").exists() for target in built())


def test_project_file() -> None:
    """The files have the fields that OSS-Fuzz requires for a Python project."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    project = yaml.safe_load((FOLDER / "project.yaml").read_text())
    assert project["language"] == "python"
    assert project["fuzzing_engines"] == ["libfuzzer"]
    assert set(project["sanitizers"]) <= {"address", "undefined"}
    dockerfile = (FOLDER / "Dockerfile").read_text()
    assert re.search("^FROM gcr.io/oss-fuzz-base/base-builder-python$", dockerfile, re.M)
    assert f"ARG REPOSITORY={project['main_repo']}" in dockerfile
