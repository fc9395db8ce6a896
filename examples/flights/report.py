"""Makes the table of carriers, which is the result of a run."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from rich import box
from rich.table import Table

from .data import HourOfCarrier

_NAMES = {
    "9E": "Endeavor Air",
    "AA": "American Airlines",
    "AS": "Alaska Airlines",
    "B6": "JetBlue Airways",
    "DL": "Delta Air Lines",
    "EV": "ExpressJet Airlines",
    "F9": "Frontier Airlines",
    "FL": "AirTran Airways",
    "HA": "Hawaiian Airlines",
    "MQ": "Envoy Air",
    "OO": "SkyWest Airlines",
    "UA": "United Air Lines",
    "US": "US Airways",
    "VX": "Virgin America",
    "WN": "Southwest Airlines",
    "YV": "Mesa Airlines",
}


@dataclass
class Totals:
    """The sums over the hours of one carrier, or of all carriers."""

    flights: int = 0
    departures: int = 0
    departure_delay: int = 0
    arrival_delay: int = 0
    worst_delay: int = 0

    def add(self, row: HourOfCarrier) -> None:
        """Add one hour."""
        self.flights += row.flights
        self.departures += row.departures
        self.departure_delay += row.departure_delay
        self.arrival_delay += row.arrival_delay
        self.worst_delay = max(self.worst_delay, row.worst_delay or 0)

    @property
    def cancelled(self) -> float:
        """The fraction of flights that never departed."""
        return 1 - self.departures / self.flights

    @property
    def mean_delay(self) -> float:
        """The mean departure delay, in minutes."""
        return self.departure_delay / max(1, self.departures)


def table(rows: Iterable[HourOfCarrier]) -> Table:
    """Return a table with the sums of each carrier. The carrier with the most flights is first."""
    carriers: dict[str, Totals] = defaultdict(Totals)
    everyone = Totals()
    for row in rows:
        carriers[row.carrier].add(row)
        everyone.add(row)
    shown = Table(box=box.SIMPLE_HEAD, title="Departures from New York, 2013")
    shown.add_column("carrier")
    for name in ("flights", "cancelled", "mean delay", "worst delay"):
        shown.add_column(name, justify="right")
    by_flights = sorted(carriers.items(), key=lambda item: -item[1].flights)
    for code, totals in by_flights:
        shown.add_row(f"{code} {_NAMES.get(code, '')}", *_cells(totals))
    shown.add_section()
    shown.add_row("all", *_cells(everyone), style="bold")
    return shown


def _cells(totals: Totals) -> tuple[str, ...]:
    return (
        f"{totals.flights:,}",
        f"{totals.cancelled:.1%}",
        f"{totals.mean_delay:.1f} min",
        f"{totals.worst_delay:,} min",
    )
