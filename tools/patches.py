"""Tries the patches of librdkafka: which ones apply, are obsolete, or are needed.

    python tools/patches.py                     # on the pinned sources
    python tools/patches.py --tree FOLDER       # on a checkout of another release
    python tools/patches.py --without           # builds librdkafka without each patch in turn, and
                                                # runs the test that its header names: it must fail
    python tools/patches.py --without stop-once late-assign
    python tools/patches.py --pull-request stop-once
                                                # what its pull request says

docs/project/librdkafka.md describes what to do with the results. FOLDER is not changed: the patches
are applied to a copy. --without works in build/patches, which may be removed; it needs the
environment of `make build`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import librdkafka

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "patches"
_FIELD = re.compile(r"^(Cause|Change|Reproduce|Test|Shown by|Upstream): ", re.MULTILINE)

_NAMED = re.compile(r"^(?:\+\+\+ b/|Binary files /dev/null and b/)(\S+)", re.MULTILINE)
_SOURCE = re.compile(r"(\.[ch]|/Makefile|/CMakeLists\.txt)$")


class HeaderError(Exception):
    """A patch lacks a part of its header, or changes a file that is not a source."""


@dataclass(frozen=True)
class Patch:
    """A patch and its header."""

    path: Path
    title: str
    cause: str
    change: str
    reproduce: str
    tests: tuple[str, ...]  # pytest's names of those that fail without the patch
    shown_by: str  # if no test can fail: the command that shows the fault
    upstream: str

    @property
    def name(self) -> str:
        return self.path.stem

    @classmethod
    def read(cls, path: Path) -> Patch:
        header, _, changes = path.read_text().partition("\n--- ")
        title, *parts = _FIELD.split(header)
        fields = dict(zip(parts[::2], map(_unindented, parts[1::2]), strict=True))
        missing = {"Cause", "Change", "Reproduce", "Upstream"} - fields.keys()
        if missing or len({"Test", "Shown by"} & fields.keys()) != 1 or not title.strip():
            raise HeaderError(
                f"{path.name}: its header needs a title, Cause, Change, Reproduce, Upstream, and "
                f"either Test or Shown by"
            )
        if not re.match(r"(yes|no)\b", fields["Upstream"]):
            raise HeaderError(f"{path.name}: Upstream says yes or no, and why")
        # A patch from `git diff` after a build contains the files that the compiler wrote, too.
        if built := [each for each in _NAMED.findall(changes) if not _SOURCE.search(each)]:
            raise HeaderError(f"{path.name}: {built[0]} is no source file")
        return cls(
            path,
            title.strip().rstrip("."),
            fields["Cause"],
            fields["Change"],
            fields["Reproduce"],
            tuple(fields.get("Test", "").split()),
            fields.get("Shown by", ""),
            fields["Upstream"],
        )

    def pull_request(self) -> str:
        return (
            f"{self.title}\n\n{self.cause}\n\n"
            f"### How to reproduce\n\n{self.reproduce}\n\n"
            f"### What this changes\n\n{self.change}\n"
        )


def _unindented(text: str) -> str:
    return re.sub(r"^ {4}", "", text, flags=re.MULTILINE).strip()


def read_all() -> list[Patch]:
    return [Patch.read(path) for path in librdkafka.PATCHES]


# ---- which still apply ----


def try_all(tree: Path) -> int:
    """Apply all patches to a copy of `tree`, in order; return how many do not apply."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "librdkafka"
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git", "*.o", "*.a", "*.so*"))
        answers = {path: _try(path, copy) for path in librdkafka.PATCHES}
    for path, answer in answers.items():
        print(f"{librdkafka.patch_name(path):40} {answer}")
    return sum(answer.startswith("does not apply") for answer in answers.values())


def _try(path: Path, tree: Path) -> str:
    done = _patch(path, tree, "--forward", "--dry-run")
    if done.returncode == 0:
        _patch(path, tree, "--forward")
        return "applies, at other lines" if "offset" in done.stdout else "applies"
    if _patch(path, tree, "--reverse", "--dry-run").returncode == 0:
        return "obsolete: the sources have the change already"
    reasons = [line for line in done.stdout.splitlines() if "FAILED" in line or "can't" in line]
    return "does not apply: " + "; ".join(reasons or done.stdout.splitlines()[-1:])


