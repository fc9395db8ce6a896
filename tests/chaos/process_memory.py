"""The resident memory of this process, and whether it grows."""

from __future__ import annotations

import math
import os
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


def rss_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_KB


class Slope(NamedTuple):
    """A slope by linear regression."""

    value: float
    error: float  # the standard error of the value


def slope(points: list[tuple[float, float]]) -> Slope:
    """The slope of the least-squares line through at least three points."""
    x_mean, y_mean = fmean(x for x, _ in points), fmean(y for _, y in points)
    square = sum((x - x_mean) ** 2 for x, _ in points)
    value = sum((x - x_mean) * (y - y_mean) for x, y in points) / square
    rest = sum((y - y_mean - value * (x - x_mean)) ** 2 for x, y in points)
    return Slope(value, math.sqrt(rest / (len(points) - 2) / square))


def block_means(points: list[tuple[float, float]], blocks: int) -> list[tuple[float, float]]:
    """The means of neighbouring samples.

    Single samples depend on each other, but the standard error counts each point as independent.
    """
    size = max(1, len(points) // blocks)
    groups = [points[i : i + size] for i in range(0, len(points) - size + 1, size)]
    return [(fmean(x for x, _ in group), fmean(y for _, y in group)) for group in groups]
