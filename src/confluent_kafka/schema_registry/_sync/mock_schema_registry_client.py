"""A client of a registry in memory, under the import path that programs' tests use."""

from .._mock import MockSchemaRegistryClient

__all__ = ["MockSchemaRegistryClient"]
