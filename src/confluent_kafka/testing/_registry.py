"""A schema registry in memory that is served over HTTP on this machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self


class MockRegistry:
    """A schema registry in memory. Every process of this machine can reach it over HTTP.

    It supports what clients of ``mock://`` can use within one process: subjects, versions,
    references, compatibility levels, modes and associations. It refuses a version that is not
    compatible at the compatibility level, which is ``BACKWARD`` by default. It listens on a free
    port of 127.0.0.1 and has neither authentication nor TLS. close() or the end of its ``with``
    block ends the registry and deletes all its data.

    Attributes:
        url (str): its address, for ``SchemaRegistryClient({"url": registry.url})``.

    Raises:
        ImportError: httpx is not installed (the extra ``schemaregistry``).
        OSError: there is no free port.

    Source: Confluent Schema Registry's HTTP API.
    """

    def __init__(self) -> None:
        from confluent_kafka.testing._registry_server import RegistryServer  # slow to import

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
        """End the registry, its connections and its threads.

        A second call, or a call in a forked child, has no effect.
        """
        if self._process == os.getpid():
            self._server.end()
