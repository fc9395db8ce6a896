"""Errors of configurations name the problem and the allowed values."""

from __future__ import annotations

import contextlib
import decimal
import enum
import pathlib
import uuid
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
)
from tests.support.clients import QUIET, config
from tests.support.configuration import effective, refusal
from tests.support.waiting import SOON, Stopwatch


class Name(str, enum.Enum):  # noqa: UP042  (whose str() is not its text)
    MINE = "mine"


class Number(int, enum.Enum):
    SEVEN = 7


UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")
# Values that are not a str, and the texts that librdkafka gets for them.
TEXTS: list[tuple[object, str]] = [
    (UUID, str(UUID)),
    (pathlib.Path("/a/b"), "/a/b"),
    (decimal.Decimal("1.50"), "1.50"),
    (Name.MINE, "mine"),
    (Number.SEVEN, "7"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_value_with_a_text(value: object, text: str) -> None:
    """A configuration accepts a value that has a text form."""
    assert effective({"client.id": value})["client.id"] == text


@pytest.mark.parametrize("value", [pathlib.Path, enum.Enum("Plain", "A"), uuid, b"x", [1], {}])
def test_value_without_a_text(value: object) -> None:
    """Values without a text form, such as types and members of plain enums, are refused."""
    assert '"client.id" must be str' in refusal({"client.id": value})


ADMIN_TEXTS = [*TEXTS, (7, "7"), (True, "True"), (False, "False"), (1.5, "1.5"), ("t", "t")]


@pytest.mark.parametrize(("value", "text"), ADMIN_TEXTS)
@pytest.mark.parametrize("wrong", [[1], {}, b"x", object()])
def test_values_of_topics(value: object, text: str, wrong: object) -> None:
    """NewTopic, ConfigResource(set_config=) and set_config() accept values with a text form."""
    resource = ConfigResource("topic", "t", set_config={"a": value})
    resource.set_config("b", value)
    with AdminClient(config()) as admin, pytest.deprecated_call():
        assert list(admin.create_topics([NewTopic("t", 1, 1, config={"a": value})])) == ["t"]
        assert list(admin.alter_configs([resource])) == [resource]
        with pytest.raises(TypeError, match="must be str, int, float, bool"):
            admin.create_topics([NewTopic("t", 1, 1, config={"a": wrong})])
        resource.set_config("b", wrong)
        with pytest.raises(TypeError, match="must be str, int, float, bool"):
            admin.alter_configs([resource])


def test_incremental_changes_take_texts_only() -> None:
    """Incremental changes accept only str, as in confluent-kafka."""
    entry = ConfigEntry("a", 1, incremental_operation=AlterConfigOpType.SET)  # type: ignore[arg-type]
    with AdminClient(config()) as admin, pytest.raises(TypeError, match="must be str"):
        admin.incremental_alter_configs([ConfigResource("topic", "t", incremental_configs=[entry])])


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        (
            "auto.offset.reset",
            "first",
            "earliest, beginning, largest, latest, end, error, by_duration:PT1H",
        ),
        ("security.protocol", "tls", "plaintext, ssl, sasl_plaintext, sasl_ssl"),
        ("compression.type", "lz5", "none, gzip, snappy, lz4, zstd"),
        ("compression.codec", "lz5", "none, gzip, snappy, lz4, zstd"),
        ("acks", "many", "-1 .. 1000, all"),
        ("acks", 5000, "-1 .. 1000, all"),
        ("linger.ms", -1, "0 .. 900000"),
        ("isolation.level", "none", "read_uncommitted, read_committed"),
    ],
)
def test_what_is_allowed(key: str, value: object, allowed: str) -> None:
    """The error uses the given name of the property, and not another name of it."""
    text = refusal({key: value})
    assert text.count("property") == 1
    assert f'onfiguration property "{key}"' in text
    assert f"{allowed})" in text


@pytest.mark.parametrize(
    "key", ["ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.crl.location"]
)
def test_missing_file(key: str, tmp_path: pathlib.Path) -> None:
    """The error shows the property and the path instead of OpenSSL's internals."""
    path = tmp_path / "no.pem"
    text = refusal({"security.protocol": "ssl", key: path})
    assert f'Failed to create producer: {key} failed: No such file or directory: "{path}"' in text


@pytest.mark.parametrize(
    "key",
    ["ssl.certificate.location", "ssl.key.location", "ssl.crl.location", "ssl.keystore.location"],
)
def test_directory_as_file(key: str, tmp_path: pathlib.Path) -> None:
    """The error shows the property and the path, and states that the path is a directory.

    Only ssl.ca.location accepts a directory.
    """
    settings = {"security.protocol": "ssl", "ssl.keystore.password": "x", key: tmp_path}
    text = refusal(settings)
    assert text == f'Failed to create producer: {key} failed: Is a directory: "{tmp_path}"'


