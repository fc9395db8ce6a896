"""confluent_kafka.avro: schemas, the registry's client and the serializer under their former
names."""

from __future__ import annotations

import base64
import copy
import io
import json
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka import avro
from confluent_kafka.avro import (
    AvroSchema,
    CachedSchemaRegistryClient,
    ClientError,
    KeySerializerError,
    MessageSerializer,
    SerializerError,
    ValueSerializerError,
)
from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import (
    Rule,
    RuleKind,
    RuleMode,
    RuleSet,
    Schema,
    SchemaRegistryClient,
)
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from tests.support.schema_registry import FakeRegistry, Fault, running_registry
from tests.support.scripts import run_script

USER = {
    "type": "record",
    "name": "User",
    "namespace": "test",
    "fields": [{"name": "name", "type": "string"}, {"name": "age", "type": "int"}],
}
USER_TEXT = json.dumps(USER)
WIDER = json.dumps(
    USER | {"fields": [*USER["fields"], {"name": "on", "type": "boolean", "default": True}]}
)
OTHER = json.dumps(USER | {"fields": [{"name": "name", "type": "int"}]})
ADA = {"name": "Ada", "age": 36}
# The bytes follow Avro's specification: the length of the name in zigzag (3 is 06), the bytes of
# the name, and 36 in zigzag (72 is 48 in hexadecimal).
ADA_BYTES = b"\x06Ada\x48"


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with running_registry() as running:
        yield running


@pytest.fixture
def client(registry: FakeRegistry) -> Iterator[CachedSchemaRegistryClient]:
    with CachedSchemaRegistryClient({"url": registry.url, "max.retries": 0}) as client:
        yield client


def serializer_of(client: CachedSchemaRegistryClient, *readers: Any) -> MessageSerializer:
    """A serializer. `readers` are the reader's schemas for keys and values."""
    return MessageSerializer(client, *readers)


# --- schemas ---


def test_a_schema_is_its_json() -> None:
    """str() returns JSON, and to_json() returns the parsed JSON.

    The attributes contain the type and the names.
    """
    schema = avro.loads(USER_TEXT)
    assert json.loads(str(schema)) == schema.to_json() == USER
    assert (schema.type, schema.fullname, schema.name, schema.namespace) == (
        "record",
        "test.User",
        "User",
        "test",
    )
    schema.to_json()["name"] = "Changed"
    assert schema.to_json() == USER
    assert "test.User" in repr(schema)


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ('"string"', "string", "string"),
        ("string", "string", "string"),
        ('{"type": "long"}', "long", None),
        ('{"type": "array", "items": "int"}', "array", None),
        ('["null", "int"]', "union", None),
    ],
)
def test_schemas_without_a_name(text: str, kind: str, name: str | None) -> None:
    """Primitive types and unions are schemas, too. A primitive type may also be only its name."""
    schema = avro.loads(text)
    assert (schema.type, schema.namespace) == (kind, None)
    if name is not None:
        assert (schema.name, str(schema)) == (name, '"string"')


def test_equal_schemas() -> None:
    """Schemas with the same meaning are equal and have the same hash, whatever the order of
    attributes."""
    turned = dict(reversed(USER.items()))
    schema, same = avro.loads(USER_TEXT), avro.loads(json.dumps(turned, indent=2))
    assert schema == same
    assert {schema: 1}[same] == 1
    assert schema != avro.loads(WIDER)
    assert schema != USER_TEXT
    assert copy.deepcopy(schema) == schema


def test_load(tmp_path: Path) -> None:
    """load() accepts any kind of path. loads() also accepts bytes, such as a package's data."""
    path = tmp_path / "user.avsc"
    path.write_text(json.dumps(USER | {"doc": "naïve"}, ensure_ascii=False), encoding="utf-8")
    assert avro.load(path) == avro.load(str(path)) == avro.loads(path.read_bytes())
    assert avro.load(path).to_json()["doc"] == "naïve"


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    """Errors name the file. Only paths are accepted, so that no call waits for stdin."""
    path = tmp_path / "bad.avsc"
    path.write_text('{"type": "nope"}')
    with pytest.raises(ClientError, match=r"bad\.avsc: the schema is not an Avro schema.*nope"):
        avro.load(path)
    with pytest.raises(FileNotFoundError, match="gone"):
        avro.load(tmp_path / "gone")
    for value in (0, None, io.StringIO(USER_TEXT)):
        with pytest.raises(TypeError):
            avro.load(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["", "{", "nope", '{"type": "nope"}', '{"type": "record"}', b"\xff", "[" * 100_000, "5"]
)
def test_texts_that_are_no_schemas(text: str | bytes) -> None:
    """A text that is not a schema raises a ClientError with this reason."""
    with pytest.raises(ClientError, match="the schema is not ") as raised:
        avro.loads(text)
    assert raised.value.http_code is None
    assert raised.value.message == str(raised.value)


