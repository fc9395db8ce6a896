"""Sends and retries requests to a registry, always within a time limit.

There are two wires: one blocks, and the other one awaits. All other code consists of coroutines,
which run() completes if the wire blocks.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import random
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qsl, quote, urlencode

import httpx

from ._deadlines import Limit, limited
from ._settings import Bearer, Settings
from .error import OAuthTokenError, SchemaRegistryError

_ACCEPT = (
    "application/vnd.schemaregistry.v1+json, application/vnd.schemaregistry+json, application/json"
)
_CONTENT = "application/vnd.schemaregistry.v1+json"
_UNAUTHORIZED = 401
_RETRIABLE = frozenset({408, 429, 500, 502, 503, 504})
_AZURE = "http://169.254.169.254/metadata/identity/oauth2/token"
# A new token is requested when this part of the old token's lifetime is over.
_TOKEN_LIFE = 0.8
_TOKEN_SECONDS = 300
# Seconds by which httpx's own timeouts come earlier, because they close unfinished connections.
_GRACE = 0.1
# A larger answer is not a schema, and would only fill the memory.
_MAX_BYTES = 64 << 20


def is_success(status_code: int) -> bool:
    """Return whether a status means that a request was served."""
    return 200 <= status_code <= 299


def is_retriable(status_code: int) -> bool:
    """Return whether a request with this status may be served when it is sent again."""
    return status_code in _RETRIABLE


def full_jitter(base_delay_ms: float, max_delay_ms: float, retries_attempted: int) -> float:
    """Return a random wait before a retry, up to a bound that doubles each time.

    Args:
        base_delay_ms: the first bound.
        max_delay_ms: the last one.
        retries_attempted: how many retries there were.
    """
    bound = base_delay_ms * 2 ** min(retries_attempted, 64)
    return random.uniform(0, min(max_delay_ms, bound))


@dataclass(frozen=True)
class Request:
    """One request. The parts of ``path`` are quoted."""

    method: str
    path: str
    query: Sequence[tuple[str, Any]] = ()
    body: Any = None

    @property
    def target(self) -> str:
        """The path and the query."""
        pairs = [(name, _plain(value)) for name, value in self.query if value is not None]
        return f"{self.path}?{urlencode(pairs)}" if pairs else self.path


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def part(name: object) -> str:
    """Return a name as a part of a path.

    Raises:
        ValueError: it is a step in a path, and no quotes change that: the configuration of the
            subject "." would be that of the whole registry.
    """
    text = str(name)
    if text in (".", ".."):
        raise ValueError(f"{text!r} cannot be in the address of a request: use another name")
    return quote(text, safe="")


@dataclass(frozen=True)
class Answer:
    """An answer; ``document`` is None if the body was not JSON."""

    status: int
    document: Any
    text: str
    retry_after: float | None = None
    location: str | None = None
    """The target of a redirect."""


class Sender(Protocol):
    """Sends requests."""

    async def send(self, request: Request) -> Answer:
        """Return the answer to a request.

        Raises:
            SchemaRegistryError: no registry answered.
        """

    async def close(self) -> None:
        """Release resources."""


class Wire(Protocol):
    """The blocking or the awaiting way to send bytes and to wait."""

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of an answer."""

    async def sleep(self, seconds: float) -> None:
        """Wait."""

    async def settle(self, value: Any) -> Any:
        """Return the result of a user's function, awaited if necessary."""

    async def close(self) -> None:
        """Release the connections."""


class BlockingWire:
    """Blocks the calling thread. Its coroutines never wait, see run().

    A forked process opens its own connections and leaves the parent's connections alone.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._timeout = settings.timeout
        self._limit = Limit()
        self._http = limited(httpx.Client(**_options(settings)), self._limit)
        self._pid = os.getpid()
        self._parents: list[httpx.Client] = []

    def _own(self) -> httpx.Client:
        if os.getpid() != self._pid:
            # The parent's client is kept, because closing it could send something on its
            # connections.
            self._parents.append(self._http)
            self._http = limited(httpx.Client(**_options(self._settings)), self._limit)
            self._pid = os.getpid()
        return self._http

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of an answer."""
        end = time.monotonic() + self._timeout
        with (
            self._limit.of(self._timeout),
            self._own().stream(method, url, headers=headers, content=content) as response,
        ):
            body = bytearray()
            for chunk in response.iter_bytes():
                _add(body, chunk, end)
            return response.status_code, response.headers, bytes(body)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    async def settle(self, value: Any) -> Any:
        """Return the result of a user's function."""
        if inspect.isawaitable(value):
            if inspect.iscoroutine(value):
                value.close()
            raise TypeError(
                "bearer.auth.custom.provider.function is a coroutine function, which only "
                "AsyncSchemaRegistryClient can call"
            )
        return value

    async def close(self) -> None:
        """Release the connections."""
        self._own().close()


