"""All options for positions accept the same words."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

import click

from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.groups.offset_target import target_of
from confluent_kafka.cli.topics.offsets import _kind_or_time

WORDS = [
    ("beginning", "beginning", 0),
    ("earliest", "beginning", 0),
    ("end", "end", 0),
    ("latest", "end", 0),
    ("7", "offset", 7),
    ("2001-09-09T01:46:40Z", "time", 1_000_000_000_000),
]


@pytest.mark.parametrize(("text", "kind", "number"), WORDS)
def test_words(text: str, kind: str, number: int) -> None:
    """--from, --until, --before and --to understand the same words."""
    bound = Bound.parse(text, "--from")
    assert (bound.kind, bound.number) == (kind, number)
    assert target_of(text)[:2] == (kind, number)


@pytest.mark.parametrize("text", ["-1h", "1h", "PT1H", "-60m", "-3600s"])
def test_a_duration_back_from_now(text: str) -> None:
    """All options, also `topics offsets --at`, read a duration as the same time in the past."""
    wanted = (time.time() - 3600) * 1000
    bound = Bound.parse(text, "--from", counts_back=True)
    for found in (bound.number, target_of(text).number, _kind_or_time(text)):
        assert isinstance(found, int)
        assert abs(found - wanted) < 60_000


def test_offsets_at() -> None:
    """`topics offsets --at` refuses an offset, and accepts everything else."""
    assert [_kind_or_time(text) for text in ("beginning", "end")] == ["earliest", "latest"]
    with pytest.raises(click.BadParameter, match="'7' is not earliest, latest, max-timestamp"):
        _kind_or_time("7")


@pytest.mark.parametrize("text", ["soon", "-5", "", "1.5"])
def test_other_words(text: str) -> None:
    """The message contains the words that are allowed."""
    with pytest.raises(click.BadParameter, match="is not earliest, latest, an offset, a time such"):
        Bound.parse(text, "--until")
