"""The picture of a run: the delays of the year, and the throughput of the run."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import TypeAlias

import numpy
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.dates import ConciseDateFormatter, MonthLocator
from matplotlib.ticker import FuncFormatter

from .data import HourOfCarrier
from .report import Totals
from .state import Job, Run

_INK, _GRAY = "#22313f", "#8395a7"
_DELAY, _CANCELLED = "#c0392b", "#b7c3cf"
_PRODUCED, _PROCESSED, _READ = "#2e86de", "#e67e22", "#10ac84"
# The chart counts messages in intervals of this number of seconds.
_BIN = 0.5

Points: TypeAlias = list[tuple[float, int]]


def draw(run: Run, rows: Iterable[HourOfCarrier], file: Path) -> None:
    """Write the picture, as PNG."""
    pyplot.switch_backend("Agg")
    pyplot.rcParams.update({"font.size": 10, "text.color": _INK, "axes.labelcolor": _INK})
    figure, (delays, throughput) = pyplot.subplots(
        2, 1, figsize=(11, 8), height_ratios=[3, 2], layout="constrained"
    )
    _draw_delays(delays, rows)
    _draw_throughput(throughput, run)
    figure.get_layout_engine().set(h_pad=0.12, w_pad=0.12)
    figure.savefig(file, dpi=150)
    pyplot.close(figure)


def _draw_delays(axes: Axes, rows: Iterable[HourOfCarrier]) -> None:
    days: dict[date, Totals] = defaultdict(Totals)
    for row in rows:
        days[date.fromisoformat(row.hour[:10])].add(row)
    when = sorted(days)
    mean = [days[day].mean_delay for day in when]
    axes.bar(when, mean, width=1, color=_DELAY, alpha=0.25, label="each day")
    axes.plot(when, _week_around(days, when), color=_DELAY, linewidth=2, label="the week around it")
    axes.set_ylabel("mean departure delay, minutes")
    axes.set_title("Flights out of New York in 2013: delays by scheduled departure", loc="left")
    axes.xaxis.set_major_locator(MonthLocator())
    axes.xaxis.set_major_formatter(ConciseDateFormatter(MonthLocator()))
    axes.margins(x=0.01)
    _annotate_worst(axes, when, mean)
    _finish(axes)


def _week_around(days: dict[date, Totals], when: list[date]) -> list[float]:
    """Return the mean delay of all departures within three days of each day."""
    means = []
    for day in when:
        near = [days.get(day + timedelta(days=shift)) for shift in range(-3, 4)]
        week = [totals for totals in near if totals is not None]
        late = sum(totals.departure_delay for totals in week)
        means.append(late / max(1, sum(totals.departures for totals in week)))
    return means


def _annotate_worst(axes: Axes, when: list[date], mean: list[float]) -> None:
    worst = max(range(len(mean)), key=mean.__getitem__)
    axes.annotate(
        f"{when[worst]:%d %B}: {mean[worst]:.0f} minutes",
        (when[worst], mean[worst]),
        xytext=(8, -4),
        textcoords="offset points",
        color=_DELAY,
    )


def _draw_throughput(axes: Axes, run: Run) -> None:
    end = run.elapsed
    series = [
        ("producer", _PRODUCED, [run.deliveries.transmitted]),
        ("Spark", _PROCESSED, [_processed(run.job)]),
        ("consumer group", _READ, [member.read for member in run.members]),
    ]
    edges = numpy.arange(0, end + _BIN, _BIN)
    for label, color, sources in series:
        rates = sum(_rates(points, run.started, edges) for points in sources)
        axes.stairs(rates, edges, fill=True, color=color, alpha=0.3)
        axes.stairs(rates, edges, color=color, linewidth=1.5, label=label)
    axes.set_title("This run: messages a second", loc="left")
    axes.set_xlabel("seconds since its start")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlim(0, end)
    _finish(axes)


def _processed(job: Job) -> Points:
    """Return Spark's total of processed messages at the start and the end of each micro-batch."""
    points: Points = []
    total = 0
    for batch in job.batches:
        points.append((batch.started, total))
        total += batch.rows
        points.append((batch.started + batch.seconds, total))
    return points


def _rates(points: Points, started: float, edges: numpy.ndarray) -> numpy.ndarray:
    """Return the messages per second in each interval. The points are totals at some times."""
    if not points:
        return numpy.zeros(len(edges) - 1)
    moments, totals = zip(*points, strict=True)
    counts: numpy.ndarray = numpy.interp(edges, numpy.array(moments) - started, totals)
    return numpy.diff(counts) / _BIN


def _finish(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_GRAY)
    axes.tick_params(colors=_GRAY, labelcolor=_INK)
    axes.grid(axis="y", color=_GRAY, alpha=0.2)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="upper right", ncols=3)
