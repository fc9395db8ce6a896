"""Serializers of single values, and the clients that use serializers."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import confluent_kafka
from confluent_kafka import DeserializingConsumer, KafkaError, Message, SerializingProducer
from confluent_kafka.error import (
    ConsumeError,
    KafkaException,
    KeyDeserializationError,
    KeySerializationError,
    ProduceError,
    SerializationError,
    ValueDeserializationError,
    ValueSerializationError,
)
from confluent_kafka.serialization import (
    Deserializer,
    DeserializerBuilder,
    DoubleDeserializer,
    DoubleSerializer,
    IntegerDeserializer,
    IntegerSerializer,
    MessageField,
    SerializationContext,
    Serializer,
    SerializerBuilder,
    StringDeserializer,
    StringSerializer,
)

# These are the bytes of Kafka's own serializers.
PAIRS: list[tuple[Callable[..., Any], Callable[..., Any], Any, bytes]] = [
    (IntegerSerializer(), IntegerDeserializer(), 1, b"\0\0\0\1"),
    (IntegerSerializer(), IntegerDeserializer(), -(2**31), b"\x80\0\0\0"),
    (DoubleSerializer(), DoubleDeserializer(), 1.5, b"\x3f\xf8" + bytes(6)),
    (StringSerializer(), StringDeserializer(), "é", b"\xc3\xa9"),
    (StringSerializer("utf_16_be"), StringDeserializer("utf_16_be"), "é", b"\0\xe9"),
    (StringSerializer(), StringDeserializer(), "", b""),
]


@pytest.mark.parametrize(("serialize", "deserialize", "obj", "data"), PAIRS)
def test_values(
    serialize: Callable[..., Any], deserialize: Callable[..., Any], obj: Any, data: bytes
) -> None:
    """Values are written with the same bytes as by Kafka's own serializers, and are read as equal
    objects."""
    context = SerializationContext("t", MessageField.VALUE)
    assert serialize(obj) == serialize(obj, context) == data
    assert deserialize(data) == deserialize(data, context) == obj
    assert serialize(None) is None
    assert deserialize(None) is None


@pytest.mark.parametrize(
    ("serializer", "obj"),
    [
        (IntegerSerializer(), 2**31),
        (IntegerSerializer(), 2**200),
        (IntegerSerializer(), 1.5),
        (IntegerSerializer(), "1"),
        (DoubleSerializer(), "1.5"),
        (DoubleSerializer(), 10**400),
        (StringSerializer(), b"x"),
        (StringSerializer(), 5),
        (StringSerializer(), "\ud800"),
        (StringSerializer("ascii"), "é"),
        (IntegerDeserializer(), b"\0\0\0"),
        (IntegerDeserializer(), b"\0\0\0\0\0"),
        (IntegerDeserializer(), "1234"),
        (DoubleDeserializer(), b""),
        (StringDeserializer(), b"\xff"),
        (StringDeserializer(), "x"),
        (StringDeserializer(), 5),
    ],
)
def test_values_that_are_none(serializer: Callable[..., Any], obj: Any) -> None:
    """A value that cannot be converted raises a SerializationError whose text is not empty."""
    with pytest.raises(SerializationError) as raised:
        serializer(obj)
    assert len(str(raised.value)) > 10


def test_codecs_are_looked_up_at_once() -> None:
    """The constructor refuses an encoding that does not exist."""
    for kind in (StringSerializer, StringDeserializer):
        with pytest.raises(ValueError, match="no codec named 'utf-9'"):
            kind("utf-9")


def test_bases_are_to_be_completed() -> None:
    """A subclass that does not define its method raises NotImplementedError with the name of the
    class."""
    for kind in (Serializer, Deserializer):
        with pytest.raises(NotImplementedError, match=kind.__name__):
            kind()(b"")
    for builder in (SerializerBuilder, DeserializerBuilder):
        with pytest.raises(NotImplementedError, match=builder.__name__):
            builder().build({}, True)


def test_fields_are_text() -> None:
    """A field equals its name, also as the key of a dict, and is printed as its name."""
    assert MessageField("key") is MessageField.KEY
    assert str(MessageField.VALUE) == "value" == MessageField.VALUE
    assert {"value": 1}[MessageField.VALUE] == 1


@pytest.mark.parametrize(
    ("error", "code", "bases"),
    [
        (KeySerializationError(ValueError("no")), "_KEY_SERIALIZATION", ProduceError),
        (ValueSerializationError(ValueError("no")), "_VALUE_SERIALIZATION", ProduceError),
        (KeyDeserializationError(ValueError("no")), "_KEY_DESERIALIZATION", ConsumeError),
        (ValueDeserializationError(ValueError("no")), "_VALUE_DESERIALIZATION", ConsumeError),
    ],
)
def test_errors(error: Any, code: str, bases: type[Any]) -> None:
    """Each error is a KafkaException with its code and its cause, and can be pickled and copied."""
    assert isinstance(error, bases)
    assert isinstance(error, SerializationError)
    assert isinstance(error, KafkaException)
    assert (error.name, error.code) == (code, getattr(KafkaError, code))
    assert error.args[0].str() == "no"
    assert isinstance(error.exception, ValueError)
    assert error.kafka_message is None
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert (other.name, other.args, str(other)) == (error.name, error.args, str(error))
        assert str(other.exception) == "no"


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        (ValueError("\ud800"), "\ud800"),
        (ValueError("a\0b"), "a\0b"),
        (ZeroDivisionError(), "ZeroDivisionError()"),
    ],
)
def test_causes_with_any_text(cause: Exception, text: str) -> None:
    """The error has a text even if the text of its cause is empty, or is not UTF-8."""
    assert KeySerializationError(cause).args[0].str() == text


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_client_is_freed_with_its_last_reference() -> None:
    """A client is freed although its serializers can get the cluster's id from it."""

    class Keeping(StringSerializer):
        def set_cluster_id_resolver(self, resolver: Any) -> None:
            self.resolver = resolver

    serializer = Keeping()
    gc.disable()
    try:
        producer = SerializingProducer({**CONFIG, "key.serializer": serializer})
        gone = weakref.ref(producer)
        del producer
        assert gone() is None
        assert serializer.resolver() is None
    finally:
        gc.enable()


