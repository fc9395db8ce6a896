"""Generates readers: functions that decode one version of a message, from the message's table.

Each struct becomes a function of the bytes and a position. Consecutive fields of fixed size are
unpacked together. Every other field begins with its length, which is compared with the number of
remaining bytes before anything is allocated.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from confluent_kafka.cimpl import Uuid
from confluent_kafka.protocol import _wire
from confluent_kafka.protocol._schema import LONGEST_STRING, Field, Struct, Table
from confluent_kafka.protocol._source import (
    ARRAY_LENGTH,
    FORMATS,
    LENGTHS,
    compile_function,
    formats_of,
    grouped,
    indented,
    is_fixed,
    name_of,
    size_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from confluent_kafka.protocol._source import Numbered

_NAMES: dict[str, Any] = {
    "Uuid": Uuid,
    "Wrong": _wire.Wrong,
    "bad_length": _wire.bad_length,
    "bad_tag_size": _wire.bad_tag_size,
    "longer": _wire.longer,
    "new": tuple.__new__,
    "null": _wire.null,
    "tagged_parts": _wire.tagged_parts,
}


def reader(table: Table, classes: dict[str, Any], version: int) -> Callable[..., Any]:
    """Return the function (data, pos, size) -> (message, end) for one version.

    Args:
        table: the message.
        classes: the class of the message and the classes of its structs, by name.
        version: a valid version of the message.
    """
    return _Reader(table, classes, version).function()


class _Reader:
    def __init__(self, table: Table, classes: dict[str, Any], version: int) -> None:
        self._table = table
        self._version = version
        self._flexible = version in table.flexible
        self._names = _NAMES | classes
        self._defaults = {name: each._defaults for name, each in classes.items()}

    def function(self) -> Callable[..., Any]:
        lines: list[str] = []
        for each in (*self._table.structs.values(), self._table.root):
            lines += self._struct(each)
        name = f"read_{self._table.root.name}"
        function: Callable[..., Any] = compile_function(name, lines, self._names)
        return function

    def _struct(self, each: Struct) -> Iterator[str]:
        yield f"def read_{each.name}(data, pos, size):"
        plain: list[Numbered] = []
        tagged: list[Numbered] = []
        for number, field in enumerate(each.fields):
            if self._version in field.versions and self._version not in field.tagged:
                plain.append((number, field))
                continue
            yield f" f{number} = {self._default(each, number)}"
            if self._version in field.tagged:
                tagged.append((number, field))
        for group in grouped(plain):
            yield from indented(self._values(group))
        yield " unknown = ()"
        if self._flexible:
            yield from indented(self._tagged(each, tagged))
        values = "".join(f"f{number}, " for number in range(len(each.fields)))
        yield f" return new({each.name}, ({values}unknown,)), pos"

    def _default(self, each: Struct, number: int) -> str:
        name = f"default_{each.name}_{number}"
        self._names[name] = self._defaults[each.name][number]
        return name

    def _values(self, group: list[Numbered]) -> Iterator[str]:
        """Read a field, or a group of fields of fixed size, into their variables."""
        if is_fixed(group[0][1]):
            yield from self._run(group)
        else:
            yield from self._field(*group[0])

    # --- values of fixed size ---

    def _run(self, run: list[Numbered]) -> Iterator[str]:
        formats = formats_of(run)
        unpack = f"unpack_{name_of(formats)}"
        self._names[unpack] = struct.Struct(f">{formats}").unpack_from
        targets = [
            f"f{number}, low{number}" if field.type == "uuid" else f"f{number}"
            for number, field in run
        ]
        yield f"{', '.join(targets)}, = {unpack}(data, pos)"
        yield f"pos += {size_of(formats)}"
        for number, field in run:
            if field.type == "uuid":
                yield f"f{number} = Uuid(f{number}, low{number})"

    # --- values with a length ---

    def _field(self, number: int, field: Field) -> Iterator[str]:
        """Read one field that has no fixed size into its variable."""
        target, nullable = f"f{number}", self._version in field.nullable
        flexible = self._flexible and not field.inflexible
        if field.is_struct and not field.is_array:
            yield from self._single(target, field, nullable)
            return
        yield from self._length(ARRAY_LENGTH if field.is_array else LENGTHS[field.type], flexible)
        yield "if n < 0:"
        if not flexible:  # in flexible versions, the length is never less than -1
            yield f" if n < -1: raise bad_length({field.name!r}, n, size - pos)"
        yield f" {target} = None" if nullable else f" raise null({field.name!r})"
        yield "else:"
        yield from indented(
            self._array(target, field) if field.is_array else self._text(target, field)
        )

    def _single(self, target: str, field: Field, nullable: bool) -> Iterator[str]:
        """Read a struct. If it is nullable, a byte before it shows whether it exists."""
        read = f"{target}, pos = read_{field.type}(data, pos, size)"
        if not nullable:
            yield read
            return
        yield "n = data[pos]"
        yield "pos += 1"
        # The byte for null is -1, but 0 in a tagged field.
        null = "n == 0" if self._version in field.tagged else "n > 127"
        yield f"if {null}: {target} = None"
        yield f"else: {read}"

    def _length(self, form: str, flexible: bool) -> Iterator[str]:
        """Read the length into `n`; -1 means null."""
        if flexible:
            yield "n = data[pos] - 1"
            yield "pos += 1"
            yield "if n > 126:"
            yield " n, pos = longer(data, pos, n + 1)"
            yield " n -= 1"
        else:
            self._names[f"unpack_{form}"] = struct.Struct(f">{form}").unpack_from
            yield f"n, = unpack_{form}(data, pos)"
            yield f"pos += {size_of(form)}"

    def _text(self, target: str, field: Field) -> Iterator[str]:
        """Read a string or bytes of length `n`."""
        longest = f" or n > {LONGEST_STRING}" if field.type == "string" else ""
        yield "end = pos + n"
        yield f"if end > size{longest}: raise bad_length({field.name!r}, n, size - pos)"
        yield f"{target} = data[pos:end]{'.decode()' if field.type == 'string' else ''}"
        yield "pos = end"

    def _array(self, target: str, field: Field) -> Iterator[str]:
        """Read an array of `n` elements."""
        least = self._least(field)
        yield f"if n * {least} > size - pos: raise bad_length({field.name!r}, n, size - pos)"
        if field.type in FORMATS:
            formats = FORMATS[field.type]
            unpackers = _wire.UnpackersOf(formats[0], len(formats))
            self._names[f"unpack_many_{field.type}"] = unpackers
            yield f"{target} = unpack_many_{field.type}[n](data, pos)"
            yield f"pos += n * {least}"
            if field.type == "uuid":
                yield f"{target} = tuple(map(Uuid, {target}[::2], {target}[1::2]))"
            return
        yield "items = []"
        yield "for _ in range(n):"
        if field.is_struct:
            yield f" item, pos = read_{field.type}(data, pos, size)"
        else:
            yield from indented(self._length(LENGTHS[field.type], self._flexible))
            yield f" if n < 0: raise null({field.name + '[]'!r})"
            yield from indented(self._text("item", field))
        yield " items.append(item)"
        yield f"{target} = tuple(items)"

    def _least(self, field: Field) -> int:
        """Return the minimum size of an array's element, or of a single value, in bytes."""
        if field.type in FORMATS:
            return size_of(FORMATS[field.type])
        if not field.is_struct:
            return 1 if self._flexible else size_of(LENGTHS[field.type])
        least = int(self._flexible)  # the byte with the number of tagged fields
        for each in self._table.structs[field.type].fields:
            if self._version not in each.versions or self._version in each.tagged:
                continue
            if each.is_array:
                least += 1 if self._flexible else size_of(ARRAY_LENGTH)
            elif each.is_struct and self._version in each.nullable:
                least += 1
            else:
                least += self._least(each)
        return max(least, 1)

    # --- tagged fields ---

    def _tagged(self, each: Struct, tagged: list[Numbered]) -> Iterator[str]:
        """Read the section of tagged fields. Unknown fields are kept as bytes."""
        yield "count = data[pos]"
        yield "pos += 1"
        yield "if count:"
        yield " if count > 127: count, pos = longer(data, pos, count)"
        yield " unknown = []"
        yield " stop = pos"  # a count of 0 may be written in several bytes
        yield f" for tag, pos, stop in tagged_parts(data, pos, size, count, {each.name!r}):"
        for number, field in tagged:
            yield f"  if tag == {field.tag}:"
            yield from indented(self._values([(number, field)]), 3)
            yield f"   if pos != stop: raise bad_tag_size({field.name!r}, stop)"
            yield "   continue"
        yield "  unknown.append((tag, data[pos:stop]))"
        yield " pos = stop"
        yield " unknown = tuple(unknown)"
