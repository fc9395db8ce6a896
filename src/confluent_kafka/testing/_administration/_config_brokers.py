"""The configurations of brokers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._broker_settings import BROKER, UNLISTED
from confluent_kafka.testing._administration._brokers import Brokers, Refused
from confluent_kafka.testing._administration._config_defaults import UNKNOWN, Setting
from confluent_kafka.testing._administration._config_resources import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT_BROKER,
    STATIC_BROKER,
    Owner,
    Place,
    Resources,
)
from confluent_kafka.testing._administration._state import Broker, State

# The log directories of every broker. New replicas are in the first one.
LOG_DIRS = ("/embedded", "/embedded-2")
# The owner of the values of all brokers.
_ALL = ""
# A setting that Kafka does not know, for example of a plugin.
_CUSTOM = Setting(UNKNOWN, None, read_only=True)
# The lowest times of groups. Tests need shorter times than real brokers allow.
_LOWEST = {
    name: "1"
    for name in BROKER
    if name.startswith(("group.consumer.min.", "group.share.min.", "group.streams.min."))
}


class BrokerResources(Resources):
    """The brokers. The resource without a name has the values of all brokers.

    Args:
        brokers: the brokers of the cluster.
        changed: called after the values of all brokers have changed.
    """

    settings = BROKER
    source = DYNAMIC_BROKER
    has_lists = True
    wrong_value = KafkaError.INVALID_REQUEST

    def __init__(self, brokers: Brokers, changed: Callable[[], None]) -> None:
        super().__init__(brokers)
        self._changed = changed

    def owner(self, name: str, broker: int) -> Owner:
        return broker_id(name, broker) if name else _ALL

    def names(self) -> Iterable[str]:
        return [str(broker.id) for broker in self._brokers.state().brokers if broker.up]

    def setting(self, name: str) -> Setting:
        return self.settings.get(name) or UNLISTED.get(name, _CUSTOM)

    def described(self, owner: Owner) -> Iterable[tuple[str, Setting]]:
        """Describe all settings of one broker, or the settings that were set for all brokers."""
        common = self._values.get(_ALL, {})
        names = common if owner == _ALL else {**self.settings, **common, **self.values(owner)}
        return [(name, self.setting(name)) for name in names]

    def places(self, owner: Owner, name: str) -> list[Place]:
        own = self._values.get(owner, {}).get(name)
        found = [] if own is None or owner == _ALL else [Place(DYNAMIC_BROKER, name, own)]
        common = self._values.get(_ALL, {}).get(name)
        if common is not None:
            found.append(Place(DYNAMIC_DEFAULT_BROKER, name, common))
        return found if owner == _ALL else found + self._fixed(str(owner), name)

    def common(self, name: str) -> list[Place]:
        """Return the values of a setting that all brokers share, in order of precedence."""
        first = str(self._brokers.state().brokers[0].id)
        return self.places(_ALL, name) + self._fixed(first, name)

    def _fixed(self, broker: str, name: str) -> list[Place]:
        """Return the value that the broker's file would contain, and the default."""
        static = _static(self._brokers.state(), broker).get(name)
        found = [] if static is None else [Place(STATIC_BROKER, name, static)]
        default = self.setting(name).default
        return found if default is None else [*found, Place(DEFAULT, name, default)]

    def check(self, values: Mapping[str, str], changed: Collection[str]) -> None:
        for text, names in (
            (
                "Cannot update these configs dynamically",
                [name for name in changed if name in BROKER and BROKER[name].read_only],
            ),
            (
                "These security configs can be dynamically updated only per-listener using the "
                "listener prefix",
                [name for name in changed if name in BROKER and name.startswith("ssl.")],
            ),
        ):
            if names:
                raise Refused(KafkaError.INVALID_REQUEST, f"{text}: [{','.join(names)}]")
        super().check(values, changed)

    def set(self, name: str, owner: Owner, values: dict[str, str]) -> None:
        super().set(name, owner, values)
        if owner == _ALL:
            self._changed()


def broker_id(name: str, broker: int) -> str:
    """Return the id of a broker in the name of a resource.

    Only the broker itself describes and changes its configurations.
    """
    if not name.isdecimal():
        raise Refused(KafkaError.INVALID_REQUEST, f"Node id must be an integer, but it is: {name}")
    if int(name) != broker:
        raise Refused(
            KafkaError.INVALID_REQUEST,
            f"Unexpected broker id, expected {broker}, but received {name}",
        )
    return name


def _static(state: State, broker: str) -> Mapping[str, str]:
    """Return the values that the file of a real broker would contain."""
    (found,) = (each for each in state.brokers if str(each.id) == broker)
    values = _LOWEST | {
        "advertised.listeners": _listener(found),
        "broker.id": broker,
        "controller.listener.names": "CONTROLLER",
        "default.replication.factor": str(min(3, len(state.brokers))),
        "group.consumer.heartbeat.interval.ms": "3000",
        "group.consumer.session.timeout.ms": "30000",
        "group.initial.rebalance.delay.ms": "100",
        "listeners": _listener(found),
        "log.dirs": ",".join(LOG_DIRS),
        "node.id": broker,
        "num.partitions": "4",
        "process.roles": "broker,controller",
    }
    return values if found.rack is None else values | {"broker.rack": found.rack}


def _listener(broker: Broker) -> str:
    return f"PLAINTEXT://{broker.host}:{broker.port}"
