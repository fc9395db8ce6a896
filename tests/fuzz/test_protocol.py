"""confluent_kafka.protocol reads any bytes: it returns a message or raises one kind of error.

Decoding needs little memory.
"""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from random import Random

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confluent_kafka import protocol
from tests.support.messages import every_version, random_message

MESSAGES = st.sampled_from(list(every_version()))
SETTINGS = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
# The limits of the memory for an input. One byte can become a struct with all its fields.
PER_BYTE, AT_LEAST = 100, 50_000


def read(name: str, version: int, data: bytes) -> None:
    """Decode `data`, and check that encoding and decoding again result in the same message."""
    message = protocol.message_class(name)
    with suppress(protocol.MalformedMessageError):
        written = message.decode(data, version).encode(version)
        # The encoding may differ from `data`. For example, a bool of 2 becomes 1.
        assert message.decode(written, version).encode(version) == written


@settings(SETTINGS, max_examples=1_000)
@given(MESSAGES, st.binary(max_size=200))
def test_any_bytes(which: tuple[str, int], data: bytes) -> None:
    """decode() of any bytes raises only MalformedMessageError."""
    read(*which, data)


@settings(SETTINGS, max_examples=1_000)
@given(MESSAGES, st.randoms(use_true_random=False), st.integers(1, 4))
def test_spoilt_messages(which: tuple[str, int], rng: Random, times: int) -> None:
    """decode() of messages with a few changed bytes, which reach more code, raises only
    MalformedMessageError."""
    data = bytearray(random_message(*which, Random(rng.random())).encode(which[1]))
    for _ in range(times):
        place = rng.randrange(len(data) + 1)
        data[place : place + rng.randrange(3)] = rng.choice(
            [b"", b"\0", b"\1", b"\x7f", b"\xff", b"\xff\xff\xff\xff", b"\xff\xff\xff\xff\x0f"]
        )
    read(*which, bytes(data))


@pytest.mark.parametrize("filler", [b"\0", b"\1", b"\2", b"\x7f", b"\xff"])
def test_memory(filler: bytes) -> None:
    """Memory is proportional to the input, even if it claims as many elements as possible.

    Each message of each version is tested with arrays of this size.
    """
    size = 4_000
    worst = 0
    for name, version in every_version():
        message = protocol.message_class(name)
        with suppress(protocol.MalformedMessageError):
            message.decode(b"", version)  # compiles the reader before the measurement
        plain = message().encode(version)
        tracemalloc.start()
        for start in range(min(len(plain), 40)):
            data = plain[:start] + (size // 2).to_bytes(4) + filler * size
            compact = plain[:start] + b"\xa0\x1f" + filler * size
            for each in (data, compact):
                with suppress(protocol.MalformedMessageError):
                    message.decode(each, version)
        worst = max(worst, tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert worst < PER_BYTE * size + AT_LEAST
