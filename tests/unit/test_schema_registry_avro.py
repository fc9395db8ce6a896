"""Avro with a schema registry, and the parts that serdes of all formats share: subjects, ids,
plans."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import (
    AssociationCreateOrUpdateInfo,
    AssociationCreateOrUpdateRequest,
    AsyncSchemaRegistryClient,
    Metadata,
    MetadataProperties,
    RegisteredSchema,
    Rule,
    RuleKind,
    RuleMode,
    RuleSet,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
    header_schema_id_serializer,
    prefix_schema_id_deserializer,
    record_subject_name_strategy,
    topic_record_subject_name_strategy,
    topic_subject_name_strategy,
)
from confluent_kafka.schema_registry.avro import (
    AsyncAvroDeserializer,
    AsyncAvroDeserializerBuilder,
    AsyncAvroSerializer,
    AsyncAvroSerializerBuilder,
    AvroDeserializer,
    AvroDeserializerBuilder,
    AvroSerializer,
    AvroSerializerBuilder,
    LocalSchemaRepository,
    get_inline_tags,
    get_type,
    parse_schema_with_repo,
)
from confluent_kafka.schema_registry.error import SchemaParseException
from confluent_kafka.schema_registry.serde import SchemaId
from confluent_kafka.serialization import MessageField, SerializationContext
from tests.support.schema_registry import FakeRegistry, Fault, running_registry
from tests.support.waiting import SOON, Stopwatch, wait_until

USER = {
    "type": "record",
    "name": "User",
    "namespace": "test",
    "fields": [
        {"name": "name", "type": "string"},
        {"name": "age", "type": ["null", "int"], "default": None},
    ],
}
USER_TEXT = json.dumps(USER)
ADA = {"name": "Ada", "age": 36}
# The bytes follow Avro's specification: the length and the bytes of the name, the second branch of
# the union, and 36 in zigzag.
ADA_BYTES = b"\x06Ada\x02\x48"
LATEST = {"auto.register.schemas": False, "use.latest.version": True}
VALUE = SerializationContext("t", MessageField.VALUE)
KEY = SerializationContext("t", MessageField.KEY)


@pytest.fixture
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    """An empty registry with HTTP."""
    with running_registry() as one:
        yield one


def with_field(name: str, kind: Any, **more: Any) -> str:
    """The user's schema with one more field."""
    return json.dumps(USER | {"fields": [*USER["fields"], {"name": name, "type": kind, **more}]})


def test_the_bytes_of_a_message(client: SchemaRegistryClient) -> None:
    """A message is a zero byte, the id in four bytes and the Avro payload. None stays None."""
    serialize = AvroSerializer(client, USER_TEXT)
    message = serialize(ADA, VALUE)
    assert message == b"\0" + bytes([0, 0, 0, 1]) + ADA_BYTES
    assert serialize(ADA, KEY) == message
    assert serialize(None, VALUE) is None
    assert client.get_subjects() == ["t-value", "t-key"]
    deserialize = AvroDeserializer(client)
    assert deserialize(message, VALUE) == deserialize(message) == ADA
    assert deserialize(bytearray(message)) == deserialize(memoryview(message)) == ADA  # type: ignore[arg-type]
    assert deserialize(None, VALUE) is None


def test_the_awaiting_classes(registry: FakeRegistry) -> None:
    """The awaiting serdes write the same bytes.

    An instance may be awaited, and its calls must be awaited.
    """

    async def main() -> None:
        async with AsyncSchemaRegistryClient({"url": registry.url}) as client:
            serialize = await AsyncAvroSerializer(client, USER_TEXT)
            message = await serialize(ADA, VALUE)
            assert message is not None
            assert message[5:] == ADA_BYTES
            assert await serialize(None, VALUE) is None
            deserialize = AsyncAvroDeserializer(client, from_dict=lambda obj, _: obj["name"])
            assert await deserialize(message, VALUE) == "Ada"
            assert await deserialize(None) is None
            with pytest.raises(SerializationError, match="begin with 05"):
                await deserialize(b"\5" + message[1:], VALUE)
            with pytest.raises(TypeError, match="must be a SchemaRegistryClient, not Async"):
                AvroSerializer(client, USER_TEXT)

    asyncio.run(main())


def test_tasks_ask_the_registry_once(registry: FakeRegistry) -> None:
    """The client sends only one request, whatever number of messages waits for the same schema."""

    async def main() -> None:
        async with AsyncSchemaRegistryClient({"url": registry.url}) as client:
            strategy = {"subject.name.strategy.type": "TOPIC"}
            serialize = AsyncAvroSerializer(client, USER_TEXT, conf=strategy)
            messages = await asyncio.gather(*(serialize(ADA, VALUE) for _ in range(20)))
            assert len(set(messages)) == 1
            assert len(registry.requests) == 1
        async with AsyncSchemaRegistryClient({"url": registry.url}) as client:
            deserialize = AsyncAvroDeserializer(client)
            found = await asyncio.gather(*(deserialize(one, VALUE) for one in messages))
            assert found == [ADA] * 20
            assert len(registry.requests) == 2

    asyncio.run(main())


def test_threads_share_a_serializer(registry: FakeRegistry) -> None:
    """Threads can share serdes. Each thread reads its own messages."""
    with SchemaRegistryClient({"url": registry.url}) as client:
        serialize, deserialize = AvroSerializer(client, USER_TEXT), AvroDeserializer(client)

        def there_and_back(number: int) -> Any:
            obj = {"name": str(number), "age": number}
            topic = SerializationContext(f"t{number % 3}", MessageField.VALUE)
            return all(deserialize(serialize(obj, topic), topic) == obj for _ in range(50))

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(there_and_back, range(16)))


