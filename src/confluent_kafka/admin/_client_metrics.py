"""Client metrics resources: they define which metrics brokers request from clients."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import ANY, ProtocolRequests, raise_error_of

_CLIENT_METRICS = 16  # the number of this type of configuration resource


@dataclass(frozen=True)
class ClientMetricsResourceListing:
    """A client metrics resource.

    Attributes:
        name: its name.

    Kafka: org.apache.kafka.clients.admin.ClientMetricsResourceListing (KIP-1000).
    """

    name: str


class ClientMetricsRequests(ProtocolRequests):
    """Requests about client metrics resources."""

    __slots__ = ()

    def list_client_metrics_resources(
        self, *, request_timeout: float | None = None
    ) -> Future[list[ClientMetricsResourceListing]]:
        """List the client metrics resources that have a configuration.

        Args:
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a list of ClientMetricsResourceListing. It fails with
            CLUSTER_AUTHORIZATION_FAILED if this client may not describe the cluster's
            configuration, and with _UNSUPPORTED_FEATURE if the broker is older than 3.7.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ListConfigResources (KIP-1000, KIP-1142).
        """
        # The request names no types: brokers before 4.1 accept no list of types, and have only this
        # type.
        request = protocol.ListConfigResourcesRequest()
        return self._exchange(request, ANY, request_timeout, _listed)


def _listed(response: Any) -> list[ClientMetricsResourceListing]:
    raise_error_of(response)
    return [
        ClientMetricsResourceListing(one.resource_name)
        for one in response.config_resources
        if one.resource_type == _CLIENT_METRICS
    ]
