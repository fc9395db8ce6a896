"""oauth_cb: a client has a token when it is created; later tokens are requested in the background.

The mock brokers do not support SASL. oauth_cb does not need SASL, because it is called when a
client is created. A test that checks the token acts as the broker.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient
from tests.embedded.sasl_broker import SaslBroker
from tests.support.clients import config
from tests.support.scripts import check_script
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

THREAD = "confluent_kafka oauth_cb"
CLIENTS = [Producer, Consumer]
each_client = pytest.mark.parametrize("client", [*CLIENTS, ShareConsumer, AdminClient])

Make = Callable[..., Any]


def far() -> float:
    """An expiry that no test waits for."""
    return time.time() + 3600


def soon() -> float:
    """An expiry with which librdkafka requests a renewal within a second or two."""
    return time.time() + 1


def refreshers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


class Tokens:
    """An oauth_cb that records its calls."""

    def __init__(self, lifetime: float = 3600) -> None:
        self.lifetime = lifetime
        self.calls: list[tuple[str, threading.Thread, float]] = []

    def __call__(self, argument: str) -> tuple[str, float]:
        self.calls.append((argument, threading.current_thread(), time.time()))
        return "token", time.time() + self.lifetime


def sasl(
    oauth_cb: Callable[..., object],
    more: dict[str, Any] | None = None,
    client: type[Any] | None = None,
) -> dict[str, Any]:
    base = {
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": oauth_cb,
    }
    return config(base | (more or {}), client)


class Slow:
    """An oauth_cb whose calls, from a certain call on, return only when the test allows it."""

    def __init__(self, first: int = 1) -> None:
        self.calls = 0
        self.first = first
        self.entered = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, _argument: str) -> tuple[str, float]:
        self.calls += 1
        if self.calls < self.first:
            return "token", soon()
        self.entered.set()
        assert self.go_on.wait(TIMEOUT)
        return "token", far()


@pytest.fixture(autouse=True)
def threads_end() -> Iterator[None]:
    """Check that no test leaves a thread of a client behind."""
    yield
    gc.collect()
    wait_until(lambda: not refreshers())


# ---- when oauth_cb is called, and with which argument ----


@pytest.mark.parametrize("client_type", CLIENTS)
def test_without_poll(client_type: Make) -> None:
    """A new client at once calls oauth_cb on a separate thread, with the configuration."""
    tokens = Tokens()
    with client_type(sasl(tokens, {"sasl.oauthbearer.config": "scope=read é"})):
        wait_until(lambda: tokens.calls)
    argument, thread, _ = tokens.calls[0]
    assert argument == "scope=read é"
    assert thread is not threading.current_thread()
    assert thread.daemon


def test_without_configuration() -> None:
    """The argument is an empty str when sasl.oauthbearer.config is not given."""
    tokens = Tokens()
    with Producer(sasl(tokens)):
        wait_until(lambda: tokens.calls)
    assert tokens.calls[0][0] == ""


def test_a_long_configuration() -> None:
    """The argument is not cut, however long sasl.oauthbearer.config is."""
    tokens = Tokens()
    config = "é" * 10_000
    with Producer(sasl(tokens, {"sasl.oauthbearer.config": config})):
        wait_until(lambda: tokens.calls)
    assert tokens.calls[0][0] == config


def test_each_token_is_made_once() -> None:
    """If a token lives long, oauth_cb is not called again, however often the client is polled."""
    tokens = Tokens()
    with Producer(sasl(tokens)) as producer:
        wait_until(lambda: tokens.calls)
        watch = Stopwatch()
        while watch.elapsed < 1.1:  # librdkafka checks every second
            producer.poll(0.1)
    assert len(tokens.calls) == 1


def test_renewed_without_poll() -> None:
    """A token is replaced after 80 % of its lifetime, even if nobody polls."""
    tokens = Tokens(lifetime=0.5)
    with Consumer(sasl(tokens)):
        wait_until(lambda: len(tokens.calls) > 1)
    (_, first, made), (_, second, renewed), *_ = tokens.calls
    assert renewed - made >= 0.8 * 0.5 - 0.05
    assert first is second


def test_other_mechanisms_need_no_token() -> None:
    """Without OAUTHBEARER, there is no thread, and oauth_cb is not called."""
    tokens = Tokens()
    with Producer(config({"oauth_cb": tokens})) as producer:
        assert refreshers() == []
        producer.poll(0.05)
    assert tokens.calls == []


# ---- results of oauth_cb ----


@pytest.fixture
def broker() -> Iterator[SaslBroker]:
    broker = SaslBroker()
    with broker.socket:
        yield broker


@pytest.mark.parametrize(
    ("more", "extensions"),
    [
        ((), b""),
        (("me",), b""),
        (("me", {}), b""),
        (("me", {"pool": "a b", "cluster": "c"}), b"\x01pool=a b\x01cluster=c"),
    ],
    ids=["token", "principal", "no extensions", "extensions"],
)
def test_the_token_reaches_the_broker(
    broker: SaslBroker, more: tuple[Any, ...], extensions: bytes
) -> None:
    """Token and extensions are sent in the format of RFC 7628; principal and extensions are
    optional."""
    answer = sasl(lambda _: ("abc.def", far(), *more), broker.settings)
    with Producer(answer):
        sent = broker.initial_response()
    assert sent == b"n,,\x01auth=Bearer abc.def" + extensions + b"\x01\x01"


@pytest.mark.parametrize("expiry", [4_000_000_000, 4e9], ids=["int", "float"])
def test_expiry_is_a_number(expiry: float) -> None:
    """The expiry is in seconds since the epoch, as int or float."""
    tokens = Tokens()

    def answer(argument: str) -> tuple[str, float]:
        return tokens(argument)[0], expiry

    with Producer(sasl(answer)):
        assert tokens.calls


NOW = 1_700_000_000  # in the past

WRONG: list[tuple[object, Any, str]] = [
    (None, TypeError, "must return a tuple"),
    ("token", TypeError, "must return a tuple"),
    (("token",), TypeError, "must return a tuple"),
    (("token", 4e9, "me", {}, 1), TypeError, "must return a tuple"),
    ((b"token", 4e9), TypeError, "token"),
    (("tok\ud800en", 4e9), ValueError, "token"),
    (("tok\0en", 4e9), ValueError, "token"),
    (("token", "4e9"), TypeError, "expiry"),
    (("token", float("nan")), ValueError, "expiry"),
    (("token", 10**400), (ValueError, OverflowError), "expiry"),
    (("token", -1), ValueError, "expiry"),
    (("token", NOW), KafkaException, "refused"),
    (("token", 4e9, None), TypeError, "principal"),
    (("token", 4e9, "me", [("a", "b")]), TypeError, "extensions"),
    (("token", 4e9, "me", {1: "b"}), TypeError, "extension name"),
    (("token", 4e9, "me", {"a": 1}), TypeError, "extension value"),
    (("token", 4e9, "me", {"auth": "b"}), KafkaException, "refused"),
    (("token", 4e9, "me", {"a-b": "c"}), KafkaException, "refused"),
]


@pytest.mark.parametrize(("answer", "error", "text"), WRONG, ids=lambda value: ascii(value)[:40])
def test_wrong_answers(answer: object, error: Any, text: str) -> None:
    """The constructor raises; the cause is a typed error that names the wrong part."""
    with pytest.raises(KafkaException, match="OAuth token not set") as caught:
        Producer(sasl(lambda _: answer))
    assert isinstance(caught.value.__cause__, error)
    assert text in str(caught.value.__cause__)


def test_extensions_that_change_meanwhile() -> None:
    """Another thread may empty the dict while librdkafka reads its contents without the GIL."""
    script = """
