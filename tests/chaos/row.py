"""What a chaos scenario found, as one row of the table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Counts, not opinions: `promised` says which of them must be zero."""

    scenario: str
    fault: str  # what was done to the cluster or to the clients
    times: int  # how often
    messages: int  # how many went in
    lost: int
    duplicated: int
    out_of_order: int
    # The counts that must be zero here.
    promised: tuple[str, ...] = ("lost", "duplicated", "out_of_order", "unreported")
    notes: str = ""
    # Calls of delivery callbacks that are missing or too many.
    unreported: int = 0
    # What else was promised and did not hold, in words.
    broken: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether what was promised holds."""
        return not self.broken and all(getattr(self, name) == 0 for name in self.promised)
