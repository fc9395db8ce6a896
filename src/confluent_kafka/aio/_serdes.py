"""Serializers and deserializers of asyncio clients. They may be plain functions or coroutines."""

from __future__ import annotations

import weakref
from collections.abc import Generator, Mapping
from typing import Any, Self

from confluent_kafka.serialization._clients import Serdes, cluster_id_of

from ._client import AIOClient

_CLUSTER_ID_SECONDS = 5.0


def resolve_cluster_id(serdes: Serdes, client: AIOClient) -> None:
    """Give the serdes a function, or a coroutine function, that returns the cluster's id."""
    known = weakref.ref(client)

    async def resolve() -> str | None:
        alive = known()
        return None if alive is None else await alive.cluster_id(_CLUSTER_ID_SECONDS)

    serdes.set_cluster_id_resolver(cluster_id_of(client._client), resolve)


class ClientOfObjects(AIOClient):
    """A client with serdes. You can call the class, or await the call."""

    _serdes_of: type[Serdes]

    def __init__(self, conf: Mapping[str, Any], **kwargs: Any) -> None:
        serdes = self._serdes = self._serdes_of(conf, awaits=True)
        try:
            super().__init__(serdes.rest, **kwargs)
        except BaseException:
            serdes.close()
            raise
        resolve_cluster_id(serdes, self)

    def __await__(self) -> Generator[None, None, Self]:
        return self  # a client is ready as soon as it is made
        yield

    async def _close(self) -> None:
        try:
            await super()._close()
        finally:
            await self._close_serdes()

    async def _close_serdes(self) -> None:
        """Close the serdes that the client built."""
        for serde in self._serdes.take_owned():
            closing = getattr(serde, "aclose", None)
            if closing is not None:
                await closing()
            else:
                serde.close()
