"""Draws schemas of Avro, payloads for the schemas, and readers' schemas from a Random.

This module writes the payloads itself, without a library. So some blocks have their sizes and some
do not, and numbers may have any value that the schema allows.
"""

from __future__ import annotations

import copy
import struct
from random import Random
from typing import Any

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
# The days that Python's date can represent. Both readers return Python's types.
_DAYS = (-719_162, 2_932_896)
_LOGICAL: dict[str, tuple[str, tuple[int, int]]] = {
    "date": ("int", _DAYS),
    "time-millis": ("int", (0, 86_399_999)),
    "time-micros": ("long", (0, 86_399_999_999)),
    "timestamp-millis": ("long", (-62_135_596_800_000, 253_402_300_799_999)),
    "timestamp-micros": ("long", (-62_135_596_800_000_000, 253_402_300_799_999_999)),
    "timestamp-nanos": ("long", (-(2**62), 2**62)),
    "local-timestamp-millis": ("long", (-62_135_596_800_000, 253_402_300_799_999)),
    "local-timestamp-micros": ("long", (-62_135_596_800_000_000, 253_402_300_799_999_999)),
    "local-timestamp-nanos": ("long", (-(2**62), 2**62)),
}
_TEXTS = (
    "",
    "a",
    "text",
    "sixteen letters!",
    "more than sixteen letters",
    "ünï",
    "€" * 7,
    "😀",
    "\0",
)
_WIDER = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
_FAMILIES = {
    **dict.fromkeys(("int", "long", "float", "double"), "number"),
    **dict.fromkeys(("bytes", "string"), "bytes"),
}
# Defaults of types. Here a default in JSON equals the value.
_DEFAULTS: dict[str, Any] = {
    "null": None, "boolean": True, "int": -7, "long": 2**40, "float": 0.5, "double": -0.25,
    "string": "ünï",
}  # fmt: skip


def number(value: int) -> bytes:
    """Encode a number: zigzag, with seven bits in each byte."""
    value = value << 1 ^ value >> 63
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*result, value])


def kind_of(schema: Any) -> str:
    """The name of a type: "union" for a list."""
    if isinstance(schema, dict):
        return str(schema["type"])
    return schema if isinstance(schema, str) else "union"


