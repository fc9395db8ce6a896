"""Messages of the package ``confluent.type``, which a program may have compiled itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Field = descriptor_pb2.FieldDescriptorProto


def message_class(name: str, fields: Mapping[str, Any]) -> Any:
    """Return the class of a message.

    Args:
        name: the name of the message.
        fields: the types of its fields, numbered from 1.
    """
    pool: Any = descriptor_pool.Default()
    try:
        found = pool.FindMessageTypeByName(f"confluent.type.{name}")
    except KeyError:
        file = descriptor_pb2.FileDescriptorProto(
            name=f"confluent/type/{name.lower()}.proto", package="confluent.type", syntax="proto3"
        )
        message = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields.items(), 1):
            message.field.add(name=field, number=number, type=kind, label=Field.LABEL_OPTIONAL)
        pool.AddSerializedFile(file.SerializeToString())
        found = pool.FindMessageTypeByName(f"confluent.type.{name}")
    return message_factory.GetMessageClass(found)
