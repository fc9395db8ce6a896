"""Clients of a registry in memory, for the tests of programs that name these classes."""

from __future__ import annotations

from ._http import Sender
from ._memory import MemorySender
from ._settings import MOCK, Settings
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient

__all__ = ["AsyncMockSchemaRegistryClient", "MockSchemaRegistryClient"]


class MockSchemaRegistryClient(SchemaRegistryClient):
    """A SchemaRegistryClient with a registry of its own in memory, whatever its ``url``."""

    def _open(self, settings: Settings) -> Sender:
        return MemorySender(MOCK)


class AsyncMockSchemaRegistryClient(AsyncSchemaRegistryClient):
    """An AsyncSchemaRegistryClient with a registry of its own in memory, whatever its ``url``."""

    def _open(self, settings: Settings) -> Sender:
        return MemorySender(MOCK)