@pytest.mark.parametrize(
    "key", ["ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.crl.location"]
)
def test_file_of_another_format(key: str, tmp_path: pathlib.Path) -> None:
    """The error shows the path, the expected format and OpenSSL's reason."""
    path = tmp_path / "notes.txt"
    path.write_text("no certificate")
    text = refusal({"security.protocol": "ssl", key: path})
    assert f"{key} failed: error:" in text
    assert f'"{path}" (must be a file in PEM format' in text
    assert ("ssl.key.password" in text) == (key == "ssl.key.location")


def test_user_without_a_mechanism() -> None:
    """The error names sasl.mechanism.

    Without it, librdkafka uses Kerberos, whose errors would not help.
    """
    text = refusal({"security.protocol": "sasl_plaintext", "sasl.username": "ada"})
    assert "sasl.mechanism is GSSAPI, which is the default" in text
    assert "set it to PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512" in text


@pytest.mark.parametrize(
    ("key", "here"),
    [
        ("key.serializer", "SerializingProducer"),
        ("value_serializer", "SerializingProducer"),
        ("value.deserializer", "DeserializingConsumer"),
        ("key_deserializer", "DeserializingConsumer"),
        ("buffer_memory", "queue.buffering.max.kbytes"),
        ("max.request.size", "message.max.bytes"),
        ("ssl_cafile", "ssl.ca.location"),
        ("sasl_plain_password", "sasl.password"),
        ("max_block_ms", "produce(block=seconds)"),
    ],
)
def test_names_of_other_clients(key: str, here: str) -> None:
    """For names of Java's client and of kafka-python, the error names the replacement."""
    text = refusal({key: "x"})
    assert f'No such configuration property: "{key}" (' in text
    assert here in text


@pytest.mark.parametrize(
    "servers", ["http://host:9092", "a:1, https://host", "SSL://host:9092", "://host"]
)
def test_scheme(servers: str) -> None:
    """A wrong scheme is refused, because librdkafka would ignore the broker and wait for ever."""
    text = refusal({"bootstrap.servers": servers})
    assert '"bootstrap.servers"' in text
    assert "host:port" in text


@pytest.mark.parametrize(
    "address",
    [
        "host:99999",
        "host:0",
        "host:",
        "host:port",
        "host:-1",
        ":9092",
        "[::1]:99999",
        "host 9092",
        "a:1;b:2",
        "PLAINTEXT://host:99999",
    ],
)
def test_address(address: str) -> None:
    """A wrong address is refused. librdkafka would use another port (34463 instead of 99999), or
    look up the host for ever."""
    text = refusal({"bootstrap.servers": f"good:9092, {address} ,other"})
    assert f'"{address}" is not an address: give brokers as host:port' in text
    assert "from 1 to 65535" in text


@pytest.mark.parametrize(
    "servers", ["host", "a:1,b", " a:1 , b:2 ,", "a:1\n", "::1", "[::1]", "[::1]:9092", "a:65535/"]
)
def test_address_that_librdkafka_can_use(servers: str) -> None:
    """An unusual address is not refused if librdkafka can use it, as in confluent-kafka."""
    Producer({"bootstrap.servers": servers, "logger": QUIET}).close(0)


def test_scheme_that_is_the_protocol() -> None:
    """A scheme that equals the protocol, as in Java's listeners, is accepted."""
    servers = "PLAINTEXT://127.0.0.1:1,plaintext://127.0.0.1:2"
    Producer({"bootstrap.servers": servers, "logger": QUIET}).close(0)
    tls = {"security.protocol": "SSL", "bootstrap.servers": "ssl://127.0.0.1:1", "logger": QUIET}
    Producer(tls).close(0)


@pytest.mark.parametrize("client", [Producer, Consumer, AdminClient])
def test_connect_without_brokers(client: Any) -> None:
    """connect() without brokers raises at once, and its error names the property.

    Creating the client is allowed, as in confluent-kafka.
    """
    watch = Stopwatch()
    settings = config(client=client)
    del settings["bootstrap.servers"]
    with client(settings) as made, pytest.raises(KafkaException) as caught:
        made.connect()
    assert watch.elapsed < SOON
    assert caught.value.args[0] == KafkaError._INVALID_ARG
    assert '"bootstrap.servers" is not set' in str(caught.value)


def test_connect_to_mock_brokers_of_librdkafka() -> None:
    """A client of mock brokers connects without bootstrap.servers."""
    with contextlib.closing(Producer({"test.mock.num.brokers": 1, "logger": QUIET})) as producer:
        producer.connect()


@pytest.mark.parametrize(
    ("topics", "reason"),
    [
        (["good", "^[a"], r"topics\[1\] '\^\[a' is not a valid regular expression: \w+"),
        (["^a(b"], r"topics\[0\] '\^a\(b' is not a valid regular expression: \w+"),
        (["good", ""], r"topics\[1\] is empty"),
        (["a", "b", "a"], r"topics\[2\] 'a' is in the list twice"),
        ([], r"topics is empty; unsubscribe\(\) ends a subscription"),
    ],
)
def test_subscription(topics: list[str], reason: str) -> None:
    """The error names the wrong topic and the reason."""
    with (
        Consumer(config()) as consumer,
        pytest.raises(KafkaException, match=f"^.*Failed to set subscription: Local: .*: {reason}"),
    ):
        consumer.subscribe(topics)