@pytest.mark.parametrize("value", [None, 3, {}])
def test_what_is_no_text(value: Any) -> None:
    """The error names the argument and the given value."""
    with pytest.raises(TypeError, match=f"schema_str must be a str, not {type(value).__name__}"):
        avro.loads(value)


# --- the registry's client ---


def test_register_and_find(client: CachedSchemaRegistryClient) -> None:
    """A registered schema is found by id, by version and by the schema itself."""
    user, wider = avro.loads(USER_TEXT), avro.loads(WIDER)
    first = client.register("users", user)
    assert client.register("users", user) == first
    second = client.register("users", WIDER)
    assert client.get_by_id(first) == user
    assert client.get_latest_schema("users") == (second, wider, 2)
    assert client.get_by_version("users", 1) == (first, user, 1)
    assert client.get_version("users", wider) == 2
    assert client.check_registration("users", user) == first


def test_another_client_sees_new_versions(
    registry: FakeRegistry, client: CachedSchemaRegistryClient
) -> None:
    """A client requests the latest version each time, because another program may have added
    one."""
    registry.register("users", USER_TEXT)
    assert client.get_latest_schema("users")[2] == 1
    registry.register("users", WIDER)
    assert client.get_latest_schema("users")[2] == 2


def test_what_is_known_is_not_asked_for(
    registry: FakeRegistry, client: CachedSchemaRegistryClient
) -> None:
    """The client registers a schema, or fetches it by its id, only once, because ids never
    change."""
    schema = avro.loads(USER_TEXT)
    number = registry.register("users", USER_TEXT)
    for _ in range(3):
        client.register("users", schema)
        client.get_by_id(number)
    assert len(registry.requests) == 1
    assert client.id_to_schema == {number: schema}
    client.id_to_schema.clear()
    assert client.get_by_id(number) == client.id_to_schema[number]
    # The client uses a value that a program has put into its cache.
    client.id_to_schema[77] = schema
    assert client.get_by_id(77) is schema
    assert len(registry.requests) == 2


def test_what_the_registry_does_not_have(client: CachedSchemaRegistryClient) -> None:
    """Look-ups return None, and tests of compatibility return False.

    Calls that need an existing item raise ClientError.
    """
    schema = avro.loads(USER_TEXT)
    assert client.get_by_id(99) is None
    assert client.get_version("users", schema) is None
    assert client.get_latest_schema("users") == (None, None, None)
    assert client.get_by_version("users", 7) == (None, None, None)
    assert client.test_compatibility("users", schema) is False
    for call in (
        lambda: client.check_registration("users", schema),
        lambda: client.delete_subject("users"),
        lambda: client.get_compatibility("users"),
    ):
        with pytest.raises(ClientError) as raised:
            call()
        assert raised.value.http_code == 404


def test_compatibility(client: CachedSchemaRegistryClient) -> None:
    """Levels are set and read, for one subject or for all subjects, and new versions must comply
    with them."""
    client.register("users", USER_TEXT)
    assert client.update_compatibility("BACKWARD", "users") == "BACKWARD"
    assert client.test_compatibility("users", WIDER) is True
    assert client.test_compatibility("users", OTHER, version=1) is False
    with pytest.raises(ClientError) as refused:
        client.register("users", OTHER)
    assert refused.value.http_code == 409
    assert client.update_compatibility("NONE", "users") == "NONE"
    assert client.get_compatibility("users") == "NONE"
    assert client.get_compatibility() == "BACKWARD"
    assert client.update_compatibility("full") == "FULL"
    assert client.get_compatibility() == "FULL"
    assert client.register("users", OTHER) > 0


@pytest.mark.parametrize("level", ["FOO", None, ""])
def test_levels_that_there_are_not(client: CachedSchemaRegistryClient, level: Any) -> None:
    """The error names the existing levels."""
    with pytest.raises(ClientError, match=r"level must be one of BACKWARD, .*NONE, not"):
        client.update_compatibility(level)


