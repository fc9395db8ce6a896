"""Columns of JSON write floating-point numbers with the fewest digits, like repr()."""

from __future__ import annotations

import math
import re
import struct
from pathlib import Path
from random import Random
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.columns import JSONEncoder  # noqa: E402

POWERS = Path(__file__).parents[2] / "src/confluent_kafka/csrc/columns/powers_of_five.c"


def texts(values: list[float], kind: Any) -> list[str]:
    """The JSON texts of numbers."""
    rows = JSONEncoder(kind).encode(pa.record_batch({"value": pa.array(values, kind)}))
    assert rows.errors == []
    return [one.decode() for one in pa.array(rows).to_pylist()]


def test_powers_of_five() -> None:
    """The table in C has the highest 192 bits of each power of five."""
    line = r"\{(0x\w+)u, (0x\w+)u, (0x\w+)u, (-?\d+)\}"
    rows = re.findall(line, POWERS.read_text())
    assert len(rows) == 26
    for step, (high, middle, low, exponent) in enumerate(rows):
        power = (step - 13) * 27
        bits = int(high, 16) << 128 | int(middle, 16) << 64 | int(low, 16)
        assert bits >> 191 == 1
        # bits * 2^exponent <= 5^power < (bits + 1) * 2^exponent, without fractions
        left, right = max(0, int(exponent)), max(0, -int(exponent))
        exact = 5 ** max(power, 0) << right
        unit = 5 ** max(-power, 0) << left
        assert bits * unit <= exact < (bits + 1) * unit


def doubles() -> list[float]:
    """Each power of two with its neighbours, powers of ten, and random bits."""
    powers = [math.ldexp(1, exponent) for exponent in range(-1074, 1024)]
    near = [math.nextafter(one, side) for one in powers for side in (0, math.inf)]
    tens = [
        float(f"{digits}e{power}") for digits in (1, 5, 123456789) for power in range(-323, 300)
    ]
    random = Random(1)
    chance = [struct.unpack("=d", random.randbytes(8))[0] for _ in range(20_000)]
    short = [random.randrange(10**9) / 10 ** random.randrange(9) for _ in range(2_000)]
    plain = [0.0, -0.0, 0.1, 1e15, 1e16, 1e-4, 1e-5, 123456789012345680.0, 2.0**53 + 2, 5e-324]
    values = powers + near + tens + chance + short + plain
    return [sign * value for value in values if math.isfinite(value) for sign in (1, -1)]


def test_doubles() -> None:
    """Any double is written as the text of repr()."""
    values = doubles()
    assert texts(values, pa.float64()) == [repr(value) for value in values]


def test_floats() -> None:
    """A float gets the fewest digits that are read as the same float.

    Among several such numbers, the nearest one is written.
    """
    random = Random(2)
    values = [struct.unpack("=f", random.randbytes(4))[0] for _ in range(3_000)]
    values += [math.ldexp(1, exponent) for exponent in range(-149, 128)]
    values = [value for value in values if math.isfinite(value)]
    for value, text in zip(values, texts(values, pa.float32()), strict=True):
        digits = len(text.split("e")[0].lstrip("-0.").replace(".", "").rstrip("0"))
        assert struct.pack("=f", float(text)) == struct.pack("=f", value)
        for fewer in range(1, digits):
            shorter = float(f"{value:.{fewer - 1}e}")
            assert abs(shorter) > 3.4028235e38 or struct.pack("=f", shorter) != struct.pack(
                "=f", value
            )
    assert texts([0.1, 16777216, 3.4028235e38, 1e-45], pa.float32()) == [
        "0.1",
        "16777216.0",
        "3.4028235e+38",
        "1e-45",
    ]
