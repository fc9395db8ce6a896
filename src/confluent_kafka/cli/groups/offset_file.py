"""The file of ``reset-offsets --from-file``: offsets of one group, or of several."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import click

from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.topics.place import Place

# `reset-offsets --json` writes the first one, `groups describe --json` the third one, and
# `share-groups offsets --json` the last one.
_OFFSETS = ("new offset", "offset", "committed", "start")
# Kafka's tool leaves out the name of the group if it exports the offsets of only one.
_COLUMNS = ("group", "topic", "partition", "offset")
_HIGHEST_OFFSET = 2**63 - 1
_HIGHEST_PARTITION = 2**31 - 1
_NEEDS = "needs topic,partition,offset or group,topic,partition,offset or a JSON object"


def offsets_in(file: Path, group: str) -> dict[Place, int]:
    """Return the offsets that a file contains for a group.

    Each line is a JSON object, as the commands write them, or CSV, as Kafka's tool writes it. Lines
    of other groups and lines without an offset are left out.

    Args:
        file: the file.
        group: the name of the group.
    """
    found: dict[Place, int] = {}
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="--from-file") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            one = _read(_row(line), group)
            if one is not None and one[0] in found:
                raise ValueError(f"partition {one[0][0]}:{one[0][1]} is listed twice")
        except ValueError as error:
            reason = str(error)
        except click.BadParameter as error:
            reason = error.message
        else:
            found |= [] if one is None else [one]
            continue
        raise click.BadParameter(f"{file}, line {number}: {reason}", param_hint="--from-file")
    return found


def _row(line: str) -> dict[str, Any]:
    """Return the values of a line by their names."""
    try:
        if line.lstrip().startswith("{"):
            row: dict[str, Any] = json.loads(line)
            return row
        (values,) = csv.reader([line], strict=True, skipinitialspace=True)
        row = dict(zip(_COLUMNS[-len(values) :], values, strict=True))
        return row | {name: _number(row[name]) for name in ("partition", "offset") if name in row}
    except (ValueError, csv.Error):
        raise ValueError(_NEEDS) from None


def _number(text: str) -> str | int:
    """Return the number that a field is, or else its text."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() else text


def _read(row: dict[str, Any], group: str) -> tuple[Place, int] | None:
    """Return a partition and its offset, or None if the row has none for this group."""
    offsets = [row[name] for name in _OFFSETS if name in row]
    if not offsets or "topic" not in row or "partition" not in row:
        raise ValueError(_NEEDS)
    for name in ("group", "topic"):
        if not isinstance(row.get(name, group), str):
            raise ValueError(f"{name} {row[name]!r} is not a string")
    if row.get("group", group) != group or offsets[0] is None:
        return None
    partition = _checked(row["partition"], "partition", _HIGHEST_PARTITION)
    offset = _checked(offsets[0], "offset", _HIGHEST_OFFSET)
    return (topic_name(row["topic"]), partition), offset


def _checked(value: object, name: str, highest: int) -> int:
    # In Python, JSON's true would be the number 1. 7.5 must not become 7.
    if type(value) is not int or not 0 <= value <= highest:
        raise ValueError(f"{name} {value!r} is not a whole number from 0 to {highest}")
    return value
