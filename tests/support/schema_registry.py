"""Serves the schema registry in memory over HTTP for tests, with faults on demand."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

from confluent_kafka.schema_registry._memory import MemoryRegistry


@dataclass
class Fault:
    """A response that replaces the registry's own response."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    """Whether the request gets no response until the registry ends."""
    trickle: bool = False
    """Whether the body of the response continues, byte by byte, until the registry ends."""
    slow_headers: bool = False
    """Whether the headers of the response continue in the same way."""


class _Careless(MemoryRegistry):
    """Accepts texts that are not schemas.

    Older registries did this for types that they did not support.
    """

    def _canonical(self, text: str) -> str:
        return text

    def _validate(self, kind: str, document: dict[str, Any]) -> None:
        """Accept the document."""


class FakeRegistry:
    """Schemas by id and by subject, and the requests that the registry has received."""

    def __init__(self) -> None:
        self.url = ""
        self.user: str | None = None
        """``name:password`` that requests must have."""
        self.token: str | None = None
        """The bearer token that requests must have."""
        self.requests: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[str] = []
        self.faults: list[Fault] = []
        """The faults for the next requests, in order."""
        self.before_the_answer: list[Callable[[], object]] = []
        """The functions to call for the next requests, when the response is ready but not sent
        yet."""
        self.pages: dict[str, Any] = {}
        """Documents at paths that a registry does not have."""
        self.ended = threading.Event()
        self.memory: MemoryRegistry = _Careless()

    def register(
        self,
        subject: str,
        schema: str,
        kind: str = "AVRO",
        references: list[dict[str, Any]] | None = None,
    ) -> int:
        """Add a version to a subject; return the schema's id."""
        body = {"schema": schema, "schemaType": kind, "references": references or []}
        status, document = self.memory.answer(
            "POST", f"/subjects/{_quoted(subject)}/versions", (), body
        )
        assert status == 200, document
        number: int = document["id"]
        return number

    def answer(
        self, method: str, target: str, authorization: str | None, body: bytes
    ) -> tuple[int, Any]:
        """Return the status and the document that a request gets."""
        path, _, query = target.partition("?")
        if path in self.pages:
            return 200, self.pages[path]
        wanted = None
        if self.user is not None:
            wanted = "Basic " + base64.b64encode(self.user.encode()).decode()
        elif self.token is not None:
            wanted = f"Bearer {self.token}"
        if wanted is not None and authorization != wanted:
            return 401, {"error_code": 401, "message": "Unauthorized"}
        document = json.loads(body) if body else None
        return self.memory.answer(method, path, parse_qsl(query), document)


def _quoted(name: str) -> str:
    return name.replace("/", "%2F")


class _Handler(BaseHTTPRequestHandler):
    registry: FakeRegistry

    def _serve(self) -> None:
        registry = self.registry
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        registry.requests.append(self.path)
        registry.headers.append(dict(self.headers.items()))
        registry.bodies.append(body.decode())
        if registry.faults:
            self._fail(registry.faults.pop(0))
            return
        authorization = self.headers.get("Authorization")
        status, document = registry.answer(self.command, self.path, authorization, body)
        if registry.before_the_answer:
            registry.before_the_answer.pop(0)()
        self._send(Fault(status, json.dumps(document).encode()))

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815

    def _fail(self, fault: Fault) -> None:
        if fault.hang:
            self.registry.ended.wait()
            return
        if not fault.trickle and not fault.slow_headers:
            self._send(fault)
            return
        self.send_response(200)
        if fault.trickle:
            self.end_headers()
        else:
            self.flush_headers()
            self.wfile.write(b"X-Slow: ")
        try:
            while not self.registry.ended.wait(0.01):
                self.wfile.write(b" " if fault.trickle else b"x")
        except OSError:
            self.close_connection = True

    def _send(self, fault: Fault) -> None:
        self.send_response(fault.status)
        headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"} | fault.headers
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(fault.body)))
        self.end_headers()
        self.wfile.write(fault.body)

    def log_message(self, *_: Any) -> None:
        """Write no message."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: Any) -> None:
        """Write no message, because some tests refuse clients or make clients refuse the server."""


@contextmanager
def running_registry(tls: ssl.SSLContext | None = None) -> Iterator[FakeRegistry]:
    """Serve a registry on a port of its own."""
    registry = FakeRegistry()
    handler = type("Handler", (_Handler,), {"registry": registry})
    with _Server(("127.0.0.1", 0), handler) as server:
        if tls is not None:
            # The handshake must run in the thread of the connection, not in the thread that
            # accepts.
            server.socket = tls.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        registry.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield registry
        finally:
            registry.ended.set()
            server.shutdown()
            thread.join()
