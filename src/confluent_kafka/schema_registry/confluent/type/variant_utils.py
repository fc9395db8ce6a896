"""Variants, under the names of confluent-kafka 2.x."""

from __future__ import annotations

from ...variant import Variant, VariantError, VariantType

__all__ = ["Variant", "VariantError", "VariantType", "from_bytes", "to_json_string"]


def from_bytes(value: bytes, metadata: bytes) -> Variant:
    """Return the variant with a value and its metadata.

    Args:
        value: the encoded value.
        metadata: the names of the fields in it.

    Raises:
        VariantError: the metadata has another version.
    """
    return Variant(value, metadata)


def to_json_string(variant: Variant) -> str:
    """Return a variant as JSON.

    Args:
        variant: the variant.

    Raises:
        VariantError: the bytes are not a variant.
    """
    return variant.to_json()
