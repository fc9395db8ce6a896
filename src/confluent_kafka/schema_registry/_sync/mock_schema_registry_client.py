"""A client of a registry in memory, by the path that tests of programs name."""

from .._mock import MockSchemaRegistryClient

__all__ = ["MockSchemaRegistryClient"]