def test_one_request_per_subject_and_schema(registry: FakeRegistry) -> None:
    """A schema is registered once for each subject, whatever the number of messages is.

    Another topic has another subject.
    """
    with SchemaRegistryClient({"url": registry.url}) as client:
        strategy = {"subject.name.strategy.type": "TOPIC"}
        serialize = AvroSerializer(client, USER_TEXT, conf=strategy)
        messages = [serialize(ADA, VALUE) for _ in range(3)]
        assert len(registry.requests) == 1
        serialize(ADA, SerializationContext("u", MessageField.VALUE))
        assert len(registry.requests) == 2
    with SchemaRegistryClient({"url": registry.url}) as client:
        deserialize = AvroDeserializer(client)
        assert [deserialize(one, VALUE) for one in messages] == [ADA] * 3
        assert len(registry.requests) == 3
        # From the subject, a registry gets the context of the id.
        assert registry.requests[-1].endswith("/schemas/ids/1?subject=t-value")


def test_conversions(client: SchemaRegistryClient) -> None:
    """to_dict and from_dict convert objects, and receive the context."""

    class User:
        def __init__(self, name: str) -> None:
            self.name = name

    seen = []

    def to_dict(user: User, ctx: SerializationContext | None) -> dict[str, Any]:
        seen.append(ctx)
        return {"name": user.name}

    def from_dict(found: dict[str, Any], ctx: SerializationContext | None) -> User:
        seen.append(ctx)
        return User(found["name"])

    message = AvroSerializer(client, USER_TEXT, to_dict)(User("Ada"), VALUE)
    assert AvroDeserializer(client, from_dict=from_dict)(message, VALUE).name == "Ada"
    assert seen == [VALUE, VALUE]


@pytest.mark.parametrize(
    ("schema", "obj"),
    [
        ("string", "x"),
        ('"string"', "x"),
        ('\n {"type": "int"}\n', 5),
        ('{"type": "int"}', 5),
        ('["null", "string"]', "x"),
        ('{"type": "array", "items": "long"}', [1, 2]),
        ('{"type": "enum", "name": "E", "symbols": ["A", "B"]}', "B"),
        ('{"type": "record", "name": "Empty", "fields": []}', {}),
    ],
)
def test_any_schema(client: SchemaRegistryClient, schema: str, obj: Any) -> None:
    """Values that are not records, and records of zero bytes, can be written and read."""
    message = AvroSerializer(client, schema)(obj, VALUE)
    assert AvroDeserializer(client)(message, VALUE) == obj


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        ({"name": 5, "age": 1}, "name"),
        ({"name": "x", "age": "y"}, "age"),
        ({}, "name"),
        (5, "int"),
        ([], "name"),
        ({"name": "\ud800"}, "surrogate"),
    ],
)
def test_objects_that_do_not_fit(client: SchemaRegistryClient, obj: Any, said: str) -> None:
    """The error names the schema, its subject and the field."""
    with pytest.raises(SerializationError, match=said) as raised:
        AvroSerializer(client, USER_TEXT)(obj, VALUE)
    assert "'t-value' (test.User)" in str(raised.value)


@pytest.mark.parametrize(
    "schema", ["{", '{"type": "recor"}', "strin", "", '{"type": "record"}', "5", "null}"]
)
def test_schemas_that_are_none(client: SchemaRegistryClient, schema: str) -> None:
    """The constructor refuses a text that is not a schema, before the first message."""
    for make in (AvroSerializer, AvroDeserializer):
        with pytest.raises(SchemaParseException, match="schema_str is not an Avro schema"):
            make(client, schema)


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0\0\0", b"\5\0\0\0\1\2", b"\1\0\0\0\1", "text"])
def test_messages_without_an_id(client: SchemaRegistryClient, data: Any) -> None:
    """If the magic byte is wrong, or bytes are missing, the error shows the first bytes."""
    with pytest.raises(SerializationError, match=r"magic byte|must be bytes"):
        AvroDeserializer(client)(data, VALUE)


def test_corrupt_messages(client: SchemaRegistryClient) -> None:
    """Every prefix of a message, and a message with bytes after its end, raise an error that names
    the schema."""
    message = AvroSerializer(client, USER_TEXT)(ADA, VALUE)
    assert message is not None
    deserialize = AvroDeserializer(client)
    for end in range(5, len(message)):
        with pytest.raises(SerializationError, match=r"schema 1 \(test\.User\)"):
            deserialize(message[:end], VALUE)
    with pytest.raises(SerializationError, match="2 bytes after the end"):
        deserialize(message + b"xx", VALUE)


def test_ids_that_the_registry_does_not_know(client: SchemaRegistryClient) -> None:
    """An unknown id raises the registry's error.

    The next message requests the id again, because it may be registered later.
    """
    deserialize = AvroDeserializer(client)
    with pytest.raises(SchemaRegistryError, match="40403"):
        deserialize(b"\0\0\0\0\1" + ADA_BYTES, VALUE)
    client.register_schema("s", Schema(USER_TEXT))
    assert deserialize(b"\0\0\0\0\1" + ADA_BYTES, VALUE) == ADA
    client.register_schema("j", Schema('{"type": "object"}', "JSON"))
    with pytest.raises(SerializationError, match="schema 2 is JSON, not AVRO"):
        deserialize(b"\0\0\0\0\2{}", VALUE)