import sys, threading, time
from confluent_kafka import Producer

extensions = {"pool": "x" * 50_000_000}  # each character is looked at, which takes a while
returning = threading.Event()

def answer(_):
    returning.set()
    return "token", time.time() + 3600, "me", extensions

def change():
    returning.wait()
    extensions.clear()

sys.setswitchinterval(60)  # so that change() goes on when oauth_cb's thread lets it
threading.Thread(target=change, daemon=True).start()
settings = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER"}
with Producer(settings | {"oauth_cb": answer}) as producer:
    while extensions:
        producer.poll(0.1)
"""
    assert check_script(script) == ""


# ---- the first token ----


def impatient(client: type[Any], timeout: float = TIMEOUT) -> type[Any]:
    """A client whose constructor waits for a shorter time for the first token."""

    class Impatient(client):  # type: ignore[misc]
        _oauth_timeout = timeout

    return Impatient


@each_client
def test_before_the_constructor_returns(client: type[Any]) -> None:
    """When the constructor returns, oauth_cb has been called exactly once."""
    tokens = Tokens()
    with client(sasl(tokens, client=client)):
        assert len(tokens.calls) == 1


@each_client
def test_no_first_token(client: type[Any]) -> None:
    """The constructor raises SASL_AUTHENTICATION_FAILED at once, with the exception of oauth_cb."""

    def fails(_argument: str) -> None:
        raise ZeroDivisionError("in oauth_cb")

    watch = Stopwatch()
    with pytest.raises(KafkaException) as caught:
        impatient(client)(sasl(fails, client=client))
    assert watch.elapsed < SOON
    error = caught.value.args[0]
    assert error.code() == KafkaError.SASL_AUTHENTICATION_FAILED
    assert error.str() == "OAuth token not set: oauth_cb failed: ZeroDivisionError: in oauth_cb"
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError)
    assert cause.__traceback__ is not None
    assert cause.__traceback__.tb_frame.f_code is fails.__code__


def test_an_exception_without_text() -> None:
    """If str() of the exception raises, the error names its type."""

    class Silent(Exception):
        def __str__(self) -> str:
            raise ValueError

    def fails(_argument: str) -> None:
        raise Silent

    with pytest.raises(KafkaException, match="oauth_cb failed: Silent"):
        Producer(sasl(fails))


@each_client
def test_no_first_token_in_time(client: type[Any]) -> None:
    """The constructor waits for _oauth_timeout, 10 s, and does not wait until oauth_cb ends."""
    slow = Slow()
    watch = Stopwatch()
    with pytest.raises(KafkaException, match="OAuth token not set within 0 seconds") as caught:
        impatient(client, 0.05)(sasl(slow, client=client))
    assert watch.elapsed < SOON
    slow.go_on.set()
    assert caught.value.args[0].code() == KafkaError.SASL_AUTHENTICATION_FAILED
    assert client.__new__(client)._oauth_timeout == 10


def test_signals_meanwhile() -> None:
    """Ctrl-C ends the wait of the constructor, however long oauth_cb takes."""
    go_on = threading.Event()

    def token(_argument: str) -> tuple[str, float]:
        os.kill(os.getpid(), signal.SIGINT)
        assert go_on.wait(TIMEOUT)
        return "token", far()

    watch = Stopwatch()
    with pytest.raises(KeyboardInterrupt):
        impatient(Producer)(sasl(token))
    assert watch.elapsed < SOON
    go_on.set()


@each_client
def test_a_signal_while_the_thread_starts(
    client: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a signal handler raises inside Thread.start(), the thread, which already runs, ends."""
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        client(sasl(Tokens(), client=client))


