"""The subscriptions of client metrics (KIP-714). Each subscription is a resource."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Refused
from confluent_kafka.testing._administration._client_patterns import pattern_of
from confluent_kafka.testing._administration._config_defaults import CLIENT_METRICS
from confluent_kafka.testing._administration._config_resources import (
    DYNAMIC_METRICS,
    Resources,
)

_INTERVALS = range(100, 3_600_001)


class MetricsResources(Resources):
    """The subscriptions, which `_client_metrics` sends to clients."""

    settings = CLIENT_METRICS
    source = DYNAMIC_METRICS
    unknown = (KafkaError.INVALID_REQUEST, "Unknown client metrics configuration")
    nameless = "Subscription name can't be empty"

    def check(self, values: Mapping[str, str], changed: Collection[str]) -> None:
        super().check(values, changed)
        interval = values.get("interval.ms")
        if interval is not None and int(interval) not in _INTERVALS:
            raise Refused(
                KafkaError.INVALID_REQUEST,
                f"Invalid value {interval} for interval.ms, interval must be between "
                f"{_INTERVALS[0]} and {_INTERVALS[-1]} (1 hour)",
            )
        for text in filter(None, values.get("match", "").split(",")):
            if pattern_of(text) is None:
                raise Refused(KafkaError.INVALID_CONFIG, f"Illegal client matching pattern: {text}")

    def subscriptions(self) -> list[Mapping[str, str]]:
        """Return the values of each subscription."""
        defaults = {name: setting.default or "" for name, setting in self.settings.items()}
        return [defaults | values for values in self._values.values() if values]
