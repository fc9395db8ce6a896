"""Random configurations and headers, which test the conversion of dicts in C more thoroughly."""

from __future__ import annotations

import logging
from collections.abc import Callable
from random import Random
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, Producer
from tests.fuzz.boundary import DOCUMENTED
from tests.fuzz.values import BYTES, TEXTS, configuration, text, value

_quiet = logging.Logger("fuzz")
_quiet.addHandler(logging.NullHandler())


class Configurations:
    """Creates clients with random configurations, and closes the created ones."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.last = ""

    def __enter__(self) -> Configurations:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self) -> Exception | None:
        kind: Any = self._random.choice((Producer, Consumer))
        config = configuration(self._random, [])
        self.last = kind.__name__
        if isinstance(config, dict) and type(config) is dict:
            config.setdefault("logger", _quiet)
        try:
            client = kind(config)
        except DOCUMENTED as error:
            return error
        # If a client's callback raises, close() raises its exception.
        try:
            client.close(0) if kind is Producer else client.close()
        except (KafkaException, *DOCUMENTED):
            pass
        return None


class Headers:
    """Gives random headers to a Message and sends them.

    Compares the sent headers with the accepted headers.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        # Without brokers, messages stay in the queue until purge() causes their delivery reports.
        self._producer = Producer({"log_level": 0, "queue.buffering.max.messages": 50})
        self.last = ""

    def __enter__(self) -> Headers:
        return self

    def __exit__(self, *_: object) -> None:
        self._producer.purge()
        self._producer.close(0)

    def step(self) -> Exception | None:
        headers = self._headers()
        self.last = f"headers of {type(headers).__name__}"
        sent: list[Message] = []
        try:
            Message("topic", headers=headers).headers()
            self._producer.produce(
                "topic", headers=headers, on_delivery=lambda _, message: sent.append(message)
            )
        except DOCUMENTED as error:
            return error
        self._producer.purge()
        self._producer.poll(0)
        for message in sent:
            self._check(headers, message.headers() or [])
        return None

    def _headers(self) -> Any:
        random = self._random
        if random.randrange(4) == 0:
            return value(random, [])
        pairs = [
            (self._one_of(TEXTS[:-1], text), self._one_of((*BYTES, *TEXTS, None), _bytes))
            for _ in range(random.randrange(6))
        ]
        return dict(pairs) if random.randrange(2) else pairs

    def _one_of(self, known: tuple[Any, ...], draw: Callable[[Random], Any]) -> Any:
        return draw(self._random) if self._random.randrange(3) == 0 else self._random.choice(known)

    def _check(self, given: Any, sent: list[tuple[str, bytes | None]]) -> None:
        """Check that the sent headers are the accepted headers, in the same order."""
        if type(given) not in (dict, list):
            return
        pairs = list(given.items()) if type(given) is dict else given
        names = [str.__str__(pair[0]) for pair in pairs]
        assert [str.__str__(name) for name, _ in sent] == names
        for (_, one), (_, other) in zip(pairs, sent, strict=True):
            if type(one) is bytes:
                assert other == one


def _bytes(random: Random) -> bytes:
    return random.randbytes(random.randrange(24))
