"""A listener that lets clients authenticate and shows what they send; mock brokers know no SASL."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator

_SASL_HANDSHAKE, _API_VERSIONS, _SASL_AUTHENTICATE = 17, 18, 36


@contextlib.contextmanager
def sasl_listener(mechanism: str) -> Iterator[tuple[str, list[bytes]]]:
    """Its address and the first SASL message of each connection, which is closed then."""
    messages: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, mechanism.encode(), messages))
        thread.start()
        yield f"127.0.0.1:{listener.getsockname()[1]}", messages
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def _serve(listener: socket.socket, mechanism: bytes, messages: list[bytes]) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            with client:
                messages.extend(_authenticate(client, mechanism))


def _authenticate(client: socket.socket, mechanism: bytes) -> Iterator[bytes]:
    """The SASL message of one connection, if it gets that far."""
    with contextlib.suppress(OSError), client.makefile("rb") as stream:
        while size := stream.read(4):
            request = stream.read(int.from_bytes(size))
            api_key, _, _, client_id = struct.unpack_from(">hhih", request)
            if api_key == _SASL_AUTHENTICATE:
                yield request[10 + client_id + 4 :]
                return
            answer = request[4:8] + _answer(api_key, mechanism)
            client.sendall(struct.pack(">i", len(answer)) + answer)


def _answer(api_key: int, mechanism: bytes) -> bytes:
    if api_key == _API_VERSIONS:
        kinds = (_API_VERSIONS, 0, 3), (_SASL_HANDSHAKE, 0, 1), (_SASL_AUTHENTICATE, 0, 1)
        entries = b"".join(struct.pack(">hhhx", *kind) for kind in kinds)
        return struct.pack(">hB", 0, len(kinds) + 1) + entries + struct.pack(">ix", 0)
    return struct.pack(">hih", 0, 1, len(mechanism)) + mechanism
