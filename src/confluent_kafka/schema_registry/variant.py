"""Values of many types in one field: the binary encoding of Parquet's and Spark's variants."""

from __future__ import annotations

import base64
import datetime
import decimal
import enum
import json
import struct
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Variant", "VariantError", "VariantType"]


class VariantError(ValueError):
    """The bytes are not a variant, or a variant of another type than requested."""


class VariantType(enum.StrEnum):
    """The type of a variant."""

    OBJECT = "OBJECT"
    ARRAY = "ARRAY"
    NULL = "NULL"
    BOOLEAN = "BOOLEAN"
    BYTE = "BYTE"
    SHORT = "SHORT"
    INT = "INT"
    LONG = "LONG"
    STRING = "STRING"
    DOUBLE = "DOUBLE"
    DECIMAL4 = "DECIMAL4"
    DECIMAL8 = "DECIMAL8"
    DECIMAL16 = "DECIMAL16"
    DATE = "DATE"
    TIMESTAMP_TZ = "TIMESTAMP_TZ"
    TIMESTAMP_NTZ = "TIMESTAMP_NTZ"
    FLOAT = "FLOAT"
    BINARY = "BINARY"
    TIME = "TIME"
    TIMESTAMP_NANOS_TZ = "TIMESTAMP_NANOS_TZ"
    TIMESTAMP_NANOS_NTZ = "TIMESTAMP_NANOS_NTZ"
    UUID = "UUID"


_T = VariantType
# The types and sizes in bytes of primitive values, by number.
_PRIMITIVES = (
    (_T.NULL, 0),
    (_T.BOOLEAN, 0),  # true
    (_T.BOOLEAN, 0),  # false
    (_T.BYTE, 1),
    (_T.SHORT, 2),
    (_T.INT, 4),
    (_T.LONG, 8),
    (_T.DOUBLE, 8),
    (_T.DECIMAL4, 5),
    (_T.DECIMAL8, 9),
    (_T.DECIMAL16, 17),
    (_T.DATE, 4),
    (_T.TIMESTAMP_TZ, 8),
    (_T.TIMESTAMP_NTZ, 8),
    (_T.FLOAT, 4),
    (_T.BINARY, None),
    (_T.STRING, None),
    (_T.TIME, 8),
    (_T.TIMESTAMP_NANOS_TZ, 8),
    (_T.TIMESTAMP_NANOS_NTZ, 8),
    (_T.UUID, 16),
)
_TRUE = 1
_PRIMITIVE, _SHORT_STRING, _OBJECT, _ARRAY = range(4)
_VERSION = 1
_INTEGERS = (_T.BYTE, _T.SHORT, _T.INT, _T.LONG)
_DECIMALS = (_T.DECIMAL4, _T.DECIMAL8, _T.DECIMAL16)
_MICROS = (_T.TIMESTAMP_TZ, _T.TIMESTAMP_NTZ)
_NANOS = (_T.TIMESTAMP_NANOS_TZ, _T.TIMESTAMP_NANOS_NTZ)
_EPOCH = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True)
class _Container:
    """The positions of an array's or object's name ids, offsets and values."""

    count: int
    ids: int
    id_size: int
    """0 for an array."""
    offset_size: int

    def place(self, value: bytes, index: int) -> int:
        """Return where an element begins; the index after the last one is the end."""
        offsets = self.ids + self.count * self.id_size
        start = offsets + (self.count + 1) * self.offset_size
        return start + _number(value, offsets + index * self.offset_size, self.offset_size)

    def name(self, value: bytes, index: int) -> int:
        """Return the number of a field's name."""
        return _number(value, self.ids + index * self.id_size, self.id_size)