def test_a_registry_that_is_down(registry: FakeRegistry) -> None:
    """The first message fails at the timeout, and the next message sends the request again."""
    conf = {"url": registry.url, "timeout": 0.2, "max.retries": 0}
    with SchemaRegistryClient(conf) as client:
        strategy = {"subject.name.strategy.type": "TOPIC"}
        serialize = AvroSerializer(client, USER_TEXT, conf=strategy)
        for fault in (Fault(503), Fault(hang=True), Fault(200, b"<html>")):
            registry.faults = [fault]
            watch = Stopwatch()
            with pytest.raises(SchemaRegistryError):
                serialize(ADA, VALUE)
            assert watch.elapsed < SOON
            wait_until(lambda: not registry.faults)  # the server may be late

        def answered() -> bool:  # on a slow machine, the first attempts can time out
            with contextlib.suppress(SchemaRegistryError):
                return serialize(ADA, VALUE) is not None
            return False

        wait_until(answered)


def test_evolution(client: SchemaRegistryClient) -> None:
    """Values are read with the reader's schema, including its defaults and dropped fields."""
    old = AvroSerializer(client, USER_TEXT)(ADA, VALUE)
    newer = with_field("mail", "string", default="?")
    new = AvroSerializer(client, newer)({**ADA, "mail": "a@b"}, VALUE)
    deserialize = AvroDeserializer(client, newer)
    assert deserialize(old, VALUE) == {**ADA, "mail": "?"}
    assert deserialize(new, VALUE) == {**ADA, "mail": "a@b"}
    assert AvroDeserializer(client, USER_TEXT)(new, VALUE) == ADA
    with pytest.raises(SerializationError, match="schema 1"):
        AvroDeserializer(client, '"int"')(old, VALUE)


def test_the_latest_version(client: SchemaRegistryClient) -> None:
    """Objects are written and read with the subject's latest version, until the cache is
    cleared."""
    client.register_schema("t-value", Schema(USER_TEXT))
    serialize = AvroSerializer(client, conf=LATEST)
    deserialize = AvroDeserializer(client, conf={"use.latest.version": True})
    old = serialize(ADA, VALUE)
    assert deserialize(old, VALUE) == ADA
    client.register_schema("t-value", Schema(with_field("mail", "string", default="?")))
    client.clear_latest_caches()
    assert deserialize(old, VALUE) == {**ADA, "mail": "?"}
    new = serialize({**ADA, "mail": "a@b"}, VALUE)
    assert new is not None
    assert new[:5] == b"\0\0\0\0\2"
    assert deserialize(new, VALUE)["mail"] == "a@b"


def test_what_is_forgotten_while_it_is_asked_for() -> None:
    """Cleared caches stay empty, even if an older request gets its response afterwards.

    Thread A requests the latest version. Before its response is stored, thread B registers a newer
    version, clears the caches, and serializes.
    """

    class Client(SchemaRegistryClient):
        late = False

        def get_latest_version(self, subject_name: str, *args: Any) -> RegisteredSchema:
            found = super().get_latest_version(subject_name, *args)
            if not self.late:
                self.late = True
                super().register_schema(subject_name, Schema(with_field("n", "int", default=0)))
                self.clear_latest_caches()
                serialize(ADA, KEY)
            return found

    with Client({"url": "mock://"}) as client:
        client.register_schema("t-key", Schema(USER_TEXT))
        client.register_schema("t-value", Schema(USER_TEXT))
        serialize = AvroSerializer(client, conf=LATEST)
        first, second = serialize(ADA, VALUE), serialize(ADA, VALUE)
        assert first is not None
        assert second is not None
        assert (first[4], second[4]) == (1, 2)


def test_the_latest_version_is_asked_for_again_in_time(registry: FakeRegistry) -> None:
    """cache.latest.ttl.sec also applies to serializers."""
    registry.register("t-value", USER_TEXT)
    with SchemaRegistryClient({"url": registry.url, "cache.latest.ttl.sec": 0}) as client:
        serialize = AvroSerializer(client, conf=LATEST)
        first = serialize(ADA, VALUE)
        registry.register("t-value", with_field("mail", "string", default="?"))
        second = serialize(ADA, VALUE)
        assert first is not None
        assert second is not None
        assert (first[4], second[4]) == (1, 2)


def test_metadata_and_ids_choose_the_schema(client: SchemaRegistryClient) -> None:
    """A version may be found by its properties, and a schema by its id."""
    marked = Metadata(None, MetadataProperties({"major": "1"}), None)
    client.register_schema("t-value", Schema(USER_TEXT, metadata=marked))
    client.set_compatibility("t-value", "NONE")
    client.register_schema("t-value", Schema('"string"'))
    conf = {"auto.register.schemas": False, "use.latest.with.metadata": {"major": "1"}}
    assert AvroSerializer(client, conf=conf)(ADA, VALUE) == b"\0\0\0\0\1" + ADA_BYTES
    by_id = AvroSerializer(client, conf={"use.schema.id": 2})
    assert by_id("x", VALUE) == b"\0\0\0\0\2\2x"


def test_schemas_that_must_be_there(client: SchemaRegistryClient) -> None:
    """Without auto.register.schemas, the serializer looks the schema up and does not register
    it."""
    serialize = AvroSerializer(client, USER_TEXT, conf={"auto.register.schemas": False})
    with pytest.raises(SchemaRegistryError, match="40401"):
        serialize(ADA, VALUE)
    client.register_schema("t-value", Schema(USER_TEXT))
    assert serialize(ADA, VALUE) == b"\0\0\0\0\1" + ADA_BYTES
    with pytest.raises(SerializationError, match=r"needs use\.latest\.version"):
        AvroSerializer(client)(ADA, VALUE)


