"""The delegation tokens of a cluster (KIP-48), with the rules of Kafka's controller."""

from __future__ import annotations

import base64
import hmac
import secrets
import threading
import time
from typing import NamedTuple

from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._security import _sasl

# Kafka's defaults, in milliseconds: delegation.token.max.lifetime.ms and .expiry.time.ms.
_MAX_LIFETIME = 7 * 24 * 3_600_000
_RENEW_PERIOD = 24 * 3_600_000


class Refused(Exception):
    """The controller's error, whose only argument is the error code."""


# A type and a name, as in ``("User", "alice")``.
Principal = tuple[str, str]


class Token(NamedTuple):
    """A token. Times are in milliseconds since 1970."""

    id: str
    hmac: bytes
    owner: Principal
    requester: Principal
    renewers: tuple[Principal, ...]
    issued: int
    expires: int
    latest: int

    def belongs_to(self, principal: Principal) -> bool:
        """Return whether the principal is the owner or a renewer."""
        return principal == self.owner or principal in self.renewers


class Tokens:
    """The tokens of a cluster. Several threads may use this object."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)  # delegation.token.secret.key
        self._lock = threading.Lock()
        self._tokens: dict[str, Token] = {}
        self._credentials: dict[str, dict[int, _sasl.Credential]] = {}

    @property
    def all(self) -> list[Token]:
        """The tokens that nobody has removed, also those that have expired."""
        with self._lock:
            return list(self._tokens.values())

    def create(
        self,
        owner: Principal,
        requester: Principal,
        renewers: tuple[Principal, ...],
        lifetime: int,
    ) -> Token:
        """Return a new token. A lifetime of 0 or less means the longest that Kafka allows."""
        name, now = secrets.token_urlsafe(16), _now()
        latest = now + _shorter(_MAX_LIFETIME, lifetime)
        expires = min(latest, now + _RENEW_PERIOD)
        secret = hmac.digest(self._secret, name.encode(), "sha512")
        token = Token(name, secret, owner, requester, renewers, now, expires, latest)
        password = base64.b64encode(secret).decode()
        credentials = {
            number: _sasl.credential(mechanism, password)
            for mechanism, number in _sasl.SCRAM_NUMBERS.items()
        }
        with self._lock:
            self._tokens[name], self._credentials[name] = token, credentials
        return token

    def renew(self, secret: bytes, by: Principal, period: int) -> int:
        """Extend the life of a token. Return when it expires."""
        with self._lock:
            token = self._find(secret, by)
            return self._set_expiry(token, _shorter(_RENEW_PERIOD, period))

    def expire(self, secret: bytes, by: Principal, period: int) -> int:
        """Let a token expire after a period, or remove it now if the period is negative."""
        with self._lock:
            token = self._find(secret, by)
            if period >= 0:
                return self._set_expiry(token, period)
            del self._tokens[token.id], self._credentials[token.id]
            return _now()

    def login(self, name: str, number: int) -> tuple[_sasl.Credential, str] | None:
        """Return the credential of a token and the name of its owner; None if it does not exist."""
        with self._lock:
            token = self._tokens.get(name)
            if token is None or token.expires <= _now():
                return None
            return self._credentials[name][number], token.owner[1]

    def _find(self, secret: bytes, by: Principal) -> Token:
        for token in self._tokens.values():
            if hmac.compare_digest(token.hmac, secret):
                if not token.belongs_to(by):
                    raise Refused(KafkaError.DELEGATION_TOKEN_OWNER_MISMATCH)
                return token
        raise Refused(KafkaError.DELEGATION_TOKEN_NOT_FOUND)

    def _set_expiry(self, token: Token, period: int) -> int:
        now = _now()
        if token.expires < now:
            raise Refused(KafkaError.DELEGATION_TOKEN_EXPIRED)
        expires = min(token.latest, now + period)
        self._tokens[token.id] = token._replace(expires=expires)
        return expires


def _shorter(limit: int, asked: int) -> int:
    return min(limit, asked) if asked > 0 else limit


def _now() -> int:
    return time.time_ns() // 1_000_000
