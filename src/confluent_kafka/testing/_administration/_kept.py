"""Areas of the administration whose state a data folder keeps between runs."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Kept(Protocol):
    """An area whose state a data folder keeps.

    An area is kept if its class has these members. The state is the area's own, or a part of the
    brokers' state. `saved()` returns values that JSON can represent. A new cluster calls
    `restore()` when it has all topics.

    Attributes:
        kept_as: the name of the state in the metadata.
    """

    kept_as: str

    def saved(self) -> Any:
        """Return the state."""
        ...

    def restore(self, saved: Any) -> None:
        """Replace the state with the state of an earlier run."""
        ...