def test_errors_of_clients() -> None:
    """Errors contain the message. Errors without a cause have librdkafka's error."""
    message = Message(topic="t")
    error = ConsumeError(KafkaError(3), kafka_message=message)
    assert (error.code, error.name, error.exception) == (3, "UNKNOWN_TOPIC_OR_PART", None)
    assert error.kafka_message is message
    assert ProduceError(KafkaError(3)).code == 3
    assert error.code() == 3  # as in every KafkaException
    assert error.error is error.kafka_error
    assert SerializationError("text").error is None
    assert str(SerializationError("text")) == "text"


def test_serializing_clients_are_exported_lazily() -> None:
    """The package exports these clients, but importing it does not load them."""
    assert confluent_kafka.SerializingProducer is SerializingProducer
    with pytest.raises(AttributeError, match="no attribute 'Serializing'"):
        confluent_kafka.__getattr__("Serializing")


CONFIG = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}


class Closable(Serializer):
    def __init__(self) -> None:
        self.closed = 0

    def __call__(self, obj: Any, ctx: SerializationContext | None = None) -> bytes | None:
        return str(obj).encode()

    def close(self) -> None:
        self.closed += 1


class Builder(SerializerBuilder):
    def __init__(self) -> None:
        self.made: list[tuple[Closable, dict[str, Any], bool]] = []

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Serializer, dict[str, Any]]:
        serializer = Closable()
        self.made.append((serializer, dict(conf), is_key))
        conf.pop("mine", None)
        return serializer, conf


