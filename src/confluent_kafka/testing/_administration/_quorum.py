"""The quorum of controllers. Every broker is a voter, as in a cluster with static voters.

There is no metadata log, so the end offset in answers never changes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_TOPIC, _PARTITION = "__cluster_metadata", 0
_EPOCH, _END = 1, 1
_BROKER_ID_NOT_REGISTERED = 102


class Quorum:
    """Answers requests about the quorum, and about the registration of brokers.

    Args:
        brokers: the brokers, of which each is a voter.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeQuorumRequest: self._describe,
            protocol.AddRaftVoterRequest: self._change_voters,
            protocol.RemoveRaftVoterRequest: self._change_voters,
            protocol.UnregisterBrokerRequest: self._unregister,
        }

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeQuorumResponse
        asked = [
            (topic.topic_name, each.partition_index)
            for topic in request.topics
            for each in topic.partitions
        ]
        if asked != [(_TOPIC, _PARTITION)]:
            unknown = KafkaError.UNKNOWN_TOPIC_OR_PART
            topics = [
                response.TopicData(
                    topic_name=topic.topic_name,
                    partitions=[
                        response.PartitionData(
                            partition_index=each.partition_index, error_code=unknown
                        )
                        for each in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
            return response(topics=topics)
        state = self._brokers.state()
        now = int(time.time() * 1000)
        partition = response.PartitionData(
            partition_index=_PARTITION,
            leader_id=state.controller,
            leader_epoch=_EPOCH,
            high_watermark=_END,
            current_voters=[
                response.ReplicaState(
                    replica_id=broker.id,
                    log_end_offset=_END,
                    last_fetch_timestamp=now,
                    last_caught_up_timestamp=now,
                )
                for broker in state.brokers
            ],
        )
        nodes = [
            response.Node(
                node_id=broker.id,
                listeners=[
                    response.Listener(name="CONTROLLER", host=broker.host, port=broker.port)
                ],
            )
            for broker in state.brokers
        ]
        topic = response.TopicData(topic_name=_TOPIC, partitions=[partition])
        return response(topics=[topic], nodes=nodes)

    def _change_voters(self, request: Any, context: RequestContext) -> Any:
        return request.response_class(
            error_code=KafkaError.UNSUPPORTED_VERSION,
            error_message="Cluster doesn't support adding or removing voters because the "
            "kraft.version feature is 0",
        )

    def _unregister(self, request: Any, context: RequestContext) -> Any:
        """Accept any broker of the cluster. As in Kafka, a broker that runs registers again."""
        if request.broker_id in (broker.id for broker in self._brokers.state().brokers):
            return protocol.UnregisterBrokerResponse()
        return protocol.UnregisterBrokerResponse(
            error_code=_BROKER_ID_NOT_REGISTERED,
            error_message=f"Broker ID {request.broker_id} is not currently registered",
        )
