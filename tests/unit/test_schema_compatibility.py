"""The registry in memory registers exactly the schemas that its compatibility level allows."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

from confluent_kafka.schema_registry import (
    AsyncSchemaRegistryClient,
    ConfigCompatibilityLevel,
    Metadata,
    MetadataProperties,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
    ServerConfig,
)
from confluent_kafka.testing import MockRegistry
from tests.support.schema_pairs import PAIRS, Pair

each_pair = pytest.mark.parametrize("pair", PAIRS, ids=[f"{one.kind}-{one.what}" for one in PAIRS])
INT, LONG, STRING = Schema('"int"'), Schema('"long"'), Schema('"string"')


@pytest.fixture
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


def is_refused(client: SchemaRegistryClient, subject: str, schema: Schema) -> bool:
    """Register a schema; return whether it was refused as incompatible."""
    try:
        client.register_schema(subject, schema)
    except SchemaRegistryError as error:
        if (error.http_status_code, error.error_code) != (409, 409):
            raise
        return True
    return False


@each_pair
def test_each_change(client: SchemaRegistryClient, pair: Pair) -> None:
    """For every level, testing a change and registering it have the same result."""
    old, new = Schema(pair.old, pair.kind), Schema(pair.new, pair.kind)
    client.set_compatibility(level="NONE")
    for level in ConfigCompatibilityLevel:
        client.register_schema(level, old)
        client.set_compatibility(level, level)
        assert client.test_compatibility(level, new) == pair.fits(level), level
        assert client.test_compatibility_all_versions(level, new) == pair.fits(level), level
        for version in (None, "latest", 1):
            reasons = client.explain_compatibility(level, new, version)
            assert (reasons == []) == pair.fits(level), level
        assert is_refused(client, level, new) != pair.fits(level), level


def test_the_default_is_enforced(client: SchemaRegistryClient) -> None:
    """Before a level is set, a registry reports and enforces BACKWARD."""
    assert client.get_compatibility() == "BACKWARD"
    client.register_schema("s", INT)
    assert is_refused(client, "s", STRING)
    assert client.get_versions("s") == [1]
    assert not is_refused(client, "s", LONG)


def test_other_processes_have_the_same_rules() -> None:
    """The same rules apply over HTTP, and for the awaiting client."""

    async def main(url: str) -> None:
        async with AsyncSchemaRegistryClient({"url": url}) as client:
            assert not await client.test_compatibility("s", STRING)
            assert await client.test_compatibility_all_versions("s", LONG)
            with pytest.raises(SchemaRegistryError, match="TYPE_MISMATCH") as raised:
                await client.register_schema("s", STRING)
            assert raised.value.http_status_code == 409

    with MockRegistry() as registry, SchemaRegistryClient({"url": registry.url}) as client:
        client.register_schema("s", INT)
        assert is_refused(client, "s", STRING)
        asyncio.run(main(registry.url))


def test_the_latest_version_or_all(client: SchemaRegistryClient) -> None:
    """Only transitive levels compare versions before the latest version.

    A compatibility test may name any version.
    """
    kinds = ["double", ["double", "string"], ["double", "string", "null"]]
    first, second, third = (Schema(json.dumps(one)) for one in kinds)
    client.set_compatibility("s", "NONE")
    for one in (third, first):
        client.register_schema("s", one)
    client.set_compatibility("s", "BACKWARD")
    assert client.test_compatibility("s", second)
    assert not client.test_compatibility("s", second, 1)
    assert client.test_compatibility_all_versions("s", second)
    client.set_compatibility("s", "BACKWARD_TRANSITIVE")
    assert not client.test_compatibility_all_versions("s", second)
    assert is_refused(client, "s", second)
    client.delete_version("s", 1)
    assert not is_refused(client, "s", second)


def test_a_subject_takes_precedence(client: SchemaRegistryClient) -> None:
    """A subject's own level applies until it is deleted.

    Then the global level applies, and after its deletion the default.
    """
    client.register_schema("s", INT)
    client.set_compatibility(level="NONE")
    client.set_compatibility("s", "FULL")
    assert is_refused(client, "s", LONG)
    assert client.delete_config("s").compatibility_level == "FULL"
    for call, code in (
        (client.get_config, "40408"),
        (client.get_compatibility, "40408"),
        (client.delete_config, "40401"),
    ):
        with pytest.raises(SchemaRegistryError, match=code):
            call("s")
    assert not is_refused(client, "s", STRING)
    assert client.delete_config().compatibility_level == "NONE"
    assert client.get_compatibility() == "BACKWARD"
    assert is_refused(client, "s", LONG)
    client.set_config("s", ServerConfig(compatibility_group="g"))
    assert is_refused(client, "s", LONG), "a configuration without a level has none of its own"
    client.set_compatibility("s", "NONE")
    assert client.get_config("s") == ServerConfig(
        compatibility_level=ConfigCompatibilityLevel.NONE, compatibility_group="g"
    ), "what is not set again stays"


def test_groups_of_versions(client: SchemaRegistryClient) -> None:
    """A version is compared only with versions that have the same value of the group's property."""
    client.set_config("s", ServerConfig(compatibility_group="major"))

    def version(schema: Schema, major: str) -> Schema:
        metadata = Metadata(None, MetadataProperties({"major": major}), None)
        return Schema(schema.schema_str, metadata=metadata)

    assert not is_refused(client, "s", version(INT, "1"))
    assert not is_refused(client, "s", version(STRING, "2"))
    assert not is_refused(client, "s", version(LONG, "1"))
    assert is_refused(client, "s", version(LONG, "2"))


