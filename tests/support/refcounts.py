"""Checks for leaks: repeats the same work, and compares the numbers of objects and references."""

from __future__ import annotations

import gc
import statistics
import sys
import sysconfig
from collections.abc import Callable

from confluent_kafka import cimpl

ROUNDS = 8  # the largest number of rounds
BLOCKS = "allocated blocks"
NOISE = 20  # the growth that caches can cause in a round
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    # A thread keeps up to 254 freed blocks that other threads may still read.
    BLOCKS_NOISE, REPEAT = 300, 700
else:
    BLOCKS_NOISE, REPEAT = NOISE, 200

# If an instance does not release the reference to its type, only the type's count grows.
TYPES = [value for value in vars(cimpl).values() if isinstance(value, type)]


def _clear_attribute_cache() -> None:
    """Clear CPython's cache of attributes, which keeps thousands of names at random places."""
    if sys.version_info >= (3, 13):
        sys._clear_internal_caches()
    else:
        sys._clear_type_cache()


def _collect() -> None:
    """Collect garbage twice, which CPython without a GIL needs.

    It keeps memory that other threads could still read, such as the table of a dict. The first
    collection finds such memory, and the second collection frees it.
    """
    gc.collect()
    gc.collect()
    _clear_attribute_cache()


def _held() -> dict[str, int]:
    held = {f"references to {kind.__name__}": sys.getrefcount(kind) for kind in TYPES}
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


def _growth_of_nothing(repeat: int) -> dict[str, int]:
    """The growth that the counting itself causes.

    It is the median of three results, because a thread that ends in the meantime can disturb one of
    them.
    """
    taken = [_growth(int, repeat) for _ in range(3)]
    return {name: max(0, statistics.median_low(each[name] for each in taken)) for name in taken[0]}


def leave_out_what_is_there() -> None:
    """Exclude all present objects from garbage collections. tests/conftest.py does the same after
    it has collected the tests. Late in a run, a check would otherwise take 1.5 s longer, to visit
    the objects of earlier tests."""
    gc.collect()
    gc.freeze()


def assert_no_leaks(work: Callable[[], object], repeat: int = REPEAT) -> None:
    """Fails when something grows with every call of `work`, in each of the rounds.

    If each call leaks one object, the count grows by `repeat` in every round. A growth below half
    of that, or below NOISE, comes from caches, which are full after some rounds. The first round
    fills most of the caches, so its growth is ignored.
    """
    leave_out_what_is_there()
    _growth(work, repeat)
    noise = _growth_of_nothing(repeat)
    grown: dict[str, list[int]] = {name: [] for name in noise}
    for _ in range(ROUNDS):
        growth = _growth(work, repeat)
        for name in list(grown):
            threshold = max(repeat // 2, BLOCKS_NOISE if name == BLOCKS else NOISE)
            if growth[name] - noise[name] > threshold:
                grown[name].append(growth[name])
            else:
                del grown[name]
        if not grown:
            break
    assert not grown, f"grew in each round of {repeat} calls: {grown}"