def test_references(client: SchemaRegistryClient) -> None:
    """Types of other subjects are found, also through several references, for the writer and for
    the reader."""
    client.register_schema("city", Schema('{"type": "enum", "name": "x.City", "symbols": ["A"]}'))
    place = '{"type": "record", "name": "x.Place", "fields": [{"name": "c", "type": "x.City"}]}'
    city = SchemaReference("x.City", "city", 1)
    client.register_schema("place", Schema(place, references=[city]))
    trip = '{"type": "record", "name": "Trip", "fields": [{"name": "to", "type": "x.Place"}]}'
    schema = Schema(trip, references=[SchemaReference("x.Place", "place", 1)])
    obj = {"to": {"c": "A"}}
    message = AvroSerializer(client, schema)(obj, VALUE)
    assert AvroDeserializer(client)(message, VALUE) == obj
    assert AvroDeserializer(client, schema)(message, VALUE) == obj
    missing = Schema(trip, references=[SchemaReference("x.Place", "nowhere", 1)])
    with pytest.raises(SchemaRegistryError, match="'nowhere' not found"):
        AvroSerializer(client, missing)(obj, SerializationContext("u", MessageField.VALUE))


@pytest.mark.parametrize(
    ("text", "obj", "payload"),
    [
        # The bytes are the number of a union's branch in zigzag, or the number of items with a zero
        # at the end.
        ('["null", "test.User"]', ADA, b"\x02" + ADA_BYTES),
        ('["test.User", "null"]', ADA, b"\0" + ADA_BYTES),
        ('{"type": "array", "items": "test.User"}', [ADA], b"\x02" + ADA_BYTES + b"\0"),
        ('{"type": "map", "values": ["int", "test.User"]}', {"a": 7}, b"\x02\x02a\0\x0e\0"),
        ('["null", {"type": "array", "items": "test.User"}]', [], b"\x02\0"),
        ('"test.User"', ADA, ADA_BYTES),
    ],
)
def test_references_of_what_is_no_record(
    client: SchemaRegistryClient, text: str, obj: Any, payload: bytes
) -> None:
    """Unions, arrays and maps may refer to types of other subjects, like records."""
    client.register_schema("user", Schema(USER_TEXT))
    schema = Schema(text, references=[SchemaReference("test.User", "user", 1)])
    message = AvroSerializer(client, schema)(obj, VALUE)
    assert message == b"\0\0\0\0\2" + payload
    assert AvroDeserializer(client)(message, VALUE) == obj
    other = Schema(text + " ", references=schema.references)
    assert AvroDeserializer(client, other)(message, VALUE) == obj


@pytest.mark.parametrize(
    ("conf", "subject"),
    [
        ({}, "t-value"),
        ({"subject.name.strategy": topic_subject_name_strategy}, "t-value"),
        ({"subject.name.strategy": record_subject_name_strategy}, "test.User"),
        ({"subject.name.strategy": topic_record_subject_name_strategy}, "t-test.User"),
        ({"subject.name.strategy.type": "TOPIC"}, "t-value"),
        ({"subject.name.strategy.type": "RECORD"}, "test.User"),
        ({"subject.name.strategy.type": "TOPIC_RECORD"}, "t-test.User"),
        ({"subject.name.strategy.type": "ASSOCIATED"}, "t-value"),
        ({"subject.name.strategy": lambda ctx, name: f"{ctx.topic}/{name}"}, "t/test.User"),
    ],
)
def test_subjects(client: SchemaRegistryClient, conf: dict[str, Any], subject: str) -> None:
    """Each strategy returns its own name for the subject of a message."""
    message = AvroSerializer(client, USER_TEXT, conf=conf)(ADA, VALUE)
    assert client.get_subjects() == [subject]
    reading = {name: conf[name] for name in conf} | {"use.latest.version": True}
    assert AvroDeserializer(client, conf=reading)(message, VALUE) == ADA


def test_a_strategy_of_ones_own_is_asked_for_each_message(client: SchemaRegistryClient) -> None:
    """A strategy that is a function is called for each message, because it may depend on more than
    the topic."""
    names = iter("abc")
    conf = {"subject.name.strategy": lambda ctx, name: next(names)}
    serialize = AvroSerializer(client, USER_TEXT, conf=conf)
    for _ in range(3):
        serialize(ADA, VALUE)
    assert client.get_subjects() == ["a", "b", "c"]


def test_subjects_that_there_are_not(client: SchemaRegistryClient) -> None:
    """If the topic or the name that a strategy needs is missing, the error contains this reason."""
    for conf in ({}, {"subject.name.strategy.type": "TOPIC"}):
        with pytest.raises(ValueError, match="needs a SerializationContext"):
            AvroSerializer(client, USER_TEXT, conf=conf)(ADA)
    record = {"subject.name.strategy.type": "RECORD"}
    assert AvroSerializer(client, USER_TEXT, conf=record)(ADA) is not None
    with pytest.raises(SerializationError, match="the schema has no name"):
        AvroSerializer(client, '["int", "null"]', conf=record)(5, VALUE)
    with pytest.raises(SerializationError, match="it returned 5"):
        AvroSerializer(client, USER_TEXT, conf={"subject.name.strategy": lambda *_: 5})(ADA)


def test_associated_subjects(client: SchemaRegistryClient) -> None:
    """The registry may associate a subject with a topic of a cluster."""
    info = AssociationCreateOrUpdateInfo("mine", "value", schema=Schema(USER_TEXT))
    request = AssociationCreateOrUpdateRequest("t", "c1", "id", "topic", [info])
    client.create_association(request)
    assert AvroSerializer(client, USER_TEXT)(ADA, VALUE) is not None
    assert client.get_subjects() == ["mine"]
    serialize = AvroSerializer(client, USER_TEXT)
    serialize.set_cluster_id_resolver(lambda: "c2")
    serialize(ADA, VALUE)
    assert client.get_subjects() == ["mine", "t-value"]
    ids = iter([None, "c1"])
    serialize = AvroSerializer(client, USER_TEXT)
    serialize.set_cluster_id_resolver(lambda: next(ids))
    with pytest.raises(SerializationError, match="not known yet"):
        serialize(ADA, VALUE)
    assert serialize(ADA, VALUE) is not None
    client.create_association(request)
    with pytest.raises(
        SerializationError, match="several subjects are associated with topic 't': mine"
    ):
        AvroSerializer(client, USER_TEXT)(ADA, VALUE)


