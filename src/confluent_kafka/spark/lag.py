"""How far a stream is behind its topics, computed from Spark's progress."""

from __future__ import annotations

import json
from typing import Protocol

from .offsets import Partition, from_json


class ReportsOffsets(Protocol):
    """One of the ``sources`` of a ``StreamingQueryProgress``."""

    @property
    def endOffset(self) -> str | None: ...  # noqa: N802

    @property
    def latestOffset(self) -> str | None: ...  # noqa: N802


def source_metrics(source: ReportsOffsets) -> dict[str, str]:
    """Return the metrics that Spark's own Kafka source adds to a query's progress.

    Spark takes metrics only from sources in its JVM, so ``source.metrics`` is empty for a source in
    Python. This function computes them from the offsets in the progress.

    Args:
        source: an ``rdkafka`` source in the ``sources`` of a ``StreamingQueryProgress``.

    Returns:
        ``minOffsetsBehindLatest``, ``maxOffsetsBehindLatest`` and ``avgOffsetsBehindLatest`` over
        the partitions, as text. The dict is empty until the latest offsets are known.
    """
    behind = lag(source.endOffset, source.latestOffset).values()
    if not behind:
        return {}
    return {
        "minOffsetsBehindLatest": str(min(behind)),
        "maxOffsetsBehindLatest": str(max(behind)),
        "avgOffsetsBehindLatest": str(sum(behind) / len(behind)),
    }


def lag(end: str | None, latest: str | None) -> dict[Partition, int]:
    """Return how many offsets a stream is behind the latest offset of each partition.

    Args:
        end: Spark's JSON of the offsets where a micro-batch ended; None before the first one.
        latest: the same JSON of the latest offsets; None if the source did not return them.
    """
    read, there = _offsets(end), _offsets(latest)
    return {one: max(0, there[one] - read.get(one, 0)) for one in sorted(there)}


def _offsets(text: str | None) -> dict[Partition, int]:
    document = json.loads(text) if text and text != "null" else None
    return from_json(document) if document is not None else {}
