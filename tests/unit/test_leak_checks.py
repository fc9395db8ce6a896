"""The checks for leaks find each kind of leak that they promise to find."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import KafkaError
from tests.support.refcounts import assert_no_leaks

kept: list[Any] = []


@pytest.mark.parametrize(
    "leak",
    [
        pytest.param(
            lambda: kept.append(object()),
            marks=pytest.mark.skipif(
                sys.getallocatedblocks() == 0, reason="PYTHONMALLOC=malloc counts no blocks"
            ),
        ),
        lambda: kept.append([]),
        lambda: kept.append(KafkaError),
        lambda: kept.append(KafkaError(3)),
        pytest.param(
            lambda: kept.append(None),
            marks=pytest.mark.skipif(
                sys.version_info >= (3, 12), reason="None is immortal since CPython 3.12"
            ),
        ),
    ],
    ids=["object", "list", "type", "error", "none"],
)
def test_finds_a_leak(leak: Callable[[], None]) -> None:
    """Each kind of leak makes the check fail."""
    try:
        with pytest.raises(AssertionError, match="grew in each round"):
            assert_no_leaks(leak)
    finally:
        kept.clear()


def test_is_quiet_without_one() -> None:
    """Work that frees everything passes, even if it creates garbage cycles."""

    def work() -> None:
        cycle: list[Any] = []
        cycle.append(cycle)

    assert_no_leaks(work)
