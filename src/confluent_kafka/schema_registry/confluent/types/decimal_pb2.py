"""``confluent/types/decimal.proto``, which imports ``confluent/type/decimal.proto`` publicly."""

from __future__ import annotations

from typing import Any

from ..._protobuf_types import File, registered_file
from ..type.decimal_pb2 import DESCRIPTOR as _DECIMAL
from ..type.decimal_pb2 import Decimal

__all__ = ["DESCRIPTOR", "Decimal"]

DESCRIPTOR: Any = registered_file(
    File(
        name="confluent/types/decimal.proto",
        dependency=[_DECIMAL.name],
        public_dependency=[0],
        syntax="proto3",
    )
)
