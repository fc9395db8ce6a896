"""``confluent/type/variant.proto``: values of many types."""

from __future__ import annotations

from typing import Any

from ..._protobuf_types import VARIANT, file_names, type_file

__all__ = ["DESCRIPTOR", "Variant"]

DESCRIPTOR: Any = type_file("Variant", VARIANT)
Variant: Any
globals().update(file_names(DESCRIPTOR))
