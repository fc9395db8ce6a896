"""One connection of a client to a broker: TLS, the login, and then a relay."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._security import _principals, _sasl
from confluent_kafka.testing._security._authorizer import Client
from confluent_kafka.testing._security._enforcement import is_enforced
from confluent_kafka.testing._security._tls import Tls
from confluent_kafka.testing._security._token_requests import TokenRequests

if TYPE_CHECKING:
    from confluent_kafka.testing._security._enforcement import Enforcement
    from confluent_kafka.testing._security._sasl import Credentials
    from confluent_kafka.testing._security._settings import Security
    from confluent_kafka.testing._security._tokens import Tokens

_METADATA, _FIND_COORDINATOR, _DESCRIBE_CLUSTER = 3, 10, 60
_SASL_HANDSHAKE, _API_VERSIONS, _SASL_AUTHENTICATE = 17, 18, 36
# Larger data is not a frame; for example, the client begins TLS. Kafka: socket.request.max.bytes.
_LARGEST = 100 * 1024 * 1024


class _End(Exception):
    """The broker closes the connection."""


class Connection:
    """Serves one client.

    Args:
        security: what the client must do.
        context: of TLS, or None.
        credentials: the users of SCRAM.
        tokens: the delegation tokens.
        host: the address of the brokers and of the listeners.
        port: the broker's port.
        ports: for the port of each broker, the port that clients are told.
        enforce: returns the object that checks a client's requests; None without an authorizer.
    """

    def __init__(
        self,
        security: Security,
        context: ssl.SSLContext | None,
        credentials: Credentials,
        tokens: Tokens,
        host: str,
        port: int,
        ports: Mapping[int, int],
        enforce: Callable[[Client], Enforcement] | None,
    ) -> None:
        self._enforce = enforce
        self._enforcement: Enforcement | None = None
        self._security = security
        self._context = context
        self._credentials = credentials
        self._tokens = tokens
        self._token_requests: TokenRequests | None = None
        self._host, self._port, self._ports = host, port, ports
        self._changes: dict[int, Callable[[Any], Any]] = {
            _METADATA: self._with_brokers,
            _DESCRIBE_CLUSTER: self._with_brokers,
            _FIND_COORDINATOR: self._with_coordinators,
        }
        if security.uses_sasl:
            self._changes[_API_VERSIONS] = _with_sasl
        # By correlation id: requests whose responses are changed, with their versions and changes.
        self._awaited: dict[int, tuple[int, int, list[Callable[[Any], Any]]]] = {}
        # How many responses the broker owes. They come before the response to a refused request.
        self._owed = 0
        self._settled = asyncio.Event()
        self._settled.set()
        self._client_is_gone = False

    async def run(self, accepted: socket.socket) -> None:
        """Serve the client until it, the broker or the cluster ends the connection."""
        with contextlib.suppress(*_ENDS), contextlib.ExitStack() as stack:
            client = await _stream(accepted)
            stack.callback(client.close)
            if self._context is not None:
                await client.begin_tls(self._context)
            broker = _Stream(*await asyncio.open_connection(self._host, self._port))
            stack.callback(broker.close)
            if self._security.uses_sasl:
                user = await self._log_in(client, broker)
            else:
                user = _sasl.User(_principals.of_certificate(client.certificate))
            if self._enforce is not None:
                host = accepted.getpeername()[0]
                self._enforcement = self._enforce(Client(f"User:{user.name}", host))
            self._token_requests = TokenRequests(self._tokens, user, self._enforcement)
            await self._relay(client, broker)

    async def _log_in(self, client: _Stream, broker: _Stream) -> _sasl.User:
        """Answer the client until it is logged in. Return the user.

        Only ApiVersions may come before.
        """
        while True:
            frame = await client.read()
            api_key, version, _ = _front(frame)
            if api_key == _API_VERSIONS:
                self._note(frame)
                await broker.write(frame)
                await self._respond(await broker.read(), client)
            elif api_key == _SASL_HANDSHAKE:
                mechanism = await self._handshake(client, frame)
                break
            else:
                raise _End
        login = _sasl.begin(mechanism, self._security, self._credentials, self._tokens.login)
        # Version 0 of the handshake: the client sends the mechanism's messages without requests.
        while (user := await (_raw_step if version == 0 else _step)(client, login)) is None:
            pass
        return user

    async def _handshake(self, client: _Stream, frame: bytes) -> str:
        """Return the mechanism that the client chooses."""
        mechanism: str = _request(frame)[0].mechanism
        known = mechanism in self._security.mechanisms
        code = 0 if known else KafkaError.UNSUPPORTED_SASL_MECHANISM
        answer = protocol.SaslHandshakeResponse(
            error_code=code, mechanisms=self._security.mechanisms
        )
        await client.write(_response(frame, answer))
        if not known:
            raise _End
        return mechanism

    async def _relay(self, client: _Stream, broker: _Stream) -> None:
        """Relay requests and responses until one side ends."""
        requests = asyncio.create_task(self._requests(client, broker))
        responses = asyncio.create_task(self._responses(broker, client))
        try:
            await asyncio.wait((requests, responses), return_when=asyncio.FIRST_COMPLETED)
            if requests.done():
                # The client is gone. The broker still serves what the client sent.
                self._client_is_gone = True
                broker.end()
                await asyncio.wait((responses,))
        finally:
            requests.cancel()
            responses.cancel()
            await asyncio.gather(requests, responses, return_exceptions=True)

    async def _requests(self, client: _Stream, broker: _Stream) -> None:
        while True:
            frame = await client.read()
            api_key = _front(frame)[0]
            if self._token_requests is not None and self._token_requests.are(api_key):
                self._note(frame, self._token_requests.complete(_request(frame)[0]))
                await broker.write(frame)
            elif self._enforcement is None or not is_enforced(api_key):
                self._note(frame)
                await broker.write(frame)
            else:
                await self._check(self._enforcement, frame, client, broker)

    async def _check(
        self, enforcement: Enforcement, frame: bytes, client: _Stream, broker: _Stream
    ) -> None:
        """Let the broker serve what the client may do, and refuse the rest."""
        request, start = _request(frame)
        version = _front(frame)[1]
        verdict = enforcement.judge(request, version)
        has_response = getattr(request, "acks", None) != 0
        if verdict.request is not request and not has_response:
            raise _End  # Kafka, too, has no other way to tell
        if verdict.request is None:
            await self._settled.wait()
            await client.write(_response(frame, verdict.answer))
            return
        if verdict.request is not request:
            frame = frame[:start] + verdict.request.encode(version)
        if has_response:
            self._note(frame, verdict.complete)
        await broker.write(frame)

    async def _responses(self, broker: _Stream, client: _Stream) -> None:
        while True:
            await self._respond(await broker.read(), client)

    async def _respond(self, frame: bytes, client: _Stream) -> None:
        """Pass a response of the broker to the client."""
        frame = self._changed(frame)
        if not self._client_is_gone:
            with contextlib.suppress(ConnectionError):  # the requests will end, too
                await client.write(frame)
        self._owed -= 1
        if self._owed == 0:
            self._settled.set()

    def _note(self, frame: bytes, complete: Callable[[Any], Any] | None = None) -> None:
        """Expect the response to a request, and change it when it comes."""
        self._owed += 1
        self._settled.clear()
        api_key, version, correlation_id = _front(frame)
        changes = [each for each in (self._changes.get(api_key), complete) if each is not None]
        if changes:
            self._awaited[correlation_id] = api_key, version, changes

    def _changed(self, frame: bytes) -> bytes:
        """Return a broker's response in the form that the client gets."""
        (correlation_id,) = struct.unpack_from(">i", frame)
        asked = self._awaited.pop(correlation_id, None)
        if asked is None:
            return frame
        api_key, version, changes = asked
        if api_key == _API_VERSIONS and frame[4:6] != b"\0\0":
            return frame  # an error, always in version 0
        header_version = protocol.response_header_version(api_key, version)
        _, end = protocol.ResponseHeader._decode_front(frame, header_version)
        kind = protocol.request_class(api_key).response_class
        response, _ = kind._decode_front(frame[end:], version)
        for change in changes:
            response = change(response)
        return frame[:end] + response.encode(version)

    def _with_brokers(self, response: Any) -> Any:
        return response.replace(brokers=[self._moved(each) for each in response.brokers])

    def _with_coordinators(self, response: Any) -> Any:
        coordinators = [self._moved(each) for each in response.coordinators]
        return self._moved(response).replace(coordinators=coordinators)

    def _moved(self, broker: Any) -> Any:
        """Return an entry for a broker with the port that the client is told."""
        return broker.replace(port=self._ports.get(broker.port, broker.port))


