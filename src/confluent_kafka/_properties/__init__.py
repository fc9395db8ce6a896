"""The properties of librdkafka, from the table that tools/configuration_properties.py writes."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def properties() -> list[dict[str, Any]]:
    """Return each property with its names, type, default, range, importance and meaning."""
    table = files("confluent_kafka._properties").joinpath("properties.json")
    found: list[dict[str, Any]] = json.loads(table.read_text(encoding="utf-8"))
    return found


def known_properties() -> set[str]:
    """Return the names of all properties."""
    return {name for each in properties() for name in each["names"]}
