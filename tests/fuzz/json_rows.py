"""Gives random bytes and spoilt JSON to JSONDecoder as payloads."""

from __future__ import annotations

import struct
from random import Random

import pyarrow as pa

from confluent_kafka.columns import JSONDecoder

# A column for each kind of value that JSONDecoder reads.
_SCHEMA = pa.schema(
    [
        ("a", pa.list_(pa.struct([("b", pa.string()), ("c", pa.float64()), ("f", pa.float32())]))),
        ("d", pa.map_(pa.string(), pa.list_(pa.int64()))),
        ("e", pa.decimal256(70, 3)),
        ("f", pa.timestamp("ns", "UTC")),
        ("g", pa.binary()),
        ("h", pa.uuid()),
        ("i", pa.date32()),
        ("j", pa.time32("s")),
        ("k", pa.bool_()),
        ("l", pa.null()),
        ("m", pa.binary(3)),
        ("n", pa.uint64()),
    ]
)
_ENUM = {"properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "array", "items": {"const": ""}}}}
_STARTS = [
    b"",
    b'{"a":[{"b":"x\\u00e9\\ud83d\\ude00","c":1.5e3,"f":-0.1},null],"d":{"k":[1,2],"l":null}}',
    b'{"e":"12.345","f":"2024-02-29T12:00:00.5+01:00","g":"AAEC","m":"AAEC"}',
    b'{"h":"00112233-4455-6677-8899-AABBCCDDEEFF","i":"2024-01-02","j":"01:02:03.5Z"}',
    b'{"k":true,"l":null,"n":18446744073709551615,"z":[{"x":[1e5,-0.1,"\\n"]},[]],"k":false}',
    b'{"a":"x","b":[""]}',
]


class JSONRows:
    """Decodes the payloads one by one, and checks that the rows are valid."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._decoders = [
            JSONDecoder(_SCHEMA),
            JSONDecoder(_SCHEMA, missing="error", extra="error", duplicates="error", epoch=True),
            JSONDecoder(_SCHEMA, columns=["n", "d"], duplicates="error"),
            JSONDecoder(_ENUM, enums="dictionary"),
        ]
        self.last = ""

    def __enter__(self) -> JSONRows:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self) -> Exception | None:
        decoder = self._random.choice(self._decoders)
        payload = self._payload()
        self.last = f"{payload!r}"
        # The payload has memory of its own, so that a sanitizer reports a read past its end.
        offsets = pa.py_buffer(struct.pack("=2i", 0, len(payload)))
        array = pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(payload)])
        rows = decoder.decode(array)
        pa.array(rows).validate(full=True)
        return ValueError(rows.errors[0].reason) if rows.errors else None

    def _payload(self) -> bytes:
        """Return one of the initial payloads with a few changed bytes."""
        payload = bytearray(self._random.choice(_STARTS))
        for _ in range(self._random.randrange(4)):
            place = self._random.randrange(len(payload) + 1)
            new = self._random.randbytes(self._random.randrange(8))
            payload[place : place + self._random.randrange(4)] = new
        return bytes(payload)
