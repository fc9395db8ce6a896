"""The levels of the loggers of each broker. They have no effect: mock brokers do not log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Refused
from confluent_kafka.testing._administration._config_brokers import broker_id
from confluent_kafka.testing._administration._config_defaults import UNKNOWN, Setting
from confluent_kafka.testing._administration._config_resources import (
    DYNAMIC_LOGGER,
    Owner,
    Place,
    Resources,
)
from confluent_kafka.testing._administration._loggers import LEVELS, LOGGERS, ROOT


class LoggerResources(Resources):
    """The loggers of each broker."""

    settings = dict.fromkeys(LOGGERS, Setting(UNKNOWN, None))
    source = DYNAMIC_LOGGER

    def owner(self, name: str, broker: int) -> Owner:
        return broker_id(name, broker)

    def names(self) -> Iterable[str]:
        return [str(broker.id) for broker in self._brokers.state().brokers if broker.up]

    def setting(self, name: str) -> Setting:
        if name not in self.settings:
            raise Refused(KafkaError.INVALID_CONFIG, f"Logger {name} does not exist!")
        return self.settings[name]

    def places(self, owner: Owner, name: str) -> list[Place]:
        """A logger without a level has the level of the root logger."""
        own = self._values.get(owner, {})
        return [Place(self.source, name, own.get(name) or own.get(ROOT, "INFO"))]

    def check(self, values: Mapping[str, str], changed: Collection[str]) -> None:
        if ROOT in changed and ROOT not in values:
            raise Refused(
                KafkaError.INVALID_REQUEST,
                "Removing the log level of the root logger is not allowed",
            )
        for name, value in values.items():
            if value not in LEVELS:
                raise Refused(
                    KafkaError.INVALID_CONFIG,
                    f"Cannot set the log level of {name} to {value} as it is not a supported log "
                    f"level. Valid log levels are {', '.join(LEVELS)}",
                )
