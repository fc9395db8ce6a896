"""Delegation tokens: credentials that expire, and that a user can pass on to other programs."""

from __future__ import annotations

import base64
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import ANY, ProtocolRequests, raise_error_of
from confluent_kafka.admin._requests import checked, maybe_empty

_BROKERS_CHOICE = -1  # a period: use the value that the brokers are configured with
_NOW = -1  # an expiry: at once


@dataclass(frozen=True)
class TokenInformation:
    """The description of a delegation token. Principals have the form ``User:alice``.

    Attributes:
        token_id: the user name to log in with.
        owner: the principal that the token logs in.
        token_requester: the principal that created it, which may differ from the owner.
        renewers: the principals that may renew it and make it expire, besides its owner.
        issue_timestamp: when it was created, in milliseconds since 1970.
        max_timestamp: until when it can be renewed, in milliseconds since 1970.
        expiry_timestamp: when it expires, in milliseconds since 1970.

    Kafka: org.apache.kafka.common.security.token.delegation.TokenInformation (KIP-48).
    """

    token_id: str
    owner: str
    token_requester: str
    renewers: list[str]
    issue_timestamp: int
    max_timestamp: int
    expiry_timestamp: int


@dataclass(frozen=True)
class DelegationToken:
    """A delegation token. Its repr() does not show the secret.

    Attributes:
        token_info: TokenInformation.
        hmac: the secret, bytes.

    Kafka: org.apache.kafka.common.security.token.delegation.DelegationToken (KIP-48).
    """

    token_info: TokenInformation
    hmac: bytes = field(repr=False)

    @property
    def hmac_as_base64(self) -> str:
        """The secret in base64, which is the password to log in with."""
        return base64.b64encode(self.hmac).decode()


class DelegationTokenRequests(ProtocolRequests):
    """Requests about delegation tokens."""

    __slots__ = ()

    def create_delegation_token(
        self,
        *,
        owner: str | None = None,
        renewers: list[str] | None = None,
        max_lifetime: float | None = None,
        request_timeout: float | None = None,
    ) -> Future[DelegationToken]:
        """Create a delegation token. The client must have logged in with SASL or a certificate.

        Args:
            owner: the principal that the token logs in, as in ``User:alice``; None means this
                client's own principal. For another principal, this client needs the right to do
                that (KIP-373; Kafka 3.3).
            renewers: the principals that may renew it and make it expire, besides its owner.
            max_lifetime: for how many seconds after its creation the token can be renewed. The
                brokers' ``delegation.token.max.lifetime.ms`` is the default and the upper limit.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a DelegationToken. It fails with
            DELEGATION_TOKEN_AUTH_DISABLED (the brokers have no ``delegation.token.secret.key``),
            DELEGATION_TOKEN_REQUEST_NOT_ALLOWED (the client has not logged in, or has logged in
            with a token), INVALID_PRINCIPAL_TYPE, DELEGATION_TOKEN_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: CreateDelegationToken (KIP-48, KIP-373).
        """
        message = protocol.CreateDelegationTokenRequest
        kind, name = (None, None) if owner is None else _principal(owner, "owner")
        chosen = [] if renewers is None else _principals(renewers, "renewers")
        request = message(
            owner_principal_type=kind,
            owner_principal_name=name,
            renewers=[
                message.CreatableRenewers(principal_type=kind, principal_name=name)
                for kind, name in chosen
            ],
            max_lifetime_ms=_milliseconds(max_lifetime, "max_lifetime", _BROKERS_CHOICE),
        )
        return self._exchange(
            request, ANY, request_timeout, lambda response: _created(response, chosen)
        )

    def renew_delegation_token(
        self,
        hmac: bytes,
        *,
        renew_time_period: float | None = None,
        request_timeout: float | None = None,
    ) -> Future[int]:
        """Extend the life of a delegation token, at most until its max_timestamp.

        Args:
            hmac: the token's secret.
            renew_time_period: in how many seconds it expires; the brokers'
                ``delegation.token.expiry.time.ms`` when None.
            request_timeout: as for create_delegation_token().

        Returns:
            A future; its result is the new expiry time, in milliseconds since 1970. It fails with
            DELEGATION_TOKEN_NOT_FOUND, DELEGATION_TOKEN_OWNER_MISMATCH (this client may not renew
            it), DELEGATION_TOKEN_EXPIRED, or an error of create_delegation_token().

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: RenewDelegationToken (KIP-48).
        """
        period = _milliseconds(renew_time_period, "renew_time_period", _BROKERS_CHOICE)
        request = protocol.RenewDelegationTokenRequest(hmac=_hmac(hmac), renew_period_ms=period)
        return self._exchange(request, ANY, request_timeout, _expiry)

    def expire_delegation_token(
        self,
        hmac: bytes,
        *,
        expiry_time_period: float | None = None,
        request_timeout: float | None = None,
    ) -> Future[int]:
        """Change the expiry time of a delegation token, or make it expire at once.

        Args:
            hmac: the token's secret.
            expiry_time_period: in how many seconds it expires; None removes it at once.
            request_timeout: as for create_delegation_token().

        Returns:
            A future; its result is the new expiry time, in milliseconds since 1970. It fails with
            the errors of renew_delegation_token().

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ExpireDelegationToken (KIP-48).
        """
        period = _milliseconds(expiry_time_period, "expiry_time_period", _NOW)
        request = protocol.ExpireDelegationTokenRequest(
            hmac=_hmac(hmac), expiry_time_period_ms=period
        )
        return self._exchange(request, ANY, request_timeout, _expiry)

    def describe_delegation_token(
        self, *, owners: list[str] | None = None, request_timeout: float | None = None
    ) -> Future[list[DelegationToken]]:
        """Describe the delegation tokens that this client may see, including their secrets.

        Args:
            owners: return only tokens that one of these principals (as in ``User:alice``) owns, has
                requested or may renew; None returns all.
            request_timeout: as for create_delegation_token().

        Returns:
            A future; its result is a list of DelegationToken. It fails with
            DELEGATION_TOKEN_AUTH_DISABLED, DELEGATION_TOKEN_REQUEST_NOT_ALLOWED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeDelegationToken (KIP-48).
        """
        message = protocol.DescribeDelegationTokenRequest
        request = message(
            owners=None
            if owners is None
            else [
                message.DescribeDelegationTokenOwner(principal_type=kind, principal_name=name)
                for kind, name in _principals(owners, "owners")
            ]
        )
        return self._exchange(request, ANY, request_timeout, _described)


