"""Programs that write rows of columns as Protobuf, for csrc/columns/protobuf_put_steps.c."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from confluent_kafka.columns._encode import (
    EncoderWriter,
    Mismatch,
    check_names,
    column_of,
    compiled,
    entries,
    within,
)
from confluent_kafka.columns._input import BINARIES, INTEGERS, REALS, TEXTS, Input
from confluent_kafka.columns._instructions import Instruction
from confluent_kafka.columns._json_layout import FRACTION_DIGITS
from confluent_kafka.columns._protobuf_layout import (
    ENUM,
    KNOWN,
    WRAPPERS,
    has_fields,
    is_map,
    is_repeated,
    wire_of,
)
from confluent_kafka.columns._protobuf_program import Wire

# FieldDescriptorProto.Type -> the step that writes it.
_STEPS = {
    1: "double",
    2: "float",
    3: "int64",
    4: "uint64",
    5: "int32",
    6: "fixed64",
    7: "fixed32",
    8: "bool",
    9: "string",
    12: "bytes",
    13: "uint32",
    15: "sfixed32",
    16: "sfixed64",
    17: "sint32",
    18: "sint64",
}

# Flags in the argument of a step, in addition to the tag: csrc/columns/protobuf_put.h.
_SKIP_DEFAULT, _CLOSED_ENUM = 1 << 32, 2 << 32


def compile_encoder(descriptor: Any, root: Input, *, ignore_extra: bool) -> tuple[Instruction, ...]:
    """Return the program that writes rows of `root` as messages.

    Args:
        descriptor: the descriptor of the message type.
        root: the type of the rows, a struct.
        ignore_extra: ignore columns that the message has no field for.

    Raises:
        TypeError: a column is missing, or cannot be written as its field.
        ValueError: there are too many columns.
    """
    compiler = _Compiler(ignore_extra=ignore_extra)
    return compiled(compiler, lambda: compiler.fields(descriptor, root, ""))


class _Compiler(EncoderWriter):
    """Writes one program. It writes the fields of a message in the order of their numbers."""

    def __init__(self, *, ignore_extra: bool) -> None:
        super().__init__()
        self._ignore_extra = ignore_extra

    # --- messages

    def fields(self, descriptor: Any, column: Input, path: str) -> None:
        """Write those fields of a message that have a column."""
        self._oneofs(descriptor, column, path)
        missing = []
        for one in sorted(descriptor.fields, key=lambda field: field.number):
            inner = within(path, one.name)
            found = column_of(column, one.name, inner)
            if found is not None:
                self._field(one, found, inner)
            elif _is_required(one):
                missing.append(one.name)
        check_names(
            column,
            [one.name for one in descriptor.fields],
            missing,
            path,
            ignore_extra=self._ignore_extra,
            needed="is required",
        )

    def _oneofs(self, descriptor: Any, column: Input, path: str) -> None:
        """Refuse rows that have values for several members of a oneof."""
        for oneof in descriptor.oneofs:
            names = {one.name for one in oneof.fields}
            members = tuple(child.index for child in column.children if child.name in names)
            if len(members) > 1:
                self.emit("oneof", table=members, field=within(path, oneof.name))

    def _field(self, descriptor: Any, column: Input, path: str) -> None:
        if is_map(descriptor):
            write = partial(self._map, descriptor, column, path)
        elif is_repeated(descriptor):
            write = partial(self._list, descriptor, column, path)
        else:
            flags = 0 if descriptor.has_presence else _SKIP_DEFAULT
            write = partial(self._value, descriptor, column, path, _tag(descriptor) | flags)
            if _is_required(descriptor):
                if column.is_null:
                    raise _mismatch(descriptor, column, path)
                write()
                return
        self.unless_null(column, path, write)

    # --- repeated fields

    def _list(self, descriptor: Any, column: Input, path: str) -> None:
        write = partial(self._list_of, descriptor, path=path)
        self._plain_or_union(descriptor, column, path, write)

    def _list_of(self, descriptor: Any, column: Input, path: str) -> None:
        if not column.is_list:
            raise _mismatch(descriptor, column, path)
        if descriptor.is_packed:
            packed = descriptor.number << 3 | Wire.SIZED
            start = self.emit("packed", column, argument=packed, field=path)
            tag = 0
        else:
            start = self.emit("repeated", column, field=path)
            tag = _tag(descriptor)
        self._value(descriptor, column.children[0], f"{path}[]", tag)
        self.end_block(start)

    def _map(self, descriptor: Any, column: Input, path: str) -> None:
        write = partial(self._map_of, descriptor, path=path)
        self._plain_or_union(descriptor, column, path, write)

    def _map_of(self, descriptor: Any, column: Input, path: str) -> None:
        found = entries(column)
        if not found:
            raise _mismatch(descriptor, column, path)
        key, value = (descriptor.message_type.fields_by_name[name] for name in ("key", "value"))
        inner = f"{path}[]"
        start = self.emit("repeated", column, field=path)
        entry = self.emit("message", argument=_tag(descriptor), field=inner)
        self.emit("record", column.children[0], field=inner)
        self._value(key, found[0], inner, _tag(key))
        self._value(value, found[1], inner, _tag(value))
        self.end_block(entry)
        self.end_block(start)

    # --- one value

    def _plain_or_union(
        self, descriptor: Any, column: Input, path: str, write: Callable[[Input], None]
    ) -> None:
        """Write the values of a dictionary, the children of a union, or the column itself."""
        if column.is_union:
            self.each_case(
                column,
                path,
                lambda child: self.unless_null(
                    child, path, partial(self._plain_or_union, descriptor, child, path, write)
                ),
            )
        elif column.is_null:
            raise _mismatch(descriptor, column, path)
        else:
            self.through(column, path, write)

    def _value(self, descriptor: Any, column: Input, path: str, argument: int) -> None:
        """Write a value that is not null; `argument` has the tag and flags."""
        write = partial(self._plain, descriptor, path=path, argument=argument)
        self._plain_or_union(descriptor, column, path, write)

    def _plain(self, descriptor: Any, column: Input, path: str, argument: int) -> None:
        if has_fields(descriptor):
            self._message(descriptor, column, path, argument)
        elif descriptor.type == ENUM:
            self._enum(descriptor, column, path, argument)
        elif descriptor.type in _STEPS:
            self._scalar(descriptor, column, path, argument)
        elif descriptor.message_type.full_name in WRAPPERS:
            start = self.emit("message", argument=argument, field=path)
            value = descriptor.message_type.fields_by_name["value"]
            self._scalar(value, column, path, _tag(value) | _SKIP_DEFAULT)
            self.end_block(start)
        else:
            self._known(descriptor, column, path, argument)

    def _message(self, descriptor: Any, column: Input, path: str, argument: int) -> None:
        if column.format != "+s":
            raise _mismatch(descriptor, column, path)
        start = self.emit("message", argument=argument, field=path)
        self.emit("record", column, field=path)
        self.fields(descriptor.message_type, column, path)
        self.end_block(start)

    def _scalar(self, descriptor: Any, column: Input, path: str, argument: int) -> None:
        step, arrow = _STEPS[descriptor.type], column.format
        if step in {"double", "float"}:
            if arrow in INTEGERS:
                step = f"integer-as-{step}"
            elif arrow not in REALS:
                step = ""
        elif step in {"string", "bytes"}:
            is_fitting = column.is_bytes if step == "bytes" else arrow in TEXTS | BINARIES
            step = step if is_fitting else ""
        elif not (arrow == "b" if step == "bool" else column.is_whole):
            step = ""
        if not step:
            raise _mismatch(descriptor, column, path)
        self.emit(step, column, argument=argument, field=path)

    def _enum(self, descriptor: Any, column: Input, path: str, argument: int) -> None:
        """Write an enum from names (including aliases) or from numbers."""
        if column.format not in INTEGERS and not column.is_bytes:
            raise _mismatch(descriptor, column, path)
        enum = descriptor.enum_type
        data = bytearray()
        table: list[int] = []
        for name, number in sorted((one.name.encode(), one.number) for one in enum.values):
            table += (len(data), len(name), number)
            data += name
        self.emit(
            "enum" if column.is_bytes else "enum-number",
            column,
            argument=argument | (_CLOSED_ENUM if enum.is_closed else 0),
            table=tuple(table),
            data=bytes(data),
            field=path,
        )

    def _known(self, descriptor: Any, column: Input, path: str, argument: int) -> None:
        """Write one of Google's well-known types that have columns of their own."""
        step, arrow = KNOWN[descriptor.message_type.full_name].kind, column.format
        table: tuple[int, ...] = ()
        if step in {"timestamp", "duration"}:
            is_fitting = arrow[:2] == {"timestamp": "ts", "duration": "tD"}[step]
            digits = FRACTION_DIGITS.get(arrow[2:3]) if is_fitting else None
            is_fitting = digits is not None
            table = (digits or 0,)
        else:
            is_fitting = arrow in TEXTS | BINARIES
        if not is_fitting:
            raise _mismatch(descriptor, column, path)
        self.emit(step, column, argument=argument, table=table, field=path)


def _is_required(descriptor: Any) -> bool:
    # protobuf 7 has no `label`; protobuf 6.30 has no `is_required`.
    if hasattr(descriptor, "is_required"):
        return bool(descriptor.is_required)
    return bool(descriptor.label == descriptor.LABEL_REQUIRED)


def _tag(descriptor: Any) -> int:
    number: int = descriptor.number
    return number << 3 | wire_of(descriptor)


def _type_words(descriptor: Any) -> str:
    if is_map(descriptor):
        return "a map"
    kind = descriptor.message_type or descriptor.enum_type
    name = kind.full_name if kind is not None else _STEPS[descriptor.type]
    return f"repeated {name}" if is_repeated(descriptor) else name


def _mismatch(descriptor: Any, column: Input, path: str) -> Mismatch:
    return Mismatch(
        f"{path!r} is {column.words}, which cannot be written as {_type_words(descriptor)}"
    )