def falling_back(to: Any, key: str = "subject.name.strategy.fallback.type") -> dict[str, Any]:
    return {"subject.name.strategy.conf": {key: to}}


@pytest.mark.parametrize(
    ("given", "subject"),
    [
        ("RECORD", "test.User"),
        ("topic_record", "t-test.User"),
        ("TOPIC", "t-value"),
        (None, "t-value"),
    ],
)
def test_topics_without_an_associated_subject(
    client: SchemaRegistryClient, given: str | None, subject: str
) -> None:
    """For a topic without an associated subject, another strategy names the subject.

    The configuration may choose this strategy.
    """
    assert AvroSerializer(client, USER_TEXT, conf=falling_back(given))(ADA, VALUE) is not None
    assert client.get_subjects() == [subject]


def test_no_other_strategy_for_topics(client: SchemaRegistryClient) -> None:
    """With NONE as the other strategy, a topic without an associated subject raises an error."""
    serialize = AvroSerializer(client, USER_TEXT, conf=falling_back("NONE"))
    with pytest.raises(SerializationError, match="No associated subject found for topic t"):
        serialize(ADA, VALUE)


@pytest.mark.parametrize(
    ("conf", "message"),
    [
        (
            falling_back("ASSOCIATED"),
            r"fallback\.type: ASSOCIATED\. ASSOCIATED cannot be used as a fallback strategy\.",
        ),
        (falling_back(5), r"fallback\.type: 5\. Valid values are: NONE, TOPIC, RECORD, TOPIC_REC"),
    ],
)
def test_configurations_of_associated_subjects(
    client: SchemaRegistryClient, conf: dict[str, Any], message: str
) -> None:
    """A wrong configuration raises when the strategy is used for the first time."""
    serialize = AvroSerializer(client, USER_TEXT, conf=conf)
    with pytest.raises(ValueError, match=message):
        serialize(ADA, VALUE)


def test_keys_of_one_s_own_for_strategies(client: SchemaRegistryClient) -> None:
    """Strategies ignore unknown keys."""
    conf = {"subject.name.strategy.conf": {"my.key": 1}}
    assert AvroSerializer(client, USER_TEXT, conf=conf)(ADA, VALUE) is not None
    assert client.get_subjects() == ["t-value"]


def test_strategies_in_lower_case(client: SchemaRegistryClient) -> None:
    """The type of a strategy may be written in upper or lower case."""
    conf = {"subject.name.strategy.type": "topic_record"}
    assert AvroSerializer(client, USER_TEXT, conf=conf)(ADA, VALUE) is not None
    assert client.get_subjects() == ["t-test.User"]


@pytest.mark.parametrize(
    ("ctx", "said"),
    [
        (None, "SerializationContext is required for header_schema_id_serializer"),
        (VALUE, "Missing headers"),
        (SerializationContext("t", MessageField.VALUE, headers=()), "Invalid headers type"),  # type: ignore[arg-type]
    ],
)
def test_no_place_for_a_header(ctx: SerializationContext | None, said: str) -> None:
    """A GUID needs a context whose headers can be extended."""
    with pytest.raises(SerializationError, match=said):
        header_schema_id_serializer(b"x", ctx, SchemaId("AVRO", 1, str(uuid.UUID(int=1))))


def test_header_of_a_field_that_is_no_key() -> None:
    """A field that is not a key gets the header of a value."""
    guid = SchemaId("AVRO", 1, str(uuid.UUID(int=1)))
    ctx = SerializationContext("t", MessageField.NONE, headers=[])
    header_schema_id_serializer(b"x", ctx, guid)
    assert ctx.headers == [("__value_schema_id", guid.guid_to_bytes())]


def test_registries_without_associations(registry: FakeRegistry) -> None:
    """Most registries do not support associations. The subject is then named after the topic."""
    registry.faults = [Fault(404, b'{"error_code": 404, "message": "HTTP 404 Not Found"}')]
    with SchemaRegistryClient({"url": registry.url}) as client:
        AvroSerializer(client, USER_TEXT)(ADA, VALUE)
        assert client.get_subjects() == ["t-value"]


@pytest.mark.parametrize("headers", [[], {}, [("a", b"1")]])
def test_ids_in_headers(client: SchemaRegistryClient, headers: Any) -> None:
    """A GUID in a header leaves the payload unchanged. The reader looks into the headers first."""
    conf = {"schema.id.serializer": header_schema_id_serializer}
    serialize = AvroSerializer(client, USER_TEXT, conf=conf)
    context = SerializationContext("t", MessageField.VALUE, headers)
    assert serialize(ADA, context) == ADA_BYTES
    guid = client.get_latest_version("t-value").guid
    assert guid is not None
    assert dict(headers)["__value_schema_id"] == b"\1" + uuid.UUID(guid).bytes
    deserialize = AvroDeserializer(client)
    assert deserialize(ADA_BYTES, context) == deserialize(ADA_BYTES, context) == ADA
    prefix = {"schema.id.deserializer": prefix_schema_id_deserializer}
    with pytest.raises(SerializationError, match="magic byte"):
        AvroDeserializer(client, conf=prefix)(ADA_BYTES, context)
    with pytest.raises(SerializationError, match="needs a SerializationContext with headers"):
        serialize(ADA, VALUE)


