"""``confluent/meta.proto``: tags, rules and notes in the options of files, messages and fields."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2

from .._protobuf_types import Field, File, file_names, registered_file

_META_NUMBER = 1088
# For each extension, by its name: the options that it extends.
_EXTENDED = {
    "file_meta": "FileOptions",
    "message_meta": "MessageOptions",
    "field_meta": "FieldOptions",
    "enum_meta": "EnumOptions",
    "enum_value_meta": "EnumValueOptions",
}


def _add_texts(message: Any, *names: str) -> None:
    for number, name in enumerate(names, 1):
        message.field.add(
            name=name, number=number, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL
        )


def _add_meta(file: Any) -> None:
    meta = file.message_type.add(name="Meta")
    _add_texts(meta, "doc")
    many = Field.LABEL_REPEATED
    entry, rule = ".confluent.Meta.ParamsEntry", ".confluent.Rule"
    meta.field.add(name="params", number=2, type=Field.TYPE_MESSAGE, type_name=entry, label=many)
    meta.field.add(name="tags", number=3, type=Field.TYPE_STRING, label=many)
    meta.field.add(name="rules", number=4, type=Field.TYPE_MESSAGE, type_name=rule, label=many)
    params = meta.nested_type.add(name="ParamsEntry")
    params.options.map_entry = True
    _add_texts(params, "key", "value")


def _described() -> Any:
    file = File(
        name="confluent/meta.proto",
        package="confluent",
        dependency=[descriptor_pb2.DESCRIPTOR.name],
        syntax="proto3",
    )
    # Registries accept a file twice only if both files are equal, including all options.
    file.options.go_package = "../confluent"
    _add_meta(file)
    _add_texts(file.message_type.add(name="Rule"), "name", "doc", "expr", "sql")
    for name, options in _EXTENDED.items():
        file.extension.add(
            name=name,
            number=_META_NUMBER,
            type=Field.TYPE_MESSAGE,
            type_name=".confluent.Meta",
            extendee=f".google.protobuf.{options}",
            label=Field.LABEL_OPTIONAL,
        )
    return file


DESCRIPTOR: Any = registered_file(_described())
Meta: Any
Rule: Any
file_meta: Any
message_meta: Any
field_meta: Any
enum_meta: Any
enum_value_meta: Any
FILE_META_FIELD_NUMBER: int
MESSAGE_META_FIELD_NUMBER: int
FIELD_META_FIELD_NUMBER: int
ENUM_META_FIELD_NUMBER: int
ENUM_VALUE_META_FIELD_NUMBER: int
_NAMES = file_names(DESCRIPTOR)
__all__ = ["DESCRIPTOR", *_NAMES]
globals().update(_NAMES)
