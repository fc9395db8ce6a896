"""The results of a full run of the benchmarks: stored, compared with the previous run, and
drawn."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from benchmarks import history, picture
from benchmarks.measure import Result
from benchmarks.report import missed_bars, speed_tables, verdicts
from benchmarks.rows import ROWS, Side

BEFORE = {"date": "2026-11-01", "cpu": "A", "cores": 2, "rows": {"produce": {"ratio": 2.0}}}
PRODUCE = next(row for row in ROWS if row.name == "produce")


def a_result(ratio: float) -> Result:
    return Result(
        PRODUCE,
        {Side.OURS: 3_210_000, Side.PEER: 1_440_000, Side.NATIVE: 3_470_000},
        {Side.PEER: ratio, Side.NATIVE: 0.92},
        {Side.OURS: 309, Side.PEER: 693, Side.NATIVE: 288},
        {},
        2.16,
        2.29,
        2.24,
    )


def run_of(ratio: float, **other: Any) -> dict[str, Any]:
    return {**BEFORE, "rows": {"produce": {"ratio": ratio}}, **other}


@pytest.mark.parametrize(
    ("run", "earlier", "count"),
    [
        (run_of(1.79), [BEFORE], 1),
        (run_of(1.81), [BEFORE], 0),
        (run_of(1.0), [], 0),
        (run_of(1.0, cpu="B"), [BEFORE], 0),
        (run_of(1.0, cores=4), [BEFORE], 0),
        (run_of(1.79), [run_of(9.0), BEFORE], 1),
        (run_of(1.81), [run_of(9.0), BEFORE, run_of(9.0, cpu="B")], 0),
        (run_of(1.0, rows={"new": {"ratio": 1.0}}), [BEFORE], 0),
    ],
)
def test_regressions(run: dict[str, Any], earlier: list[dict[str, Any]], count: int) -> None:
    """A ratio that fell by more than 10 % since the last run on the same machine is a
    regression."""
    found = history.regressions(run, earlier)
    assert len(found) == count
    assert all(line.startswith("regression: produce: ratio 1.79, on 2026-11-01") for line in found)


def test_appending(tmp_path: Path) -> None:
    """Appended runs are read back in order; without a file there are no runs."""
    file = tmp_path / "history.jsonl"
    assert history.read(file) == []
    for run in (BEFORE, run_of(3.0)):
        history.append(run, file)
    assert history.read(file) == [BEFORE, run_of(3.0)]


def test_processor(tmp_path: Path) -> None:
    """The name of the first processor identifies the machine."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Fast CPU\nmodel name\t: Other\n")
    assert history.cpu_model(cpuinfo) == "Fast CPU"


def test_rows_in_words() -> None:
    """A row of the report describes the calls of both sides. Only the console shows the bars."""
    [*_, line] = [line for line in speed_tables([a_result(2.23)]).splitlines() if "3.21" in line][
        :1
    ]
    assert line == (
        "| Enqueue messages one by one | `produce()` | 3.21 | confluent-kafka: `produce()` "
        "| 1.44 | 2.23 |"
    )
    assert "reached" not in speed_tables([a_result(1.0)])
    assert missed_bars(verdicts([a_result(2.23)], [], [], [])) == []
    assert missed_bars(verdicts([a_result(1.0)], [], [], [])) == [
        "not reached: produce: 1.00, the bar is 1.7 times confluent-kafka"
    ]


def test_names_are_distinct() -> None:
    """The names and the descriptions of rows are unique, because the history and its readers use
    them."""
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert len({(row.group, row.what, row.ours, row.peer) for row in ROWS}) == len(ROWS)
    assert {one.row for one in picture.SHOWN} <= {row.name for row in ROWS}


def test_pictures(tmp_path: Path) -> None:
    """The pictures are drawn from the committed history, also with one run or with rows missing."""
    runs = history.read()
    assert runs
    for number, entries in enumerate(([*runs, *runs], runs[:1], [{**runs[0], "rows": {}}])):
        folder = tmp_path / str(number)
        folder.mkdir()
        picture.draw(entries, folder)
        names = {path.name for path in folder.iterdir()}
        assert names == {
            f"{name}-{theme}.svg" for name in ("speed", "history") for theme in ("light", "dark")
        }
        for path in folder.iterdir():
            ElementTree.parse(path)
    rows = runs[-1]["rows"]
    drawn = picture.speed(runs[-1], picture.THEMES[0])
    assert f">{rows['produce']['ours'] / 1e6:.2f}<" in drawn
    assert "aiokafka" in drawn
