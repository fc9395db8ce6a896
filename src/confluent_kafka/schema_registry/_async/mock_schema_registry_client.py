"""A client of a registry in memory, by the path that tests of programs name."""

from .._mock import AsyncMockSchemaRegistryClient

__all__ = ["AsyncMockSchemaRegistryClient"]
