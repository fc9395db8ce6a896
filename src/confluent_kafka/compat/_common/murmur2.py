"""The hash with which Kafka's clients choose the partition of a key."""

from __future__ import annotations

_FACTOR = 0x5BD1E995
_SEED = 0x9747B28C
_WORD = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Return the MurmurHash2 of a key, as Kafka's clients compute it.

    Args:
        data: the key.

    Returns:
        32 bits, unsigned.
    """
    whole = len(data) & ~3
    hashed = _SEED ^ len(data)
    for start in range(0, whole, 4):
        word = (int.from_bytes(data[start : start + 4], "little") * _FACTOR) & _WORD
        word = ((word ^ (word >> 24)) * _FACTOR) & _WORD
        hashed = ((hashed * _FACTOR) & _WORD) ^ word
    if whole < len(data):
        hashed = ((hashed ^ int.from_bytes(data[whole:], "little")) * _FACTOR) & _WORD
    hashed = ((hashed ^ (hashed >> 13)) * _FACTOR) & _WORD
    return hashed ^ (hashed >> 15)
