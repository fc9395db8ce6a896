"""The configuration of a registry's client."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from ._names import unknown_key

MOCK = "mock://"

_KNOWN = frozenset({
    "url", "timeout", "proxy", "max.retries", "retries.wait.ms", "retries.max.wait.ms",
    "cache.capacity", "cache.latest.ttl.sec", "basic.auth.user.info",
    "ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.key.password",
    "bearer.auth.credentials.source", "bearer.auth.token", "bearer.auth.logical.cluster",
    "bearer.auth.identity.pool.id", "bearer.auth.client.id", "bearer.auth.client.secret",
    "bearer.auth.scope", "bearer.auth.issuer.endpoint.url", "bearer.auth.issuer.endpoint.query",
    "bearer.auth.custom.provider.function", "bearer.auth.custom.provider.config",
})  # fmt: skip

_NEEDED = {
    "STATIC_TOKEN": ("bearer.auth.token",),
    "OAUTHBEARER": (
        "bearer.auth.client.id",
        "bearer.auth.client.secret",
        "bearer.auth.issuer.endpoint.url",
    ),
    "OAUTHBEARER_AZURE_IMDS": ("bearer.auth.issuer.endpoint.query",),
    "CUSTOM": ("bearer.auth.custom.provider.function", "bearer.auth.custom.provider.config"),
}


@dataclass(frozen=True)
class Bearer:
    """How to get bearer tokens."""

    source: str
    logical_cluster: str | None
    identity_pool: str | None
    token: str | None = field(repr=False)
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    scope: str | None = None
    endpoint: str | None = None
    query: str | None = None
    provider: Callable[[Any], Any] | None = None
    provider_config: Any = field(default=None, repr=False)


@dataclass(frozen=True)
class Tls:
    """Trusted certificates and the client's own; all files are PEM."""

    ca: str | None
    certificate: str | None
    key: str | None
    key_password: str | None = field(repr=False)


@dataclass(frozen=True)
class Settings:
    """The checked configuration."""

    urls: tuple[str, ...]
    basic: tuple[str, str] | None = field(repr=False)
    bearer: Bearer | None
    tls: Tls
    proxy: str | None = field(repr=False)
    timeout: float
    max_retries: int
    wait: float
    max_wait: float
    cache_capacity: int
    latest_ttl: float | None


def read_settings(conf: Mapping[str, Any]) -> Settings:
    """Check a configuration.

    Raises:
        TypeError: a value has a wrong type.
        ValueError: a key is unknown or missing, or a value is out of range.
    """
    if not isinstance(conf, Mapping):
        raise TypeError(f"conf must be a dict, not {type(conf).__name__}")
    for name in conf:
        if name not in _KNOWN:
            raise ValueError(unknown_key(name, _KNOWN))
    urls, from_url = _urls(conf)
    basic = _basic(conf, from_url)
    bearer = _bearer(conf)
    if basic is not None and bearer is not None:
        raise ValueError(
            "basic authentication and bearer.auth.credentials.source are mutually exclusive"
        )
    ttl = _number(conf, "cache.latest.ttl.sec", None, 0)
    return Settings(
        urls=urls,
        basic=basic,
        bearer=bearer,
        tls=_tls(conf),
        proxy=_text(conf, "proxy"),
        timeout=_number(conf, "timeout", 10.0, 0.001) or 0.0,
        max_retries=int(_number(conf, "max.retries", 3, 0) or 0),
        wait=(_number(conf, "retries.wait.ms", 1000, 0) or 0) / 1000,
        max_wait=(_number(conf, "retries.max.wait.ms", 20000, 0) or 0) / 1000,
        cache_capacity=int(_number(conf, "cache.capacity", 1000, 1) or 0),
        latest_ttl=ttl,
    )


