"""Selects tests by the patches of tools/patches that this librdkafka has."""

from __future__ import annotations

import os

import pytest

import confluent_kafka

_info = confluent_kafka.build_info()

# Together these are all patches of this package: the patches that this librdkafka has, and the
# patches that it lacks.
HAS = frozenset(name for names in _info["patches"].values() for name in names)
LACKS = frozenset(name for names in _info["missing_patches"].values() for name in names)

# `python tools/patches.py --without` sets this. The tests of these patches must run even if the
# library lacks the patches (then the tests fail) or does not report them.
TRIED = frozenset(os.environ.get("LIBRDKAFKA_WITHOUT", "").split(","))


def needs(*patches: str) -> pytest.MarkDecorator:
    """Marks a test that needs these patches, and skips it on a librdkafka without them."""
    assert set(patches) <= HAS | LACKS, f"tools/patches has no {patches}"
    lacks = sorted(LACKS.intersection(patches) - TRIED)
    return pytest.mark.skipif(
        bool(lacks), reason=f"this librdkafka lacks the patch {', '.join(lacks)}", patches=patches
    )
