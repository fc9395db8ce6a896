"""What tools ask of a consumer's membership of its group."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["GroupCoordinator"]


class GroupCoordinator:
    """A consumer's membership, of which librdkafka takes care.

    Args:
        group_id: the group.
        member_id: returns the member's id; None if the consumer is none, at the moment.
    """

    def __init__(self, group_id: str, member_id: Callable[[], str | None]) -> None:
        self.group_id = group_id
        self._member_id = member_id

    @property
    def member_id(self) -> str:
        """The member's id; "" if the consumer is no member at the moment."""
        return self._member_id() or ""