class Variant:
    """A value whose type is part of it: null, a number, a text ..., an array or an object.

    Source: the specification of variants in Apache Parquet (VariantEncoding).

    Args:
        value: the encoded value.
        metadata: the names of the fields in it.
        pos: where the value begins in ``value``.

    Raises:
        VariantError: the metadata has another version; or, here and in every method, the bytes are
            not a variant.
    """

    def __init__(self, value: bytes, metadata: bytes, pos: int = 0) -> None:
        self.value = value
        self.metadata = metadata
        self.pos = pos
        version = _taken(metadata, 0, 1)[0] & 0x0F
        if version != _VERSION:
            raise VariantError(f"metadata is of version {version}, only {_VERSION} is known")

    def get_type(self) -> VariantType:
        """Return the type of the value."""
        kind, header = self._header()
        if kind == _PRIMITIVE:
            return self._primitive(header)[0]
        return {_SHORT_STRING: _T.STRING, _OBJECT: _T.OBJECT, _ARRAY: _T.ARRAY}[kind]

    def get_boolean(self) -> bool:
        """Return a boolean."""
        self._expect("a boolean", _T.BOOLEAN)
        return self._header()[1] == _TRUE

    def get_byte(self) -> int:
        """Return an integer of one byte."""
        return self._integer("an integer of one byte", _INTEGERS[:1])

    def get_short(self) -> int:
        """Return an integer of at most two bytes."""
        return self._integer("an integer of two bytes", _INTEGERS[:2])

    def get_int(self) -> int:
        """Return an integer of at most four bytes."""
        return self._integer("an integer of four bytes", _INTEGERS[:3])

    def get_long(self) -> int:
        """Return an integer, or a date, time or timestamp as an integer.

        A date is in days since 1970, and a time in microseconds since midnight. A timestamp is in
        microseconds or nanoseconds since 1970.
        """
        return self._integer("an integer", (*_INTEGERS, _T.DATE, _T.TIME, *_MICROS, *_NANOS))

    def get_float(self) -> float:
        """Return a floating point number of four bytes."""
        self._expect("a float", _T.FLOAT)
        number: float = struct.unpack("<f", self._content())[0]
        return number

    def get_double(self) -> float:
        """Return a floating point number of eight bytes."""
        self._expect("a double", _T.DOUBLE)
        number: float = struct.unpack("<d", self._content())[0]
        return number

    def get_decimal(self) -> decimal.Decimal:
        """Return a decimal number."""
        self._expect("a decimal", *_DECIMALS)
        scale, *digits = self._content()
        number = decimal.Decimal(int.from_bytes(bytes(digits), "little", signed=True))
        return number.scaleb(-scale, decimal.Context(prec=decimal.MAX_PREC))

    def get_string(self) -> str:
        """Return a text."""
        self._expect("a string", _T.STRING)
        return _text(self._content())

    def get_binary(self) -> bytes:
        """Return bytes."""
        self._expect("binary", _T.BINARY)
        return self._content()

    def get_uuid(self) -> uuid.UUID:
        """Return a UUID."""
        self._expect("a UUID", _T.UUID)
        return uuid.UUID(bytes=self._content())

    def num_array_elements(self) -> int:
        """Return how many elements an array has."""
        return self._container(_T.ARRAY).count

    def get_element_at_index(self, index: int) -> Variant | None:
        """Return an element of an array; None if there is none.

        Args:
            index: its place, from 0.
        """
        found = self._container(_T.ARRAY)
        return self._element(found, index) if 0 <= index < found.count else None

    def num_object_fields(self) -> int:
        """Return how many fields an object has."""
        return self._container(_T.OBJECT).count

    def get_field_at_index(self, idx: int) -> tuple[str, Variant]:
        """Return the name and the value of a field.

        Args:
            idx: its place in the order of the names, from 0.

        Raises:
            VariantError: there is no such field.
        """
        found = self._container(_T.OBJECT)
        if not 0 <= idx < found.count:
            raise VariantError(f"idx must be from 0 to {found.count - 1}, not {idx}")
        return self._name(found.name(self.value, idx)), self._element(found, idx)

    def get_field_by_key(self, key: str) -> Variant | None:
        """Return the value of a field; None if there is none.

        Args:
            key: its name.
        """
        found = self._container(_T.OBJECT)
        for idx in range(found.count):
            if self._name(found.name(self.value, idx)) == key:
                return self._element(found, idx)
        return None

    def standalone_value_bytes(self) -> bytes:
        """Return the bytes of only this value, which may be a part of another one."""
        return self.value[self.pos : self._end()]

    def to_json(self) -> str:
        """Return the value as JSON: bytes in base 64, dates and times as in ISO 8601."""
        # Each value takes at least one byte. If elements shared their bytes, a hundred bytes could
        # represent more values than fit into memory.
        left = iter(range(len(self.value) - self.pos))
        try:
            return self._to_json(left)
        except RecursionError:
            raise VariantError("the variant is nested too deeply") from None

    def _to_json(self, left: Iterator[int]) -> str:
        kind = self.get_type()
        if next(left, None) is None:
            raise VariantError("malformed variant: values overlap")
        if kind is _T.ARRAY:
            found = self._container(kind)
            elements = (self._element(found, index) for index in range(found.count))
            return f"[{','.join(one._to_json(left) for one in elements)}]"
        if kind is _T.OBJECT:
            fields = (self.get_field_at_index(idx) for idx in range(self.num_object_fields()))
            return f"{{{','.join(f'{_json(name)}:{one._to_json(left)}' for name, one in fields)}}}"
        return self._scalar(kind)

    def _scalar(self, kind: VariantType) -> str:
        match kind:
            case _T.NULL:
                return "null"
            case _T.BOOLEAN:
                return _json(self.get_boolean())
            case _T.FLOAT:
                return _json(self.get_float())
            case _T.DOUBLE:
                return _json(self.get_double())
            case _T.STRING:
                return _json(self.get_string())
            case _T.BINARY:
                return _json(base64.b64encode(self.get_binary()).decode())
            case _T.UUID:
                return _json(str(self.get_uuid()))
        if kind in _INTEGERS:
            return str(self.get_long())
        if kind in _DECIMALS:
            return f"{self.get_decimal():f}"
        return _json(self._moment(kind))

    def _moment(self, kind: VariantType) -> str:
        """Return a date or a time as text, since Python's own types have no nanoseconds."""
        number = self.get_long()
        nanos = ""
        if kind in _NANOS:
            number, rest = divmod(number, 1000)
            nanos = f"{rest:03}" if rest else ""
        try:
            if kind is _T.DATE:
                return (_EPOCH + datetime.timedelta(days=number)).date().isoformat()
            moment = _EPOCH + datetime.timedelta(microseconds=number)
        except OverflowError:
            raise VariantError(f"{kind} is out of the range of years 1 to 9999") from None
        if kind is _T.TIME:
            return moment.time().isoformat()
        text = moment.isoformat(timespec="microseconds" if nanos else "auto") + nanos
        return text + ("Z" if kind in (_T.TIMESTAMP_TZ, _T.TIMESTAMP_NANOS_TZ) else "")

    def _header(self) -> tuple[int, int]:
        """Return the basic type, and the other six bits."""
        first = _taken(self.value, self.pos, 1)[0]
        return first & 0b11, first >> 2

    def _primitive(self, number: int) -> tuple[VariantType, int | None]:
        if number >= len(_PRIMITIVES):
            raise VariantError(f"unknown variant primitive type: {number}")
        return _PRIMITIVES[number]

    def _expect(self, what: str, *kinds: VariantType) -> None:
        kind = self.get_type()
        if kind not in kinds:
            raise VariantError(f"variant is not {what}, it is of type {kind}")

    def _integer(self, what: str, kinds: tuple[VariantType, ...]) -> int:
        self._expect(what, *kinds)
        return int.from_bytes(self._content(), "little", signed=True)

    def _content(self) -> bytes:
        """Return the bytes of a primitive value, or of a text."""
        start, end = self._content_range()
        return self.value[start:end]

    def _content_range(self) -> tuple[int, int]:
        kind, header = self._header()
        start = self.pos + 1
        size: int | None = header
        if kind == _PRIMITIVE:
            size = self._primitive(header)[1]
            if size is None:
                size = _number(self.value, start, 4)
                start += 4
        assert size is not None
        _taken(self.value, start, size)
        return start, start + size

    def _element(self, container: _Container, index: int) -> Variant:
        return Variant(self.value, self.metadata, container.place(self.value, index))

    def _container(self, kind: VariantType) -> _Container:
        self._expect("an array" if kind is _T.ARRAY else "an object", kind)
        header = self._header()[1]
        large = header >> (2 if kind is _T.ARRAY else 4) & 1
        count_size = 4 if large else 1
        count = _number(self.value, self.pos + 1, count_size)
        id_size = 0 if kind is _T.ARRAY else (header >> 2 & 0b11) + 1
        return _Container(count, self.pos + 1 + count_size, id_size, (header & 0b11) + 1)

    def _end(self) -> int:
        """Return where the value ends."""
        kind = self.get_type()
        if kind in (_T.ARRAY, _T.OBJECT):
            found = self._container(kind)
            end = found.place(self.value, found.count)
            _taken(self.value, end, 0)
            return end
        return self._content_range()[1]

    def _name(self, number: int) -> str:
        size = (self.metadata[0] >> 6) + 1
        count = _number(self.metadata, 1, size)
        if number >= count:
            raise VariantError(f"malformed variant: no name {number} in metadata of {count}")
        start, end = (_number(self.metadata, 1 + size * (1 + number + i), size) for i in (0, 1))
        names = 1 + size * (count + 2)
        return _text(_taken(self.metadata, names + start, max(end - start, 0)))


def _taken(data: bytes, start: int, size: int) -> bytes:
    if start + size > len(data) or start < 0:
        raise VariantError(f"malformed variant: it ends at {len(data)}, not at {start + size}")
    return data[start : start + size]


def _number(data: bytes, start: int, size: int) -> int:
    return int.from_bytes(_taken(data, start, size), "little")


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise VariantError(f"malformed variant: a string is not UTF-8: {error}") from None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