def _patch(path: Path, tree: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["patch", "-p1", "--fuzz=0", "--batch", *options, "-i", str(path)],
        cwd=tree,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


# ---- which are needed ----


class Workshop:
    """A librdkafka with all patches, which can be built without one of them."""

    def __init__(self) -> None:
        self._log = WORK / "log"
        self._prefix = WORK / "prefix"
        sources = WORK / "sources"
        stamp = WORK / "compiled"
        changes = " ".join(map(librdkafka.digest_of_change, librdkafka.PATCHES))
        if not stamp.exists() or stamp.read_text() != changes:
            shutil.rmtree(WORK, ignore_errors=True)
            sources.mkdir(parents=True)
            self._root = librdkafka.unpack_patched(sources)
            _say("compiling librdkafka with all patches")
            options = librdkafka.build_options()
            librdkafka.configure(self._root, self._prefix, options, self._log)
            librdkafka.make(self._root, self._log)
            stamp.write_text(changes)
        (self._root,) = (path.parent for path in sources.rglob("configure.self"))

    def fails_without(self, patch: Patch) -> tuple[bool, list[Patch]]:
        """Return whether a patch's tests fail without it, and the patches left out with it."""
        order = read_all()
        gone = self.take_out(patch, order)
        try:
            self._build_extension(without=gone)
        finally:
            for each in order:
                if each in gone:
                    self._change(each, "--forward")
        names = ",".join(each.name for each in gone)
        fails = all(not self.passes([test], without=names) for test in patch.tests)
        return fails, [each for each in gone if each != patch]

    def take_out(self, patch: Patch, order: list[Patch]) -> list[Patch]:
        """Take out a patch, and later patches that change the same lines; return them."""
        gone: list[Patch] = []
        later = order[order.index(patch) + 1 :]
        while later and not self._reverses(patch):
            gone.append(later.pop())
            self._change(gone[-1], "--reverse")
        self._change(patch, "--reverse")
        return [*gone, patch]

    def build_with_all(self) -> None:
        self._build_extension()

    def passes(self, tests: Iterable[str], without: str = "") -> bool:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
        environment = os.environ | {
            "PYTHONPATH": str(WORK / "lib"),
            "LIBRDKAFKA_PREFIX": str(self._prefix),
            "LIBRDKAFKA_WITHOUT": without,
        }
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        with self._log.open("a") as log:
            log.write(done.stdout + done.stderr)
        # A negative code is a signal: the test has crashed, so it has failed. A code above 1 means
        # that pytest could not run the tests.
        if done.returncode > 1 or re.search(r"\d skipped", done.stdout):
            raise librdkafka.BuildError(
                f"{' '.join(command)} did not run all tests ({done.returncode}): see {self._log}"
            )
        return done.returncode == 0

    def _reverses(self, patch: Patch) -> bool:
        return _patch(patch.path, self._root, "--reverse", "--dry-run").returncode == 0

    def _change(self, patch: Patch, direction: str) -> None:
        # The dry run comes first, so that the patch is applied completely or not at all.
        for options in ((direction, "--dry-run"), (direction,)):
            done = _patch(patch.path, self._root, *options)
            if done.returncode != 0:
                raise librdkafka.BuildError(f"{patch.name}, {direction}: {done.stdout}")

    def _build_extension(self, without: Iterable[Patch] = ()) -> None:
        librdkafka.make(self._root, self._log)
        librdkafka.install(self._root, self._prefix, Path("/"), self._log)
        gone = {patch.path for patch in without}
        librdkafka.list_patches(self._prefix, [p for p in librdkafka.PATCHES if p not in gone])
        for module in (WORK / "lib").rglob("cimpl*"):
            module.unlink()  # it must be linked again, although its own sources are unchanged
        environment = os.environ | {"LIBRDKAFKA_PREFIX": str(self._prefix)}
        command = [sys.executable, "setup.py", "-q", "build", "--build-base", str(WORK / "build")]
        command += ["--build-lib", str(WORK / "lib"), "egg_info", "--egg-base", str(WORK / "lib")]
        (WORK / "lib").mkdir(exist_ok=True)
        with self._log.open("a") as log:
            subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=log, check=True)


def try_without(names: list[str]) -> int:
    """Return the number of patches whose tests do not fail without them, or fail with them."""
    patches = [patch for patch in read_all() if not names or patch.name in names]
    if unknown := set(names) - {patch.name for patch in patches}:
        raise librdkafka.BuildError(f"tools/patches has no {', '.join(sorted(unknown))}")
    tested = [patch for patch in patches if patch.tests]
    workshop = Workshop()
    workshop.build_with_all()
    wrong = 0
    for patch in tested:
        if not workshop.passes(patch.tests):
            print(f"{patch.name:24} FAILS with all patches: {' '.join(patch.tests)}", flush=True)
            wrong += 1
    for patch in tested:
        try:
            fails, others = workshop.fails_without(patch)
        except librdkafka.BuildError as error:
            print(f"{patch.name:24} cannot be tried: {error}", flush=True)
            wrong += 1
            continue
        wrong += not fails
        answer = "fails without it" if fails else "PASSES without it"
        if others:  # later patches that change the same lines
            answer += f" and {', '.join(each.name for each in others)}"
        print(f"{patch.name:24} {answer}: {' '.join(patch.tests)}", flush=True)
    for patch in patches:
        if not patch.tests:
            print(f"{patch.name:24} is not shown by a test: {patch.shown_by}")
    return wrong


# ---- the command ----


def _say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Tries the patches to librdkafka.")
    parser.add_argument("--tree", type=Path, help="sources of librdkafka to use instead")
    parser.add_argument("--without", nargs="*", metavar="NAME", help="run the tests without each")
    parser.add_argument("--pull-request", metavar="NAME", help="print the text of a pull request")
    arguments = parser.parse_args()
    try:
        if arguments.pull_request:
            (patch,) = (each for each in read_all() if each.name == arguments.pull_request)
            print(patch.pull_request(), end="")
            return 0
        if arguments.without is not None:
            return min(try_without(arguments.without), 1)
        if arguments.tree:
            return min(try_all(arguments.tree), 1)
        with tempfile.TemporaryDirectory() as scratch:
            return min(try_all(librdkafka.unpack(Path(scratch))), 1)
    except (librdkafka.BuildError, HeaderError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
