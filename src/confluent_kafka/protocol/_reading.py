"""Readers: the functions that decode one version of a message, generated from its table.

Each struct becomes a function of the bytes and a position. What has a fixed size is unpacked in
runs; everything else is preceded by its length, which is compared with what is left of the bytes
before anything is allocated.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from confluent_kafka.cimpl import Uuid
from confluent_kafka.protocol import _wire
from confluent_kafka.protocol._schema import Field, Struct, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
    """The function (data, pos, size) -> (message, end) for one version.

    Args:
        table: the message.
        classes: its own class and those of its structs, by name.
        version: a valid one.
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
        function: Callable[..., Any] = _wire.compile_function(
            f"read_{self._table.root.name}", lines, self._names
        )
        return function

    def _struct(self, each: Struct) -> Iterator[str]:
        yield f"def read_{each.name}(data, pos, size):"
        fields = list(enumerate(each.fields))
        present = [(n, f) for n, f in fields if self._version in f.versions]
        tagged = [(n, f) for n, f in present if self._version in f.tagged]
        for number, field in fields:
            if (number, field) not in present or (number, field) in tagged:
                yield f" f{number} = {self._default(each, number)}"
        run: list[tuple[int, Field]] = []
        for number, field in present:
            if (number, field) in tagged:
                continue
            if field.type in _wire.FORMATS and not field.is_array:
                run.append((number, field))
                continue
            yield from _indented(self._run(run))
            run = []
            yield from _indented(self._field(number, field))
        yield from _indented(self._run(run))
        yield " unknown = ()"
        if self._flexible:
            yield from _indented(self._tagged(each, tagged))
        values = "".join(f"f{number}, " for number, _ in fields)
        yield f" return new({each.name}, ({values}unknown)), pos"

    def _default(self, each: Struct, number: int) -> str:
        name = f"default_{each.name}_{number}"
        self._names[name] = self._defaults[each.name][number]
        return name

    # --- values of fixed size ---

    def _run(self, run: list[tuple[int, Field]]) -> Iterator[str]:
        """Fields of fixed size that follow one another."""
        if not run:
            return
        formats = "".join(_wire.FORMATS[field.type] for _, field in run)
        unpack = f"unpack_{formats.replace('?', 'o')}"
        self._names[unpack] = struct.Struct(f">{formats}").unpack_from
        targets = [
            f"f{number}, low{number}" if field.type == "uuid" else f"f{number}"
            for number, field in run
        ]
        yield f"{', '.join(targets)}, = {unpack}(data, pos)"
        yield f"pos += {_wire.size_of(formats)}"
        for number, field in run:
            if field.type == "uuid":
                yield f"f{number} = Uuid(f{number}, low{number})"

    # --- values with a length ---

    def _field(self, number: int, field: Field) -> Iterator[str]:
        """One field that is not of fixed size, into its variable."""
        target, nullable = f"f{number}", self._version in field.nullable
        flexible = self._flexible and not field.inflexible
        if field.is_struct and not field.is_array:
            yield from self._single(target, field, nullable)
            return
        yield from self._length("i" if field.is_array else _wire.LENGTHS[field.type], flexible)
        yield "if n < 0:"
        if not flexible:  # else nothing is less than -1
            yield f" if n < -1: raise bad_length({field.name!r}, n, size - pos)"
        yield f" {target} = None" if nullable else f" raise null({field.name!r})"
        yield "else:"
        yield from _indented(
            self._array(target, field) if field.is_array else self._text(target, field)
        )

    def _single(self, target: str, field: Field, nullable: bool) -> Iterator[str]:
        """A struct, after a byte that says whether there is one if it can be null."""
        read = f"{target}, pos = read_{field.type}(data, pos, size)"
        if not nullable:
            yield read
            return
        yield "n = data[pos]"
        yield "pos += 1"
        yield f"if n > 127: {target} = None"
        yield f"else: {read}"

    def _length(self, form: str, flexible: bool) -> Iterator[str]:
        """The length into `n`, -1 for null."""
        if flexible:
            yield "n = data[pos] - 1"
            yield "pos += 1"
            yield "if n > 126:"
            yield " n, pos = longer(data, pos, n + 1)"
            yield " n -= 1"
        else:
            self._names[f"unpack_{form}"] = struct.Struct(f">{form}").unpack_from
            yield f"n, = unpack_{form}(data, pos)"
            yield f"pos += {_wire.size_of(form)}"

    def _text(self, target: str, field: Field) -> Iterator[str]:
        """A string or bytes of `n` bytes."""
        longest = f" or n > {_wire.LONGEST_STRING}" if field.type == "string" else ""
        yield "end = pos + n"
        yield f"if end > size{longest}: raise bad_length({field.name!r}, n, size - pos)"
        yield f"{target} = data[pos:end]{'.decode()' if field.type == 'string' else ''}"
        yield "pos = end"

    def _array(self, target: str, field: Field) -> Iterator[str]:
        """An array of `n` elements."""
        least = self._least(field)
        yield f"if n * {least} > size - pos: raise bad_length({field.name!r}, n, size - pos)"
        if field.type in _wire.FORMATS:
            formats = _wire.FORMATS[field.type]
            self._names[f"unpack_many_{field.type}"] = _wire.UnpackersOf(formats)
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
            yield from _indented(self._length(_wire.LENGTHS[field.type], self._flexible))
            yield f" if n < 0: raise null({field.name + '[]'!r})"
            yield from _indented(self._text("item", field))
        yield " items.append(item)"
        yield f"{target} = tuple(items)"

    def _least(self, field: Field) -> int:
        """The fewest bytes that one element of an array, or a single value, can have."""
        if field.type in _wire.FORMATS:
            return _wire.size_of(_wire.FORMATS[field.type])
        if not field.is_struct:
            return 1 if self._flexible else _wire.size_of(_wire.LENGTHS[field.type])
        least = int(self._flexible)  # the number of tagged fields
        for each in self._table.structs[field.type].fields:
            if self._version not in each.versions or self._version in each.tagged:
                continue
            if each.is_array:
                least += 1 if self._flexible else 4
            else:
                least += 1 if self._version in each.nullable else self._least(each)
        return max(least, 1)

    # --- tagged fields ---

    def _tagged(self, each: Struct, tagged: list[tuple[int, Field]]) -> Iterator[str]:
        """The section of tagged fields; those without a name are kept as they are."""
        yield "count = data[pos]"
        yield "pos += 1"
        yield "if count:"
        yield " unknown = []"
        yield f" for tag, pos, stop in tagged_parts(data, pos, size, count, {each.name!r}):"
        for number, field in tagged:
            yield f"  if tag == {field.tag}:"
            if field.type in _wire.FORMATS and not field.is_array:
                value = self._run([(number, field)])
            else:
                value = self._field(number, field)
            yield from (f"   {line}" for line in value)
            yield f"   if pos != stop: raise bad_tag_size({field.name!r}, stop)"
            yield "   continue"
        yield "  unknown.append((tag, data[pos:stop]))"
        yield " pos = stop"
        yield " unknown = tuple(unknown)"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f" {line}" for line in lines)
