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

    The descriptor is compiled once. Decoding then runs no Python code for a row and releases the
    GIL.

    If a field is missing in a payload, it is null if the field has presence, and its default
    otherwise. Repeated fields are lists, maps are maps, messages and groups are structs. Each
    member of a oneof is a column, of which at most one is not null. Unsigned types stay unsigned.
    Timestamp and Duration become timestamp[ns, UTC] and duration[ns]. Wrappers such as Int32Value
    become nullable values. Struct, Value and ListValue become JSON text. Any becomes its type_url
    and value. Extensions and unknown fields are skipped.

    Args:
        descriptor (message class, Descriptor, FileDescriptorSet or bytes): the message type; bytes
            are a FileDescriptorSet, as ``protoc --include_imports -o`` writes it.
        message (str, optional): the full name of the message, for a FileDescriptorSet.
        columns (list of str, optional): the fields to decode, in this order, with dots for nested
            fields ("address.city"); all other fields are skipped without being decoded. Default:
            all.
        enums (str, optional): "string" (the default), "dictionary" or "number" (int32). If an open
            enum has no name for a number, "string" returns its digits, "dictionary" null, and
            "number" the number itself. For a closed enum, as in proto2, such a number is an unknown
            field.
        message_indexes (bool or list of int, optional): whether payloads begin with the message
            indexes that a schema registry's framing has after the schema's id. True accepts any
            indexes; with a list, payloads with other indexes are bad rows. Default: False.
        unit (str, optional): the unit of Timestamp and Duration: "ns" (the default), whose 64 bits
            cover the years 1678 to 2261, or "us", which covers all their values, rounded down.

    Raises:
        ImportError: protobuf is not installed (the extra ``protobuf``).
        TypeError: an argument has a wrong type.
        ValueError: the message does not exist, a field's type is recursive and `columns` does not
            leave the field out, `columns` names a field that does not exist, or `enums` or `unit`
            has a wrong value.

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
    """Return the indexes for describe(): None for no indexes, an empty sequence for any indexes."""
    if isinstance(given, bool):
        return () if given else None
    if not isinstance(given, (list, tuple)) or not all(type(one) is int for one in given):
        raise TypeError(f"message_indexes must be bool or a list of int, not {given!r}")
    if not given or any(not 0 <= one < 2**31 for one in given):
        raise ValueError(
            f"message_indexes must have at least one index, and none below 0, not {given!r}"
        )
    return given
