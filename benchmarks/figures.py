"""Formats numbers for the reports."""

from __future__ import annotations

import math

_DECIMALS = 2
_DIGITS = 2  # significant digits, so that a rate of 0.001 does not become 0.00


def figure(value: float) -> str:
    """Return a measured number with two decimals, or with two significant digits if it is small.

    Args:
        value: a rate, a ratio or a time, in the unit of its column.
    """
    zeros = 0 if value == 0 else -math.floor(math.log10(abs(value))) - 1
    return f"{value:.{max(_DECIMALS, zeros + _DIGITS)}f}"
