"""Requests about delegation tokens, of clients that have not logged in.

Kafka refuses them. Where clients log in, their listener replaces this answer (`_security`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext


class TokenRequests:
    """Refuses requests about delegation tokens."""

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.CreateDelegationTokenRequest: self._refuse,
            protocol.RenewDelegationTokenRequest: self._refuse,
            protocol.ExpireDelegationTokenRequest: self._refuse,
            protocol.DescribeDelegationTokenRequest: self._refuse,
        }

    def _refuse(self, request: Any, context: RequestContext) -> Any:
        return request.response_class(error_code=KafkaError.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)
