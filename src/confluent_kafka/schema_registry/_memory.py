"""A registry in memory, for ``mock://`` URLs. It implements the HTTP API, without HTTP."""

from __future__ import annotations

import contextlib
import json
import threading
import uuid
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from ._compatibility import LEVELS, SchemaError, Text, check, is_transitive, problems
from ._http import Answer, Request

_TYPES = ("JSON", "PROTOBUF", "AVRO")
_GLOBAL = ""
_DEFAULTS: dict[str, Any] = {"compatibilityLevel": "BACKWARD"}


class _Refusal(Exception):
    def __init__(self, status: int, code: int, message: str) -> None:
        self.status = status
        self.document = {"error_code": code, "message": message}


class _Unparsed(_Refusal):
    """A request does not contain a schema that can be parsed."""


@dataclass
class _Version:
    number: int
    schema_id: int
    deleted: bool = False


@dataclass
class _Subject:
    versions: list[_Version] = field(default_factory=list)
    next_number: int = 1

    def seen(self, deleted: bool = False) -> list[_Version]:
        return [one for one in self.versions if deleted or not one.deleted]


class MemoryRegistry:
    """Schemas, subjects and configurations of a private registry."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._schemas: dict[int, dict[str, Any]] = {}
        self._ids: dict[str, int] = {}
        self._subjects: dict[str, _Subject] = {}
        self._configs: dict[str, dict[str, Any]] = {_GLOBAL: _DEFAULTS}
        self._modes: dict[str, str] = {_GLOBAL: "READWRITE"}
        self._associations: list[dict[str, Any]] = []

    def answer(
        self, method: str, path: str, query: Sequence[tuple[str, str]] = (), body: Any = None
    ) -> tuple[int, Any]:
        """Return the status and the document that answer a request.

        Args:
            method: the HTTP method.
            path: the path without the query.
            query: the names and values of the query.
            body: the document in the request.
        """
        parts = [unquote(one) for one in path.strip("/").split("/")]
        with self._lock:
            try:
                return 200, self._serve(method, parts, dict(query), list(query), body)
            except _Refusal as refusal:
                return refusal.status, refusal.document

    def _serve(
        self,
        method: str,
        parts: list[str],
        query: dict[str, str],
        pairs: list[tuple[str, str]],
        body: Any,
    ) -> Any:
        match method, parts:
            case _, ["schemas", *rest]:
                return self._serve_schemas(rest, query)
            case _, ["subjects", *rest]:
                return self._serve_subjects(method, rest, query, pairs, body)
            case "POST", ["compatibility", "subjects", subject, "versions", *version]:
                at = version[0] if version else None
                return self._compatibility(subject, at, query.get("verbose") == "true", body)
            case _, ["config", *subject]:
                return self._config(method, subject[0] if subject else _GLOBAL, query, body)
            case _, ["mode", *subject]:
                return self._mode(method, subject[0] if subject else _GLOBAL, body)
            case "GET", ["contexts"]:
                return _page(["."], query)
            case _, ["associations", *rest]:
                return self._serve_associations(method, rest, query, pairs, body)
        raise _Refusal(404, 404, "HTTP 404 Not Found")

    # --- schemas ---

    def _serve_schemas(self, parts: list[str], query: dict[str, str]) -> Any:
        match parts:
            case ["types"]:
                return list(_TYPES)
            case ["guids", guid]:
                for one in self._schemas.values():
                    if one["guid"] == guid:
                        return one
                raise _Refusal(404, 40403, f"Schema {guid} not found")
            case ["ids", number]:
                return self._schema(number)
            case ["ids", number, "subjects"]:
                places = self._places(self._schema(number)["id"], query)
                return _page(list(dict.fromkeys(name for name, _ in places)), query)
            case ["ids", number, "versions"]:
                places = self._places(self._schema(number)["id"], query)
                return _page([{"subject": name, "version": at} for name, at in places], query)
        raise _Refusal(404, 404, "HTTP 404 Not Found")

    def _schema(self, number: str) -> dict[str, Any]:
        found = self._schemas.get(int(number)) if number.isdecimal() else None
        if found is None:
            raise _Refusal(404, 40403, f"Schema {number} not found")
        return found

    def _places(self, schema_id: int, query: dict[str, str]) -> list[tuple[str, int]]:
        return [
            (name, one.number)
            for name, subject in self._subjects.items()
            for one in subject.seen(query.get("deleted") == "true")
            if one.schema_id == schema_id and query.get("subject", name) == name
        ]

    # --- subjects ---

    def _serve_subjects(
        self,
        method: str,
        parts: list[str],
        query: dict[str, str],
        pairs: list[tuple[str, str]],
        body: Any,
    ) -> Any:
        deleted = query.get("deleted") == "true"
        permanent = query.get("permanent") == "true"
        match method, parts:
            case "GET", []:
                return _page(self._names(query), query)
            case "POST", [name]:
                return self._lookup(name, body, deleted)
            case "DELETE", [name]:
                return self._delete_subject(name, permanent)
            case "GET", [name, "metadata"]:
                return self._with_metadata(name, pairs, deleted)
            case "POST", [name, "versions"]:
                return self._register(name, body)
            case "GET", [name, "versions"]:
                only = query.get("deleted_only") == "true"
                found = self._subject(name, deleted or only).seen(deleted or only)
                return _page([one.number for one in found if one.deleted or not only], query)
            case "GET", [name, "versions", version]:
                return self._document(name, self._version(name, version, deleted))
            case "GET", [name, "versions", version, "referencedby"]:
                return _page(self._referencing(name, self._version(name, version).number), query)
            case "DELETE", [name, "versions", version]:
                return self._delete_version(name, version, permanent)
        raise _Refusal(404, 404, "HTTP 404 Not Found")

    def _names(self, query: dict[str, str]) -> list[str]:
        only = query.get("deleted_only") == "true"
        deleted = query.get("deleted") == "true" or only
        return [
            name
            for name, subject in self._subjects.items()
            if name.startswith(query.get("subjectPrefix", ""))
            and subject.seen(deleted)
            and not (only and subject.seen())
        ]

    def _subject(self, name: str, deleted: bool = False) -> _Subject:
        found = self._subjects.get(name)
        if found is None or not found.seen(deleted):
            raise _Refusal(404, 40401, f"Subject '{name}' not found.")
        return found

    def _version(self, name: str, version: str, deleted: bool = False) -> _Version:
        found = self._subject(name, deleted).seen(deleted)
        if version in ("latest", "-1"):
            return found[-1]
        for one in found:
            if str(one.number) == version:
                return one
        raise _Refusal(404, 40402, f"Version {version} not found.")

    def _document(self, name: str, version: _Version) -> dict[str, Any]:
        place = {"subject": name, "version": version.number}
        return place | self._schemas[version.schema_id]

    def _with_metadata(
        self, name: str, pairs: list[tuple[str, str]], deleted: bool
    ) -> dict[str, Any]:
        keys = [value for key, value in pairs if key == "key"]
        values = [value for key, value in pairs if key == "value"]
        wanted = dict(zip(keys, values, strict=False)).items()
        for one in reversed(self._subject(name, deleted).seen(deleted)):
            said = self._schemas[one.schema_id].get("metadata") or {}
            if wanted <= (said.get("properties") or {}).items():
                return self._document(name, one)
        raise _Refusal(404, 40401, f"Subject '{name}' has no schema with this metadata.")

    def _register(self, name: str, body: Any) -> dict[str, Any]:
        if self._modes.get(name, self._modes[_GLOBAL]).startswith("READONLY"):
            raise _Refusal(422, 42205, f"Subject {name} is in read-only mode")
        document, canonical = self._checked(body)
        subject = self._subjects.setdefault(name, _Subject())
        known = self._ids.get(canonical)
        for one in subject.seen():
            if one.schema_id == known:
                return self._document(name, one)
        self._enforce(name, subject, document)
        if known is None:
            known = len(self._schemas) + 1
            self._ids[canonical] = known
            guid = str(uuid.uuid5(uuid.NAMESPACE_OID, canonical))
            self._schemas[known] = {"id": known, "guid": guid} | document
        version = _Version(subject.next_number, known)
        subject.next_number += 1
        subject.versions.append(version)
        return self._document(name, version)

    def _checked(self, body: Any) -> tuple[dict[str, Any], str]:
        """Return a schema from a request, and its key among other schemas."""
        text = body.get("schema") if isinstance(body, dict) else None
        kind = (body.get("schemaType") or "AVRO") if isinstance(body, dict) else None
        if not isinstance(text, str) or not text or kind not in _TYPES:
            raise _Unparsed(422, 42201, "Invalid schema")
        canonical = text if kind == "PROTOBUF" else self._canonical(text)
        kept = ("references", "metadata", "ruleSet")
        document = {"schema": text} | {name: body[name] for name in kept if body.get(name)}
        if kind != "AVRO":
            document["schemaType"] = kind
        self._validate(kind, document)
        return document, json.dumps([canonical, document | {"schema": ""}], sort_keys=True)

    def _validate(self, kind: str, document: dict[str, Any]) -> None:
        """Check that a schema is valid, and that the schemas that it refers to exist."""
        try:
            check(kind, self._text(document))
        except SchemaError as error:
            raise _Unparsed(422, 42201, str(error)) from None
        except _Refusal as missing:
            why = f"Invalid schema: a reference is missing: {missing.document['message']}"
            raise _Unparsed(422, 42201, why) from None

    def _canonical(self, text: str) -> str:
        """Return a schema's text without insignificant white space."""
        try:
            return json.dumps(json.loads(text), separators=(",", ":"))
        except (ValueError, RecursionError) as error:
            raise _Unparsed(422, 42201, f"Invalid schema: {error}") from None

    def _lookup(self, name: str, body: Any, deleted: bool) -> dict[str, Any]:
        subject = self._subject(name, deleted)
        _, canonical = self._checked(body)
        known = self._ids.get(canonical)
        for one in subject.seen(deleted):
            if one.schema_id == known:
                return self._document(name, one)
        raise _Refusal(404, 40403, "Schema not found")

    def _referencing(self, name: str, number: int) -> list[int]:
        return [
            schema_id
            for schema_id, one in self._schemas.items()
            for reference in one.get("references", ())
            if (reference["subject"], reference["version"]) == (name, number)
        ]

    def _delete_subject(self, name: str, permanent: bool) -> list[int]:
        subject = self._subject(name, permanent)
        found = subject.seen(permanent)
        if permanent:
            if subject.seen():
                raise _Refusal(404, 40405, f"Subject '{name}' was not deleted first")
            del self._subjects[name]
        for one in found:
            one.deleted = True
        return [one.number for one in found]

    def _delete_version(self, name: str, version: str, permanent: bool) -> int:
        one = self._version(name, version, permanent)
        if permanent:
            if not one.deleted:
                raise _Refusal(404, 40407, f"Version {version} was not deleted first")
            self._subject(name, True).versions.remove(one)
        one.deleted = True
        return one.number

    # --- compatibility, configuration, mode ---

    def _setting(self, name: str, key: str) -> Any:
        """Return a value of a subject's configuration, or of the global configuration."""
        own = self._configs.get(name, {}).get(key)
        return self._configs[_GLOBAL].get(key) if own is None else own

    def _enforce(self, name: str, subject: _Subject, document: dict[str, Any]) -> None:
        if self._modes.get(name, self._modes[_GLOBAL]) == "IMPORT":
            return
        messages = self._messages(name, self._compared(name, subject.seen(), document), document)
        if messages:
            what = f'Schema being registered is incompatible with an earlier schema for "{name}"'
            raise _Refusal(409, 409, f"{what}, details: [{', '.join(messages)}]")

    def _compared(self, name: str, seen: list[_Version], new: dict[str, Any]) -> list[_Version]:
        """Return the versions that a new one must be compatible with."""
        group = self._setting(name, "compatibilityGroup")
        if group:  # versions of other groups may be incompatible with this one
            seen = [
                one
                for one in seen
                if _property(self._schemas[one.schema_id], group) == _property(new, group)
            ]
        return seen if is_transitive(self._setting(name, "compatibilityLevel")) else seen[-1:]

    def _messages(self, name: str, against: list[_Version], new: dict[str, Any]) -> list[str]:
        """Return why a schema is incompatible with versions, or nothing."""
        level: str = self._setting(name, "compatibilityLevel")
        for one in reversed(against):
            old = self._schemas[one.schema_id]
            kinds = [schema.get("schemaType", "AVRO") for schema in (new, old)]
            try:
                found = problems(level, kinds[0], self._text(new), kinds[1], self._text(old))
            except SchemaError as error:
                raise _Unparsed(422, 42201, str(error)) from None
            except ImportError as error:
                raise _Refusal(501, 50101, f"descriptors are not compared: {error}") from None
            if found:
                place = [f"{{oldSchemaVersion: {one.number}}}", f"{{oldSchema: '{old['schema']}'}}"]
                return [*map(str, found), *place, f"{{compatibility: '{level}'}}"]
        return []

    def _text(self, schema: dict[str, Any]) -> Text:
        """Return a schema with the schemas that it refers to, directly or through others."""
        found: dict[str, str] = {}
        for one in schema.get("references") or ():
            version = self._version(one["subject"], str(one["version"]), deleted=True)
            other = self._text(self._schemas[version.schema_id])
            found |= {**other.references, one["name"]: other.schema}
        return Text(schema["schema"], found)

    def _compatibility(
        self, name: str, version: str | None, verbose: bool, body: Any
    ) -> dict[str, Any]:
        document, _ = self._checked(body)
        if version is None:
            subject = self._subjects.get(name, _Subject())
            against = self._compared(name, subject.seen(), document)
        else:
            against = [self._version(name, version)]
        messages = self._messages(name, against, document)
        answer: dict[str, Any] = {"is_compatible": not messages}
        return answer | ({"messages": messages} if verbose else {})

    def _config(self, method: str, name: str, query: dict[str, str], body: Any) -> dict[str, Any]:
        own = self._configs.get(name)
        if method == "PUT":
            said = {key: value for key, value in body.items() if key != "compatibility"}
            if body.get("compatibility") is not None:
                said["compatibilityLevel"] = str(body["compatibility"]).upper()
            if said.get("compatibilityLevel", "NONE") not in LEVELS:
                level = body["compatibility"]
                raise _Refusal(422, 42203, f"Invalid compatibility level {level}")
            self._configs[name] = (own or {}) | said
            return dict(body)
        if method == "GET" and query.get("defaultToGlobal") == "true":
            return self._configs[_GLOBAL] | (own or {})
        if own is None and method == "DELETE":
            raise _Refusal(404, 40401, f"Subject '{name}' not found.")
        if own is None:
            what = f"Subject '{name}' does not have subject-level compatibility configured"
            raise _Refusal(404, 40408, what)
        if method == "DELETE":
            del self._configs[name]
            self._configs.setdefault(_GLOBAL, _DEFAULTS)
        return own

    def _mode(self, method: str, name: str, body: Any) -> dict[str, Any]:
        if method == "PUT":
            if body["mode"] not in ("READWRITE", "READONLY", "READONLY_OVERRIDE", "IMPORT"):
                raise _Refusal(422, 42204, f"Invalid mode {body['mode']}")
            self._modes[name] = body["mode"]
        if method == "DELETE":
            return {"mode": self._modes.pop(name, self._modes[_GLOBAL])}
        return {"mode": self._modes.get(name, self._modes[_GLOBAL])}

    # --- associations ---

    def _serve_associations(
        self,
        method: str,
        parts: list[str],
        query: dict[str, str],
        pairs: list[tuple[str, str]],
        body: Any,
    ) -> Any:
        types = [value for name, value in pairs if name == "associationType"]

        def meant(one: dict[str, Any]) -> bool:
            kind = query.get("resourceType", one["resourceType"])
            return one["resourceType"] == kind and (not types or one["associationType"] in types)

        match method, parts:
            case "POST", []:
                return self._associate(body)
            case "GET", ["resources", namespace, name]:
                found = [
                    one
                    for one in self._associations
                    if one["resourceName"] == name
                    and namespace in ("-", one["resourceNamespace"])
                    and meant(one)
                ]
                return _page(found, query)
            case "DELETE", ["resources", resource]:
                kept = [
                    one
                    for one in self._associations
                    if one["resourceId"] != resource or not meant(one)
                ]
                self._associations = kept
                return {}
        raise _Refusal(404, 404, "HTTP 404 Not Found")

    def _associate(self, body: Any) -> dict[str, Any]:
        shared = ("resourceName", "resourceNamespace", "resourceId", "resourceType")
        for one in body.get("associations") or []:
            name = one.get("subject") or f"{body['resourceName']}-{one['associationType']}"
            if one.get("schema"):
                with contextlib.suppress(_Unparsed):  # only the association is made
                    self._register(name, one["schema"])
            guid = str(uuid.uuid4())
            place = {key: body.get(key) for key in shared} | {"subject": name, "guid": guid}
            kind = {"associationType": one["associationType"], "frozen": bool(one.get("frozen"))}
            self._associations.append(place | kind)
        return dict(body)


