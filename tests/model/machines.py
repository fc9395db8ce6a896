"""The state machines, and the clients for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from confluent_kafka.testing import MockCluster
from tests.model.faces import ADAPTERS
from tests.model.groups import group_of
from tests.model.machine import machine_of
from tests.model.shares import SHARE_CONSUMERS, share_group_of

MACHINES: dict[str, Callable[[str, MockCluster], Any]] = {
    "assigned": machine_of,
    "group": group_of,
    "share": share_group_of,
}

CLIENTS = [*ADAPTERS, *SHARE_CONSUMERS]


def kinds(machine: str | None = None, client: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield pairs of a machine and a client: all pairs, or those with the given names."""
    for name in [machine] if machine else MACHINES:
        for kind in [client] if client else CLIENTS:
            if (kind in SHARE_CONSUMERS) != (name == "share"):
                continue
            if name != "group" or ADAPTERS[kind].rules.protocols:  # type: ignore[attr-defined]
                yield name, kind
