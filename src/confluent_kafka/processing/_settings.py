"""The arguments that Worker and AIOWorker share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.serialization._clients import Deserializers

from ._arguments import number
from ._dispatch import Concurrency
from ._outbox import producing_config
from ._retry import Recovery, Retry

# The worker commits the offsets of messages that are done, and no others.
_OWN_PROPERTIES = {"enable.auto.commit": False, "enable.auto.offset.store": False}


class Settings:
    """The checked arguments of a worker; see Worker.

    Attributes:
        consuming: the configuration of the consumer.
        producing: the configuration of the producer.
        topics: the topics to subscribe to, delay topics included.
        deserializers: what the configuration contains to deserialize messages.
        recovery: where failed messages go.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        topics: Sequence[str],
        handler: Callable[..., Any],
        *,
        concurrency: str,
        workers: int,
        batch: int | None,
        retry: Retry | None,
        max_messages: int,
        max_bytes: int,
        commit_interval: float,
        drain_timeout: float,
        producer_config: Mapping[str, Any] | None,
        awaits: bool,
    ) -> None:
        _check_handler(handler, awaits)
        self.handler = handler
        self.concurrency = _concurrency(concurrency)
        self.workers: int = number("workers", workers, int, 1, 10_000)
        self.batch: int | None = (
            None if batch is None else number("batch", batch, int, 1, 1_000_000)
        )
        self.max_messages: int = number("max_messages", max_messages, int, 1, 1_000_000)
        self.max_bytes: int = number("max_bytes", max_bytes, int, 1, 2**40)
        self.commit_interval: float = number("commit_interval", commit_interval, float, 0.01, 3600)
        self.drain_timeout: float = number("drain_timeout", drain_timeout, float, 0, 3600)
        if retry is not None and not isinstance(retry, Retry):
            raise TypeError(f"retry must be a Retry or None, not {type(retry).__name__}")
        _check_topics(topics)
        _check_mapping("config", config)
        if producer_config is not None:
            _check_mapping("producer_config", producer_config)
        self.recovery = Recovery(retry, topics)
        self.topics = [*topics, *self.recovery.delays]
        if producer_config is not None and not self.recovery.sends:
            raise ValueError("producer_config needs a retry with delays or dead_letters")
        self.on_commit = config.get("on_commit")
        if self.on_commit is not None and not callable(self.on_commit):
            raise TypeError(f"on_commit must be callable, not {type(self.on_commit).__name__}")
        # The worker closes the deserializers, so nothing that follows may raise.
        self.deserializers = Deserializers(_checked(config), awaits=awaits)
        self.consuming = self.deserializers.rest | _OWN_PROPERTIES
        self.consuming.pop("on_commit", None)
        self.producing = producing_config(self.consuming) | dict(producer_config or {})


def _checked(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in _OWN_PROPERTIES:
        if name in config:
            raise ValueError(
                f"{name}: a worker commits the offsets of messages that are done, so leave this "
                "property out"
            )
    return config


def _check_handler(handler: Any, awaits: bool) -> None:
    if not callable(handler):
        raise TypeError(f"handler must be callable, not {type(handler).__name__}")
    kinds = (handler, type(handler).__call__)
    is_coroutine = any(map(inspect.iscoroutinefunction, kinds))
    if awaits and not is_coroutine:
        raise TypeError(
            "handler must be a coroutine function: define it with 'async def', or use Worker"
        )
    if is_coroutine and not awaits:
        raise TypeError("handler is a coroutine function: use AIOWorker, or a plain function")
    if any(map(inspect.isgeneratorfunction, kinds)) or any(map(inspect.isasyncgenfunction, kinds)):
        raise TypeError("handler must not be a generator function: a call would not run its code")


def _check_topics(topics: Any) -> None:
    if (
        isinstance(topics, str | bytes)
        or not isinstance(topics, Sequence)
        or not all(isinstance(topic, str) for topic in topics)
    ):
        raise TypeError(f"topics must be a list of names, not {topics!r}")
    if not topics:
        raise ValueError(f"topics is {topics!r}: it must have at least one name")


def _check_mapping(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, not {type(value).__name__}")


def _concurrency(given: str) -> Concurrency:
    try:
        return Concurrency(given)
    except ValueError:
        known = [str(each) for each in Concurrency]
        hint = did_you_mean(given, known, f"it must be one of {', '.join(known)}")
        raise ValueError(f"concurrency is {given!r}: {hint}") from None
