"""Decimal numbers in Protobuf messages: ``confluent.type.Decimal``."""

from __future__ import annotations

import decimal
from typing import Any

from ._protobuf_types import Field, message_class

_FIELDS = {
    "value": Field.TYPE_BYTES,
    "precision": Field.TYPE_UINT32,
    "scale": Field.TYPE_INT32,
}


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
    number = -unscaled if sign else unscaled
    size = (number + (number < 0)).bit_length() // 8 + 1
    data = number.to_bytes(size, "big", signed=True)
    kind = message_class("Decimal", _FIELDS)
    return kind(value=data, precision=len(str(unscaled)), scale=scale)


def protobuf_to_decimal(value: Any) -> decimal.Decimal:
    """Return the number in a message from decimal_to_protobuf() or another client.

    Args:
        value: the message.
    """
    number = int.from_bytes(value.value, "big", signed=True)
    return decimal.Decimal(number).scaleb(-value.scale, decimal.Context(prec=decimal.MAX_PREC))
