#!/usr/bin/env python3
"""Finds or builds a free-threaded CPython (no GIL), and makes a virtual environment with it.

    python tools/freethreaded.py FOLDER           # for 'make freethreaded'
    python tools/freethreaded.py --watched FOLDER # for 'make tsan': CPython itself is compiled
                                                  # with the thread sanitizer
    python tools/freethreaded.py --version 3.14   # print the path of a free-threaded CPython 3.14

Without --watched, the program uses a free-threaded CPython on PATH if there is one. Otherwise it
compiles CPython from Debian's source package, once, into a prefix under
``$XDG_CACHE_HOME/confluent-kafka`` (``~/.cache`` by default). That takes apt-get (root is not
needed), a C compiler and some minutes.

Environment:
    FREETHREADED_PYTHON  the interpreter to use instead
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import installed


class Release(NamedTuple):
    """A source package of Debian. Without a checksum, it is the newest release in the suite."""

    version: str
    suite: str
    sha256: str | None = None

    @property
    def package(self) -> str:
        return "python" + ".".join(self.version.split(".")[:2])


DEFAULT = "3.13"
RELEASES = {
    # Debian's stable release: its archive keeps this file while the release is supported.
    "3.13": Release(
        "3.13.5", "trixie", "93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640"
    ),
    # Debian's next release: its pool has a new file for each release of CPython 3.14, so that no
    # file can be pinned. apt-get checks the file against the signed index of the suite.
    "3.14": Release("3.14", "forky"),
}
SOURCES = """\
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: {suite}
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""

OPTIONS = ("-q", "--disable-gil", "--disable-test-modules")
# Many tests import click, rich and hypothesis. Tests that need other packages are skipped.
REQUIREMENTS = (
    *("setuptools>=77", "wheel>=0.45", "pytest>=9", "pytest-xdist>=3.8"),
    *("click>=8.2.1,!=8.3.0,!=8.3.1", "rich>=13.7", "hypothesis>=6.130"),
)


def find(version: str | None, watched: bool) -> Path:
    """Return the interpreter to use, and compile it first if necessary."""
    if given := os.environ.get("FREETHREADED_PYTHON"):
        return Path(given)
    accepted = [version] if version else sorted(RELEASES, reverse=True)
    for each in [] if watched else accepted:
        if found := shutil.which(f"python{each}t"):
            return Path(found)
    release = RELEASES[version or DEFAULT]
    prefix = _cache() / f"python-{release.version}t{'-tsan' if watched else ''}-{_machine()}"
    if not prefix.is_dir():
        _build(release, prefix, watched)
    return prefix / "bin" / f"{release.package}t"


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "confluent-kafka"


def _machine() -> str:
    return f"{platform.machine()}-{''.join(platform.libc_ver())}"


def _build(release: Release, prefix: Path, watched: bool) -> None:
    """Compile the release, and move the finished prefix into place in one step."""
    _cache().mkdir(parents=True, exist_ok=True)
    log = prefix.with_name(f"{prefix.name}.log")
    log.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=_cache()) as scratch:
        root = _unpack(_archive(release), Path(scratch))
        stage = Path(scratch) / "stage"
        options = [*OPTIONS, f"--prefix={prefix}"]
        if watched:
            options.append("--with-thread-sanitizer")
        _say(f"compiling CPython {release.version} without a GIL, some minutes; output in {log}")
        _run(["./configure", *options], root, log)
        _run(["make", "-s", f"-j{os.cpu_count() or 1}"], root, log)
        _run(["make", "-s", "install", f"DESTDIR={stage}"], root, log)
        (stage / prefix.relative_to(prefix.anchor)).rename(prefix)


def _archive(release: Release) -> Path:
    """Return the verified archive of CPython's sources."""
    archive = _cache() / f"python-{release.version}.tar.xz"
    if not archive.is_file():
        _say(f"downloading the sources of CPython {release.version}")
        with tempfile.TemporaryDirectory(dir=_cache()) as scratch:
            downloaded = _download(release, Path(scratch))
            actual = hashlib.sha256(downloaded.read_bytes()).hexdigest()
            if release.sha256 not in (actual, None):
                sys.exit(f"error: {downloaded.name} is not what was pinned: SHA-256 {actual}")
            downloaded.rename(archive)
    return archive


def _download(release: Release, folder: Path) -> Path:
    """Download with apt-get and separate lists, so the system's configuration is not changed."""
    sources = folder / "debian.sources"
    sources.write_text(SOURCES.format(suite=release.suite))
    (folder / "lists" / "partial").mkdir(parents=True)
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={sources}"]
    apt += ["-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State::lists={folder}/lists"]
    apt += ["-o", f"Dir::Cache={folder}/cache", "-o", "Debug::NoLocking=1"]
    log = folder / "apt.log"
    _run([*apt, "update"], folder, log)
    _run([*apt, "source", "--download-only", "--tar-only", release.package], folder, log)
    (archive,) = folder.glob(f"{release.package}_*.orig.tar.xz")
    return archive


def _unpack(archive: Path, folder: Path) -> Path:
    shutil.unpack_archive(archive, folder)
    (root,) = folder.glob("Python-*")
    return root


def _run(command: list[str], folder: Path, log: Path) -> None:
    # The sanitizer also watches the build's own tools. Their races are ignored.
    environment = os.environ | {"TSAN_OPTIONS": "report_bugs=0"}
    with log.open("a") as output:
        result = subprocess.run(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    if result.returncode != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        sys.exit(f"{tail}\nerror: '{' '.join(command)}' failed")


def _say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


def make_environment(python: Path, folder: Path) -> None:
    """Make a virtual environment with the packages that the tests need."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    inside = folder / "bin" / "python"
    subprocess.run(
        [inside, "-m", "pip", "install", "-q", "setuptools>=77", "wheel>=0.45"], check=True
    )
    installed.install_packages(inside)


def make_watched_environment(python: Path, folder: Path) -> None:
    """Make a virtual environment with packages in pure Python.

    The pip of the current interpreter installs the packages, because pip takes minutes in a watched
    interpreter.
    """
    environment = os.environ | {"TSAN_OPTIONS": "report_bugs=0"}
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True, env=environment)
    (packages,) = folder.glob("lib/python*/site-packages")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(packages)]
    subprocess.run([*pip, *REQUIREMENTS], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes an environment of free-threaded CPython.")
    parser.add_argument("--watched", action="store_true", help="compile with the thread sanitizer")
    parser.add_argument(
        "--version", choices=RELEASES, help=f"without it, one on PATH, otherwise {DEFAULT}"
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        help="the folder of the virtual environment; without it, print the interpreter's path",
    )
    arguments = parser.parse_args()
    if arguments.folder is None:
        print(find(arguments.version, arguments.watched))
    elif not (arguments.folder / "bin" / "python").exists():
        make = make_watched_environment if arguments.watched else make_environment
        make(find(arguments.version, arguments.watched), arguments.folder)


if __name__ == "__main__":
    main()
