"""The targets of libFuzzer accept any bytes. These tests run them without libFuzzer."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from random import Random

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from tests.fuzz.campaign import TARGETS
from tests.fuzz.guided import Drawn

# An open client warns when it is garbage-collected.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Collect garbage after each test, and not in the middle of another test."""
    yield
    gc.collect()


def test_drawn_from_bytes() -> None:
    """Draws use the bytes in their order, and zeros after the last byte."""
    drawn = Drawn()
    drawn.feed(b"\x01\x02\x03\x04")
    assert drawn.getrandbits(8) == 1
    assert drawn.randbytes(2) == b"\x02\x03"
    assert drawn.choice("abcdef") == "e"
    assert drawn.randbytes(3) == bytes(3)
    assert (drawn.randrange(1000), drawn.random()) == (0, 0.0)


def test_numbers_stay_in_range() -> None:
    """If a drawn number is too large, the next byte is used."""
    drawn = Drawn()
    drawn.feed(b"\xff\xff\x02")
    assert drawn.randrange(5) == 2


@pytest.mark.parametrize(
    "target", ["arrow", "columns", "configuration", "headers", "json", "protobuf"]
)
def test_any_bytes(target: str) -> None:
    """A target accepts several inputs one after another, and raises only documented exceptions."""
    random, drawn = Random("suite"), Drawn()
    with TARGETS[target](drawn) as running:
        for _ in range(300):
            drawn.feed(random.randbytes(random.randrange(200)))
            running.step()
