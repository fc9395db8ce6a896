"""tools/sbom.py: the bill of materials is valid, complete and the same each time."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
import librdkafka  # noqa: E402
import sbom  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PATCHES = frozenset(map(librdkafka.patch_name, librdkafka.PATCHES))


@pytest.fixture
def bill(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764000000")
    return sbom.document(PROJECT, "1", "pinned", PATCHES)


def assert_valid(document: dict[str, Any]) -> None:
    """Validates a bill with the schema that CycloneDX publishes, which its Python library
    contains."""
    pytest.importorskip("cyclonedx.schema", reason="cyclonedx-python-lib is not installed")
    rust = pytest.importorskip("jsonschema_rs", reason="jsonschema-rs is not installed")
    from cyclonedx.schema import _res

    schemas = {
        name: json.loads((Path(_res.__file__).parent / f"{name}.SNAPSHOT.schema.json").read_text())
        for name in ("bom-1.6", "spdx", "jsf-0.82")
    }
    folder = schemas["bom-1.6"]["$id"].rpartition("/")[0]
    registry = rust.Registry(
        [(f"{folder}/{name}.SNAPSHOT.schema.json", each) for name, each in schemas.items()]
    )
    rust.validator_for(schemas["bom-1.6"], registry=registry, validate_formats=True).validate(
        document
    )


def test_valid(bill: dict[str, Any]) -> None:
    """The bill is valid with the pinned librdkafka and with the system's librdkafka."""
    assert_valid(bill)
    assert_valid(sbom.document(PROJECT, "1", "system"))
    bill["components"][0]["hashes"][0]["alg"] = "SHA-257"
    with pytest.raises(ValueError, match="SHA-257"):
        assert_valid(bill)


def test_every_patch_is_named_with_its_hash(bill: dict[str, Any]) -> None:
    """The bill names exactly the patches in the library, each with its hash."""
    [library] = bill["components"]
    assert (library["name"], library["version"]) == ("librdkafka", librdkafka.VERSION)
    assert library["hashes"] == [{"alg": "SHA-256", "content": librdkafka.NPM_SHA256}]
    properties = {each["name"]: each["value"] for each in library["properties"]}
    for patch in librdkafka.PATCHES:
        digest = hashlib.sha256(patch.read_bytes()).hexdigest()
        name = f"confluent-kafka:patch:{librdkafka.patch_name(patch)}"
        assert properties[name] == f"sha256:{digest}"
    assert len(library["pedigree"]["patches"]) == len(librdkafka.PATCHES)
    for each in library["pedigree"]["patches"]:
        assert (ROOT / each["diff"]["url"]).is_file()
    assert "patch" not in json.dumps(sbom.document(PROJECT, "1", "system"))


def test_same_each_time(bill: dict[str, Any]) -> None:
    """The time and the serial number of a bill depend only on its contents, so that the same input
    results in the same bill."""
    assert sbom.document(PROJECT, "1", "pinned", PATCHES) == bill
    other = sbom.document(PROJECT, "2", "pinned", PATCHES)
    assert other["serialNumber"] != bill["serialNumber"]
    assert bill["metadata"]["timestamp"] == "2025-11-24T16:00:00Z"


@pytest.fixture(scope="module")
def sources() -> dict[str, bytes]:
    """The pinned sources, by their path below librdkafka's folder."""
    if librdkafka.needs_build() or not librdkafka._kept_archive().is_file():
        pytest.skip("the sources of librdkafka are not here")
    with tarfile.open(librdkafka.archive()) as archive:
        return {
            member.name.partition("/librdkafka/")[2]: file.read()
            for member in archive
            if "/librdkafka/" in member.name and (file := archive.extractfile(member))
        }


def test_carried_code_is_that_of_the_pinned_sources(sources: dict[str, bytes]) -> None:
    """The bill has the hashes of the pinned files, and the versions that some of them state."""
    for code in sbom.CARRIED.values():
        for path, digest in code["files"].items():
            assert hashlib.sha256(sources[path]).hexdigest() == digest, path
    versions = {name: code.get("version") for name, code in sbom.CARRIED.items()}
    for name, file, prefix in (
        ("cJSON", "cJSON.h", "CJSON"),
        ("lz4", "lz4.h", "LZ4"),
        ("tinycthread", "tinycthread.h", "TINYCTHREAD"),
        ("xxHash", "rdxxhash.h", "XXH"),
    ):
        pattern = rf"#define {prefix}_VERSION_(?:MAJOR|MINOR|PATCH|RELEASE) +(\d+)"
        stated = re.findall(pattern, sources[f"src/{file}"].decode())
        assert versions[name] == ".".join(stated)
    assert f'"nanopb-{versions["nanopb"]}"' in sources["src/nanopb/pb.h"].decode()


def test_licences_are_those_of_the_pinned_sources(sources: dict[str, bytes]) -> None:
    """Wheels contain the licence file of the pinned sources, and each licence in this file belongs
    to code in the bill."""
    text = (ROOT / "LICENSE.librdkafka").read_bytes()
    assert text == sources["LICENSES.txt"]
    named = set(re.findall(r"^LICENSE\.(\w+)$", text.decode(), re.M)) - {"wingetopt"}  # Windows
    others = {"minilibs-regexp": "regexp", "opentelemetry-proto": "opentelemetry"}
    others |= {"queue.h": "queue", "snappy-c": "snappy", "xxHash": "lz4"}
    assert named == {others.get(name, name).lower() for name in sbom.CARRIED}


def test_shared_libraries_of_a_repaired_wheel(
    bill: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bill lists each library in the wheel with its hash, package and licence.

    The text of the licence is in the wheel.
    """
    original = tmp_path / "libssl.so.3.0.17"
    original.write_bytes(b"as the system has it")
    link = tmp_path / "libssl.so.3"
    link.symlink_to(original)
    short = hashlib.sha256(original.read_bytes()).hexdigest()[:8]
    wheel = tmp_path / "wheel"
    info = wheel / "confluent_kafka-1.dist-info"
    (info / "sboms").mkdir(parents=True)
    (info / "sboms" / sbom.NAME).write_text(sbom.text(bill))
    copied = wheel / "confluent_kafka.libs" / f"libssl-{short}.so.3"
    copied.parent.mkdir()
    copied.write_bytes(b"as auditwheel has changed it")
    purl = "pkg:deb/debian/libssl3@3.0.17-1"
    path = hashlib.sha256(str(original).encode()).hexdigest()
    package = {"name": "libssl3", "version": "3.0.17-1", "purl": purl, "bom-ref": f"{purl}#{path}"}
    (info / "sboms" / "auditwheel.cdx.json").write_text(json.dumps({"components": [package]}))
    monkeypatch.setattr(sbom, "_licence_text", lambda _package: b"Apache License")
    assert sbom.add_libraries(wheel, {"libssl.so.3": link}) == ["libs/libssl3.txt"]
    assert (info / "licenses" / "libs" / "libssl3.txt").read_bytes() == b"Apache License"
    completed = json.loads((info / "sboms" / sbom.NAME).read_text())
    assert_valid(completed)
    added = completed["components"][-1]
    assert (added["name"], added["version"]) == ("libssl.so.3", "3.0.17-1")
    assert added["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    assert added["hashes"][0]["content"] == hashlib.sha256(copied.read_bytes()).hexdigest()
    assert completed["serialNumber"] != bill["serialNumber"]
