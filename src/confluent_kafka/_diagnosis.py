"""The parts of an installation: ``python -m confluent_kafka doctor``.

This module imports no other package, because it also reports missing packages.
"""

from __future__ import annotations

import platform
import shutil
import sys
from importlib import metadata
from pathlib import Path

from confluent_kafka import build_info, version

NAME = "confluent-kafka"
# As in pyproject.toml, which is not part of an installation.
EXTRAS = {
    "avro": ("fastavro", "httpx"),
    "cli": ("click", "rich"),
    "java-stores": ("cryptography",),
    "json": ("httpx", "jsonschema", "jsonschema-rs"),
    "json-fast": ("httpx", "jsonschema", "jsonschema-rs", "orjson"),
    "keyring": ("keyring",),
    "mcp": ("click", "mcp", "rich"),
    "protobuf": ("grpcio-tools", "httpx", "protobuf"),
    "schema-registry": ("httpx",),
    "schemaregistry": ("httpx",),
    "spark": ("pyspark", "pyarrow", "pandas"),
    "template": ("jinja2",),
    "testing": ("pytest",),
    "tui": ("click", "rich", "textual"),
    "where": ("cel-expr-python",),
}


def parts() -> list[tuple[str, str]]:
    """Return the names and descriptions of all parts, in the order of the output."""
    info = build_info()
    return [
        ("package", f"{NAME} {version()} in {Path(__file__).parent}"),
        ("distribution", _distribution()),
        ("python", f"{platform.python_version()} on {platform.platform()}, {sys.executable}"),
        ("librdkafka", f"{info['librdkafka']}, {info['librdkafka_source']}, {info['compiler']}"),
        ("patches", _patches(info["patches"], info["missing_patches"])),
        ("features", ", ".join(info["features"])),
        *((f"extra [{name}]", _packages(packages)) for name, packages in EXTRAS.items()),
        ("java", shutil.which("java") or "not found on PATH: Spark needs it"),
    ]


def print_parts() -> None:
    """Print the parts as lines, for an installation without click and rich."""
    for name, description in parts():
        print(f"{name}\t{description}")


def _distribution() -> str:
    """Return the installed distribution. It can be another project of this name, or outdated."""
    found = sorted({(one.version, str(one.locate_file(""))) for one in _distributions()})
    if not found:
        return "none: imported from a folder that no installer knows"
    text = ", ".join(f"{number} in {folder}" for number, folder in found)
    if [number for number, _ in found] == [version()]:
        return text
    return (
        f"{text}: PROBLEM, the package that is imported is {version()}; uninstall {NAME} "
        "until none is found, and install it again"
    )


def _distributions() -> list[metadata.Distribution]:
    return list(metadata.distributions(name=NAME))


def _patches(there: dict[str, list[str]], missing: dict[str, list[str]]) -> str:
    counts = [f"{len(names)} {series}" for series, names in there.items()]
    lacks = [name for names in missing.values() for name in names]
    return ", ".join(counts) + (f"; missing: {', '.join(lacks)}" if lacks else "; none is missing")


def _packages(names: tuple[str, ...]) -> str:
    there, missing = [], []
    for name in names:
        try:
            there.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if not missing:
        return ", ".join(there)
    return "; ".join([f"missing: {', '.join(missing)}", *([", ".join(there)] if there else [])])
