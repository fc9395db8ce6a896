"""Runs the unit and embedded tests against installed wheels, without the package's sources.

    python tools/installed.py                     # each wheel in dist/ for this machine
    python tools/installed.py --only cp312 -- -x  # one wheel; pytest gets the arguments after --
    python tools/installed.py --here              # the wheel of this interpreter

Each wheel gets a virtual environment and a copy of the tests, without `src/`, below
build/installed/. If an interpreter cannot install a package of requirements/tests.txt, the tests
that need the package are skipped. The same holds for packages that turn on the GIL of a
free-threaded interpreter. `make wheel-test` runs this program.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import reproducible

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "installed"
# These tests read the package's sources or build them, and the sources are missing here.
ON_SOURCES = (
    "embedded/test_librdkafka_patches.py",
    "unit/test_columns_floats.py",
    "unit/test_distribution.py",
    "unit/test_gil_check.py",
    "unit/test_layers.py",
    "unit/test_librdkafka_tool.py",
    "unit/test_nearest_tests.py",
    "unit/test_patches_tool.py",
    "unit/test_prerequisites.py",
    "unit/test_protocol.py",
    "unit/test_release.py",
    "unit/test_reproducible.py",
    "unit/test_stub.py",
)


def wheels(folder: Path) -> dict[str, Path]:
    """Return the wheels in a folder by their tags: "cp312-cp312", "cp314-cp314t"."""
    return {"-".join(each.stem.split("-")[-3:-1]): each for each in sorted(folder.glob("*.whl"))}


def interpreters() -> dict[str, str]:
    """Return the CPythons of this machine by the tags of their wheels."""
    lines = subprocess.run(
        ["sh", "tools/pythons.sh"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    return {tag(path): path for path in filter(None, lines)}


def tag(python: str) -> str:
    """Return the tag of the wheels for an interpreter's own ABI."""
    script = (
        "import sys; v = 'cp%d%d' % sys.version_info[:2]; print(f'{v}-{v}{sys.abiflags or str()}')"
    )
    return subprocess.run(
        [python, "-c", script], check=True, capture_output=True, text=True
    ).stdout.strip()


def environment(python: str, wheel: Path, folder: Path) -> Path:
    """Make a virtual environment with the wheel and the packages that its tests need."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([python, "-m", "venv", folder], check=True)
    inside = folder / "bin" / "python"
    install_packages(inside)
    # The wheel comes last, so that no package from an index replaces it.
    subprocess.run(
        [*_pip(inside), "--no-index", "--no-deps", "--force-reinstall", wheel], check=True
    )
    return inside


def _pip(python: Path) -> list[str | Path]:
    return [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]


def install_packages(python: Path) -> None:
    """Install the packages that the tests need, except those that this CPython cannot have."""
    pip = _pip(python)
    # PySpark is published only as a source distribution, which needs no compiler.
    built = ["--only-binary", ":all:", "--no-binary", "pyspark"]
    for requirements in ("tests", "spark", "fuzz"):
        file = ROOT / "requirements" / f"{requirements}.txt"
        together = subprocess.run([*pip, *built, "-r", file], check=False)
        if together.returncode == 0:
            continue
        for line in file.read_text().splitlines():
            if line and not line.startswith(("#", "-r")):
                alone = [*pip, *built, line]
                if subprocess.run(alone, check=False, capture_output=True).returncode:
                    say(f"cannot be installed: {line}")
    if tag(str(python)).endswith("t"):
        keep_the_gil_off(python)


def keep_the_gil_off(python: Path) -> None:
    """Remove the packages that turn on the GIL of a free-threaded CPython."""
    program = [python, ROOT / "tools" / "gil_packages.py"]
    while names := subprocess.run(
        program, check=True, capture_output=True, text=True
    ).stdout.split():
        say(f"removed, because it turns on the GIL: {', '.join(names)}")
        subprocess.run([python, "-m", "pip", "uninstall", "-q", "-y", *names], check=True)


def run_tests(python: Path, tree: Path, arguments: list[str]) -> bool:
    """Run the tests in a copy of the tracked files without the package's sources."""
    shutil.rmtree(tree, ignore_errors=True)
    reproducible.checkout(tree)
    shutil.rmtree(tree / "src")
    return subprocess.run(tests(python, arguments), cwd=tree, check=False).returncode == 0


def tests(python: str | Path, arguments: list[str]) -> list[str]:
    """Return the command that runs the tests in the current folder."""
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    command += ["tests/unit", "tests/embedded"]
    command += [f"--ignore=tests/{name}" for name in ON_SOURCES]
    return [*command, *arguments]


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Tests the wheels in dist/ as they are installed.")
    parser.add_argument("--only", default="", help="wheels whose tag begins with this")
    parser.add_argument("--here", action="store_true", help="test this interpreter's wheel")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("arguments", nargs="*", metavar="PYTEST")
    arguments = parser.parse_args()
    if arguments.here:
        return subprocess.run(tests(sys.executable, arguments.arguments), check=False).returncode
    here = interpreters()
    outcomes = {}
    for name, wheel in wheels(arguments.dist).items():
        if not name.startswith(arguments.only):
            continue
        if name not in here:
            outcomes[wheel.name] = "built, not tested: there is no interpreter for it here"
            continue
        say(f"testing {wheel.name}")
        python = environment(here[name], wheel, FOLDER / name / "venv")
        good = run_tests(python, FOLDER / name / "tree", arguments.arguments)
        outcomes[wheel.name] = "passed" if good else "FAILED"
    for name, outcome in outcomes.items():
        print(f"{name}: {outcome}")
    return 0 if outcomes and "FAILED" not in outcomes.values() else 1


if __name__ == "__main__":
    sys.exit(main())
