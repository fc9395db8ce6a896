"""oauth_cb: tokens are made in the background, reach the broker, and fail where one can see it.

The mock brokers know no SASL. Nothing of it is needed to be asked for a token, which happens
when a client is made; who wants to see the token plays the broker himself.
"""

from __future__ import annotations

import gc
import socket
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from tests.support.clients import config
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

THREAD = "confluent_kafka oauth_cb"
SASL_HANDSHAKE, API_VERSIONS = 17, 18  # API keys of Kafka's protocol
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


def test_each_token_is_made_once() -> None:
    """A token that lives long is not asked for again, however much the client is polled."""
    tokens = Tokens()
    with Producer(sasl(tokens)) as producer:
        wait_until(lambda: tokens.calls)
        watch = Stopwatch()
        while watch.elapsed < 1.1:  # librdkafka looks each second
            producer.poll(0.1)
    assert len(tokens.calls) == 1


@pytest.mark.parametrize("client_type", CLIENTS)
def test_renewed_without_poll(client_type: Make) -> None:
    """A token that has lived 80 % of its time is replaced, although nobody polls."""
    tokens = Tokens(lifetime=0.5)
    with client_type(sasl(tokens)):
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


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...


class Broker:
    """Takes a client as far as its first SASL message: ApiVersions v0, SaslHandshake v0."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(TIMEOUT)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"

    def initial_response(self) -> bytes:
        connection, _ = self.socket.accept()
        connection.settimeout(TIMEOUT)
        with connection, connection.makefile("rwb") as stream:
            while self._answer(stream) != SASL_HANDSHAKE:
                pass
            return _read_frame(stream)

    @staticmethod
    def _answer(stream: Stream) -> int:
        """Answers one request: its API key."""
        api_key, version, correlation = struct.unpack_from(">hhi", _read_frame(stream))
        body = struct.pack(">i", correlation)
        if api_key == SASL_HANDSHAKE:
            body += struct.pack(">hih", 0, 1, 11) + b"OAUTHBEARER"
        elif version > 0:
            body += struct.pack(">hi", KafkaError.UNSUPPORTED_VERSION, 0)
        else:
            body += struct.pack(">hi", 0, 2)
            body += struct.pack(">hhhhhh", SASL_HANDSHAKE, 0, 0, API_VERSIONS, 0, 0)
        stream.write(struct.pack(">i", len(body)) + body)
        stream.flush()
        assert isinstance(api_key, int)
        return api_key


def _read_frame(stream: Stream) -> bytes:
    (size,) = struct.unpack(">i", stream.read(4))
    return stream.read(size)


@pytest.fixture
def broker() -> Iterator[Broker]:
    broker = Broker()
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
    broker: Broker, more: tuple[Any, ...], extensions: bytes
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
    (["token", 4e9], TypeError, "must return a tuple"),
    (("token",), TypeError, "must return a tuple"),
    (("token", 4e9, "me", {}, 1), TypeError, "must return a tuple"),
    ((b"token", 4e9), TypeError, "token"),
    ((None, 4e9), TypeError, "token"),
    (("tok\ud800en", 4e9), ValueError, "token"),
    (("tok\0en", 4e9), ValueError, "token"),
    (("token", "4e9"), TypeError, "expiry"),
    (("token", None), TypeError, "expiry"),
    (("token", float("nan")), ValueError, "expiry"),
    (("token", float("inf")), ValueError, "expiry"),
    (("token", 10**400), (ValueError, OverflowError), "expiry"),
    (("token", -1), ValueError, "expiry"),
    (("token", NOW), KafkaException, "refused"),
    (("token", 4e9, None), TypeError, "principal"),
    (("token", 4e9, "me", None), TypeError, "extensions"),
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


def test_close_while_it_runs() -> None:
    """close() does not wait long for it; its token is then of no use, and the thread ends."""
    slow = Slow()
    client = Consumer(sasl(slow))
    assert slow.entered.wait(TIMEOUT)
    watch = Stopwatch()
    client.close()
    assert watch.elapsed < TIMEOUT / 2
    assert len(refreshers()) == 1
    slow.go_on.set()


def test_dropped_while_it_runs() -> None:
    """The thread does not keep a client alive; it outlives it unharmed."""
    slow = Slow()
    clients = [Producer(sasl(slow))]
    assert slow.entered.wait(TIMEOUT)
    reference = weakref.ref(clients[0])
    with pytest.warns(ResourceWarning):
        clients.clear()
    assert reference() is None
    slow.go_on.set()


def test_close_waits_for_a_callback_that_ends() -> None:
    """The thread is gone when close() returns."""
    tokens = Tokens()
    producer = Producer(sasl(tokens))
    wait_until(lambda: tokens.calls)
    producer.close()
    # The interpreter still has to see the end of a thread that has let go of the client.
    tokens.calls[0][1].join(TIMEOUT)
    assert refreshers() == []
