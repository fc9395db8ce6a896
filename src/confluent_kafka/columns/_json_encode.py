"""Programs that write rows of Arrow columns as JSON, for csrc/columns/json_put_steps.c."""

from __future__ import annotations

import json
from functools import partial
from typing import NamedTuple

from confluent_kafka.columns._encode import (
    EncoderWriter,
    Mismatch,
    check_names,
    column_of,
    compiled,
    entries,
    within,
)
from confluent_kafka.columns._input import BINARIES, INTEGERS, REALS, TEXTS, Input, zone_of
from confluent_kafka.columns._instructions import Instruction
from confluent_kafka.columns._json_alternatives import json_type
from confluent_kafka.columns._json_layout import FRACTION_DIGITS, VALUE, JSONSchemaError, Value

# The arguments for the limits of integers: csrc/columns/put_values.h.
_BITS = {f"int{bits}": -bits for bits in (8, 16, 32, 64)}
_BITS |= {f"uint{bits}": bits for bits in (8, 16, 32, 64)}

_UTC = frozenset({"UTC", "Etc/UTC", "Z", "+00:00"})
_DAY_MILLISECONDS = 86_400_000
# Sizes of decimals in bytes, and the digits that always fit: csrc/columns/decimal.h.
_DECIMAL_SIZE, _DECIMAL_DIGITS = 32, 76

# The schema of a value without a schema: the type of its column decides.
_ANY = Value("any", "")


class Options(NamedTuple):
    """How values are written: the arguments of JSONEncoder."""

    ignore_extra: bool
    write_nulls: bool
    decimals_as_text: bool


def compile_encoder(schema: Value | None, root: Input, options: Options) -> tuple[Instruction, ...]:
    """Return the program that writes rows of `root` with the schema.

    Args:
        schema: the schema of the whole payload; None to use the types of the columns.
        root: the type of the rows, a struct.
        options: the encoder's options.

    Raises:
        TypeError: a column is missing, or cannot be written as the type in the schema.
        ValueError: there are too many columns.
    """
    compiler = _Compiler(options)
    return compiled(compiler, lambda: compiler.row(schema or _ANY, root))


