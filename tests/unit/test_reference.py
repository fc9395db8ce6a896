"""Every public class and function has an entry in the site's reference."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
_ENTRY = re.compile(r"^\.\. auto(\w+):: (\S+)\n((?:   .*\n)*)", re.MULTILINE)

MODULES = [
    "confluent_kafka",
    "confluent_kafka.admin",
    "confluent_kafka.aio",
    "confluent_kafka.avro",
    "confluent_kafka.columns",
    "confluent_kafka.compat",
    "confluent_kafka.compat.aiokafka",
    "confluent_kafka.compat.aiokafka.admin",
    "confluent_kafka.compat.aiokafka.structs",
    "confluent_kafka.compat.kafka",
    "confluent_kafka.compat.kafka.admin",
    "confluent_kafka.compat.kafka.structs",
    "confluent_kafka.compat.kafka_0_9",
    "confluent_kafka.compat.kafka_2",
    "confluent_kafka.compat.kafka_2.admin",
    "confluent_kafka.error",
    "confluent_kafka.protocol",
    "confluent_kafka.protocol.records",
    "confluent_kafka.schema_registry",
    "confluent_kafka.serialization",
    "confluent_kafka.spark",
    "confluent_kafka.spark.pipeline",
    "confluent_kafka.statistics",
    "confluent_kafka.testing",
]
NEEDS = {
    "confluent_kafka.avro": "fastavro",
    "confluent_kafka.columns": "pyarrow",
    "confluent_kafka.schema_registry": "httpx",
    "confluent_kafka.spark": "pyspark",
    "confluent_kafka.spark.pipeline": "pyspark",
}


def named(path: str) -> Any:
    """The object at a dotted path; None if a required package is not installed."""
    parent, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(parent), name)
    except AttributeError:  # the path names a module that its package does not import
        return importlib.import_module(path)
    except ImportError:
        return None


def public(module: Any) -> list[str]:
    names = getattr(module, "__all__", None)
    return list(names) if names else [name for name in vars(module) if not name.startswith("_")]


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_in_the_reference(module: str) -> None:
    """Every public object is in the reference under one of its names, such as the name in its own
    module."""
    if module in NEEDS:
        pytest.importorskip(NEEDS[module])
    documented = []
    for page in REFERENCE.glob("*.rst"):
        for kind, path, options in _ENTRY.findall(page.read_text(encoding="utf-8")):
            documented.append(entry := named(path))
            if kind == "module" and ":members:" in options:
                documented += [getattr(entry, name) for name in public(entry)]
    here = importlib.import_module(module)
    assert [
        name
        for name in public(here)
        if (inspect.isclass(found := getattr(here, name)) or inspect.isroutine(found))
        and not any(found is each for each in documented)
    ] == []
