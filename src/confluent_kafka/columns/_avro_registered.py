"""Payloads that consist of bytes alone: a registry's serializers write no size before them."""

from __future__ import annotations

from confluent_kafka.columns._avro_schema import AvroType, Primitive
from confluent_kafka.columns._instructions import Instruction

# Steps that read or write a size -> the same steps without a size.
_ALONE = {"bytes": "bytes-alone", "string": "string-alone", "decimal-bytes": "decimal-alone"}


def as_registered(program: tuple[Instruction, ...], writer: AvroType) -> tuple[Instruction, ...]:
    """Return the program for payloads of a registry's serializers.

    Args:
        program: the program for payloads in plain Avro.
        writer: the schema that the payloads are written with.
    """
    if not isinstance(writer, Primitive) or writer.kind != "bytes":
        return program
    return tuple(one._replace(step=_ALONE.get(one.step, one.step)) for one in program)
