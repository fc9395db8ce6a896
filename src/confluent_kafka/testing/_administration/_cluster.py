"""The cluster itself, and the log directories of its brokers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers
from confluent_kafka.testing._administration._state import State
from confluent_kafka.testing._security._authorizer import CLUSTER, every_operation

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# The only log directory of every broker. Its data is in memory.
LOG_DIR = "/embedded"
_BROKERS = 1  # the endpoint type of brokers, KIP-919


class Cluster:
    """Answers requests about the cluster.

    Args:
        brokers: the brokers of the cluster.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeClusterRequest: self._describe,
            protocol.DescribeLogDirsRequest: self._log_dirs,
        }

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeClusterResponse
        if request.endpoint_type != _BROKERS:
            return response(
                error_code=KafkaError.MISMATCHED_ENDPOINT_TYPE,
                error_message="this is a broker: ask it about brokers",
                endpoint_type=_BROKERS,
            )
        state = self._brokers.state()
        return response(
            cluster_id=state.cluster_id,
            controller_id=state.controller,
            brokers=[
                response.DescribeClusterBroker(
                    broker_id=broker.id, host=broker.host, port=broker.port, rack=broker.rack
                )
                for broker in state.brokers
                if broker.up
            ],
            **_operations(request),
        )

    def _log_dirs(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeLogDirsResponse
        topics = [
            response.DescribeLogDirsTopic(name=name, partitions=partitions)
            for name, partitions in _replicas(self._brokers.state(), context.broker_id, request)
        ]
        directory = response.DescribeLogDirsResult(log_dir=LOG_DIR, topics=topics)
        return response(results=[directory])


def _operations(request: Any) -> dict[str, Any]:
    """Return what a client may do without ACLs, if it asks for it."""
    if not request.include_cluster_authorized_operations:
        return {}
    return {"cluster_authorized_operations": every_operation(CLUSTER)}


def _replicas(state: State, broker: int, request: Any) -> Iterator[tuple[str, list[Any]]]:
    """Yield the replicas on a broker of the requested topics and partitions."""
    wanted = None
    if request.topics is not None:
        wanted = {each.topic: set(each.partitions) for each in request.topics}
    described = protocol.DescribeLogDirsResponse.DescribeLogDirsPartition
    for topic in state.topics.values():
        partitions = [
            described(partition_index=number, partition_size=each.size)
            for number, each in enumerate(topic.partitions)
            if broker in each.replicas and (wanted is None or number in wanted.get(topic.name, ()))
        ]
        if partitions:
            yield topic.name, partitions
