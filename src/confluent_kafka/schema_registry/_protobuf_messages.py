"""Finds the message of a Protobuf schema that message indexes name.

Registries store schemas as ``.proto`` texts, or as descriptors in base64. This module reads only
the names of their messages, so it needs no compiler.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.message import DecodeError

from ._protobuf_text import Field, File, Message, parsed_file


def schema_file(text: str) -> FileDescriptorProto | None:
    """Return the descriptor in a schema in base64; None if the schema is a .proto text."""
    try:
        return FileDescriptorProto.FromString(base64.b64decode(text.strip(), validate=True))
    except (binascii.Error, DecodeError):
        return None


def messages_of(text: str) -> list[Message]:
    """Return the messages of a registry's schema."""
    return (described_file(text) or parsed_file(text)).messages


def described_file(text: str) -> File | None:
    """Return the definitions in a schema that is a descriptor in base64; None for a text."""
    file = schema_file(text)
    if file is None:
        return None
    return File(
        file.package,
        messages=list(map(_described, file.message_type)),
        enums=[one.name for one in file.enum_type],
    )


def _described(message: DescriptorProto) -> Message:
    entries = {
        f"{message.name}.{one.name}": tuple(map(_type_name, one.field))
        for one in message.nested_type
        if one.options.map_entry
    }
    return Message(
        message.name,
        message.options.map_entry,
        [_described_field(one, message, entries) for one in message.field],
        list(map(_described, message.nested_type)),
        [one.name for one in message.enum_type],
    )


def _described_field(
    one: FieldDescriptorProto, message: DescriptorProto, entries: dict[str, tuple[str, ...]]
) -> Field:
    entry = entries.get(".".join(one.type_name.split(".")[-2:]))
    label = FieldDescriptorProto.Label.Name(one.label).removeprefix("LABEL_").lower()
    in_oneof = one.HasField("oneof_index") and not one.proto3_optional
    return Field(
        one.number,
        one.name,
        entry or (_type_name(one),),
        "" if entry else label,
        message.oneof_decl[one.oneof_index].name if in_oneof else "",
    )


def _type_name(one: FieldDescriptorProto) -> str:
    kind: str = FieldDescriptorProto.Type.Name(one.type)
    return one.type_name or kind.removeprefix("TYPE_").lower()


def name_without_package(descriptor: Any) -> str:
    """Return the name of a message type without the package, which programs may rename."""
    package = descriptor.file.package
    name: str = descriptor.full_name
    return name.removeprefix(f"{package}.") if package else name


def names_at(messages: list[Message], indexes: list[int]) -> list[str]:
    """Return the possible names of the message at these indexes.

    Raises:
        LookupError: there is no such message.
    """
    found = [name for counted in (True, False) for name in _names_at(messages, indexes, counted)]
    if not found:
        raise LookupError(f"message index {_wrong_index(messages, indexes)} is out of range")
    return found


def _names_at(messages: list[Message], indexes: list[int], counted: bool) -> Iterator[str]:
    names = []
    for index in indexes:
        level = [one for one in messages if counted or not one.is_entry]
        if not 0 <= index < len(level):
            return
        names.append(level[index].name)
        messages = level[index].messages
    yield ".".join(names)


def _wrong_index(messages: list[Message], indexes: list[int]) -> int:
    for index in indexes:
        if index >= len(messages):
            return index
        messages = messages[index].messages
    return indexes[-1]


def indexes_of(messages: list[Message], name: str) -> list[int] | None:
    """Return the indexes of the message with this name, without package; None if it is missing."""
    indexes = []
    for part in name.split("."):
        places = [place for place, one in enumerate(messages) if one.name == part]
        if not places:
            return None
        indexes.append(places[0])
        messages = messages[places[0]].messages
    return indexes
