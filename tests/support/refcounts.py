"""Leak checks: do the same work again and again and compare what the interpreter holds."""

from __future__ import annotations

import gc
import sys
import sysconfig
from collections.abc import Callable

from confluent_kafka import cimpl

ROUNDS = 3
BLOCKS = "allocated blocks"
NOISE = 20  # things that caches take in a round
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    # A thread keeps up to 254 freed blocks that others may still read.
    BLOCKS_NOISE, REPEAT = 300, 700
else:
    BLOCKS_NOISE, REPEAT = NOISE, 200

# An instance that forgets its type's reference leaks no memory of its own.
_TYPES = [value for value in vars(cimpl).values() if isinstance(value, type)]


def _collect() -> None:
    """Twice: CPython without a GIL keeps what other threads could still read, such as the
    table of a dict, until the collection after the one that found it."""
    gc.collect()
    gc.collect()


def _held() -> dict[str, int]:
    held = {f"references to {kind.__name__}": sys.getrefcount(kind) for kind in _TYPES}
    held["references to None"] = sys.getrefcount(None)
    held[BLOCKS] = sys.getallocatedblocks()
    held["tracked objects"] = len(gc.get_objects())
    return held


def _growth(work: Callable[[], object], repeat: int) -> dict[str, int]:
    _collect()
    before = _held()
    for _ in range(repeat):
        work()
    _collect()
    after = _held()
    return {name: after[name] - count for name, count in before.items()}


def assert_no_leaks(work: Callable[[], object], repeat: int = REPEAT) -> None:
    """Fails when something grows with every call of `work`, in each of three rounds.

    One leaked thing a call grows by `repeat` a round; less than half of that, or than NOISE
    says, is caches, and the first round, which fills them, is not looked at.
    """
    # What is there already is not looked at, which makes the collections quick.
    gc.collect()
    gc.freeze()
    try:
        _growth(work, repeat)
        noise = _growth(int, repeat)  # what the counting itself takes
        rounds = [_growth(work, repeat) for _ in range(ROUNDS)]
    finally:
        gc.unfreeze()
    thresholds = {
        name: max(repeat // 2, BLOCKS_NOISE if name == BLOCKS else NOISE) for name in noise
    }
    leaked = {
        name: [growth[name] for growth in rounds]
        for name in noise
        if all(growth[name] - noise[name] > thresholds[name] for growth in rounds)
    }
    assert not leaked, f"grew in each round of {repeat} calls: {leaked}"
