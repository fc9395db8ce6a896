"""Tests of what the patches in tools/patches change in librdkafka."""

from __future__ import annotations

import os

import pytest

import confluent_kafka

_info = confluent_kafka.build_info()

# Every patch of this package, whether this librdkafka has it or not.
HAS = frozenset(name for names in _info["patches"].values() for name in names)
LACKS = frozenset(name for names in _info["missing_patches"].values() for name in names)

# `python tools/patches.py --without` sets this: patches whose tests must run, although the library
# lacks them (so the tests fail) or does not report them.
TRIED = frozenset(os.environ.get("LIBRDKAFKA_WITHOUT", "").split(","))


def needs(*patches: str) -> pytest.MarkDecorator:
    """Marks a test that fails on a librdkafka without these patches: it is skipped there."""
    assert set(patches) <= HAS | LACKS, f"tools/patches has no {patches}"
    lacks = sorted(LACKS.intersection(patches) - TRIED)
    return pytest.mark.skipif(
        bool(lacks), reason=f"this librdkafka lacks the patch {', '.join(lacks)}", patches=patches
    )
