"""Protocol Buffers payloads as Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from confluent_kafka.cimpl import _RowProgram
from confluent_kafka.columns._layout import ENUMS, check_enums, wanted_fields
from confluent_kafka.columns._protobuf_descriptor import find_descriptor
from confluent_kafka.columns._protobuf_layout import check_unit, layout
from confluent_kafka.columns._protobuf_program import describe
from confluent_kafka.columns.batch import ProgramDecoder


class ProtobufDecoder(ProgramDecoder):
    """Decodes payloads that are Protocol Buffers messages of one type.

    The descriptor is compiled once; decoding then takes no Python for a row, and releases the GIL.

    A field that has presence is null where it does not come; one that has none is its default.
    Repeated fields are lists, maps are maps, messages and groups are structs; members of a oneof
    are columns of which at most one is not null. Unsigned types stay unsigned. Timestamp and
    Duration become timestamp[ns, UTC] and duration[ns], wrappers such as Int32Value nullable
    values, Struct, Value and ListValue JSON text, and Any its type_url and value. Extensions and
    unknown fields are skipped.

    Args:
        descriptor (message class, Descriptor, FileDescriptorSet or bytes): the message type; bytes
            are a FileDescriptorSet, as ``protoc --include_imports -o`` writes it.
        message (str, optional): the full name of the message, for a FileDescriptorSet.
        columns (list of str, optional): the fields to decode, in this order, with dots for those
            within messages ("address.city"); the others are skipped without being decoded.
            Default: all.
        enums (str, optional): "string" (the default), "dictionary" or "number" (int32). A number
            that an open enum does not have is written in digits, is null, or is itself; for a
            closed enum, as those of proto2 are, it is an unknown field.
        message_indexes (bool or list of int, optional): whether payloads begin with the message
            indexes that a schema registry's framing has after the schema's id. True: they may be
            any; a list: others are bad rows. Default: False.
        unit (str, optional): what Timestamp and Duration count: "ns" (the default), of which 64
            bits hold the years 1678 to 2261, or "us", rounded down, which hold all that they can.

    Raises:
        ImportError: protobuf is not installed (the extra ``protobuf``).
        TypeError: an argument has a wrong type.
        ValueError: there is no such message, a type is recursive and its field is not left out,
            `columns` names a field that there is not, or `enums` or `unit` is something else.

    Source: the Protocol Buffers encoding specification, and the Arrow PyCapsule protocol.
    """

    def __init__(
        self,
        descriptor: Any,
        message: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        enums: str = "string",
        message_indexes: bool | Sequence[int] = False,
        unit: str = "ns",
    ) -> None:
        check_enums(enums, (*ENUMS, "number"))
        check_unit(unit)
        wanted = None if columns is None else wanted_fields(columns)
        indexes = checked_indexes(message_indexes)
        root = layout(find_descriptor(descriptor, message), wanted, enums=enums, unit=unit)
        super().__init__(
            _RowProgram("protobuf", root.column.description(), describe(root, indexes))
        )


def checked_indexes(given: bool | Sequence[int]) -> Sequence[int] | None:
    """Return what describe() takes: None if there are none, nothing if they may be any."""
    if isinstance(given, bool):
        return () if given else None
    if not isinstance(given, (list, tuple)) or not all(type(one) is int for one in given):
        raise TypeError(f"message_indexes must be bool or a list of int, not {given!r}")
    if not given or any(not 0 <= one < 2**31 for one in given):
        raise ValueError(f"message_indexes must be at least one, and none negative, not {given!r}")
    return given
