"""A client of the Confluent Schema Registry's HTTP API; it needs the extra [schemaregistry]."""

try:
    import httpx  # noqa: F401
except ImportError as error:
    raise ImportError(
        "confluent_kafka.schema_registry needs httpx: "
        f"pip install 'confluent-kafka[schemaregistry]' ({error})",
        name=error.name,
    ) from error

from .client import SchemaRegistryClient
from .error import SchemaRegistryError
from .schema import RegisteredSchema, Schema, SchemaReference

__all__ = [
    "RegisteredSchema",
    "Schema",
    "SchemaReference",
    "SchemaRegistryClient",
    "SchemaRegistryError",
]