def test_a_fork_meanwhile() -> None:
    """If a signal handler forks, the constructor raises in the child, because the child has no
    thread."""
    script = """
import os, signal, sys, threading, time
from confluent_kafka import Producer

parent = os.getpid()
forked = threading.Event()

def fork(*_):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        forked.set()

def token(_):
    os.kill(parent, signal.SIGUSR1)
    forked.wait(30)
    return "token", time.time() + 3600

class Patient(Producer):
    _oauth_timeout = 300

signal.signal(signal.SIGUSR1, fork)
settings = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER"}
try:
    with Patient(settings | {"oauth_cb": token}):
        print("made", flush=True)
except RuntimeError as error:
    print("before os.fork()" in str(error), flush=True)
    os._exit(0)
"""
    assert check_script(script, forks=True).split() == ["True", "made"]


def test_the_client_meanwhile() -> None:
    """oauth_cb may be a method of its client, which is not open yet."""
    found: list[str] = []

    class Mine(Producer):
        def __init__(self) -> None:
            super().__init__(sasl(self.token))

        def token(self, _argument: str) -> tuple[str, float]:
            self.close()  # there is nothing to close yet
            with pytest.raises(RuntimeError, match="is not initialised") as caught:
                self.poll(0)
            found.append(str(caught.value))
            return "token", far()

    with Mine() as producer:
        assert len(found) == 1
        producer.poll(0)


# ---- tokens that fail later ----


class FailsLater:
    """An oauth_cb whose first token expires soon; the renewal fails either always or once."""

    def __init__(self, *, once: bool = False) -> None:
        self.calls = 0
        self.once = once

    def __call__(self, _argument: str) -> tuple[str, float]:
        self.calls += 1
        if self.calls == 2 or (self.calls > 2 and not self.once):
            raise ZeroDivisionError("in oauth_cb")
        return "token", soon() if self.calls == 1 else far()


def has_failed(client: Any) -> bool:
    error = client.last_error
    return error is not None and "oauth_cb failed" in error.str()


