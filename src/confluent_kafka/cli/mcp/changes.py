"""The tools of the MCP server that change a cluster, which the user must allow by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.cli.groups.offset_plan import COLUMNS, Change
from confluent_kafka.cli.groups.offset_target import target_of
from confluent_kafka.cli.groups.reset import carry_out, planned
from confluent_kafka.cli.groups.view import KINDS
from confluent_kafka.cli.mcp.tools import Group, Topic, explained, partitions_of
from confluent_kafka.cli.topics.selection import no_partition, selection

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient


class WritingTools:
    """Tools that change the cluster. Each one is offered only if the user allows it by name.

    Args:
        admin: a connected client.
        config: the configuration of clients.
        timeout: the seconds to wait for the cluster.
    """

    def __init__(self, admin: AdminClient, config: Mapping[str, Any], timeout: float) -> None:
        self._admin = admin
        self._config = config
        self._timeout = timeout

    @explained
    def produce(
        self,
        topic: Topic,
        value: Annotated[
            str | None,
            Field(description="The value as text; null deletes the key in a compacted topic."),
        ],
        key: Annotated[str | None, Field(description="The key as text.")] = None,
        headers: Annotated[
            dict[str, str] | None, Field(description="Headers by their names.")
        ] = None,
        partition: Annotated[
            int | None, Field(ge=0, description="By default the key determines the partition.")
        ] = None,
    ) -> dict[str, Any]:
        """Send a message, and return the partition and the offset where it is stored."""
        numbers = partitions_of(self._admin, topic, self._timeout)
        if partition is not None and partition not in numbers:
            raise ToolError(no_partition(topic, partition, numbers))
        delivered: list[tuple[KafkaError | None, Message]] = []
        config = {**self._config, "message.timeout.ms": int(self._timeout * 1000)}
        with Producer(config) as producer:
            producer.produce(
                topic,
                value,
                key,
                -1 if partition is None else partition,
                on_delivery=lambda error, message: delivered.append((error, message)),
                headers=headers,
            )
        ((error, message),) = delivered
        if error is not None:
            raise KafkaException(error)
        return {"partition": message.partition(), "offset": message.offset()}

    @explained
    def reset(
        self,
        group: Group,
        topics: Annotated[
            list[str],
            Field(
                description="Topics with all their partitions (orders), or with some (orders:0,2). "
                "An empty list stands for all partitions with committed offsets."
            ),
        ],
        to: Annotated[
            str,
            Field(
                description="New position: earliest, latest, current, an offset, a time such as "
                "2026-01-31T12:00Z, or a duration back from now such as -1h."
            ),
        ],
        execute: Annotated[
            bool, Field(description="Set the offsets. Otherwise only the plan is returned.")
        ] = False,
    ) -> dict[str, Any]:
        """Return a plan for the offsets of a group, and carry it out only with execute.

        First call the tool without execute, and let the user agree to the plan.
        """
        target, chosen = target_of(to), [selection(text) for text in topics] or None
        plan = planned(self._admin, group, KINDS, target, chosen, self._timeout)
        if not execute:
            changes = [_changed(each) for each in plan.changes]
            return {"executed": False, "changes": changes, "obstacles": plan.obstacles}
        done, refused = carry_out(self._admin, plan, self._timeout)
        return {"executed": True, "changes": [_changed(each) for each in done], "refused": refused}


def _changed(change: Change) -> dict[str, Any]:
    return dict(zip((name.replace(" ", "_") for name in COLUMNS), change.row, strict=True))
