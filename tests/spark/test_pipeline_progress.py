"""A pipeline's progress, computed from Spark's report of a micro-batch."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from rich.console import Console

from confluent_kafka.cli.pipelines.progress import Board
from confluent_kafka.spark.offsets import Partition
from confluent_kafka.spark.pipeline.progress import progress

UPDATE = SimpleNamespace(
    id="c0ffee",
    name="late",
    batchId=3,
    timestamp="2013-01-01T10:00:00.000Z",
    batchDuration=1500,
    numInputRows=600,
    processedRowsPerSecond=400.0,
    sources=[
        SimpleNamespace(
            endOffset=json.dumps({"flights": {"0": 10, "1": 20}}),
            latestOffset=json.dumps({"flights": {"0": 15, "1": 20, "2": 7}}),
        ),
        SimpleNamespace(endOffset="null", latestOffset=None),
    ],
    stateOperators=[
        SimpleNamespace(numRowsTotal=5, memoryUsedBytes=2_500_000, numRowsDroppedByWatermark=1),
        SimpleNamespace(numRowsTotal=2, memoryUsedBytes=500_000, numRowsDroppedByWatermark=0),
    ],
    eventTime={"watermark": "2013-01-01T09:00:00.000Z"},
)


def test_numbers_of_a_micro_batch() -> None:
    """The progress contains rows, rate, duration, each partition's lag, and the state of all
    operators."""
    found = progress(UPDATE)
    assert (found.query, found.batch, found.rows, found.rows_per_second) == ("late", 3, 600, 400)
    assert (found.started, found.seconds) == (1_357_034_400.0, 1.5)
    assert (found.state_rows, found.state_bytes, found.dropped) == (7, 3_000_000, 1)
    assert found.lag == {
        Partition("flights", 0): 5,
        Partition("flights", 1): 0,
        Partition("flights", 2): 7,
    }


def test_a_batch_that_took_no_time() -> None:
    """Spark reports an infinite rate, or NaN; the progress contains 0."""
    for rate in (float("nan"), float("inf")):
        assert progress(SimpleNamespace(**{**vars(UPDATE), "processedRowsPerSecond": rate})) == (
            progress(SimpleNamespace(**{**vars(UPDATE), "processedRowsPerSecond": 0.0}))
        )


def test_lines_and_tables() -> None:
    """Each micro-batch prints a line; on a terminal, tables are redrawn."""
    text = io.StringIO()
    board = Board(Console(file=text, width=120))
    with board:
        board.add(progress(UPDATE))
    board.close()
    assert (
        "query late: batch 3, 600 rows, 400 rows/s, 1.50 s, lag 12 (flights [2] 7, flights [0] 5), "
        "state 7 rows, 3.0 MB\n"
    ) in text.getvalue()
    assert "query late: 600 rows in 1 batch, 1 behind the watermark" in text.getvalue()
    text = io.StringIO()
    with Board(Console(file=text, width=120, force_terminal=True)) as board:
        board.add(progress(UPDATE))
    for shown in ("late", "400", "1.50 s", "12", "7 rows, 3.0 MB", "flights [2]"):
        assert shown in text.getvalue()


def test_80_columns() -> None:
    """On a narrow terminal no word and no number is broken; one row is called a row."""
    text = io.StringIO()
    update = progress(
        SimpleNamespace(
            **{**vars(UPDATE), "name": "flights_by_carrier_and_hour", "numInputRows": 1}
        )
    )
    with Board(Console(file=text, width=80, force_terminal=True, color_system=None)) as board:
        board.add(update)
    board.close()
    for shown in ("flights_by_carrier_and_hour", "400", "7 rows, 3.0 MB", "2013-01-01T09:00:00"):
        assert shown in text.getvalue()
    assert "flights_by_carrier_and_hour: 1 row in 1 batch" in text.getvalue()