def test_a_deleted_subject_is_forgotten(client: CachedSchemaRegistryClient) -> None:
    """After delete_subject(), the client requests everything about the subject again."""
    schema = avro.loads(USER_TEXT)
    client.register("users", schema)
    assert client.get_version("users", schema) == 1
    assert client.delete_subject("users") == [1]
    assert client.get_version("users", schema) is None
    assert client.get_latest_schema("users") == (None, None, None)


Call = Callable[[CachedSchemaRegistryClient], object]
CALLS: dict[str, Call] = {
    "register": lambda client: client.register("s", USER_TEXT),
    "check_registration": lambda client: client.check_registration("s", USER_TEXT),
    "get_version": lambda client: client.get_version("s", USER_TEXT),
    "get_by_id": lambda client: client.get_by_id(1),
    "get_latest_schema": lambda client: client.get_latest_schema("s"),
    "get_by_version": lambda client: client.get_by_version("s", 1),
    "delete_subject": lambda client: client.delete_subject("s"),
    "test_compatibility": lambda client: client.test_compatibility("s", USER_TEXT),
    "update_compatibility": lambda client: client.update_compatibility("FULL", "s"),
    "get_compatibility": lambda client: client.get_compatibility("s"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_registry_that_fails(
    registry: FakeRegistry, client: CachedSchemaRegistryClient, call: Call
) -> None:
    """Every call raises ClientError, with the status of the response if there is a response."""
    registry.faults.append(Fault(500, b'{"error_code": 50001, "message": "broken"}'))
    with pytest.raises(ClientError, match="broken") as refused:
        call(client)
    assert refused.value.http_code == 500
    with CachedSchemaRegistryClient({"url": "http://127.0.0.1:9", "max.retries": 0}) as nowhere:
        with pytest.raises(ClientError) as raised:
            call(nowhere)
        assert raised.value.http_code is None


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.register("s", None),
        lambda client: client.check_registration("s", 5),
        lambda client: client.register(None, USER_TEXT),
        lambda client: client.get_by_id("1"),
        lambda client: client.get_by_version("s", 1.5),
    ],
)
def test_arguments_of_a_wrong_type(
    registry: FakeRegistry, client: CachedSchemaRegistryClient, call: Call
) -> None:
    """Arguments of a wrong type are refused before any request."""
    with pytest.raises(TypeError, match="must be"):
        call(client)
    assert registry.requests == []


def test_schemas_that_refer_to_others(
    registry: FakeRegistry, client: CachedSchemaRegistryClient
) -> None:
    """The client also fetches the referenced schemas, so that messages can be read and written."""
    registry.register("user", USER_TEXT)
    text = '{"type": "array", "items": "test.User"}'
    reference = {"name": "test.User", "subject": "user", "version": 1}
    number = registry.register("users", text, references=[reference])
    schema = client.get_by_id(number)
    assert isinstance(schema, AvroSchema)
    assert str(schema) == text
    assert schema != avro.loads(USER_TEXT)
    assert client.register("users", schema) == number
    message = b"\0" + number.to_bytes(4, "big") + b"\x02" + ADA_BYTES + b"\0"
    serializer = serializer_of(client)
    assert serializer.decode_message(message) == [ADA]
    assert serializer.encode_record_with_schema_id(number, [ADA]) == message


def test_schemas_that_are_not_avro(
    registry: FakeRegistry, client: CachedSchemaRegistryClient
) -> None:
    """A schema of another type, or a text that is not a schema, raises a ClientError that names
    it."""
    number = registry.register("docs", '{"type": "object"}', "JSON")
    with pytest.raises(ClientError, match=f"schema {number} is JSON, not AVRO"):
        client.get_by_id(number)
    with pytest.raises(ClientError, match="version latest of subject 'docs' is JSON"):
        client.get_latest_schema("docs")
    broken = registry.register("broken", '{"type": "nope"}')
    with pytest.raises(ClientError, match=f"schema {broken} is not an Avro schema"):
        client.get_by_id(broken)


