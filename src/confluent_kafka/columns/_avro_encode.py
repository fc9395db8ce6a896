"""Programs that write rows of Arrow columns as Avro, for csrc/columns/avro_put_steps.c."""

from __future__ import annotations

from confluent_kafka.columns._avro_default import encode_default, encode_number, encode_text
from confluent_kafka.columns._avro_layout import VALUE
from confluent_kafka.columns._avro_plain import Fit, plain_step
from confluent_kafka.columns._avro_registered import as_registered
from confluent_kafka.columns._avro_schema import (
    Array,
    AvroSchemaError,
    AvroType,
    Enum,
    Field,
    Fixed,
    Map,
    Primitive,
    Record,
    Union,
    branch_name,
    resolved,
)
from confluent_kafka.columns._encode import (
    EncoderWriter,
    Mismatch,
    check_names,
    column_of,
    compiled,
    entries,
    within,
)
from confluent_kafka.columns._input import Input
from confluent_kafka.columns._instructions import Instruction

_NULL = Primitive("null")


def compile_encoder(
    schema: AvroType, root: Input, *, ignore_extra: bool, registered: bool = False
) -> tuple[Instruction, ...]:
    """Return the program that writes rows of `root` with the schema.

    Args:
        schema: the writer's schema. If it is not a record, it is the schema of the column VALUE.
        root: the type of the rows, a struct.
        ignore_extra: ignore columns that the schema does not have.
        registered: write as a registry's serializers do, without a size before a payload that
            consists of bytes alone.

    Raises:
        TypeError: a column is missing, or cannot be written as the type in the schema.
        AvroSchemaError: a default is not a value of its type.
    """
    record = schema
    if not isinstance(record, Record):
        record = Record("", frozenset(), (Field(VALUE, frozenset(), schema, None),))
    compiler = _Compiler(ignore_extra=ignore_extra)
    program = compiled(compiler, lambda: compiler.fields(record, root, ""))
    return as_registered(program, schema) if registered else program


