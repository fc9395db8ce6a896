"""The AttributeError for a name of Java's client or of kafka-python names the method here."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    DeserializingConsumer,
    Producer,
    SerializingProducer,
)
from confluent_kafka._other_clients import AIO_CONSUMER, CONSUMER, PRODUCER, explaining
from confluent_kafka.aio import AIOConsumer, AIOProducer

PRODUCERS = [Producer, SerializingProducer, AIOProducer]
CONSUMERS = [Consumer, DeserializingConsumer]
NAMES = [
    *((kind, PRODUCER) for kind in PRODUCERS),
    *((kind, CONSUMER) for kind in CONSUMERS),
    (AIOConsumer, AIO_CONSUMER),
]

each_client = pytest.mark.parametrize(("client", "names"), NAMES)


@each_client
def test_hint(client: type[Any], names: dict[str, str]) -> None:
    """The error for a name of another client names an existing method."""
    instance = client.__new__(client)
    for name, instead in names.items():
        (method, *_) = re.findall(r"\w+(?=\()", instead)
        assert callable(getattr(client, method))
        with pytest.raises(AttributeError) as raised:
            getattr(instance, name)
        assert str(raised.value) == (
            f"{client.__name__!r} object has no attribute {name!r}: use {instead}"
        )
        assert (raised.value.name, raised.value.obj) == (name, instance)


@each_client
def test_the_names_are_not_there(client: type[Any], names: dict[str, str]) -> None:
    """hasattr() is false for these names. dir() does not list them, so that tools which wrap
    methods work."""
    instance = client.__new__(client)
    for name in names:
        assert not hasattr(instance, name)
        assert not callable(getattr(client, name))
    assert names.keys().isdisjoint(dir(instance))
    assert {"poll", "close"} <= set(dir(instance))
    assert names.keys().isdisjoint(name for name, _ in inspect.getmembers(instance))


@each_client
def test_calls_take_no_longer(client: type[Any], names: dict[str, str]) -> None:
    """The classes have no ``__getattr__``, because CPython specialises calls only without it."""
    assert not hasattr(client, "__getattr__")
    assert client.__getattribute__ is object.__getattribute__


@each_client
def test_other_names(client: type[Any], names: dict[str, str]) -> None:
    """Other names raise AttributeError with Python's own text."""
    with pytest.raises(AttributeError) as raised:
        _ = client.__new__(client).no_such_name
    assert str(raised.value).endswith(f"{client.__name__}' object has no attribute 'no_such_name'")


def test_what_a_class_has_stays() -> None:
    """Attributes of a subclass or of an instance, and methods of the class itself, are found as
    usual."""

    class Mine(Producer):
        send = "a subclass's"

    assert Mine.__new__(Mine).send == "a subclass's"  # type: ignore[attr-defined]
    assert "send" in dir(Mine.__new__(Mine))
    assert explaining(PRODUCER)(Mine).send == "a subclass's"  # type: ignore[attr-defined]
    own: Any = AIOProducer.__new__(AIOProducer)
    own.send = "an instance's"
    assert own.send == "an instance's"


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies(duplicate: Any) -> None:
    """Clients still refuse to be copied, because look-ups of special methods find no method."""
    with pytest.raises(TypeError, match="cannot pickle"):
        duplicate(Producer.__new__(Producer))
