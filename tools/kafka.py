#!/usr/bin/env python3
"""Assembles an Apache Kafka distribution from Maven Central once, and prints its path.

Maven copies the jars named in ``tools/kafka/pom.xml``; each must have the SHA-256 that
``tools/kafka/libs-VERSION.sha256`` pins. The jars and the small scripts in ``tools/kafka`` form a
``KAFKA_HOME`` under ``$XDG_CACHE_HOME/confluent-kafka`` (``~/.cache`` by default)::

    python tools/kafka.py          # assemble it if necessary, and print its path
    python tools/kafka.py --pin    # for a new version: write the checksums of Maven's jars

Environment:
    KAFKA_HOME     a distribution that already exists (4.2 or newer); the program prints its path
    KAFKA_VERSION  another release whose checksums are pinned
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The tests run this release, and the tables of confluent_kafka.protocol come from it.
VERSION = "4.4.0"

FILES = Path(__file__).resolve().parent / "kafka"
POM = FILES / "pom.xml"
_INSTEAD = "You can also set KAFKA_HOME to a distribution of Kafka 4.2 or newer"


class AssemblyError(Exception):
    """The distribution cannot be made; the message explains what to do."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pin", action="store_true", help="write the checksums, build nothing")
    args = parser.parse_args()
    try:
        if args.pin:
            _pin()
        else:
            print(kafka_home())
    except AssemblyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def checksums(version: str) -> Path:
    """Return the path of the file that pins the jars of a release."""
    return FILES / f"libs-{version}.sha256"


def pinned() -> list[str]:
    """Return the releases whose jars are pinned."""
    return sorted(path.stem.removeprefix("libs-") for path in FILES.glob("libs-*"))


def kafka_home() -> Path:
    """Return the distribution's folder, and assemble the distribution if necessary."""
    given = os.environ.get("KAFKA_HOME")
    if given:
        if not Path(given, "bin", "kafka-server-start.sh").is_file():
            raise AssemblyError(f"KAFKA_HOME={given} has no bin/kafka-server-start.sh")
        return Path(given)
    version = _chosen()
    if not checksums(version).is_file():
        known = ", ".join(pinned())
        raise AssemblyError(f"KAFKA_VERSION={version} is not pinned; these are: {known}")
    home = _cache() / f"kafka-{version}-{_recipe()}"
    if not home.is_dir():
        _assemble(home, version)
    return home


def _chosen() -> str:
    return os.environ.get("KAFKA_VERSION") or VERSION


def _cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "confluent-kafka"


def _recipe() -> str:
    """Return a digest that changes with every part of the distribution."""
    digest = hashlib.sha256()
    for path in sorted(path for path in FILES.rglob("*") if path.is_file()):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _assemble(home: Path, version: str) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    print(f"==> assembling Apache Kafka {version} with mvn", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=home.parent) as scratch:
        stage = Path(scratch) / "kafka"
        for part in ("bin", "config"):
            shutil.copytree(FILES / part, stage / part)
        try:
            copy_libraries(POM, stage / "libs", version)
        except AssemblyError as error:
            raise AssemblyError(f"{error}\n{_INSTEAD}") from None
        _verify(stage / "libs", version)
        try:
            stage.rename(home)
        except OSError:
            if not home.is_dir():  # if the folder exists, another run has just made it
                raise


def copy_libraries(pom: Path, folder: Path, version: str, *options: str) -> None:
    """Let Maven copy the jars of one release of Kafka that a pom.xml names.

    Args:
        pom: the file; Maven sets its ``kafka.version`` to the release.
        folder: the folder to make.
        version: the release, or a range of releases, of which Maven takes the newest.
        options: additional options for mvn.
    """
    command = ["mvn", "-q", "-B", *options, "-f", str(pom), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
    command += [f"-Dkafka.version={version}"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder.parent)
    except FileNotFoundError:
        raise AssemblyError(
            "mvn copies Apache Kafka's jars: install Maven (on Debian: apt-get install maven)"
        ) from None
    except subprocess.CalledProcessError as error:
        raise AssemblyError(
            f"'{' '.join(command)}' failed; check the network:\n{error.stdout}"
        ) from None


def _digests(folder: Path) -> dict[str, str]:
    return {
        jar.name: hashlib.sha256(jar.read_bytes()).hexdigest()
        for jar in sorted(folder.glob("*.jar"))
    }


def _verify(folder: Path, version: str) -> None:
    lines = (line.split() for line in checksums(version).read_text().splitlines())
    wanted = {name: digest for digest, name in lines}
    actual = _digests(folder)
    wrong = sorted(
        name for name in wanted.keys() | actual.keys() if wanted.get(name) != actual.get(name)
    )
    if wrong:
        raise AssemblyError(
            f"Maven's files differ from {checksums(version).name}: {', '.join(wrong)}. "
            "Nothing was installed"
        )


def _pin() -> None:
    version = _chosen()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "libs"
        copy_libraries(POM, folder, version)
        lines = [f"{digest}  {name}\n" for name, digest in _digests(folder).items()]
    checksums(version).write_text("".join(lines))


if __name__ == "__main__":
    sys.exit(main())
