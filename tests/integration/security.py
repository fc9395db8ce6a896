"""Clients that brokers accept, and clients that brokers refuse."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from tests.support.kafka import read, send, values_of
from tests.support.waiting import SOON, wait_until

# The client reports a wrong configuration within this time, in seconds.
SECONDS = SOON
# The text depends on how far the client was when the broker closed the connection.
HUNG_UP = "Disconnected|(Send|Receive) failed"

_quiet = logging.Logger("quiet")
_quiet.addHandler(logging.NullHandler())

Config = dict[str, Any]
Client = Callable[[Config], Any]


def plain(user: str, password: str, mechanism: str = "PLAIN") -> Config:
    """The settings for a user of PLAIN or SCRAM."""
    return {
        "sasl.mechanism": mechanism,
        "sasl.username": user,
        "sasl.password": password,
    }


def check_round_trip(config: Config, topic: str) -> None:
    """The clients of the configuration write and read a message."""
    with Producer(config) as producer:
        send(producer, topic, [b"value"])
    with Consumer(config | {"group.id": "tests"}) as consumer:
        assert values_of(read(consumer, topic, 1)) == [b"value"]


class Errors:
    """An error_cb that records its calls."""

    def __init__(self) -> None:
        self.calls: list[KafkaError] = []

    def __call__(self, error: KafkaError) -> None:
        self.calls.append(error)

    def texts(self, code: int) -> list[str]:
        """The texts of the errors with this code."""
        return [error.str() for error in self.calls if error == code]


@contextmanager
def failing(
    client_type: type[Producer] | type[Consumer], config: Config
) -> Iterator[tuple[Any, Errors]]:
    """Yield a client that uses the configuration, and the errors that it gets."""
    errors = Errors()
    both: Config = {"error_cb": errors, "logger": _quiet}
    if client_type is Producer:
        with Producer(config | both) as producer:
            yield producer, errors
    else:
        with Consumer(config | both | {"group.id": "tests"}) as consumer:
            consumer.subscribe(["topic"])
            yield consumer, errors


def told(
    client_type: type[Producer] | type[Consumer], config: Config, code: int, words: str
) -> str:
    """Polls a client until its error_cb gets an error with the code and the words; returns its
    text.

    Other errors with the code may come before it: a broker sends the reason and closes the
    connection, and the client does not always read the reason.
    """
    with failing(client_type, config) as (client, errors):

        def text() -> str:
            return next((text for text in errors.texts(code) if words in text), "")

        wait_until(text, lambda: client.poll(0.05), timeout=SECONDS)
    return text()


def refused(config: Config, fetch: Callable[[Consumer], object], code: int) -> str:
    """Fetch with a consumer without error_cb until the call raises; return the error's text."""
    settings: Config = {"group.id": "tests", "logger": _quiet}
    with Consumer(config | settings) as consumer:
        consumer.subscribe(["topic"])
        with pytest.raises(KafkaException) as caught:
            wait_until(lambda: False, lambda: fetch(consumer), timeout=SECONDS)
        assert caught.value.args[0].code() == code
    return str(caught.value.args[0].str())
