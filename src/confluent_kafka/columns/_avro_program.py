"""Programs for csrc/columns/avro_steps.c: they define how to read a payload of Avro."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from confluent_kafka.columns._avro_default import A_DAY, encode_default
from confluent_kafka.columns._avro_layout import (
    NARROW_PRECISION,
    is_optional,
    present_branch,
)
from confluent_kafka.columns._avro_registered import as_registered
from confluent_kafka.columns._avro_schema import (
    Array,
    AvroResolutionError,
    AvroSchemaError,
    AvroType,
    Enum,
    Field,
    Fixed,
    Map,
    Primitive,
    Record,
    Reference,
    Union,
    branch_name,
    may_be_empty,
    resolvable_names,
    resolved,
    type_words,
)
from confluent_kafka.columns._instructions import Instruction, ProgramWriter
from confluent_kafka.columns._layout import Column

# (type of the writer, type of the reader) -> the step; specification 1.12, "Schema Resolution".
_STEPS = {
    ("boolean", "boolean"): "boolean",
    ("int", "int"): "int",
    ("int", "long"): "int-as-long",
    ("int", "float"): "long-as-float",
    ("int", "double"): "long-as-double",
    ("long", "long"): "long",
    ("long", "float"): "long-as-float",
    ("long", "double"): "long-as-double",
    ("float", "float"): "float",
    ("float", "double"): "float-as-double",
    ("double", "double"): "double",
    ("bytes", "bytes"): "bytes",
    ("bytes", "string"): "string",
    ("string", "string"): "string",
    ("string", "bytes"): "bytes",
}
# The units of timestamps. The number is the same with and without a time zone.
_PER_SECOND = {
    f"{zone}timestamp-{unit}": number
    for zone in ("", "local-")
    for unit, number in (("millis", 10**3), ("micros", 10**6), ("nanos", 10**9))
}
_SKIPS = {
    "boolean": ("skip-fixed", 1),
    "int": ("skip-number", 0),
    "long": ("skip-number", 0),
    "float": ("skip-fixed", 4),
    "double": ("skip-fixed", 8),
    "bytes": ("skip-bytes", 0),
    "string": ("skip-bytes", 0),
}


def compile_program(
    writer: AvroType, reader: AvroType, root: Column, *, registered: bool = False
) -> tuple[Instruction, ...]:
    """Return the program that reads payloads of `writer` into the columns of `reader`.

    Args:
        writer: the schema that the payloads were written with.
        reader: the schema of the columns.
        root: the columns.
        registered: whether a registry's serializer wrote the payloads: these write no size before
            a payload that consists of bytes alone.

    Raises:
        AvroResolutionError: the specification does not resolve the two schemas.
    """
    compiler = _Compiler()
    if isinstance(reader, Record):
        compiler.read(writer, reader, root, "")
    else:
        compiler.emit("record", root)
        compiler.read(writer, reader, root.children[0], "")
    program = tuple(compiler.program)
    return as_registered(program, writer) if registered else program


class _Compiler(ProgramWriter):
    """Writes one program."""

    def __init__(self) -> None:
        super().__init__(AvroSchemaError)
        self._skipped: dict[str, int] = {}  # where records that are being skipped begin

    # --- reading

    def read(self, writer: AvroType, reader: AvroType, column: Column, path: str) -> None:
        """Read a value of `writer` into `column`, which has the type of `reader`."""
        writer = resolved(writer)
        if isinstance(writer, Union):
            self._read_union(writer, reader, column, path)
        elif isinstance(reader, Union):
            self._read_into_union(writer, reader, column, path)
        else:
            self._read_same(writer, reader, column, path)

    def _read_union(self, writer: Union, reader: AvroType, column: Column, path: str) -> None:
        if is_optional(writer) and isinstance(reader, Union) and is_optional(reader):
            self._read_optional(writer, reader, column, path)
            return
        failures: list[AvroResolutionError] = []

        def read_branch(branch: AvroType) -> None:
            """Read a branch. If it cannot be read, only payloads that use it are bad rows."""
            length = len(self.program)
            try:
                self.read(branch, reader, column, path)
            except AvroResolutionError as error:
                failures.append(error)
                del self.program[length:]
                self.emit("fail", field=path)

        self._branches(writer, path, read_branch)
        if len(failures) == len(writer.branches):
            raise failures[0]

    def _read_optional(self, writer: Union, reader: Union, column: Column, path: str) -> None:
        """Read null or a value. If a branch cannot be read, only payloads that use it are bad."""
        null = writer.branches.index(Primitive("null"))
        start = self.emit("optional", column, argument=null, field=path)
        try:
            self._read_same(present_branch(writer), present_branch(reader), column, path)
        except AvroResolutionError:
            del self.program[start + 1 :]
            self.emit("fail", field=path)
        self.end_block(start)

    def _branches(self, writer: Union, path: str, body: Callable[[AvroType], None]) -> None:
        start = self.emit("union", field=path)
        table, jumps = [], []
        for branch in writer.branches:
            table.append(len(self.program) - start)
            body(branch)
            jumps.append(self.emit("jump"))
        self.program[start] = self.program[start]._replace(table=tuple(table))
        for jump in jumps:
            self.end_block(jump)

    def _read_into_union(self, writer: AvroType, reader: Union, column: Column, path: str) -> None:
        number = _matching_branch(writer, reader)
        if number is None:
            raise AvroResolutionError(
                f"{path or 'the value'} was written as {type_words(writer)}, which the reader's "
                f"union of {', '.join(map(type_words, reader.branches))} does not have"
            )
        branch = reader.branches[number]
        if is_optional(reader):
            self._read_same(writer, branch, column, path)
        elif len(reader.branches) == 1:
            self.read(writer, branch, column, path)
        else:
            self.emit("branch", column, argument=number, field=path)
            self._read_same(writer, branch, column.children[number], path)

    def _read_same(self, writer: AvroType, reader: AvroType, column: Column, path: str) -> None:
        """Read a value where neither schema is a union."""
        writer = resolved(writer)
        if not _may_resolve(writer, reader):
            raise AvroResolutionError(
                f"{path or 'the value'} was written as {type_words(writer)}, and is to be read "
                f"as {type_words(reader)}"
            )
        match reader, writer:
            case Record(), Record():
                self._read_record(writer, reader, column, path)
            case Enum(), Enum():
                self._read_enum(writer, reader, column, path)
            case Array(), Array():
                start = self._start_items("array", writer.items, column, path)
                self.read(writer.items, reader.items, column.children[0], f"{path}[]")
                self.end_block(start)
            case Map(), Map():
                self._read_map(writer, reader, column, path)
            case ((Primitive() | Fixed()), (Primitive() | Fixed())):
                self._read_plain(writer, reader, column, path)

    def _start_items(self, step: str, items: AvroType, column: Column | None, path: str) -> int:
        return self.emit(step, column, argument=int(not may_be_empty(items)), field=path)

    def _read_map(self, writer: Map, reader: Map, column: Column, path: str) -> None:
        entries = column.children[0]
        start = self.emit("map", column, argument=1, field=path)
        self.emit("record", entries)
        self.emit("string", entries.children[0], field=f"{path}[]")
        self.read(writer.values, reader.values, entries.children[1], f"{path}[]")
        self.end_block(start)

    def _read_plain(
        self, writer: Primitive | Fixed, reader: Primitive | Fixed, column: Column, path: str
    ) -> None:
        logical = reader.logical.get("name")
        if reader.kind == "null":
            self.emit("null", column)
        elif logical == "decimal":
            # The first magnitude that has too many digits for the column.
            precision, width = _decimal_of(column)
            limit = (10**precision).to_bytes(width, "little")
            size = writer.size if isinstance(writer, Fixed) else 0
            step = f"decimal-{reader.kind}"
            # The column may have fewer digits than the schema. The reason for a bad row
            # distinguishes this case.
            table = (precision,) if precision < reader.logical["precision"] else ()
            self.emit(step, column, argument=size, table=table, data=limit, field=path)
        elif logical == "duration":
            self.emit("duration", column, field=path)
        elif logical == "uuid" and isinstance(reader, Primitive):
            self.emit("uuid", column, field=path)
        elif (factor := _factor(writer, reader)) != 1:
            self.emit("long-scaled", column, argument=factor, field=path)
        elif logical in A_DAY:
            self.emit(f"time-{reader.kind}", column, argument=A_DAY[logical], field=path)
        elif isinstance(reader, Fixed):
            self.emit("fixed", column, argument=reader.size, field=path)
        else:
            self.emit(_STEPS[writer.kind, reader.kind], column, field=path)

    def _read_enum(self, writer: Enum, reader: Enum, column: Column, path: str) -> None:
        default = -1 if reader.default is None else reader.symbols.index(reader.default)
        places = {symbol: place for place, symbol in enumerate(reader.symbols)}
        numbers = [places.get(symbol, default) for symbol in writer.symbols]
        if column.symbols is not None:
            self.emit("enum", column, table=tuple(numbers), field=path)
            return
        symbols = [symbol.encode() for symbol in reader.symbols]
        starts = list(accumulate(map(len, symbols), initial=0))
        table: list[int] = []
        for number in numbers:
            table += (starts[number], len(symbols[number])) if number >= 0 else (0, -1)
        data = b"".join(symbols)
        self.emit("enum-text", column, table=tuple(table), data=data, field=path)

    def _read_record(self, writer: Record, reader: Record, column: Column, path: str) -> None:
        self.emit("record", column)
        columns = {child.name: child for child in column.children}
        targets = _reader_fields(writer, reader)
        for written in writer.fields:
            one = targets.get(written.name)
            child = None if one is None else columns.get(one.name)
            inner = f"{path}.{written.name}" if path else written.name
            if one is None or child is None:
                self.skip(written.type, inner)
            else:
                self.read(written.type, one.type, child, inner)
        found = {one.name for one in targets.values()}
        for one in reader.fields:
            if one.name not in found:
                full = f"{path}.{one.name}" if path else one.name
                self._default(one, columns.get(one.name), full)

    def _default(self, one: Field, column: Column | None, path: str) -> None:
        if column is None:
            return  # nobody wants this field
        if one.default is None:
            raise AvroResolutionError(
                f"the reader's field {path!r} was not written, and has no default"
            )
        data = encode_default(one.type, one.default[0], path)
        if data is None:
            self.emit("null", column)
            return
        start = self.emit("default", data=data)
        self.read(one.type, one.type, column, path)
        self.end_block(start)

    # --- values that nobody wants

    def skip(self, writer: AvroType, path: str) -> None:
        """Skip a value of `writer`."""
        match writer:
            case Union():
                self._branches(writer, path, lambda branch: self.skip(branch, path))
            case Record() if writer.is_recursive:
                self._skip_recursive(writer, path)
            case Record():
                self._skip_fields(writer, path)
            case Reference(name=name) if name in self._skipped:
                distance = len(self.program) - self._skipped[name]
                self.emit("skip-again", argument=distance, field=path)
            case Reference():
                self.skip(resolved(writer), path)
            case Array():
                start = self._start_items("skip-array", writer.items, None, path)
                self.skip(writer.items, f"{path}[]")
                self.end_block(start)
            case Map():
                start = self.emit("skip-array", argument=1, field=path)
                self.emit("skip-bytes", field=f"{path}[]")
                self.skip(writer.values, f"{path}[]")
                self.end_block(start)
            case Fixed():
                self.emit("skip-fixed", argument=writer.size, field=path)
            case Enum():
                self.emit("skip-number", field=path)
            case Primitive() if writer.kind != "null":
                step, argument = _SKIPS[writer.kind]
                self.emit(step, argument=argument, field=path)

    def _skip_fields(self, writer: Record, path: str) -> None:
        for one in writer.fields:
            self.skip(one.type, f"{path}.{one.name}")

    def _skip_recursive(self, writer: Record, path: str) -> None:
        """Skip a record that may contain itself: its instructions are called again."""
        start = self.emit("skip-record", field=path)
        self._skipped[writer.name] = start
        self._skip_fields(writer, path)
        del self._skipped[writer.name]
        self.end_block(start)


def _decimal_of(column: Column) -> tuple[int, int]:
    """Return the digits and the size in bytes of a column of decimals."""
    precision = int(column.format[2:].partition(",")[0])
    return precision, 32 if precision > NARROW_PRECISION else 16


def _means_the_same(writer: AvroType, reader: AvroType) -> bool:
    """Return whether numbers of two logical types mean the same. A plain type matches any."""
    if not isinstance(writer, (Primitive, Fixed)) or not isinstance(reader, (Primitive, Fixed)):
        return True
    if not writer.logical or not reader.logical:
        return True
    if writer.logical["name"] in _PER_SECOND and reader.logical["name"] in _PER_SECOND:
        return True
    # The number of digits may differ, because each row is checked. The number of digits after the
    # decimal point must be the same.
    one, other = ((each.logical["name"], each.logical.get("scale")) for each in (writer, reader))
    return one == other


def _factor(writer: Primitive | Fixed, reader: Primitive | Fixed) -> int:
    """Return the factor from the writer's unit of timestamps to the reader's; negative: divide."""
    one, other = (_PER_SECOND.get(each.logical.get("name", "")) for each in (writer, reader))
    if one is None or other is None:
        return 1
    return other // one if other >= one else -(one // other)


def _may_resolve(writer: AvroType, reader: AvroType) -> bool:
    """Return whether two types can match, without a look at what they contain."""
    writer, reader = resolved(writer), resolved(reader)
    if not _means_the_same(writer, reader):
        return False
    match reader, writer:
        case Fixed(), Fixed():
            return writer.size == reader.size and resolvable_names(writer, reader)
        case Record(), Record():
            return resolvable_names(writer, reader)
        case Enum(), Enum():
            return resolvable_names(writer, reader)
        case Primitive(), Primitive():
            return writer.kind == reader.kind or (writer.kind, reader.kind) in _STEPS
    return writer.kind == reader.kind


def _matching_branch(writer: AvroType, reader: Union) -> int | None:
    """Return the reader's branch for a type: the same type, or else the first that can match."""
    for number, branch in enumerate(reader.branches):
        is_same = branch.kind == writer.kind and branch_name(branch) == branch_name(writer)
        if is_same and _may_resolve(writer, branch):
            return number
    for number, branch in enumerate(reader.branches):
        if _may_resolve(writer, branch):
            return number
    return None


def _reader_fields(writer: Record, reader: Record) -> dict[str, Field]:
    """Return the reader's fields by the names in the writer's schema.

    Each field is read once: by its own name, or else by the first alias that the writer has.
    """
    written = [one.name for one in writer.fields]
    own = {one.name: one for one in reader.fields}
    found = {name: own[name] for name in written if name in own}
    for one in reader.fields:
        if one.name not in found:
            aliases = (name for name in written if name in one.aliases and name not in found)
            name = next(aliases, None)
            if name is not None:
                found[name] = one
    return found