@pytest.mark.parametrize(
    "call",
    [
        pytest.param((Producer, lambda client: client.poll(0.05)), id="poll of a producer"),
        pytest.param((Producer, lambda client: client.flush(0.05)), id="flush"),
        pytest.param((Consumer, lambda client: client.poll(0.05)), id="poll of a consumer"),
        pytest.param((Consumer, lambda client: client.consume(1, 0.05)), id="consume"),
        pytest.param((AdminClient, lambda client: client.poll(0.05)), id="poll of an AdminClient"),
    ],
)
def test_later_failures_are_not_raised(call: tuple[type[Any], Callable[[Any], object]]) -> None:
    """No call raises a later failure, not even close(); last_error and the log contain it."""
    client_type, serve = call
    records: list[str] = []
    logger = logging.Logger("tokens")
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    fails = FailsLater()
    with client_type(sasl(fails, {"logger": logger})) as client:
        wait_until(lambda: has_failed(client))
        assert client.last_error == KafkaError._AUTHENTICATION
        wait_until(lambda: "in oauth_cb" in "".join(records), lambda: serve(client))
        serve(client)
    assert "ZeroDivisionError: in oauth_cb" in "".join(records)


@each_client
def test_error_cb_is_told(client: type[Any]) -> None:
    """error_cb gets a later failure as an _AUTHENTICATION error; it is also in the client's log."""
    errors: list[KafkaError] = []
    records: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(record.getMessage())  # type: ignore[method-assign]
    more = {"error_cb": errors.append, "logger": handler}
    # oauth_cb would be called again after ten seconds.
    with client(sasl(FailsLater(once=True), more, client)) as made:
        if client is ShareConsumer:
            made.subscribe(["topic"])
        wait_until(lambda: KafkaError._AUTHENTICATION in errors, lambda: made.poll(0.05))
    told = [error.str() for error in errors if error == KafkaError._AUTHENTICATION]
    assert len(told) == 1
    assert "ZeroDivisionError: in oauth_cb" in told[0]
    assert "".join(records).count("ZeroDivisionError: in oauth_cb") == 1


@pytest.mark.parametrize("client_type", CLIENTS)
def test_requests_say_it(client_type: Make, broker: SaslBroker) -> None:
    """The error of a request without an answer contains the failure of oauth_cb, even if nobody
    polls."""
    with client_type(sasl(FailsLater(), broker.settings)) as client:
        wait_until(lambda: has_failed(client))
        with pytest.raises(KafkaException, match="oauth_cb failed: ZeroDivisionError"):
            client.list_topics(timeout=0.1)


# ---- the end of the client ----


def test_closed_or_dropped_while_it_runs() -> None:
    """close() and deletion do not wait long for oauth_cb, and its thread does not keep the client
    alive."""
    closed, dropped = Slow(2), Slow(2)
    consumer = Consumer(sasl(closed))
    clients = [Producer(sasl(dropped))]
    reference = weakref.ref(clients[0])
    assert closed.entered.wait(TIMEOUT)
    assert dropped.entered.wait(TIMEOUT)
    watch = Stopwatch()
    closing = threading.Thread(target=consumer.close)
    closing.start()
    with pytest.warns(ResourceWarning):
        clients.clear()
    assert reference() is None
    closing.join(TIMEOUT)
    assert watch.elapsed < SOON
    assert len(refreshers()) == 2
    closed.go_on.set()
    dropped.go_on.set()


@pytest.mark.parametrize("error_cb", [None, lambda _error: None])
def test_failed_after_close(error_cb: Callable[[KafkaError], None] | None) -> None:
    """oauth_cb may fail after its client was closed without waiting for it."""
    slow = Slow(2)

    def fail(argument: str) -> tuple[str, float]:
        slow(argument)
        if slow.calls > 1:
            raise ValueError("too late")
        return "token", soon()

    producer = Producer(sasl(fail, {"error_cb": error_cb}))
    assert slow.entered.wait(TIMEOUT)
    producer.close()
    slow.go_on.set()
    wait_until(lambda: not refreshers())
    with pytest.raises(RuntimeError, match="closed"):
        producer.poll(0)


def test_close_waits_for_a_callback_that_ends() -> None:
    """When close() returns, the thread has ended."""
    tokens = Tokens()
    producer = Producer(sasl(tokens))
    wait_until(lambda: tokens.calls)
    producer.close()
    # The thread has released the client, but the interpreter may still list the thread.
    tokens.calls[0][1].join(TIMEOUT)
    assert refreshers() == []
