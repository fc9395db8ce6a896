"""Unpacking of binary keys and values, with the letters of kcat: the argument of ``-s``."""

from __future__ import annotations

import json
import struct

from confluent_kafka.cli.messages.decoding import Simple
from confluent_kafka.cli.messages.text import text_or_base64

_ORDERS = "<>"
_NUMBERS = "bBhHiIqQ"
_REST, _CHARACTER, _END = "s", "c", "$"
_LETTERS = f"{_ORDERS}{_NUMBERS}{_CHARACTER}{_REST}{_END}"


class Unpacked(Simple):
    """Unpacks fields of fixed sizes.

    Args:
        letters: the fields: ``<`` and ``>`` set the order of bytes for the letters after them
            (big-endian by default), ``b`` ``h`` ``i`` ``q`` are integers of 8, 16, 32 and 64 bits
            (capitals: without a sign), ``c`` is a character, ``s`` the rest as text, and ``$`` the
            end. Without ``$``, the rest is left out.

    Raises:
        ValueError: the letters are wrong.
    """

    def __init__(self, letters: str) -> None:
        wrong = [one for one in letters if one not in _LETTERS]
        if wrong or not letters:
            raise ValueError(f"{letters!r} must consist of the letters {_LETTERS}")
        for last in (_REST, _END):
            behind = letters.partition(last)[2]
            if behind not in ("", _END) or (last == _END and behind):
                raise ValueError(f"{letters!r}: nothing can follow {last}")
        self._letters = letters

    def read(self, payload: bytes) -> bytes:
        values = self._values(payload)
        return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False).encode()

    def shown(self, text: bytes) -> bytes:
        found = json.loads(text)
        values = found if isinstance(found, list) else [found]
        return " ".join(str(one) for one in values).encode()

    def _values(self, payload: bytes) -> list[object]:
        order, position = ">", 0
        values: list[object] = []
        for letter in self._letters:
            if letter in _ORDERS:
                order = letter
            elif letter == _END:
                if position < len(payload):
                    raise ValueError(f"{len(payload) - position} bytes are left at the end ($)")
            elif letter == _REST:
                values.append(text_or_base64(payload[position:]))
                position = len(payload)
            else:
                layout = struct.Struct(order + letter)
                if len(payload) - position < layout.size:
                    raise ValueError(
                        f"{letter} needs {layout.size} bytes at byte {position}, but there are "
                        f"{len(payload) - position}"
                    )
                [value] = layout.unpack_from(payload, position)
                values.append(value.decode("latin-1") if letter == _CHARACTER else value)
                position += layout.size
        return values
