"""Brokers and topics, as requests name them and results describe them."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it from typing would load typing
if TYPE_CHECKING:
    from confluent_kafka.cimpl import Uuid


class Node:
    """A broker in a result. Two nodes are equal if all their attributes are equal.

    Attributes:
        id: the broker's id.
        id_string: the id as a str.
        host: the host name or address that clients connect to.
        port: the port at this host.
        rack: the rack of the broker, or None.

    librdkafka: rd_kafka_Node_t.
    """

    __slots__ = ("host", "id", "id_string", "port", "rack")

    def __init__(
        self,
        id: int,  # noqa: A002
        host: str,
        port: int,
        rack: str | None = None,
    ) -> None:
        self.id: int = id
        self.id_string: str = str(id)
        self.host: str = host
        self.port: int = port
        self.rack: str | None = rack

    def _key(self) -> tuple[int, str, int, str | None]:
        return self.id, self.host, self.port, self.rack

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Node({self.id}, {self.host!r}, {self.port}, rack={self.rack!r})"

    def __str__(self) -> str:
        rack = "" if self.rack is None else f" (Rack - {self.rack})"
        return f"({self.id}) {self.host}:{self.port}{rack}"


class TopicCollection:
    """The topics of a request.

    Attributes:
        topic_names: their names, a list of str.

    librdkafka: rd_kafka_TopicCollection_t.
    """

    __slots__ = ("topic_names",)

    def __init__(self, topic_names: list[str]) -> None:
        self.topic_names: list[str] = topic_names

    def __repr__(self) -> str:
        return f"TopicCollection({self.topic_names!r})"


class TopicIdCollection:
    """Topics of a request, by id. If a topic is deleted and created again, its id changes.

    Attributes:
        topic_ids: their ids, a list of Uuid.

    Kafka: org.apache.kafka.common.TopicCollection.TopicIdCollection (KIP-516).
    """

    __slots__ = ("topic_ids",)

    def __init__(self, topic_ids: list[Uuid]) -> None:
        self.topic_ids: list[Uuid] = topic_ids

    def __repr__(self) -> str:
        return f"TopicIdCollection({self.topic_ids!r})"


class TopicPartitionInfo:
    """One partition in a topic's description.

    Attributes:
        id: the partition's number.
        leader: the broker that leads it, or None when there is none.
        replicas: the brokers that hold a copy.
        isr: the brokers whose copy is in sync.

    librdkafka: rd_kafka_TopicPartitionInfo_t.
    """

    __slots__ = ("id", "isr", "leader", "replicas")

    def __init__(
        self,
        id: int,  # noqa: A002
        leader: Node | None,
        replicas: list[Node],
        isr: list[Node],
    ) -> None:
        self.id: int = id
        self.leader: Node | None = leader
        self.replicas: list[Node] = replicas
        self.isr: list[Node] = isr

    def __repr__(self) -> str:
        return (
            f"TopicPartitionInfo({self.id}, leader={self.leader!r}, "
            f"replicas={self.replicas!r}, isr={self.isr!r})"
        )
