"""A tracing package made for aiokafka also traces compat.aiokafka."""

from __future__ import annotations

import json
from importlib import metadata

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.scripts import check_script

INSTRUMENTATION = "opentelemetry-instrumentation-aiokafka"

# install() comes first, because the instrumentation imports aiokafka and checks that it is
# installed.
PROGRAM = """
import asyncio, json, sys
import confluent_kafka.compat
confluent_kafka.compat.install("aiokafka")

from opentelemetry.instrumentation.aiokafka import AIOKafkaInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
AIOKafkaInstrumentor().instrument(tracer_provider=provider)

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

async def main(servers, topic):
    consumer = AIOKafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
    consumer.assign([TopicPartition(topic, 0)])
    producer = AIOKafkaProducer(
        bootstrap_servers=servers, client_id="traced", key_serializer=str.encode
    )
    async with producer, consumer:
        await producer.send_and_wait(topic, b"one", key="k", partition=0)
        assert (await consumer.getone()).value == b"one"
        own = [("own", b"header")]
        await producer.send_and_wait(topic, b"many", key="k", headers=own, partition=0)
        [[record]] = (await consumer.getmany(timeout_ms=30_000)).values()
        assert [name for name, _ in record.headers] == ["own", "traceparent"]

asyncio.run(main(*sys.argv[1:]))
print(json.dumps([
    {
        "name": span.name,
        "kind": span.kind.name,
        "trace": span.context.trace_id,
        "span": span.context.span_id,
        "parent": span.parent and span.parent.span_id,
        "links": [link.context.span_id for link in span.links],
        **{name.removeprefix("messaging."): value for name, value in span.attributes.items()},
    }
    for span in spans.get_finished_spans()
]))
"""


def test_opentelemetry(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Sending a message and receiving it (getone(), getmany()) are in one trace."""
    try:
        metadata.version(INSTRUMENTATION)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{INSTRUMENTATION} is not installed")
    servers = kafka_cluster.bootstrap_servers
    spans = json.loads(check_script(PROGRAM, servers, kafka_topic))
    sent = [span for span in spans if span["kind"] == "PRODUCER"]
    assert [span["name"] for span in sent] == [f"{kafka_topic} send"] * 2
    assert sent[0]["client.id"] == "traced"
    assert servers in sent[0]["server.address"]
    assert sent[0]["kafka.message.key"] == "k"
    assert [span["destination.partition.id"] for span in sent] == ["0", "0"]
    received = [span for span in spans if "kafka.message.offset" in span]
    assert [span["name"] for span in received] == [f"{kafka_topic} receive"] * 2
    assert [span["kafka.message.offset"] for span in received] == [0, 1]
    assert [span["parent"] for span in received] == [span["span"] for span in sent]
    assert [span["trace"] for span in received] == [span["trace"] for span in sent]
    [batch] = (span for span in spans if span["links"])
    assert batch["links"] == [received[1]["span"]]
