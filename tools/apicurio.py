#!/usr/bin/env python3
"""Downloads an Apicurio Registry from Maven Central once, and prints its path.

The registry provides the HTTP API of Confluent's Schema Registry and keeps its schemas in memory.
The program checks the archive against the SHA-256 below and unpacks it under
``$XDG_CACHE_HOME/confluent-kafka`` (``~/.cache`` by default)::

    python tools/apicurio.py    # download it if necessary, and print the path of its program
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "2.6.13.Final"
SHA256 = "3cda1b34aa020fb4ac4dd6a66018d757e81e437f97e20a1f92d366b70091c6ba"

_ARCHIVE = f"apicurio-registry-app-{VERSION}-all.tar.gz"
_PROGRAM = f"apicurio-registry-app-{VERSION}-runner.jar"


class AssemblyError(Exception):
    """The registry cannot be downloaded; the message explains what to do."""


def main() -> int:
    try:
        print(registry_jar())
    except AssemblyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def registry_jar() -> Path:
    """Return the path of the registry's program, and download the program if necessary."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    home = Path(root) / "confluent-kafka" / f"apicurio-{VERSION}-{SHA256[:12]}"
    if not home.is_dir():
        _unpack(home)
    return home / _PROGRAM


def _unpack(home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    print(f"==> downloading Apicurio Registry {VERSION} with mvn", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        archive = Path(scratch) / _ARCHIVE
        _copy_archive(archive)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
            raise AssemblyError(
                f"{_ARCHIVE} from Maven does not have the pinned SHA-256: it is not used"
            )
        stage = Path(scratch) / "registry"
        with tarfile.open(archive) as files:
            files.extractall(stage, filter="data")
        try:
            stage.rename(home)
        except OSError:
            if not home.is_dir():  # if the folder exists, another run has just made it
                raise


def _copy_archive(archive: Path) -> None:
    artifact = f"io.apicurio:apicurio-registry-app:{VERSION}:tar.gz:all"
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}"]
    command += [f"-DoutputDirectory={archive.parent}"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=archive.parent)
    except FileNotFoundError:
        raise AssemblyError(
            "mvn is needed to download Apicurio Registry: install Maven (on Debian: "
            "apt-get install maven)"
        ) from None
    except subprocess.CalledProcessError as error:
        raise AssemblyError(
            f"'{' '.join(command)}' failed; check the network:\n{error.stdout}"
        ) from None


if __name__ == "__main__":
    sys.exit(main())
