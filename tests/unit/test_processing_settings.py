"""The arguments that Worker and AIOWorker refuse, before they connect to a broker."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from collections.abc import AsyncIterator, Callable, Iterator
from types import MappingProxyType
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.processing import AIOWorker, Retry, Worker
from confluent_kafka.serialization import DeserializerBuilder, StringDeserializer

# The consumer connects to nothing. Its log would show that.
CONFIG = {"group.id": "g", "log_level": 0}


def handle(message: object) -> None:
    """A handler of a Worker."""


async def handle_soon(message: object) -> None:
    """A handler of an AIOWorker."""


def make(kind: str, **arguments: Any) -> None:
    """Create a worker, and close it."""
    given: dict[str, Any] = {"config": CONFIG, "topics": ["t"]} | arguments
    if kind == "Worker":
        Worker(**{"handler": handle} | given).close()
        return

    async def use() -> None:
        await AIOWorker(**{"handler": handle_soon} | given).close()

    asyncio.run(use())


@pytest.fixture(params=["Worker", "AIOWorker"])
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("config", None, "config must be a dict, not NoneType"),
        ("config", [("group.id", "g")], "config must be a dict, not list"),
        ("topics", "orders", "topics must be a list of names, not 'orders'"),
        ("topics", b"orders", "topics must be a list of names, not b'orders'"),
        ("topics", None, "topics must be a list of names, not None"),
        ("topics", 3, "topics must be a list of names, not 3"),
        ("topics", {"orders"}, "topics must be a list of names, not {'orders'}"),
        ("topics", iter(["orders"]), "topics must be a list of names, not <list_iterator"),
        ("topics", ["a", b"b"], "topics must be a list of names, not ['a', b'b']"),
        ("topics", [None], "topics must be a list of names, not [None]"),
        ("handler", None, "handler must be callable, not NoneType"),
        ("handler", "handle", "handler must be callable, not str"),
        ("workers", 1.0, "workers must be a whole number, not float"),
        ("workers", True, "workers must be a whole number, not bool"),
        ("workers", None, "workers must be a whole number, not NoneType"),
        ("batch", "1", "batch must be a whole number, not str"),
        ("batch", True, "batch must be a whole number, not bool"),
        ("retry", 3, "retry must be a Retry or None, not int"),
        ("retry", Retry, "retry must be a Retry or None, not type"),
        ("max_messages", 1e3, "max_messages must be a whole number, not float"),
        ("max_bytes", "1 MB", "max_bytes must be a whole number, not str"),
        ("commit_interval", "1", "commit_interval must be a number, not str"),
        ("commit_interval", None, "commit_interval must be a number, not NoneType"),
        ("drain_timeout", [1], "drain_timeout must be a number, not list"),
        ("drain_timeout", False, "drain_timeout must be a number, not bool"),
        ("producer_config", 3, "producer_config must be a dict, not int"),
        ("producer_config", [], "producer_config must be a dict, not list"),
    ],
)
def test_types(kind: str, name: str, value: object, text: str) -> None:
    """A value of another type is a TypeError that names the argument."""
    with pytest.raises(TypeError, match=re.escape(text)):
        make(kind, **{name: value})


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("topics", [], "topics is []: it must have at least one name"),
        ("workers", 0, "workers is 0: it must be from 1 to 10,000"),
        ("workers", 10_001, "workers is 10001: it must be from 1 to 10,000"),
        ("batch", 0, "batch is 0: it must be from 1 to 1,000,000"),
        ("batch", -1, "batch is -1: it must be from 1 to 1,000,000"),
        ("max_messages", 0, "max_messages is 0: it must be from 1 to 1,000,000"),
        ("max_messages", 2**33, "max_messages is 8589934592: it must be from 1 to 1,000,000"),
        ("max_bytes", 0, "max_bytes is 0: it must be from 1 to 1,099,511,627,776"),
        ("max_bytes", 2**40 + 1, "max_bytes is 1099511627777: it must be from 1 to"),
        ("commit_interval", 0, "commit_interval is 0: it must be from 0.01 to 3,600"),
        ("commit_interval", float("nan"), "commit_interval is nan: it must be from 0.01 to 3,600"),
        ("drain_timeout", -0.1, "drain_timeout is -0.1: it must be from 0 to 3,600"),
        ("drain_timeout", 3_601, "drain_timeout is 3601: it must be from 0 to 3,600"),
        ("drain_timeout", float("inf"), "drain_timeout is inf: it must be from 0 to 3,600"),
        ("concurrency", "keys", "concurrency is 'keys': did you mean 'key'?"),
        ("concurrency", "Partition", "concurrency is 'Partition': did you mean 'partition'?"),
        ("concurrency", "non", "concurrency is 'non': did you mean 'none'?"),
        ("concurrency", "x", "concurrency is 'x': it must be one of key, partition, none"),
        ("concurrency", None, "concurrency is None: "),
        ("concurrency", 16, "concurrency is 16: it must be one of key, partition, none"),
        ("concurrency", ["key"], "concurrency is ['key']: "),
    ],
)
def test_ranges(kind: str, name: str, value: object, text: str) -> None:
    """A value out of its range is a ValueError that names the argument and the value. For
    `concurrency` it suggests the nearest name."""
    with pytest.raises(ValueError, match=re.escape(text)):
        make(kind, **{name: value})


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"workers": 1, "batch": 1, "max_messages": 1, "max_bytes": 1},
        {"workers": 100, "batch": 1_000_000, "max_messages": 1_000_000, "max_bytes": 2**40},
        {"commit_interval": 0.01, "drain_timeout": 0},
        {"commit_interval": 3_600.0, "drain_timeout": 3_600},
        {"concurrency": "none"},
        {"topics": ("a", "^b"), "retry": Retry(dead_letters="dead")},
        {"config": MappingProxyType(CONFIG)},
        {"producer_config": MappingProxyType({"acks": 1}), "retry": Retry(dead_letters="dead")},
        {"producer_config": {}, "retry": Retry(delays=[5])},
    ],
)
def test_limits_are_accepted(kind: str, arguments: dict[str, Any]) -> None:
    """The first and the last value of a range are accepted."""
    make(kind, **arguments)


def test_delays_with_a_regular_expression(kind: str) -> None:
    """Delay topics need the names of topics."""
    with pytest.raises(ValueError, match="delays need the names of topics, and '\\^t'"):
        make(kind, topics=["^t"], retry=Retry(delays=[5]))


@pytest.mark.parametrize("name", ["enable.auto.commit", "enable.auto.offset.store"])
@pytest.mark.parametrize("value", [True, False, "true"])
def test_commits_of_the_client(kind: str, name: str, value: object) -> None:
    """The worker commits itself, so the properties that let the client commit are refused, whatever
    their value."""
    text = f"{name}: a worker commits the offsets of messages that are done, so leave this property"
    with pytest.raises(ValueError, match=re.escape(text)):
        make(kind, config={**CONFIG, name: value})


@pytest.mark.parametrize("retry", [None, Retry()])
def test_a_producer_without_a_task(kind: str, retry: Retry | None) -> None:
    """A configuration of the producer is refused if `retry` has no topic to send to."""
    with pytest.raises(ValueError, match="producer_config needs a retry with delays or"):
        make(kind, retry=retry, producer_config={"acks": 1})


def test_a_wrong_callback(kind: str) -> None:
    """The worker calls `on_commit` itself, so it checks that it can be called."""
    with pytest.raises(TypeError, match="on_commit must be callable, not int"):
        make(kind, config={**CONFIG, "on_commit": 3})
    make(kind, config={**CONFIG, "on_commit": print})
    make(kind, config={**CONFIG, "on_commit": None})


def test_a_missing_group(kind: str) -> None:
    """A worker needs a group."""
    with pytest.raises(ValueError, match=r"group\.id must be set"):
        make(kind, config={"bootstrap.servers": "127.0.0.1:1"})


def test_an_unknown_property(kind: str) -> None:
    """An unknown property is a KafkaException that suggests the nearest name."""
    text = re.escape("\"fetch.min.byte\" (did you mean 'fetch.min.bytes'?)")
    with pytest.raises(KafkaException, match=text) as caught:
        make(kind, config={**CONFIG, "fetch.min.byte": 1})
    assert caught.value.args[0].code() == KafkaError._INVALID_ARG


def test_a_wrong_deserializer(kind: str) -> None:
    """A deserializer that is not callable is a TypeError that names the property."""
    with pytest.raises(TypeError, match=r"value\.deserializer must be callable, not int"):
        make(kind, config={**CONFIG, "value.deserializer": 3})


def test_the_configuration_of_the_caller_is_not_changed(kind: str) -> None:
    """The worker changes neither configuration."""
    config = {**CONFIG, "value.deserializer": StringDeserializer(), "on_commit": print}
    producer_config = {"acks": 1}
    before = dict(config)
    make(
        kind,
        config=config,
        producer_config=producer_config,
        retry=Retry(dead_letters="dead"),
    )
    assert config == before
    assert producer_config == {"acks": 1}


class Builder(DeserializerBuilder):
    """Builds deserializers that the worker has to close."""

    def __init__(self) -> None:
        self.built: list[Mock] = []

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Any, dict[str, Any]]:
        self.built.append(Mock())
        return self.built[-1], conf


@pytest.mark.parametrize(
    "arguments",
    [
        {"producer_config": 3},
        {"producer_config": {"acks": 1}},
        {"topics": []},
        {"workers": 0},
        {"retry": 3},
        {"on_commit": 3},
        {"enable.auto.commit": False},
    ],
)
def test_a_refused_argument_leaves_nothing_open(kind: str, arguments: dict[str, Any]) -> None:
    """When an argument is refused, each deserializer that was built is closed."""
    builder = Builder()
    config = {**CONFIG, "value.deserializer.builder": builder}
    of_worker = inspect.signature(Worker).parameters
    config |= {name: value for name, value in arguments.items() if name not in of_worker}
    given = {name: value for name, value in arguments.items() if name in of_worker}
    with pytest.raises((TypeError, ValueError)):
        make(kind, config=config, **given)
    for each in builder.built:
        each.close.assert_called_once_with()


# Handlers.


class Blocking:
    def __call__(self, message: object) -> None: ...
    def handle(self, message: object) -> None: ...


class Awaiting:
    async def __call__(self, message: object) -> None: ...
    async def handle(self, message: object) -> None: ...
    @staticmethod
    async def alone(message: object) -> None: ...


def generate(message: object) -> Iterator[object]:
    yield message


async def generate_soon(message: object) -> AsyncIterator[object]:
    yield message


BLOCKING: dict[str, Callable[..., object]] = {
    "function": handle,
    "builtin": print,
    "builtin method": [].append,
    "lambda": lambda message: None,
    "object": Blocking(),
    "method": Blocking().handle,
    "partial": functools.partial(handle),
    "mock": Mock(),
    "class": dict,
}
AWAITING: dict[str, Callable[..., object]] = {
    "function": handle_soon,
    "object": Awaiting(),
    "method": Awaiting().handle,
    "static method": Awaiting.alone,
    "partial": functools.partial(handle_soon),
    "mock": AsyncMock(),
}
GENERATING: dict[str, Callable[..., object]] = {
    "generator": generate,
    "asynchronous generator": generate_soon,
    "partial": functools.partial(generate),
}


@pytest.mark.parametrize("handler", BLOCKING.values(), ids=BLOCKING)
def test_handlers_of_a_worker(handler: Callable[..., object]) -> None:
    """A Worker takes anything that can be called. An AIOWorker refuses what is not a coroutine
    function, as it would block the event loop, and says what to do."""
    make("Worker", handler=handler)
    text = "handler must be a coroutine function: define it with 'async def', or use Worker"
    with pytest.raises(TypeError, match=re.escape(text)):
        make("AIOWorker", handler=handler)


@pytest.mark.parametrize("handler", AWAITING.values(), ids=AWAITING)
def test_handlers_of_an_awaiting_worker(handler: Callable[..., object]) -> None:
    """An AIOWorker takes coroutine functions, and objects and methods that are such. A Worker
    refuses them: their code would never run, and the messages would be committed."""
    make("AIOWorker", handler=handler)
    text = "handler is a coroutine function: use AIOWorker, or a plain function"
    with pytest.raises(TypeError, match=re.escape(text)):
        make("Worker", handler=handler)


@pytest.mark.parametrize("handler", GENERATING.values(), ids=GENERATING)
def test_generator_functions(handler: Callable[..., object]) -> None:
    """No worker takes a generator function: a call of it would not run its code."""
    with pytest.raises(TypeError, match="handler must not be a generator function"):
        make("Worker", handler=handler)
    with pytest.raises(TypeError, match="handler must be a coroutine function"):
        make("AIOWorker", handler=handler)


def test_an_event_loop_must_run() -> None:
    """An AIOWorker is created in the event loop that it belongs to."""
    with pytest.raises(RuntimeError, match="needs a running event loop"):
        AIOWorker(CONFIG, ["t"], handle_soon)
