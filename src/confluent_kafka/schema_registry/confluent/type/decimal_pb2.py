"""``confluent/type/decimal.proto``: decimal numbers."""

from __future__ import annotations

from typing import Any

from ..._protobuf_types import DECIMAL, file_names, type_file

__all__ = ["DESCRIPTOR", "Decimal"]

DESCRIPTOR: Any = type_file("Decimal", DECIMAL)
Decimal: Any
globals().update(file_names(DESCRIPTOR))