def _property(schema: dict[str, Any], name: str) -> Any:
    """Return the value of a property in a schema's metadata."""
    return ((schema.get("metadata") or {}).get("properties") or {}).get(name)


def _page(found: list[Any], query: Mapping[str, str]) -> list[Any]:
    start, limit = int(query.get("offset", 0)), int(query.get("limit", -1))
    return found[start:] if limit < 0 else found[start : start + limit]


_named: weakref.WeakValueDictionary[str, MemoryRegistry] = weakref.WeakValueDictionary()
_named_lock = threading.Lock()


class MemorySender:
    """Sends requests to the registry in memory that a ``mock://`` URL names.

    Each client of ``mock://`` gets a registry of its own. All clients of ``mock://name`` in a
    process share one registry, which ends with the last of these clients.
    """

    def __init__(self, url: str) -> None:
        name = url.partition("://")[2].strip("/")
        with _named_lock:
            registry = _named.get(name) if name else None
            if registry is None:
                registry = MemoryRegistry()
                if name:
                    _named[name] = registry
        self._registry = registry

    async def send(self, request: Request) -> Answer:
        """Return the answer to a request."""
        query = parse_qsl(request.target.partition("?")[2])
        body = None if request.body is None else json.loads(json.dumps(request.body))
        status, document = self._registry.answer(request.method, request.path, query, body)
        return Answer(status, document, "")

    async def close(self) -> None:
        """Do nothing: nothing is open."""
