"""The client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from .error import SchemaRegistryError
from .schema import RegisteredSchema, Schema, SchemaReference

_DEFAULTS: dict[str, Any] = {"timeout": 10.0}
_KNOWN = {
    "url", "basic.auth.user.info", "ssl.ca.location", "ssl.certificate.location",
    "ssl.key.location", "timeout",
}  # fmt: skip


class SchemaRegistryClient:
    """Asks a schema registry; what it learned about an id it keeps, since ids never change.

    It may be used by several threads, but not in a process that was forked from its own.

    Args:
        conf: ``url`` (required); ``basic.auth.user.info`` (``user:password``);
            ``ssl.ca.location``, ``ssl.certificate.location`` and ``ssl.key.location`` (files,
            PEM); ``timeout`` (seconds for one request, 10).

    Raises:
        ValueError: a key is unknown or ``url`` is missing.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        if unknown := sorted(conf.keys() - _KNOWN):
            raise ValueError(f"unknown key {unknown[0]!r}: there are {', '.join(sorted(_KNOWN))}")
        settings = {**_DEFAULTS, **conf}
        if not settings.get("url"):
            raise ValueError("the key 'url' is missing: the registry, as http://host:port")
        user, _, password = settings.get("basic.auth.user.info", "").partition(":")
        certificate = settings.get("ssl.certificate.location")
        self._url = settings["url"].rstrip("/")
        self._http = httpx.Client(
            auth=(user, password) if user else None,
            verify=_tls(settings.get("ssl.ca.location"), certificate, settings),
            timeout=settings["timeout"],
            headers={"Accept": "application/vnd.schemaregistry.v1+json, application/json"},
        )
        self._schemas: dict[int, Schema] = {}

    def __enter__(self) -> SchemaRegistryClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def get_schema(self, schema_id: int) -> Schema:
        """Return the schema of an id.

        Raises:
            SchemaRegistryError: there is none (404), or the registry refuses or is not there.
        """
        if schema_id not in self._schemas:
            self._schemas[schema_id] = _schema(self._get(f"/schemas/ids/{schema_id}"))
        return self._schemas[schema_id]

    def get_latest_version(self, subject_name: str) -> RegisteredSchema:
        """Return the schema that a subject has now.

        Raises:
            SchemaRegistryError: there is none (404), or the registry refuses or is not there.
        """
        return self._version(subject_name, "latest")

    def get_version(self, subject_name: str, version: int) -> RegisteredSchema:
        """Return one version of a subject's schema.

        Raises:
            SchemaRegistryError: there is none (404), or the registry refuses or is not there.
        """
        return self._version(subject_name, str(version))

    def _version(self, subject: str, version: str) -> RegisteredSchema:
        answer = self._get(f"/subjects/{quote(subject, safe='')}/versions/{version}")
        return RegisteredSchema(answer["id"], _schema(answer), subject, answer["version"])

    def _get(self, path: str) -> Any:
        try:
            response = self._http.get(self._url + path)
            answer = response.json() if response.content else {}
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise SchemaRegistryError(0, -1, f"{self._url}{path}: {error}") from error
        except ValueError:
            answer = {}
        if response.is_success and isinstance(answer, dict):
            return answer
        said = answer if isinstance(answer, dict) else {}
        message = said.get("message") or response.reason_phrase or "no JSON"
        code = said.get("error_code", -1)
        raise SchemaRegistryError(response.status_code, code, f"{message} ({path})")


def _tls(ca: str | None, certificate: str | None, settings: Mapping[str, Any]) -> Any:
    if ca is None and certificate is None:
        return True
    context = httpx.create_ssl_context()
    if ca is not None:
        context.load_verify_locations(ca)
    if certificate is not None:
        context.load_cert_chain(certificate, settings.get("ssl.key.location"))
    return context


def _schema(answer: Mapping[str, Any]) -> Schema:
    references = tuple(
        SchemaReference(one["name"], one["subject"], one["version"])
        for one in answer.get("references") or []
    )
    # Registries leave the type out where it is Avro's.
    return Schema(answer["schema"], answer.get("schemaType", "AVRO"), references)
