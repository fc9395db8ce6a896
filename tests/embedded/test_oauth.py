"""SASL/OAUTHBEARER: tokens from oauth_cb, in the background.

Mock brokers know no SASL, but librdkafka asks for a token as soon as a client is created.
"""

from __future__ import annotations

import gc
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from tests.embedded.sasl import sasl_listener
from tests.support.kafka import NO_BROKER
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

SASL = {
    "bootstrap.servers": NO_BROKER,
    "security.protocol": "sasl_plaintext",
    "sasl.mechanism": "OAUTHBEARER",
    "log_level": 0,
}
CLIENTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "producer": Producer,
    "consumer": lambda config: Consumer(config | {"group.id": "group"}),
}


class Tokens:
    """An oauth_cb that returns what it is given, and notes its calls."""

    def __init__(self, answer: Callable[[], object]) -> None:
        self.answer = answer
        self.arguments: list[str] = []
        self.threads: list[threading.Thread] = []

    def __call__(self, config: str) -> Any:
        self.arguments.append(config)
        self.threads.append(threading.current_thread())
        return self.answer()


def token(seconds: float = 3600) -> tuple[str, float]:
    return "token", time.time() + seconds


# ---- when it is called ----


@pytest.mark.parametrize("kind", CLIENTS)
def test_called_without_poll(kind: str) -> None:
    """The token is there without a single call of the client, with the configured argument."""
    tokens = Tokens(token)
    with CLIENTS[kind](SASL | {"oauth_cb": tokens, "sasl.oauthbearer.config": "scope=x"}):
        wait_until(lambda: tokens.arguments)
        assert tokens.arguments == ["scope=x"]
        assert tokens.threads[0] is not threading.current_thread()


def test_the_argument_is_empty_by_default() -> None:
    """Without sasl.oauthbearer.config oauth_cb gets an empty str."""
    tokens = Tokens(token)
    with Producer(SASL | {"oauth_cb": tokens}):
        wait_until(lambda: tokens.arguments)
    assert tokens.arguments == [""]


def test_a_long_argument() -> None:
    """The argument is passed on whole, however long."""
    config = "x" * 20_000
    tokens = Tokens(token)
    with Producer(SASL | {"oauth_cb": tokens, "sasl.oauthbearer.config": config}):
        wait_until(lambda: tokens.arguments)
    assert tokens.arguments == [config]


@pytest.mark.parametrize("kind", CLIENTS)
def test_refreshed_before_it_expires(kind: str) -> None:
    """A token is asked for again in the background, at four fifths of its life."""
    tokens = Tokens(lambda: token(1))
    with CLIENTS[kind](SASL | {"oauth_cb": tokens}) as client:
        watch = Stopwatch()
        wait_until(lambda: len(tokens.arguments) >= 2)
        assert watch.elapsed >= 0.8
        assert client.poll(0) in (0, None)


def test_not_called_for_other_mechanisms() -> None:
    """oauth_cb is ignored where nobody needs a token."""
    tokens = Tokens(token)
    config = {
        "sasl.mechanism": "PLAIN",
        "sasl.username": "user",
        "sasl.password": "password",
        "oauth_cb": tokens,
    }
    with Producer(SASL | config) as producer:
        producer.poll(0.1)
    with Producer({"bootstrap.servers": NO_BROKER, "log_level": 0, "oauth_cb": tokens}) as producer:
        producer.poll(0.1)
    assert tokens.arguments == []


# ---- what it returns ----


