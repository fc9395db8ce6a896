"""Reads the messages and fields of a ``.proto`` text, without a compiler.

Source: the language specifications of Protocol Buffers (proto2, proto3, editions).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LABELS = frozenset({"optional", "repeated", "required"})
# Comments and white space are skipped, and braces inside texts have no meaning.
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\s+|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w.]+|.)""", re.DOTALL
)


@dataclass
class Field:
    """A field of a message."""

    number: int
    name: str
    types: tuple[str, ...]
    """Its type as written in the text; for a map, the types of its keys and values."""
    label: str = ""
    oneof: str = ""
    """The name of the ``oneof`` that contains it."""


@dataclass
class Message:
    """A message type, and the types that it defines."""

    name: str = ""
    is_entry: bool = False
    """Whether it is the message that compilers make for the entries of a map."""
    fields: list[Field] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    enums: list[str] = field(default_factory=list)


@dataclass
class File(Message):
    """The definitions of a file; the name is the package."""


def parsed_file(text: str) -> File:
    """Return the definitions of a ``.proto`` text. Other statements are skipped."""
    file = File()
    tokens = (match[1] for match in _TOKEN.finditer(text) if match[1])
    _read_block(tokens, file)
    return file


def _read_block(tokens: Iterator[str], message: Message, oneof: str = "") -> None:
    """Read the statements up to the brace that closes a block."""
    for words, end in _statements(tokens):
        match words:
            case ["package", name] if isinstance(message, File):
                message.name = name
            case ["message", name] if end == "{":
                message.messages.append(Message(name))
                _read_block(tokens, message.messages[-1])
            case ["enum", name] if end == "{":
                message.enums.append(name)
                _skip_block(tokens)
            case ["oneof", name] if end == "{":
                _read_block(tokens, message, name)
            case [*_, "group", name, "=", number] if end == "{":
                label = words[0] if words[0] in _LABELS else ""
                message.fields.append(Field(int(number, 0), name.lower(), (name,), label, oneof))
                message.messages.append(Message(name))
                _read_block(tokens, message.messages[-1])
            case _ if end == "{":  # it has no messages
                _skip_block(tokens)
            case ["map", "<", key, ",", value, ">", name, "=", number, *_]:
                message.fields.append(Field(int(number, 0), name, (key, value)))
                message.messages.append(Message(_entry_name(name), is_entry=True))
            case [label, kind, name, "=", number, *_] if label in _LABELS:
                message.fields.append(Field(int(number, 0), name, (kind,), label))
            case [kind, name, "=", number, *_] if number[0].isdigit() and kind != "option":
                message.fields.append(Field(int(number, 0), name, (kind,), "", oneof))


def _statements(tokens: Iterator[str]) -> Iterator[tuple[list[str], str]]:
    """Yield the statements of a block, each with the sign that ends it."""
    words: list[str] = []
    depth = 0  # the options in brackets, which may contain braces
    for token in tokens:
        depth += (token == "[") - (token == "]")
        if depth or token not in ("{", "}", ";"):
            words.append(token)
        elif token == "}":
            return
        else:
            yield words, token
            words = []


def _skip_block(tokens: Iterator[str]) -> None:
    for _, end in _statements(tokens):
        if end == "{":
            _skip_block(tokens)


def _entry_name(field_name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in field_name.split("_")) + "Entry"
