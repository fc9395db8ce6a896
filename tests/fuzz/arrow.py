"""Gives Arrow arrays that no library would make to produce_arrow().

The exporter of an Arrow array promises that its buffers are as long as its length, offset and data
require. A reader cannot check this promise, so the buffers here have exactly the promised length.
If a reader reads one byte more, the address sanitizer reports it. Other values that a reader cannot
check are also valid: the offsets of binary values, and the sizes of a view's blocks. All other
values may be wrong.
"""

from __future__ import annotations

import ctypes
import struct
from random import Random
from typing import Any

from confluent_kafka import Producer
from tests.fuzz.boundary import DOCUMENTED
from tests.support.arrow_structs import ArrowArray, ArrowSchema, Exported

_POINTERS = 8  # number of pointers in `children`, even if n_children is higher
# ctypes stores up to 16 bytes inside its own object, with unused bytes after them.
_BEFORE = bytes(32)
_RELEASE_SCHEMA: Any = type(ArrowSchema().release)
_RELEASE_ARRAY: Any = type(ArrowArray().release)
_BYTES = (b"z", b"u", b"Z", b"U", b"vz", b"vu", b"w:0", b"w:3", b"w:16", b"n")
_INTEGERS = (b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L", b"n")
# The width of other formats is 8.
_WIDTHS = {b"c": 1, b"s": 2, b"i": 4, b"w:0": 0, b"w:3": 3, b"w:16": 16}
_WIDTH_OF_OFFSETS = {b"z": "i", b"u": "i", b"+l": "i", b"Z": "q", b"U": "q", b"+L": "q"}
_STAMPS = (b"tss:", b"tsm:", b"tsu:UTC", b"tsn:")
_WRONG = (
    *(b"", b"w:", b"w:-1", b"w:99999999999", b"w: 3", b"w:3x", b"ts", b"tsx:", b"tsm", b"+", b"zz"),
    *(b"+s", b"+m", b"+vl", b"+w:2", b"+ud:0", b"+r", b"\xff\xfe", b"d:5,2", b"f", b"b", b"%s%n"),
)
_FORMATS: dict[bytes | None, tuple[bytes, ...]] = {
    b"key": _BYTES,
    b"value": _BYTES,
    b"topic": (b"u", b"U", b"vu", b"n"),
    b"partition": _INTEGERS,
    b"timestamp": (*_INTEGERS, *_STAMPS),
    b"headers": (b"+l", b"+L", b"n"),
    b"offset": _INTEGERS,
    b"nonsense": _BYTES,
    b"": _BYTES,
    b"\xff\xfe": _BYTES,
    None: _BYTES,
}
_NUMBERS = (-(2**63), -(2**31), -2, -1, 0, 1, 3, 2**31 - 1, 2**31, 2**62, 2**63 - 1)


def _width(kind: bytes) -> int:
    return _WIDTHS.get(kind.lower(), 8)


class Handmade(Exported):
    """A random record batch that counts its releases."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._memory: list[Any] = []  # the memory behind the structs' pointers
        self.releases = 0
        self._release_schema = _RELEASE_SCHEMA(lambda pointer: None)
        self._release_array = _RELEASE_ARRAY(self._release)
        rows = random.randrange(8)
        known = len(_FORMATS) if self._one_in(8) else 7
        names = random.sample(list(_FORMATS)[:known], random.randrange(5))
        kind = b"+s" if random.randrange(30) else random.choice((*_WRONG, *_BYTES))
        self.schema, self.array = self._node(None, kind, rows, names)

    def _one_in(self, count: int) -> bool:
        return self._random.randrange(count) == 0

    def _node(
        self, name: bytes | None, kind: bytes, rows: int, children: list[bytes | None]
    ) -> tuple[ArrowSchema, ArrowArray]:
        """Return an array and its type. `children` are the names of a struct's fields."""
        random = self._random
        schema, array = ArrowSchema(), ArrowArray()
        self._memory += [schema, array]
        schema.name, schema.format = name, kind
        schema.release, array.release = self._release_schema, self._release_array
        array.length = rows
        array.offset = random.randrange(4) if self._one_in(3) else 0
        array.null_count = -1 if self._one_in(3) else 0
        below = [self._field(child, rows + array.offset) for child in children]
        if kind in (b"+l", b"+L"):
            item = random.choice((b"+s",) * 8 + (b"n", b"z", b"+l"))
            fields: list[bytes | None] = [b"key", b"value"]
            random.shuffle(fields)
            below = [self._node(b"item", item, random.randrange(8), fields[: 3 - self._one_in(9)])]
        self._hang(schema, array, below)
        if kind in _INTEGERS and self._one_in(4):
            values = random.choice((*_BYTES, *_WRONG))
            pair = self._node(None, values, random.randrange(8), [])
            schema.dictionary, array.dictionary = map(ctypes.pointer, pair)
        self._fill(array, kind)
        if self._one_in(25):
            self._break(schema, array, kind)
        return schema, array

    def _field(self, name: bytes | None, rows: int) -> tuple[ArrowSchema, ArrowArray]:
        formats = _FORMATS[name]
        if self._one_in(25):
            formats = (*_WRONG, *_BYTES, *_INTEGERS, b"+l")
        kind = self._random.choice(formats)
        # In Arrow, a child has at least its parent's offset and length in rows.
        rows = max(0, rows - 1) if self._one_in(25) else rows
        return self._node(name, kind, rows, [])

    def _hang(self, schema: Any, array: Any, below: list[tuple[ArrowSchema, ArrowArray]]) -> None:
        for parent, kind, index in ((schema, ArrowSchema, 0), (array, ArrowArray, 1)):
            pointers = (ctypes.POINTER(kind) * _POINTERS)()
            for place, pair in enumerate(below):
                pointers[place] = ctypes.pointer(pair[index])
            self._memory.append(pointers)
            parent.n_children = len(below)
            parent.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))

    # ---- buffers -------------------------------------------------------------------------

    def _fill(self, array: Any, kind: bytes) -> None:
        slots = array.offset + array.length
        buffers: list[bytes | None] = [None]
        if array.null_count and self._one_in(2):
            buffers = [self._random.randbytes(-(-slots // 8))]
        if kind == b"n":
            buffers = []
        elif kind in (b"vz", b"vu"):
            blocks = [
                self._random.choice((-1, 0, 40, 200)) for _ in range(self._random.randrange(3))
            ]
            buffers.append(b"".join(self._view() for _ in range(slots)))
            buffers += [bytes(max(0, size)) for size in blocks]
            buffers.append(struct.pack(f"={len(blocks)}q", *blocks))
        elif kind in _WIDTH_OF_OFFSETS:
            offsets = self._offsets(kind, slots + 1)
            buffers.append(struct.pack(f"={slots + 1}{_WIDTH_OF_OFFSETS[kind]}", *offsets))
            if kind[:1] != b"+":
                buffers.append(bytes(max(0, *offsets)))
        elif kind != b"+s":
            buffers.append(self._values(slots * _width(kind)))
        if buffers and self._one_in(20):
            buffers[self._random.randrange(len(buffers))] = None
        pointers = (ctypes.c_void_p * len(buffers))(*map(self._place, buffers))
        self._memory.append(pointers)
        array.n_buffers = len(buffers)
        array.buffers = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))

    def _place(self, content: bytes | None) -> int | None:
        """Copy the content, and return its address. The sanitizer reports a read past its end."""
        if content is None:
            return None
        content = _BEFORE + content
        self._memory.append(ctypes.create_string_buffer(content, len(content)))
        return ctypes.addressof(self._memory[-1]) + len(_BEFORE)

    def _offsets(self, kind: bytes, count: int) -> list[int]:
        random = self._random
        most = 8 if kind[:1] == b"+" else 200
        offsets = sorted(random.randrange(most) for _ in range(count))
        if self._one_in(30):
            wrong = [-1, -(2**31), 0, most]
            if kind[:1] == b"+":
                wrong += [most * 100, 2**31 - 1]  # a reader can check the offsets of lists
            offsets[random.randrange(count)] = random.choice(wrong)
        return offsets

    def _values(self, size: int) -> bytes:
        """Return small integers, zeros, or random bytes."""
        random = self._random
        if self._one_in(8):
            return random.randbytes(size)
        return (
            bytes(size) if self._one_in(2) else (b"\1" + bytes(7)) * (size // 8) + bytes(size % 8)
        )

    def _view(self) -> bytes:
        random = self._random
        if random.randrange(100):
            return struct.pack("=i12s", random.randrange(13), b"twelve bytes")
        size = random.choice((-1, -(2**31), 13, 40, 2**31 - 1))
        block, offset = (random.choice((-1, 0, 0, 1, 2, 160, 2**31 - 1)) for _ in range(2))
        return struct.pack("=i4sii", size, b"star", block, offset)

    # ---- wrong fields --------------------------------------------------------------------

    def _break(self, schema: Any, array: Any, kind: bytes) -> None:
        """Make one field wrong, but only in ways that a reader can check."""
        random = self._random
        match random.randrange(12):
            case 0:
                array.length = min(array.length, random.choice((-(2**63), -1, 0, 1)))
            case 1:
                # A reader refuses these offsets, unless the length is 0 and the reader reads
                # nothing.
                array.offset = random.choice((-(2**63), -1, 2**63 - 1))
            case 2:
                array.null_count = random.choice(_NUMBERS)
            case 3:
                array.n_buffers = random.choice((-(2**63), -1, 0, 1, 2))
            case 4:
                array.n_children = random.choice((-1, 0, _POINTERS))
            case 5:
                array.n_children = schema.n_children = random.choice((-(2**63), -1, _POINTERS))
            case 6:
                array.buffers = None
            case 7:
                random.choice((schema, array)).children = None
            case 8:
                random.choice((schema, array)).dictionary = None
                schema.metadata = b"\x01\0\0\0"
            case 9:
                schema.format = None
            case 10:
                array.release = _RELEASE_ARRAY()
            case 11:
                schema.release = _RELEASE_SCHEMA()


class Nothing(Handmade):
    """A batch of null columns, which can claim any number of rows without memory."""

    def __init__(self, rows: int, names: list[bytes | None]) -> None:
        super().__init__(Random(0))
        self.schema, self.array = self._bare(None, b"+s", rows)
        self._hang(self.schema, self.array, [self._bare(name, b"n", rows) for name in names])

    def _bare(self, name: bytes | None, kind: bytes, rows: int) -> tuple[ArrowSchema, ArrowArray]:
        schema = ArrowSchema(name=name, format=kind, release=self._release_schema)
        array = ArrowArray(length=rows, release=self._release_array)  # null_count is 0
        array.n_buffers = len(kind) - 1  # the validity buffer of a struct, which is NULL
        array.buffers = ctypes.pointer(ctypes.c_void_p())
        self._memory += [schema, array]
        return schema, array


class ArrowImport:
    """Gives Handmade batches to produce_arrow().

    Each accepted batch must be released exactly once.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        # Without brokers, all messages stay in the queue.
        self._producer = Producer({"log_level": 0, "queue.buffering.max.messages": 1000})
        self.last = ""

    def __enter__(self) -> ArrowImport:
        return self

    def __exit__(self, *_: object) -> None:
        self._producer.purge()
        self._producer.close(0)

    def step(self) -> Exception | None:
        batch = Handmade(self._random)
        self.last = f"a batch of {batch.array.length} rows, {batch.schema.n_children} columns"
        topic = self._random.choice((None, "topic"))
        try:
            count = self._producer.produce_arrow(batch, topic, on_delivery=_look)
        except DOCUMENTED as error:
            assert batch.releases <= 1
            return error
        finally:
            self._producer.purge()
            self._producer.poll(0)
        assert batch.releases == 1
        assert count == batch.array.length
        return None


def _look(error: object, message: Any) -> None:
    message.headers(), message.key(), message.value(), message.timestamp()
