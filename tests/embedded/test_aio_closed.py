"""The methods of a closed asyncio client raise RuntimeError, whatever the arguments are."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from confluent_kafka import aio

CONFIG: dict[str, Any] = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
MEMBER = CONFIG | {"group.id": "group"}
CLIENTS = {
    "AIOProducer": CONFIG,
    "AIOAdminClient": CONFIG,
    "AIOConsumer": MEMBER,
    "AsyncSerializingProducer": CONFIG,
    "AsyncDeserializingConsumer": MEMBER,
}
# Methods that also work on a closed client, and methods that create one.
OTHERS = {"close", "create"}


def methods(kind: Any) -> list[str]:
    return [
        name
        for name, member in inspect.getmembers(kind, callable)
        if not name.startswith("_") and name not in OTHERS
    ]


def wrong_arguments(method: Any, is_needed_only: bool) -> tuple[list[Any], dict[str, Any]]:
    """A wrong object for each argument, or only for each required argument."""
    positional, named = [], {}
    for parameter in inspect.signature(method).parameters.values():
        if is_needed_only and parameter.default is not parameter.empty:
            continue
        if parameter.kind == parameter.KEYWORD_ONLY:
            named[parameter.name] = object()
        elif parameter.kind != parameter.VAR_KEYWORD:
            positional.append(object())
    return positional, named


async def outcome(client: Any, name: str, is_needed_only: bool) -> BaseException | None:
    method = getattr(client, name)
    positional, named = wrong_arguments(method, is_needed_only)
    try:
        result = method(*positional, **named)
        if inspect.isawaitable(result):
            await asyncio.wait_for(result, 10)
        elif hasattr(result, "__aenter__"):
            await asyncio.wait_for(result.__aenter__(), 10)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("kind", CLIENTS)
def test_closed_before_wrong_arguments(kind: str) -> None:
    """Every public method reports the closed client, and not a wrong argument."""

    async def run() -> dict[tuple[str, bool], BaseException | None]:
        client = getattr(aio, kind)(CLIENTS[kind])
        await client.close()
        return {
            (name, is_needed_only): await outcome(client, name, is_needed_only)
            for name in methods(type(client))
            for is_needed_only in (True, False)
        }

    others = {}
    for call, error in asyncio.run(run()).items():
        texts = [str(error), *getattr(error, "__notes__", ())]
        if type(error) is not RuntimeError or not any("closed" in text for text in texts):
            others[call] = error
    assert others == {}
