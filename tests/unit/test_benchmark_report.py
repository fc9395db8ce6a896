"""The text of the benchmarks' reports."""

from __future__ import annotations

import pytest

from benchmarks.figures import figure


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0, "0.00"),
        (860.888, "860.89"),
        (1, "1.00"),
        (0.996, "1.00"),
        (0.14, "0.14"),
        (0.0996, "0.100"),
        (0.01349, "0.013"),
        (0.00098765, "0.00099"),
        (-0.0012, "-0.0012"),
    ],
)
def test_small_numbers(value: float, printed: str) -> None:
    """A number has two decimals and at least two significant digits, so that the rate of a slow
    client is not 0.00."""
    assert figure(value) == printed