def test_guids_before_the_payload() -> None:
    """A GUID may replace the id before the payload.

    GUIDs with the same first bytes are distinguished.
    """
    guids = [uuid.UUID(int=(7 << 96) + number) for number in (1, 2)]
    schemas = dict(zip(map(str, guids), ('"string"', '"long"'), strict=True))

    class Client(SchemaRegistryClient):
        def get_schema_by_guid(self, guid: str, *args: Any) -> Schema:  # type: ignore[override]
            return Schema(schemas[guid])

    with Client({"url": "mock://"}) as client:
        deserialize = AvroDeserializer(client)
        for _ in range(2):
            assert deserialize(b"\1" + guids[0].bytes + b"\2a", VALUE) == "a"
            assert deserialize(b"\1" + guids[1].bytes + b"\2", VALUE) == 1


def test_ids_of_other_contexts() -> None:
    """A strategy that is a function may choose the context of the id in the registry."""
    schemas = {":.a:t": '"string"', ":.b:u": '"long"'}

    class Client(SchemaRegistryClient):
        def get_schema(self, schema_id: int, *args: Any) -> Schema:  # type: ignore[override]
            return Schema(schemas[args[0]])

    def subject_of(ctx: SerializationContext, record_name: str | None) -> str:
        return ":.a:t" if ctx.topic == "t" else ":.b:u"

    with Client({"url": "mock://"}) as client:
        deserialize = AvroDeserializer(client, conf={"subject.name.strategy": subject_of})
        for _ in range(2):
            assert deserialize(b"\0\0\0\0\1\2a", VALUE) == "a"
            other = SerializationContext("u", MessageField.VALUE)
            assert deserialize(b"\0\0\0\0\1\2", other) == 1


def test_frames_of_ones_own(client: SchemaRegistryClient) -> None:
    """One function may write the id at any place, and another function may read it there."""

    def put(payload: bytes, ctx: Any, schema_id: SchemaId) -> bytes:
        return payload + schema_id.id_to_bytes()

    def take(payload: bytes, ctx: Any, schema_id: SchemaId) -> io.BytesIO:
        schema_id.from_bytes(io.BytesIO(payload[-5:]))
        return io.BytesIO(payload[:-5])

    message = AvroSerializer(client, USER_TEXT, conf={"schema.id.serializer": put})(ADA, VALUE)
    assert message == ADA_BYTES + b"\0\0\0\0\1"
    deserialize = AvroDeserializer(client, conf={"schema.id.deserializer": take})
    assert deserialize(message, VALUE) == deserialize(message, VALUE) == ADA


def test_frames_without_an_id(client: SchemaRegistryClient) -> None:
    """If a function finds no id, the error contains this reason."""
    conf = {"schema.id.deserializer": lambda payload, ctx, schema_id: io.BytesIO(payload)}
    with pytest.raises(SerializationError, match="found no id"):
        AvroDeserializer(client, conf=conf)(ADA_BYTES, VALUE)


def test_clients_of_a_subclass() -> None:
    """Serdes call the methods that a subclass of the client overrides."""
    asked = []

    class Client(SchemaRegistryClient):
        def get_schema(self, schema_id: int, *args: Any) -> Schema:  # type: ignore[override]
            asked.append(schema_id)
            return super().get_schema(schema_id, *args)

    with Client({"url": "mock://"}) as client:
        message = AvroSerializer(client, USER_TEXT)(ADA, VALUE)
        deserialize = AvroDeserializer(client)
        assert deserialize(message, VALUE) == deserialize(message, VALUE) == ADA
    assert asked == [1]


def test_messages_without_a_context_are_planned_too(registry: FakeRegistry) -> None:
    """All messages without a context need only one request."""
    with SchemaRegistryClient({"url": registry.url, "cache.capacity": 1}) as client:
        conf = {"subject.name.strategy.type": "RECORD"}
        serialize = AvroSerializer(client, USER_TEXT, conf=conf)
        assert serialize(ADA) == serialize(ADA)
        client.register_schema("other", Schema('"int"'))
        serialize(ADA)
        assert len(registry.requests) == 2


def test_schema_ids() -> None:
    """A SchemaId can read the bytes that it writes, including GUIDs and the indexes of Protobuf
    messages."""
    guid = "89791762-2336-4186-9674-299b90a802e2"
    assert SchemaId("AVRO", 5, guid).id_to_bytes() == b"\0\0\0\0\5"
    assert SchemaId("AVRO", 5, guid).guid_to_bytes() == b"\1" + uuid.UUID(guid).bytes
    assert SchemaId("PROTOBUF", 3, None, [1, 2]).id_to_bytes() == b"\0\0\0\0\3\4\2\4"
    assert SchemaId("PROTOBUF", 3, None, [0]).id_to_bytes() == b"\0\0\0\0\3\0"
    for indexes in ([0], [1], [0, 300], [7, 0, 70_000]):
        data = SchemaId("PROTOBUF", 3, None, indexes).id_to_bytes() + b"rest"
        found = SchemaId("PROTOBUF")
        assert found.from_bytes(io.BytesIO(data)).read() == b"rest"
        assert (found.id, found.message_indexes) == (3, indexes)
    for data in (b"\0\0\0\0\3", b"\0\0\0\0\3\1", b"\0\0\0\0\3" + b"\xff" * 9, b"\0\0\0\0\3\4\2"):
        with pytest.raises(SerializationError, match="no message index"):
            SchemaId("PROTOBUF").from_bytes(io.BytesIO(data))
    for number in (None, -1, 2**32):
        with pytest.raises(SerializationError, match=r"Schema ID is not set|no id of 32 bits"):
            SchemaId("AVRO", number).id_to_bytes()
    with pytest.raises(SerializationError, match="Schema GUID is not set"):
        SchemaId("AVRO", 5).guid_to_bytes()


