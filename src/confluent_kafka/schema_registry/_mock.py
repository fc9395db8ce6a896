"""Clients of a registry in memory, for programs whose tests use these classes."""

from __future__ import annotations

from ._http import Sender
from ._memory import MemorySender
from ._settings import MOCK, Settings
from .schema_registry_client import AsyncSchemaRegistryClient, SchemaRegistryClient

__all__ = ["AsyncMockSchemaRegistryClient", "MockSchemaRegistryClient"]


class MockSchemaRegistryClient(SchemaRegistryClient):
    """A SchemaRegistryClient with its own registry in memory, whatever its ``url`` is."""

    def _open(self, settings: Settings) -> Sender:
        return MemorySender(MOCK)


class AsyncMockSchemaRegistryClient(AsyncSchemaRegistryClient):
    """An AsyncSchemaRegistryClient with its own registry in memory, whatever its ``url`` is."""

    def _open(self, settings: Settings) -> Sender:
        return MemorySender(MOCK)
