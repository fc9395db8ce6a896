"""Send objects of a class through Kafka as Avro, with a schema in a registry.

    python -m examples.avro_objects --bootstrap localhost:9092 --registry http://localhost:8081

The program needs the extra ``[avro]`` (docs/start/installation.md). ``mock://`` is a registry in
memory.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from typing import Any

from confluent_kafka import DeserializingConsumer, SerializingProducer
from confluent_kafka.error import ConsumeError, ValueDeserializationError
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import (
    SerializationContext,
    StringDeserializer,
    StringSerializer,
)

SCHEMA = """
{
  "type": "record", "name": "Flight", "namespace": "examples",
  "fields": [
    {"name": "carrier", "type": "string"},
    {"name": "number", "type": "int"},
    {"name": "tail", "type": ["null", "string"], "default": null}
  ]
}
"""


@dataclass
class Flight:
    """One flight."""

    carrier: str
    number: int
    tail: str | None = None


def to_dict(flight: Flight, _: SerializationContext | None) -> dict[str, Any]:
    """Return a flight in the form that Avro writes."""
    return asdict(flight)


def to_flight(found: dict[str, Any], _: SerializationContext | None) -> Flight:
    """Return the flight for the dict that Avro has read."""
    return Flight(**found)


def produce(bootstrap: str, topic: str, registry: SchemaRegistryClient) -> None:
    """Send three flights."""
    config = {
        "bootstrap.servers": bootstrap,
        "key.serializer": StringSerializer(),
        "value.serializer": AvroSerializer(registry, SCHEMA, to_dict),
    }
    producer: SerializingProducer[str, Flight] = SerializingProducer(config)
    with producer:
        for flight in (Flight("UA", 1545), Flight("B6", 725, "N804JB"), Flight("DL", 461)):
            producer.produce(topic, key=flight.carrier, value=flight)
        producer.flush()


def consume(bootstrap: str, topic: str, registry: SchemaRegistryClient, count: int) -> list[Flight]:
    """Return the first flights of a topic."""
    config = {
        "bootstrap.servers": bootstrap,
        "group.id": "examples-avro",
        "auto.offset.reset": "earliest",
        "key.deserializer": StringDeserializer(),
        "value.deserializer": AvroDeserializer(registry, SCHEMA, to_flight),
    }
    flights: list[Flight] = []
    consumer: DeserializingConsumer[str, Flight] = DeserializingConsumer(config)
    with consumer:
        consumer.subscribe([topic])
        while len(flights) < count:
            try:
                message = consumer.poll(1.0)
            except ValueDeserializationError as error:
                print("not a flight:", error.kafka_message and error.kafka_message.offset(), error)
                continue
            except ConsumeError as error:
                print("the consumer says:", error)
                continue
            flight = None if message is None else message.deserialized_value()
            if flight is not None:
                flights.append(flight)
    return flights


def main(arguments: list[str] | None = None) -> None:
    """Send flights, read them again and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", default="localhost:9092")
    parser.add_argument("--registry", default="http://localhost:8081")
    parser.add_argument("--topic", default="flights-avro")
    args = parser.parse_args(arguments)
    with SchemaRegistryClient({"url": args.registry}) as registry:
        produce(args.bootstrap, args.topic, registry)
        for flight in consume(args.bootstrap, args.topic, registry, 3):
            print(flight)


if __name__ == "__main__":
    main()