def rule(mode: RuleMode, disabled: bool = False) -> Rule:
    """A rule that this package cannot run."""
    kind = RuleKind.TRANSFORM
    return Rule("secret", None, kind, mode, "ENCRYPT", None, None, None, None, None, disabled)


def test_rules_are_refused(client: SchemaRegistryClient) -> None:
    """A message that rules should have encrypted is not sent in clear text."""
    schema = Schema(USER_TEXT, rule_set=RuleSet(None, [rule(RuleMode.WRITE)]))
    with pytest.raises(SerializationError, match=r"'secret' \(type ENCRYPT, mode WRITE\)"):
        AvroSerializer(client, schema)(ADA, VALUE)
    with pytest.raises(SerializationError, match="'secret'"):
        AvroSerializer(client, conf=LATEST)(ADA, VALUE)
    assert AvroDeserializer(client)(b"\0\0\0\0\1" + ADA_BYTES, VALUE) == ADA
    encoding = RuleSet(None, None, [rule(RuleMode.WRITEREAD)])
    number = client.register_schema("u-value", Schema(USER_TEXT, rule_set=encoding))
    with pytest.raises(SerializationError, match="'secret'"):
        AvroDeserializer(client)(bytes([0, 0, 0, 0, number]) + ADA_BYTES, VALUE)
    off = Schema(USER_TEXT, rule_set=RuleSet(None, [rule(RuleMode.WRITEREAD, True)]))
    context = SerializationContext("v", MessageField.VALUE)
    assert AvroSerializer(client, off)(ADA, context) is not None
    migration = Schema(
        with_field("n", "int", default=1), rule_set=RuleSet([rule(RuleMode.UPGRADE)], None)
    )
    client.register_schema("v-value", migration)
    newest = AvroDeserializer(client, conf={"use.latest.version": True})
    with pytest.raises(SerializationError, match="mode UPGRADE"):
        newest(AvroSerializer(client, off)(ADA, context), context)


@pytest.mark.parametrize(
    ("conf", "said"),
    [
        ({"auto.register.schema": True}, "did you mean 'auto.register.schemas'"),
        ({"auto.register.schemas": "yes"}, "auto.register.schemas must be a bool, not 'yes'"),
        ({"use.latest.version": True}, "are mutually exclusive"),
        ({"normalize.schemas": 1}, "normalize.schemas must be a bool"),
        ({"subject.name.strategy": 5}, "subject.name.strategy must be callable, not int"),
        (
            {"subject.name.strategy.type": "TOPICS"},
            "Invalid subject.name.strategy.type: TOPICS. Valid values are: ['NONE', 'TOPIC', ",
        ),
        ({"subject.name.strategy.type": "NONE"}, "NONE cannot be used as a subject name strategy."),
        ({"schema.id.serializer": 5}, "schema.id.serializer must be callable"),
        ({"use.schema.id": "5"}, "use.schema.id must be an int"),
        ({"use.latest.with.metadata": 5}, "use.latest.with.metadata must be a dict"),
        ({"validation.rules.execution": "AFTER_DOMAIN_RULES"}, "must be DISABLED"),
    ],
)
def test_wrong_configurations(client: SchemaRegistryClient, conf: Any, said: str) -> None:
    """The error names the key and its allowed values, or the nearest key if the key is unknown."""
    with pytest.raises(ValueError, match=re.escape(said)):
        AvroSerializer(client, USER_TEXT, conf=conf)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda c: AvroSerializer(None, USER_TEXT), TypeError, "must not be None"),
        (lambda c: AvroSerializer(5, USER_TEXT), TypeError, "not int"),
        (lambda c: AvroSerializer(c, 5), TypeError, "schema_str must be a str or a Schema"),
        (lambda c: AvroSerializer(c, USER_TEXT, 5), ValueError, "to_dict must be callable"),
        (lambda c: AvroSerializer(c, USER_TEXT, conf=5), TypeError, "conf must be a dict"),
        (lambda c: AvroSerializer(c, USER_TEXT, rule_conf={"a": 1}), ValueError, "rule_conf"),
        (lambda c: AvroDeserializer(None), TypeError, "must not be None"),
        (lambda c: AvroDeserializer(c, 5), TypeError, "schema_str"),
        (lambda c: AvroDeserializer(c, from_dict=5), ValueError, "from_dict must be callable"),
        (lambda c: AvroDeserializer(c, return_record_name=1), ValueError, "return_record_name"),
        (
            lambda c: AvroDeserializer(c, conf={"validate": 1}),
            ValueError,
            "Unrecognized properties: validate",
        ),
    ],
)
def test_wrong_arguments(
    client: SchemaRegistryClient, make: Callable[[Any], Any], error: type[Exception], said: str
) -> None:
    """The error names the argument, the given value and the allowed values."""
    with pytest.raises(error, match=said):
        make(client)


def test_strict_records(client: SchemaRegistryClient) -> None:
    """validate.strict requires every field and refuses unknown fields.

    With an option, fields with a default may be missing.
    """
    strict = AvroSerializer(client, USER_TEXT, conf={"validate.strict": True})
    assert strict(ADA, VALUE) is not None
    for obj in ({"name": "x"}, {**ADA, "more": 1}):
        with pytest.raises(SerializationError, match=r"test\.User"):
            strict(obj, VALUE)
    both = {"validate.strict": True, "validate.strict.allow.default": True}
    assert AvroSerializer(client, USER_TEXT, conf=both)({"name": "x"}, VALUE) is not None


