"""Secrets appear nowhere: not in logs, exceptions, statistics, reprs or on stderr."""

from __future__ import annotations

import contextlib
import json
import logging
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from tests.embedded.sasl_broker import SaslBroker
from tests.support.secrets import MARK
from tests.support.threads import Thread
from tests.support.waiting import wait_until

SECRETS = (
    "sasl.password",
    "sasl.oauthbearer.config",
    "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.client.credentials.client.secret",
    "sasl.oauthbearer.assertion.private.key.pem",
    "sasl.oauthbearer.assertion.private.key.passphrase",
    "ssl.key.password",
    "ssl.key.pem",
    "ssl.keystore.password",
)


class Hidden:
    """A value whose repr() and str() show it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


# Values that may be given by mistake instead of a str. They are made from the secret.
MISTAKES: dict[str, Callable[[str], object]] = {
    "text": lambda text: text,
    "number at its start": lambda text: f"12 {text}",
    "long number at its start": lambda text: f"{'0' * 40}12 {text}",
    "newlines": lambda text: f"\n{text}\n",
    "newlines within": lambda text: f"a\n{text}\nb",
    "long": lambda text: text * 500,
    "formats": lambda text: f"%s%n{text}",
    "NUL": lambda text: f"{text}\0",
    "surrogate": lambda text: f"{text}\ud800",
    "bytes": str.encode,
    "list": lambda text: [text],
    "dict": lambda text: {text: text},
    "object": lambda text: Hidden(text),
    "exception": ValueError,
}


class Output(logging.Handler):
    """Collects all texts that could appear in a log."""

    def __init__(self) -> None:
        super().__init__(level=logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(f"{record!r} {record.__dict__} {record.getMessage()}")

    def note(self, *things: Any) -> None:
        self.texts += [f"{thing!r} {thing}" for thing in things]

    @contextlib.contextmanager
    def of(self) -> Iterator[None]:
        """Record the exception that ends the block, with its causes."""
        try:
            yield
        except Exception as error:
            self.note(error, *error.args)
            self.texts.append("".join(traceback.format_exception_only(error)))

    @property
    def leaks(self) -> list[str]:
        return [text for text in self.texts if MARK in text]


@pytest.fixture
def output(capfd: pytest.CaptureFixture[str]) -> Iterator[Output]:
    """An Output that also collects everything that is written until the test ends."""
    output = Output()
    yield output
    output.texts += capfd.readouterr()
    assert output.texts
    assert not output.leaks


def settings(output: Output, more: dict[str, Any]) -> dict[str, Any]:
    return {
        "bootstrap.servers": "127.0.0.1:1",
        "debug": "all",
        "logger": output,
        "error_cb": output.note,
        "stats_cb": output.note,
        "statistics.interval.ms": 5,
        "group.id": "group",
        "security.protocol": "sasl_plaintext",
        "sasl.mechanisms": "PLAIN",
        "sasl.username": "user",
        "sasl.password": "word",
        "reconnect.backoff.ms": 1,
        **more,
    }


@pytest.mark.parametrize("kind", MISTAKES)
def test_of_a_configuration(output: Output, kind: str) -> None:
    """No value of a secret appears, whether valid or invalid, under its name or under a wrong
    one."""
    secret = MISTAKES[kind](MARK)
    for key in SECRETS:
        for name in (key, key.replace("s", "z", 1), key.replace(".", "_")):
            with output.of():
                made = Consumer(settings(output, {name: secret}))
                output.note(made)
                made.close()
        for config in (
            {"security.protocol": "ssl", key: secret},
            {"default.topic.config": {key: secret}},
        ):
            with output.of():
                Producer(settings(output, config)).close()


def test_long_password_is_taken(output: Output) -> None:
    """A password that consists mostly of digits is accepted unchanged."""
    Producer(settings(output, {"sasl.password": f"{'0' * 40}12 {MARK}"})).close()


@pytest.mark.parametrize("kind", MISTAKES)
def test_of_credentials(output: Output, kind: str) -> None:
    """No password of set_sasl_credentials() appears, whether valid or invalid."""
    with Producer(settings(output, {})) as producer:
        with output.of():
            producer.set_sasl_credentials("user", MISTAKES[kind](MARK))  # type: ignore[arg-type]
        with output.of():
            producer.set_sasl_credentials(user="user", pasword=MARK)  # type: ignore[call-arg]
        producer.poll(0)


def test_of_a_login(output: Output) -> None:
    """The password is sent to the broker, and appears nowhere else: not in statistics or logs."""
    broker = SaslBroker("PLAIN")
    with (
        broker.socket,
        Producer(settings(output, broker.settings | {"sasl.password": MARK})) as producer,
    ):
        hearing = Thread(broker.initial_response)
        wait_until(
            lambda: any(text.startswith("'{") for text in output.texts),
            lambda: producer.poll(0.01),
        )
        assert hearing.result() == f"\0user\0{MARK}".encode()
        producer.poll(0)
    assert any("SASL" in text for text in output.texts)


@pytest.mark.parametrize(
    "answer",
    [
        (MARK, None),
        (MARK,),
        MARK,
        MARK.encode(),
        (MARK, MARK),
        (MARK, float("nan")),
        (MARK, -1.0),
        (f"{MARK}\0", 2e9),
        (f"{MARK}\ud800", 2e9),
        (MARK, 2e12, "principal", {MARK: 1}),
        (MARK, 2e12, "principal", [MARK]),
        (MARK, 2e9, MARK + "\0"),
    ],
    ids=ascii,
)
def test_of_a_token(output: Output, answer: Any) -> None:
    """If oauth_cb returns an invalid token, in any form, the token appears nowhere."""
    asked: list[str] = []

    def oauth_cb(config: str) -> Any:
        asked.append(config)
        return answer

    more = {"sasl.mechanisms": "OAUTHBEARER", "oauth_cb": oauth_cb}
    with output.of():
        Producer(settings(output, more))
    assert asked


def test_of_a_good_token(output: Output) -> None:
    """A token is sent to the broker, and appears nowhere else."""
    broker = SaslBroker()
    more = broker.settings | {
        "sasl.mechanisms": "OAUTHBEARER",
        "oauth_cb": lambda config: (MARK, time.time() + 3600, "principal", {"name": "value"}),
    }
    with broker.socket, Producer(settings(output, more)) as producer:
        heard: list[bytes] = []
        hearing = Thread(lambda: heard.append(broker.initial_response()))
        wait_until(lambda: heard, lambda: producer.poll(0.01))
        hearing.result()
        assert MARK.encode() in heard[0]


def test_of_statistics(output: Output) -> None:
    """The test can read the statistics as JSON, so it would find a secret in them."""
    seen: list[str] = []
    more = {"sasl.password": MARK, "stats_cb": seen.append}
    with Consumer(settings(output, more)) as consumer:
        wait_until(lambda: seen, lambda: consumer.poll(0.01))
    assert MARK not in seen[0]
    assert json.loads(seen[0])["type"] == "consumer"
