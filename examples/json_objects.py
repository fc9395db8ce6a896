"""Send documents through Kafka as JSON, and check them with a JSON Schema in a registry.

    python -m examples.json_objects --bootstrap localhost:9092 --registry http://localhost:8081

The program needs the extra ``[json]`` (docs/start/installation.md). ``mock://`` is a registry in
memory.
"""

from __future__ import annotations

import argparse
from typing import Any

from confluent_kafka import DeserializingConsumer, SerializingProducer
from confluent_kafka.error import ValueSerializationError
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.json_schema import JSONDeserializer, JSONSerializer

SCHEMA = """
{
  "title": "Order", "type": "object",
  "properties": {
    "id": {"type": "integer"},
    "items": {"type": "array", "items": {"type": "string"}, "minItems": 1}
  },
  "required": ["id", "items"]
}
"""


def main(arguments: list[str] | None = None) -> None:
    """Send an order, show that an invalid order is refused, and print the order that is read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", default="localhost:9092")
    parser.add_argument("--registry", default="http://localhost:8081")
    parser.add_argument("--topic", default="orders-json")
    args = parser.parse_args(arguments)
    config = {"bootstrap.servers": args.bootstrap}
    with SchemaRegistryClient({"url": args.registry}) as registry:
        serializer = JSONSerializer(SCHEMA, registry)
        producer: SerializingProducer[Any, Any] = SerializingProducer(
            {**config, "value.serializer": serializer}
        )
        with producer:
            producer.produce(args.topic, value={"id": 1, "items": ["tea"]})
            try:
                producer.produce(args.topic, value={"id": 2, "items": []})
            except ValueSerializationError as error:
                print("refused:", error.exception)
            producer.flush()
        deserializer = JSONDeserializer(None, schema_registry_client=registry)
        consumer: DeserializingConsumer[Any, Any] = DeserializingConsumer(
            {
                **config,
                "group.id": "examples-json",
                "auto.offset.reset": "earliest",
                "value.deserializer": deserializer,
            }
        )
        with consumer:
            consumer.subscribe([args.topic])
            message = next(consumer)
            print("received:", message.value())


if __name__ == "__main__":
    main()
