"""JSON, one document in each row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from confluent_kafka.columns import JSONDecoder

from .pieces import Decoded, fitted

# Decoders that a process keeps: a query has at most two for each source.
_DECODERS_LIMIT = 64


@dataclass(frozen=True)
class JsonDecoder:
    """Decodes JSON objects into a struct.

    A field that is missing is null and one that is not asked for is left out. A value that is not
    of its field's type fails its row, where Spark's ``from_json`` makes it null; so does one that
    is missing and must not be null.

    Args:
        documents: the type of the documents, with what must not be null.
        kind: the type of the column: the same, but all may be null, as rows that fail are.

    Raises:
        ValueError: JSON is not read as a type in it.
    """

    documents: pa.StructType
    kind: pa.StructType

    def __post_init__(self) -> None:
        # Where it is planned: on executors it is unpickled, not made.
        _decoder(self.documents)

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of bytes; headers say nothing about plain JSON."""
        return fitted(_decoder(self.documents).decode(values), self.kind)


@lru_cache(_DECODERS_LIMIT)
def _decoder(documents: pa.StructType) -> JSONDecoder:
    return JSONDecoder(documents)