class _Compiler(EncoderWriter):
    """Writes one program.

    The methods that write a column as a type return how well the type fits the column. The compiler
    uses this to choose the branch of a union.
    """

    def __init__(self, *, ignore_extra: bool) -> None:
        super().__init__(AvroSchemaError)
        self._ignore_extra = ignore_extra
        # By column and id() of the type; the ids are unique, because the schema keeps the types.
        self._tried: dict[tuple[int, int], Fit | None] = {}

    def value(self, schema: AvroType, column: Input, path: str) -> Fit:
        """Write the column as a type. Return how well the type takes the column."""
        schema = resolved(schema)
        if column.is_union:
            return self._of_union(schema, column, path)
        if isinstance(schema, Union):
            return self._into_union(schema, column, path)
        fit: Fit = self.through(column, path, lambda inner: self._of_type(schema, inner, path))
        return fit

    def _of_type(self, schema: AvroType, column: Input, path: str) -> Fit:
        match schema:
            case Record() if column.format == "+s":
                self.emit("record", column, field=path)
                return self.fields(schema, column, path)
            case Array() if column.is_list:
                start = self.emit("array", column, field=path)
                fit = self.value(schema.items, column.children[0], f"{path}[]")
                self.end_block(start)
                return fit
            case Map() if column.format == "+s":
                return self._struct_as_map(schema, column, path)
            case Map() if entries(column):
                return self._map(schema, column, path)
            case Enum() if column.is_bytes:
                self._enum(schema, column, path)
                return Fit.ANOTHER_KIND
            case Primitive() | Fixed():
                return self._plain(schema, column, path)
        raise _mismatch(schema, column, path)

    def _plain(self, schema: Primitive | Fixed, column: Input, path: str) -> Fit:
        if schema == _NULL and column.is_null:
            return Fit.EXACT
        step = plain_step(schema, column)
        if step is None:
            raise _mismatch(schema, column, path)
        self.emit(step.name, column, field=path, **step.parts)
        return step.fit

    # --- records

    def fields(self, schema: Record, column: Input, path: str) -> Fit:
        """Write the fields of a record from the columns with their names."""
        fit = Fit.EXACT
        missing = []
        for one in schema.fields:
            inner = within(path, one.name)
            found = column_of(column, one.name, inner)
            if found is not None:
                fit = min(fit, self.value(one.type, found, inner))
            elif not self._absent(one, inner):
                missing.append(one.name)
        check_names(
            column,
            [one.name for one in schema.fields],
            missing,
            path,
            ignore_extra=self._ignore_extra,
            needed="the schema has without a default",
        )
        return fit

    def _absent(self, one: Field, path: str) -> bool:
        """Write a field that has no column. Return False if the field needs a column."""
        if one.default is not None:
            data = encode_default(one.type, one.default[0], path)
            if data is None:
                raise AvroSchemaError(
                    f"the default of the field {path!r} is not a value of its type: "
                    f"{one.default[0]!r}; give it a column"
                )
            self.emit("constant", data=data)
            return True
        if isinstance(one.type, Union) and _NULL in one.type.branches:
            self.emit("constant", data=encode_number(one.type.branches.index(_NULL)))
            return True
        return one.type == _NULL

    # --- maps and enums

    def _map(self, schema: Map, column: Input, path: str) -> Fit:
        key, value = entries(column)
        start = self.emit("array", column, field=path)
        self.emit("record", column.children[0], field=f"{path}[]")
        self.value(Primitive("string"), key, f"{path}[]")
        fit = self.value(schema.values, value, f"{path}[]")
        self.end_block(start)
        return fit if column.format == "+m" else Fit.ANOTHER_KIND

    def _struct_as_map(self, schema: Map, column: Input, path: str) -> Fit:
        """Write a struct as a map, without null fields, which libraries add for missing keys."""
        below = [child for child in column.children if not child.is_null]
        self.emit("entries", column, table=tuple(child.index for child in below), field=path)
        for child in below:
            start = self.emit("entry", child, data=encode_text(child.name))
            self.value(schema.values, child, f"{path}.{child.name}")
            self.end_block(start)
        self.emit("constant", data=encode_number(0))
        return Fit.ANOTHER_KIND

    def _enum(self, schema: Enum, column: Input, path: str) -> None:
        data = bytearray()
        table: list[int] = []
        symbols = [symbol.encode() for symbol in schema.symbols]
        for symbol in sorted(symbols):
            table += (len(data), len(symbol), symbols.index(symbol))
            data += symbol
        self.emit("enum", column, table=tuple(table), data=bytes(data), field=path)

    # --- unions

    def _of_union(self, schema: AvroType, column: Input, path: str) -> Fit:
        """Write an Arrow union; each of its children is written separately."""
        fits = self.each_case(column, path, lambda child: self._union_child(schema, child, path))
        return min(fits, default=Fit.EXACT)

    def _union_child(self, schema: AvroType, child: Input, path: str) -> Fit:
        """Write a child of an Arrow union as the branch with its name, or else as any branch."""
        for number, branch in enumerate(schema.branches if isinstance(schema, Union) else ()):
            names = {branch_name(branch), branch_name(branch).rpartition(".")[2]}
            if child.name in names and self._try(branch, child, path) is not None:
                return self._branch(schema, number, child, path)
        return self.value(schema, child, path)

    def _into_union(self, schema: Union, column: Input, path: str) -> Fit:
        if not column.is_null:
            return self._branch(schema, self._choose(schema, column, path), column, path)
        if _NULL not in schema.branches:
            raise _mismatch(schema, column, path)
        return self._branch(schema, schema.branches.index(_NULL), column, path)

    def _branch(self, schema: AvroType, number: int, column: Input, path: str) -> Fit:
        """Write one branch of a union; write null if the column is null."""
        assert isinstance(schema, Union)
        branch = schema.branches[number]
        if branch == _NULL or _NULL not in schema.branches:
            self.emit("constant", data=encode_number(number))
            return self.value(branch, column, path)
        null = schema.branches.index(_NULL)
        start = self.emit("optional", column, argument=null, table=(number,), field=path)
        fit = self.value(branch, column, path)
        self.end_block(start)
        return fit

    def _choose(self, schema: Union, column: Input, path: str) -> int:
        """Return the first of the branches that take the column best."""
        numbers = [n for n, branch in enumerate(schema.branches) if branch != _NULL]
        if len(numbers) == 1:
            return numbers[0]
        fits = {n: self._try(schema.branches[n], column, path) for n in numbers}
        possible = {n: fit for n, fit in fits.items() if fit is not None}
        if not possible:
            raise _mismatch(schema, column, path)
        return max(possible, key=lambda n: possible[n])

    def _try(self, schema: AvroType, column: Input, path: str) -> Fit | None:
        """Return how well a type takes the column; None if it cannot take it."""
        key = id(schema), column.index
        if key not in self._tried:
            length = len(self.program)
            try:
                self._tried[key] = self.value(schema, column, path)
            except Mismatch:
                self._tried[key] = None
            del self.program[length:]
        return self._tried[key]


def _type_words(schema: AvroType) -> str:
    if isinstance(schema, Union):
        return f"any of {', '.join(map(_type_words, schema.branches))}"
    if isinstance(schema, Primitive | Fixed) and schema.logical:
        return f"{schema.logical['name']} ({schema.kind})"
    name = branch_name(schema)
    return name if name == schema.kind else f"{schema.kind} {name}"


def _mismatch(schema: AvroType, column: Input, path: str) -> Mismatch:
    return Mismatch(f"{path!r} is {column.words}, which cannot be written as {_type_words(schema)}")
