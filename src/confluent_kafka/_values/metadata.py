"""The metadata of a cluster: the results of ``list_topics()`` and ``list_groups()``."""

from __future__ import annotations

TYPE_CHECKING = False  # importing it from typing would load typing
if TYPE_CHECKING:
    from confluent_kafka.cimpl import KafkaError


class PartitionMetadata:
    """One partition of a topic.

    Attributes:
        id: the partition's number.
        leader: the id of the broker that leads it, -1 when there is none.
        replicas: the ids of the brokers that hold a copy.
        isrs: the ids of the brokers whose copy is in sync.
        error: the partition's error, or None.

    librdkafka: rd_kafka_metadata_partition_t.
    """

    __module__ = "confluent_kafka.admin"
    __slots__ = ("error", "id", "isrs", "leader", "replicas")

    def __init__(
        self,
        id: int = -1,  # noqa: A002
        leader: int = -1,
        replicas: list[int] | None = None,
        isrs: list[int] | None = None,
        error: KafkaError | None = None,
    ) -> None:
        self.id: int = id
        self.leader: int = leader
        self.replicas: list[int] = [] if replicas is None else replicas
        self.isrs: list[int] = [] if isrs is None else isrs
        self.error: KafkaError | None = error

    def __repr__(self) -> str:
        return f"PartitionMetadata({self.id}{_error_suffix(self.error)})"

    def __str__(self) -> str:
        return str(self.id)


class TopicMetadata:
    """One topic.

    Attributes:
        topic: its name.
        partitions: its partitions by number.
        error: the topic's error, or None.

    librdkafka: rd_kafka_metadata_topic_t.
    """

    __module__ = "confluent_kafka.admin"
    __slots__ = ("error", "partitions", "topic")

    def __init__(
        self,
        topic: str | None = None,
        partitions: dict[int, PartitionMetadata] | None = None,
        error: KafkaError | None = None,
    ) -> None:
        self.topic: str | None = topic
        self.partitions: dict[int, PartitionMetadata] = {} if partitions is None else partitions
        self.error: KafkaError | None = error

    def __repr__(self) -> str:
        count = len(self.partitions)
        return f"TopicMetadata({self.topic}, {count} partitions{_error_suffix(self.error)})"

    def __str__(self) -> str:
        return str(self.topic)


class BrokerMetadata:
    """One broker.

    Attributes:
        id: its id.
        host: the host name or address that clients connect to.
        port: the port at this host.

    librdkafka: rd_kafka_metadata_broker_t.
    """

    __module__ = "confluent_kafka.admin"
    __slots__ = ("host", "id", "port")

    def __init__(
        self,
        id: int = -1,  # noqa: A002
        host: str | None = None,
        port: int = -1,
    ) -> None:
        self.id: int = id
        self.host: str | None = host
        self.port: int = port

    def __repr__(self) -> str:
        return f"BrokerMetadata({self.id}, {self.host}:{self.port})"

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.id}"


class ClusterMetadata:
    """A cluster with its brokers and topics.

    Attributes:
        cluster_id: the cluster's id, or None when it is not known yet.
        controller_id: the id of the controller, -1 when it is not known yet.
        brokers: the brokers by id.
        topics: the topics by name.
        orig_broker_id: the id of the broker that answered, -1 for a bootstrap address.
        orig_broker_name: the name of the broker that answered.

    librdkafka: rd_kafka_metadata_t, rd_kafka_clusterid(), rd_kafka_controllerid().
    """

    __module__ = "confluent_kafka.admin"
    __slots__ = (
        "brokers",
        "cluster_id",
        "controller_id",
        "orig_broker_id",
        "orig_broker_name",
        "topics",
    )

    def __init__(
        self,
        cluster_id: str | None = None,
        controller_id: int = -1,
        brokers: dict[int, BrokerMetadata] | None = None,
        topics: dict[str, TopicMetadata] | None = None,
        orig_broker_id: int = -1,
        orig_broker_name: str | None = None,
    ) -> None:
        self.cluster_id: str | None = cluster_id
        self.controller_id: int = controller_id
        self.brokers: dict[int, BrokerMetadata] = {} if brokers is None else brokers
        self.topics: dict[str, TopicMetadata] = {} if topics is None else topics
        self.orig_broker_id: int = orig_broker_id
        self.orig_broker_name: str | None = orig_broker_name

    def __repr__(self) -> str:
        return f"ClusterMetadata({self.cluster_id})"

    def __str__(self) -> str:
        return str(self.cluster_id)


class GroupMember:
    """A member of a group of any kind.

    Attributes:
        id: its id.
        client_id: its ``client.id``.
        client_host: the address of its client.
        metadata: the bytes that the member sent when it joined; the protocol type defines their
            format.
        assignment: the bytes that the member received; the protocol type defines their format.

    librdkafka: rd_kafka_group_member_info.
    """

    __module__ = "confluent_kafka.admin"
    __slots__ = ("assignment", "client_host", "client_id", "id", "metadata")

    def __init__(
        self,
        id: str | None = None,  # noqa: A002
        client_id: str | None = None,
        client_host: str | None = None,
        metadata: bytes | None = None,
        assignment: bytes | None = None,
    ) -> None:
        self.id: str | None = id
        self.client_id: str | None = client_id
        self.client_host: str | None = client_host
        self.metadata: bytes | None = metadata
        self.assignment: bytes | None = assignment

    def __repr__(self) -> str:
        return f"GroupMember({self.id})"


class GroupMetadata:
    """A group of any kind.

    Attributes:
        broker: the broker that runs it.
        id: its name.
        error: the group's error, or None.
        state: the name of its state, as the broker reports it.
        protocol_type: what kind of group it is, for example "consumer".
        protocol: the protocol that its members agreed on, for example "range".
        members: a list of GroupMember.

    librdkafka: rd_kafka_group_info.
    """

    __module__ = "confluent_kafka.admin"
    __slots__ = ("broker", "error", "id", "members", "protocol", "protocol_type", "state")

    def __init__(
        self,
        broker: BrokerMetadata | None = None,
        id: str | None = None,  # noqa: A002
        error: KafkaError | None = None,
        state: str | None = None,
        protocol_type: str | None = None,
        protocol: str | None = None,
        members: list[GroupMember] | None = None,
    ) -> None:
        self.broker: BrokerMetadata | None = broker
        self.id: str | None = id
        self.error: KafkaError | None = error
        self.state: str | None = state
        self.protocol_type: str | None = protocol_type
        self.protocol: str | None = protocol
        self.members: list[GroupMember] = [] if members is None else members

    def __repr__(self) -> str:
        count = len(self.members)
        return f"GroupMetadata({self.id}, {count} members{_error_suffix(self.error)})"

    def __str__(self) -> str:
        return str(self.id)


def _error_suffix(error: KafkaError | None) -> str:
    return "" if error is None else f", {error}"
