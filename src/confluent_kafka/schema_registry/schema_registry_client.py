"""The clients of a registry: one blocks, the other awaits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from confluent_kafka.serialization._coroutines import run

from ._calls import Calls
from ._http import (
    AwaitingWire,
    BlockingWire,
    HttpSender,
    Sender,
    full_jitter,
    is_retriable,
    is_success,
)
from ._memory import MemorySender
from ._settings import MOCK, Settings, normalize_identity_pool, read_settings
from .associations import (
    Association,
    AssociationCreateOrUpdateInfo,
    AssociationCreateOrUpdateRequest,
    AssociationInfo,
    AssociationResponse,
)
from .error import SchemaRegistryError
from .schema import (
    ConfigCompatibilityLevel,
    Metadata,
    MetadataProperties,
    MetadataTags,
    RegisteredSchema,
    Rule,
    RuleKind,
    RuleMode,
    RuleParams,
    RuleSet,
    Schema,
    SchemaReference,
    SchemaVersion,
    ServerConfig,
)

__all__ = [
    "Association",
    "AssociationCreateOrUpdateInfo",
    "AssociationCreateOrUpdateRequest",
    "AssociationInfo",
    "AssociationResponse",
    "AsyncSchemaRegistryClient",
    "ConfigCompatibilityLevel",
    "Metadata",
    "MetadataProperties",
    "MetadataTags",
    "RegisteredSchema",
    "Rule",
    "RuleKind",
    "RuleMode",
    "RuleParams",
    "RuleSet",
    "Schema",
    "SchemaReference",
    "SchemaRegistryClient",
    "SchemaRegistryError",
    "SchemaVersion",
    "ServerConfig",
    "full_jitter",
    "is_retriable",
    "is_success",
    "normalize_identity_pool",
]


class SchemaRegistryClient:
    """A client of a schema registry. It caches schemas by id, because ids never change.

    Several threads can use the same client. A forked process can use it, too, and opens its own
    connections. The URL ``mock://`` is a registry in memory, for tests. All clients of a process
    with the same ``mock://name`` share one.

    Args:
        conf: a dict with these keys; defaults are in parentheses. ``url`` is required. Several
            addresses, separated by commas, are tried in turn. ``timeout`` (10) is the time to wait
            for an answer, in seconds. ``max.retries`` (3) is the number of retries. The client
            waits a random time before each retry, up to a bound that grows from ``retries.wait.ms``
            (1000) to ``retries.max.wait.ms`` (20000). ``cache.capacity`` (1000) is the number of
            cached schemas of each kind. ``cache.latest.ttl.sec`` (None) is how long the latest
            version is cached, in seconds; None means without limit. ``proxy`` is the address of a
            proxy. ``basic.auth.user.info`` is ``user:password``. ``ssl.ca.location``,
            ``ssl.certificate.location`` and ``ssl.key.location`` are PEM files, and
            ``ssl.key.password`` is the password of the key. With ``ssl.ca.location`` False, no
            certificate is verified, not even the certificate of a token endpoint.
            ``bearer.auth.credentials.source`` is ``STATIC_TOKEN`` (with ``bearer.auth.token``),
            ``OAUTHBEARER`` (with ``bearer.auth.client.id``, ``bearer.auth.client.secret``,
            ``bearer.auth.scope`` and ``bearer.auth.issuer.endpoint.url``),
            ``OAUTHBEARER_AZURE_IMDS`` (with ``bearer.auth.issuer.endpoint.query``) or ``CUSTOM``
            (with ``bearer.auth.custom.provider.function``, which is called with the dict
            ``bearer.auth.custom.provider.config``). All of them take
            ``bearer.auth.identity.pool.id`` and ``bearer.auth.logical.cluster``, which is required
            except for ``CUSTOM``.

    Raises:
        TypeError: a value has a wrong type.
        ValueError: a key is unknown or missing, or a value is out of range.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        settings = read_settings(conf)
        self._conf = dict(conf)
        self._urls = settings.urls
        self._sender = self._open(settings)
        self._calls = Calls(settings, self._sender)

    def _open(self, settings: Settings) -> Sender:
        if settings.urls[0].startswith(MOCK):
            return MemorySender(settings.urls[0])
        return HttpSender(settings, BlockingWire(settings))

    @staticmethod
    def new_client(conf: Mapping[str, Any]) -> SchemaRegistryClient:
        """Return a client; the same as calling the class."""
        return SchemaRegistryClient(conf)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self._urls)}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the registry."""
        run(self._sender.close())

    def config(self) -> dict[str, Any]:
        """Return the client's configuration, including secrets."""
        return dict(self._conf)

    def register_schema(
        self, subject_name: str, schema: Schema, normalize_schemas: bool = False
    ) -> int:
        """Register a schema under a subject, unless it is registered, and return its id.

        Args:
            subject_name: the subject.
            schema: the schema.
            normalize_schemas: whether the registry may normalize the schema.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.register_schema(subject_name, schema, normalize_schemas))

    def register_schema_full_response(
        self, subject_name: str, schema: Schema, normalize_schemas: bool = False
    ) -> RegisteredSchema:
        """Register a schema under a subject if necessary, and return the registry's answer.

        Args:
            subject_name: the subject.
            schema: the schema.
            normalize_schemas: whether the registry may normalize the schema.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(
            self._calls.register_schema_full_response(subject_name, schema, normalize_schemas)
        )

    def get_schema(
        self,
        schema_id: int,
        subject_name: str | None = None,
        fmt: str | None = None,
        reference_format: str | None = None,
    ) -> Schema:
        """Return the schema with an id. It is cached, because ids never change.

        Args:
            schema_id: the id.
            subject_name: a subject with the schema, for registries whose ids differ by context.
            fmt: the format of the returned schema, such as ``serialized`` for Protobuf.
            reference_format: the format of its references.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_schema(schema_id, subject_name, fmt, reference_format))

    def get_schema_by_guid(self, guid: str, fmt: str | None = None) -> Schema:
        """Return the schema with a GUID; it is cached.

        Args:
            guid: the GUID.
            fmt: the format of the returned schema.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_schema_by_guid(guid, fmt))

    def get_schema_types(self) -> list[str]:
        """Return the schema types that the registry supports.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_schema_types())

    def get_subjects_by_schema_id(
        self,
        schema_id: int,
        subject_name: str | None = None,
        deleted: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[str]:
        """Return the subjects that have a schema.

        Args:
            schema_id: the id of the schema.
            subject_name: return only this subject.
            deleted: whether to include deleted results.
            offset: how many results to skip.
            limit: how many results to return; -1 for all.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(
            self._calls.get_subjects_by_schema_id(schema_id, subject_name, deleted, offset, limit)
        )

    def get_schema_versions(
        self,
        schema_id: int,
        subject_name: str | None = None,
        deleted: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[SchemaVersion]:
        """Return the subjects and versions that have a schema.

        Args:
            schema_id: the id of the schema.
            subject_name: return only results for this subject.
            deleted: whether to include deleted results.
            offset: how many results to skip.
            limit: how many results to return; -1 for all.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_schema_versions(schema_id, subject_name, deleted, offset, limit))

    def lookup_schema(
        self,
        subject_name: str,
        schema: Schema,
        normalize_schemas: bool = False,
        fmt: str | None = None,
        deleted: bool = False,
    ) -> RegisteredSchema:
        """Return the version under which a subject has this schema.

        Args:
            subject_name: the subject.
            schema: the schema.
            normalize_schemas: whether the registry may normalize the schema first.
            fmt: the format of the returned schema.
            deleted: whether to include deleted versions.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.lookup_schema(subject_name, schema, normalize_schemas, fmt, deleted))

    def get_subjects(
        self,
        subject_prefix: str | None = None,
        deleted: bool = False,
        deleted_only: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[str]:
        """Return the subjects.

        Args:
            subject_prefix: return only subjects with this prefix.
            deleted: whether to include deleted results.
            deleted_only: whether to return only deleted results.
            offset: how many results to skip.
            limit: how many results to return; -1 for all.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_subjects(subject_prefix, deleted, deleted_only, offset, limit))

    def delete_subject(self, subject_name: str, permanent: bool = False) -> list[int]:
        """Delete a subject and return the versions that it had.

        Args:
            subject_name: the subject.
            permanent: True removes the subject for good. The registry requires that the subject has
                been deleted without ``permanent`` before.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.delete_subject(subject_name, permanent))

    def get_latest_version(self, subject_name: str, fmt: str | None = None) -> RegisteredSchema:
        """Return the newest version of a subject; cached for ``cache.latest.ttl.sec``.

        Args:
            subject_name: the subject.
            fmt: the format of the returned schema.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_latest_version(subject_name, fmt))

    def get_latest_with_metadata(
        self,
        subject_name: str,
        metadata: dict[str, str],
        deleted: bool = False,
        fmt: str | None = None,
    ) -> RegisteredSchema:
        """Return the newest version of a subject that has this metadata; cached like the latest.

        Args:
            subject_name: the subject.
            metadata: properties and their required values.
            deleted: whether to include deleted versions.
            fmt: the format of the returned schema.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_latest_with_metadata(subject_name, metadata, deleted, fmt))

    def get_version(
        self,
        subject_name: str,
        version: int | str = "latest",
        deleted: bool = False,
        fmt: str | None = None,
    ) -> RegisteredSchema:
        """Return one version of a subject.

        Args:
            subject_name: the subject.
            version: its number, or ``latest``.
            deleted: whether to accept a deleted version.
            fmt: the format of the returned schema.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_version(subject_name, version, deleted, fmt))

    def get_referenced_by(
        self, subject_name: str, version: int | str = "latest", offset: int = 0, limit: int = -1
    ) -> list[int]:
        """Return the ids of the schemas that refer to a version.

        Args:
            subject_name: the subject.
            version: its number, or ``latest``.
            offset: how many results to skip.
            limit: how many results to return; -1 for all.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_referenced_by(subject_name, version, offset, limit))

    def get_versions(
        self,
        subject_name: str,
        deleted: bool = False,
        deleted_only: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[int]:
        """Return the versions of a subject.

        Args:
            subject_name: the subject.
            deleted: whether to include deleted results.
            deleted_only: whether to return only deleted results.
            offset: how many results to skip.
            limit: how many results to return; -1 for all.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_versions(subject_name, deleted, deleted_only, offset, limit))

    def delete_version(self, subject_name: str, version: int | str, permanent: bool = False) -> int:
        """Delete a version and return its number.

        Args:
            subject_name: the subject.
            version: its number.
            permanent: True removes the version for good. The registry requires that the version has
                been deleted without ``permanent`` before.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.delete_version(subject_name, version, permanent))

    def set_compatibility(
        self, subject_name: str | None = None, level: str | None = None
    ) -> dict[str, Any]:
        """Set the compatibility level of new versions.

        Args:
            subject_name: the subject; None for the global level.
            level: one of ConfigCompatibilityLevel.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.set_compatibility(subject_name, level))

    def get_compatibility(self, subject_name: str | None = None) -> str:
        """Return the compatibility level of new versions.

        Args:
            subject_name: the subject; None for the global level.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_compatibility(subject_name))

    def test_compatibility(
        self,
        subject_name: str,
        schema: Schema,
        version: int | str = "latest",
        normalize: bool = False,
        verbose: bool = False,
    ) -> bool:
        """Return whether a schema is compatible with one version of a subject.

        Args:
            subject_name: the subject.
            schema: the schema.
            version: the number of the version, or ``latest``.
            normalize: whether the registry may normalize the schema first.
            verbose: whether the registry also looks for the reasons. The call does not return them.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(
            self._calls.test_compatibility(subject_name, schema, version, normalize, verbose)
        )

    def test_compatibility_all_versions(
        self, subject_name: str, schema: Schema, normalize: bool = False, verbose: bool = False
    ) -> bool:
        """Return whether a schema is compatible with all versions that the level covers.

        Args:
            subject_name: the subject.
            schema: the schema.
            normalize: whether the registry may normalize the schema first.
            verbose: whether the registry also looks for the reasons. The call does not return them.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(
            self._calls.test_compatibility_all_versions(subject_name, schema, normalize, verbose)
        )

    def explain_compatibility(
        self,
        subject_name: str,
        schema: Schema,
        version: int | str | None = None,
        normalize: bool = False,
    ) -> list[str]:
        """Return why a schema is not compatible, in the registry's words.

        Args:
            subject_name: the subject.
            schema: the schema.
            version: the version to compare with, or ``latest``; by default all versions that the
                level covers.
            normalize: whether the registry may normalize the schema first.

        Returns:
            The reasons, or an empty list if the schema is compatible.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.explain_compatibility(subject_name, schema, version, normalize))

    def set_config(
        self, subject_name: str | None = None, config: ServerConfig | None = None
    ) -> dict[str, Any]:
        """Set the configuration of a subject.

        Args:
            subject_name: the subject; None for the global configuration.
            config: the configuration.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.set_config(subject_name, config))

    def get_config(self, subject_name: str | None = None) -> ServerConfig:
        """Return the configuration of a subject.

        Args:
            subject_name: the subject; None for the global configuration.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_config(subject_name))

    def delete_config(self, subject_name: str | None = None) -> ServerConfig:
        """Delete and return the configuration of a subject; then the global one applies.

        Args:
            subject_name: the subject; None for the global configuration.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.delete_config(subject_name))

    def get_mode(self, subject_name: str) -> str:
        """Return the mode of a subject, such as ``READWRITE``.

        Args:
            subject_name: the subject.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_mode(subject_name))

    def update_mode(self, subject_name: str, mode: str, force: bool = False) -> str:
        """Set the mode of a subject; return the mode.

        Args:
            subject_name: the subject.
            mode: ``READWRITE``, ``READONLY`` or ``IMPORT``.
            force: whether to set it even if the subject has schemas.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.update_mode(subject_name, mode, force))

    def delete_mode(self, subject_name: str) -> str:
        """Delete and return the mode of a subject; then the global mode applies.

        Args:
            subject_name: the subject.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.delete_mode(subject_name))

    def get_global_mode(self) -> str:
        """Return the global mode, for subjects without their own.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_global_mode())

    def update_global_mode(self, mode: str, force: bool = False) -> str:
        """Set the global mode, for subjects without their own; return it.

        Args:
            mode: ``READWRITE``, ``READONLY`` or ``IMPORT``.
            force: whether to set it even if there are schemas.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.update_global_mode(mode, force))

    def get_contexts(self, offset: int = 0, limit: int = -1) -> list[str]:
        """Return the contexts of the registry.

        Args:
            offset: how many results to skip.
            limit: how many results to return; -1 for all.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.get_contexts(offset, limit))

    def get_associations_by_resource_name(
        self,
        resource_name: str,
        resource_namespace: str,
        resource_type: str | None = None,
        association_types: list[str] | None = None,
        offset: int = 0,
        limit: int = -1,
    ) -> list[Association]:
        """Return the subjects that are associated with a resource, such as a topic.

        Args:
            resource_name: the name of the topic.
            resource_namespace: the id of the topic's cluster; ``-`` for any cluster.
            resource_type: the type of the resource, such as ``topic``.
            association_types: the types of associations, such as ``key`` and ``value``.
            offset: how many results to skip.
            limit: how many results to return; -1 for all.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(
            self._calls.get_associations_by_resource_name(
                resource_name, resource_namespace, resource_type, association_types, offset, limit
            )
        )

    def create_association(self, request: AssociationCreateOrUpdateRequest) -> AssociationResponse:
        """Associate subjects with a resource.

        Args:
            request: the subjects and the resource.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        return run(self._calls.create_association(request))

    def delete_associations(
        self,
        resource_id: str,
        resource_type: str | None = None,
        association_types: list[str] | None = None,
        cascade_lifecycle: bool = False,
    ) -> None:
        """Remove associations of subjects with a resource.

        Args:
            resource_id: the id of the resource.
            resource_type: the type of the resource, such as ``topic``.
            association_types: the types of associations, such as ``key`` and ``value``; None for
                all.
            cascade_lifecycle: whether subjects whose lifecycle is tied to the association are
                deleted with it.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        run(
            self._calls.delete_associations(
                resource_id, resource_type, association_types, cascade_lifecycle
            )
        )

    def clear_latest_caches(self) -> None:
        """Forget which versions are the latest."""
        run(self._calls.clear_latest_caches())

    def clear_caches(self) -> None:
        """Forget all schemas."""
        run(self._calls.clear_caches())


class AsyncSchemaRegistryClient(Calls):
    """A client of a schema registry for asyncio: SchemaRegistryClient with awaitable methods.

    Args:
        conf: the same as for SchemaRegistryClient; ``bearer.auth.custom.provider.function`` may
            also be a coroutine function.

    Raises:
        TypeError: a value has a wrong type.
        ValueError: a key is unknown or missing, or a value is out of range.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        settings = read_settings(conf)
        self._conf = dict(conf)
        self._urls = settings.urls
        super().__init__(settings, self._open(settings))

    def _open(self, settings: Settings) -> Sender:
        if settings.urls[0].startswith(MOCK):
            return MemorySender(settings.urls[0])
        return HttpSender(settings, AwaitingWire(settings))

    @staticmethod
    def new_client(conf: Mapping[str, Any]) -> AsyncSchemaRegistryClient:
        """Return a client; the same as calling the class."""
        return AsyncSchemaRegistryClient(conf)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self._urls)}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections to the registry."""
        await self._sender.close()

    def config(self) -> dict[str, Any]:
        """Return the client's configuration, including secrets."""
        return dict(self._conf)
