"""oauth_cb: tokens are made in the background, reach the broker, and fail where one can see it.

The mock brokers know no SASL. Nothing of it is needed to be asked for a token, which happens
when a client is made; who wants to see the token plays the broker himself.
"""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.testing import MockCluster
from tests.embedded.sasl_broker import SaslBroker
from tests.support.clients import config
from tests.support.scripts import check_script
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

THREAD = "confluent_kafka oauth_cb"
CLIENTS = [Producer, Consumer]

Make = Callable[..., Any]


def far() -> float:
    """An expiry that no test reaches."""
    return time.time() + 3600


def refreshers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == THREAD]


class Tokens:
    """An oauth_cb that notes its calls."""

    def __init__(self, lifetime: float = 3600) -> None:
        self.lifetime = lifetime
        self.calls: list[tuple[str, threading.Thread, float]] = []

    def __call__(self, argument: str) -> tuple[str, float]:
        self.calls.append((argument, threading.current_thread(), time.time()))
        return "token", time.time() + self.lifetime


def sasl(oauth_cb: Callable[..., object], more: dict[str, Any] | None = None) -> dict[str, Any]:
    base = {
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": oauth_cb,
    }
    return config(base | (more or {}))


@pytest.fixture(autouse=True)
def threads_end() -> Iterator[None]:
    """No test leaves a thread of a client behind."""
    yield
    gc.collect()
    wait_until(lambda: not refreshers())


# ---- when, where and with what ----


@pytest.mark.parametrize("client_type", CLIENTS)
def test_without_poll(client_type: Make) -> None:
    """A new client asks for a token at once, on a thread of its own, with the configuration."""
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
    """A token that lives long is not asked for again, however much the client is polled."""
    tokens = Tokens()
    with Producer(sasl(tokens)) as producer:
        wait_until(lambda: tokens.calls)
        watch = Stopwatch()
        while watch.elapsed < 1.1:  # librdkafka looks each second
            producer.poll(0.1)
    assert len(tokens.calls) == 1


def test_renewed_without_poll() -> None:
    """A token that has lived 80 % of its time is replaced, although nobody polls."""
    tokens = Tokens(lifetime=0.5)
    with Consumer(sasl(tokens)):
        wait_until(lambda: len(tokens.calls) > 1)
    (_, first, made), (_, second, renewed), *_ = tokens.calls
    assert renewed - made >= 0.8 * 0.5 - 0.05
    assert first is second


def test_other_mechanisms_need_no_token() -> None:
    """Without OAUTHBEARER there is no thread, and nobody calls."""
    tokens = Tokens()
    with Producer(config({"oauth_cb": tokens})) as producer:
        assert refreshers() == []
        producer.poll(0.05)
    assert tokens.calls == []


# ---- what it returns ----


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
    """Token and extensions are sent as RFC 7628 has them; principal and extensions can miss."""
    answer = sasl(
        lambda _: ("abc.def", far(), *more),
        {"bootstrap.servers": broker.address},
    )
    with Producer(answer):
        sent = broker.initial_response()
    assert sent == b"n,,\x01auth=Bearer abc.def" + extensions + b"\x01\x01"


@pytest.mark.parametrize("expiry", [4_000_000_000, 4e9], ids=["int", "float"])
def test_expiry_is_a_number(expiry: float) -> None:
    """Seconds since the epoch, as int or float."""
    tokens = Tokens()

    def answer(argument: str) -> tuple[str, float]:
        return tokens(argument)[0], expiry

    with Producer(sasl(answer)) as producer:
        wait_until(lambda: tokens.calls)
        producer.poll(0.2)  # raises what oauth_cb did wrong


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
    """A typed error that names the part which is wrong comes out of poll()."""
    with Producer(sasl(lambda _: answer)) as producer, pytest.raises(error, match=text):
        wait_until(lambda: False, lambda: producer.poll(0.05))


def test_extensions_that_change_meanwhile() -> None:
    """The dict may be emptied while librdkafka, without the GIL, reads what was in it."""
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


# ---- exceptions ----


@pytest.mark.parametrize(
    "call",
    [
        pytest.param((Producer, lambda producer: producer.poll(0.05)), id="poll of a producer"),
        pytest.param((Producer, lambda producer: producer.flush(0.05)), id="flush"),
        pytest.param((Consumer, lambda consumer: consumer.poll(0.05)), id="poll of a consumer"),
        pytest.param((Consumer, lambda consumer: consumer.consume(1, 0.05)), id="consume"),
    ],
)
def test_exceptions(call: tuple[Make, Callable[[Any], object]]) -> None:
    """What oauth_cb raises comes out of the call that serves callbacks, whole and once."""
    client_type, serve = call

    def fails(_argument: str) -> None:
        raise ZeroDivisionError("in oauth_cb")

    with client_type(sasl(fails)) as client:
        with pytest.raises(ZeroDivisionError, match="in oauth_cb") as caught:
            wait_until(lambda: False, lambda: serve(client))
        assert [entry.name for entry in caught.traceback][-1] == "fails"
        serve(client)  # librdkafka asks again after ten seconds


def test_error_cb_is_told() -> None:
    """A failure is an _AUTHENTICATION error of the client as well."""
    errors: list[KafkaError] = []
    with Producer(sasl(lambda _: 1 / 0, {"error_cb": errors.append})) as producer:
        with pytest.raises(ZeroDivisionError):
            wait_until(lambda: False, lambda: producer.poll(0.05))
        wait_until(
            lambda: any(error == KafkaError._AUTHENTICATION for error in errors),
            lambda: producer.poll(0.05),
        )
    (error,) = [error for error in errors if error == KafkaError._AUTHENTICATION]
    assert "ZeroDivisionError" in error.str()


# ---- the end of the client ----


class Slow:
    """An oauth_cb that does not return before it is told to."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, _argument: str) -> tuple[str, float]:
        self.entered.set()
        assert self.go_on.wait(TIMEOUT)
        return "token", far()


def test_closed_or_dropped_while_it_runs() -> None:
    """Neither waits long for it, and the thread keeps no client alive; it ends unharmed."""
    closed, dropped = Slow(), Slow()
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


def test_close_waits_for_a_callback_that_ends() -> None:
    """The thread is gone when close() returns."""
    tokens = Tokens()
    producer = Producer(sasl(tokens))
    wait_until(lambda: tokens.calls)
    producer.close()
    # The interpreter still has to see the end of a thread that has let go of the client.
    tokens.calls[0][1].join(TIMEOUT)
    assert refreshers() == []


@pytest.mark.parametrize("client_type", CLIENTS)
def test_requests_say_it(client_type: Make, kafka_cluster: MockCluster) -> None:
    """A request that fails for want of a token says so, though nobody polls."""
    servers = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    client = client_type(sasl(lambda _: 1 / 0, servers))
    with pytest.raises(KafkaException, match="oauth_cb failed: ZeroDivisionError"):
        client.list_topics(timeout=1)
    with pytest.raises(ZeroDivisionError):
        client.close()
    client.close()  # a producer's goes on where the exception came out


@pytest.mark.parametrize("client_type", CLIENTS)
def test_connect_raises_it(client_type: Make, kafka_cluster: MockCluster) -> None:
    """connect() raises what oauth_cb raised, at once."""
    servers = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    with client_type(sasl(lambda _: 1 / 0, servers)) as client:
        watch = Stopwatch()
        with pytest.raises(ZeroDivisionError):
            client.connect(TIMEOUT)
        assert watch.elapsed < SOON
