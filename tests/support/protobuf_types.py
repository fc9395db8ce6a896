"""Random types of Protobuf messages."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

from google.protobuf import (
    any_pb2,
    descriptor_pb2,
    duration_pb2,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
)
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

from tests.support.protobuf import message_class

KNOWN_FILES = [any_pb2, duration_pb2, struct_pb2, timestamp_pb2, wrappers_pb2]
KNOWN_TYPES = [
    ".google.protobuf.Any",
    ".google.protobuf.BoolValue",
    ".google.protobuf.DoubleValue",
    ".google.protobuf.Duration",
    ".google.protobuf.Int64Value",
    ".google.protobuf.ListValue",
    ".google.protobuf.StringValue",
    ".google.protobuf.Struct",
    ".google.protobuf.Timestamp",
    ".google.protobuf.UInt32Value",
    ".google.protobuf.Value",
]
SCALARS = [n for n in range(1, 19) if n not in (10, 11, 14)]
KEYS = [n for n in SCALARS if n not in (1, 2, 12)]
names = count()


class FileMaker:
    """Makes a file with a few message types.

    Each type may have fields of the types after it.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.package = f"random{next(names)}"
        self.file = FileDescriptorProto(name=f"{self.package}.proto", package=self.package)
        self.syntax = rng.choice(["proto2", "proto3", "editions"])
        self.file.syntax = self.syntax
        if self.syntax == "editions":
            self.file.edition = descriptor_pb2.EDITION_2023
        self.file.dependency.extend(one.DESCRIPTOR.name for one in KNOWN_FILES)
        self._add_enum()
        self.count = rng.randrange(1, 4)
        for place in range(self.count):
            self._add_message(place)

    def descriptors(self) -> bytes:
        files = FileDescriptorSet(file=[self.file])
        return files.SerializeToString()

    def _add_enum(self) -> None:
        enum = self.file.enum_type.add(name="Color")
        first = 0 if self.syntax != "proto2" else self.rng.choice([0, 1, -1])
        for name, number in (("RED", first), ("GREEN", 2), ("BLUE", 3)):
            enum.value.add(name=name, number=number)
        if self.syntax == "editions" and self.rng.random() < 0.5:
            enum.options.features.enum_type = descriptor_pb2.FeatureSet.CLOSED
        self.is_closed = self.syntax == "proto2" or (
            self.syntax == "editions"
            and enum.options.features.enum_type == descriptor_pb2.FeatureSet.CLOSED
        )

    def _add_message(self, place: int) -> None:
        message = self.file.message_type.add(name=f"M{place}")
        numbers = self.rng.sample([1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 40, 1000, 1023, 1024, 5000], 8)
        optional = []
        for index, number in enumerate(numbers[: self.rng.randrange(1, 8)]):
            field = message.field.add(name=f"f{index}", number=number)
            if self.rng.random() < 0.15:
                self._make_map(message, field, place)
                continue
            self._set_type(field, place)
            repeated = self.rng.random() < 0.3
            field.label = 3 if repeated else 1
            if not repeated and self.rng.random() < 0.4:
                self._put_into_oneof(message, field)
            elif not repeated and self.syntax == "proto3" and self.rng.random() < 0.4:
                optional.append(field)
            elif self.syntax == "editions":
                self._set_features(field, repeated)
        for field in optional:  # protoc puts the oneofs of optional fields last
            field.proto3_optional = True
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{field.name}")

    def _set_features(self, field: FieldDescriptorProto, repeated: bool) -> None:
        features = descriptor_pb2.FeatureSet
        if field.type == FieldDescriptorProto.TYPE_MESSAGE:
            if self.rng.random() < 0.3:
                field.options.features.message_encoding = features.DELIMITED
        elif repeated:
            if field.type not in (9, 12) and self.rng.random() < 0.5:
                field.options.features.repeated_field_encoding = features.EXPANDED
        elif self.rng.random() < 0.5 and not (field.type == 14 and self.is_closed):
            field.options.features.field_presence = features.IMPLICIT

    def _put_into_oneof(self, message: DescriptorProto, field: FieldDescriptorProto) -> None:
        field.oneof_index = self.rng.randrange(2) if message.oneof_decl else 0
        if field.oneof_index >= len(message.oneof_decl):
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"o{field.oneof_index}")

    def _set_type(self, field: FieldDescriptorProto, place: int, value: bool = False) -> None:
        drawn = self.rng.random()
        if drawn < 0.5:
            field.type = self.rng.choice(SCALARS)
        elif drawn < 0.6:
            field.type, field.type_name = 14, f".{self.package}.Color"
        elif drawn < 0.8 or place == self.count - 1:
            field.type, field.type_name = 11, self.rng.choice(KNOWN_TYPES)
        else:
            later = self.rng.randrange(place + 1, self.count)
            is_group = self.syntax == "proto2" and not value and self.rng.random() < 0.3
            field.type = 10 if is_group else 11
            field.type_name = f".{self.package}.M{later}"

    def _make_map(self, message: DescriptorProto, field: FieldDescriptorProto, place: int) -> None:
        entry = message.nested_type.add(name=f"{field.name.upper()}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=1, type=self.rng.choice(KEYS))
        value = entry.field.add(name="value", number=2, label=1)
        self._set_type(value, place, value=True)
        if value.type == 14 and self.file.enum_type[0].value[0].number != 0:
            value.type = 5
            value.ClearField("type_name")
        field.label, field.type = 3, 11
        field.type_name = f".{self.package}.{message.name}.{entry.name}"


def random_type(rng: Random) -> tuple[bytes, Any, str]:
    """A FileDescriptorSet, and the class and the name of its first message."""
    maker = FileMaker(rng)
    descriptors = maker.descriptors()
    name = f"{maker.package}.M0"
    whole = FileDescriptorSet()
    for known in KNOWN_FILES:
        known.DESCRIPTOR.CopyToProto(whole.file.add())
    whole.file.append(maker.file)
    return descriptors, message_class(whole.SerializeToString(), name), name
