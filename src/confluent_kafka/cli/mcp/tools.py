"""The tools of the MCP server that read: what a model can see in a cluster."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar

import click
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from confluent_kafka import KafkaException, TopicCollection, TopicPartition
from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.admin import OffsetSpec
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.ending import Failure
from confluent_kafka.cli.groups.rows import ends_of
from confluent_kafka.cli.groups.views import kind_of, listed, view
from confluent_kafka.cli.lag import findings
from confluent_kafka.cli.lag.facts import summary
from confluent_kafka.cli.lag.finding import place_name
from confluent_kafka.cli.lag.gathering import gather
from confluent_kafka.cli.messages.samples import Limits, sample
from confluent_kafka.cli.topics.selection import no_partition

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cli.messages.redaction import Redaction

_P = ParamSpec("_P")
_T = TypeVar("_T")

Topic = Annotated[str, Field(description="Name of the topic.")]
Group = Annotated[str, Field(description="Name of the group.")]


def explained(tool: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let a tool report its failures as text, which the model can read and act on."""

    @functools.wraps(tool)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return tool(*args, **kwargs)
        except KafkaException as error:
            raise ToolError(f"{error.args[0].name()}: {error.args[0].str()}") from error
        except click.BadParameter as error:
            raise ToolError(error.message) from error
        except Failure as failure:
            raise ToolError("\n".join(failure.reasons)) from failure
        except (ValueError, OverflowError) as error:  # the client refuses an argument
            raise ToolError(str(error)) from error

    return call


def partitions_of(admin: AdminClient, topic: str, timeout: float) -> list[int]:
    """Return the numbers of a topic's partitions. A request that names a topic could create it.

    Args:
        admin: a connected client.
        topic: the name of the topic.
        timeout: the seconds to wait for the cluster.

    Raises:
        ToolError: there is no such topic. The error names the nearest one.
    """
    known = admin.list_topics(timeout=timeout).topics
    if topic not in known:
        hint = did_you_mean(topic, known)
        raise ToolError(f"topic {topic!r} does not exist{': ' if hint else ''}{hint}")
    return sorted(known[topic].partitions)


