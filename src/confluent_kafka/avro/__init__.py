"""Avro clients under their former names, for programs that migrate. Needs the extra [avro].

Deprecated: new programs use confluent_kafka.schema_registry.avro.
"""

from __future__ import annotations

try:
    import fastavro  # noqa: F401
    import httpx  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"confluent_kafka.avro needs fastavro and httpx: pip install fastavro httpx ({error})",
        name=error.name,
    ) from error

from confluent_kafka import Consumer, Producer

from ._consumer import AvroConsumer
from ._producer import AvroProducer
from ._schema import AvroSchema
from .cached_schema_registry_client import CachedSchemaRegistryClient
from .error import ClientError
from .load import load, loads
from .serializer import KeySerializerError, SerializerError, ValueSerializerError
from .serializer.message_serializer import MessageSerializer

__all__ = [
    "AvroConsumer",
    "AvroProducer",
    "AvroSchema",
    "CachedSchemaRegistryClient",
    "ClientError",
    "Consumer",
    "KeySerializerError",
    "MessageSerializer",
    "Producer",
    "SerializerError",
    "ValueSerializerError",
    "load",
    "loads",
]
