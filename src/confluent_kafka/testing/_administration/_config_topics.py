"""The configurations of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers, Refused
from confluent_kafka.testing._administration._config_brokers import BrokerResources
from confluent_kafka.testing._administration._config_defaults import TOPIC, Setting
from confluent_kafka.testing._administration._config_effects import OF_TOPICS, apply_to_topic
from confluent_kafka.testing._administration._config_resources import (
    DEFAULT,
    DYNAMIC_TOPIC,
    Owner,
    Place,
    Resources,
)


class TopicResources(Resources):
    """The topics. The values belong to a topic's id, so a new topic of the same name has none.

    Args:
        brokers: the brokers of the cluster.
    """

    settings = TOPIC
    source = DYNAMIC_TOPIC
    has_lists = True
    unknown = (KafkaError.INVALID_CONFIG, "Unknown topic config name")

    def __init__(self, brokers: Brokers) -> None:
        super().__init__(brokers)
        # The values that have an effect now.
        self._applied: dict[Owner, dict[str, str]] = {}
        # The values of brokers are the defaults of topics.
        self.of_brokers = BrokerResources(brokers, self._apply_to_all)

    def owner(self, name: str, broker: int) -> Owner:
        topics = self._brokers.state().topics
        if name not in topics:
            raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, f"there is no topic {name!r}")
        return topics[name].id

    def names(self) -> Iterable[str]:
        return list(self._brokers.state().topics)

    def set(self, name: str, owner: Owner, values: dict[str, str]) -> None:
        super().set(name, owner, values)
        self._apply(name, owner)

    def forget(self, topic_id: Uuid) -> None:
        """Delete the values of a topic that is deleted."""
        self._values.pop(topic_id, None)
        self._applied.pop(topic_id, None)

    def saved(self) -> dict[str, dict[str, str]]:
        names = {topic.id: name for name, topic in self._brokers.state().topics.items()}
        return {
            names[owner]: values
            for owner, values in self._values.items()
            if values and isinstance(owner, Uuid) and owner in names
        }

    def restore(self, saved: Mapping[str, dict[str, str]]) -> None:
        topics = self._brokers.state().topics
        for name, values in saved.items():
            self.set(name, topics[name].id, values)

    def _inherited(self, setting: Setting) -> Iterable[Place]:
        return self.of_brokers.common(setting.broker_name) if setting.broker_name else ()

    def _apply_to_all(self) -> None:
        for name, topic in self._brokers.state().topics.items():
            self._apply(name, topic.id)

    def _apply(self, name: str, owner: Owner) -> None:
        """Apply the values that were set to the brokers."""
        places = {each: self.places(owner, each)[0] for each in OF_TOPICS}
        values = {each: place.value for each, place in places.items() if place.source != DEFAULT}
        if values != self._applied.get(owner, {}):
            apply_to_topic(self._brokers.cluster, name, values)
            self._applied[owner] = values
