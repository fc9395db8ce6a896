"""Decimal numbers to messages and back, under the names of confluent-kafka 2.x."""

from __future__ import annotations

import decimal
from typing import Any

from ..._protobuf_decimal import decimal_to_protobuf, protobuf_to_decimal, unscaled_to_bytes

__all__ = ["from_proto_decimal", "to_proto_decimal", "unscaled_to_bytes"]

from_proto_decimal = protobuf_to_decimal


def to_proto_decimal(d: decimal.Decimal) -> Any:
    """Return a decimal number as a message, with its own scale.

    Args:
        d: the number.

    Raises:
        ValueError: the number is not finite.
    """
    exponent = d.as_tuple().exponent
    return decimal_to_protobuf(d, 0 if isinstance(exponent, str) else -exponent)
