"""The progress of queries in numbers, from Spark's report about each micro-batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from confluent_kafka.spark.lag import lag
from confluent_kafka.spark.offsets import Partition


@dataclass(frozen=True)
class Progress:
    """One micro-batch of a query."""

    query: str
    batch: int
    started: float
    """When the micro-batch began, in seconds since 1970."""
    seconds: float
    """Duration of the micro-batch."""
    rows: int
    rows_per_second: float
    """Rows that the query processed per second."""
    lag: Mapping[Partition, int] = field(default_factory=dict)
    """Number of known messages of each partition that were not read yet."""
    state_rows: int = 0
    state_bytes: int = 0
    dropped: int = 0
    """Rows that were dropped because they arrived later than the watermark allows."""
    watermark: str = ""


def progress(update: Any) -> Progress:
    """Return the numbers of a ``StreamingQueryProgress``."""
    states = update.stateOperators
    return Progress(
        query=update.name or str(update.id),
        batch=update.batchId,
        started=datetime.fromisoformat(update.timestamp).timestamp(),
        seconds=update.batchDuration / 1000,
        rows=update.numInputRows,
        rows_per_second=_number(update.processedRowsPerSecond),
        lag={
            partition: behind
            for source in update.sources
            for partition, behind in lag(source.endOffset, source.latestOffset).items()
        },
        state_rows=sum(state.numRowsTotal for state in states),
        state_bytes=sum(state.memoryUsedBytes for state in states),
        dropped=sum(state.numRowsDroppedByWatermark for state in states),
        watermark=update.eventTime.get("watermark", ""),
    )


def _number(value: float | None) -> float:
    # Spark reports NaN or infinity for batches that took no time.
    return value if value is not None and value == value and abs(value) != float("inf") else 0.0
