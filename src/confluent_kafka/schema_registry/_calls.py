"""The requests to a registry and their answers, written once for both clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._cache import Cache
from ._http import Request, Sender, is_success, part
from ._settings import Settings
from .associations import (
    Association,
    AssociationCreateOrUpdateRequest,
    AssociationResponse,
)
from .error import SchemaRegistryError
from .schema import (
    ConfigCompatibilityLevel,
    RegisteredSchema,
    Schema,
    SchemaVersion,
    ServerConfig,
    each,
)

T = TypeVar("T")


class Calls:
    """The calls of a registry, with their caches.

    Args:
        settings: the sizes of the caches.
        sender: sends the requests.
    """

    def __init__(self, settings: Settings, sender: Sender) -> None:
        self._sender = sender
        self.latest_ttl: float | None = settings.latest_ttl
        self.generation: int = 0
        """A number that changes when the latest versions are forgotten."""
        capacity = settings.cache_capacity
        self._by_id: Cache[Schema] = Cache(capacity)
        self._by_guid: Cache[Schema] = Cache(capacity)
        self._registered: Cache[RegisteredSchema] = Cache(capacity)
        self._looked_up: Cache[RegisteredSchema] = Cache(capacity)
        self._versions: Cache[RegisteredSchema] = Cache(capacity)
        self._latest: Cache[RegisteredSchema] = Cache(capacity, settings.latest_ttl)
        self._caches: tuple[Cache[Any], ...] = (
            self._by_id,
            self._by_guid,
            self._registered,
            self._looked_up,
            self._versions,
            self._latest,
        )

    async def register_schema(
        self, subject_name: str, schema: Schema, normalize_schemas: bool = False
    ) -> int:
        """Register a schema under a subject, unless it is registered, and return its id."""
        registered = await self.register_schema_full_response(
            subject_name, schema, normalize_schemas
        )
        if registered.schema_id is None:
            raise SchemaRegistryError(200, -1, f"no id for the schema of {subject_name!r}")
        return registered.schema_id

    async def register_schema_full_response(
        self, subject_name: str, schema: Schema, normalize_schemas: bool = False
    ) -> RegisteredSchema:
        """Register a schema under a subject if necessary, and return the registry's answer."""
        key = (_named(subject_name), _schema(schema), normalize_schemas)
        known = self._registered.get(key)
        if known is not None:
            return known
        since, since_by_id = self._registered.forgotten, self._by_id.forgotten
        path = f"/subjects/{part(subject_name)}/versions"
        query = [("normalize", normalize_schemas)]
        request = Request("POST", path, query, schema.to_dict())
        answer = await self._document(request, "id")
        if not isinstance(answer["id"], int):
            raise _unexpected(request, answer)
        # Registries before Confluent's 7.4 return only the id.
        document = {"subject": subject_name} | schema.to_dict() | answer
        found = _read(request, RegisteredSchema.from_dict, document)
        self._latest.discard(subject_name)
        if not normalize_schemas:
            self._by_id.put((answer["id"], subject_name, None, None), schema, since_by_id)
        return self._registered.put(key, found, since)

    async def get_schema(
        self,
        schema_id: int,
        subject_name: str | None = None,
        fmt: str | None = None,
        reference_format: str | None = None,
    ) -> Schema:
        """Return the schema with an id. It is cached, because ids never change."""
        key = (_integer("schema_id", schema_id), subject_name, fmt, reference_format)
        known = self._by_id.get(key)
        if known is not None:
            return known
        since = self._by_id.forgotten
        query = [("subject", subject_name), ("format", fmt), ("reference_format", reference_format)]
        request = Request("GET", f"/schemas/ids/{schema_id}", query)
        answer = await self._document(request, "schema")
        return self._by_id.put(key, _read(request, Schema.from_dict, answer), since)

    async def get_schema_by_guid(self, guid: str, fmt: str | None = None) -> Schema:
        """Return the schema with a GUID; it is cached."""
        known = self._by_guid.get((guid, fmt))
        if known is not None:
            return known
        since = self._by_guid.forgotten
        request = Request("GET", f"/schemas/guids/{part(guid)}", [("format", fmt)])
        answer = await self._document(request, "schema")
        return self._by_guid.put((guid, fmt), _read(request, Schema.from_dict, answer), since)

    async def get_schema_types(self) -> list[str]:
        """Return the schema types that the registry supports."""
        return await self._list(Request("GET", "/schemas/types"))

    async def get_subjects_by_schema_id(
        self,
        schema_id: int,
        subject_name: str | None = None,
        deleted: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[str]:
        """Return the subjects that have a schema."""
        query = [("subject", subject_name), ("deleted", deleted or None), *_page(offset, limit)]
        path = f"/schemas/ids/{_integer('schema_id', schema_id)}/subjects"
        return await self._list(Request("GET", path, query))

    async def get_schema_versions(
        self,
        schema_id: int,
        subject_name: str | None = None,
        deleted: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[SchemaVersion]:
        """Return the subjects and versions that have a schema."""
        query = [("subject", subject_name), ("deleted", deleted or None), *_page(offset, limit)]
        path = f"/schemas/ids/{_integer('schema_id', schema_id)}/versions"
        request = Request("GET", path, query)
        return _read(request, each(SchemaVersion.from_dict), await self._list(request))

    async def lookup_schema(
        self,
        subject_name: str,
        schema: Schema,
        normalize_schemas: bool = False,
        fmt: str | None = None,
        deleted: bool = False,
    ) -> RegisteredSchema:
        """Return the version under which a subject has this schema."""
        key = (_named(subject_name), _schema(schema), normalize_schemas, fmt, deleted)
        known = self._looked_up.get(key)
        if known is not None:
            return known
        since = self._looked_up.forgotten
        query = [("normalize", normalize_schemas), ("format", fmt), ("deleted", deleted)]
        request = Request("POST", f"/subjects/{part(subject_name)}", query, schema.to_dict())
        answer = await self._document(request, "id")
        document = schema.to_dict() | answer
        found = _read(request, RegisteredSchema.from_dict, document)
        return self._looked_up.put(key, found, since)

    async def get_subjects(
        self,
        subject_prefix: str | None = None,
        deleted: bool = False,
        deleted_only: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[str]:
        """Return the subjects."""
        query = [
            ("subjectPrefix", subject_prefix),
            ("deleted", deleted),
            ("deleted_only", deleted_only),
            *_page(offset, limit),
        ]
        return await self._list(Request("GET", "/subjects", query))

    async def delete_subject(self, subject_name: str, permanent: bool = False) -> list[int]:
        """Delete a subject and return the versions that it had."""
        path = f"/subjects/{part(_named(subject_name))}"
        versions = await self._list(Request("DELETE", path, [("permanent", permanent or None)]))
        self._forget(subject_name)
        return versions

    async def get_latest_version(
        self, subject_name: str, fmt: str | None = None
    ) -> RegisteredSchema:
        """Return the newest version of a subject; cached for ``cache.latest.ttl.sec``."""
        known = self._latest.get((_named(subject_name), fmt))
        if known is not None:
            return known
        since = self._latest.forgotten
        found = await self._version(subject_name, "latest", [("format", fmt)])
        return self._latest.put((subject_name, fmt), found, since)

    async def get_latest_with_metadata(
        self,
        subject_name: str,
        metadata: dict[str, str],
        deleted: bool = False,
        fmt: str | None = None,
    ) -> RegisteredSchema:
        """Return the newest version of a subject that has this metadata; cached like the latest."""
        if not isinstance(metadata, dict):
            raise TypeError(f"metadata must be a dict, not {type(metadata).__name__}")
        key = (_named(subject_name), fmt, deleted, frozenset(metadata.items()))
        known = self._latest.get(key)
        if known is not None:
            return known
        since = self._latest.forgotten
        pairs = [("key", one) for one in metadata] + [("value", one) for one in metadata.values()]
        query = [("deleted", deleted), ("format", fmt), *pairs]
        request = Request("GET", f"/subjects/{part(subject_name)}/metadata", query)
        answer = await self._document(request, "schema")
        return self._latest.put(key, _read(request, RegisteredSchema.from_dict, answer), since)

    async def get_version(
        self,
        subject_name: str,
        version: int | str = "latest",
        deleted: bool = False,
        fmt: str | None = None,
    ) -> RegisteredSchema:
        """Return one version of a subject."""
        key = (_named(subject_name), version, deleted, fmt)
        # The latest version can change; only get_latest_version() caches it.
        known = None if version == "latest" else self._versions.get(key)
        if known is not None:
            return known
        since = self._versions.forgotten
        query = [("deleted", deleted), ("format", fmt)]
        found = await self._version(subject_name, _number_of(version), query)
        return found if version == "latest" else self._versions.put(key, found, since)

    async def get_referenced_by(
        self, subject_name: str, version: int | str = "latest", offset: int = 0, limit: int = -1
    ) -> list[int]:
        """Return the ids of the schemas that refer to a version."""
        path = f"/subjects/{part(_named(subject_name))}/versions/{_number_of(version)}/referencedby"
        return await self._list(Request("GET", path, _page(offset, limit)))

    async def get_versions(
        self,
        subject_name: str,
        deleted: bool = False,
        deleted_only: bool = False,
        offset: int = 0,
        limit: int = -1,
    ) -> list[int]:
        """Return the versions of a subject."""
        query = [("deleted", deleted), ("deleted_only", deleted_only), *_page(offset, limit)]
        path = f"/subjects/{part(_named(subject_name))}/versions"
        return await self._list(Request("GET", path, query))

    async def delete_version(
        self, subject_name: str, version: int | str, permanent: bool = False
    ) -> int:
        """Delete a version and return its number."""
        path = f"/subjects/{part(_named(subject_name))}/versions/{_number_of(version)}"
        request = Request("DELETE", path, [("permanent", permanent or None)])
        number = await self._ask(request)
        self._forget(subject_name)
        if not isinstance(number, int):
            raise _unexpected(request, number)
        return number

    async def set_compatibility(
        self, subject_name: str | None = None, level: str | None = None
    ) -> dict[str, Any]:
        """Set the compatibility level of new versions."""
        if not isinstance(level, str):
            known, given = ", ".join(ConfigCompatibilityLevel), type(level).__name__
            raise ValueError(f"level must be one of {known}, not {given}")
        return await self._put("config", subject_name, {"compatibility": level.upper()})

    async def get_compatibility(self, subject_name: str | None = None) -> str:
        """Return the compatibility level of new versions."""
        request = Request("GET", _of("config", subject_name))
        answer = await self._document(request, "compatibilityLevel")
        return str(answer["compatibilityLevel"])

    async def test_compatibility(
        self,
        subject_name: str,
        schema: Schema,
        version: int | str = "latest",
        normalize: bool = False,
        verbose: bool = False,
    ) -> bool:
        """Return whether a schema is compatible with one version of a subject."""
        path = _compatibility(subject_name, _number_of(version))
        return bool((await self._compared(path, schema, normalize, verbose))["is_compatible"])

    async def test_compatibility_all_versions(
        self, subject_name: str, schema: Schema, normalize: bool = False, verbose: bool = False
    ) -> bool:
        """Return whether a schema is compatible with all versions that the level covers."""
        path = _compatibility(subject_name)
        return bool((await self._compared(path, schema, normalize, verbose))["is_compatible"])

    async def explain_compatibility(
        self,
        subject_name: str,
        schema: Schema,
        version: int | str | None = None,
        normalize: bool = False,
    ) -> list[str]:
        """Return why a schema is not compatible, in the registry's words; nothing if it is."""
        number = None if version is None else _number_of(version)
        path = _compatibility(subject_name, number)
        answer = await self._compared(path, schema, normalize, verbose=True)
        if answer["is_compatible"]:
            return []
        return [str(one) for one in answer.get("messages") or ["the registry gives no reason"]]

    async def set_config(
        self, subject_name: str | None = None, config: ServerConfig | None = None
    ) -> dict[str, Any]:
        """Set the configuration of a subject."""
        if not isinstance(config, ServerConfig):
            raise ValueError(f"config must be a ServerConfig, not {type(config).__name__}")
        return await self._put("config", subject_name, config.to_dict())

    async def get_config(self, subject_name: str | None = None) -> ServerConfig:
        """Return the configuration of a subject."""
        request = Request("GET", _of("config", subject_name))
        return _read(request, ServerConfig.from_dict, await self._document(request))

    async def delete_config(self, subject_name: str | None = None) -> ServerConfig:
        """Delete and return the configuration of a subject; then the global one applies."""
        request = Request("DELETE", _of("config", subject_name))
        answer = await self._ask(request)
        # Some registries return only the name of the level.
        document = {"compatibilityLevel": answer} if isinstance(answer, str) else answer
        return _read(request, ServerConfig.from_dict, document)

    async def get_mode(self, subject_name: str) -> str:
        """Return the mode of a subject, such as ``READWRITE``."""
        return await self._mode(Request("GET", _of("mode", _named(subject_name))))

    async def update_mode(self, subject_name: str, mode: str, force: bool = False) -> str:
        """Set the mode of a subject; return the mode."""
        path = _of("mode", _named(subject_name))
        return await self._mode(Request("PUT", path, [("force", force)], {"mode": mode}))

    async def delete_mode(self, subject_name: str) -> str:
        """Delete and return the mode of a subject; then the global mode applies."""
        return await self._mode(Request("DELETE", _of("mode", _named(subject_name))))

    async def get_global_mode(self) -> str:
        """Return the global mode, for subjects without their own."""
        return await self._mode(Request("GET", "/mode"))

    async def update_global_mode(self, mode: str, force: bool = False) -> str:
        """Set the global mode, for subjects without their own; return it."""
        return await self._mode(Request("PUT", "/mode", [("force", force)], {"mode": mode}))

    async def get_contexts(self, offset: int = 0, limit: int = -1) -> list[str]:
        """Return the contexts of the registry."""
        return await self._list(Request("GET", "/contexts", _page(offset, limit)))

    async def get_associations_by_resource_name(
        self,
        resource_name: str,
        resource_namespace: str,
        resource_type: str | None = None,
        association_types: list[str] | None = None,
        offset: int = 0,
        limit: int = -1,
    ) -> list[Association]:
        """Return the subjects that are associated with a resource, such as a topic."""
        query = [
            ("resourceType", resource_type),
            *(("associationType", one) for one in association_types or ()),
            *_page(offset, limit),
        ]
        path = f"/associations/resources/{part(resource_namespace)}/{part(resource_name)}"
        request = Request("GET", path, query)
        return _read(request, each(Association.from_dict), await self._list(request))

    async def create_association(
        self, request: AssociationCreateOrUpdateRequest
    ) -> AssociationResponse:
        """Associate subjects with a resource."""
        if not isinstance(request, AssociationCreateOrUpdateRequest):
            wanted = AssociationCreateOrUpdateRequest.__name__
            raise TypeError(f"request must be a {wanted}, not {type(request).__name__}")
        sent = Request("POST", "/associations", body=request.to_dict())
        return _read(sent, AssociationResponse.from_dict, await self._document(sent))

    async def delete_associations(
        self,
        resource_id: str,
        resource_type: str | None = None,
        association_types: list[str] | None = None,
        cascade_lifecycle: bool = False,
    ) -> None:
        """Remove associations of subjects with a resource."""
        query = [
            ("cascadeLifecycle", cascade_lifecycle),
            ("resourceType", resource_type),
            *(("associationType", one) for one in association_types or ()),
        ]
        await self._ask(Request("DELETE", f"/associations/resources/{part(resource_id)}", query))

    async def clear_latest_caches(self) -> None:
        """Forget which versions are the latest."""
        self.generation += 1
        self._latest.clear()

    async def clear_caches(self) -> None:
        """Forget all schemas."""
        self.generation += 1
        for cache in self._caches:
            cache.clear()

    async def _ask(self, request: Request) -> Any:
        """Return the document that answers a request.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        answer = await self._sender.send(request)
        if is_success(answer.status) and answer.document is not None:
            return answer.document
        said = answer.document if isinstance(answer.document, dict) else {}
        code, message = said.get("error_code"), said.get("message")
        if not message and answer.location is not None:
            message = f"redirected to {answer.location}: set url to the registry's own address"
        if not message:
            shown = " ".join(answer.text.split())[:100]
            message = f"a response that is not JSON: {shown!r}" if shown else "no reason given"
        number = code if isinstance(code, int) else SchemaRegistryError.UNKNOWN
        text = f"{message} ({request.method} {request.path})"
        raise SchemaRegistryError(answer.status, number, text)

    async def _document(self, request: Request, needed: str | None = None) -> dict[str, Any]:
        answer = await self._ask(request)
        if not isinstance(answer, dict) or (needed is not None and needed not in answer):
            raise _unexpected(request, answer)
        return answer

    async def _list(self, request: Request) -> list[Any]:
        answer = await self._ask(request)
        if not isinstance(answer, list):
            raise _unexpected(request, answer)
        return answer

    async def _version(
        self, subject_name: str, version: int | str, query: list[tuple[str, Any]]
    ) -> RegisteredSchema:
        path = f"/subjects/{part(subject_name)}/versions/{version}"
        request = Request("GET", path, query)
        answer = await self._document(request, "schema")
        return _read(request, RegisteredSchema.from_dict, answer)

    async def _put(self, what: str, subject: str | None, body: dict[str, Any]) -> dict[str, Any]:
        return await self._document(Request("PUT", _of(what, subject), body=body))

    async def _mode(self, request: Request) -> str:
        return str((await self._document(request, "mode"))["mode"])

    async def _compared(
        self, path: str, schema: Schema, normalize: bool, verbose: bool
    ) -> dict[str, Any]:
        query = [("normalize", normalize), ("verbose", verbose)]
        request = Request("POST", path, query, _schema(schema).to_dict())
        return await self._document(request, "is_compatible")

    def _forget(self, subject: str) -> None:
        for cache in (self._registered, self._looked_up, self._versions, self._latest):
            cache.discard(subject)


def _read(request: Request, make: Callable[[Any], T], answer: Any) -> T:
    try:
        return make(answer)
    except (ValueError, TypeError, AttributeError) as error:
        raise SchemaRegistryError(200, -1, f"{error} ({request.method} {request.path})") from error


def _unexpected(request: Request, answer: Any) -> SchemaRegistryError:
    text = f"an unexpected response: {answer!r:.100} ({request.method} {request.path})"
    return SchemaRegistryError(200, SchemaRegistryError.UNKNOWN, text)


def _of(what: str, subject: str | None) -> str:
    return f"/{what}" if subject is None else f"/{what}/{part(_named(subject))}"


def _compatibility(subject: str, version: int | str | None = None) -> str:
    path = f"/compatibility/subjects/{part(_named(subject))}/versions"
    return path if version is None else f"{path}/{version}"


def _page(offset: int, limit: int) -> list[tuple[str, Any]]:
    offset, limit = _integer("offset", offset), _integer("limit", limit)
    return [("offset", offset or None), ("limit", None if limit < 0 else limit)]


def _named(subject_name: str) -> str:
    if not isinstance(subject_name, str):
        raise TypeError(f"subject_name must be a str, not {type(subject_name).__name__}")
    if not subject_name:
        raise ValueError("subject_name must not be empty")
    return subject_name


def _schema(schema: Schema) -> Schema:
    if not isinstance(schema, Schema):
        raise TypeError(f"schema must be a Schema, not {type(schema).__name__}")
    return schema


def _integer(name: str, value: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    return value


def _number_of(version: int | str) -> int | str:
    """Return a version as a part of a path: a number, also as text, or ``latest``."""
    if not isinstance(version, str):
        return _integer("version", version)
    if not version:
        raise ValueError("version must not be empty")
    return part(version)
