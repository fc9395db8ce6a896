"""The offsets that ``reset-offsets`` is to set: what its options mean."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from confluent_kafka.cli.bound import Bound
from confluent_kafka.cli.durations import seconds_of
from confluent_kafka.cli.group_view import Place

_NAMES = {
    "earliest": "earliest",
    "beginning": "earliest",
    "latest": "latest",
    "end": "latest",
    "current": "current",
}
# `reset-offsets --json` writes the first one, and `groups describe --json` the last one.
_FIELDS = ("new offset", "offset", "committed")


class Target(NamedTuple):
    """Where to move a group.

    Attributes:
        kind: earliest, latest, current, offset, time, shift or file.
        number: the offset, the time in milliseconds since 1970, or the shift.
        offsets: the offsets of the file.
    """

    kind: str
    number: int = 0
    offsets: Mapping[Place, int] | None = None


def target_of(text: str) -> Target:
    """Return the target that a value of --to names.

    Args:
        text: the value.
    """
    if text in _NAMES:
        return Target(_NAMES[text])
    back = seconds_of(text.removeprefix("-"))
    if back is not None:
        return Target("time", max(0, int((time.time() - back) * 1000)))
    try:
        bound = Bound.parse(text, "--to")
    except click.BadParameter:
        raise click.BadParameter(
            f"{text!r} is not earliest, latest, current, an offset, a time such as "
            "2026-01-31T12:00 (local) or 2026-01-31T12:00Z, or a duration back from now such as "
            "-1h or PT1H"
        ) from None
    return Target(bound.kind, bound.number)


def offsets_in(file: Path, group: str) -> dict[Place, int]:
    """Return the offsets that a file contains for a group.

    Each line is a JSON object, as the commands write them, or ``topic,partition,offset``. Lines of
    other groups and lines without an offset are left out.

    Args:
        file: the file.
        group: the name of the group.
    """
    found: dict[Place, int] = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="--from-file") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _row(line)
            if row.get("group", group) != group:
                continue
            offset = next((row[name] for name in _FIELDS if name in row), None)
            if offset is not None:
                place = str(row["topic"]), int(row["partition"])
                if int(offset) < 0 or place in found:
                    raise ValueError
                found[place] = int(offset)
        except (ValueError, KeyError, TypeError):
            raise click.BadParameter(
                f"{file}, line {number}: needs topic,partition,offset or a JSON object with these "
                "names, and each partition once",
                param_hint="--from-file",
            ) from None
    return found


def _row(line: str) -> dict[str, Any]:
    if line.lstrip().startswith("{"):
        row: dict[str, Any] = json.loads(line)
        return row
    return dict(zip(("topic", "partition", "offset"), line.split(","), strict=True))
