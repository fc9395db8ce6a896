"""What the clients that serialize and deserialize have in common: their serdes."""

from __future__ import annotations

import weakref
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from confluent_kafka.cimpl import _Client

_CLUSTER_ID_SECONDS = 5.0


class Serdes:
    """The serdes of a client's configuration, and which of them the client made itself.

    Args:
        conf: the configuration of the client.
        kind: ``serializer`` or ``deserializer``.
        builder: the class that builders of this kind have.

    Raises:
        TypeError: one is not callable, or no builder.
        ValueError: a serde and a builder are given for the same field.
    """

    def __init__(self, conf: Mapping[str, Any], kind: str, builder: type[Any]) -> None:
        self.rest = dict(conf)
        self._owned: list[Any] = []
        self._all: list[Any] = []
        try:
            self.key = self._take("key", kind, builder)
            self.value = self._take("value", kind, builder)
        except BaseException:
            self.close()
            raise

    def _take(self, field: str, kind: str, builder: type[Any]) -> Callable[..., Any] | None:
        name = f"{field}.{kind}"
        serde = self.rest.pop(name, None)
        maker = self.rest.pop(f"{name}.builder", None)
        if serde is not None and maker is not None:
            raise ValueError(f"{name} and {name}.builder exclude each other: give one of them")
        if maker is not None:
            if not isinstance(maker, builder):
                wanted = f"a {builder.__name__}"
                raise TypeError(f"{name}.builder must be {wanted}, not {type(maker).__name__}")
            serde, self.rest = maker.build(dict(self.rest), field == "key")
            self._owned.append(serde)
        if serde is None:
            return None
        if not callable(serde):
            raise TypeError(f"{name} must be callable, not {type(serde).__name__}")
        self._all.append(serde)
        chosen: Callable[..., Any] = serde
        return chosen

    def set_cluster_id_resolver(
        self,
        resolver: Callable[[], str | None],
        awaited: Callable[[], Awaitable[str | None]] | None = None,
    ) -> None:
        """Give it to those that take one: plain functions need not.

        Args:
            resolver: returns the id, or None while it is unknown.
            awaited: the same for serdes that await it.
        """
        for serde in self._all:
            take = getattr(serde, "set_cluster_id_resolver", None)
            if take is not None:
                take(resolver)
            take_awaited = getattr(serde, "set_async_cluster_id_resolver", None)
            if take_awaited is not None and awaited is not None:
                take_awaited(awaited)

    def close(self) -> None:
        """Close those that were built here; the others belong to who gave them."""
        for serde in self.take_owned():
            serde.close()

    def take_owned(self) -> list[Any]:
        """Return those that were built here, which the caller closes."""
        owned, self._owned = self._owned, []
        return owned


def own_headers(headers: Any) -> Any:
    """Return a copy of a message's headers that serializers may add to.

    Raises:
        TypeError: they are no dict and no list of pairs.
    """
    if headers is None:
        return []
    if isinstance(headers, Mapping):
        return dict(headers)
    if not isinstance(headers, list | tuple):
        kind = type(headers).__name__
        raise TypeError(f"headers must be a dict or a list of (name, value) pairs, not {kind}")
    return list(headers)


def cluster_id_of(client: _Client) -> Callable[[], str | None]:
    """Return what tells the id of a client's cluster, and does not keep the client alive."""
    known = weakref.ref(client)

    def resolve() -> str | None:
        alive = known()
        return None if alive is None else alive.cluster_id(_CLUSTER_ID_SECONDS)

    return resolve
