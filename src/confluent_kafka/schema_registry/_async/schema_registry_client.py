"""Names of ``schema_registry.schema_registry_client`` under another import path."""

from ..error import OAuthTokenError
from ..schema_registry_client import (
    Association,
    AssociationCreateOrUpdateRequest,
    AssociationResponse,
    AsyncSchemaRegistryClient,
    RegisteredSchema,
    Schema,
    SchemaRegistryError,
    SchemaVersion,
    ServerConfig,
    full_jitter,
    is_retriable,
    is_success,
)

__all__ = [
    "Association",
    "AssociationCreateOrUpdateRequest",
    "AssociationResponse",
    "AsyncSchemaRegistryClient",
    "OAuthTokenError",
    "RegisteredSchema",
    "Schema",
    "SchemaRegistryError",
    "SchemaVersion",
    "ServerConfig",
    "full_jitter",
    "is_retriable",
    "is_success",
]
