"""The object that tools ask about a consumer's membership in its group."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["GroupCoordinator"]


class GroupCoordinator:
    """A consumer's membership in its group, which librdkafka manages.

    Args:
        group_id: the group.
        member_id: returns the member's id; None if the consumer is not a member now.
    """

    def __init__(self, group_id: str, member_id: Callable[[], str | None]) -> None:
        self.group_id = group_id
        self._member_id = member_id

    @property
    def member_id(self) -> str:
        """The member's id; "" if the consumer is not a member now."""
        return self._member_id() or ""
