"""Decode JSON, with one document in each row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from confluent_kafka.columns import JSONDecoder

from .pieces import Decoded, fitted

# Number of decoders that a process caches. A query has at most two for each source.
_DECODERS_LIMIT = 64


@dataclass(frozen=True)
class JsonDecoder:
    """Decodes JSON objects into a struct.

    A missing field becomes null, and a field that is not in the schema is left out. A row fails if
    a value does not have the type of its field, whereas Spark's ``from_json`` makes such a value
    null. A row also fails if a field is missing that must not be null.

    Args:
        documents: the type of the documents, including NOT NULL.
        kind: the type of the column. It is the same type, but everything can be null: rows that
            fail are null.

    Raises:
        ValueError: the type contains a type that JSON does not support.
    """

    documents: pa.StructType
    kind: pa.StructType

    def __post_init__(self) -> None:
        # This runs on the driver, and checks the type. Executors unpickle the object instead.
        _decoder(self.documents)

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of bytes. The headers are ignored for plain JSON."""
        return fitted(_decoder(self.documents).decode(values), self.kind)


@lru_cache(_DECODERS_LIMIT)
def _decoder(documents: pa.StructType) -> JSONDecoder:
    return JSONDecoder(documents)
