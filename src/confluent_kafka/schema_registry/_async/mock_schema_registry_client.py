"""A client of a registry in memory, under the import path that programs' tests use."""

from .._mock import AsyncMockSchemaRegistryClient

__all__ = ["AsyncMockSchemaRegistryClient"]
