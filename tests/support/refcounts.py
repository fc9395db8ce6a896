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
    """Twice: CPython without a GIL keeps what other threads could still read, such as the
    table of a dict, until the collection after the one that found it."""
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
    """What the counting itself takes. A thread that ends meanwhile disturbs one of three."""
    taken = [_growth(int, repeat) for _ in range(3)]
    return {name: max(0, statistics.median_low(each[name] for each in taken)) for name in taken[0]}


def leave_out_what_is_there() -> None:
    """Collections walk what is made from now on alone, as after tests/conftest.py's: late in a run,
    what earlier tests left is much, and a check would take a second and a half."""
    gc.collect()
    gc.freeze()


def assert_no_leaks(work: Callable[[], object], repeat: int = REPEAT) -> None:
    """Fails when something grows with every call of `work`, in each of the rounds.

    One leaked thing a call grows by `repeat` a round, in every round; less than half of that, or
    than NOISE says, is caches, which are full after some rounds. The first round, which fills
    most of them, is not looked at.
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
