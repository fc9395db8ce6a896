"""Uuid is the type of the identifiers that Kafka gives to topics."""

from __future__ import annotations

import base64
import copy
import inspect
import pickle
from typing import Any

import pytest

from confluent_kafka import Uuid
from tests.support.refcounts import assert_no_leaks

BOUNDS = [0, 1, -1, 2**63 - 1, -(2**63)]


@pytest.mark.parametrize("most", BOUNDS)
@pytest.mark.parametrize("least", BOUNDS)
def test_text_is_base64_of_both_halves(most: int, least: int) -> None:
    """str() returns the base64 of the 16 bytes, with the most significant byte first and without
    padding."""
    uuid = Uuid(most, least)
    raw = most.to_bytes(8, "big", signed=True) + least.to_bytes(8, "big", signed=True)
    assert str(uuid) == base64.b64encode(raw).decode().rstrip("=")
    assert repr(uuid) == str(uuid)
    assert uuid.get_most_significant_bits() == most
    assert uuid.get_least_significant_bits() == least


def test_equality_and_hash() -> None:
    """Two Uuids with the same bits are equal, and are the same key of a dict."""
    assert Uuid(1, 2) == Uuid(1, 2)
    assert hash(Uuid(1, 2)) == hash(Uuid(1, 2))
    assert Uuid(1, 2) != Uuid(2, 1)
    assert Uuid(1, 2) != Uuid(1, 3)
    assert len({Uuid(most, least) for most in range(-9, 9) for least in range(-9, 9)}) == 324
    assert hash(Uuid(-1, -1)) != -1


@pytest.mark.parametrize("other", ["AAAAAAAAAAEAAAAAAAAAAg", 1, None, (1, 2)])
def test_other_types_are_unequal(other: Any) -> None:
    """A Uuid does not equal an object of another type, and Uuids have no order."""
    assert (Uuid(1, 2) == other) is False
    assert (Uuid(1, 2) != other) is True
    with pytest.raises(TypeError):
        Uuid(1, 2) < other  # noqa: B015
    with pytest.raises(TypeError):
        Uuid(1, 2) < Uuid(1, 3)  # type: ignore[operator]  # noqa: B015


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol: int) -> None:
    """Pickling and copying keep all bits."""
    uuid = Uuid(-(2**63), 2**63 - 1)
    assert pickle.loads(pickle.dumps(uuid, protocol)) == uuid
    assert copy.deepcopy(uuid) == uuid


@pytest.mark.parametrize(
    ("arguments", "exception", "message"),
    [
        ((), TypeError, "most_significant_bits"),
        ((1,), TypeError, "least_significant_bits"),
        (("1", 2), TypeError, "most_significant_bits must be int"),
        ((1, None), TypeError, "least_significant_bits must be int"),
        ((1, 2.0), TypeError, "least_significant_bits must be int"),
        ((2**63, 1), OverflowError, "most_significant_bits"),
        ((1, -(2**63) - 1), OverflowError, "least_significant_bits"),
        ((1, 2, 3), TypeError, "at most 2"),
    ],
)
def test_bad_arguments(
    arguments: tuple[Any, ...], exception: type[Exception], message: str
) -> None:
    """A wrong argument raises a typed error that names the argument, and leaks nothing."""

    def make() -> None:
        with pytest.raises(exception, match=message):
            Uuid(*arguments)

    make()
    assert_no_leaks(make, repeat=50)


def test_signature() -> None:
    """help() and editors can show the parameters."""
    assert str(inspect.signature(Uuid)) == "(most_significant_bits, least_significant_bits)"


def test_no_leaks() -> None:
    """Creating, printing, comparing and pickling leaks nothing."""

    def work() -> None:
        uuid = Uuid(most_significant_bits=1, least_significant_bits=2)
        str(uuid), hash(uuid), uuid.get_most_significant_bits()
        uuid.get_least_significant_bits()
        assert uuid == pickle.loads(pickle.dumps(uuid))
        assert uuid != 1

    assert_no_leaks(work)