@pytest.mark.parametrize(
    ("more", "sent"),
    [
        ((), b"n,,\x01auth=Bearer token\x01\x01"),
        (("principal",), b"n,,\x01auth=Bearer token\x01\x01"),
        (("principal", {}), b"n,,\x01auth=Bearer token\x01\x01"),
        (
            ("principal", {"traceId": "123", "tenant": "a b"}),
            b"n,,\x01auth=Bearer token\x01traceId=123\x01tenant=a b\x01\x01",
        ),
    ],
)
def test_what_the_broker_gets(more: tuple[Any, ...], sent: bytes) -> None:
    """The token and the extensions reach the broker (RFC 7628); the principal is ours."""
    with sasl_listener("OAUTHBEARER") as (address, messages):
        config = {"bootstrap.servers": address, "oauth_cb": Tokens(lambda: (*token(), *more))}
        with Producer(SASL | config) as producer:
            wait_until(lambda: messages, lambda: producer.poll(0.01))
    assert messages[0] == sent


@pytest.mark.parametrize(
    "expiry", [lambda: int(time.time()) + 60, lambda: time.time() + 60.5, lambda: 1e12]
)
def test_kinds_of_expiry(expiry: Callable[[], float]) -> None:
    """Seconds since the epoch, as int or float, however far."""
    tokens = Tokens(lambda: ("token", expiry()))
    with Producer(SASL | {"oauth_cb": tokens}) as producer:
        wait_until(lambda: tokens.arguments)
        assert producer.poll(0.1) == 0


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (None, TypeError, "tuple.*NoneType"),
        ("token", TypeError, "tuple.*str"),
        (["token", 1], TypeError, "tuple.*list"),
        ((), TypeError, "tuple"),
        (("token",), TypeError, "tuple"),
        (("token", 1, "principal", {}, "more"), TypeError, "tuple"),
        ((b"token", 2e9), TypeError, "token.*bytes"),
        (("tok\ud800en", 2e9), ValueError, "token"),
        (("tok\x00en", 2e9), ValueError, "token"),
        (("token", "soon"), TypeError, "expiry.*str"),
        (("token", None), TypeError, "expiry"),
        (("token", float("nan")), ValueError, "expiry"),
        (("token", float("inf")), ValueError, "expiry"),
        (("token", -1), ValueError, "expiry"),
        (("token", 2**2000), OverflowError, "expiry"),
        (("token", 1e9), KafkaException, "lifetime|expir|past|now"),
        (("token", 4e9, None), TypeError, "principal"),
        (("token", 4e9, "p", [("a", "b")]), TypeError, "extensions.*list"),
        (("token", 4e9, "p", {"a": 1}), TypeError, "extension value"),
        (("token", 4e9, "p", {1: "a"}), TypeError, "extension name"),
        (("token", 4e9, "p", {"auth": "reserved"}), KafkaException, "auth"),
        (("token", 4e9, "p", {"no_underscores": "x"}), KafkaException, "no_underscores"),
        (("to\x01ken", 4e9), KafkaException, "token"),
    ],
)
def test_wrong_answers(answer: object, error: type[Exception], text: str) -> None:
    """poll() raises what is wrong with the answer, by name."""
    with (
        Producer(SASL | {"oauth_cb": Tokens(lambda: answer)}) as producer,
        pytest.raises(error, match=text),
    ):
        wait_until(lambda: False, lambda: producer.poll(0.1))


# ---- exceptions ----


@pytest.mark.parametrize("kind", CLIENTS)
def test_exceptions_come_out_of_poll(kind: str) -> None:
    """The exception itself, with the traceback into oauth_cb, though another thread ran it."""
    client = CLIENTS[kind](SASL | {"oauth_cb": Tokens(lambda: 1 / 0)})
    watch = Stopwatch()
    with pytest.raises(ZeroDivisionError) as caught:
        client.poll(TIMEOUT)
    assert watch.elapsed < TIMEOUT / 2
    frames = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == "<lambda>"
    client.close()


def test_error_cb_is_told() -> None:
    """The failure is an error of the client too, as librdkafka sees it."""
    errors: list[KafkaError] = []
    config = {"oauth_cb": Tokens(lambda: 1 / 0), "error_cb": errors.append}
    with Producer(SASL | config) as producer:
        with pytest.raises(ZeroDivisionError):
            producer.poll(TIMEOUT)
        codes = lambda: [error.code() for error in errors]  # noqa: E731
        wait_until(lambda: KafkaError._AUTHENTICATION in codes(), lambda: producer.poll(0.01))
    (error,) = (error for error in errors if error.code() == KafkaError._AUTHENTICATION)
    assert "ZeroDivisionError" in error.str()


