"""Uses the Arrow C data interface through ctypes, to make arrays that no library would make."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


# Every field is as wide as a pointer.
_WORD = 8
_RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
_RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))

ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", _RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", _RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def capsules(schema: ArrowSchema, array: ArrowArray) -> tuple[object, object]:
    """The return value of __arrow_c_array__(). The structs must outlive the capsules."""
    return (
        _new_capsule(ctypes.addressof(schema), b"arrow_schema", None),
        _new_capsule(ctypes.addressof(array), b"arrow_array", None),
    )


def array_of(capsule: object) -> ArrowArray:
    """The struct inside a capsule 'arrow_array'. The capsule must outlive the struct."""
    return ArrowArray.from_address(_capsule_pointer(capsule, b"arrow_array"))


class Nulls:
    """Rows of the null type, which need no memory. They can be exported repeatedly."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._kept: list[object] = []

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        schema = ArrowSchema(format=b"n", name=b"", release=_FORGET_SCHEMA)
        array = ArrowArray(length=self._rows, null_count=self._rows, release=_FORGET_ARRAY)
        self._kept += [schema, array]
        return capsules(schema, array)


def _forget(pointer: Any) -> None:
    pointer.contents.release = type(pointer.contents.release)()


_FORGET_SCHEMA = _RELEASE_SCHEMA(_forget)
_FORGET_ARRAY = _RELEASE_ARRAY(_forget)


class Exported:
    """A pyarrow array as structs that can be changed; counts how often they are released.

    `schema` and `array` belong to this object. Their children belong to pyarrow. A test may also
    change the children, because `tampered()` restores them before pyarrow releases them.
    """

    def __init__(self, source: Any) -> None:
        self._schema, self._array = ArrowSchema(), ArrowArray()
        source._export_to_c(ctypes.addressof(self._array), ctypes.addressof(self._schema))
        self.releases = 0
        self.schema, self.array = ArrowSchema(), ArrowArray()
        for mine, original in ((self.schema, self._schema), (self.array, self._array)):
            ctypes.memmove(ctypes.byref(mine), ctypes.byref(original), ctypes.sizeof(mine))
        self.schema.release = _RELEASE_SCHEMA(lambda pointer: None)
        self.array.release = _RELEASE_ARRAY(self._release)
        self._changes: list[tuple[int, bytes]] = []

    def _release(self, pointer: Any) -> None:
        self.releases += 1
        pointer.contents.release = _RELEASE_ARRAY()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return capsules(self.schema, self.array)

    def column(self, index: int) -> ArrowArray:
        return self._array.children[index].contents

    def column_schema(self, index: int) -> ArrowSchema:
        return self._schema.children[index].contents

    def set(self, struct: Any, field: str, value: Any) -> None:
        place = getattr(type(struct), field)
        self._remember(ctypes.addressof(struct) + place.offset)
        setattr(struct, field, value)

    def clear_item(self, pointers: Any, index: int) -> None:
        """Makes an entry of `buffers` or `children` NULL."""
        places = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
        self._remember(ctypes.addressof(places.contents) + index * _WORD)
        places[index] = None

    def _remember(self, address: int) -> None:
        self._changes.append((address, ctypes.string_at(address, _WORD)))

    def restore(self) -> None:
        for address, content in reversed(self._changes):
            ctypes.memmove(address, content, _WORD)
        self._changes.clear()
        for struct in (self._array, self._schema):
            struct.release(ctypes.pointer(struct))


@contextmanager
def tampered(source: Any) -> Iterator[Exported]:
    """The structs of a pyarrow batch. The body of the `with` can change them and pass them on."""
    exported = Exported(source)
    try:
        yield exported
    finally:
        exported.restore()


def columns_of(**columns: Any) -> Any:
    """A pyarrow record batch; columns are pyarrow arrays or lists."""
    import pyarrow

    return pyarrow.record_batch(
        {
            name: values if isinstance(values, pyarrow.Array) else pyarrow.array(values)
            for name, values in columns.items()
        }
    )