# What ends a connection.
_ENDS = (
    _End,
    OSError,
    asyncio.IncompleteReadError,
    protocol.MalformedMessageError,
    protocol.UnsupportedVersionError,
)


class _Stream:
    """A connection that carries frames: bytes after their length."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._tls: Tls | None = None
        # write() returns when the frame is sent, so that close() loses nothing.
        writer.transport.set_write_buffer_limits(high=0)

    async def begin_tls(self, context: ssl.SSLContext) -> None:
        """Encrypt everything from now on, as a server."""
        self._tls = Tls(self._reader, self._writer, context)
        await self._tls.handshake()

    @property
    def certificate(self) -> Any:
        """The certificate of the other side, or None."""
        return None if self._tls is None else self._tls.certificate

    async def read(self) -> bytes:
        reader = self._tls or self._reader
        (size,) = struct.unpack(">i", await reader.readexactly(4))
        if not 0 <= size <= _LARGEST:
            raise _End
        return await reader.readexactly(size)

    async def write(self, frame: bytes) -> None:
        data = struct.pack(">i", len(frame)) + frame
        if self._tls is None:
            self._writer.write(data)
            await self._writer.drain()
        else:
            await self._tls.write(data)

    def end(self) -> None:
        """Stop sending.

        The other side may continue to send.
        """
        if not self._writer.is_closing():
            self._writer.write_eof()

    def close(self) -> None:
        """Close it at once."""
        self._writer.transport.abort()


async def _stream(accepted: socket.socket) -> _Stream:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    reading = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(lambda: reading, accepted)
    return _Stream(reader, asyncio.StreamWriter(transport, reading, reader, loop))


def _front(frame: bytes) -> tuple[int, int, int]:
    """Return the API key, the version and the correlation id of a request."""
    if len(frame) < 8:
        raise _End
    api_key, version, correlation_id = struct.unpack_from(">hhi", frame)
    return api_key, version, correlation_id


def _request(frame: bytes) -> tuple[Any, int]:
    """Return the request in a frame, and where it starts."""
    api_key, version, _ = _front(frame)
    header_version = protocol.request_header_version(api_key, version)
    _, end = protocol.RequestHeader._decode_front(frame, header_version)
    request, _ = protocol.request_class(api_key)._decode_front(frame[end:], version)
    return request, end


def _response(frame: bytes, answer: protocol.Response) -> bytes:
    """Return the frame that answers a request."""
    api_key, version, correlation_id = _front(frame)
    header = protocol.ResponseHeader(correlation_id=correlation_id)
    header_version = protocol.response_header_version(api_key, version)
    return header.encode(header_version) + answer.encode(version)


async def _step(client: _Stream, login: _sasl.Login) -> _sasl.User | None:
    """Answer one SaslAuthenticate request. Return the user once the client is logged in."""
    frame = await client.read()
    if _front(frame)[0] != _SASL_AUTHENTICATE:
        raise _End
    data = _request(frame)[0].auth_bytes
    try:
        answer, user = _advance(login, data)
    except _sasl.Refused as refused:
        failure = protocol.SaslAuthenticateResponse(
            error_code=KafkaError.SASL_AUTHENTICATION_FAILED, error_message=str(refused)
        )
        await client.write(_response(frame, failure))
        raise _End from None
    await client.write(_response(frame, protocol.SaslAuthenticateResponse(auth_bytes=answer)))
    return user


async def _raw_step(client: _Stream, login: _sasl.Login) -> _sasl.User | None:
    try:
        answer, user = _advance(login, await client.read())
    except _sasl.Refused:
        raise _End from None
    await client.write(answer)
    return user


def _advance(login: _sasl.Login, data: bytes) -> tuple[bytes, _sasl.User | None]:
    try:
        return login.send(data), None
    except StopIteration as end:
        answer, user = end.value
        return answer, user


def _with_sasl(response: Any) -> Any:
    """Add the requests of a login to what the brokers support."""
    version = protocol.ApiVersionsResponse.ApiVersion
    added = [
        version(api_key=_SASL_HANDSHAKE, min_version=0, max_version=1),
        version(api_key=_SASL_AUTHENTICATE, min_version=0, max_version=2),
    ]
    names = {each.api_key for each in added}
    kept = [each for each in response.api_keys if each.api_key not in names]
    return response.replace(api_keys=kept + added)
