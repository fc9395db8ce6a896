"""If a required package is missing, the import error contains a command that installs it."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.scripts import run_script

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("confluent_kafka.schema_registry", "httpx", "schemaregistry"),
        ("confluent_kafka.schema_registry.avro", "fastavro", "avro"),
        ("confluent_kafka.schema_registry.json_schema", "jsonschema", "json"),
        ("confluent_kafka.schema_registry.protobuf", "google.protobuf.message", "protobuf"),
        ("confluent_kafka.avro", "fastavro", "avro"),
        ("confluent_kafka.spark", "pyarrow", "spark"),
    ],
)
def test_the_packages_of_the_extra_are_named(module: str, missing: str, extra: str) -> None:
    """The command installs all packages of the extra, in allowed versions."""
    if module.startswith("confluent_kafka.schema_registry."):
        pytest.importorskip("httpx", reason="httpx is not installed")
    script = """
        import importlib, sys
        sys.modules[sys.argv[2]] = None
        importlib.import_module(sys.argv[1])
        """
    error = run_script(script, module, missing).stderr
    [advice] = re.findall(r"^ImportError: .*: pip install (.*) \(", error, re.MULTILINE)
    named = [Requirement(text) for text in shlex.split(advice)]
    needed = [Requirement(text) for text in EXTRAS[extra]]
    assert {one.name for one in named} == {one.name for one in needed}
    # Only upper bounds must be in the command, because pip installs the newest version anyway.
    bounded = [one for one in needed if "<" in str(one.specifier)]
    assert [one for one in bounded if one not in named] == []


def test_all_missing_packages_are_named() -> None:
    """The error of spark names all missing packages together.

    The error of the registry also names the packages of the format.
    """
    script = """
        import importlib, sys
        for name in sys.argv[2:]:
            sys.modules[name] = None
        importlib.import_module(sys.argv[1])
        """
    error = run_script(script, "confluent_kafka.spark", "pyarrow", "pandas", "pyspark").stderr
    assert "(missing: pyspark, pyarrow, pandas)" in error
    error = run_script(script, "confluent_kafka.schema_registry.avro", "httpx", "fastavro").stderr
    assert "Avro also needs fastavro, " in error


def test_no_advice_names_this_package() -> None:
    """No advice installs this package by its name, because the public index has another package
    with this name."""
    advice = re.compile(r"pip install [^\n]*confluent[-_]kafka")
    files = (ROOT / "src" / "confluent_kafka").rglob("*.py")
    assert [file for file in files if advice.search(file.read_text(encoding="utf-8"))] == []
