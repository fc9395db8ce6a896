"""Makes builds reproducible, and compares two builds of the same sources.

setup.py uses this module to set the time of all files in an artefact, and to pack the source
distribution. As a program, the module builds twice, in folders with different names, and compares
the artefacts::

    python tools/reproducible.py            # the source distribution and the wheel
    python tools/reproducible.py --library  # librdkafka is compiled a second time, too

The builds contain only files that git tracks. --folder FOLDER keeps the two builds.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# A source distribution has no git history, so this file contains its time.
FILE = "tools/source_date_epoch"


def date() -> int | None:
    """Return the time of all files in an artefact, in seconds since 1970; None if it is unknown.

    The time is SOURCE_DATE_EPOCH, or the time in a source distribution, or the time of the last
    commit.
    """
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    if (ROOT / FILE).exists():
        return int((ROOT / FILE).read_text())
    if not (ROOT / ".git").exists():
        return None
    try:
        command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return int(answer.stdout) if answer.returncode == 0 else None


def tar(folder: Path, target: Path, time: int) -> None:
    """Pack a folder as .tar.gz: names in order, one time, no owner, two modes."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.mtime = time
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=time) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(folder.rglob("*"), key=str):
            # Otherwise two hard links to one file would become a link in the archive.
            archive.inodes = {}  # type: ignore[attr-defined]
            name = path.relative_to(folder.parent)
            archive.add(path, str(name), recursive=False, filter=plain)


def checkout(folder: Path) -> None:
    """Copy the tracked files in their current state, without their history."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    for name in filter(None, names):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
        target.chmod(0o755 if os.access(ROOT / name, os.X_OK) else 0o644)


def build(folder: Path, kind: str, cache: Path | None) -> Path:
    """Build an artefact ("sdist" or "wheel") of the sources in a folder; return its path."""
    environment = dict(os.environ)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
    command = [
        sys.executable,
        "-m",
        "build",
        f"--{kind}",
        "--no-isolation",
        "-o",
        str(folder / "dist"),
    ]
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        sys.exit(f"{result.stdout[-4000:]}{result.stderr[-4000:]}\nerror: no {kind} was built")
    [artefact] = (folder / "dist").glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return artefact


def compare(artefacts: list[Path]) -> bool:
    """Return whether artefacts of one name are the same, and print one line."""
    digests = {hashlib.sha256(each.read_bytes()).hexdigest() for each in artefacts}
    same = len(digests) == 1
    print(
        f"{'same' if same else 'DIFFERENT'}  {' '.join(digests)}  {artefacts[0].name}", flush=True
    )
    return same


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds twice and compares the bytes.")
    parser.add_argument("--library", action="store_true", help="also compile librdkafka twice")
    parser.add_argument("--folder", type=Path, help="keep both builds in this folder")
    parser.add_argument("--like", type=Path, help="also compare with the artefacts here")
    arguments = parser.parse_args()
    time = date()
    if time is not None:
        os.environ["SOURCE_DATE_EPOCH"] = str(time)
    with tempfile.TemporaryDirectory() as scratch:
        root = (arguments.folder or Path(scratch)).resolve()
        # The two folders differ in the length of their names and in permissions. The artefacts must
        # not depend on either.
        places = [root / "a" / "confluent-kafka", root / "elsewhere" / "b" / "sources"]
        for place, umask in zip(places, (0o022, 0o077), strict=True):
            os.umask(umask)
            checkout(place)
        good = [compare([build(place, "sdist", None) for place in places])]
        caches = [None, places[1] / "cache" if arguments.library else None]
        wheels = [build(place, "wheel", cache) for place, cache in zip(places, caches, strict=True)]
        good.append(compare(wheels))
        if sys.platform == "linux":
            wheels = [repaired(each) for each in wheels]
            good.append(compare(wheels))
        if arguments.like:
            built = sorted((places[0] / "dist").rglob("*"))
            pairs = [[arguments.like / each.name, each] for each in built]
            good += [compare(pair) for pair in pairs if pair[0].is_file()]
    return 0 if all(good) else 1


def repaired(wheel: Path) -> Path:
    """Return the wheel with the shared libraries that it needs, as it is published."""
    import wheels  # not at the top, because wheels imports this module

    return wheels.repair(wheel, wheel.parent / "repaired")


if __name__ == "__main__":
    sys.exit(main())
