"""Tags of Protobuf fields: ``confluent.field_meta`` in ``confluent/meta.proto``."""

from __future__ import annotations

import functools
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor

_FIELD_META = 1088
_TAGS = 3


@functools.cache
def _options() -> Any:
    """Return a class that reads the tags in the options of a field.

    It does not need confluent/meta.proto, which a program may have compiled itself.
    """
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="field_options.proto", syntax="proto3")
    meta = file.message_type.add(name="Meta")
    meta.field.add(name="tags", number=_TAGS, type=field.TYPE_STRING, label=field.LABEL_REPEATED)
    options = file.message_type.add(name="Options")
    options.field.add(
        name="field_meta",
        number=_FIELD_META,
        type=field.TYPE_MESSAGE,
        type_name=".Meta",
        label=field.LABEL_OPTIONAL,
    )
    pool: Any = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("Options"))


def get_inline_tags(fd: FieldDescriptor) -> set[str]:
    """Return the tags of a field of a Protobuf message.

    Args:
        fd: the field.
    """
    return set(_options().FromString(fd.GetOptions().SerializeToString()).field_meta.tags)
