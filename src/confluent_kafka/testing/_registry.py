"""A schema registry in memory, behind HTTP on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self


class MockRegistry:
    """A schema registry in memory that any process of this machine reaches over HTTP.

    It serves what clients of ``mock://`` have within one process: subjects, versions, references,
    compatibility levels, modes and associations. A version that is not compatible at the level,
    which is ``BACKWARD`` by default, is refused. It listens on a free port of 127.0.0.1, without
    authentication and TLS, and ends with close() or its ``with`` block; nothing is kept.

    Attributes:
        url (str): where it is, for ``SchemaRegistryClient({"url": registry.url})``.

    Raises:
        ImportError: httpx is not installed (the extra ``schemaregistry``).
        OSError: there is no free port.

    Source: Confluent Schema Registry's HTTP API.
    """

    def __init__(self) -> None:
        from confluent_kafka.testing._registry_server import RegistryServer  # it loads a lot

        self._server = RegistryServer()
        self._process = os.getpid()
        self.url = self._server.url

    def __repr__(self) -> str:
        return f"MockRegistry({self.url})"

    def __enter__(self) -> Self:
        """Return the registry itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the registry."""
        self.close()

    def close(self) -> None:
        """End the registry with its connections and threads; without effect again, or in a fork."""
        if self._process == os.getpid():
            self._server.end()