class AwaitingWire:
    """Awaits, in the running event loop."""

    def __init__(self, settings: Settings) -> None:
        self._timeout = settings.timeout
        self._http = httpx.AsyncClient(**_options(settings))
        self._used = self._closed = False

    async def exchange(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of an answer."""
        if self._closed:
            raise RuntimeError("AsyncSchemaRegistryClient has been closed: create a new one")
        self._used = True
        end = time.monotonic() + self._timeout
        try:
            async with (
                asyncio.timeout(self._timeout + _GRACE),
                self._http.stream(method, url, headers=headers, content=content) as response,
            ):
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    _add(body, chunk, end)
                return response.status_code, response.headers, bytes(body)
        except TimeoutError as error:
            raise httpx.ReadTimeout(f"no answer within {self._timeout:g} s") from error

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)

    async def settle(self, value: Any) -> Any:
        """Return the result of a user's function, awaited if necessary."""
        return await value if inspect.isawaitable(value) else value

    async def close(self) -> None:
        """Release the connections.

        Without connections this needs no event loop, which builders do not have.
        """
        self._closed = True
        if self._used:
            await self._http.aclose()


def _add(body: bytearray, chunk: bytes, end: float) -> None:
    """Add to a body within limits: a slow server never exceeds the timeout of a single read."""
    body += chunk
    if time.monotonic() > end:
        raise httpx.ReadTimeout("the response was not complete within the timeout")
    if len(body) > _MAX_BYTES:
        raise httpx.ReadError(f"the answer is larger than {_MAX_BYTES} bytes")


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "auth": settings.basic,
        "verify": _context(settings),
        "timeout": settings.timeout,
        "proxy": settings.proxy,
        "follow_redirects": False,
    }


def _context(settings: Settings) -> ssl.SSLContext:
    tls, bearer = settings.tls, settings.bearer
    places = (*settings.urls, settings.proxy, None if bearer is None else bearer.endpoint)
    if not any(one is not None and one.startswith("https") for one in places):
        # This context trusts nobody, because no certificate is verified: loading all authorities
        # takes long.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context(verify=tls.verify)
    if tls.ca is not None:
        with _naming(f"ssl.ca.location {tls.ca}"):
            context.load_verify_locations(tls.ca)
    if tls.certificate is not None:
        key = "" if tls.key is None else f" with ssl.key.location {tls.key}"
        with _naming(f"ssl.certificate.location {tls.certificate}{key}"):
            context.load_cert_chain(tls.certificate, tls.key, tls.key_password)
    return context


@contextlib.contextmanager
def _naming(files: str) -> Iterator[None]:
    """Add the names of the files to an error, because OpenSSL does not name them."""
    try:
        yield
    except ssl.SSLError as error:
        raise ValueError(f"{files}: {error.reason or error}") from error
    except OSError as error:
        raise OSError(error.errno, f"{files}: {error.strerror}") from error


class HttpSender:
    """Sends requests over HTTP.

    Each try asks one registry after the other until one of them answers. Between tries it waits for
    a random time. It tries again if a connection fails, or if the status is one of is_retriable().

    Args:
        settings: the registries' addresses and the number of tries.
        wire: how to send and to wait.
    """

    def __init__(self, settings: Settings, wire: Wire) -> None:
        self._settings = settings
        self._wire = wire
        self._tokens = None if settings.bearer is None else Tokens(settings.bearer, wire)

    async def send(self, request: Request) -> Answer:
        """Return the answer to a request.

        Raises:
            SchemaRegistryError: no registry answered.
            OAuthTokenError: there is no token for the request.
        """
        settings = self._settings
        tries = 0
        while True:
            answer, failure = await self._around(request)
            if failure is None and answer is not None and not is_retriable(answer.status):
                return answer
            if tries >= settings.max_retries:
                if answer is not None:
                    return answer
                assert failure is not None
                raise failure
            wait = full_jitter(settings.wait * 1000, settings.max_wait * 1000, tries) / 1000
            if answer is not None and answer.retry_after is not None:
                wait = min(max(wait, answer.retry_after), settings.max_wait)
            await self._wire.sleep(wait)
            tries += 1

    async def _around(self, request: Request) -> tuple[Answer | None, _Failure | None]:
        """Ask one registry after another; return the last answer."""
        answer: Answer | None = None
        failure: _Failure | None = None
        for url in self._settings.urls:
            try:
                answer = await self._authorized(url + request.target, request)
                failure = None
            except OAuthTokenError as error:
                if not _may_pass(error):
                    raise
                return answer, error  # the other registries need a token as well
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                said = str(error) or type(error).__name__
                failure = SchemaRegistryError(0, -1, f"{url}{request.path}: {said}")
                failure.__cause__ = error
                continue
            if not is_retriable(answer.status):
                break
        return answer, failure

    async def _authorized(self, url: str, request: Request) -> Answer:
        """Ask a registry; if it refuses a cached token, ask again with a new one."""
        tokens = self._tokens
        if tokens is None:
            return await self._exchange(url, request, {})
        kept = tokens.token
        headers = await tokens.headers()
        answer = await self._exchange(url, request, headers)
        if answer.status == _UNAUTHORIZED and kept is not None and kept == tokens.token:
            tokens.forget(kept)
            answer = await self._exchange(url, request, await tokens.headers())
        return answer

    async def _exchange(self, url: str, request: Request, authorization: dict[str, str]) -> Answer:
        headers = {"Accept": _ACCEPT} | authorization
        content = None
        if request.body is not None:
            content = json.dumps(request.body).encode()
            headers["Content-Type"] = _CONTENT
        status, said, body = await self._wire.exchange(request.method, url, headers, content)
        text = body.decode("utf-8", "replace")
        try:
            document = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            document = None
        retry_after = _seconds(said.get("Retry-After"))
        location = said.get("Location") if 300 <= status <= 399 else None
        return Answer(status, document, text, retry_after, location)

    async def close(self) -> None:
        """Release the connections."""
        await self._wire.close()