@pytest.mark.parametrize(
    "conf",
    [
        {"basic.auth.credentials.source": "USER_INFO", "basic.auth.user.info": "ada:secret"},
        {"basic.auth.user.info": "ada:secret"},
        {"basic.auth.credentials.source": "user_info", "basic.auth.user.info": "ada:secret"},
        {
            "basic.auth.credentials.source": "sasl_inherit",
            "sasl.username": "ada",
            "sasl.password": "secret",
        },
        {
            "basic.auth.credentials.source": "SASL_INHERIT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "ada",
            "sasl.password": "secret",
        },
        {"basic.auth.credentials.source": "URL"},
    ],
)
def test_authentication(registry: FakeRegistry, conf: dict[str, str]) -> None:
    """The user and the password come from their own key, from the SASL properties or from the
    URL."""
    registry.user = "ada:secret"
    url = registry.url
    if conf.get("basic.auth.credentials.source") == "URL":
        url = url.replace("http://", "http://ada:secret@")
    with CachedSchemaRegistryClient({"url": url} | conf) as client:
        assert client.get_compatibility() == "BACKWARD"
        assert client.url == registry.url
        assert "secret" not in repr(client)
    wanted = "Basic " + base64.b64encode(b"ada:secret").decode()
    assert registry.headers[0]["Authorization"] == wanted


def test_a_wrong_password(registry: FakeRegistry, client: CachedSchemaRegistryClient) -> None:
    """A wrong password raises ClientError with status 401, and the call does not return None."""
    registry.user = "ada:secret"
    with pytest.raises(ClientError) as raised:
        client.get_by_id(1)
    assert raised.value.http_code == 401


@pytest.mark.parametrize(
    ("conf", "said"),
    [
        ({}, "Missing required configuration property url"),
        ({"url": ""}, "Invalid url .*: it must be http://"),
        ({"url": "localhost:8081"}, "Invalid url .*: it must be http://"),
        ({"url": "mock://", "foo": 1}, "Unrecognized properties: foo"),
        ({"url": "mock://", "auto.register.schemas": "no"}, "auto.register.schemas must be a bool"),
        (
            {"url": "mock://", "basic.auth.credentials.source": "FILE"},
            r"source must be one of \['URL', 'USER_INFO', 'SASL_INHERIT'\], not 'FILE'",
        ),
        (
            {"url": "mock://", "basic.auth.credentials.source": "USER_INFO"},
            "USER_INFO needs basic.auth.user.info",
        ),
        (
            {"url": "mock://", "basic.auth.credentials.source": "SASL_INHERIT"},
            "needs sasl.username and sasl.password",
        ),
        (
            {
                "url": "mock://",
                "basic.auth.credentials.source": "SASL_INHERIT",
                "sasl.mechanisms": "gssapi",
            },
            "SASL_INHERIT does not support SASL mechanism GSSAPI",
        ),
        ({"url": "http://x", "ssl.key.location": "key.pem"}, "Both schema.registry.ssl.cert"),
        (
            {"url": "http://x", "ssl.certificate.location": "cert.pem"},
            "Both schema.registry.ssl.certificate.location and schema.registry.ssl.key.location "
            "must be set",
        ),
    ],
)
def test_configurations_that_are_refused(conf: dict[str, Any], said: str) -> None:
    """The error names the key and its allowed values."""
    with pytest.raises(ValueError, match=said):
        CachedSchemaRegistryClient(conf)


@pytest.mark.parametrize("source", ["SASL_INHERIT", "USER_INFO"])
def test_a_source_takes_precedence_over_the_url(registry: FakeRegistry, source: str) -> None:
    """If a source of credentials is configured, the user in the URL is ignored."""
    registry.user = "ada:secret"
    conf = {
        "url": registry.url.replace("http://", "http://bob:other@"),
        "basic.auth.credentials.source": source,
    }
    if source == "USER_INFO":
        conf["basic.auth.user.info"] = "ada:secret"
    else:
        conf |= {"sasl.username": "ada", "sasl.password": "secret"}
    with CachedSchemaRegistryClient(conf) as client:
        assert client.get_compatibility() == "BACKWARD"
        assert client.url == registry.url


@pytest.mark.parametrize(
    "files",
    [
        {"ssl.ca.location": "/no.pem"},
        {"ssl.certificate.location": "/no.pem", "ssl.key.location": "/no.key"},
    ],
)
def test_files_are_read_when_they_are_needed(files: dict[str, str]) -> None:
    """A client can be created before its certificates exist.

    The error of its first request names the missing file.
    """
    with (
        CachedSchemaRegistryClient({"url": "https://127.0.0.1:1", **files}) as client,
        pytest.raises(FileNotFoundError, match=r"/no\.pem"),
    ):
        client.get_compatibility()