def test_what_is_not_compared(client: SchemaRegistryClient) -> None:
    """A subject without versions, an existing version, and imports are not checked."""
    assert client.test_compatibility_all_versions("s", INT)
    with pytest.raises(SchemaRegistryError, match="40401"):
        client.test_compatibility("s", INT)
    client.register_schema("s", INT)
    client.register_schema("s", LONG)
    assert not is_refused(client, "s", INT), "it is version 1"
    with pytest.raises(SchemaRegistryError, match="40402"):
        client.test_compatibility("s", INT, 9)
    client.update_mode("s", "IMPORT")
    assert not is_refused(client, "s", STRING)
    assert client.delete_subject("s") == [1, 2, 3]
    client.delete_mode("s")
    assert not is_refused(client, "s", Schema('"boolean"'))


def test_another_format(client: SchemaRegistryClient) -> None:
    """Schemas of two formats are incompatible, except at the level NONE."""
    client.register_schema("s", Schema('{"type": "string"}', "JSON"))
    assert is_refused(client, "s", STRING)
    client.set_compatibility("s", "NONE")
    assert not is_refused(client, "s", STRING)


REFERENCES: list[tuple[str, str, str, str, str, str]] = [
    (
        "AVRO",
        "n.I",
        '{"type": "record", "name": "n.I", "fields": [{"name": "a", "type": "int"}]}',
        '{"type": "record", "name": "n.I", "fields": [{"name": "a", "type": "long"}]}',
        '{"type": "array", "items": "n.I"}',
        "TYPE_MISMATCH",
    ),
    (
        "JSON",
        "inner.json",
        '{"type": "integer"}',
        '{"type": "number"}',
        '{"type": "object", "properties": {"a": {"$ref": "inner.json"}}}',
        "TYPE_NARROWED",
    ),
    (
        "PROTOBUF",
        "inner.proto",
        'syntax = "proto3"; package p; message I { int32 a = 1; oneof o { int32 b = 2; } }',
        'syntax="proto3";package p; message I { int64 a = 1; oneof o { int32 b = 2; bool c = 3; }}',
        'syntax = "proto3"; package p; import "inner.proto"; message M { I i = 1; }',
        "ONEOF_FIELD_REMOVED",
    ),
]


