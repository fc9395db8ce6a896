"""The configuration of a registry's client."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from ._names import unrecognized

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

_SOURCE = "bearer.auth.credentials.source"
_TOKEN = "bearer.auth.token"
_CLUSTER = "bearer.auth.logical.cluster"
_POOL = "bearer.auth.identity.pool.id"
_ENDPOINT = "bearer.auth.issuer.endpoint.url"
_QUERY = "bearer.auth.issuer.endpoint.query"
_PROVIDER = "bearer.auth.custom.provider.function"
_PROVIDER_CONF = "bearer.auth.custom.provider.config"

# The keys that each source of tokens needs, with their names in errors.
_NEEDED: dict[str, dict[str, tuple[str, ...]]] = {
    "STATIC_TOKEN": {"bearer": (_CLUSTER,)},
    "OAUTHBEARER": {
        "bearer": (_CLUSTER,),
        "OAuth": (
            "bearer.auth.client.id",
            "bearer.auth.client.secret",
            "bearer.auth.scope",
            _ENDPOINT,
        ),
    },
    "OAUTHBEARER_AZURE_IMDS": {"bearer": (_CLUSTER,)},
    "CUSTOM": {"custom OAuth": (_PROVIDER, _PROVIDER_CONF)},
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
    """The trusted certificates and the client's own certificate; all files are PEM."""

    verify: bool
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
    unknown = unrecognized(conf, _KNOWN)
    if conf.get("url") is None:
        missing = "Missing required configuration property url: the registry, as http://host:port"
        raise ValueError(f"{missing}. {unknown}" if unknown else missing)
    if unknown:
        raise ValueError(unknown)
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
    assert given is not None
    if given.strip().startswith(MOCK):
        return (given.strip(),), None
    urls, user = [], None
    for one in given.split(","):
        parts = _split(one.strip())
        if parts is None:
            shown = one.strip().rpartition("@")[2]
            raise ValueError(
                f"Invalid url {shown}: it must be http://host:port or https://host:port"
            )
        if parts.username:
            user = (unquote(parts.username), unquote(parts.password or ""))
        place = parts.netloc.rpartition("@")[2]
        urls.append(urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", "")))
    return tuple(urls), user


def without_user(url: str) -> str:
    """Return the value of ``url`` without users and passwords."""
    return ",".join(
        urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        if (parts := _split(one.strip()))
        else one
        for one in url.split(",")
    )


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL; None if it cannot be a registry's URL."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises if it is not a port
    except ValueError:
        return None
    return parts if parts.scheme in ("http", "https") and parts.hostname else None


def _basic(conf: Mapping[str, Any], from_url: tuple[str, str] | None) -> tuple[str, str] | None:
    given = _text(conf, "basic.auth.user.info")
    if given is None:
        return from_url
    if from_url is not None:
        raise ValueError(
            "basic.auth.user.info configured with userinfo credentials in the URL. Remove userinfo "
            "credentials from the url or remove basic.auth.user.info from the configuration"
        )
    user, colon, password = given.partition(":")
    if not colon:
        raise ValueError(
            "basic.auth.user.info must be in the form of {username}:{password}: it has no colon"
        )
    return user, password


def _bearer(conf: Mapping[str, Any]) -> Bearer | None:
    source = conf.get(_SOURCE)
    if source is None:
        unused = [name for name in conf if name.startswith("bearer.") and name != _SOURCE]
        if unused:
            raise ValueError(
                f"Unrecognized properties: {', '.join(unused)}: they need the key {_SOURCE}"
            )
        return None
    _check_needed(conf, source)
    return Bearer(
        source=source,
        logical_cluster=_cluster(conf),
        identity_pool=normalize_identity_pool(conf.get(_POOL)),
        token=_text(conf, _TOKEN),
        client_id=_text(conf, "bearer.auth.client.id"),
        client_secret=_text(conf, "bearer.auth.client.secret"),
        scope=_text(conf, "bearer.auth.scope"),
        endpoint=_text(conf, _ENDPOINT),
        query=_text(conf, _QUERY),
        provider=conf.get(_PROVIDER),
        provider_config=conf.get(_PROVIDER_CONF),
    )


def _check_needed(conf: Mapping[str, Any], source: object) -> None:
    """Check that a source of tokens has all the keys that it needs."""
    if not isinstance(source, str) or source not in _NEEDED:
        known = ", ".join(_NEEDED)
        raise ValueError(f"Unrecognized {_SOURCE}: it must be one of {known}, not {source!r:.100}")
    for kind, names in _NEEDED[source].items():
        missing = [name for name in names if name not in conf]
        if missing:
            listed = ", ".join(missing)
            raise ValueError(f"Missing required {kind} configuration properties: {listed}")
    if source == "STATIC_TOKEN" and _TOKEN not in conf:
        raise ValueError(f"Missing {_TOKEN}")
    if source == "OAUTHBEARER_AZURE_IMDS" and _ENDPOINT not in conf and _QUERY not in conf:
        raise ValueError(f"{_QUERY} must be provided when {_ENDPOINT} isn't overridden")
    if source == "CUSTOM":
        provider, given = conf[_PROVIDER], conf[_PROVIDER_CONF]
        if not callable(provider):
            raise TypeError(f"{_PROVIDER} must be a callable, not {type(provider)}")
        if not isinstance(given, dict):
            raise TypeError(f"{_PROVIDER_CONF} must be a dict, not {type(given)}")
        return
    for name in ("bearer.auth.client.id", "bearer.auth.client.secret", "bearer.auth.scope", _TOKEN):
        if name in conf and conf[name] is None:
            raise TypeError(f"{name} must be a str, not {type(None)}")


def _cluster(conf: Mapping[str, Any]) -> str | None:
    cluster = conf.get(_CLUSTER)
    if _CLUSTER in conf and not isinstance(cluster, str):
        raise TypeError(f"logical cluster must be a str, not {type(cluster)}: see {_CLUSTER}")
    return cluster


def _tls(conf: Mapping[str, Any]) -> Tls:
    trusted = conf.get("ssl.ca.location")
    tls = Tls(
        trusted is not False,
        # True and an empty text mean httpx's own authorities.
        None if isinstance(trusted, bool) else _text(conf, "ssl.ca.location") or None,
        _text(conf, "ssl.certificate.location"),
        _text(conf, "ssl.key.location"),
        _text(conf, "ssl.key.password"),
    )
    if (tls.key or tls.key_password) and not tls.certificate:
        raise ValueError(
            "ssl.certificate.location required when configuring ssl.key.location or "
            "ssl.key.password"
        )
    return tls


def normalize_identity_pool(identity_pool_raw: str | list[str] | None) -> str | None:
    """Return the header value of identity pools: their ids, separated by commas.

    Args:
        identity_pool_raw: an id, or a list of them.

    Raises:
        TypeError: it is neither an id nor a list.
    """
    if identity_pool_raw is None or isinstance(identity_pool_raw, str):
        return identity_pool_raw
    if not isinstance(identity_pool_raw, list):
        kind = type(identity_pool_raw)
        raise TypeError(f"identity pool id must be a str or list, not {kind}: see {_POOL}")
    if not all(isinstance(one, str) for one in identity_pool_raw):
        raise TypeError(f"All items in identity pool list must be strings: see {_POOL}")
    return ",".join(identity_pool_raw)


def _text(conf: Mapping[str, Any], name: str) -> str | None:
    value = conf.get(name)
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value)}")
    return value


def _number(
    conf: Mapping[str, Any], name: str, default: float | None, least: float
) -> float | None:
    value = conf.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, not {type(value)}")
    if not math.isfinite(value) or value < least:
        raise ValueError(f"{name} must be at least {least:g}, not {value}")
    return value
