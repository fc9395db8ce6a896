"""Durations as options name them: 5s, 1h30m, PT1H."""

from __future__ import annotations

import re
from typing import Any

import click

_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdw])")
_PARTS = re.compile(rf"(?:{_PART.pattern})+")
_ISO = re.compile(
    r"P(?:(?P<w>\d+)W)?(?:(?P<d>\d+)D)?"
    r"(?:T(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d+)?)S)?)?"
)
FORMS = "a duration such as 5s, 1h30m or PT1H"


def seconds_of(text: str) -> float | None:
    """Return the seconds of a duration, or None if the text is not one.

    Args:
        text: such as ``500ms``, ``1h30m``, or the form of ISO 8601: ``PT1H``.
    """
    if _PARTS.fullmatch(text):
        return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    found = _ISO.fullmatch(text)
    if found is None or not any(found.groups()):
        return None
    return sum(float(number or 0) * _SECONDS[unit] for unit, number in found.groupdict().items())


def duration(text: Any) -> float:
    """Return the seconds of a duration, or refuse the text. A number alone is seconds.

    Args:
        text: the value of an option.
    """
    given = str(text)
    seconds = seconds_of(f"{given}s" if re.fullmatch(r"\d+(\.\d+)?", given) else given)
    if seconds is None:
        raise click.BadParameter(f"{given!r} is not {FORMS}")
    return seconds
