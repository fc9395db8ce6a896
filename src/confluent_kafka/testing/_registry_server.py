"""The HTTP server of MockRegistry."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

from confluent_kafka.schema_registry._memory import MemoryRegistry

_LOOPBACK = "127.0.0.1"
_CONTENT = "application/vnd.schemaregistry.v1+json"
# The number of requests that are answered at the same time; further requests wait.
_REQUESTS_LIMIT = 64
# The time in seconds that a client has to send its request or to read the answer.
_PATIENCE = 30
# The maximum size of a request in bytes: more than ten times the largest schema in use.
_BODY_LIMIT = 16 << 20
# The interval in seconds at which the server checks whether it has to end.
_LOOK_AGAIN_AFTER = 0.02


class RegistryServer(ThreadingHTTPServer):
    """Serves a registry in memory. Each connection carries one request and has its own thread."""

    # server_close() waits for the threads of the connections.
    daemon_threads = False
    # Connections that wait to be accepted. Beyond this number, the kernel makes clients retry.
    request_queue_size = 2 * _REQUESTS_LIMIT

    def __init__(self) -> None:
        self.registry = MemoryRegistry()
        self._room = threading.BoundedSemaphore(_REQUESTS_LIMIT)
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        super().__init__((_LOOPBACK, 0), _Handler)
        self.url = f"http://{_LOOPBACK}:{self.server_port}"
        self._thread = threading.Thread(
            target=self.serve_forever, args=(_LOOK_AGAIN_AFTER,), name="mock-registry", daemon=True
        )
        self._thread.start()

    def end(self) -> None:
        """End the connections and all threads."""
        # First disconnect the clients that occupy all slots, because the next one waits for a slot.
        self._disconnect()
        self.shutdown()
        self._thread.join()
        self._disconnect()
        self.server_close()

    def _disconnect(self) -> None:
        with self._lock:
            for request in self._open:
                with contextlib.suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection as soon as a slot is free."""
        self._room.acquire()
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection after its request was served."""
        with self._lock:
            self._open.discard(request)
            super().shutdown_request(request)
        self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about clients that disconnected: they report it themselves."""


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: RegistryServer
    timeout = _PATIENCE

    def _serve(self) -> None:
        status, document = self._answer()
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", _CONTENT)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815

    def _answer(self) -> tuple[int, Any]:
        length = self.headers.get("Content-Length") or "0"
        if not length.isdecimal() or int(length) > _BODY_LIMIT:
            return _refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {_BODY_LIMIT} bytes")
        text = self.rfile.read(int(length))
        path, _, query = self.path.partition("?")
        try:
            document = json.loads(text) if text else None
            return self.server.registry.answer(self.command, path, parse_qsl(query), document)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return _refusal(HTTPStatus.BAD_REQUEST, f"{type(error).__name__}: {error}")

    def log_message(self, *_: Any) -> None:
        """Print nothing: the answer contains the error."""


def _refusal(status: HTTPStatus, message: str) -> tuple[int, Any]:
    return status, {"error_code": int(status), "message": message}
