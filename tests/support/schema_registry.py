"""A schema registry for tests: the endpoints of Confluent's HTTP API that clients ask."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote


class FakeRegistry:
    """Schemas by id and by subject, and the requests that came for them."""

    def __init__(self) -> None:
        self.url = ""
        self.user: str | None = None
        """``name:password`` that requests must have."""
        self.requests: list[str] = []
        self._schemas: list[dict[str, Any]] = []
        self._subjects: dict[str, list[int]] = {}

    def register(
        self,
        subject: str,
        schema: str,
        kind: str = "AVRO",
        references: list[dict[str, Any]] | None = None,
    ) -> int:
        """Add a version to a subject; return the schema's id."""
        answer: dict[str, Any] = {"schema": schema}
        if kind != "AVRO":
            answer["schemaType"] = kind
        if references:
            answer["references"] = references
        self._schemas.append(answer)
        self._subjects.setdefault(subject, []).append(len(self._schemas))
        return len(self._schemas)

    def answer(self, path: str, authorization: str | None) -> tuple[int, Any]:
        """Return the status and the document that a request gets."""
        self.requests.append(path)
        if self.user is not None:
            wanted = "Basic " + base64.b64encode(self.user.encode()).decode()
            if authorization != wanted:
                return 401, {"error_code": 401, "message": "Unauthorized"}
        match path.strip("/").split("/"):
            case ["schemas", "ids", number]:
                if int(number) > len(self._schemas):
                    return 404, {"error_code": 40403, "message": "Schema not found"}
                return 200, self._schemas[int(number) - 1]
            case ["subjects", subject, "versions", version]:
                return self._version(unquote(subject), version)
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}

    def _version(self, subject: str, version: str) -> tuple[int, Any]:
        ids = self._subjects.get(subject)
        if ids is None:
            return 404, {"error_code": 40401, "message": f"Subject '{subject}' not found."}
        number = len(ids) if version == "latest" else int(version)
        schema_id = ids[number - 1]
        place = {"subject": subject, "version": number, "id": schema_id}
        return 200, {**place, **self._schemas[schema_id - 1]}


@contextmanager
def running_registry() -> Iterator[FakeRegistry]:
    """Serve a registry on a port of its own."""
    registry = FakeRegistry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, document = registry.answer(self.path, self.headers.get("Authorization"))
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        registry.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield registry
        finally:
            server.shutdown()
            thread.join()
