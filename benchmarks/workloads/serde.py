"""Convert objects to bytes and back in the formats of a schema registry, which is in memory.

Only the cost of the serializers is measured. The cluster is not used.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks.workloads.common import Stopwatch, print_result
from confluent_kafka.serialization import MessageField, SerializationContext

# confluent-kafka imports a library that warns about another library.
warnings.simplefilter("ignore")

FLIGHT = {
    "carrier": "UA",
    "flight": 1545,
    "origin": "EWR",
    "dest": "IAH",
    "distance": 1400.0,
    "tail": "N14228",
    "at": 1357034400000,
}
AVRO = {
    "type": "record",
    "name": "Flight",
    "fields": [
        {"name": "carrier", "type": "string"},
        {"name": "flight", "type": "int"},
        {"name": "origin", "type": "string"},
        {"name": "dest", "type": "string"},
        {"name": "distance", "type": "double"},
        {"name": "tail", "type": ["null", "string"], "default": None},
        {"name": "at", "type": "long"},
    ],
}
JSON = {
    "title": "Flight",
    "type": "object",
    "properties": {
        "carrier": {"type": "string"},
        "flight": {"type": "integer"},
        "origin": {"type": "string"},
        "dest": {"type": "string"},
        "distance": {"type": "number"},
        "tail": {"type": ["null", "string"]},
        "at": {"type": "integer"},
    },
    "required": ["carrier", "flight"],
}
Serde = tuple[Callable[..., Any], Callable[..., Any], Any]


def client() -> Any:
    """Return a client of a registry in memory."""
    from confluent_kafka.schema_registry import SchemaRegistryClient

    return SchemaRegistryClient.new_client({"url": "mock://"})


def avro() -> Serde:
    """Return the serializer and the deserializer for Avro, and an object for them."""
    from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer

    registry = client()
    return AvroSerializer(registry, json.dumps(AVRO)), AvroDeserializer(registry), FLIGHT


def json_schema() -> Serde:
    """Return the validating serializer and deserializer for JSON, and an object for them."""
    from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer

    schema = json.dumps(JSON)
    return JSONSerializer(schema, client()), JSONDeserializer(schema), FLIGHT


def protobuf() -> Serde:
    """Return the serializer and the deserializer for Protobuf, and a message for them."""
    from google.protobuf.type_pb2 import Field

    from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer

    message = Field(name="flight", number=1545, type_url="EWR", json_name="IAH", packed=True)
    conf = {"use.deprecated.format": False}
    return ProtobufSerializer(Field, client()), ProtobufDeserializer(Field, conf), message


FORMATS = {"avro": avro, "json": json_schema, "protobuf": protobuf}
# A fraction of the run's messages, because these calls are much slower than the client's own calls.
FRACTION = 20


def main() -> None:
    """Measure one format and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", help="not used")
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--format", choices=FORMATS, required=True)
    args = parser.parse_args()
    serialize, deserialize, obj = FORMATS[args.format]()
    context = SerializationContext("topic", MessageField.VALUE)
    if deserialize(serialize(obj, context), context) != obj:
        raise RuntimeError(f"{args.format}: the deserialized object differs")
    messages = max(args.messages // FRACTION, 1)
    stopwatch = Stopwatch()
    for _ in range(messages):
        deserialize(serialize(obj, context), context)
    print_result(
        messages=messages, call_seconds=stopwatch.wall(), thread_seconds=stopwatch.thread()
    )


if __name__ == "__main__":
    main()
