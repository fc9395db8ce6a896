"""The metrics that clients send to brokers (KIP-714).

The mock brokers have a subscription of their own, without metrics. It applies to clients that no
subscription of an administrator matches.
"""

from __future__ import annotations

import uuid
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._client_patterns import match_all
from confluent_kafka.testing._administration._config_metrics import MetricsResources

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_NOBODY = Uuid(0, 0)
_EVERY_METRIC = "*"
_COMPRESSIONS = (4, 3, 1, 2)  # zstd, lz4, gzip, snappy
_LARGEST = 1024 * 1024  # Kafka: telemetry.max.bytes
# All clients are on this machine.
_ADDRESS = "127.0.0.1"


class ClientMetrics:
    """Answers requests about the metrics of clients.

    Args:
        resources: the subscriptions.
    """

    def __init__(self, resources: MetricsResources) -> None:
        self._resources = resources
        # The id of the subscription that each client instance got.
        self._told: dict[Uuid, int] = {}

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.GetTelemetrySubscriptionsRequest: self._subscriptions,
            protocol.PushTelemetryRequest: self._push,
        }

    def _subscriptions(self, request: Any, context: RequestContext) -> Any:
        instance = request.client_instance_id
        known = instance in self._told
        if instance == _NOBODY:
            number = uuid.uuid4().int
            instance = Uuid(*_signed(number >> 64, number & (2**64 - 1)))
        matching = self._matching(instance, context)
        if not matching and not known:
            return None
        metrics = {name for each in matching for name in _parts(each["metrics"])}
        if _EVERY_METRIC in metrics:
            metrics = {_EVERY_METRIC}
        interval = min((int(each["interval.ms"]) for each in matching), default=300_000)
        number = zlib.crc32(f"{instance} {interval} {sorted(metrics)}".encode()) & (2**31 - 1)
        self._told[instance] = number
        return protocol.GetTelemetrySubscriptionsResponse(
            client_instance_id=instance,
            subscription_id=number,
            accepted_compression_types=_COMPRESSIONS,
            push_interval_ms=interval,
            telemetry_max_bytes=_LARGEST,
            delta_temporality=True,
            requested_metrics=sorted(metrics),
        )

    def _matching(self, instance: Uuid, context: RequestContext) -> list[Mapping[str, str]]:
        """Return the subscriptions that a client has."""
        client = {
            "client_instance_id": str(instance),
            "client_id": context.client_id or "",
            "client_source_address": _ADDRESS,
        }
        every = self._resources.subscriptions()
        return [each for each in every if match_all(_parts(each["match"]), client)]

    def _push(self, request: Any, context: RequestContext) -> Any:
        told = self._told.get(request.client_instance_id)
        if told is None:
            return None
        if request.subscription_id != told:
            code = KafkaError.UNKNOWN_SUBSCRIPTION_ID
        elif len(request.metrics) > _LARGEST:
            code = KafkaError.TELEMETRY_TOO_LARGE
        else:
            code = KafkaError.NO_ERROR
        if request.terminating:
            del self._told[request.client_instance_id]
        return protocol.PushTelemetryResponse(error_code=code)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _signed(*numbers: int) -> tuple[int, ...]:
    return tuple(number - 2**64 if number >= 2**63 else number for number in numbers)