# ---- arguments


def _principals(given: object, name: str) -> list[tuple[str, str]]:
    return [
        _principal(each, f"{name}[{index}]")
        for index, each in enumerate(maybe_empty(given, str, name))
    ]


def _principal(given: object, name: str) -> tuple[str, str]:
    kind, colon, who = checked(given, str, name).partition(":")
    if not (kind and colon and who):
        raise ValueError(f"{name} must be a principal as in User:alice, not {given!r}")
    return kind, who


def _hmac(given: object) -> bytes:
    hmac = checked(given, bytes, "hmac")
    if not hmac:
        raise ValueError("hmac must not be empty")
    return hmac


def _milliseconds(seconds: float | None, name: str, default: int) -> int:
    if seconds is None:
        return default
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"{name} must be float, not {type(seconds).__name__}")
    if not 0 < seconds < 2**53:
        raise ValueError(f"{name} must be seconds, more than 0 and less than 2**53, not {seconds}")
    return max(1, round(seconds * 1000))


# ---- answers


def _created(
    response: protocol.CreateDelegationTokenResponse, renewers: list[tuple[str, str]]
) -> DelegationToken:
    raise_error_of(response)
    return _token(
        response,
        renewers,
        response.issue_timestamp_ms,
        response.max_timestamp_ms,
        response.expiry_timestamp_ms,
    )


def _expiry(response: Any) -> int:
    raise_error_of(response)
    return int(response.expiry_timestamp_ms)


def _described(response: protocol.DescribeDelegationTokenResponse) -> list[DelegationToken]:
    raise_error_of(response)
    return [
        _token(
            each,
            [(one.principal_type, one.principal_name) for one in each.renewers],
            each.issue_timestamp,
            each.max_timestamp,
            each.expiry_timestamp,
        )
        for each in response.tokens
    ]


def _token(
    found: Any, renewers: list[tuple[str, str]], issued: int, limit: int, expires: int
) -> DelegationToken:
    owner = _text(found.principal_type, found.principal_name)
    requester = found.token_requester_principal_name
    information = TokenInformation(
        found.token_id,
        owner,
        # Brokers before 3.3 do not return the requester: it is the owner.
        _text(found.token_requester_principal_type, requester) if requester else owner,
        [_text(*each) for each in renewers],
        issued,
        limit,
        expires,
    )
    return DelegationToken(information, found.hmac)


def _text(kind: str, name: str) -> str:
    return f"{kind}:{name}"