def test_no_trusted_certificate_is_no_trust() -> None:
    """ssl.ca.location=False leaves the verification on."""
    with CachedSchemaRegistryClient({"url": "https://x", "ssl.ca.location": False}) as client:
        assert "ssl.ca.location" not in client._client.config()


@pytest.mark.parametrize("number", [0, -1, "10", None])
def test_numbers_of_schemas_that_are_refused(number: Any) -> None:
    """The error names the argument."""
    with pytest.raises(ValueError, match="max_schemas_per_subject must be an int above 0"):
        CachedSchemaRegistryClient({"url": "mock://"}, number)


def test_a_url_alone_is_deprecated(registry: FakeRegistry) -> None:
    """A URL instead of a dict works, but it warns at the caller's line and names the keys to
    use."""
    with pytest.warns(DeprecationWarning, match=r"ssl\.ca\.location") as warned:
        client = CachedSchemaRegistryClient(registry.url, 10)
    assert warned[0].filename == __file__
    with client:
        assert client.register("users", USER_TEXT) == 1
        assert client.url == registry.url
    with (
        pytest.warns(DeprecationWarning, match="deprecated"),
        pytest.raises(ValueError, match=r"ssl\.certificate"),
    ):
        CachedSchemaRegistryClient(registry.url, key_location="key.pem")
    with (
        pytest.warns(DeprecationWarning, match="deprecated"),
        pytest.raises(TypeError, match="url must be a str"),
    ):
        CachedSchemaRegistryClient(5)  # type: ignore[arg-type]


# --- the serializer ---


def test_the_bytes_of_a_record(registry: FakeRegistry, client: CachedSchemaRegistryClient) -> None:
    """A message is a zero byte, the schema's id in four bytes, and the Avro payload.

    The subject is named after the topic.
    """
    schema, serializer = avro.loads(USER_TEXT), serializer_of(client)
    value = serializer.encode_record_with_schema("users", schema, ADA)
    assert value == b"\0\0\0\0\1" + ADA_BYTES
    key = serializer.encode_record_with_schema("users", avro.loads('"string"'), "k", is_key=True)
    assert key == b"\0\0\0\0\2\x02k"
    assert registry.requests[0].startswith("/subjects/users-value/versions")
    assert registry.requests[1].startswith("/subjects/users-key/versions")
    assert serializer.encode_record_with_schema_id(1, ADA) == value
    assert serializer.decode_message(value) == ADA
    assert serializer.decode_message(bytearray(key), is_key=True) == "k"
    assert serializer.decode_message(None) is None


def test_a_message_costs_no_request(
    registry: FakeRegistry, client: CachedSchemaRegistryClient
) -> None:
    """After the first message with a schema, the serializer sends no requests to the registry."""
    schema, writing, reading = avro.loads(USER_TEXT), serializer_of(client), serializer_of(client)
    for _ in range(3):
        assert reading.decode_message(writing.encode_record_with_schema("t", schema, ADA)) == ADA
    assert set(writing.id_to_writers) == {1}
    assert set(reading.id_to_decoder_func) == {(1, False)}
    assert len(registry.requests) <= 2


class ForeignSchema:
    """A schema like a schema of the package `avro`: its text is its JSON."""

    def to_json(self) -> Any:
        return USER

    def __str__(self) -> str:
        return USER_TEXT


@pytest.mark.parametrize("schema", [USER_TEXT, ForeignSchema()])
def test_schemas_of_other_kinds(client: CachedSchemaRegistryClient, schema: Any) -> None:
    """A schema may also be a text, or a schema of the package avro."""
    data = serializer_of(client).encode_record_with_schema("users", schema, ADA)
    assert data == b"\0\0\0\0\1" + ADA_BYTES
    assert serializer_of(client, None, schema).decode_message(data) == ADA


def test_without_registration(registry: FakeRegistry) -> None:
    """With auto.register.schemas=False, a schema must already be registered."""
    with CachedSchemaRegistryClient({"url": registry.url, "auto.register.schemas": False}) as own:
        serializer = serializer_of(own)
        with pytest.raises(ClientError) as raised:
            serializer.encode_record_with_schema("users", USER_TEXT, ADA)
        assert raised.value.http_code == 404
        number = registry.register("users-value", USER_TEXT)
        data = serializer.encode_record_with_schema("users", USER_TEXT, ADA)
    assert data == b"\0" + number.to_bytes(4, "big") + ADA_BYTES


