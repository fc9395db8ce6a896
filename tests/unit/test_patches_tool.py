"""tools/patches.py: its results for patches and for their headers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))
import patches

OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
CHANGE = """--- a/src/file.c
+++ b/src/file.c
@@ -1,7 +1,7 @@
 one
 two
 three
-four
+4
 five
 six
 seven
"""
HEADER = """Four is a number.

Cause: It was
    a word.

    Twice.

Change: A number.

Reproduce: Read it.

Test: tests/a.py::test_one
    tests/a.py::test_two

Upstream: yes.

"""


@pytest.fixture
def patch(tmp_path: Path) -> Path:
    path = tmp_path / "correctness" / "four.patch"
    path.parent.mkdir()
    path.write_text(HEADER + CHANGE)
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="librdkafka comes from vcpkg on Windows")
@pytest.mark.parametrize(
    ("sources", "answer", "failures"),
    [
        (OLD, "applies", 0),
        ("zero\n" + OLD, "applies, at other lines", 0),
        (OLD.replace("four", "4"), "obsolete", 0),
        (OLD.replace("two", "2"), "does not apply", 1),
        (OLD.replace("four", "vier"), "does not apply", 1),
    ],
)
def test_answers(
    patch: Path,
    sources: str,
    answer: str,
    failures: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The tool prints whether a patch applies, and never changes the sources."""
    tree = patch.parents[1] / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "file.c").write_text(sources)
    monkeypatch.setattr(patches.librdkafka, "PATCHES", (patch,))
    assert patches.try_all(tree) == failures
    name, said = capsys.readouterr().out.split(maxsplit=1)
    assert name == "correctness/four"
    assert said.startswith(answer)
    assert (tree / "src" / "file.c").read_text() == sources


@pytest.mark.skipif(sys.platform == "win32", reason="librdkafka comes from vcpkg on Windows")
def test_what_has_to_go_with_a_patch(patch: Path) -> None:
    """When a patch is taken out, only later patches that change the same lines are also taken
    out."""
    again, other = patch.with_name("iv.patch"), patch.with_name("other.patch")
    again.write_text(patch.read_text().replace("+4", "+IV").replace("-four", "-4"))
    other.write_text(HEADER + "--- a/src/other.c\n+++ b/src/other.c\n@@ -1,1 +1,1 @@\n-x\n+y\n")
    order = [patches.Patch.read(path) for path in (other, patch, again)]
    workshop = object.__new__(patches.Workshop)
    workshop._root = patch.parents[1]
    (workshop._root / "src").mkdir()
    file, alone = (workshop._root / "src" / name for name in ("file.c", "other.c"))
    file.write_text(OLD.replace("four", "IV"))
    alone.write_text("y\n")
    assert workshop.take_out(order[1], order) == [order[2], order[1]]
    assert (file.read_text(), alone.read_text()) == (OLD, "y\n")
    assert workshop.take_out(order[0], order) == [order[0]]
    assert alone.read_text() == "x\n"


def test_header(patch: Path) -> None:
    """A header is split into its parts, and becomes the text of a pull request."""
    read = patches.Patch.read(patch)
    assert (read.title, read.cause) == ("Four is a number", "It was\na word.\n\nTwice.")
    assert read.tests == ("tests/a.py::test_one", "tests/a.py::test_two")
    assert read.pull_request().startswith("Four is a number\n\nIt was\na word.\n\nTwice.\n\n###")


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        ("Cause: ", "Because: "),
        ("Upstream: yes", "Upstream: perhaps"),
        ("Test: ", "Tests: "),
        ("Change: ", "Shown by: "),
        ("Four is a number.\n", ""),
    ],
)
def test_header_without_a_part(patch: Path, part: str, instead: str) -> None:
    """A header with a missing part raises an error that names the patch."""
    patch.write_text(patch.read_text().replace(part, instead, 1))
    with pytest.raises(patches.HeaderError, match=r"four\.patch"):
        patches.Patch.read(patch)


@pytest.mark.parametrize(
    "change",
    [
        "--- /dev/null\n+++ b/src/four.d\n@@ -0,0 +1 @@\n+four.o\n",
        "Binary files /dev/null and b/four.o differ\n",
    ],
)
def test_what_was_built(patch: Path, change: str) -> None:
    """A patch that contains files of the compiler, because it was made after a build, raises an
    error."""
    patch.write_text(patch.read_text() + change)
    with pytest.raises(patches.HeaderError, match=r"four\.patch: \S*four\.[do] is no source"):
        patches.Patch.read(patch)
