"""Registers files of Protobuf's package ``confluent`` that a program has not compiled itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

File = descriptor_pb2.FileDescriptorProto
Field = descriptor_pb2.FieldDescriptorProto

# Messages of the package confluent.type: the types of their fields, numbered from 1.
DECIMAL: Mapping[str, Any] = {
    "value": Field.TYPE_BYTES,
    "precision": Field.TYPE_UINT32,
    "scale": Field.TYPE_INT32,
}
VARIANT: Mapping[str, Any] = {"metadata": Field.TYPE_BYTES, "value": Field.TYPE_BYTES}


def registered_file(file: Any) -> Any:
    """Return the descriptor of a file; register it unless a program has registered it.

    Protobuf has one registry per process, which refuses a second file with the same name or the
    same messages. So a file that is already registered is used, even if it defines less.

    Args:
        file: the file, as a FileDescriptorProto.
    """
    pool: Any = descriptor_pool.Default()
    try:
        return pool.FindFileByName(file.name)
    except KeyError:
        pass
    for message in file.message_type:
        try:
            # It may have another name, because a program may have moved the file.
            return pool.FindFileContainingSymbol(f"{file.package}.{message.name}")
        except KeyError:
            pass
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindFileByName(file.name)


def type_file(name: str, fields: Mapping[str, Any]) -> Any:
    """Return the descriptor of the file in ``confluent/type`` that has one message.

    Args:
        name: the name of the message.
        fields: the types of its fields, numbered from 1.
    """
    file = File(
        name=f"confluent/type/{name.lower()}.proto", package="confluent.type", syntax="proto3"
    )
    message = file.message_type.add(name=name)
    for number, (field, kind) in enumerate(fields.items(), 1):
        message.field.add(name=field, number=number, type=kind, label=Field.LABEL_OPTIONAL)
    return registered_file(file)


def message_class(name: str, fields: Mapping[str, Any]) -> Any:
    """Return the class of a message of the package ``confluent.type``.

    Args:
        name: the name of the message.
        fields: the types of its fields, numbered from 1.
    """
    return message_factory.GetMessageClass(type_file(name, fields).message_types_by_name[name])


def file_names(file: Any) -> dict[str, Any]:
    """Return the contents of a module that was generated from a file: messages and extensions.

    Args:
        file: the descriptor of the file.
    """
    names: dict[str, Any] = {
        name: message_factory.GetMessageClass(message)
        for name, message in file.message_types_by_name.items()
    }
    for name, extension in file.extensions_by_name.items():
        names[name] = extension
        names[f"{name.upper()}_FIELD_NUMBER"] = extension.number
    return names