class ReadingTools:
    """Tools that change nothing.

    Args:
        admin: a connected client.
        config: the configuration of clients.
        limits: the limits of a sample of messages.
        redaction: what to hide in messages.
        timeout: the seconds to wait for the cluster.
    """

    def __init__(
        self,
        admin: AdminClient,
        config: Mapping[str, Any],
        limits: Limits,
        redaction: Redaction,
        timeout: float,
    ) -> None:
        self._admin = admin
        self._config = config
        self._limits = limits
        self._redaction = redaction
        self._timeout = timeout

    @explained
    def cluster(self) -> dict[str, Any]:
        """Describe the cluster: its id, its controller and its brokers."""
        found = self._admin.describe_cluster(request_timeout=self._timeout).result()
        return {
            "cluster_id": found.cluster_id,
            "controller": None if found.controller is None else found.controller.id,
            "brokers": [
                {"id": node.id, "host": node.host, "port": node.port, "rack": node.rack}
                for node in sorted(found.nodes, key=lambda node: node.id)
            ],
        }

    @explained
    def topics(
        self,
        pattern: Annotated[
            str, Field(description="Regular expression that a part of the name must match.")
        ] = "",
    ) -> dict[str, Any]:
        """List the topics with their numbers of partitions and replicas."""
        try:
            fits = re.compile(pattern)
        except re.error as error:
            raise ToolError(f"pattern {pattern!r} is not a regular expression: {error}") from None
        known = self._admin.list_topics(timeout=self._timeout).topics
        return {
            "topics": [
                {
                    "topic": name,
                    "partitions": len(topic.partitions),
                    "replicas": max(
                        (len(p.replicas) for p in topic.partitions.values()), default=0
                    ),
                }
                for name, topic in sorted(known.items())
                if fits.search(name)
            ]
        }

    @explained
    def topic(self, topic: Topic) -> dict[str, Any]:
        """Describe a topic: leader, replicas, in-sync replicas and offsets of each partition."""
        partitions_of(self._admin, topic, self._timeout)
        futures = self._admin.describe_topics(
            TopicCollection([topic]), request_timeout=self._timeout
        )
        found = futures[topic].result()
        places = [TopicPartition(topic, partition.id) for partition in found.partitions]
        earliest, latest = (
            self._offsets(places, spec) for spec in (OffsetSpec.earliest, OffsetSpec.latest)
        )
        return {
            "topic": topic,
            "partitions": [
                {
                    "partition": partition.id,
                    "leader": None if partition.leader is None else partition.leader.id,
                    "replicas": [node.id for node in partition.replicas],
                    "in_sync": [node.id for node in partition.isr],
                    "first_offset": earliest.get(partition.id),
                    "end_offset": latest.get(partition.id),
                }
                for partition in found.partitions
            ],
        }

    def _offsets(
        self, places: list[TopicPartition], spec: Callable[[], OffsetSpec]
    ) -> dict[int, int]:
        asked = {place: spec() for place in places}
        futures = self._admin.list_offsets(asked, request_timeout=self._timeout)
        return {place.partition: future.result().offset for place, future in futures.items()}

    @explained
    def messages(
        self,
        topic: Topic,
        partition: Annotated[
            int | None, Field(description="Only this partition; by default all partitions.")
        ] = None,
        begin: Annotated[
            str,
            Field(
                description="Where to begin in each partition: 'earliest', an offset, a time such "
                "as 2026-01-31T12:00Z, a duration back from now such as -1h, or '-N' for the last "
                "N messages."
            ),
        ] = "-10",
        count: Annotated[int, Field(ge=1, description="The largest number of messages.")] = 10,
    ) -> dict[str, Any]:
        """Read some messages of a topic that exist now, ordered by time. Nothing is committed."""
        numbers = partitions_of(self._admin, topic, self._timeout)
        if partition is not None and partition not in numbers:
            raise ToolError(no_partition(topic, partition, numbers))
        start = Bound.parse(begin, "begin", counts_back=True)
        places = [(topic, number) for number in numbers if partition in (None, number)]
        limits = self._limits._replace(messages=min(count, self._limits.messages))
        found = sample(self._config, places, start, limits, self._redaction, self._timeout)
        return {"messages": found}

    @explained
    def groups(self) -> dict[str, Any]:
        """List the groups of all kinds with their types and states."""
        found, failures = listed(self._admin, self._timeout)
        return {
            "groups": [
                {"group": name, "type": kind_of(each), "state": each.state.name.lower()}
                for name, each in found.items()
            ],
            "brokers_that_did_not_answer": failures,
        }

    @explained
    def group(self, group: Group) -> dict[str, Any]:
        """Describe a group: state, members, and committed offset, end and lag of each partition."""
        found = view(self._admin, group, self._timeout)
        ends = ends_of(self._admin, {group: found}, self._timeout)
        return {
            "group": group,
            "type": found.kind,
            "state": found.state,
            "members": [
                {
                    "member": each.id,
                    "client": each.client,
                    "host": each.host,
                    "partitions": [place_name(place) for place in each.reads],
                }
                for each in found.members
            ],
            "partitions": [
                {
                    "topic": place[0],
                    "partition": place[1],
                    "committed": found.committed.get(place),
                    "end": ends[place],
                    "lag": found.lag(place, ends[place]),
                }
                for place in found.places
            ],
        }

    @explained
    def why(
        self,
        group: Group,
        seconds: Annotated[
            float, Field(ge=0, le=60, description="Time between two samples that are compared.")
        ] = 6,
    ) -> dict[str, Any]:
        """Explain why a group is behind: findings with their evidence, and commands to type."""
        facts = gather(self._admin, group, seconds, self._timeout)
        return {
            "summary": summary(facts),
            "findings": [
                {
                    "severity": each.severity.name.lower(),
                    "finding": each.name,
                    "why": each.text,
                    "evidence": each.evidence,
                    "commands": each.commands,
                }
                for each in findings(facts)
            ],
        }
