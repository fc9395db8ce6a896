"""Hostile programs that write payloads, and hostile text for these programs."""

from __future__ import annotations

from random import Random

import pytest

pytest.importorskip("google.protobuf", reason="protobuf is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from tests.fuzz.columns_encoders import Encoders


def test_drawn_from_a_seed() -> None:
    """A few thousand inputs, drawn as in the long run, are safe to encode."""
    with Encoders(Random("suite")) as target:
        for _ in range(3_000):
            target.step()