def test_serializers_that_raise() -> None:
    """The serializer's exception is the cause of the error, which has the original message."""

    def refuse(obj: Any, ctx: SerializationContext) -> bytes:
        raise ZeroDivisionError(f"{ctx.topic} {ctx.field}")

    with SerializingProducer({**CONFIG, "key.serializer": refuse}) as producer:
        with pytest.raises(KeySerializationError) as raised:
            producer.produce("t", key=5, value={"a": 1}, headers=[("h", b"1")])
        assert isinstance(raised.value.__cause__, ZeroDivisionError)
        assert raised.value.exception is raised.value.__cause__
        assert "t key" in str(raised.value)
        message = raised.value.kafka_message
        assert message is not None
        assert (message.topic(), message.key(), message.value()) == ("t", 5, {"a": 1})
        assert message.headers() == [("h", b"1")]
    with (
        SerializingProducer({**CONFIG, "value.serializer": refuse}) as producer,
        pytest.raises(ValueSerializationError, match="t value"),
    ):
        producer.produce("t", value=5)


def test_headers_are_the_callers_own() -> None:
    """The headers that serializers add are sent, but they are not added to the caller's list, and
    not kept."""
    seen = []

    def add(obj: Any, ctx: SerializationContext) -> bytes:
        seen.append(len(ctx.headers))
        ctx.headers.append(("id", b"1"))
        return b""

    headers = [("h", b"1")]
    with SerializingProducer({**CONFIG, "value.serializer": add}) as producer:
        producer.produce("t", value=1, headers=headers)
        producer.produce("t", value=1, headers=headers)
        producer.produce("t", value=1)
        producer.purge()
    assert seen == [1, 1, 0]
    assert headers == [("h", b"1")]


def test_builders() -> None:
    """Builders get the configuration and remove their own keys.

    The client closes their serializers once.
    """
    builder = Builder()
    builders = {"key.serializer.builder": builder, "value.serializer.builder": builder}
    conf = {**CONFIG, "mine": 1, **builders}
    producer = SerializingProducer(conf)
    assert [is_key for _, _, is_key in builder.made] == [True, False]
    assert all(conf["bootstrap.servers"] == "127.0.0.1:1" for _, conf, _ in builder.made)
    producer.close()
    producer.close()
    assert [serializer.closed for serializer, _, _ in builder.made] == [1, 1]
    own = Closable()
    SerializingProducer({**CONFIG, "key.serializer": own}).close()
    assert own.closed == 0


def test_what_was_built_is_closed_when_the_client_is_not_made() -> None:
    """If the configuration is refused, the client closes all serializers."""
    builder = Builder()
    with pytest.raises(KafkaException):
        SerializingProducer({"bootstrap.server": "x", "key.serializer.builder": builder})
    assert [serializer.closed for serializer, _, _ in builder.made] == [1]


@pytest.mark.parametrize(
    ("conf", "error", "said"),
    [
        ({"{}.{}": 5}, TypeError, "{}.{} must be callable, not int"),
        ({"{}.{}.builder": Closable()}, TypeError, "{}.{}.builder must be a"),
        ({"{}.{}": str, "{}.{}.builder": Builder()}, ValueError, "are mutually exclusive"),
    ],
)
@pytest.mark.parametrize("field", ["key", "value"])
def test_wrong_serializers(
    conf: dict[str, Any], error: type[Exception], said: str, field: str
) -> None:
    """Objects that are not serializers raise an error when the client is created.

    The error names the key.
    """
    for client, kind in (
        (SerializingProducer, "serializer"),
        (DeserializingConsumer, "deserializer"),
    ):
        given = {name.format(field, kind): value for name, value in conf.items()}
        with pytest.raises(error) as raised:
            client({**CONFIG, "group.id": "g", **given})
        assert said.format(field, kind) in str(raised.value)


def test_batches_are_refused() -> None:
    """A consumer of objects reads one message at a time.

    The error of consume() contains this reason.
    """
    with (
        DeserializingConsumer({**CONFIG, "group.id": "g"}) as consumer,
        pytest.raises(NotImplementedError, match=r"use poll\(\)"),
    ):
        consumer.consume()
