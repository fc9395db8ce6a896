"""The result of a chaos scenario, as one row of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Counts of a scenario; `promised` names the counts that must be zero."""

    scenario: str
    fault: str  # the fault in the cluster or in the clients
    times: int  # how often
    messages: int  # how many messages were sent
    lost: int
    duplicated: int
    out_of_order: int
    # The counts that must be zero in this scenario.
    promised: tuple[str, ...] = ("lost", "duplicated", "out_of_order", "unreported")
    notes: str = ""
    # Calls of delivery callbacks that are missing or too many.
    unreported: int = 0
    # Other promises that did not hold, as text.
    broken: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether the scenario's promises hold."""
        return not self.broken and all(getattr(self, name) == 0 for name in self.promised)
