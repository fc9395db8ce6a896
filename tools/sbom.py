"""Writes a wheel's bill of materials (CycloneDX): all third-party code in the wheel.

setup.py writes it into the wheel's `.dist-info/sboms/` (PEP 770): librdkafka with each of our
patches, and the code that librdkafka carries. tools/wheels.py adds the shared libraries that
auditwheel copies into a wheel, and their licences.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import subprocess
import tomllib
import urllib.parse
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import librdkafka

NAME = "confluent-kafka.cdx.json"


# Third-party code among librdkafka's sources; a comment in the file describes its tables.
CARRIED: dict[str, Any] = tomllib.loads(
    (Path(__file__).resolve().parent / "carried.toml").read_text(encoding="utf-8")
)
# The licences of shared libraries in wheels, by the start of the libraries' names. For any other
# library, the bill names the file with the text of the licence.
LICENCES = {
    "libcrypto": "Apache-2.0",
    "libssl": "Apache-2.0",
    "libcurl": "curl",
    "libz": "Zlib",
    "libzstd": "BSD-3-Clause",
}


def document(
    project: dict[str, Any],
    build: str,
    source: Literal["pinned", "system", "prefix"],
    patches: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Return the bill of a wheel before shared libraries are copied into it.

    Args:
        project: the table [project] of pyproject.toml.
        build: the number of our build of that version.
        source: where its librdkafka comes from. Only the pinned librdkafka has known contents.
        patches: the patches that this librdkafka has.
    """
    package = {
        "type": "library",
        "bom-ref": f"pkg:pypi/{project['name']}@{project['version']}",
        "name": project["name"],
        "version": project["version"],
        "description": project["description"],
        "licenses": [{"expression": project["license"]}],
        "purl": f"pkg:pypi/{project['name']}@{project['version']}",
        "properties": [{"name": "confluent-kafka:build", "value": build}],
    }
    library = _pinned(patches) if source == "pinned" else _other(source)
    return _finished(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {"component": package},
            "components": [library],
            "dependencies": [
                {"ref": package["bom-ref"], "dependsOn": [library["bom-ref"]]},
                {"ref": library["bom-ref"]},
            ],
        }
    )


def _finished(bill: dict[str, Any]) -> dict[str, Any]:
    """Return a bill with a time and a serial number, which depend only on the contents."""
    bill.pop("serialNumber", None)
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        moment = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
        bill["metadata"]["timestamp"] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    contents = json.dumps(bill, sort_keys=True)
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, contents)}"
    return bill


def text(bill: dict[str, Any]) -> str:
    return json.dumps(bill, indent=2) + "\n"


def _pinned(patches: frozenset[str]) -> dict[str, Any]:
    source = librdkafka.Source.from_environment()
    reference = f"pkg:github/confluentinc/librdkafka@v{librdkafka.VERSION}"
    applied = [each for each in librdkafka.PATCHES if librdkafka.patch_name(each) in patches]
    properties = [{"name": "confluent-kafka:linked", "value": "statically"}]
    if source.sha256 == librdkafka.NPM_SHA256:
        archive = {"name": "confluent-kafka:archive", "value": f"npm {librdkafka.NPM_PACKAGE}"}
        properties.append(archive)
    properties += [
        {
            "name": f"confluent-kafka:patch:{librdkafka.patch_name(each)}",
            "value": f"sha256:{_digest(each)}",
        }
        for each in applied
    ]
    return {
        "type": "library",
        "bom-ref": reference,
        "name": "librdkafka",
        "version": librdkafka.VERSION,
        "description": "The Apache Kafka C library. The hash is that of the archive of its sources",
        "hashes": [_hash(source.sha256)],
        "licenses": [_licence("BSD-2-Clause")],
        "purl": reference,
        "pedigree": {
            "patches": [
                {
                    "type": "unofficial",
                    "diff": {"url": f"tools/patches/{librdkafka.patch_name(each)}.patch"},
                }
                for each in applied
            ],
            "notes": "The patches are in the source distribution; their hashes are properties here",
        },
        "properties": properties,
        "components": [_carried(name, reference) for name in CARRIED],
    }


def _carried(name: str, parent: str) -> dict[str, Any]:
    code = CARRIED[name]
    files = [
        {"type": "file", "bom-ref": f"{parent}#{path}", "name": path, "hashes": [_hash(digest)]}
        for path, digest in code["files"].items()
    ]
    return {
        "type": "library",
        "bom-ref": f"{parent}#{name}",
        "name": name,
        "version": code.get("version", f"as in librdkafka {librdkafka.VERSION}"),
        "licenses": [_licence(code["licence"])],
        "components": files,
    }


