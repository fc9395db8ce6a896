"""The topology of a streams application, as its members described it to the brokers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from confluent_kafka import protocol


class StreamsGroupTopologyDescriptionStatus(Enum):
    """Whether a description of a streams group contains the topology description, or why not.

    Kafka: org.apache.kafka.clients.admin.StreamsGroupTopologyDescriptionStatus (KIP-1331).
    """

    NOT_REQUESTED = 0  # the request did not ask for it
    NOT_STORED = 1  # the brokers have no topology description of this group
    ERROR = 2  # the broker could not read it; the broker's log contains the reason
    AVAILABLE = 3  # the description contains it


@dataclass(frozen=True)
class StreamsGroupTopologyNode:
    """A node of a topology.

    Attributes:
        name: its name.
        successors: the names of the nodes that it sends records to.
        predecessors: the names of the nodes that send records to it.

    Kafka: StreamsGroupTopologyDescription.Node (KIP-1331).
    """

    name: str
    successors: list[str]
    predecessors: list[str]


@dataclass(frozen=True)
class StreamsGroupTopologySource(StreamsGroupTopologyNode):
    """A node that reads topics.

    Attributes:
        topics: the topics; empty if the application chooses them while it runs.

    Kafka: StreamsGroupTopologyDescription.Source (KIP-1331).
    """

    topics: list[str]


@dataclass(frozen=True)
class StreamsGroupTopologyProcessor(StreamsGroupTopologyNode):
    """A node that processes records.

    Attributes:
        stores: the names of the state stores that it uses.

    Kafka: StreamsGroupTopologyDescription.Processor (KIP-1331).
    """

    stores: list[str]


@dataclass(frozen=True)
class StreamsGroupTopologySink(StreamsGroupTopologyNode):
    """A node that writes to a topic.

    Attributes:
        topic: the topic; None if the application chooses it while it runs.

    Kafka: StreamsGroupTopologyDescription.Sink (KIP-1331).
    """

    topic: str | None


@dataclass(frozen=True)
class StreamsGroupTopologySubtopology:
    """A part of a topology.

    Attributes:
        subtopology_id: its id.
        nodes: a list of StreamsGroupTopologyNode.

    Kafka: StreamsGroupTopologyDescription.Subtopology (KIP-1331).
    """

    subtopology_id: str
    nodes: list[StreamsGroupTopologyNode]


@dataclass(frozen=True)
class StreamsGroupTopologyGlobalStore:
    """A state store that every instance of the application has as a whole.

    Attributes:
        source: the StreamsGroupTopologySource that reads the store's topic.
        processor: the StreamsGroupTopologyProcessor that writes the store.

    Kafka: StreamsGroupTopologyDescription.GlobalStore (KIP-1331).
    """

    source: StreamsGroupTopologySource
    processor: StreamsGroupTopologyProcessor


@dataclass(frozen=True)
class StreamsGroupTopologyDescription:
    """The topology of a streams application, with the nodes of each part.

    Attributes:
        subtopologies: a list of StreamsGroupTopologySubtopology.
        global_stores: a list of StreamsGroupTopologyGlobalStore.

    Kafka: org.apache.kafka.clients.admin.StreamsGroupTopologyDescription (KIP-1331).
    """

    subtopologies: list[StreamsGroupTopologySubtopology]
    global_stores: list[StreamsGroupTopologyGlobalStore]


def status_from(number: int) -> StreamsGroupTopologyDescriptionStatus:
    """Return the status for its number in an answer.

    Raises:
        MalformedMessageError: there is no such status.
    """
    try:
        return StreamsGroupTopologyDescriptionStatus(number)
    except ValueError:
        text = f"the answer has the unknown status {number} of a topology description"
        raise protocol.MalformedMessageError(text) from None


def topology_from(
    found: protocol.StreamsGroupDescribeResponse.DescribedGroup,
) -> StreamsGroupTopologyDescription | None:
    """Return the topology description in an answer; None if it has another status than AVAILABLE.

    Raises:
        MalformedMessageError: the description is missing, or a node has the wrong type.
    """
    status = status_from(found.topology_description_status)
    if status is not StreamsGroupTopologyDescriptionStatus.AVAILABLE:
        return None
    if found.topology_description is None:
        raise protocol.MalformedMessageError("the answer has no topology description")
    return StreamsGroupTopologyDescription(
        [_subtopology(each) for each in found.topology_description.subtopologies],
        [_global_store(each) for each in found.topology_description.global_stores],
    )


def _subtopology(
    found: protocol.StreamsGroupDescribeResponse.TopologyDescriptionSubtopology,
) -> StreamsGroupTopologySubtopology:
    return StreamsGroupTopologySubtopology(found.subtopology_id, _nodes(found.nodes))


def _global_store(
    found: protocol.StreamsGroupDescribeResponse.TopologyDescriptionGlobalStore,
) -> StreamsGroupTopologyGlobalStore:
    match _nodes((found.source, found.processor)):
        case [StreamsGroupTopologySource() as source, StreamsGroupTopologyProcessor() as processor]:
            return StreamsGroupTopologyGlobalStore(source, processor)
    raise protocol.MalformedMessageError("a global store must have a source and a processor")


def _nodes(
    found: Sequence[protocol.StreamsGroupDescribeResponse.TopologyDescriptionNode],
) -> list[StreamsGroupTopologyNode]:
    # An answer contains only the successors of each node.
    predecessors: dict[str, list[str]] = {each.name: [] for each in found}
    for each in found:
        for successor in each.successors:
            predecessors.setdefault(successor, []).append(each.name)
    return [_node(each, predecessors[each.name]) for each in found]


def _node(
    found: protocol.StreamsGroupDescribeResponse.TopologyDescriptionNode, predecessors: list[str]
) -> StreamsGroupTopologyNode:
    links = found.name, list(found.successors), predecessors
    match found.node_type:
        case 1:
            return StreamsGroupTopologySource(*links, list(found.source_topics))
        case 2:
            return StreamsGroupTopologyProcessor(*links, list(found.stores))
        case 3:
            return StreamsGroupTopologySink(*links, found.sink_topic)
    raise protocol.MalformedMessageError(
        f"the node {found.name!r} of a topology has the unknown type {found.node_type}"
    )
