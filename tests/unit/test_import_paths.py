"""Programs and generated code can use the import paths of confluent-kafka 2.x."""

from __future__ import annotations

import ast
import importlib
import re
from decimal import Decimal
from pathlib import Path

import pytest

import confluent_kafka
from tests.support.scripts import check_script

pytest.importorskip("fastavro")
pytest.importorskip("google.protobuf")
pytest.importorskip("jsonschema")

PACKAGE = Path(confluent_kafka.__file__).parent
REGISTRY = "confluent_kafka.schema_registry"
# The folders that contain only import paths, and the folder with modules as protoc writes them.
FOLDERS = ("_async", "_sync", "common")
GENERATED = "confluent"
THIN = [path for name in FOLDERS for path in (PACKAGE / "schema_registry" / name).glob("*.py")]
# These modules are private in confluent-kafka, too, but programs import them.
FILES = (
    "_model",
    "_types",
    "admin/_acl",
    "admin/_config",
    "admin/_group",
    "admin/_listoffsets",
    "admin/_metadata",
    "admin/_resource",
    "admin/_topic",
    "aio/producer/__init__",
)
THIN.extend(PACKAGE / f"{name}.py" for name in FILES)

# Import statements of public programs, and the module here that has the same object.
STATEMENTS = {
    "_async.avro import AsyncAvroDeserializer, AsyncAvroSerializer": "avro",
    "_async.json_schema import AsyncJSONDeserializer, AsyncJSONSerializer": "json_schema",
    "_async.mock_schema_registry_client import AsyncMockSchemaRegistryClient": "_mock",
    "_async.protobuf import AsyncProtobufDeserializer, AsyncProtobufSerializer": "protobuf",
    "_async.schema_registry_client import AsyncSchemaRegistryClient": "schema_registry_client",
    "_async.serde import AsyncBaseSerializer, AsyncBaseDeserializer, FALLBACK_TYPE": "serde",
    "_sync.avro import AvroDeserializer, AvroSerializer": "avro",
    "_sync.json_schema import JSONDeserializer, JSONSerializer": "json_schema",
    "_sync.mock_schema_registry_client import MockSchemaRegistryClient": "_mock",
    "_sync.protobuf import ProtobufDeserializer, ProtobufSerializer": "protobuf",
    "_sync.schema_registry_client import SchemaRegistryClient": "schema_registry_client",
    "_sync.serde import BaseSerializer, BaseDeserializer, KAFKA_CLUSTER_ID": "serde",
    "common.avro import get_inline_tags, parse_schema_with_repo": "avro",
    "common.json_schema import get_inline_tags": "json_schema",
    "common.protobuf import decimal_to_protobuf, protobuf_to_decimal": "protobuf",
    "common.schema_registry_client import Schema, Rule, ServerConfig": "schema_registry_client",
    "common.serde import SchemaId, SubjectNameStrategyType": "serde",
    "serde import FALLBACK_TYPE, KAFKA_CLUSTER_ID": "serde",
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_registry_paths_name_the_public_objects(statement: str) -> None:
    """Both paths lead to the same class, so that isinstance() and `except` work with either
    path."""
    namespace: dict[str, object] = {}
    exec(f"from {REGISTRY}.{statement}", namespace)
    home = importlib.import_module(f"{REGISTRY}.{STATEMENTS[statement]}")
    del namespace["__builtins__"]
    assert namespace == {name: getattr(home, name) for name in namespace}


@pytest.mark.parametrize(
    ("module", "names"),
    {
        "_model": ("ConsumerGroupTopicPartitions", "Node", "TopicCollection"),
        "_types": ("HeadersType",),
        "admin": ("KafkaError", "KafkaException", "OFFSET_INVALID"),
        "admin._metadata": ("ClusterMetadata", "GroupMetadata", "TopicMetadata"),
        "aio.producer": ("AIOProducer",),
        "avro.serializer.message_serializer": ("MAGIC_BYTE", "ContextStringIO", "ClientError"),
        "deserializing_consumer": ("ConsumeError", "KeyDeserializationError", "MessageField"),
        "deserializing_share_consumer": ("ValueDeserializationError", "SerializationContext"),
        "schema_registry": ("MessageField", "SerializationContext", "SerializationError"),
        "serialization": ("HeadersType", "KafkaException"),
        "serializing_producer": ("ValueSerializationError", "SerializationContext"),
    }.items(),
)
def test_other_paths_have_their_names(module: str, names: tuple[str, ...]) -> None:
    """The modules export their names, so that type checkers accept them and `import *` imports
    them."""
    exported = importlib.import_module(f"confluent_kafka.{module}").__all__
    assert set(names) <= set(exported)


def test_modules_of_serialization_are_attributes() -> None:
    """After `import confluent_kafka`, these modules are attributes, which are loaded at first
    use."""
    names = ["error", "serialization", "deserializing_consumer", "serializing_producer"]
    script = f"""
    import confluent_kafka, sys

    for name in {names}:
        module = "confluent_kafka." + name
        assert name in dir(confluent_kafka) and module not in sys.modules, name
    for name in {names}:
        assert getattr(confluent_kafka, name) is sys.modules["confluent_kafka." + name], name
    confluent_kafka.error.ConsumeError, confluent_kafka.serialization.StringSerializer
    """
    assert check_script(script) == ""


def test_paths_have_no_code() -> None:
    """The modules only re-export public names, and no other module of the package depends on
    them."""
    for path in THIN:
        docstring, *rest = ast.parse(path.read_text()).body
        assert isinstance(docstring, ast.Expr)
        if rest:
            *imports, exported = rest
            assert all(isinstance(each, ast.ImportFrom) for each in imports), path
            assert ast.unparse(exported).startswith("__all__ = ["), path
    files = "|".join(name.replace("/", ".") for name in FILES)
    uses = re.compile(
        rf"^ *(?:from|import) (?:{REGISTRY}\.[\w.]*\b(?:{'|'.join(FOLDERS)})|"
        rf"confluent_kafka\.(?:{files}))\b",
        re.MULTILINE,
    )
    assert uses.search(f"from {REGISTRY}._sync.avro import AvroSerializer")
    assert uses.search("from confluent_kafka.admin._acl import AclBinding")
    beside = re.compile(rf"^ *from \.+(?:{'|'.join(FOLDERS)})\b", re.MULTILINE)
    for path in set(PACKAGE.rglob("*.py")) - set(THIN):
        assert not uses.search(path.read_text()), path
        if path.is_relative_to(PACKAGE / "schema_registry"):
            assert not beside.search(path.read_text()), path


def test_every_path_can_be_imported_first() -> None:
    """Each path can be imported without importing another path first."""
    generated = (PACKAGE / "schema_registry" / GENERATED).rglob("*_pb2.py")
    paths = [
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in (*THIN, *generated)
    ]
    assert len(paths) > 20
    script = f"""
    import importlib, sys

    for path in {paths}:
        for name in [name for name in sys.modules if name.startswith("{REGISTRY}")]:
            del sys.modules[name]
        importlib.import_module(path)
    """
    check_script(script)


# --- Protobuf -----------------------------------------------------------------------------

# protoc writes this code for a file that imports the three files. The code needs their descriptors.
GENERATED_CODE = """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from confluent_kafka.schema_registry.confluent import meta_pb2
    from confluent_kafka.schema_registry.confluent.type import decimal_pb2, variant_pb2
    from confluent_kafka.schema_registry.confluent.types import decimal_pb2 as former_pb2

    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="own.proto", syntax="proto3")
    file.dependency.extend(["confluent/meta.proto", "confluent/types/decimal.proto"])
    price = file.message_type.add(name="Order").field.add(
        name="price", number=1, type=field.TYPE_MESSAGE, label=field.LABEL_OPTIONAL,
        type_name=".confluent.type.Decimal",
    )
    price.options.Extensions[meta_pb2.field_meta].tags.append("PII")
    price.options.Extensions[meta_pb2.field_meta].params["a"] = "b"
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    descriptor = pool.FindMessageTypeByName("Order")
    order = message_factory.GetMessageClass(descriptor)()
    order.price.CopyFrom(decimal_pb2.Decimal(value=b"\\1", precision=1, scale=2))

    from confluent_kafka.schema_registry import protobuf

    assert former_pb2.Decimal is decimal_pb2.Decimal
    assert str(protobuf.protobuf_to_decimal(order.price)) == "0.01"
    assert protobuf.get_inline_tags(descriptor.fields[0]) == {{"PII"}}
    options = descriptor.fields[0].GetOptions().Extensions[meta_pb2.field_meta]
    assert (list(options.tags), dict(options.params)) == (["PII"], {{"a": "b"}})
"""
IMPLEMENTATIONS = ["upb", "python"]


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_generated_code_imports_the_registrys_files(implementation: str) -> None:
    """Fields of confluent.type and options of confluent.Meta work in files that import them."""
    check_script(
        GENERATED_CODE.format(), env={"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation}
    )


def test_helpers_of_decimals_and_variants() -> None:
    """Each number keeps its own scale, like a BigDecimal in Java."""
    types = f"{REGISTRY}.confluent.type"
    decimals = importlib.import_module(f"{types}.decimal_utils")
    numbers = {"1.23": (b"{", 3, 2), "1E+2": (b"\1", 1, -2), "-128": (b"\x80", 3, 0)}
    for text, fields in numbers.items():
        message = decimals.to_proto_decimal(Decimal(text))
        assert (message.value, message.precision, message.scale) == fields
        assert str(decimals.from_proto_decimal(message)) == text
    assert decimals.unscaled_to_bytes(128) == b"\0\x80"
    with pytest.raises(ValueError, match="finite"):
        decimals.to_proto_decimal(Decimal("NaN"))
    variants = importlib.import_module(f"{types}.variant_utils")
    assert variants.to_json_string(variants.from_bytes(b"\x0c\x05", b"\1\0\0")) == "5"


# The descriptor that confluent-kafka 2.16.1 registers, as protoc writes it.
META = (
    b"\n\x14confluent/meta.proto\x12\tconfluent\x1a google/protobuf/descriptor.proto"
    b'"\x9d\x01\n\x04Meta\x12\x0b\n\x03doc\x18\x01 \x01(\t\x12+\n\x06params\x18\x02 \x03(\x0b2\x1b'
    b".confluent.Meta.ParamsEntry\x12\x0c\n\x04tags\x18\x03 \x03(\t\x12\x1e\n\x05rules\x18\x04 "
    b"\x03(\x0b2\x0f.confluent.Rule\x1a-\n\x0bParamsEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n"
    b'\x05value\x18\x02 \x01(\t:\x028\x01"<\n\x04Rule\x12\x0c\n\x04name\x18\x01 \x01(\t\x12\x0b\n'
    b"\x03doc\x18\x02 \x01(\t\x12\x0c\n\x04expr\x18\x03 \x01(\t\x12\x0b\n\x03sql\x18\x04 \x01(\t:A"
    b"\n\tfile_meta\x12\x1c.google.protobuf.FileOptions\x18\xc0\x08 \x01(\x0b2\x0f.confluent.Meta:G"
    b"\n\x0cmessage_meta\x12\x1f.google.protobuf.MessageOptions\x18\xc0\x08 \x01(\x0b2\x0f"
    b".confluent.Meta:C\n\nfield_meta\x12\x1d.google.protobuf.FieldOptions\x18\xc0\x08 \x01(\x0b2"
    b"\x0f.confluent.Meta:A\n\tenum_meta\x12\x1c.google.protobuf.EnumOptions\x18\xc0\x08 \x01(\x0b2"
    b"\x0f.confluent.Meta:L\n\x0fenum_value_meta\x12!.google.protobuf.EnumValueOptions\x18\xc0\x08 "
    b"\x01(\x0b2\x0f.confluent.MetaB\x0eZ\x0c../confluentb\x06proto3"
)
DECIMAL = (
    b'\n\x1cconfluent/type/decimal.proto\x12\x0econfluent.type":\n\x07Decimal\x12\r\n\x05value\x18'
    b"\x01 \x01(\x0c\x12\x11\n\tprecision\x18\x02 \x01(\r\x12\r\n\x05scale\x18\x03 \x01(\x05b\x06"
    b"proto3"
)
ELSEWHERE = DECIMAL.replace(b"\x1cconfluent/type/", b"\x1dconfluent/types/")
BOTH_ORDERS = """
    from google.protobuf import descriptor_pb2, descriptor_pool

    def ours():
        from confluent_kafka.schema_registry.confluent import meta_pb2
        from confluent_kafka.schema_registry.confluent.types import decimal_pb2
        return meta_pb2.Meta(tags=["PII"]), decimal_pb2.Decimal(value=b"1", scale=1)

    def theirs():
        for file in {files}:
            descriptor_pool.Default().AddSerializedFile(file)

    for step in {order}:
        step()
    ours()
"""


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("order", ["(ours, theirs)", "(theirs, ours)"])
def test_registered_beside_the_same_files(order: str, implementation: str) -> None:
    """A program may have compiled the same files itself.

    Registering the same file twice is not a conflict.
    """
    check_script(
        BOTH_ORDERS.format(files=[META, DECIMAL], order=order),
        env={"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation},
    )


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_another_versions_files_are_used_as_they_are(implementation: str) -> None:
    """Earlier versions had Decimal in another file.

    If a program has registered that file, the package uses it, because a process can have only one
    descriptor for a message.
    """
    check_script(
        BOTH_ORDERS.format(files=[ELSEWHERE], order="(theirs, ours)"),
        env={"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation},
    )
