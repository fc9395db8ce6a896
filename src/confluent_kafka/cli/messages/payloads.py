"""Payloads as an Arrow array, which the decoders of confluent_kafka.columns take, and back.

The array is made with ctypes, so that decoding needs no Arrow library.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from confluent_kafka.cimpl import _split_frames
from confluent_kafka.columns import DecodedRows, JSONEncoder, RowError

# What a structure calls when its reader needs it no more. It marks the structure as released.
_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Schema(ctypes.Structure):
    _fields_ = (
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", _RELEASE),
        ("private_data", ctypes.c_void_p),
    )


class _Array(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", _RELEASE),
        ("private_data", ctypes.c_void_p),
    )


def _released(structure: type[_Schema | _Array]) -> Callable[[int], None]:
    release: Any = structure.release

    def mark(address: int) -> None:
        ctypes.c_void_p.from_address(address + release.offset).value = None

    return mark


_release_schema = _RELEASE(_released(_Schema))
_release_array = _RELEASE(_released(_Array))

_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Payloads:
    """An Arrow array of binary values with 64-bit offsets.

    The readers of the array must not use it any more when this object is deleted. The decoders
    release it before decode() returns.

    Args:
        payloads: the values.
    """

    def __init__(self, payloads: Sequence[bytes]) -> None:
        offsets = array("q", accumulate(map(len, payloads), initial=0))
        self._kept = (b"".join(payloads), offsets)
        data = ctypes.cast(ctypes.c_char_p(self._kept[0]), ctypes.c_void_p)
        self._buffers = (ctypes.c_void_p * 3)(None, offsets.buffer_info()[0], data)
        self._schema = _Schema(b"Z", b"")
        self._array = _Array(len(payloads), 0, 0, 3, 0, self._buffers)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return the array, by the Arrow PyCapsule protocol."""
        self._schema.release, self._array.release = _release_schema, _release_array
        return (
            _capsule(ctypes.addressof(self._schema), b"arrow_schema", None),
            _capsule(ctypes.addressof(self._array), b"arrow_array", None),
        )


_all = JSONEncoder(schema_id=0)
_set = JSONEncoder(schema_id=0, nulls="omit")


def json_texts(rows: DecodedRows, *, omits: bool) -> tuple[list[bytes | None], list[RowError]]:
    """Return the rows as JSON texts, and an error for each row that has none.

    Args:
        rows: decoded payloads.
        omits: whether null fields are left out.
    """
    encoded = (_set if omits else _all).encode(rows)
    # The encoder wrote the framing of a registry before each text, which this splits off.
    _, texts = _split_frames(encoded, None, "")
    return texts, [*rows.errors, *encoded.errors]
