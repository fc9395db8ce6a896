"""The configurations of groups, which need not exist yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._broker_settings import BROKER
from confluent_kafka.testing._administration._brokers import Brokers, Refused
from confluent_kafka.testing._administration._config_brokers import BrokerResources
from confluent_kafka.testing._administration._config_defaults import GROUP, Setting
from confluent_kafka.testing._administration._config_effects import apply_to_group
from confluent_kafka.testing._administration._config_resources import (
    DYNAMIC_GROUP,
    Owner,
    Place,
    Resources,
)


class GroupResources(Resources):
    """The groups.

    Args:
        brokers: the brokers of the cluster.
        of_brokers: the configurations of brokers, which are the defaults of groups.
    """

    settings = GROUP
    source = DYNAMIC_GROUP
    unknown = (KafkaError.INVALID_CONFIG, "Unknown group config name")
    nameless = "Default group resources are not allowed."

    def __init__(self, brokers: Brokers, of_brokers: BrokerResources) -> None:
        super().__init__(brokers)
        self._of_brokers = of_brokers

    def check(self, values: Mapping[str, str], changed: Collection[str]) -> None:
        super().check(values, changed)
        for name in values:
            self._check_range(name, int(values[name]) if values[name].isdecimal() else 0)
        for kind in ("consumer", "share", "streams"):
            self._check_session(kind, values)

    def set(self, name: str, owner: Owner, values: dict[str, str]) -> None:
        super().set(name, owner, values)
        apply_to_group(self._brokers.cluster, name, values)

    def _inherited(self, setting: Setting) -> Iterable[Place]:
        return self._of_brokers.common(setting.broker_name) if setting.broker_name else ()

    def _check_range(self, name: str, value: int) -> None:
        """Refuse a value that the configurations of brokers do not allow."""
        kind, _, rest = name.partition(".")
        names = [f"group.{kind}.{limit}.{rest}" for limit in ("min", "max")]
        if not BROKER.keys() >= set(names):
            return
        low, high = (self._number_of_brokers(each) for each in names)
        if not low <= value <= high:
            raise Refused(
                KafkaError.INVALID_CONFIG, f"{name} must be in the range {low} to {high} inclusive."
            )

    def _check_session(self, kind: str, values: Mapping[str, str]) -> None:
        timeout, interval = f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms"
        if not {timeout, interval} & values.keys():
            return
        milliseconds = [
            int(values[name]) if name in values else self._number_of_brokers(f"group.{name}")
            for name in (timeout, interval)
        ]
        if milliseconds[0] <= milliseconds[1]:
            raise Refused(KafkaError.INVALID_CONFIG, f"{timeout} must be greater than {interval}")

    def _number_of_brokers(self, name: str) -> int:
        return int(self._of_brokers.common(name)[0].value)