@pytest.mark.parametrize(
    ("kind", "name", "old", "new", "user", "what"), REFERENCES, ids=["AVRO", "JSON", "PROTOBUF"]
)
def test_references(
    client: SchemaRegistryClient, kind: str, name: str, old: str, new: str, user: str, what: str
) -> None:
    """Referenced schemas are also compared, even indirect references."""
    client.register_schema("inner", Schema(old, kind))
    client.register_schema("inner", Schema(new, kind))
    for subject, versions in (("s", (1, 2)), ("t", (2, 1))):
        first, second = (
            Schema(user, kind, [SchemaReference(name, "inner", version)]) for version in versions
        )
        client.register_schema(subject, first)
        if subject == "s":
            assert not is_refused(client, subject, second)
        else:
            with pytest.raises(SchemaRegistryError, match=what):
                client.register_schema(subject, second)


def test_types_of_protobuf_itself(client: SchemaRegistryClient) -> None:
    """Protobuf's own types are the same types with and without a reference, because serializers
    differ in this."""
    file = "google/protobuf/timestamp.proto"
    timestamp = 'syntax = "proto3"; package google.protobuf; message Timestamp { int64 s = 1; }'
    client.register_schema(file, Schema(timestamp, "PROTOBUF"))
    text = f'package p; import "{file}"; message M {{ google.protobuf.Timestamp at = 1; }}'
    client.set_compatibility("s", "FULL_TRANSITIVE")
    client.register_schema("s", Schema(text, "PROTOBUF", [SchemaReference(file, file, 1)]))
    assert not is_refused(client, "s", Schema(text, "PROTOBUF"))
    assert is_refused(client, "s", Schema(text.replace("Timestamp", "Duration"), "PROTOBUF"))


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("inner.json", "inner.json"),
        ("http://x.org/a/inner.json", "inner.json"),
        ("inner.json", "http://x.org/a/inner.json#/$defs/t"),
        ("other", "http://x.org/id.json"),
        ("other", "id.json#anchor"),
    ],
)
def test_names_of_json_documents(client: SchemaRegistryClient, name: str, reference: str) -> None:
    """References name documents by the reference's name or by "$id", relative or not."""
    inner = {"$id": "http://x.org/id.json", "$defs": {"t": {"type": "string", "$anchor": "anchor"}}}
    client.register_schema("inner", Schema(json.dumps(inner), "JSON"))
    user = json.dumps({"$id": "http://x.org/a/main.json", "items": {"$ref": reference}})
    references = [SchemaReference(name, "inner", 1)]
    client.register_schema("s", Schema(user, "JSON", references))
    changed = user.replace('"items"', '"title": "t", "items"')
    assert not is_refused(client, "s", Schema(changed, "JSON", references))


def test_descriptors() -> None:
    """Serializers register descriptors in base64.

    These descriptors can also be compared with texts.
    """
    descriptor_pb2 = pytest.importorskip("google.protobuf.descriptor_pb2")
    file = descriptor_pb2.FileDescriptorProto(name="f.proto", package="p", syntax="proto3")
    message = file.message_type.add(name="M")
    message.field.add(name="a", number=1, type=5, label=1)
    message.oneof_decl.add(name="o")
    message.field.add(name="b", number=2, type=9, label=1, oneof_index=0)
    message.nested_type.add(name="ByNameEntry").options.map_entry = True
    for number, kind in ((1, 9), (2, 5)):
        message.nested_type[0].field.add(name=str(number), number=number, type=kind, label=1)
    message.field.add(name="by_name", number=3, type=11, type_name=".p.M.ByNameEntry", label=3)
    described = Schema(base64.b64encode(file.SerializeToString()).decode(), "PROTOBUF")
    same = "int32 a = 1; oneof o { string b = 2; } map<string, int32> by_name = 3;"
    with SchemaRegistryClient({"url": "mock://"}) as client:
        client.set_compatibility(level="FULL")
        client.register_schema("s", described)
        for fields, fits in (
            (same, True),
            (same.replace("int32 a", "string a"), False),
            (same.replace("string b = 2;", ""), False),
            (same.replace("map<string, int32>", "map<string, string>"), False),
        ):
            text = f'syntax = "proto3"; package p; message M {{ {fields} }}'
            assert client.test_compatibility("s", Schema(text, "PROTOBUF")) == fits, fields


