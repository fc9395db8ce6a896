"""Serializers and deserializers of asyncio clients: plain functions, and coroutines."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from confluent_kafka.serialization._clients import Serdes, cluster_id_of

from ._client import AIOClient

T = TypeVar("T")

_CLUSTER_ID_SECONDS = 5.0


async def applied(serde: Callable[..., Any], given: Any, context: Any) -> Any:
    """Return what a serializer or deserializer makes of something."""
    made = serde(given, context)
    return await made if inspect.isawaitable(made) else made


def resolve_cluster_id(serdes: Serdes, client: AIOClient) -> None:
    """Tell serdes how to learn the cluster's id: with await, those that can."""
    known = weakref.ref(client)

    async def resolve() -> str | None:
        alive = known()
        return None if alive is None else await alive.cluster_id(_CLUSTER_ID_SECONDS)

    serdes.set_cluster_id_resolver(cluster_id_of(client._client), resolve)


async def close(serdes: Serdes) -> None:
    """Close those that the client built."""
    for serde in serdes.take_owned():
        closing = getattr(serde, "aclose", None)
        if closing is not None:
            await closing()
        else:
            serde.close()


def ready(client: T) -> Generator[None, None, T]:
    """Return what ``await`` of a client takes: it is ready when it has been made."""
    return client
    yield
