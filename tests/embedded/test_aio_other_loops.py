"""A client belongs to its event loop: every call in another loop raises RuntimeError."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.aio_calls import CALLS, config_of, public

KINDS = pytest.mark.parametrize("kind", CALLS, ids=lambda kind: kind.__name__)


@KINDS
def test_every_call_is_here(kind: type[Any]) -> None:
    """The table contains every call of every client."""
    assert set(CALLS[kind]) == public(kind)


@KINDS
@pytest.mark.parametrize("thread", [False, True], ids=["same thread", "other thread"])
def test_calls_in_another_loop(kafka_cluster: MockCluster, kind: type[Any], thread: bool) -> None:
    """In another loop, the call raises before it does anything; the client still works in its own
    loop."""

    async def elsewhere(client: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, call in CALLS[kind].items():
            try:
                result = call(client, "topic")
                found[name] = await result if inspect.isawaitable(result) else result
            except Exception as error:
                found[name] = error
        return found

    async def own() -> Any:
        return kind(config_of(kind, kafka_cluster.bootstrap_servers))

    async def beside(client: Any) -> dict[str, Any]:
        return await asyncio.to_thread(asyncio.run, elsewhere(client))

    with asyncio.Runner() as runner:
        client = runner.run(own())
        try:
            found = runner.run(beside(client)) if thread else asyncio.run(elsewhere(client))
        finally:
            runner.run(client.close())
    wrong = {
        name: result
        for name, result in found.items()
        if not isinstance(result, RuntimeError) or "another event loop" not in str(result)
    }
    assert not wrong
