"""Clients give everything back: what a call makes, what it raises, and the client itself."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.support.clients import CONSUMER_CALLS, PRODUCER_CALLS, config, partitions
from tests.support.kafka import Reports, send
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT, wait_until

CALLS: list[tuple[type[Any], str, Callable[[Any], object]]] = [
    *((Producer, name, call) for name, call in PRODUCER_CALLS.items()),
    *((Consumer, name, call) for name, call in CONSUMER_CALLS.items()),
]
each_call = pytest.mark.parametrize(
    ("client", "call"),
    [pytest.param(client, call, id=f"{client.__name__}.{name}") for client, name, call in CALLS],
)
each_client = pytest.mark.parametrize("client", [Producer, Consumer])
ROWS = 50

# For requests, each of which takes a thread, and for whole clients.
FEW = 40


def close(client: Any) -> None:
    client.close(0) if isinstance(client, Producer) else client.close()


@pytest.fixture(params=[Producer, Consumer], ids=["Producer", "Consumer"])
def opened(request: pytest.FixtureRequest) -> Iterator[Any]:
    client = request.param(config())
    yield client
    close(client)


def ignoring(call: Callable[[], object]) -> Callable[[], None]:
    def work() -> None:
        with contextlib.suppress(Exception):
            call()

    return work


class TestLife:
    @each_client
    def test_made_and_closed(self, client: type[Any]) -> None:
        """A client that is closed leaves nothing behind."""
        assert_no_leaks(lambda: close(client(config())), FEW)

    @each_client
    def test_made_with_callbacks(self, client: type[Any]) -> None:
        """Nor do its callbacks, its logger and what they refer to."""

        def work() -> None:
            data: list[Any] = []
            settings = {
                "error_cb": lambda error: data.append(error),
                "stats_cb": lambda text: data.append(text),
                "throttle_cb": lambda event: data.append(event),
                "logger": logging.NullHandler(),
            }
            made = client(config(settings))
            data.append(made)  # a cycle through each of the callbacks
            made.poll(0)
            close(made)

        assert_no_leaks(work, FEW)

    @each_client
    @pytest.mark.parametrize(
        "more",
        [
            {"bootstrap_servers": "misspelt"},
            {"error_cb": "no callable"},
            {"logger": 1},
            {"socket.timeout.ms": -5},
            {"default.topic.config": {"nothing": 1}},
            {"debug": "nothing"},
            {"group.id": "\ud800"},
        ],
        ids=lambda more: next(iter(more)),
    )
    def test_refused(self, client: type[Any], more: dict[str, Any]) -> None:
        """Nor does a client that could not be made."""
        with pytest.raises((KafkaException, TypeError, ValueError)):
            client(config(more))
        assert_no_leaks(ignoring(lambda: client(config(more))), FEW)


class TestErrors:
    @each_call
    def test_on_a_client_without_brokers(
        self, client: type[Any], call: Callable[[Any], object]
    ) -> None:
        """Calls that fail, or return nothing, on an open client."""
        made = client(config({"queue.buffering.max.messages": 10}))
        assert_no_leaks(ignoring(lambda: call(made)), FEW)
        close(made)

    @each_call
    def test_closed(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """Calls on a closed client."""
        made = client(config())
        close(made)
        with pytest.raises(RuntimeError):
            call(made)
        assert_no_leaks(ignoring(lambda: call(made)))

    @pytest.mark.parametrize("name", sorted(PRODUCER_CALLS) + sorted(CONSUMER_CALLS))
    def test_wrong_arguments(self, opened: Any, name: str) -> None:
        """Arguments of a wrong type, wrong name or wrong number."""
        method = getattr(opened, name, None)
        if method is None:
            return
        bad = object()

        def work() -> None:
            for args, kwargs in (
                ((bad,), {}),
                ((bad, bad), {}),
                (("topic", bad), {}),
                (([bad],), {}),
                ((bad,) * 12, {}),
                ((), {"unknown": bad}),
                ((), {"timeout": bad}),
                (("\ud800",), {}),
            ):
                with contextlib.suppress(Exception):
                    method(*args, **kwargs)

        assert_no_leaks(work, FEW)
