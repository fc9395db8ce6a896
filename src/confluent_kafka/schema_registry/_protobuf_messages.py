"""Which message of a Protobuf schema the message indexes name.

Registries have schemas as ``.proto`` texts, or as descriptors in base64. Of both only the names of
the messages are read here, which takes no compiler.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from google.protobuf.message import DecodeError


class NamedMessage(NamedTuple):
    """A message of a schema, and the messages in it."""

    name: str
    nested: tuple[NamedMessage, ...] = ()
    is_entry: bool = False
    """Whether it stands for the entries of a map: compilers make such messages, and some
    serializers do not count them."""


def schema_file(text: str) -> FileDescriptorProto | None:
    """Return the descriptor that a schema is in base64; None for a text."""
    try:
        return FileDescriptorProto.FromString(base64.b64decode(text.strip(), validate=True))
    except (binascii.Error, DecodeError):
        return None


def messages_of(text: str) -> tuple[NamedMessage, ...]:
    """Return the messages of a registry's schema."""
    file = schema_file(text)
    if file is not None:
        return tuple(map(_described, file.message_type))
    return tuple(_block(iter(_TOKEN.findall(_IGNORED.sub(" ", text)))))


def _described(message: DescriptorProto) -> NamedMessage:
    nested = tuple(map(_described, message.nested_type))
    return NamedMessage(message.name, nested, message.options.map_entry)


# Comments, and texts, in which braces mean nothing.
_IGNORED = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
_TOKEN = re.compile(
    r"\bmessage\s+(?P<message>\w+)\s*\{"
    r"|\bgroup\s+(?P<group>\w+)\s*=[^{};]*\{"
    r"|\b(?P<oneof>oneof)\s+\w+\s*\{"
    r"|\bmap\s*<[^<>]*>\s*(?P<map>\w+)"
    r"|(?P<brace>[{}])"
)


def _block(tokens: Iterator[tuple[str, ...]]) -> Iterator[NamedMessage]:
    """Yield the messages up to the brace that closes a block."""
    for message, group, oneof, entries, brace in tokens:
        if message or group:
            yield NamedMessage(message or group, tuple(_block(tokens)))
        elif oneof:
            yield from _block(tokens)
        elif entries:
            words = "".join(word[:1].upper() + word[1:] for word in entries.split("_"))
            yield NamedMessage(f"{words}Entry", is_entry=True)
        elif brace == "{":  # of an enum, a service, an option: no message is in it
            for _ in _block(tokens):
                pass
        else:
            return


def name_without_package(descriptor: Any) -> str:
    """Return the name of a message type in its file: packages are renamed with programs."""
    package = descriptor.file.package
    name: str = descriptor.full_name
    return name.removeprefix(f"{package}.") if package else name


def names_at(messages: tuple[NamedMessage, ...], indexes: list[int]) -> list[str]:
    """Return the names of the message at a place, whether maps are counted or not.

    Raises:
        LookupError: there is none.
    """
    found = [name for counted in (True, False) for name in _names_at(messages, indexes, counted)]
    if not found:
        raise LookupError(f"message index {_wrong_index(messages, indexes)} is out of range")
    return found


def _names_at(
    messages: tuple[NamedMessage, ...], indexes: list[int], counted: bool
) -> Iterator[str]:
    names = []
    for index in indexes:
        level = [one for one in messages if counted or not one.is_entry]
        if not 0 <= index < len(level):
            return
        names.append(level[index].name)
        messages = level[index].nested
    yield ".".join(names)


def _wrong_index(messages: tuple[NamedMessage, ...], indexes: list[int]) -> int:
    for index in indexes:
        if index >= len(messages):
            return index
        messages = messages[index].nested
    return indexes[-1]


def indexes_of(messages: tuple[NamedMessage, ...], name: str) -> list[int] | None:
    """Return the place of a message by its name without the package; None if there is none."""
    indexes = []
    for part in name.split("."):
        places = [place for place, one in enumerate(messages) if one.name == part]
        if not places:
            return None
        indexes.append(places[0])
        messages = messages[places[0]].nested
    return indexes
