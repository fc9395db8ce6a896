"""tools/release.py and the workflows: their checks, and the parts that they name."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
import installed  # noqa: E402
import release  # noqa: E402
import sbom  # noqa: E402

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LIBRARY = b"a shared library"
INFO = "confluent_kafka-1.dist-info"


def contents(*, licences: tuple[str, ...] = ("LICENSE", "LICENSE.librdkafka")) -> dict[str, bytes]:
    """The contents of a correct wheel."""
    named = "".join(f"License-File: {name}\n" for name in licences)
    digest = hashlib.sha256(LIBRARY).hexdigest()
    components = [
        {"name": "librdkafka"},
        {"name": "libz.so.1", "hashes": [{"alg": "SHA-256", "content": digest}]},
    ]
    return {
        f"{INFO}/METADATA": f"Name: confluent-kafka\n{named}\n".encode(),
        f"{INFO}/sboms/{sbom.NAME}": json.dumps({"components": components}).encode(),
        "confluent_kafka.libs/libz-1.so.1": LIBRARY,
        **{f"{INFO}/licenses/{name}": b"text" for name in licences},
    }


def test_good_wheel() -> None:
    """A correct wheel passes the check."""
    release.check_contents("a.whl", contents())


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (contents(licences=("LICENSE",)), "has only these licences"),
        (contents() | {"confluent_kafka.libs/libx-1.so": b"other"}, "does not have"),
        (
            contents() | {f"{INFO}/sboms/{sbom.NAME}": b'{"components": [{"name": "x"}]}'},
            "bill of materials",
        ),
        (
            {k: v for k, v in contents().items() if not k.endswith("/LICENSE.librdkafka")},
            "names licences that it does not have",
        ),
    ],
    ids=["licences", "library", "librdkafka", "lost licence"],
)
def test_bad_wheels(files: dict[str, bytes], said: str) -> None:
    """The error names the wheel and the problem."""
    with pytest.raises(release.Wrong, match=f"^a.whl.*{said}"):
        release.check_contents("a.whl", files)


def test_version_is_that_of_the_changelog() -> None:
    """The version is the first version in the changelog, and the tag contains this version."""
    assert re.fullmatch(r"\d+\.\d+\.\d+, build \d+", release.version())
    assert re.fullmatch(r"v\d+\.\d+\.\d+-\d+", release.tag())
    heading = (ROOT / "CHANGELOG.md").read_text().partition("\n## ")[2].partition("\n")[0]
    assert heading == release.version()


def test_changes_of_the_api_are_named() -> None:
    """The changelog must contain the name of the object, in any place."""
    line = "src/confluent_kafka/cimpl.pyi:7: Consumer.poll(timeout): Parameter was removed"
    assert release.is_named(line, "`poll()` takes no timeout")
    assert not release.is_named(line, "`consume()` takes no timeout")


def test_page_describes_every_step() -> None:
    """The page about releases lists the steps in the order in which they run."""
    page = (ROOT / "docs" / "project" / "releasing.md").read_text()
    table = page.partition("| step of `make release`")[2].partition("\n\n")[0]
    assert re.findall(r"^\| ([^|`-]+?) \|", table, re.M) == list(release.STEPS)


def test_tests_that_are_left_out_exist() -> None:
    """Each test that is left out exists.

    Otherwise a renamed test would run where it cannot work.
    """
    for name in installed.ON_SOURCES:
        assert (ROOT / "tests" / name).is_file()


def test_tags_of_wheels(tmp_path: Path) -> None:
    """Each wheel is found by the tag of the interpreters for which it was built."""
    name = "confluent_kafka-2.16.1-1-cp314-cp314t-manylinux_2_28_x86_64.whl"
    (tmp_path / name).touch()
    assert installed.wheels(tmp_path) == {"cp314-cp314t": tmp_path / name}
    version = "cp{}{}".format(*sys.version_info[:2])
    assert installed.tag(sys.executable).startswith(f"{version}-{version}")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows(workflow: Path) -> None:
    """Actions have complete versions, the targets of make exist, and no workflow may write to the
    repository."""
    text = workflow.read_text()
    actions = re.findall(r"uses: (\S+)", text)
    assert [each for each in actions if not re.fullmatch(r"[\w/-]+@v\d+\.\d+\.\d+", each)] == []
    makefile = (ROOT / "Makefile").read_text()
    lists = re.findall(r"target: \[(.*)\]", text)
    targets = re.findall(r"run: make ([a-z-]+)", text) + [
        name for each in lists for name in each.split(", ")
    ]
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.M), target
    assert "permissions:\n  contents: read\n" in text


def test_workflows_cover_what_there_is() -> None:
    """Workflows run the build, tests, lint with the site, wheels and, on a schedule, sanitizers and
    fuzzing."""
    texts = {path.stem: path.read_text() for path in WORKFLOWS}
    assert {"ci", "wheels", "nightly"} <= texts.keys()
    for target in ("asan", "tsan", "valgrind", "fuzz"):
        assert target in texts["nightly"]
    assert "schedule:" in texts["nightly"]
    assert "make lint" in texts["ci"]
    assert "make test" in texts["ci"]