@pytest.mark.parametrize("record", [None, 5, {}, {"name": "Ada"}, {"name": 1, "age": 2}, []])
@pytest.mark.parametrize(
    ("is_key", "kind"), [(True, KeySerializerError), (False, ValueSerializerError)]
)
def test_records_that_do_not_fit(
    client: CachedSchemaRegistryClient, record: Any, is_key: bool, kind: type[SerializerError]
) -> None:
    """Keys and values have an error class each. The error names the schema."""
    with pytest.raises(kind, match=r"^(key|value): schema 1 \(test\.User\): "):
        serializer_of(client).encode_record_with_schema("t", USER_TEXT, record, is_key)


def test_ids_that_the_registry_does_not_have(client: CachedSchemaRegistryClient) -> None:
    """Writing and reading with an unknown id raises a SerializerError that names the id."""
    serializer = serializer_of(client)
    with pytest.raises(KeySerializerError, match="key: the registry has no schema 777"):
        serializer.encode_record_with_schema_id(777, ADA, is_key=True)
    with pytest.raises(ValueSerializerError, match="value: the registry has no schema 515"):
        serializer.decode_message(b"\0\0\0\2\3" + ADA_BYTES)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (b"", "0 bytes are not a message"),
        (b"\0\0\0", "3 bytes that begin with 00 00 00 are not a message"),
        (b"plain text", "10 bytes that begin with 70 6c 61 69 6e are not a message"),
        (b"\x01" + bytes(20), "named by a GUID"),
        (b"\0\0\0\0\1", r"schema 1 \(test.User\)"),
        (b"\0\0\0\0\1\x06Ad", r"schema 1 \(test.User\)"),
        (b"\0\0\0\0\1\x06Ada\x80", r"schema 1 \(test.User\)"),
        (b"\0\0\0\0\1\xff\xff\xff\xff\x0f", r"schema 1 \(test.User\)"),
        (b"\0\0\0\0\1" + ADA_BYTES + b"zz", "2 bytes after the end"),
    ],
)
def test_messages_that_are_none(
    client: CachedSchemaRegistryClient, message: bytes, said: str
) -> None:
    """Every wrong message raises a SerializerError with the reason."""
    assert client.register("t-value", USER_TEXT) == 1
    with pytest.raises(SerializerError, match=said) as raised:
        serializer_of(client).decode_message(message)
    assert raised.value.message == str(raised.value)


def test_a_record_without_a_byte(client: CachedSchemaRegistryClient) -> None:
    """A record without fields has no bytes.

    Its message is only the zero byte and the id, and can be read.
    """
    empty = '{"type": "record", "name": "Empty", "fields": []}'
    serializer = serializer_of(client)
    data = serializer.encode_record_with_schema("t", empty, {})
    assert data == b"\0\0\0\0\1"
    assert serializer.decode_message(data) == {}


def test_readers_schemas(client: CachedSchemaRegistryClient) -> None:
    """Keys and values have reader's schemas of their own, even if they were written with the same
    id."""
    data = serializer_of(client).encode_record_with_schema("t", USER_TEXT, ADA)
    narrow = json.dumps(USER | {"fields": [{"name": "age", "type": "long"}]})
    serializer = serializer_of(client, narrow, WIDER)
    assert serializer.decode_message(data) == ADA | {"on": True}
    assert serializer.decode_message(data, is_key=True) == {"age": 36}
    with pytest.raises(ValueSerializerError, match=r"schema 1 \(test\.User\)"):
        serializer_of(client, None, '"int"').decode_message(data)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda ours: ours.decode_message("text"), "message must be bytes or None, not str"),
        (lambda ours: ours.encode_record_with_schema(None, USER_TEXT, ADA), "topic must be"),
        (lambda ours: ours.encode_record_with_schema("", USER_TEXT, ADA), "topic must be"),
        (lambda ours: ours.encode_record_with_schema("t", None, ADA), "schema must be what load"),
        (lambda ours: ours.encode_record_with_schema_id(None, ADA), "schema_id must be an int"),
        (lambda ours: MessageSerializer(None), "must be a CachedSchemaRegistryClient"),
        (lambda ours: MessageSerializer(ours), "not MessageSerializer"),
        (
            lambda ours: MessageSerializer(ours.registry_client, 5),
            "reader_key_schema must be what load",
        ),
    ],
)
def test_arguments_of_the_serializer(
    client: CachedSchemaRegistryClient, call: Callable[[MessageSerializer], object], said: str
) -> None:
    """The error names the argument and the given value."""
    with pytest.raises(TypeError, match=said):
        call(serializer_of(client))


