"""The metadata quorum: the controllers that agree on a cluster's metadata, and its voters."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import ANY, ProtocolRequests, known, raise_error_of
from confluent_kafka.admin._requests import checked, node_id, number_of, set_of
from confluent_kafka.cimpl import KafkaError, Uuid

_METADATA_TOPIC = "__cluster_metadata"
_METADATA_PARTITION = 0
# Errors of a controller that is not the leader, while a new leader is elected.
_ELECTING = KafkaError.NOT_LEADER_FOR_PARTITION
_VOTER_TIMEOUT_MS = 60_000  # the time that the leader has to reach the new voter


@dataclass(frozen=True)
class RaftVoterEndpoint:
    """The address at which a controller listens.

    Attributes:
        listener: the listener's name, such as ``CONTROLLER``.
        host: the host name or address.
        port: the port, from 0 to 65535.

    Raises:
        TypeError, ValueError: an argument is wrong.

    Kafka: org.apache.kafka.clients.admin.RaftVoterEndpoint (KIP-853).
    """

    listener: str
    host: str
    port: int

    def __post_init__(self) -> None:
        for name in ("listener", "host"):
            if not checked(getattr(self, name), str, name):
                raise ValueError(f"{name} must not be empty")
        number_of(self.port, 65535, "port")


@dataclass(frozen=True)
class QuorumReplicaState:
    """How far a voter or observer has read the metadata log.

    Attributes:
        replica_id: the controller's or broker's id.
        replica_directory_id: the Uuid of its log directory; zero if the set of voters is static, or
            if the broker does not report it (before 3.9).
        log_end_offset: the end of its log; -1 if the leader does not know it.
        last_fetch_timestamp: the time of its last fetch, in milliseconds since 1970, or None.
        last_caught_up_timestamp: the time at which it last had the whole log, in milliseconds since
            1970, or None.

    Kafka: org.apache.kafka.clients.admin.QuorumInfo.ReplicaState (KIP-595, KIP-836, KIP-853).
    """

    replica_id: int
    replica_directory_id: Uuid
    log_end_offset: int
    last_fetch_timestamp: int | None
    last_caught_up_timestamp: int | None


@dataclass(frozen=True)
class QuorumInfo:
    """The metadata quorum.

    Attributes:
        leader_id: the id of the active controller.
        leader_epoch: grows with every election.
        high_watermark: the offset up to which the log is committed.
        voters: a list of QuorumReplicaState.
        observers: a list of QuorumReplicaState for brokers and for controllers that do not vote.
        nodes: a dict of each voter's id to its RaftVoterEndpoints; empty before 3.9.

    Kafka: org.apache.kafka.clients.admin.QuorumInfo (KIP-836, KIP-853).
    """

    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: list[QuorumReplicaState]
    observers: list[QuorumReplicaState]
    nodes: dict[int, list[RaftVoterEndpoint]]


class QuorumRequests(ProtocolRequests):
    """Requests about the metadata quorum, and the nodes that are registered with it."""

    __slots__ = ()

    def describe_metadata_quorum(
        self, *, request_timeout: float | None = None
    ) -> Future[QuorumInfo]:
        """Describe the metadata quorum.

        Args:
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a QuorumInfo. It fails with CLUSTER_AUTHORIZATION_FAILED if this
            client may not describe the cluster, and with _UNSUPPORTED_FEATURE without KRaft.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeQuorum (KIP-595, KIP-836).
        """
        message = protocol.DescribeQuorumRequest
        partition = message.PartitionData(partition_index=_METADATA_PARTITION)
        topic = message.TopicData(topic_name=_METADATA_TOPIC, partitions=[partition])
        request = message(topics=[topic])
        return self._exchange(request, ANY, request_timeout, _quorum, repeat_on=_ELECTING)

    def add_raft_voter(
        self,
        voter_id: int,
        voter_directory_id: Uuid,
        endpoints: set[RaftVoterEndpoint],
        *,
        cluster_id: str | None = None,
        request_timeout: float | None = None,
    ) -> Future[None]:
        """Make a controller, which is an observer of the metadata quorum, a voter.

        Args:
            voter_id: the controller's id.
            voter_directory_id: the Uuid of the directory of its metadata log.
            endpoints: the addresses at which it listens, a set of RaftVoterEndpoint.
            cluster_id: the id of the cluster; a cluster with another id refuses the request.
            request_timeout: as for describe_metadata_quorum().

        Returns:
            A future; its result is None. It fails with DUPLICATE_VOTER, UNSUPPORTED_VERSION (the
            set of voters is static), REQUEST_TIMED_OUT (the controller does not answer the leader,
            or has not read the whole log), the code 104 (the cluster has another id),
            CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: AddRaftVoter (KIP-853).
        """
        message = protocol.AddRaftVoterRequest
        places = set_of(endpoints, RaftVoterEndpoint, "endpoints")
        if not places:
            raise ValueError("endpoints must not be empty")
        request = message(
            cluster_id=cluster_id,
            timeout_ms=_VOTER_TIMEOUT_MS,
            voter_id=node_id(voter_id, "voter_id"),
            voter_directory_id=checked(voter_directory_id, Uuid, "voter_directory_id"),
            listeners=[
                message.Listener(name=each.listener, host=each.host, port=each.port)
                for each in places
            ],
        )
        return self._exchange(request, ANY, request_timeout, raise_error_of, repeat_on=_ELECTING)

    def remove_raft_voter(
        self,
        voter_id: int,
        voter_directory_id: Uuid,
        *,
        cluster_id: str | None = None,
        request_timeout: float | None = None,
    ) -> Future[None]:
        """Make a voter of the metadata quorum an observer, which does not vote.

        Args:
            voter_id: the controller's id.
            voter_directory_id: the Uuid of the directory of its metadata log.
            cluster_id: the id of the cluster; a cluster with another id refuses the request.
            request_timeout: as for describe_metadata_quorum().

        Returns:
            A future; its result is None. It fails with VOTER_NOT_FOUND, UNSUPPORTED_VERSION (the
            set of voters is static), the code 104 (the cluster has another id),
            CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: RemoveRaftVoter (KIP-853).
        """
        request = protocol.RemoveRaftVoterRequest(
            cluster_id=cluster_id,
            voter_id=node_id(voter_id, "voter_id"),
            voter_directory_id=checked(voter_directory_id, Uuid, "voter_directory_id"),
        )
        return self._exchange(request, ANY, request_timeout, raise_error_of, repeat_on=_ELECTING)

    def unregister_broker(
        self, broker_id: int, *, request_timeout: float | None = None
    ) -> Future[None]:
        """Remove the registration of a broker that has been shut down for good.

        Partitions lose their replicas on this broker, so move them first. A broker that is still
        running registers again.

        Args:
            broker_id: the broker's id.
            request_timeout: as for describe_metadata_quorum().

        Returns:
            A future; its result is None. It fails with the code 102 (no broker with this id is
            registered), CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: UnregisterBroker (KIP-500).
        """
        request = protocol.UnregisterBrokerRequest(broker_id=node_id(broker_id, "broker_id"))
        return self._exchange(request, ANY, request_timeout, raise_error_of)

    def unregister_controller(
        self, controller_id: int, *, request_timeout: float | None = None
    ) -> Future[None]:
        """Remove the registration of a controller that has been shut down for good.

        The versions of features that this controller supports then no longer count. If it is a
        voter, remove it with remove_raft_voter() first. A controller that is still running
        registers again.

        Args:
            controller_id: the controller's id.
            request_timeout: as for describe_metadata_quorum().

        Returns:
            A future; its result is None. It fails with the code 136 (no controller with this id is
            registered), INVALID_REQUEST (it is the active controller), UNSUPPORTED_VERSION (the
            cluster's metadata.version is older than 4.4), _UNSUPPORTED_FEATURE (the brokers are
            older than 4.4), CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: UnregisterController (KIP-1312).
        """
        request = protocol.UnregisterControllerRequest(
            controller_id=node_id(controller_id, "controller_id")
        )
        return self._exchange(request, ANY, request_timeout, raise_error_of)


def _quorum(response: protocol.DescribeQuorumResponse) -> QuorumInfo:
    raise_error_of(response)
    ((partition,),) = (topic.partitions for topic in response.topics)
    raise_error_of(partition)
    return QuorumInfo(
        partition.leader_id,
        partition.leader_epoch,
        partition.high_watermark,
        [_replica(each) for each in partition.current_voters],
        [_replica(each) for each in partition.observers],
        {
            node.node_id: [
                RaftVoterEndpoint(each.name, each.host, each.port) for each in node.listeners
            ]
            for node in response.nodes
        },
    )


def _replica(state: protocol.DescribeQuorumResponse.ReplicaState) -> QuorumReplicaState:
    return QuorumReplicaState(
        state.replica_id,
        state.replica_directory_id,
        state.log_end_offset,
        known(state.last_fetch_timestamp),
        known(state.last_caught_up_timestamp),
    )
