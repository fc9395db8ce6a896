"""Parse schemas in Spark's DDL, such as ``"id BIGINT NOT NULL, tags ARRAY<STRING>"``.

A pipeline is checked before there is a session, and PySpark parses DDL only in the JVM.
"""

from __future__ import annotations

import re
from typing import NoReturn

from pyspark.sql import types as t

from confluent_kafka._suggestions import did_you_mean

_SIMPLE: dict[str, t.DataType] = {
    "boolean": t.BooleanType(),
    "tinyint": t.ByteType(),
    "byte": t.ByteType(),
    "smallint": t.ShortType(),
    "short": t.ShortType(),
    "int": t.IntegerType(),
    "integer": t.IntegerType(),
    "bigint": t.LongType(),
    "long": t.LongType(),
    "float": t.FloatType(),
    "real": t.FloatType(),
    "double": t.DoubleType(),
    "date": t.DateType(),
    "timestamp": t.TimestampType(),
    "timestamp_ltz": t.TimestampType(),
    "timestamp_ntz": t.TimestampNTZType(),
    "string": t.StringType(),
    "binary": t.BinaryType(),
}
_NAMES = [*_SIMPLE, "decimal", "array", "map", "struct"]
_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>`(?:[^`]|``)+`)|(?P<text>'[^']*'|\"[^\"]*\")|(?P<word>\w+)|(?P<sign>\S))"
)


def parse_ddl(text: str) -> t.StructType:
    """Return the columns that a DDL text declares.

    Raises:
        ValueError: the text is not valid. The message contains the place.
    """
    return _Parser(text).columns()


def unreadable(kind: t.DataType) -> str | None:
    """Return the name of a type, within this one, that JSON does not support; else None."""
    if isinstance(kind, t.MapType):
        if not isinstance(kind.keyType, t.StringType):
            return f"a map of {kind.keyType.simpleString().upper()}"
        return unreadable(kind.valueType)
    if isinstance(kind, t.ArrayType):
        return unreadable(kind.elementType)
    if isinstance(kind, t.StructType):
        return next(filter(None, (unreadable(field.dataType) for field in kind.fields)), None)
    return None


def nullable(kind: t.DataType) -> t.DataType:
    """Return a type without any NOT NULL."""
    if isinstance(kind, t.StructType):
        return t.StructType([t.StructField(one.name, nullable(one.dataType)) for one in kind])
    if isinstance(kind, t.ArrayType):
        return t.ArrayType(nullable(kind.elementType))
    if isinstance(kind, t.MapType):
        return t.MapType(kind.keyType, nullable(kind.valueType))
    return kind


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = [
            (match.group(match.lastgroup or 0), match) for match in _TOKEN.finditer(text)
        ]
        self._next = 0

    def columns(self) -> t.StructType:
        schema = self._fields("")
        if self._next < len(self._tokens):
            self._fail("a comma")
        return schema

    def _fields(self, end: str) -> t.StructType:
        """``name [:] type [NOT NULL] [COMMENT 'text']``, separated by commas."""
        fields: list[t.StructField] = []
        while True:
            name = self._name()
            self._skip(":")
            kind = self._type()
            nullable = not self._skip("not")
            if not nullable:
                self._expect("null")
            if self._skip("comment"):
                self._take()
            if name in [field.name for field in fields]:
                raise ValueError(f"the column {name!r} is declared twice")
            fields.append(t.StructField(name, kind, nullable))
            if not self._skip(","):
                return t.StructType(fields)

    def _name(self) -> str:
        token, match = self._peek()
        if not token or match is None or match.lastgroup not in ("word", "quoted"):
            self._fail("the name of a column")
        self._next += 1
        return token[1:-1].replace("``", "`") if match.lastgroup == "quoted" else token

    def _type(self) -> t.DataType:
        name = self._peek()[0].lower()
        if name not in _NAMES and name not in ("dec", "numeric"):
            hint = did_you_mean(name, _NAMES, f"there is {', '.join(_NAMES)}") if name else ""
            self._fail(f"a type ({hint})" if hint else "a type")
        self._next += 1
        if name in _SIMPLE:
            return _SIMPLE[name]
        if name in ("decimal", "dec", "numeric"):
            return self._decimal()
        self._expect("<")
        kind: t.DataType
        if name == "array":
            kind = t.ArrayType(self._type())
        elif name == "map":
            key = self._type()
            self._expect(",")
            kind = t.MapType(key, self._type())
        else:
            kind = self._fields(">")
        self._expect(">")
        return kind

    def _decimal(self) -> t.DecimalType:
        if not self._skip("("):
            return t.DecimalType(10, 0)
        precision, scale = self._number(), 0
        if self._skip(","):
            scale = self._number()
        self._expect(")")
        if not 0 <= scale <= precision <= 38 or precision == 0:
            raise ValueError(
                f"decimal({precision},{scale}): precision is 1 to 38, scale at most the precision"
            )
        return t.DecimalType(precision, scale)

    def _number(self) -> int:
        if not self._peek()[0].isdecimal():
            self._fail("a number")
        return int(self._take())

    def _peek(self) -> tuple[str, re.Match[str] | None]:
        return self._tokens[self._next] if self._next < len(self._tokens) else ("", None)

    def _take(self) -> str:
        token, _ = self._peek()
        self._next += 1
        return token

    def _skip(self, wanted: str) -> bool:
        found = self._peek()[0].lower() == wanted
        self._next += found
        return found

    def _expect(self, wanted: str) -> None:
        if not self._skip(wanted):
            self._fail(repr(wanted))

    def _fail(self, wanted: str) -> NoReturn:
        token, match = self._peek()
        where = (
            f"{token!r} at character {match.start(match.lastgroup or 0) + 1}"
            if match
            else "its end"
        )
        raise ValueError(f"the schema needs {wanted} instead of {where}")
