"""The cluster itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers
from confluent_kafka.testing._security._authorizer import CLUSTER, every_operation

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

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
        return {protocol.DescribeClusterRequest: self._describe}

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


def _operations(request: Any) -> dict[str, Any]:
    """Return the operations that a client may do without ACLs, if the request asks for them."""
    if not request.include_cluster_authorized_operations:
        return {}
    return {"cluster_authorized_operations": every_operation(CLUSTER)}
