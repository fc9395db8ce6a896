"""The metadata of the distribution: its version, its licence and its page on an index."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import confluent_kafka

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# The version of confluent-kafka whose API this package has.
LINE = "2.16"


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    """The metadata of a wheel, without compiling and without writing into this tree."""
    folder = tmp_path_factory.mktemp("metadata")
    command = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    [info] = folder.glob("*.egg-info/PKG-INFO")
    return Parser().parsestr(info.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "requirement",
    [
        # Requirements of packages that depend on confluent-kafka, as these packages write them.
        "confluent-kafka>=1.8.2,<3.0.0",
        "confluent-kafka>=1.8.2,<=3.0.0",
        "confluent-kafka>=2,<3",
        "confluent-kafka<3",
        "confluent-kafka>=2.8.2,<2.17",
        "confluent-kafka~=2.0",
        f"confluent-kafka~={LINE}.0",
        "confluent-kafka[avro,json,protobuf,schemaregistry]>=2.10.0",
    ],
)
def test_dependants_accept_the_version(requirement: str) -> None:
    """Version ranges of dependent packages accept the version without --pre, because it is a final
    release in their range."""
    version = Version(PROJECT["version"])
    wanted = Requirement(requirement)
    assert wanted.name == PROJECT["name"]
    assert wanted.specifier.contains(version, prereleases=False)
    assert wanted.extras <= PROJECT["optional-dependencies"].keys()
    assert (version.is_prerelease, version.local) == (False, None)
    assert f"{version.major}.{version.minor}" == LINE


def test_versions_keep_their_forms() -> None:
    """version() is a text of numbers, and libversion() is a pair, because programs parse them."""
    assert confluent_kafka.version() == confluent_kafka.__version__ == PROJECT["version"]
    assert tuple(map(int, confluent_kafka.version().split("."))) >= (2, 16, 1)
    text, number = confluent_kafka.libversion()
    assert isinstance(text, str)
    assert isinstance(number, int)


def test_build_has_a_number_of_its_own() -> None:
    """Two builds of one version differ in build_info() and in the names of their wheels."""
    build = confluent_kafka.build_info()["build"]
    assert re.fullmatch(r"[1-9]\d*", build)
    [stated] = re.findall(r'^BUILD = "(.+)"$', (ROOT / "setup.py").read_text(), re.MULTILINE)
    assert build == stated


def test_changelog_begins_with_this_build() -> None:
    """The first section of the changelog is about the version and the build of this tree."""
    build = confluent_kafka.build_info()["build"]
    headings = re.findall("^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == f"{PROJECT['version']}, build {build}"


def test_description_has_no_relative_links(metadata: Message) -> None:
    """The description has no relative links, because an index shows only README and no other
    files."""
    text = metadata.get_payload() or metadata["Description"]
    assert isinstance(text, str)
    assert text.lstrip().startswith("# confluent-kafka")
    targets = re.findall(r"\]\(([^)]*)\)", text)
    assert targets
    assert all(target.startswith("https://") for target in targets), targets
    assert "`docs/project/reliability.md`" in text


def test_links_of_readme_lead_to_files_of_the_source_distribution() -> None:
    """The files that README links to exist in the repository and in the source distribution."""
    included = (ROOT / "MANIFEST.in").read_text() + " README.md LICENSE LICENSE.librdkafka"
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)", (ROOT / "README.md").read_text()):
        path = ROOT / target
        assert path.exists(), target
        folder = target.split("/")[0]
        wanted = (f"graft {folder}\n", target, f"{folder}/*{path.suffix}")
        assert any(each in included for each in wanted), target


def test_metadata_names_authors_links_and_licences(metadata: Message) -> None:
    """The licence expression covers the code that the extension links statically, and the metadata
    lists the licence files."""
    licences = set(metadata["License-Expression"].split(" AND "))
    assert licences >= {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "Zlib"}
    assert metadata.get_all("License-File") == ["LICENSE", "LICENSE.librdkafka"]
    assert metadata["Author"]
    assert metadata["Maintainer"]
    for url in metadata.get_all("Project-URL") or []:
        label, _, target = url.partition(", ")
        assert len(label) <= 32
        assert target.startswith("https://")
        assert "confluentinc" not in target, "that is another project"


def test_classifiers_are_of_what_the_tests_run_on(metadata: Message) -> None:
    """The classifiers name the interpreters and systems on which the tests and `make wheel` run."""
    classifiers = metadata.get_all("Classifier") or []
    versions = [each.rpartition(" ")[2] for each in classifiers if "Python :: 3." in each]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    systems = [each for each in classifiers if each.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
