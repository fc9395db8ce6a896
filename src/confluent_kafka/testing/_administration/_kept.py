"""What an area of the administration keeps between the runs of a cluster with a data folder."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Kept(Protocol):
    """An area with state of its own, or with state of the brokers that has no other owner.

    Each class of `administration()` that has these members is kept. `saved()` returns what JSON can
    represent, and `restore()` takes it in a new cluster, after its topics.

    Attributes:
        kept_as: the name of the state in the metadata.
    """

    kept_as: str

    def saved(self) -> Any:
        """Return the state."""
        ...

    def restore(self, saved: Any) -> None:
        """Take the state of an earlier run."""
        ...
