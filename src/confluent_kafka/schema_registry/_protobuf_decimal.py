"""Decimal numbers in Protobuf messages: ``confluent.type.Decimal``."""

from __future__ import annotations

import decimal
from typing import Any

from ._protobuf_types import DECIMAL, message_class


def decimal_to_protobuf(value: decimal.Decimal, scale: int) -> Any:
    """Return a decimal number as a message.

    Args:
        value: the number.
        scale: the number of digits after the decimal point.

    Raises:
        ValueError: the number is not finite, or has more digits after the decimal point.
    """
    if not value.is_finite():
        raise ValueError(f"value must be finite, not {value}")
    sign, digits, exponent = value.as_tuple()
    unscaled = int("".join(map(str, digits)))
    shift = int(exponent) + scale
    if shift < 0 and unscaled % 10**-shift:
        raise ValueError(f"value has more than {scale} digits after the point: {value}")
    unscaled = unscaled * 10**shift if shift >= 0 else unscaled // 10**-shift
    data = unscaled_to_bytes(-unscaled if sign else unscaled)
    kind = message_class("Decimal", DECIMAL)
    return kind(value=data, precision=len(str(unscaled)), scale=scale)


def protobuf_to_decimal(value: Any) -> decimal.Decimal:
    """Return the number in a message from decimal_to_protobuf() or another client.

    Args:
        value: the message.
    """
    number = int.from_bytes(value.value, "big", signed=True)
    return decimal.Decimal(number).scaleb(-value.scale, decimal.Context(prec=decimal.MAX_PREC))


def unscaled_to_bytes(unscaled: int) -> bytes:
    """Return a whole number as its shortest two's complement, the highest byte first.

    Args:
        unscaled: the number.
    """
    size = (unscaled + (unscaled < 0)).bit_length() // 8 + 1
    return unscaled.to_bytes(size, "big", signed=True)
