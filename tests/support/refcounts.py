"""Leak checks: do the same work again and again and compare what the interpreter holds."""

from __future__ import annotations

import gc
import statistics
import sys
import sysconfig
from collections.abc import Callable

from confluent_kafka import cimpl

ROUNDS = 8  # at most
BLOCKS = "allocated blocks"
NOISE = 20  # things that caches take in a round
if sysconfig.get_config_var("Py_GIL_DISABLED"):
    # A thread keeps up to 254 freed blocks that others may still read.
    BLOCKS_NOISE, REPEAT = 300, 700
else:
    BLOCKS_NOISE, REPEAT = NOISE, 200

# An instance that forgets its type's reference leaks no memory of its own.
TYPES = [value for value in vars(cimpl).values() if isinstance(value, type)]


def _clear_attribute_cache() -> None:
    """CPython's cache of attributes keeps thousands of names, and takes them at random places."""
    if sys.version_info >= (3, 13):
        sys._clear_internal_caches()
    else:
        sys._clear_type_cache()


def _collect() -> None:
    """Collect twice, because of CPython without a GIL.

    It keeps what other threads could still read, such as the table of a dict, until the collection
    after the one that found it.
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
    """What the counting itself takes: the median of three, because a thread that ends meanwhile
    disturbs one of them."""
    taken = [_growth(int, repeat) for _ in range(3)]
    return {name: max(0, statistics.median_low(each[name] for each in taken)) for name in taken[0]}


def leave_out_what_is_there() -> None:
    """From now on, garbage collections only visit new objects, as tests/conftest.py does after
    collecting the tests. Late in a run, visiting the objects of earlier tests would take a second
    and a half in each check."""
    gc.collect()
    gc.freeze()


def assert_no_leaks(work: Callable[[], object], repeat: int = REPEAT) -> None:
    """Fails when something grows with every call of `work`, in each of the rounds.

    If each call leaks one object, the count grows by `repeat` in every round. A growth below half
    of that, or below NOISE, comes from caches, which are full after some rounds. The first round
    fills most of them, and is not looked at.
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
