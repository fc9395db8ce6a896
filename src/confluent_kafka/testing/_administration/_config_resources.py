"""What the resources with configurations have in common, whatever their type.

There is one module for each type: `_config_topics`, `_config_brokers`, `_config_loggers`,
`_config_groups` and `_config_metrics`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar, NamedTuple

from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers, Refused
from confluent_kafka.testing._administration._config_defaults import Setting

# The sources of values.
DYNAMIC_TOPIC, DYNAMIC_BROKER, DYNAMIC_DEFAULT_BROKER, STATIC_BROKER = range(1, 5)
DEFAULT, DYNAMIC_LOGGER, DYNAMIC_METRICS, DYNAMIC_GROUP = range(5, 9)

# The owner of values: the id of a topic, or the name of another resource.
Owner = str | Uuid


class Place(NamedTuple):
    """A value, and where it was set."""

    source: int
    name: str
    value: str


class Resources:
    """The resources of one type, and the values that were set.

    Args:
        brokers: the brokers of the cluster.
    """

    settings: Mapping[str, Setting]
    # The source of values that were set.
    source: ClassVar[int]
    # Whether a change can append to a list. Kafka allows this for topics and brokers only.
    has_lists: ClassVar[bool] = False
    # Kafka's error for a value that is wrong.
    wrong_value: ClassVar[int] = KafkaError.INVALID_CONFIG
    # Kafka's error for a setting that does not exist.
    unknown: ClassVar[tuple[int, str]]
    # Kafka's text for a resource without a name.
    nameless: ClassVar[str]

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._values: dict[Owner, dict[str, str]] = {}

    def owner(self, name: str, broker: int) -> Owner:
        """Return the owner of a resource's values. Refuse a resource that does not exist.

        Args:
            name: the name of the resource.
            broker: the broker that received the request.
        """
        if not name:
            raise Refused(KafkaError.INVALID_REQUEST, self.nameless)
        return name

    def names(self) -> Iterable[str]:
        """Return the names of the resources that ListConfigResources lists."""
        return [str(owner) for owner, values in self._values.items() if values]

    def values(self, owner: Owner) -> dict[str, str]:
        """Return a copy of the values that were set."""
        return dict(self._values.get(owner, {}))

    def setting(self, name: str) -> Setting:
        """Return the setting with this name. Refuse a name that does not exist."""
        if name not in self.settings:
            code, text = self.unknown
            raise Refused(code, f"{text}: {name}")
        return self.settings[name]

    def described(self, owner: Owner) -> Iterable[tuple[str, Setting]]:
        """Return the settings that DescribeConfigs describes."""
        return self.settings.items()

    def places(self, owner: Owner, name: str) -> list[Place]:
        """Return the values of a setting with their places, in order of precedence."""
        setting = self.settings[name]
        own = self._values.get(owner, {})
        places = [Place(self.source, name, own[name])] if name in own else []
        places.extend(self._inherited(setting))
        if setting.default is not None and not any(each.source == DEFAULT for each in places):
            places.append(Place(DEFAULT, setting.broker_name or name, setting.default))
        return places

    def _inherited(self, setting: Setting) -> Iterable[Place]:
        """Return the values that apply if no value was set for the resource itself."""
        return ()

    def check(self, values: Mapping[str, str], changed: Collection[str]) -> None:
        """Refuse values that are not allowed.

        Args:
            values: all values that the resource would have.
            changed: the names of the settings that would change.
        """
        for name, value in values.items():
            refusal = self.setting(name).refusal(value)
            if refusal is not None:
                raise Refused(
                    self.wrong_value, f"Invalid value {value} for configuration {name}: {refusal}"
                )

    def set(self, name: str, owner: Owner, values: dict[str, str]) -> None:
        """Replace the values of a resource, which have been checked."""
        self._values[owner] = values

    def saved(self) -> dict[str, dict[str, str]]:
        """Return the values that were set, by the name of the resource."""
        return {str(owner): values for owner, values in self._values.items() if values}

    def restore(self, saved: Mapping[str, dict[str, str]]) -> None:
        """Set the values of an earlier run."""
        for name, values in saved.items():
            self.set(name, name, values)
