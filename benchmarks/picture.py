"""Draws the last run, and the ratios of all runs, as SVG for light and for dark pages.

``python -m benchmarks.picture`` draws them again from the history file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from benchmarks import history
from benchmarks.figures import figure
from benchmarks.history import Entry
from benchmarks.native_program import ROOT
from benchmarks.rows import ROWS

FOLDER = ROOT / "docs" / "_static"
WIDTH = 700


@dataclass(frozen=True)
class Shown:
    """A row of the benchmarks that the pictures show."""

    row: str
    title: str


SHOWN = (
    Shown("produce", "Produce"),
    Shown("consume-value", "Consume in batches"),
    Shown("aio-consume-fetching", "Consume with asyncio"),
    Shown("aiokafka-getone", "The aiokafka API"),
    Shown("kafka-python-iterate", "The kafka-python API"),
    Shown("avro-decode-10000", "Avro into Arrow columns"),
)


@dataclass(frozen=True)
class Theme:
    """The colours of the texts and of the two bars. The page itself provides the background."""

    name: str
    text: str
    faint: str
    ours: str
    peer: str
    lines: tuple[str, ...]


THEMES = (
    Theme(
        *("light", "#1f2328", "#59636e", "#0969da", "#9aa4af"),
        ("#0969da", "#1a7f37", "#bc4c00", "#8250df", "#bf3989", "#7d6608"),
    ),
    Theme(
        *("dark", "#f0f6fc", "#9198a1", "#4493f8", "#656c76"),
        ("#4493f8", "#3fb950", "#db8a3d", "#ab7df8", "#db61a2", "#d4b72f"),
    ),
)


def draw(entries: Sequence[Entry], folder: Path = FOLDER) -> None:
    """Write all pictures."""
    pictures: dict[str, Callable[[Theme], str]] = {
        "speed": lambda theme: speed(entries[-1], theme),
        "history": lambda theme: ratios(entries, theme),
    }
    for name, picture in pictures.items():
        for theme in THEMES:
            path = folder / f"{name}-{theme.name}.svg"
            path.write_text(picture(theme), encoding="utf-8")


# ---- rates of the last run ----

_BARS_LEFT = 365
_BARS_WIDTH = WIDTH - _BARS_LEFT - 50
_BAR = 16
_ROW_HEIGHT = 62
_TOP = 42


def speed(entry: Entry, theme: Theme) -> str:
    """Return a pair of bars for each row; each pair has its own scale."""
    peers = {row.name: row.peer for row in ROWS}
    parts = [_text(0, 16, "Million messages (or rows) per second. Each pair has its own scale.")]
    shown = [one for one in SHOWN if one.row in entry["rows"]]
    for number, one in enumerate(shown):
        figures = entry["rows"][one.row]
        top = _TOP + number * _ROW_HEIGHT
        parts += [
            _text(0, top + 13, one.title, kind="title"),
            _text(0, top + 32, f"{figures['ratio']:.1f} times the peer's rate"),
            *_bar(top, "this package", figures["ours"], figures, theme.ours),
            *_bar(top + _BAR + 4, peers[one.row], figures["peer"], figures, theme.peer),
        ]
    height = _TOP + len(shown) * _ROW_HEIGHT
    return _svg(height, "Messages per second of this package and of each peer", parts, theme)


def _bar(top: int, name: str, rate: float, figures: dict[str, float], colour: str) -> Iterator[str]:
    width = max(_BARS_WIDTH * rate / max(figures["ours"], figures["peer"]), 2)
    yield _text(_BARS_LEFT - 8, top + 13, name, "end")
    yield (
        f'<rect x="{_BARS_LEFT}" y="{top}" width="{width:.1f}" height="{_BAR}" rx="2" '
        f'fill="{colour}"/>'
    )
    yield _text(_BARS_LEFT + width + 7, top + 13, figure(rate / 1e6), kind="figure")


# ---- ratios of all runs ----

_PLOT = (44, 44, 430, 300)  # the edges: left, top, right, bottom


def ratios(entries: Sequence[Entry], theme: Theme) -> str:
    """Return a graph with a line for each row over the runs, on a logarithmic scale."""
    left, top, right, bottom = _PLOT
    found = {
        one: [
            (n, e["rows"][one.row]["ratio"]) for n, e in enumerate(entries) if one.row in e["rows"]
        ]
        for one in SHOWN
    }
    highest = max((ratio for points in found.values() for _, ratio in points), default=1)
    decades = math.log10(max(highest * 1.3, 10))

    def place(number: int, ratio: float) -> tuple[float, float]:
        across = number / (len(entries) - 1) if len(entries) > 1 else 0.5
        y = bottom - (bottom - top) * max(math.log10(ratio), 0) / decades
        return left + 12 + (right - left - 24) * across, y

    parts = [_text(0, 16, "Our rate over the peer's rate in each full run")]
    for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        if math.log10(tick) <= decades:
            _, y = place(0, tick)
            parts.append(
                f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" '
                f'stroke="{theme.faint}" stroke-opacity="0.35"/>'
            )
            parts.append(_text(left - 8, y + 4, f"{tick}", anchor="end"))
    for number, anchor in _dates(len(entries)):
        x, _ = place(number, 1)
        parts.append(_text(x, bottom + 22, entries[number]["date"], anchor=anchor))
    ends = []
    for (one, points), colour in zip(found.items(), theme.lines, strict=True):
        places = [place(*point) for point in points]
        parts += [
            f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}" '
            f'stroke="{colour}" stroke-width="2"/>'
            for (a, b), (c, d) in pairwise(places)
        ]
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in places]
        if places:
            ends.append((places[-1][1], f"{one.title}: {points[-1][1]:.1f}", colour))
    return _svg(bottom + 34, "Ratios of all full runs", [*parts, *_names(ends)], theme)


def _dates(count: int) -> list[tuple[int, str]]:
    return [(0, "start"), (count - 1, "end")] if count > 1 else [(0, "middle")]


def _names(ends: Sequence[tuple[float, str, str]]) -> Iterator[str]:
    """Yield the names beside the last points of the lines, so that no names overlap."""
    lowest = -math.inf
    for y, name, colour in sorted(ends):
        lowest = max(y, lowest + 20)
        yield f'<circle cx="{_PLOT[2] + 14}" cy="{lowest:.1f}" r="4" fill="{colour}"/>'
        yield _text(_PLOT[2] + 24, lowest + 4, name, kind="figure")


# ---- elements ----


def _svg(height: float, title: str, parts: Sequence[str], theme: Theme) -> str:
    style = (
        "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
        f"fill:{theme.faint}}}.title{{font-weight:600;font-size:14px;fill:{theme.text}}}"
        f".figure{{fill:{theme.text}}}"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style>",
            *parts,
            "</svg>\n",
        ]
    )


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "faint") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(text)}</text>'


if __name__ == "__main__":
    draw(history.read())
