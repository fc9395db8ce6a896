#!/usr/bin/env python3
"""Finds or builds a free-threaded CPython (no GIL), and makes a virtual environment with it.

    python tools/freethreaded.py FOLDER           # for 'make freethreaded'
    python tools/freethreaded.py --watched FOLDER # for 'make tsan': CPython itself is compiled
                                                  # with the thread sanitizer

Without --watched, the program uses a free-threaded CPython on PATH if there is one. Otherwise it
compiles the pinned release from Debian's source package, once, into a prefix under
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

VERSION = "3.13.5"
# Debian's stable release: its archive keeps this file while the release is supported.
PACKAGE = "python3.13"
SHA256 = "93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640"
SOURCES = """\
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""

OPTIONS = ("-q", "--disable-gil", "--disable-test-modules")
REQUIREMENTS = ("setuptools>=77", "wheel>=0.45", "pytest>=9")


def find(watched: bool) -> Path:
    """Return the interpreter to use, and compile it first if necessary."""
    if given := os.environ.get("FREETHREADED_PYTHON"):
        return Path(given)
    names = [] if watched else ["python3.14t", "python3.13t"]
    for name in names:
        if found := shutil.which(name):
            return Path(found)
    prefix = _cache() / f"python-{VERSION}t{'-tsan' if watched else ''}-{_machine()}"
    if not prefix.is_dir():
        _build(prefix, watched)
    return prefix / "bin" / "python3.13t"


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "confluent-kafka"


def _machine() -> str:
    return f"{platform.machine()}-{''.join(platform.libc_ver())}"


def _build(prefix: Path, watched: bool) -> None:
    """Compile the release, and move the finished prefix into place in one step."""
    _cache().mkdir(parents=True, exist_ok=True)
    log = prefix.with_name(f"{prefix.name}.log")
    log.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=_cache()) as scratch:
        root = _unpack(_archive(), Path(scratch))
        stage = Path(scratch) / "stage"
        options = [*OPTIONS, f"--prefix={prefix}"]
        if watched:
            options.append("--with-thread-sanitizer")
        _say(f"compiling CPython {VERSION} without a GIL, some minutes; output in {log}")
        _run(["./configure", *options], root, log)
        _run(["make", "-s", f"-j{os.cpu_count() or 1}"], root, log)
        _run(["make", "-s", "install", f"DESTDIR={stage}"], root, log)
        (stage / prefix.relative_to(prefix.anchor)).rename(prefix)


def _archive() -> Path:
    """Return the verified archive of CPython's sources."""
    archive = _cache() / f"{SHA256[:12]}.tar.xz"
    if not archive.is_file():
        _say(f"downloading the sources of CPython {VERSION}")
        with tempfile.TemporaryDirectory(dir=_cache()) as scratch:
            downloaded = _download(Path(scratch))
            actual = hashlib.sha256(downloaded.read_bytes()).hexdigest()
            if actual != SHA256:
                sys.exit(f"error: {downloaded.name} is not what was pinned: SHA-256 {actual}")
            downloaded.rename(archive)
    return archive


def _download(folder: Path) -> Path:
    """Download with apt-get and separate lists, so the system's configuration is not changed."""
    sources = folder / "debian.sources"
    sources.write_text(SOURCES)
    (folder / "lists" / "partial").mkdir(parents=True)
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={sources}"]
    apt += ["-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State::lists={folder}/lists"]
    apt += ["-o", f"Dir::Cache={folder}/cache", "-o", "Debug::NoLocking=1"]
    log = folder / "apt.log"
    _run([*apt, "update"], folder, log)
    _run([*apt, "source", "--download-only", "--tar-only", PACKAGE], folder, log)
    return folder / f"{PACKAGE}_{VERSION}.orig.tar.xz"


def _unpack(archive: Path, folder: Path) -> Path:
    shutil.unpack_archive(archive, folder)
    return folder / f"Python-{VERSION}"


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
    """Make a virtual environment with the packages that the tests need, all in pure Python.

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
    parser.add_argument("folder", type=Path, help="the folder of the virtual environment")
    arguments = parser.parse_args()
    if not (arguments.folder / "bin" / "python").exists():
        make_environment(find(arguments.watched), arguments.folder)


if __name__ == "__main__":
    main()
