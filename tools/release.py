"""Makes a release in dist/, and checks everything that can be checked before it is published.

    make release                       # all steps; takes an hour, mostly for tests
    make release ARGS="--quick"        # without the tests of each wheel and the second builds

Checks the version and the changelog, compares the API with the previous release (griffe), builds
the source distribution and a wheel for each CPython here, builds both a second time and compares
the bytes, looks into each artefact (twine, auditwheel, licences, bill of materials), installs each
in a clean environment and tests it there. At the end it prints the checksums of the artefacts, or
the problem that it found. docs/project/releasing.md describes each step, and the steps that people
do by hand.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from email.parser import Parser
from pathlib import Path

import librdkafka
import reproducible
import sbom
import wheels

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TOOLS = wheels.TOOLS
# The first release is compared with the API of this commit, because no earlier tag exists.
BASELINE = "d58d6f6afa27613ad36b6d02f1e1f81afcf45900"


class Wrong(Exception):
    """A problem that prevents the release."""


def version() -> str:
    """Return the version and the build as in the changelog: "2.16.1, build 1"."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [build] = re.findall(r'^BUILD = "(\d+)"$', (ROOT / "setup.py").read_text(), re.MULTILINE)
    return f"{project['version']}, build {build}"


def tag() -> str:
    """Return the tag of this release: "v2.16.1-1"."""
    return "v" + version().replace(", build ", "-")


def check_version() -> str:
    """Check that all files have one version, the changelog has entries, and the tag is free."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading, _, rest = changelog.partition("\n## ")[2].partition("\n")
    if heading != version():
        raise Wrong(f"the first section of CHANGELOG.md is {heading!r}, not {version()!r}")
    if "\n- " not in rest.partition("\n## ")[0]:
        raise Wrong(f"CHANGELOG.md has no entry for {version()}")
    tagged = git("rev-list", "-n", "1", tag())
    if tagged and tagged != git("rev-parse", "HEAD"):
        raise Wrong(f"{tag()} is the tag of another commit: raise BUILD in setup.py")
    return version()


def check_tree() -> str:
    """Check that all changes are committed."""
    if changed := git("status", "--porcelain"):
        raise Wrong(f"there are changes that are not committed:\n{changed}")
    return git("rev-parse", "HEAD")


def check_api() -> str:
    """Check that the changelog names all changes of the API since the last release."""
    previous = git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^") or BASELINE
    # griffe compares two commits. In the working tree, it would read the compiled extension instead
    # of the stub.
    command = ["griffe", "check", "confluent_kafka", "-s", "src", "-f", "oneline"]
    done = run([*command, "--against", previous, "--base-ref", "HEAD"], check=False)
    lines = (done.stdout + done.stderr).splitlines()
    if (done.returncode and not lines) or "Traceback (most recent call last):" in lines:
        raise Wrong(f"griffe failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    section = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    if unnamed := [line for line in lines if done.returncode and not is_named(line, section)]:
        raise Wrong(
            f"the API differs from that of {previous}, and the changelog does not name it:\n"
            + "\n".join(unnamed)
        )
    return f"compared with {previous}: {len(lines) if done.returncode else 'no'} changes"


def is_named(line: str, section: str) -> bool:
    """Return whether the changelog has the name in griffe's line ("f.py:1: Consumer.poll(x)")."""
    found = re.match(r"[^:]+:\d+: ([\w.]+)", line)
    return found is None or found[1].rpartition(".")[2] in section


def build_source() -> str:
    """Build the source distribution in dist/."""
    archive = reproducible.build(ROOT, "sdist", None)
    return archive.name


def build_wheels() -> str:
    """Build a wheel for each CPython here, and try it in an empty environment."""
    wheels.build_all()
    return ", ".join(sorted(each.name for each in DIST.glob("*.whl")))


def check_metadata() -> str:
    """Check the metadata in the same way as a package index."""
    run(["twine", "check", "--strict", *map(str, artefacts())])
    return f"{len(artefacts())} artefacts"


def check_wheels() -> str:
    """Check the tags, the licences and the bill of materials of each wheel."""
    for wheel in DIST.glob("*.whl"):
        python, abi, platform = wheel.stem.split("-")[-3:]
        # The tag is not abi3, because the extension uses functions that are not in the stable ABI.
        if not abi.startswith(python) or platform.startswith("linux_"):
            raise Wrong(f"{wheel.name} has other tags than it should have")
        with zipfile.ZipFile(wheel) as archive:
            check_contents(wheel.name, {name: archive.read(name) for name in archive.namelist()})
    return "tags, licences and bills of materials"


