"""Answers of brokers that name a new leader (KIP-951)."""

from __future__ import annotations

from confluent_kafka import KafkaError, protocol
from confluent_kafka.testing import MockCluster, RequestContext
from tests.embedded.conftest import MakeProducer
from tests.support.kafka import Reports
from tests.support.patches import needs

pytestmark = needs("mock-on-request")

PRODUCE = protocol.ProduceRequest.api_key


def test_a_producer_asks_the_leader_that_an_answer_names(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """The metadata still names the old leader: only the answer to Produce has the new one."""
    kafka_cluster.set_leader(kafka_topic, 0, 1)
    response = protocol.ProduceResponse
    named = response.LeaderIdAndEpoch(leader_id=2, leader_epoch=99)
    asked: list[int] = []

    def answer(request: protocol.ProduceRequest, context: RequestContext) -> object:
        asked.append(context.broker_id)
        if context.broker_id == 2:
            partition = response.PartitionProduceResponse(index=0, base_offset=41)
        else:
            partition = response.PartitionProduceResponse(
                index=0,
                error_code=KafkaError.NOT_LEADER_FOR_PARTITION,
                base_offset=-1,
                current_leader=named,
            )
        topic = response.TopicProduceResponse(name=kafka_topic, partition_responses=[partition])
        return response(responses=[topic])

    kafka_cluster.on_request(PRODUCE, answer, versions=(3, 10))
    reports = Reports()
    producer = make_producer()
    producer.produce(kafka_topic, b"value", partition=0, on_delivery=reports)
    assert producer.flush(10) == 0
    assert reports.errors == [None]
    assert asked == [1, 2]
    assert [message.offset() for message in reports.messages] == [41]
