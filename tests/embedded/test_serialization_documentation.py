"""docs/guides/serialization.md and the examples of objects run unchanged."""

from __future__ import annotations

import importlib

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.documents import ADDRESS, block_with, run

for module in ("httpx", "fastavro", "jsonschema", "google.protobuf"):
    pytest.importorskip(module, reason=f"{module} is not installed")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("SerializingProducer(", "kitchen 21.5"),
        ("AvroSerializer(", "['flights-value']"),
        ("AsyncJSONSerializer(", "{'id': 1}"),
    ],
)
def test_blocks(
    kafka_cluster: MockCluster, capsys: pytest.CaptureFixture[str], text: str, printed: str
) -> None:
    """Each block does what the text around it describes."""
    block = block_with("docs/guides/serialization.md", text)
    run(block, kafka_cluster if ADDRESS in block else None)
    assert capsys.readouterr().out.splitlines() == [printed]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("avro_objects", "Flight(carrier='B6', number=725, tail='N804JB')"),
        ("json_objects", "received: {'id': 1, 'items': ['tea']}"),
        ("protobuf_objects", "2013-01-01 10:00:00"),
    ],
)
def test_examples(
    kafka_cluster: MockCluster, capsys: pytest.CaptureFixture[str], name: str, printed: str
) -> None:
    """Each example prints the objects that it sent."""
    program = importlib.import_module(f"examples.{name}")
    bootstrap = kafka_cluster.bootstrap_servers
    program.main(["--bootstrap", bootstrap, "--registry", "mock://"])
    assert printed in capsys.readouterr().out.splitlines()