def test_records_of_unions_have_names(client: SchemaRegistryClient) -> None:
    """With an option, a record in a union is read together with the name of its type."""
    union = json.dumps([{**USER, "name": "Other"}, USER])
    message = AvroSerializer(client, union)(("test.User", ADA), VALUE)
    assert AvroDeserializer(client, return_record_name=True)(message, VALUE) == ("test.User", ADA)
    assert AvroDeserializer(client)(message, VALUE) == ADA


def test_builders_that_fail_without_an_event_loop() -> None:
    """An awaiting serializer that is built without a loop reports a wrong schema at once."""
    builder = AsyncAvroSerializerBuilder({"url": "http://127.0.0.1:1"}, schema="{")
    with pytest.raises(SchemaParseException):
        builder.build({}, False)


def test_builders() -> None:
    """Builders create serdes with a client of their own. Closing the serde closes the client."""
    made: list[Any] = []
    conf = {"url": "mock://builders"}
    client = SchemaRegistryClient(conf)
    builder = AvroSerializerBuilder(conf, schema="int", serializer_init=made.append)
    serialize, rest = builder.set_schema(USER_TEXT).build({"a": 1}, True)
    assert rest == {"a": 1}
    assert made == [serialize]
    message = serialize(ADA, VALUE)
    serialize.close()
    reader = AvroDeserializerBuilder(schema_registry_client=client)
    reader.set_from_dict(lambda obj, _: obj["name"])
    deserialize, _ = reader.build({}, False)
    assert deserialize(message, VALUE) == "Ada"
    deserialize.close()
    assert client.get_subjects() == ["t-value"]
    with pytest.raises(ValueError, match="Missing required configuration property url"):
        AvroSerializerBuilder().build({}, True)
    with pytest.raises(SchemaParseException):
        AvroSerializerBuilder(conf, schema="{").build({}, True)

    async def main() -> None:
        writing, _ = AsyncAvroSerializerBuilder(conf, schema=USER_TEXT).build({}, True)
        reading, _ = AsyncAvroDeserializerBuilder(conf).build({}, True)
        assert await reading(await writing(ADA, VALUE), VALUE) == ADA
        await writing.aclose()
        await reading.aclose()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ("int", "INT"),
        ("null", "NULL"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "LONG"),
        (["null", "int"], "COMBINED"),
        (USER, "RECORD"),
        ({"type": "array", "items": "int"}, "ARRAY"),
        ("unheard", "NULL"),
        (5, "NULL"),
    ],
)
def test_kinds_of_schemas(schema: Any, kind: str) -> None:
    """get_type() returns the kind of each schema, and NULL for anything else."""
    assert get_type(schema) == kind


def test_tags_of_fields() -> None:
    """Tags are found by the full name of the field, in nested records, too."""
    inner = {
        "type": "record",
        "name": "Inner",
        "fields": [{"name": "c", "type": "int", "confluent:tags": ["X"]}],
    }
    schema = {
        "type": "record",
        "name": "n.Outer",
        "fields": [
            {"name": "a", "type": "int", "confluent:tags": ["PII"]},
            {"name": "b", "type": ["null", {"type": "array", "items": inner}]},
        ],
    }
    assert get_inline_tags(schema) == {"n.Outer.a": {"PII"}, "n.Inner.c": {"X"}}


def test_schemas_from_a_repository() -> None:
    """The types of a repository are found by name and inserted into the schema."""
    city = {"type": "record", "name": "x.City", "fields": []}
    trip = '{"type": "record", "name": "Trip", "fields": [{"name": "to", "type": "x.City"}]}'
    parsed = parse_schema_with_repo(trip, {"x.City": city})
    assert parsed["fields"][0]["type"]["name"] == "x.City"
    assert LocalSchemaRepository({"a": city}).load("a") is city


# --- Mocks of a program's tests -----------------------------------------------------------


@pytest.mark.parametrize("spec", [None, SchemaRegistryClient])
def test_a_mock_stands_in_for_the_client(spec: Any) -> None:
    """Serializers use the results of a mock's methods. They need only the id of a result."""
    field = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'
    context = SerializationContext("t", MessageField.VALUE)
    client = MagicMock(spec=spec)
    client.register_schema_full_response.return_value = MagicMock(schema_id=7, guid=None)
    client.get_associations_by_resource_name.return_value = MagicMock()
    assert AvroSerializer(client, field)({"a": 1}, context) == b"\0\0\0\0\7\2"
    subject, schema, _ = client.register_schema_full_response.call_args.args
    assert (subject, schema.schema_str) == ("t-value", field)
    client.get_schema.return_value = Schema(field, "AVRO")
    assert AvroDeserializer(client)(b"\0\0\0\0\7\2", context) == {"a": 1}


def test_a_mock_stands_in_for_the_awaiting_client() -> None:
    """Awaiting serializers await the coroutines of a mock."""
    client = MagicMock(get_schema=AsyncMock(return_value=Schema('"int"', "AVRO")))
    client.get_associations_by_resource_name = AsyncMock(return_value=[])

    async def read() -> Any:
        reader = await AsyncAvroDeserializer(client)
        return await reader(b"\0\0\0\0\7\2", SerializationContext("t", MessageField.VALUE))

    assert asyncio.run(read()) == 1


def test_a_client_of_the_other_kind_is_no_stand_in() -> None:
    """A blocking serializer refuses an awaiting client, although it has the same methods, and the
    reverse."""
    conf = {"url": "mock://"}
    with pytest.raises(TypeError, match="must be a SchemaRegistryClient, not Async"):
        AvroSerializer(AsyncSchemaRegistryClient(conf), '"int"')  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be a SchemaRegistryClient, not str"):
        AvroSerializer("mock://", '"int"')  # type: ignore[arg-type]