def _other(source: str) -> dict[str, Any]:
    """Return the entry for a librdkafka that this project did not build."""
    return {
        "type": "library",
        "bom-ref": "librdkafka",
        "name": "librdkafka",
        "description": "Not the pinned release: its contents are not known here",
        "licenses": [_licence("BSD-2-Clause")],
        "properties": [{"name": "confluent-kafka:librdkafka_source", "value": source}],
    }


def _licence(name: str) -> dict[str, Any]:
    """Return the entry of a licence: an SPDX identifier, or a name if it contains spaces."""
    return {"license": {"name" if " " in name else "id": name}}


def _hash(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def add_libraries(wheel: Path, original: dict[str, Path]) -> list[str]:
    """Adds the shared libraries of an unpacked wheel to its bill, and their licences to its files.

    Args:
        wheel: the folder of an unpacked wheel that auditwheel has repaired.
        original: the files from which the libraries were copied, by their names for the linker.

    Returns:
        Paths of the licences, below the folder of licences.
    """
    [info] = wheel.glob("*.dist-info")
    bill = json.loads((info / "sboms" / NAME).read_text(encoding="utf-8"))
    packages = _packages(info / "sboms" / "auditwheel.cdx.json", original.values())
    # auditwheel puts the start of the original's SHA-256 into the name of its copy.
    by_digest = {_digest(path)[:8]: (name, path) for name, path in original.items()}
    licences = []
    for library in sorted(wheel.glob("*.libs/*")):
        [short] = re.findall(r"-([0-9a-f]{8})\.", library.name)
        name, source = by_digest[short]
        component = {
            "type": "library",
            "bom-ref": f"file:{library.relative_to(wheel).as_posix()}",
            "name": name,
            "hashes": [_hash(_digest(library))],
            "properties": [
                {"name": "confluent-kafka:linked", "value": "dynamically"},
                {"name": "confluent-kafka:file", "value": library.relative_to(wheel).as_posix()},
                {"name": "confluent-kafka:original", "value": f"sha256:{_digest(source)}"},
            ],
        }
        package = packages.get(str(source))
        if package is not None:
            component |= {"version": package["version"], "purl": package["purl"]}
            text_of_licence = _licence_text(package["name"])
            if text_of_licence is not None:
                path = f"libs/{package['name']}.txt"
                target = info / "licenses" / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text_of_licence)
                licences.append(path)
                component["licenses"] = [{"license": {"name": f"see licenses/{path}"}}]
        known = LICENCES.get(name.split(".")[0])
        if known:
            component["licenses"] = [_licence(known)]
        bill["components"].append(component)
        bill["dependencies"][0]["dependsOn"].append(component["bom-ref"])
        bill["dependencies"].append({"ref": component["bom-ref"]})
    (info / "sboms" / NAME).write_text(text(_finished(bill)), encoding="utf-8")
    return sorted(set(licences))


def _packages(bill: Path, paths: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Return the system's packages that contain libraries, by the libraries' paths.

    Each reference in auditwheel's own bill contains the SHA-256 of a library's path.
    """
    if not bill.exists():
        return {}
    components = json.loads(bill.read_text(encoding="utf-8"))["components"]
    references = {each["bom-ref"].rpartition("#")[2]: each for each in components}
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        # The linker's name is a symbolic link to a file in the same folder. The folder can also be
        # a link.
        real = path.resolve()
        for form in (path, path.parent / real.name, real):
            digest = hashlib.sha256(str(form).encode()).hexdigest()
            if digest in references:
                found[str(path)] = references[digest]
        if str(path) not in found and (owner := _debian(real)):
            found[str(path)] = owner
    return found


def _debian(library: Path) -> dict[str, Any] | None:
    """Return the package of a library that auditwheel did not find.

    auditwheel does not find a library that dpkg lists without "/usr".
    """
    for path in (str(library), str(library).removeprefix("/usr")):
        try:
            owner = _answer("dpkg-query", "-S", path).partition(":")[0]
            version = _answer("dpkg-query", "-W", "-f", "${Version}", owner)
        except (FileNotFoundError, subprocess.CalledProcessError):
            continue
        purl = f"pkg:deb/debian/{owner}@{urllib.parse.quote(version, safe='')}"
        return {"name": owner, "version": version, "purl": purl}
    return None


def _answer(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _licence_text(package: str) -> bytes | None:
    """Return a package's licence text: Debian's file, or all files of an RPM package."""
    debian = Path("/usr/share/doc") / package / "copyright"
    if debian.exists():
        return debian.read_bytes()
    files = sorted((Path("/usr/share/licenses") / package).glob("*"))
    return b"\n".join(each.read_bytes() for each in files) or None
