"""A tracing package made for kafka-python also traces compat.kafka and compat.kafka_0_9."""

from __future__ import annotations

import json
from importlib import metadata

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.scripts import check_script

pytestmark = pytest.mark.kafka_topic(partitions=4)

INSTRUMENTATION = "opentelemetry-instrumentation-kafka-python"

# install() comes first, because the instrumentation imports kafka and checks that it is installed.
PROGRAM = """
import json, sys
import confluent_kafka.compat
servers, topic, generation = sys.argv[1:]
confluent_kafka.compat.install("kafka", generation=generation)

from opentelemetry.instrumentation.kafka import KafkaInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
KafkaInstrumentor().instrument(tracer_provider=provider)

from kafka import KafkaConsumer, KafkaProducer
from kafka.record.abc import ABCRecord

producer = KafkaProducer(bootstrap_servers=servers, value_serializer=str.encode)
producer.send(topic, "keyed", key=b"k").get(timeout=30)
own = [("own", b"header")]
producer.send(topic, "placed", headers=own, partition=2).get(timeout=30)
producer.close()
consumer = KafkaConsumer(topic, bootstrap_servers=servers, auto_offset_reset="earliest")
received = {}
for record in consumer:
    assert isinstance(record, ABCRecord)
    received[record.value.decode()] = record.partition, [name for name, _ in record.headers]
    if len(received) == 2:
        break
consumer.close()
print(json.dumps([received, [
    {
        "name": span.name,
        "kind": span.kind.name,
        "trace": span.context.trace_id,
        "span": span.context.span_id,
        "parent": span.parent and span.parent.span_id,
        **{name.removeprefix("messaging."): value for name, value in span.attributes.items()},
    }
    for span in spans.get_finished_spans()
]]))
"""


@pytest.mark.parametrize("generation", ["3", "2"])
def test_opentelemetry(kafka_cluster: MockCluster, kafka_topic: str, generation: str) -> None:
    """Sending and receiving a message are parts of one trace, with the partition if it is known."""
    try:
        metadata.version(INSTRUMENTATION)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{INSTRUMENTATION} is not installed")
    servers = kafka_cluster.bootstrap_servers
    received, spans = json.loads(check_script(PROGRAM, servers, kafka_topic, generation))
    assert received["keyed"][1] == ["traceparent"]
    assert received["placed"] == [2, ["own", "traceparent"]]
    sent = [span for span in spans if span["kind"] == "PRODUCER"]
    assert [span["name"] for span in sent] == [f"{kafka_topic} send"] * 2
    # The span of a send ends before librdkafka chooses the partition.
    assert [span["kafka.partition"] for span in sent] == [-1, 2]
    assert all(servers in span["url"] for span in sent)
    # The messages are in two partitions, which may come in any order.
    got = {span["parent"]: span for span in spans if span["kind"] == "CONSUMER"}
    told = [got[span["span"]] for span in sent]
    assert [span["name"] for span in told] == [f"{kafka_topic} receive"] * 2
    assert [span["kafka.partition"] for span in told] == [received["keyed"][0], 2]
    assert [span["trace"] for span in told] == [span["trace"] for span in sent]