def test_reasons() -> None:
    """A refusal and a verbose test name the difference, its place, and the version."""
    httpx = pytest.importorskip("httpx")
    old = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}
    new = old | {"fields": [{"name": "b", "type": "int"}, {"name": "a", "type": "string"}]}
    body = {"schema": json.dumps(new)}
    with MockRegistry() as registry:
        versions = f"{registry.url}/subjects/s/versions"
        tested = f"{registry.url}/compatibility/subjects/s/versions"
        httpx.post(versions, json={"schema": json.dumps(old)})
        refusal = httpx.post(versions, json=body)
        assert refusal.status_code == refusal.json()["error_code"] == 409
        for url in (tested, f"{tested}/1", f"{tested}/latest"):
            assert httpx.post(url, json=body).json() == {"is_compatible": False}
            answer = httpx.post(f"{url}?verbose=true", json=body).json()
            missing, mismatch, version, *_ = answer["messages"]
            assert "READER_FIELD_MISSING_DEFAULT_VALUE" in missing
            assert "/fields/0" in missing
            assert "TYPE_MISMATCH" in mismatch
            assert "/fields/1/type" in mismatch
            assert version == "{oldSchemaVersion: 1}"
            assert all(one in refusal.json()["message"] for one in answer["messages"])
        config = f"{registry.url}/config"
        assert httpx.get(f"{config}/s?defaultToGlobal=true").json() == {
            "compatibilityLevel": "BACKWARD"
        }
        assert httpx.get(f"{config}/s").json()["error_code"] == 40408
        assert httpx.put(config, json={"compatibility": "BEST"}).json()["error_code"] == 42203
        assert httpx.put(config, json={"compatibility": "NONE"}).json() == {"compatibility": "NONE"}
        assert httpx.post(tested, json=body).json() == {"is_compatible": True}


@pytest.mark.parametrize(
    "schema",
    [
        Schema('{"type": "recor"}'),
        Schema('{"type": "record", "name": "R"}'),
        Schema('["n.Missing"]'),
        Schema('{"type": "array", "items": {"type": "array"}}'),
        Schema('{"properties": {"a": {"$ref": "#/$defs/a"}}}', "JSON"),
        Schema('{"properties": {"a": 5}}', "JSON"),
        Schema('{"$ref": "#"}', "JSON"),
        Schema('{"$ref": "missing.json"}', "JSON"),
        Schema('{"properties": {"a": {"type": "string", "maxLength": "1"}}}', "JSON"),
        Schema('{"required": 5}', "JSON"),
        Schema('{"patternProperties": {"(": {}}, "additionalProperties": false}', "JSON"),
        Schema('{"type": "array", "items": ' * 5000 + '"int"' + "}" * 5000),
        Schema("nonsense", "PROTOBUF"),
    ],
    ids=lambda one: f"{one.schema_type}-{one.schema_str[:40]}",
)
def test_texts_that_are_no_schemas(client: SchemaRegistryClient, schema: Schema) -> None:
    """A text that is not a schema is invalid, and not incompatible."""
    old = {
        "AVRO": '"int"',
        "JSON": '{"properties": {"a": {"type": "string", "maxLength": 1}}}',
        "PROTOBUF": "message M {}",
    }
    client.register_schema("s", Schema(old[schema.schema_type], schema.schema_type))
    for call in (client.register_schema, client.test_compatibility):
        with pytest.raises(SchemaRegistryError, match="42201"):
            call("s", schema)


@pytest.mark.parametrize(
    "schema",
    [
        Schema('{"type": "recor"}'),
        Schema('{"type": "record", "name": "R"}'),
        Schema('["n.Missing"]'),
        Schema("5", "JSON"),
        Schema('{"$ref": "#/definitions/missing"}', "JSON"),
        Schema("nonsense", "PROTOBUF"),
        Schema('"int"', references=[SchemaReference("n.I", "missing", 1)]),
    ],
    ids=lambda one: f"{one.schema_type}-{one.schema_str}",
)
def test_a_first_version_that_is_no_schema(client: SchemaRegistryClient, schema: Schema) -> None:
    """A first version that is not a schema is refused, too, and the subject is not created."""
    with pytest.raises(SchemaRegistryError, match="42201"):
        client.register_schema("s", schema)
    assert client.get_subjects() == []