_Failure = SchemaRegistryError | OAuthTokenError


def _may_pass(error: OAuthTokenError) -> bool:
    """Return whether another request for a token may succeed."""
    return isinstance(error.__cause__, httpx.TransportError) or is_retriable(error.status_code or 0)


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.strip().isdecimal() else None


class Tokens:
    """The bearer tokens of requests; a token is kept for most of its lifetime.

    Args:
        bearer: how to get tokens.
        wire: sends the requests for tokens.
    """

    def __init__(self, bearer: Bearer, wire: Wire) -> None:
        self._bearer = bearer
        self._wire = wire
        self.token: str | None = None
        """The cached token, if there is one."""
        self._end = 0.0

    def forget(self, refused: str) -> None:
        """Forget a token that was refused, unless another one has replaced it."""
        if self.token == refused:
            self._end = 0.0

    async def headers(self) -> dict[str, str]:
        """Return the headers of a request.

        Raises:
            OAuthTokenError: there is no token.
        """
        bearer = self._bearer
        cluster, pool, token = bearer.logical_cluster, bearer.identity_pool, bearer.token
        if bearer.provider is not None and bearer.source == "CUSTOM":
            given = await self._wire.settle(bearer.provider(bearer.provider_config))
            if not isinstance(given, Mapping) or not given.get("bearer.auth.token"):
                raise OAuthTokenError(
                    "bearer.auth.custom.provider.function must return a dict that has "
                    "'bearer.auth.token'"
                )
            token = given["bearer.auth.token"]
            cluster = given.get("bearer.auth.logical.cluster", cluster)
            pool = given.get("bearer.auth.identity.pool.id", pool)
        elif bearer.source != "STATIC_TOKEN":
            if time.monotonic() >= self._end:
                await self._renew()
            token = self.token
        named = {"target-sr-cluster": cluster, "Confluent-Identity-Pool-Id": pool}
        return {"Authorization": f"Bearer {token}"} | {k: v for k, v in named.items() if v}

    async def _renew(self) -> None:
        bearer = self._bearer
        headers, content = {"Accept": "application/json"}, None
        if bearer.source == "OAUTHBEARER":
            method, url = "POST", bearer.endpoint or ""
            basic = httpx.BasicAuth(bearer.client_id or "", bearer.client_secret or "")
            request = next(basic.auth_flow(httpx.Request("POST", url)))
            headers["Authorization"] = request.headers["Authorization"]
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            form = {"grant_type": "client_credentials"}
            content = urlencode(form | ({"scope": bearer.scope} if bearer.scope else {})).encode()
        else:
            method = "GET"
            url = f"{bearer.endpoint or _AZURE}?{urlencode(parse_qsl(bearer.query or ''))}"
            headers["Metadata"] = "true"
        started = time.monotonic()
        try:
            status, _, body = await self._wire.exchange(method, url, headers, content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            place = url.partition("?")[0]
            raise OAuthTokenError(f"no token from {place}: {error}") from error
        text = body.decode("utf-8", "replace")
        try:
            document = json.loads(text)
            token, life = document["access_token"], float(document.get("expires_in", 0) or 0)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            shown = text[:500] if not is_success(status) else None
            raise OAuthTokenError("no token in the response", status, shown) from error
        if not is_success(status) or not isinstance(token, str):
            raise OAuthTokenError("no token in the response", status)
        self.token = token
        self._end = started + (life or _TOKEN_SECONDS) * _TOKEN_LIFE