def check_contents(wheel: str, files: dict[str, bytes]) -> None:
    """Check that no licence is missing, and that the bill lists every shared library."""
    [info] = {name.partition("/")[0] for name in files if ".dist-info/" in name}
    metadata = Parser().parsestr(files[f"{info}/METADATA"].decode())
    named = metadata.get_all("License-File") or []
    if lost := [each for each in named if f"{info}/licenses/{each}" not in files]:
        raise Wrong(f"{wheel} names licences that it does not have: {lost}")
    if not {"LICENSE", "LICENSE.librdkafka"} <= set(named):
        raise Wrong(f"{wheel} has only these licences: {named}")
    bill = json.loads(files[f"{info}/sboms/{sbom.NAME}"])
    hashes = {
        each["hashes"][0]["content"]: each["name"]
        for each in bill["components"]
        if "hashes" in each
    }
    for name, contents in files.items():
        if ".libs/" in name and hashlib.sha256(contents).hexdigest() not in hashes:
            raise Wrong(f"{wheel}: the bill of materials does not have {name}")
    if bill["components"][0]["name"] != "librdkafka":
        raise Wrong(f"{wheel}: the bill of materials does not begin with librdkafka")


def check_reproducible() -> str:
    """Check that a second build of each artefact, in other folders, has the same bytes."""
    tool = ROOT / "tools" / "reproducible.py"
    done = run([sys.executable, str(tool), "--library", "--like", str(DIST)], check=False)
    print(done.stdout, end="")
    if done.returncode:
        raise Wrong(f"two builds are different{done.stderr}")
    return "two builds have the same bytes"


def try_source() -> str:
    """Check that the source distribution installs without an index, from librdkafka's archive."""
    [archive] = DIST.glob("*.tar.gz")
    sources = librdkafka.archive()
    with tempfile.TemporaryDirectory() as scratch:
        python = wheels.environment(sys.executable, Path(scratch) / "venv")
        requirements = ROOT / "requirements" / "build.txt"
        wheels.run(python, "-m", "pip", "install", "-q", "-r", requirements)
        pip = [python, "-m", "pip", "install", "-q", "--no-index", "--no-build-isolation"]
        # The cache is empty, so the installation compiles librdkafka from the given sources.
        given = {"LIBRDKAFKA_ARCHIVE": str(sources), "XDG_CACHE_HOME": scratch}
        run([*map(str, pip), str(archive)], environment=given)
        smoke = ROOT / "tools" / "smoke.py"
        wheels.run(python, "-P", smoke, "--patched", folder=Path(scratch))
    return archive.name


def test_wheels() -> str:
    """Run the unit and embedded tests against each installed wheel."""
    command = [sys.executable, str(ROOT / "tools" / "installed.py"), "--", "-n", "auto"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise Wrong("the tests do not pass with every wheel")
    return "passed"


def write_checksums() -> str:
    """Write dist/SHA256SUMS, for `sha256sum --check`."""
    lines = [
        f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}" for each in artefacts()
    ]
    (DIST / "SHA256SUMS").write_text("\n".join(lines) + "\n")
    return "\n" + "\n".join(lines)


def artefacts() -> list[Path]:
    return sorted([*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")])


def git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def run(
    command: list[str], check: bool = True, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; if it fails, the exception contains its output."""
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PATH": path} | (environment or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    if check and done.returncode:
        raise Wrong(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done


STEPS: dict[str, Callable[[], str]] = {
    "version": check_version,
    "tree": check_tree,
    "API": check_api,
    "wheels": build_wheels,
    "source distribution": build_source,
    "metadata": check_metadata,
    "contents": check_wheels,
    "second builds": check_reproducible,
    "source distribution, installed": try_source,
    "wheels, installed and tested": test_wheels,
    "checksums": write_checksums,
}
LONG = ("second builds", "wheels, installed and tested")


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes and checks a release in dist/.")
    parser.add_argument("--quick", action="store_true", help=f"without {' and '.join(LONG)}")
    parser.add_argument("--only", choices=STEPS, action="append", help="run only these steps")
    arguments = parser.parse_args()
    if (date := reproducible.date()) is not None:
        os.environ["SOURCE_DATE_EPOCH"] = str(date)
    wrong = []
    for name, step in STEPS.items():
        if (arguments.quick and name in LONG) or (arguments.only and name not in arguments.only):
            continue
        wheels.say(name)
        try:
            print(f"ok: {step()}", flush=True)
        except Wrong as error:
            wrong.append(name)
            print(f"WRONG: {error}", flush=True)
    if wrong:
        print(f"not ready: {', '.join(wrong)}")
        return 1
    print(f"ready to publish as {tag()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