class _Compiler(EncoderWriter):
    """Writes one program: each value after its key, and null as the schema allows it."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self._options = options

    def row(self, schema: Value, root: Input) -> None:
        """Write the whole payload."""
        if schema.kind in {"object", "any"}:
            self._object(schema, root, b"", "")
        else:
            column = column_of(root, VALUE, VALUE)
            names = [VALUE]
            self._check_names(root, names, names if column is None else [], "")
            assert column is not None
            self._value(schema, column, b"", VALUE)
        self.emit("end")

    def _check_names(self, column: Input, known: list[str], missing: list[str], path: str) -> None:
        check_names(
            column,
            known,
            missing,
            path,
            ignore_extra=self._options.ignore_extra,
            needed="the schema requires",
        )

    # --- any value

    def _value(
        self, schema: Value, column: Input, key: bytes, path: str, *, omitted: bool = False
    ) -> None:
        """Write a value after its key. A null is written as null, or left out if `omitted`."""
        write = partial(self._not_null, schema, column, key, path, omitted=omitted)
        if schema.nullable:
            self.unless_null(column, path, write, null=b"" if omitted else key + b"null,")
        elif column.is_null:
            raise _mismatch(schema, column, path)
        else:
            write()

    def _not_null(
        self, schema: Value, column: Input, key: bytes, path: str, *, omitted: bool
    ) -> None:
        if column.is_union:
            self.each_case(
                column,
                path,
                lambda child: self._value(schema, child, key, path, omitted=omitted),
            )
        else:
            self.through(column, path, lambda inner: self._of_kind(schema, inner, key, path))

    def _of_kind(self, schema: Value, column: Input, key: bytes, path: str) -> None:
        if schema.kind == "refused":
            raise JSONSchemaError(schema.refusal)
        if schema.kind == "json":
            if column.format in TEXTS:
                self.emit("json", column, argument=schema.argument, data=key, field=path)
                return
            schema = _json_of(schema, column, path)
        elif schema.kind == "any":
            schema = _own(column, path)
        match schema.kind:
            case "object" if column.format == "+s":
                self._object(schema, column, key, path)
            case "array" if column.is_list:
                start = self.emit("array", column, data=key, field=path)
                self._value(schema.within(), column.children[0], b"", f"{path}[]")
                self.end_block(start)
            case "map" if column.format == "+s":
                self._struct_as_map(schema, column, key, path)
            case "map" if entries(column):
                self._map(schema, column, key, path)
            case _:
                self._plain(schema, column, key, path)

    # --- objects

    def _object(self, schema: Value, column: Input, key: bytes, path: str) -> None:
        fields = schema.fields
        if schema.kind == "any":
            fields = {child.name: _ANY for child in column.children}
        missing = []
        self.emit("object", column, data=key, field=path)
        for name, one in fields.items():
            inner = within(path, name)
            found = column_of(column, name, inner)
            omitted = not (
                self._options.write_nulls if one.writes_null is None else one.writes_null
            )
            if found is not None:
                self._value(one, found, _key(name), inner, omitted=omitted)
            elif not one.nullable:
                missing.append(name)
            elif not omitted:
                self.emit("constant", data=_key(name) + b"null,")
        self.emit("end-object")
        self._check_names(column, list(fields), missing, path)

    def _struct_as_map(self, schema: Value, column: Input, key: bytes, path: str) -> None:
        """Write a struct as a map, without null fields, which libraries add for missing keys."""
        self.emit("object", column, data=key, field=path)
        for child in column.children:
            inner = within(path, child.name)
            value = schema.within().optional()
            self._value(value, child, _key(child.name), inner, omitted=True)
        self.emit("end-object")

    def _map(self, schema: Value, column: Input, key: bytes, path: str) -> None:
        name, value = entries(column)
        inner = f"{path}[]"
        start = self.emit("map", column, data=key, field=path)
        self.emit("record", column.children[0], field=inner)
        self.through(name, inner, lambda one: self._map_key(one, inner))
        self._value(schema.within(), value, b"", inner)
        self.end_block(start)

    def _map_key(self, column: Input, path: str) -> None:
        if not column.is_bytes or column.is_uuid:
            raise Mismatch(f"{path!r} has keys of {column.words}; JSON keys are text")
        self.emit("map-key", column, field=path)

    # --- values that contain no others

    def _plain(self, schema: Value, column: Input, key: bytes, path: str) -> None:
        kind, arrow = schema.kind, column.format
        if kind == "decimal" and arrow.startswith("d:"):
            self._decimal(schema, column, key, path)
            return
        step, argument = "", 0
        table: tuple[int, ...] = ()
        if kind == "bool" and arrow == "b":
            step = "bool"
        elif kind in _BITS and column.is_whole:
            step, argument = "whole", _BITS[kind]
        elif kind in {"float32", "float64"} and arrow in REALS | INTEGERS:
            real = "float" if kind == "float32" or arrow == "e" else "double"
            step = real if arrow in REALS else "whole"
        elif kind == "string" and column.is_uuid:
            step = "uuid"
        elif kind == "string" and arrow in TEXTS | BINARIES:
            step = "string"
        elif kind == "binary" and column.is_bytes:
            step = "binary"
        elif kind == "fixed-binary" and column.is_bytes:
            size = int(schema.format[2:])
            step, argument = ("binary" if column.size in (None, size) else ""), size
        elif kind == "uuid":
            step = "uuid" if column.size == 16 else "uuid-of-text" if arrow in TEXTS else ""
        elif arrow[:2] == _TIMES.get(kind):
            step, argument, table = _time(schema, column)
        elif kind in _TIMES and arrow in TEXTS:
            step, argument = _TIME_TEXTS[kind], int(schema.zoned)
        if not step:
            raise _mismatch(schema, column, path)
        self.emit(step, column, argument=argument, table=table, data=key, field=path)

    def _decimal(self, schema: Value, column: Input, key: bytes, path: str) -> None:
        scale = int(column.format.split(",")[1])
        limit = 10**schema.argument
        self.emit(
            "decimal-text" if self._options.decimals_as_text else "decimal",
            column,
            argument=schema.scale,
            table=(schema.scale - scale,),
            data=limit.to_bytes(_DECIMAL_SIZE, "little") + key,
            field=path,
        )


# The kinds of times, with the beginnings of Arrow's formats of each kind.
_TIMES = {"date": "td", "time32": "tt", "time64": "tt", "timestamp": "ts"}
# The step that writes each kind from text.
_TIME_TEXTS = {
    "date": "date-of-text",
    "time32": "time-of-text",
    "time64": "time-of-text",
    "timestamp": "timestamp-of-text",
}


def _time(schema: Value, column: Input) -> tuple[str, int, tuple[int, ...]]:
    """Return the step, argument and table to write a time; the step is "" if there is none."""
    unit = column.format[2:3]
    if schema.kind == "date":
        scale = {"D": 1, "m": -_DAY_MILLISECONDS}.get(unit)
        return ("", 0, ()) if scale is None else ("date", scale, ())
    if unit not in FRACTION_DIGITS:
        return "", 0, ()
    table = (FRACTION_DIGITS[unit],)
    if schema.kind != "timestamp":
        return "time", 1, table
    zone = zone_of(column.format)
    if not schema.zoned and zone and zone not in _UTC:
        return "", 1, table  # the column holds UTC, not the wall clock of its zone
    return ("timestamp-utc" if schema.zoned else "timestamp"), 1, table


def _own(column: Input, path: str) -> Value:
    """Return the type to write for a column that has no schema."""
    arrow = column.format
    if column.is_uuid:
        return Value("uuid", arrow)
    if arrow == "+s":
        return Value("object", arrow, fields={one.name: _ANY for one in column.children})
    if arrow == "+m":
        return Value("map", arrow, fields={"value": _ANY})
    if column.is_list:
        return Value("array", "+l", fields={"item": _ANY})
    if arrow.startswith("d:"):
        precision, scale = map(int, arrow[2:].split(",")[:2])
        digits = min(precision + max(-scale, 0), _DECIMAL_DIGITS)
        return Value("decimal", arrow, argument=digits, scale=max(scale, 0))
    if arrow.startswith("ts"):
        return Value("timestamp", arrow, zoned=bool(zone_of(arrow)))
    kinds = {"b": "bool", "td": "date", "tt": "time64"}
    kinds |= dict.fromkeys(INTEGERS, "int64") | {"L": "uint64"}
    kinds |= dict.fromkeys(REALS, "float64") | {"f": "float32"}
    kinds |= dict.fromkeys(TEXTS, "string") | dict.fromkeys(BINARIES, "binary")
    kind = kinds.get(arrow) or kinds.get(arrow[:2]) or ("binary" if column.is_bytes else "")
    if not kind:
        raise Mismatch(f"{path!r} is {column.words}, which JSON has no text for")
    return Value(kind, arrow)


def _json_of(schema: Value, column: Input, path: str) -> Value:
    """Return how to write a column that is not text, if the schema allows several JSON types."""
    own = _own(column, path)
    if not json_type(own.kind) & schema.argument:
        raise _mismatch(schema, column, path)
    return own


def _key(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False).encode() + b":"


def _mismatch(schema: Value, column: Input, path: str) -> Mismatch:
    return Mismatch(f"{path!r} is {column.words}, which cannot be written as {schema.kind}")
