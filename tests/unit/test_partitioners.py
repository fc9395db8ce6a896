"""murmur2, consistent and fnv1a return the partition of a key."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import consistent, fnv1a, murmur2
from tests.support.refcounts import assert_no_leaks

MOST = 2**31 - 1  # so many partitions that the result is the hash itself, without its sign
FUNCTIONS = [murmur2, consistent, fnv1a]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_murmur2_is_that_of_the_java_client(key: bytes, value: int) -> None:
    """The hashes are the same as in Kafka's own test suite, and made positive as in Kafka."""
    assert murmur2(key, MOST) == (value & 0x7FFFFFFF) % MOST
    assert murmur2(key, 12) == (value & 0x7FFFFFFF) % 12


@pytest.mark.parametrize("key", [b"", b"a", b"key", bytes(range(256)), b"x" * 10_000])
@pytest.mark.parametrize("count", [1, 2, 12, MOST])
def test_consistent_is_crc32(key: bytes, count: int) -> None:
    """librdkafka's default partitioner uses the standard CRC-32."""
    assert consistent(key, count) == zlib.crc32(key) % count


@pytest.mark.parametrize(
    ("key", "value"),
    [(b"", 0x811C9DC5), (b"a", 0xE40C292C), (b"b", 0xE70C2DE5), (b"foobar", 0xBF9CF968)],
)
def test_fnv1a_is_the_published_one(key: bytes, value: int) -> None:
    """The hashes are the published 32-bit FNV-1a hashes. The sign is removed as in Sarama."""
    signed = value - 2**32 if value >= 2**31 else value
    assert fnv1a(key, MOST) == abs(signed) % MOST


@pytest.mark.parametrize("function", FUNCTIONS)
def test_forms_of_a_key(function: Callable[..., int]) -> None:
    """Buffers are hashed by their bytes."""
    expected = function("é☃".encode(), MOST)
    for key in (bytearray("é☃".encode()), memoryview("é☃".encode())):
        assert function(key, MOST) == expected


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("count", [1, 3, 7])
def test_partitions_are_in_range_and_all_used(function: Callable[..., int], count: int) -> None:
    """Every partition gets keys, and the result is always a valid partition."""
    assert {function(b"%d" % i, count) for i in range(200)} == set(range(count))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("arguments", "exception", "message"),
    [
        ((), TypeError, "key"),
        ((b"k",), TypeError, "partition_count"),
        ((b"k", 0), ValueError, "^partition_count must be > 0, got 0$"),
        ((b"k", -1), ValueError, "^partition_count must be > 0, got -1$"),
        ((b"k", 2**33), OverflowError, "partition_count"),
        ((b"k", 1.0), TypeError, "partition_count must be int"),
        ((b"k", None), TypeError, "partition_count must be int"),
        ((None, 1), TypeError, "a bytes-like object is required, not 'NoneType'"),
        (("abc", 1), TypeError, "a bytes-like object is required, not 'str'"),
        ((5, 1), TypeError, "key must be bytes or str"),
        ((memoryview(b"abcd")[::2], 1), ValueError, "key"),
        ((b"k", 1, 1), TypeError, "at most 2"),
    ],
)
def test_bad_arguments(
    function: Callable[..., int],
    arguments: tuple[Any, ...],
    exception: type[Exception],
    message: str,
) -> None:
    """A wrong argument raises a typed error that names the argument, and leaks nothing."""

    def call() -> None:
        with pytest.raises(exception, match=message):
            function(*arguments)

    call()
    assert_no_leaks(call, repeat=50)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_signature(function: Callable[..., int]) -> None:
    """The parameters are positional only, and the functions have docstrings."""
    assert str(inspect.signature(function)) == "(key, partition_count, /)"
    assert function.__doc__