def _urls(conf: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, str] | None]:
    given = _text(conf, "url")
    if given is None:
        raise ValueError("the key 'url' is missing: the registry, as http://host:port")
    if given.strip().startswith(MOCK):
        return (given.strip(),), None
    urls, user = [], None
    for one in given.split(","):
        parts = _split(one.strip())
        if parts is None:
            shown = one.strip().rpartition("@")[2]
            raise ValueError(f"url must be http://host:port or https://host:port, not {shown!r}")
        if parts.username:
            user = (unquote(parts.username), unquote(parts.password or ""))
        place = parts.netloc.rpartition("@")[2]
        urls.append(urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", "")))
    return tuple(urls), user


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL; None if it is not that of a registry."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises if it is none
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None


def _basic(conf: Mapping[str, Any], from_url: tuple[str, str] | None) -> tuple[str, str] | None:
    given = _text(conf, "basic.auth.user.info")
    if not given:
        return from_url
    if from_url is not None:
        raise ValueError("basic.auth.user.info and a user in url are mutually exclusive")
    user, colon, password = given.partition(":")
    if not colon:
        raise ValueError("basic.auth.user.info must be <user>:<password>: it has no colon")
    return user, password


def _bearer(conf: Mapping[str, Any]) -> Bearer | None:
    source = _text(conf, "bearer.auth.credentials.source")
    if source is None:
        for name in conf:
            if name.startswith("bearer."):
                raise ValueError(f"{name} needs the key bearer.auth.credentials.source")
        return None
    if source not in _NEEDED:
        known = ", ".join(_NEEDED)
        raise ValueError(f"bearer.auth.credentials.source must be one of {known}, not {source!r}")
    missing = [name for name in _NEEDED[source] if not conf.get(name)]
    if missing:
        raise ValueError(f"bearer.auth.credentials.source {source} needs {', '.join(missing)}")
    provider = conf.get("bearer.auth.custom.provider.function")
    if provider is not None and not callable(provider):
        raise TypeError("bearer.auth.custom.provider.function must be callable")
    return Bearer(
        source=source,
        logical_cluster=_text(conf, "bearer.auth.logical.cluster"),
        identity_pool=normalize_identity_pool(conf.get("bearer.auth.identity.pool.id")),
        token=_text(conf, "bearer.auth.token"),
        client_id=_text(conf, "bearer.auth.client.id"),
        client_secret=_text(conf, "bearer.auth.client.secret"),
        scope=_text(conf, "bearer.auth.scope"),
        endpoint=_text(conf, "bearer.auth.issuer.endpoint.url"),
        query=_text(conf, "bearer.auth.issuer.endpoint.query"),
        provider=provider,
        provider_config=conf.get("bearer.auth.custom.provider.config"),
    )


def _tls(conf: Mapping[str, Any]) -> Tls:
    tls = Tls(
        _text(conf, "ssl.ca.location"),
        _text(conf, "ssl.certificate.location"),
        _text(conf, "ssl.key.location"),
        _text(conf, "ssl.key.password"),
    )
    if (tls.key or tls.key_password) and not tls.certificate:
        raise ValueError("ssl.key.location and ssl.key.password need ssl.certificate.location")
    return tls


def normalize_identity_pool(identity_pool_raw: str | Sequence[str] | None) -> str | None:
    """Return the header value of identity pools: their ids, separated by commas.

    Args:
        identity_pool_raw: an id, or a list of them.

    Raises:
        TypeError: it is something else.
    """
    if identity_pool_raw is None or isinstance(identity_pool_raw, str):
        return identity_pool_raw
    if isinstance(identity_pool_raw, Sequence) and not isinstance(identity_pool_raw, bytes):
        for one in identity_pool_raw:
            if not isinstance(one, str):
                raise TypeError(f"an identity pool id must be a str, not {type(one).__name__}")
        return ",".join(identity_pool_raw)
    kind = type(identity_pool_raw).__name__
    raise TypeError(f"bearer.auth.identity.pool.id must be a str or a list of them, not {kind}")


def _text(conf: Mapping[str, Any], name: str) -> str | None:
    value = conf.get(name)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def _number(
    conf: Mapping[str, Any], name: str, default: float | None, least: float
) -> float | None:
    value = conf.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not math.isfinite(value) or value < least:
        raise ValueError(f"{name} must be at least {least:g}, not {value}")
    return value
