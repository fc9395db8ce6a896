"""JSON, one document in each row, by Arrow's own parser."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from .pieces import Decoded, piecewise

# Of Arrow's messages: its own place in the text, which has one row, and our object around it.
_NOISE = re.compile(r" in row \d+$|^JSON parse error: |(?<=Column\(/)v/?")


@dataclass(frozen=True)
class JsonDecoder:
    """Decodes JSON objects into a struct.

    A field that is missing is null and one that is not asked for is left out. A value that is
    not of its field's type fails its row, where Spark's ``from_json`` makes it null.

    Args:
        kind: the struct; without maps and binary fields, which JSON has not.
    """

    kind: pa.StructType

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of bytes; headers say nothing about plain JSON."""
        column, failures = piecewise(values, self._parse, self.kind, pa.ArrowInvalid)
        return Decoded(column, {row: _NOISE.sub("", why) for row, why in failures.items()})

    def _parse(self, values: pa.Array) -> pa.Array:
        """Parse rows as one text of JSON lines; each is an object with the document in it.

        A row can only stand for one line: a document that is not complete, or more than one,
        leaves a line that is no JSON, or makes more lines than there were rows.
        """
        # Arrow's parser would take bytes that are no UTF-8 into its strings.
        documents = pc.fill_null(values, b"null").cast(pa.string())
        lines = pc.binary_join_element_wise('{"v":', documents, "}\n", "")
        text = pa.concat_arrays([lines]).buffers()[2]
        table = pyarrow.json.read_json(
            pa.BufferReader(text),
            read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=text.size + 1),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=pa.schema([("v", _as_parsed(self.kind))]),
                unexpected_field_behavior="ignore",
            ),
        )
        if table.num_rows != len(values):
            raise pa.ArrowInvalid("more than one document")
        return table.column("v").combine_chunks().cast(self.kind)


def _as_parsed(kind: pa.DataType) -> pa.DataType:
    """Return a type with texts for dates: the parser takes numbers for them only."""
    if pa.types.is_date(kind):
        return pa.string()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_as_parsed(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(_as_parsed(kind.value_type))
    return kind
