"""Arrow columns as payloads in Protocol Buffers' wire format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from confluent_kafka.columns._encoder import ProgramEncoder, frame
from confluent_kafka.columns._input import Input
from confluent_kafka.columns._instructions import Instruction
from confluent_kafka.columns._protobuf_descriptor import find_descriptor, message_indexes_of
from confluent_kafka.columns._protobuf_encode import compile_encoder
from confluent_kafka.columns.protobuf import checked_indexes


class ProtobufEncoder(ProgramEncoder):
    """Encodes rows of columns as Protocol Buffers messages of one type.

    ProtobufDecoder reads the messages as the same rows. Columns are matched with the message's
    fields by name, also within structs, in any order. Fields are written in the order of their
    numbers. A field that is null or has no column is not written. A field without presence is not
    written if it has its default value, as other libraries do. A null in a `required` field, in a
    list or in a map makes a bad row, and so do values for two members of a oneof.

    ============================  ==================================================================
    Protocol Buffers              Arrow
    ============================  ==================================================================
    integers                      integers of any width, and decimals of any width whose scale is
                                  0; a value that does not fit is a bad row
    float, double                 floats of any width, rounded to the nearest; integers
    bool                          bool
    string, bytes                 strings and binary of any kind; text must be UTF-8
    enum                          strings: names, or for an open enum digits; integers: numbers
    repeated                      lists of any kind; packed if the field is
    map                           maps; lists of structs of `key` and `value`
    message, group                structs
    Timestamp, Duration           timestamps and durations of any unit; years other than 1 to 9999
                                  and durations of more than 315,576,000,000 seconds are bad rows
    wrappers (Int32Value ...)     the wrapped types
    Struct, Value, ListValue      strings: JSON text
    ============================  ==================================================================

    Each column may be dictionary-encoded, or be a child of a union.

    Args:
        descriptor (message class, Descriptor, FileDescriptorSet or bytes): the message type; bytes
            are a FileDescriptorSet, as ``protoc --include_imports -o`` writes it.
        message (str, optional): the full name of the message, for a FileDescriptorSet.
        schema_id (int, optional): the schema's id in a registry. It is written before each payload
            in the registry's framing: a zero byte and four bytes, big-endian.
        message_indexes (bool or list of int, optional): whether to write the message indexes of the
            registry's framing after the id. True writes the message's indexes in its file; a list
            gives other indexes. Default: True with a `schema_id`, False without.
        extra (str, optional): what to do with a column that the message has no field for: "error"
            (the default) raises a TypeError, "ignore" leaves it out.

    Raises:
        ImportError: protobuf is not installed (the extra ``protobuf``).
        TypeError: an argument has a wrong type.
        ValueError: the message does not exist, or another argument has a wrong value.

    Source: the Protocol Buffers encoding specification, and the Arrow PyCapsule protocol.
    """

    def __init__(
        self,
        descriptor: Any,
        message: str | None = None,
        *,
        schema_id: int | None = None,
        message_indexes: bool | Sequence[int] | None = None,
        extra: str = "error",
    ) -> None:
        self._descriptor = find_descriptor(descriptor, message)
        prefix = frame(schema_id)
        if message_indexes is None:
            message_indexes = schema_id is not None
        indexes = checked_indexes(message_indexes)
        if indexes is not None:
            prefix += _index_bytes(indexes or message_indexes_of(self._descriptor))
        super().__init__("protobuf", prefix, extra)

    def _compile(self, root: Input) -> tuple[Instruction, ...]:
        return compile_encoder(self._descriptor, root, ignore_extra=self._ignore_extra)


def _index_bytes(indexes: Sequence[int]) -> bytes:
    """Return the count and the indexes as zigzag varints; one zero byte for the first message."""
    if list(indexes) == [0]:
        return b"\0"
    return b"".join(_varint(number << 1) for number in (len(indexes), *indexes))


def _varint(number: int) -> bytes:
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*data, number])
