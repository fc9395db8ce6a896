"""What generated readers and writers call."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from confluent_kafka.protocol._errors import UnsupportedVersionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class UnpackersOf(dict[int, object]):
    """Functions that unpack n values, by n; a value is `width` numbers of one format."""

    def __init__(self, form: str, width: int) -> None:
        super().__init__()
        self._form = form
        self._width = width

    def __missing__(self, count: int) -> Callable[..., tuple[Any, ...]]:
        unpack = struct.Struct(f">{self._width * count}{self._form}").unpack_from
        if count < 64:  # most arrays are short: replicas of a partition
            self[count] = unpack
        return unpack


# --- reading ------------------------------------------------------------------------------


class Wrong(Exception):
    """What is wrong with the bytes; decode() makes a MalformedMessageError of it."""


def longer(data: bytes, pos: int, first: int) -> tuple[int, int]:
    """An unsigned varint of more than one byte, the `first` of which was read: it and its end."""
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
    """Tag, beginning and end of each tagged field of a struct.

    Args:
        data: the message.
        pos: after their number.
        size: of the message.
        count: their number.
        owner: the struct's name.
    """
    if count * 2 > size - pos:  # a tag and a size
        raise bad_length(f"the number of tagged fields of {owner}", count, size - pos)
    last = -1
    for _ in range(count):
        tag = data[pos]
        pos += 1
        if tag > 127:
            tag, pos = longer(data, pos, tag)
        if tag <= last:
            raise Wrong(f"tag {tag} of {owner} does not follow a smaller one")
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
    """A field is null that cannot be."""
    return Wrong(f"{field} is null")


def bad_length(field: str, length: int, left: int) -> Wrong:
    """A length that is impossible, or is more than what is left of the bytes."""
    return Wrong(f"{field} has a length of {length}, and {left} bytes follow")


def bad_tag_size(field: str, end: int) -> Wrong:
    """A tagged field says how many bytes it has."""
    return Wrong(f"{field} does not end at byte {end}, as its tag says")


# --- writing ------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    """`value` as an unsigned varint."""
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
    """Writes tagged fields in the order of their tags; `own` are those of fields."""
    for tag, _ in unknown:
        if tag in own:
            raise UnsupportedVersionError(
                f"{owner}.unknown_tagged_fields has tag {tag}, which is a field's own"
            )
    tags = sorted([*known, *unknown], key=lambda pair: pair[0])
    out += varint(len(tags))
    for tag, part in tags:
        out += varint(tag)
        out += varint(len(part))
        out += part


def absent(field: str, value: object, version: int) -> UnsupportedVersionError:
    """A field is set that the version has not."""
    return UnsupportedVersionError(
        f"{field} is {value!r:.99}, but version {version} has no such field: leave its default"
    )


def not_nullable(field: str, version: int) -> UnsupportedVersionError:
    """A field is None that cannot be in this version."""
    return UnsupportedVersionError(f"{field} cannot be None in version {version}")