class Schemas:
    """Draws schemas and payloads. Each named type has a name of its own."""

    def __init__(self, random: Random, *, promotable: bool = True) -> None:
        """Set `promotable` to false if no branch of a union may be readable as another branch.

        For such branches the readers differ: fastavro takes the first branch that fits, and Java
        and this package take the branch of the same type.
        """
        self._random = random
        self._promotable = promotable
        self._names = 0

    def _one_in(self, count: int) -> bool:
        return self._random.randrange(count) == 0

    def _name(self) -> str:
        self._names += 1
        return f"T{self._names}"

    # ---- schemas -------------------------------------------------------------------------

    def row(self) -> Any:
        """A record with some fields, or sometimes another type."""
        return self.type(2) if self._one_in(8) else self._record(2)

    def type(self, depth: int) -> Any:
        """Any type, with nested types up to a depth."""
        choice = self._random.randrange(16 if depth > 0 else 9)
        if choice < 5:
            return self._random.choice(PRIMITIVES)
        match choice:
            case 5 | 6:
                return self._logical()
            case 7:
                size = self._random.choice((0, 1, 3, 17))
                return {"type": "fixed", "name": self._name(), "size": size}
            case 8:
                count = self._random.randrange(1, 5)
                return {"type": "enum", "name": self._name(), "symbols": list("ABCDE"[:count])}
            case 9 | 10:
                return {"type": "array", "items": self.type(depth - 1)}
            case 11:
                return {"type": "map", "values": self.type(depth - 1)}
            case 12 | 13:
                return self._optional(depth)
            case 14:
                return self._union(depth)
            case _:
                return self._record(depth - 1)

    def _record(self, depth: int) -> dict[str, Any]:
        names = [f"f{place}" for place in range(self._random.randrange(5))]
        return {
            "type": "record",
            "name": self._name(),
            "fields": [{"name": name, "type": self.type(depth)} for name in names],
        }

    def _optional(self, depth: int) -> list[Any]:
        branch = self.type(depth - 1)
        if kind_of(branch) in ("union", "null"):
            branch = "int"
        return ["null", branch] if self._one_in(2) else [branch, "null"]

    def _union(self, depth: int) -> list[Any]:
        branches: dict[str, Any] = {}
        for _ in range(self._random.randrange(1, 5)):
            branch = self.type(depth - 1)
            if kind_of(branch) != "union":
                named = isinstance(branch, dict) and branch.get("name")
                kind = kind_of(branch)
                family = kind if self._promotable else _FAMILIES.get(kind, kind)
                branches.setdefault(named or family, branch)
        return list(branches.values()) or ["null"]

    def _logical(self) -> dict[str, Any]:
        choice = self._random.randrange(14)
        if choice < len(_LOGICAL):
            name = list(_LOGICAL)[choice]
            return {"type": _LOGICAL[name][0], "logicalType": name}
        fixed: dict[str, Any] = {"type": "fixed", "name": self._name()}
        match choice:
            case 9:
                return {"type": "string", "logicalType": "uuid"}
            case 10:
                return fixed | {"size": 16, "logicalType": "uuid"}
            case 11:
                return fixed | {"size": 12, "logicalType": "duration"}
        precision = self._random.choice((1, 2, 9, 18, 38, 39, 76))
        decimal = {
            "logicalType": "decimal",
            "precision": precision,
            "scale": self._random.randrange(precision + 1),
        }
        if choice == 12:
            return {"type": "bytes", **decimal}
        return fixed | {"size": self._random.choice((32, 33)), **decimal}

    # ---- payloads ------------------------------------------------------------------------

    def payload(self, schema: Any) -> bytes:
        """A value of the schema."""
        random = self._random
        match kind_of(schema):
            case "null":
                return b""
            case "boolean":
                return bytes([random.randrange(2)])
            case "int" | "long" as kind:
                return number(self._integer(schema, 32 if kind == "int" else 64))
            case "float":
                return struct.pack("<I", random.choice((0, 1 << 31, 0x7F800000, 0x3F000000)))
            case "double":
                return struct.pack("<Q", random.choice((0, 1 << 63, 0x7FF0000000000000, 1 << 61)))
            case "bytes" | "string" as kind:
                return self._sized(schema, kind)
            case "fixed":
                return self._fixed(schema)
            case "enum":
                return number(random.randrange(len(schema["symbols"])))
            case "array":
                return self._blocks(lambda: self.payload(schema["items"]))
            case "map":
                return self._map(schema)
            case "record":
                return b"".join(self.payload(one["type"]) for one in schema["fields"])
        branch = random.randrange(len(schema))
        return number(branch) + self.payload(schema[branch])

    def _integer(self, schema: Any, bits: int) -> int:
        random = self._random
        if isinstance(schema, dict) and "logicalType" in schema:
            low, high = _LOGICAL[schema["logicalType"]][1]
            value = random.choice((low, high, 0, random.randint(low, high)))
            # Python's datetime has no nanoseconds.
            return value // 1000 * 1000 if schema["logicalType"].endswith("nanos") else value
        size = random.randrange(bits)
        value = random.getrandbits(size) if size else 0
        return -value - 1 if random.randrange(2) else value

    def _sized(self, schema: Any, kind: str) -> bytes:
        logical = schema.get("logicalType") if isinstance(schema, dict) else None
        if logical == "uuid":
            digits = f"{self._random.getrandbits(128):032x}"
            parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
            data = "-".join(parts).encode()
        elif logical == "decimal":
            value = self._unscaled(schema)
            data = value.to_bytes(value.bit_length() // 8 + 1, signed=True)
        else:
            data = self._random.choice(_TEXTS).encode()
            if kind == "bytes" and self._one_in(4):
                data = self._random.randbytes(5)
        return number(len(data)) + data

    def _fixed(self, schema: Any) -> bytes:
        match schema.get("logicalType"):
            case "decimal":
                return self._unscaled(schema).to_bytes(schema["size"], signed=True)
            case "duration":
                return struct.pack("<III", *(self._random.getrandbits(31) for _ in range(3)))
        return self._random.randbytes(schema["size"])

    def _unscaled(self, schema: Any) -> int:
        most = 10 ** schema["precision"] - 1
        return self._random.choice((most, -most, 0, self._random.randint(-most, most)))

    def _map(self, schema: Any) -> bytes:
        keys = iter(range(100))
        return self._blocks(
            lambda: number(2) + b"k" + bytes([48 + next(keys)]) + self.payload(schema["values"])
        )

    def _blocks(self, item: Any) -> bytes:
        """Blocks of items, and the mark after the last block. Some blocks contain their sizes."""
        result = b""
        for _ in range(self._random.randrange(3)):
            count = self._random.randrange(1, 4)
            data = b"".join(item() for _ in range(count))
            head = number(-count) + number(len(data)) if self._one_in(3) else number(count)
            result += head + data
        return result + number(0)

    # ---- readers -------------------------------------------------------------------------

    def reader(self, schema: Any) -> Any:
        """A schema that can read the same payloads.

        It can have wider types and other unions, and its fields can be dropped, added, reordered or
        renamed.
        """
        random = self._random
        kind = kind_of(schema)
        if isinstance(schema, str) or kind in ("fixed", "int", "long", "bytes", "string"):
            plain = isinstance(schema, str)
            if plain and kind in _WIDER and self._one_in(3):
                return random.choice(_WIDER[kind])
            return copy.deepcopy(schema)
        match kind:
            case "enum":
                return self._reader_enum(schema)
            case "array":
                return {"type": "array", "items": self.reader(schema["items"])}
            case "map":
                return {"type": "map", "values": self.reader(schema["values"])}
            case "record":
                return self._reader_record(schema)
        return self._reader_union(schema)

    def _reader_enum(self, schema: Any) -> Any:
        symbols = [*schema["symbols"], "Z"][self._random.randrange(2) :] or ["Z"]
        self._random.shuffle(symbols)
        return schema | {"symbols": symbols, "default": symbols[0]}

    def _reader_record(self, schema: Any) -> Any:
        fields = [
            {"name": one["name"], "type": self.reader(one["type"])}
            for one in schema["fields"]
            if self._random.randrange(4)
        ]
        for one in fields:
            if self._one_in(6):
                one["aliases"] = [one["name"]]
                one["name"] += "_new"
        for place in range(self._random.randrange(2)):
            kind = self._random.choice(list(_DEFAULTS))
            fields.append({"name": f"new{place}", "type": kind, "default": _DEFAULTS[kind]})
        self._random.shuffle(fields)
        return schema | {"fields": fields}

    def _reader_union(self, branches: list[Any]) -> Any:
        """The same branches in another order.

        Their types are not wider, because libraries would then choose different branches.
        """
        result = copy.deepcopy(branches)
        if "null" not in result and self._one_in(2):
            result.append("null")
        self._random.shuffle(result)
        return result
