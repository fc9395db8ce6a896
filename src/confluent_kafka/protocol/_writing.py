"""Generates writers: functions that encode one version of a message, from the message's table."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from confluent_kafka.protocol import _wire
from confluent_kafka.protocol._schema import Field, Struct, Table
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
    "absent": _wire.absent,
    "not_nullable": _wire.not_nullable,
    "pack": struct.pack,
    "put_tags": _wire.put_tags,
    "varint": _wire.varint,
}


def writer(table: Table, classes: dict[str, Any], version: int) -> Callable[..., None]:
    """Return the function (message, bytearray) that appends the message in one version.

    Args:
        table: the message.
        classes: the class of the message and the classes of its structs, by name.
        version: a valid version of the message.
    """
    return _Writer(table, classes, version).function()


class _Writer:
    def __init__(self, table: Table, classes: dict[str, Any], version: int) -> None:
        self._table = table
        self._version = version
        self._flexible = version in table.flexible
        self._names = dict(_NAMES)
        self._defaults = {name: each._defaults for name, each in classes.items()}

    def function(self) -> Callable[..., None]:
        lines: list[str] = []
        for each in (*self._table.structs.values(), self._table.root):
            lines += self._struct(each)
        name = f"write_{self._table.root.name}"
        function: Callable[..., None] = compile_function(name, lines, self._names)
        return function

    def _struct(self, each: Struct) -> Iterator[str]:
        yield f"def write_{each.name}(value, out):"
        values = "".join(f"f{number}, " for number in range(len(each.fields)))
        yield f" {values}unknown, = value"
        plain: list[Numbered] = []
        tagged: list[Numbered] = []
        for number, field in enumerate(each.fields):
            if self._version not in field.versions:
                yield from indented(self._absent(each, number, field))
            else:
                (tagged if self._version in field.tagged else plain).append((number, field))
        for group in grouped(plain):
            yield from indented(self._values(each, group, "out"))
        yield from indented(self._tags(each, tagged))

    def _absent(self, each: Struct, number: int, field: Field) -> Iterator[str]:
        if not field.ignorable:
            yield f"if f{number} != {self._default(each, number)}:"
            name = f"{self._name(each)}.{field.name}"
            yield f" raise absent({name!r}, f{number}, {self._version})"

    def _name(self, each: Struct) -> str:
        root = self._table.root
        return root.name if each is root else f"{root.name}.{each.name}"

    def _default(self, each: Struct, number: int) -> str:
        name = f"default_{each.name}_{number}"
        self._names[name] = self._defaults[each.name][number]
        return name

    def _values(self, each: Struct, group: list[Numbered], out: str) -> Iterator[str]:
        """Append fields to the variable `out`; several fields if all have a fixed size."""
        if is_fixed(group[0][1]):
            yield from self._run(group, out)
        else:
            yield from self._field(each, *group[0], out)

    def _run(self, run: list[Numbered], out: str) -> Iterator[str]:
        formats = formats_of(run)
        pack = f"pack_{name_of(formats)}"
        self._names[pack] = struct.Struct(f">{formats}").pack
        values = ", ".join(
            _halves(f"f{number}") if field.type == "uuid" else f"f{number}" for number, field in run
        )
        yield f"{out} += {pack}({values})"

    def _field(self, each: Struct, number: int, field: Field, out: str) -> Iterator[str]:
        """Append one field that has no fixed size."""
        value = f"f{number}"
        flexible = self._flexible and not field.inflexible
        form = "b" if field.is_struct else LENGTHS.get(field.type, "")
        form = ARRAY_LENGTH if field.is_array else form
        yield f"if {value} is None:"
        if self._version not in field.nullable:
            name = f"{self._name(each)}.{field.name}"
            yield f" raise not_nullable({name!r}, {self._version})"
        elif flexible and (form != "b" or self._version in field.tagged):
            yield f" {out}.append(0)"  # null in a tagged struct is 0, not -1 as elsewhere
        else:
            minus_one = b"\xff" * size_of(form)
            yield f" {out} += {minus_one!r}"
        yield "else:"
        if field.is_array:
            yield from indented(self._array(value, field, out))
        elif field.is_struct:
            if self._version in field.nullable:
                yield f" {out}.append(1)"
            yield f" write_{field.type}({value}, {out})"
        else:
            yield from indented(self._text(value, field, out, flexible))

    def _length(self, expression: str, form: str, out: str, flexible: bool) -> Iterator[str]:
        if flexible:
            yield f"n = {expression} + 1"
            yield f"if n > 127: {out} += varint(n)"
            yield f"else: {out}.append(n)"
        else:
            self._names[f"pack_{form}"] = struct.Struct(f">{form}").pack
            yield f"{out} += pack_{form}({expression})"

    def _text(self, value: str, field: Field, out: str, flexible: bool) -> Iterator[str]:
        """Append a string or bytes."""
        if field.type == "string":
            yield f"text = {value}.encode()"
            value = "text"
        yield from self._length(f"len({value})", LENGTHS[field.type], out, flexible)
        yield f"{out} += {value}"

    def _array(self, value: str, field: Field, out: str) -> Iterator[str]:
        yield from self._length(f"len({value})", ARRAY_LENGTH, out, self._flexible)
        if field.is_struct:
            yield f"for item in {value}: write_{field.type}(item, {out})"
        elif field.type == "uuid":
            yield f"for item in {value}: {out} += pack('>qq', {_halves('item')})"
        elif field.type in FORMATS:
            yield f"{out} += pack(f'>{{len({value})}}{FORMATS[field.type]}', *{value})"
        else:
            yield f"for item in {value}:"
            yield from indented(self._text("item", field, out, self._flexible))

    def _tags(self, each: Struct, tagged: list[Numbered]) -> Iterator[str]:
        """Append the section of tagged fields: unknown fields, and fields without their default."""
        if not self._flexible:
            name = f"{self._name(each)}.unknown_tagged_fields"
            yield f"if unknown: raise absent({name!r}, unknown, {self._version})"
            return
        yield "tags = []"
        for number, field in tagged:
            yield f"if f{number} != {self._default(each, number)}:"
            yield " part = bytearray()"
            yield from indented(self._values(each, [(number, field)], "part"))
            yield f" tags.append(({field.tag}, part))"
        own = f"tags_{each.name}"
        self._names[own] = frozenset(field.tag for _, field in tagged)
        yield "if tags or unknown:"
        yield f" put_tags(out, {self._name(each)!r}, {own}, tags, unknown)"
        yield "else: out.append(0)"


def _halves(value: str) -> str:
    return f"{value}.get_most_significant_bits(), {value}.get_least_significant_bits()"
