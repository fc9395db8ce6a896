"""Functions that generated readers and writers call."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from confluent_kafka.protocol._errors import UnsupportedVersionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class UnpackersOf(dict[int, object]):
    """Functions that unpack n values, by n. Each value consists of `width` numbers of a format."""

    def __init__(self, form: str, width: int) -> None:
        super().__init__()
        self._form = form
        self._width = width

    def __missing__(self, count: int) -> Callable[..., tuple[Any, ...]]:
        unpack = struct.Struct(f">{self._width * count}{self._form}").unpack_from
        if count < 64:  # cache the common sizes: most arrays, such as replicas, are short
            self[count] = unpack
        return unpack


# --- reading ------------------------------------------------------------------------------


class Wrong(Exception):
    """The bytes are wrong; decode() turns this into a MalformedMessageError."""


def longer(data: bytes, pos: int, first: int) -> tuple[int, int]:
    """Return an unsigned varint of several bytes and its end; `first` is its first byte."""
    value, shift = first & 0x7F, 7
    while shift < 35:
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, pos
        shift += 7
    raise Wrong(f"the number that ends at byte {pos} has more than 5 bytes")


def tagged_parts(
    data: bytes, pos: int, size: int, count: int, owner: str
) -> Iterator[tuple[int, int, int]]:
    """Yield the tag, the begin and the end of each tagged field of a struct.

    Args:
        data: the message.
        pos: the position after the number of tagged fields.
        size: the size of the message.
        count: the number of tagged fields.
        owner: the name of the struct.
    """
    if count * 2 > size - pos:  # each field has at least a tag and a size
        raise bad_length(f"the number of tagged fields of {owner}", count, size - pos)
    last = -1
    for _ in range(count):
        tag = data[pos]
        pos += 1
        if tag > 127:
            tag, pos = longer(data, pos, tag)
        if tag <= last:
            raise Wrong(f"tag {tag} of {owner} is not larger than the tag before it")
        last = tag
        length = data[pos]
        pos += 1
        if length > 127:
            length, pos = longer(data, pos, length)
        if length > size - pos:
            raise bad_length(f"the field of {owner} with tag {tag}", length, size - pos)
        yield tag, pos, pos + length
        pos += length


def null(field: str) -> Wrong:
    """Return the error for a null field that is not nullable."""
    return Wrong(f"{field} is null")


def bad_length(field: str, length: int, left: int) -> Wrong:
    """Return the error for a length that is negative or exceeds the remaining bytes."""
    return Wrong(f"{field} has a length of {length}, and {left} bytes follow")


def bad_tag_size(field: str, end: int) -> Wrong:
    """Return the error for a tagged field whose size differs from its contents."""
    return Wrong(f"{field} does not end at byte {end}, as its tag says")


# --- writing ------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    """Return `value` as an unsigned varint."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def put_tags(
    out: bytearray,
    owner: str,
    own: frozenset[int],
    known: list[tuple[int, bytes]],
    unknown: tuple[tuple[int, bytes], ...],
) -> None:
    """Write tagged fields in the order of their tags; `own` has the tags of named fields."""
    for tag, _ in unknown:
        if tag in own:
            raise UnsupportedVersionError(
                f"{owner}.unknown_tagged_fields has tag {tag}, which belongs to a named field"
            )
    tags = sorted([*known, *unknown], key=lambda pair: pair[0])
    out += varint(len(tags))
    for tag, part in tags:
        out += varint(tag)
        out += varint(len(part))
        out += part


def absent(field: str, value: object, version: int) -> UnsupportedVersionError:
    """Return the error for a field that is set but does not exist in the version."""
    return UnsupportedVersionError(
        f"{field} is {value!r:.99}, but version {version} has no such field: leave its default"
    )


def not_nullable(field: str, version: int) -> UnsupportedVersionError:
    """Return the error for a None field that is not nullable in the version."""
    return UnsupportedVersionError(f"{field} cannot be None in version {version}")
