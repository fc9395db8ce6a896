"""Login requests of clients that need not log in, or that have logged in already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext


class Logins:
    """Refuses the requests, as Kafka does. Listeners with SASL answer them first (`_security`)."""

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.SaslHandshakeRequest: self._refuse,
            protocol.SaslAuthenticateRequest: self._refuse,
        }

    def _refuse(self, request: Any, context: RequestContext) -> Any:
        return request.response_class(error_code=KafkaError.ILLEGAL_SASL_STATE)
