"""A broker that answers with truncated, oversized, corrupt and random frames.

The broker is a proxy in front of a mock broker. It passes requests on without changes, and spoils
some of the responses. So all of the client's parsers of responses get such frames.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from random import Random
from typing import BinaryIO

API_VERSIONS, METADATA, HEARTBEAT = 18, 3, 12
_INTEGERS = (-(2**31), -2, -1, 0, 1, 127, 2**15, 2**24, 2**31 - 1)


class HostileProxy:
    """Listens inside a `with` block, and spoils responses while `hostile` is true.

    The proxy calls `change` for each response, and `ask` for each request. Both get the API key of
    the request and the frame, and return the bytes to send instead.
    """

    def __init__(
        self,
        target: str,
        seed: object = None,
        change: Callable[[int, bytes], bytes] = lambda api_key, frame: frame,
        ask: Callable[[int, bytes], bytes] = lambda api_key, frame: frame,
    ) -> None:
        host, port = target.split(":")
        self._target = (host, int(port))
        self._random = Random(str(seed))
        self._change_answer = change
        self._change_request = ask
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"{host}:{self._listener.getsockname()[1]}"
        # Addresses as they are in responses to Metadata and FindCoordinator. Both have the same
        # length.
        self._here, self._there = (
            host.encode() + struct.pack(">i", port)
            for port in (self._listener.getsockname()[1], self._target[1])
        )
        self.hostile = False
        self.frames = 0  # the number of spoilt frames
        self._start(self._accept)

    def __enter__(self) -> HostileProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # this ends the wait in accept()
        self._listener.close()
        with self._lock:
            _hang_up(*self._sockets)
        for thread in self._threads:
            thread.join()

    def _start(self, run: object, *arguments: object) -> None:
        thread = threading.Thread(target=run, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                broker = socket.create_connection(self._target)
                for end in (client, broker):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with self._lock:
                    self._sockets += [client, broker]
                self._start(self._connect, client, broker)

    def _connect(self, client: socket.socket, broker: socket.socket) -> None:
        """Passes on the bytes of both directions, and then closes both sockets.

        No other thread closes the sockets. Without a GIL, two close() calls at the same time would
        close the descriptor twice. The second call would raise, or close a descriptor of other
        code.
        """
        requests: dict[bytes, int] = {}  # API keys by correlation ids
        asking = threading.Thread(target=self._ask, args=(client, broker, requests), daemon=True)
        asking.start()
        self._answer(broker, client, requests)
        asking.join()
        with self._lock:
            client.close()
            broker.close()

    def _ask(
        self, client: socket.socket, broker: socket.socket, requests: dict[bytes, int]
    ) -> None:
        with contextlib.suppress(OSError, EOFError), client.makefile("rb") as stream:
            while True:
                frame = _read_frame(stream)
                (api_key,) = struct.unpack_from(">h", frame)
                requests[frame[4:8]] = api_key
                broker.sendall(_framed(self._change_request(api_key, frame)))
        _hang_up(client, broker)

    def _answer(
        self, broker: socket.socket, client: socket.socket, requests: dict[bytes, int]
    ) -> None:
        with contextlib.suppress(OSError, EOFError), broker.makefile("rb") as stream:
            while True:
                frame = _read_frame(stream).replace(self._there, self._here)
                api_key = requests.pop(frame[:4], -1)
                client.sendall(self._spoilt(self._change_answer(api_key, frame), api_key))
        _hang_up(client, broker)

    def _spoilt(self, frame: bytes, api_key: int) -> bytes:
        """The bytes to send for `frame`."""
        with self._lock:
            # A client sends no other requests until it gets valid responses to these two.
            one_in = 12 if api_key in (API_VERSIONS, METADATA) else 2
            if not self.hostile or self._random.randrange(one_in):
                return _framed(frame)
            self.frames += 1
            return spoil(self._random, frame, keep=self._here)


def _hang_up(*ends: socket.socket) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def spoil(random: Random, frame: bytes, keep: bytes) -> bytes:
    """`frame` with its size, and with one random defect.

    The bytes `keep` are this proxy's address. They do not change, because clients would otherwise
    connect to another server.
    """
    body = bytearray(frame)
    kind = random.randrange(10)
    if keep in frame and kind > 4:
        kind = 3
    place = random.randrange(4, max(5, len(body)))
    match kind:
        case 0:  # a shorter frame, with its new size
            return _framed(frame[:place])
        case 1:  # a shorter frame with the old size: the start of the next frame completes it
            return struct.pack(">i", len(frame)) + frame[:place]
        case 2:  # a wrong size
            size = random.choice((-(2**31), -1, 0, 3, len(frame) + 1, 10**6, 2**31 - 1))
            return struct.pack(">i", size) + frame
        case 3:  # more bytes at the end
            return _framed(frame + random.randbytes(random.randrange(1, 100)))
        case 4:  # no frame at all, or the response to a request that the client has not sent
            return random.choice((random.randbytes(40), _framed(random.randbytes(20)), b""))
        case 5:  # random bytes after the correlation id
            return _framed(frame[:4] + random.randbytes(random.randrange(200)))
        case 6:  # other lengths and counts
            value = random.choice(_INTEGERS)
            body[place : place + 4] = struct.pack(">i", value)
            return _framed(body)
        case 7:  # other varints, as in compact arrays and records
            body[place : place + 5] = random.choice((b"\xff" * 5, b"\xff\xff\xff\xff\x0f", b"\x80"))
            return _framed(body)
        case 8:  # missing bytes, so that the rest moves
            del body[place : place + random.randrange(1, 5)]
            return _framed(body)
        case _:
            for _ in range(random.randrange(1, 9)):
                body[random.randrange(min(4, len(body) - 1), len(body))] ^= 1 << random.randrange(8)
            return _framed(body)


def _framed(body: bytes | bytearray) -> bytes:
    return struct.pack(">i", len(body)) + body


def _read_frame(stream: BinaryIO) -> bytes:
    size = stream.read(4)
    if len(size) < 4:
        raise EOFError
    return stream.read(struct.unpack(">i", size)[0])
