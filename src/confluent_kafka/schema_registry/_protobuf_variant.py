"""Variants in Protobuf messages: ``confluent.type.Variant``."""

from __future__ import annotations

from typing import Any

from ._protobuf_types import VARIANT, message_class
from .variant import Variant


def variant_to_protobuf(value: Variant) -> Any:
    """Return a variant as a message.

    Args:
        value: the variant.
    """
    kind = message_class("Variant", VARIANT)
    return kind(metadata=value.metadata, value=value.standalone_value_bytes())


def protobuf_to_variant(value: Any) -> Variant:
    """Return the variant in a message from variant_to_protobuf() or another client.

    Args:
        value: the message.

    Raises:
        VariantError: its metadata is of an unknown version.
    """
    return Variant(value.value, value.metadata)
