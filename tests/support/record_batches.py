"""Reads and writes the bytes of record batches in topics of a mock cluster."""

from __future__ import annotations

from confluent_kafka.protocol import FetchRequest, FetchResponse, ProduceRequest, ProduceResponse
from confluent_kafka.testing import MockCluster
from tests.support.protocol import ask

# The latest versions without tagged fields.
FETCH, PRODUCE = 11, 8


def fetched(cluster: MockCluster, topic: str) -> bytes:
    """The batches of partition 0, as the broker sends them."""
    Topic = FetchRequest.FetchTopic  # noqa: N806
    Partition = FetchRequest.FetchPartition  # noqa: N806
    partition = Partition(partition=0, fetch_offset=0, partition_max_bytes=10_000_000)
    request = FetchRequest(
        max_wait_ms=100,
        min_bytes=1,
        max_bytes=10_000_000,
        topics=[Topic(topic=topic, partitions=[partition])],
    )
    data = ask(cluster.bootstrap_servers, FetchRequest.api_key, FETCH, request.encode(FETCH))
    [answer] = FetchResponse.decode(data, FETCH).responses[0].partitions
    assert answer.error_code == 0
    return answer.records or b""


def sent(cluster: MockCluster, topic: str, batch: bytes, number: int = 0) -> None:
    """Sends the batch unchanged to a partition, whichever broker leads the partition."""
    Topic = ProduceRequest.TopicProduceData  # noqa: N806
    Partition = ProduceRequest.PartitionProduceData  # noqa: N806
    request = ProduceRequest(
        acks=-1,
        timeout_ms=30_000,
        topic_data=[Topic(name=topic, partition_data=[Partition(index=number, records=batch)])],
    )
    body = request.encode(PRODUCE)
    codes = []
    for server in cluster.bootstrap_servers.split(","):
        data = ask(server, ProduceRequest.api_key, PRODUCE, body)
        [answer] = ProduceResponse.decode(data, PRODUCE).responses[0].partition_responses
        codes.append(answer.error_code)
        if answer.error_code == 0:
            return
    raise AssertionError(f"the brokers refuse the batch: {codes}")
