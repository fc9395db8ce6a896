"""Send Protobuf messages through Kafka, with their schema in a registry.

    python -m examples.protobuf_objects --bootstrap localhost:9092 --registry http://localhost:8081

The program needs the extra ``[protobuf]`` (docs/start/installation.md). ``mock://`` is a registry
in memory. Instead of Timestamp, which is a part of Protobuf, you can use any class that protoc
generates.
"""

from __future__ import annotations

import argparse
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from confluent_kafka import DeserializingConsumer, SerializingProducer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer


def main(arguments: list[str] | None = None) -> None:
    """Send a message, read it again and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", default="localhost:9092")
    parser.add_argument("--registry", default="http://localhost:8081")
    parser.add_argument("--topic", default="times-protobuf")
    args = parser.parse_args(arguments)
    config = {"bootstrap.servers": args.bootstrap}
    with SchemaRegistryClient({"url": args.registry}) as registry:
        producer: SerializingProducer[Any, Timestamp] = SerializingProducer(
            {**config, "value.serializer": ProtobufSerializer(Timestamp, registry)}
        )
        with producer:
            producer.produce(args.topic, value=Timestamp(seconds=1_357_034_400))
            producer.flush()
        consumer: DeserializingConsumer[Any, Timestamp] = DeserializingConsumer(
            {
                **config,
                "group.id": "examples-protobuf",
                "auto.offset.reset": "earliest",
                "value.deserializer": ProtobufDeserializer(
                    Timestamp, schema_registry_client=registry
                ),
            }
        )
        with consumer:
            consumer.subscribe([args.topic])
            moment = next(consumer).deserialized_value()
            print(None if moment is None else moment.ToDatetime())


if __name__ == "__main__":
    main()
