"""``list`` and ``delete`` for groups of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    choice,
    confirm,
    report_change,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.groups.views import listed, of_kind

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, GroupState

    Request = Callable[[AdminClient, list[str], float], Mapping[str, Future[Any]]]

States = Annotated[
    list[str] | None,
    option(
        "--state",
        help="List only groups in this state, such as stable. Can be given more than once.",
    ),
]


def states_of(values: list[str] | None) -> set[GroupState] | None:
    """Return the states that --state names; None stands for all states.

    Args:
        values: values of --state.
    """
    from confluent_kafka.admin import GroupState

    return {choice(GroupState, text, "--state") for text in values or []} or None


def listing(kind: str, text: str) -> Callable[..., None]:
    """Return the command that lists groups of one kind.

    Args:
        kind: share or streams.
        text: its help.
    """

    def list_(
        connection: Connection,
        timeout: Timeout = 30,
        as_json: AsJson = False,
        state: States = None,
    ) -> None:
        from confluent_kafka.admin import GroupType

        states = states_of(state)
        with administering(connection, timeout) as admin:
            found, failures = listed(admin, timeout, types={GroupType[kind.upper()]}, states=states)
        rows = [(name, group.state.name.lower()) for name, group in found.items()]
        show(("group", "state"), rows, as_json)
        if failures:
            fail(*failures)

    list_.__doc__ = text
    return list_


def deleting(kinds: tuple[str, ...], request: Request, text: str) -> Callable[..., None]:
    """Return the command that deletes groups.

    Args:
        kinds: the kinds of groups that it is for.
        request: asks the cluster to delete groups of these names, within some seconds.
        text: its help.
    """

    def delete(
        groups: Annotated[list[str], argument(help="Groups to delete.")],
        connection: Connection,
        timeout: Timeout = 30,
        as_json: AsJson = False,
        yes: Yes = False,
    ) -> None:
        confirm(f"Delete {', '.join(groups)} and their offsets?", yes)
        with administering(connection, timeout) as admin:
            known, absent = of_kind(admin, groups, kinds, "delete", timeout)
            deleted, failures = settled("group", request(admin, list(known), timeout))
        for name in deleted:
            report_change(f"group {name} was deleted", as_json, {"group": name})
        if absent or failures:
            fail(*absent, *failures)

    delete.__doc__ = text
    return delete