def test_rules_are_refused() -> None:
    """If a schema has a rule to encrypt, messages are neither written nor read."""
    kind, mode = RuleKind.TRANSFORM, RuleMode.WRITEREAD
    rule = Rule("secret", None, kind, mode, "ENCRYPT", None, None, None, None, None, None)
    with CachedSchemaRegistryClient({"url": "mock://rules"}) as client:
        with SchemaRegistryClient({"url": "mock://rules"}) as other:
            schema = Schema(USER_TEXT, rule_set=RuleSet(None, [rule]))
            number = other.register_schema("t-value", schema)
        with pytest.raises(ValueSerializerError, match="has the rule 'secret'"):
            serializer_of(client).encode_record_with_schema_id(number, ADA)
        message = b"\0" + number.to_bytes(4, "big") + ADA_BYTES
        with pytest.raises(ValueSerializerError, match="has the rule 'secret'"):
            serializer_of(client).decode_message(message)


def test_a_client_of_ones_own() -> None:
    """An object with the methods of CachedSchemaRegistryClient is accepted, and its overrides are
    called."""

    class Prefixed(CachedSchemaRegistryClient):
        def register(self, subject: str, avro_schema: AvroSchema | str) -> int:
            return super().register(f"mine.{subject}", avro_schema)

    with Prefixed({"url": "mock://"}) as client:
        serializer_of(client).encode_record_with_schema("t", USER_TEXT, ADA)
        assert client.get_latest_schema("mine.t-value")[0] == 1


@pytest.mark.parametrize(
    "error",
    [ClientError("m", 404), ClientError("m"), SerializerError("m"), KeySerializerError("m")],
)
def test_errors_travel(error: Exception) -> None:
    """The errors can be pickled, with all of their attributes."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), vars(again), str(again)) == (type(error), vars(error), "m")


@pytest.mark.parametrize("missing", ["fastavro", "httpx"])
def test_the_extra_is_named(missing: str) -> None:
    """If a required package is missing, the error names the packages to install."""
    done = run_script(
        """
        import sys
        sys.modules[sys.argv[1]] = None
        import confluent_kafka.avro
        """,
        missing,
    )
    advice = "confluent_kafka.avro needs fastavro and httpx: pip install fastavro httpx ("
    assert advice in done.stderr


def test_a_registry_that_cannot_be_reached(
    registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is a ClientError, and also requests.ConnectionError if the program has imported
    requests."""
    requests = types.ModuleType("requests")
    requests.ConnectionError = type("ConnectionError", (OSError,), {})  # type: ignore[attr-defined]
    conf = {"url": "http://127.0.0.1:1", "max.retries": 0}
    with avro.CachedSchemaRegistryClient(conf) as client:
        for module, kind in ((None, ClientError), (requests, OSError)):
            monkeypatch.setitem(sys.modules, "requests", module)  # type: ignore[arg-type]
            with pytest.raises(kind, match="schema registry") as raised:
                client.register("s", USER_TEXT)
            assert isinstance(raised.value, ClientError)
            assert raised.value.http_code is None
    with avro.CachedSchemaRegistryClient({"url": registry.url}) as client:
        with pytest.raises(ClientError) as refused:
            client.delete_subject("unknown")
        assert not isinstance(refused.value, OSError)


@pytest.mark.parametrize(("value", "kind"), [({"name": 5}, TypeError), ({}, ValueError)])
def test_errors_that_are_fastavro_s_as_well(value: Any, kind: type[Exception]) -> None:
    """Programs that catch fastavro's TypeError and ValueError also catch these errors.

    The errors can be pickled.
    """
    with SchemaRegistryClient({"url": "mock://"}) as client, pytest.raises(kind) as raised:
        AvroSerializer(client, USER_TEXT)(value, SerializationContext("t", MessageField.VALUE))
    assert isinstance(raised.value, SerializationError)
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is type(raised.value)
    assert str(again) == str(raised.value)
    with avro.CachedSchemaRegistryClient({"url": "mock://"}) as legacy, pytest.raises(kind) as old:
        MessageSerializer(legacy).encode_record_with_schema("t", USER_TEXT, value)
    assert isinstance(old.value, ValueSerializerError)
    assert str(pickle.loads(pickle.dumps(old.value))) == str(old.value)
