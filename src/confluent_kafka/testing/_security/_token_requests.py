"""Answers requests about delegation tokens: only a client's listener has the client's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._security._authorizer import (
    CREATE_TOKENS,
    DELEGATION_TOKEN,
    DESCRIBE,
    DESCRIBE_TOKENS,
    USER,
)
from confluent_kafka.testing._security._principals import ANONYMOUS
from confluent_kafka.testing._security._tokens import Refused

if TYPE_CHECKING:
    from confluent_kafka.testing._security._enforcement import Enforcement
    from confluent_kafka.testing._security._sasl import User
    from confluent_kafka.testing._security._tokens import Principal, Token, Tokens


class TokenRequests:
    """Answers the requests of one client.

    Args:
        tokens: the tokens of the cluster.
        user: the client.
        enforcement: checks ACLs; None if there is no authorizer.
    """

    def __init__(self, tokens: Tokens, user: User, enforcement: Enforcement | None) -> None:
        self._tokens = tokens
        self._principal: Principal = ("User", user.name)
        self._refused = user.has_token or user.name == ANONYMOUS
        self._enforcement = enforcement
        self._answers: dict[int, Callable[[Any], Any]] = {
            protocol.CreateDelegationTokenRequest.api_key: self._create,
            protocol.RenewDelegationTokenRequest.api_key: self._renew,
            protocol.ExpireDelegationTokenRequest.api_key: self._expire,
            protocol.DescribeDelegationTokenRequest.api_key: self._describe,
        }

    def are(self, api_key: int) -> bool:
        """Return whether requests of this kind are about delegation tokens."""
        return api_key in self._answers

    def complete(self, request: Any) -> Callable[[Any], Any]:
        """Return a function that replaces the broker's refusal: the broker does not know the user.

        A handler of `MockCluster.on_request()` may have given another answer, which stays.
        """

        def answer(response: Any) -> Any:
            refused = response.error_code == KafkaError.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
            if self._refused or not refused:
                return response
            try:
                return self._answers[request.api_key](request)
            except Refused as error:
                return request.response_class(error_code=error.args[0])

        return answer

    def _create(self, request: Any) -> Any:
        owner = self._principal
        if request.owner_principal_name:
            owner = (request.owner_principal_type, request.owner_principal_name)
        renewers = tuple((each.principal_type, each.principal_name) for each in request.renewers)
        if owner != self._principal and not self._may(CREATE_TOKENS, USER, ":".join(owner)):
            raise Refused(KafkaError.DELEGATION_TOKEN_AUTHORIZATION_FAILED)
        if any(kind != "User" for kind, _ in renewers):
            raise Refused(KafkaError.INVALID_PRINCIPAL_TYPE)
        token = self._tokens.create(owner, self._principal, renewers, request.max_lifetime_ms)
        return protocol.CreateDelegationTokenResponse(
            issue_timestamp_ms=token.issued,
            expiry_timestamp_ms=token.expires,
            max_timestamp_ms=token.latest,
            **_identity(token),
        )

    def _renew(self, request: Any) -> Any:
        expires = self._tokens.renew(request.hmac, self._principal, request.renew_period_ms)
        return protocol.RenewDelegationTokenResponse(expiry_timestamp_ms=expires)

    def _expire(self, request: Any) -> Any:
        period = request.expiry_time_period_ms
        expires = self._tokens.expire(request.hmac, self._principal, period)
        return protocol.ExpireDelegationTokenResponse(expiry_timestamp_ms=expires)

    def _describe(self, request: Any) -> Any:
        owners = None
        if request.owners is not None:
            owners = [(each.principal_type, each.principal_name) for each in request.owners]
        shown = [each for each in self._tokens.all if self._is_shown(each, owners)]
        return protocol.DescribeDelegationTokenResponse(tokens=[_described(each) for each in shown])

    def _is_shown(self, token: Token, owners: list[Principal] | None) -> bool:
        """Return whether a token is asked for, and the client may see it."""
        if owners is not None and not any(token.belongs_to(each) for each in owners):
            return False
        return (
            token.belongs_to(self._principal)
            or self._may(DESCRIBE, DELEGATION_TOKEN, token.id)
            or self._may(DESCRIBE_TOKENS, USER, ":".join(token.owner))
        )

    def _may(self, operation: int, kind: int, name: str) -> bool:
        return self._enforcement is None or self._enforcement.allows(operation, kind, name)


def _identity(token: Token) -> dict[str, Any]:
    """Return the fields that the answers share."""
    return {
        "principal_type": token.owner[0],
        "principal_name": token.owner[1],
        "token_requester_principal_type": token.requester[0],
        "token_requester_principal_name": token.requester[1],
        "token_id": token.id,
        "hmac": token.hmac,
    }


def _described(token: Token) -> Any:
    response = protocol.DescribeDelegationTokenResponse
    renewer = response.DescribedDelegationTokenRenewer
    return response.DescribedDelegationToken(
        issue_timestamp=token.issued,
        expiry_timestamp=token.expires,
        max_timestamp=token.latest,
        renewers=[
            renewer(principal_type=kind, principal_name=name) for kind, name in token.renewers
        ],
        **_identity(token),
    )