# ---- the end ----


@pytest.mark.parametrize("kind", CLIENTS)
def test_close_ends_the_thread(kind: str) -> None:
    """No thread is left after close()."""
    tokens = Tokens(token)
    before = set(threading.enumerate())
    client = CLIENTS[kind](SASL | {"oauth_cb": tokens})
    wait_until(lambda: tokens.arguments)
    client.close()
    wait_until(lambda: not set(threading.enumerate()) - before)


@pytest.mark.parametrize("kind", CLIENTS)
def test_a_dropped_client_ends_the_thread(kind: str) -> None:
    """The thread does not keep the client alive, nor itself."""
    tokens = Tokens(token)
    before = set(threading.enumerate())
    client = CLIENTS[kind](SASL | {"oauth_cb": tokens})
    wait_until(lambda: tokens.arguments)
    with pytest.warns(ResourceWarning, match="was not closed"):  # noqa: PT031
        del client
        gc.collect()
    wait_until(lambda: not set(threading.enumerate()) - before)


class Held:
    """An oauth_cb that does not return until it is told to."""

    def __init__(self) -> None:
        self.entered, self.release = threading.Event(), threading.Event()

    def __call__(self, _: str) -> tuple[str, float]:
        self.entered.set()
        assert self.release.wait(TIMEOUT)
        return token()


@pytest.mark.parametrize("kind", CLIENTS)
def test_close_while_the_callback_runs(kind: str) -> None:
    """close() does not wait for ever, and the late token finds nobody: no crash."""
    held = Held()
    before = set(threading.enumerate())
    client = CLIENTS[kind](SASL | {"oauth_cb": held})
    assert held.entered.wait(TIMEOUT)
    watch = Stopwatch()
    client.close()
    assert watch.elapsed < TIMEOUT / 2
    held.release.set()
    wait_until(lambda: not set(threading.enumerate()) - before)


def test_collected_while_the_callback_runs() -> None:
    """The same for a client that was dropped."""
    held = Held()
    before = set(threading.enumerate())
    producer = Producer(SASL | {"oauth_cb": held})
    assert held.entered.wait(TIMEOUT)
    with pytest.warns(ResourceWarning, match="was not closed"):  # noqa: PT031
        del producer
        gc.collect()
    held.release.set()
    wait_until(lambda: not set(threading.enumerate()) - before)


def test_close_from_the_callback() -> None:
    """oauth_cb runs outside poll(): it may close its own client."""
    clients: list[Producer] = []
    closed = threading.Event()
    ready = threading.Event()

    def close(_: str) -> tuple[str, float]:
        assert ready.wait(TIMEOUT)
        clients[0].close(0)
        closed.set()
        return token()

    before = set(threading.enumerate())
    clients.append(Producer(SASL | {"oauth_cb": close}))
    ready.set()
    assert closed.wait(TIMEOUT)
    with pytest.raises(RuntimeError, match="closed"):
        clients[0].poll(0)
    wait_until(lambda: not set(threading.enumerate()) - before)


@pytest.mark.parametrize("ending", ["", "client.close()", "del client"])
def test_exit_while_the_callback_runs(ending: str) -> None:
    """The interpreter exits cleanly although oauth_cb never returns."""
    check_script(
        f"""
        import threading, warnings
        from confluent_kafka import Producer

        warnings.simplefilter("ignore", ResourceWarning)
        entered, never = threading.Event(), threading.Event()

        def callback(_):
            entered.set()
            never.wait()

        client = Producer({SASL!r} | {{"oauth_cb": callback}})
        entered.wait()
        {ending}
        """
    )
