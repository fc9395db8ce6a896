"""The arguments that Worker and AIOWorker share."""

from __future__ import annotations

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
        if not callable(handler):
            raise TypeError(f"handler must be callable, not {type(handler).__name__}")
        self.handler = handler
        self.concurrency = _concurrency(concurrency)
        self.workers: int = number("workers", workers, int, 1, 10_000)
        self.batch: int | None = (
            None if batch is None else number("batch", batch, int, 1, 1_000_000)
        )
        self.max_messages: int = number("max_messages", max_messages, int, 1, 1_000_000)
        self.max_bytes: int = number("max_bytes", max_bytes, int, 1, 2**40)
        self.commit_interval: float = number("commit_interval", commit_interval, float, 0, 3600)
        self.drain_timeout: float = number("drain_timeout", drain_timeout, float, 0, 3600)
        if retry is not None and not isinstance(retry, Retry):
            raise TypeError(f"retry must be a Retry or None, not {type(retry).__name__}")
        if isinstance(topics, str) or not all(isinstance(topic, str) for topic in topics):
            raise TypeError(f"topics must be a list of names, not {topics!r}")
        self.recovery = Recovery(retry, topics)
        self.topics = [*topics, *self.recovery.delays]
        self.deserializers = Deserializers(_checked(config), awaits=awaits)
        self.consuming = self.deserializers.rest | _OWN_PROPERTIES
        self.producing = producing_config(self.deserializers.rest) | dict(producer_config or {})


def _checked(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in _OWN_PROPERTIES:
        if name in config:
            raise ValueError(
                f"{name}: a worker commits the offsets of messages that are done, so leave this "
                "property out"
            )
    return config


def _concurrency(given: str) -> Concurrency:
    try:
        return Concurrency(given)
    except ValueError:
        known = [str(each) for each in Concurrency]
        hint = did_you_mean(given, known, f"it must be one of {', '.join(known)}")
        raise ValueError(f"concurrency is {given!r}: {hint}") from None
