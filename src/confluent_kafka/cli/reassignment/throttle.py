"""A limit for the bytes that brokers copy while partitions move.

As for kafka-reassign-partitions.sh, brokers have a rate, and topics name the replicas that it
applies to: replicas that are copied from, and replicas that are copied to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import answering_broker, settled
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ConfigResource

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
_SOURCES = "leader.replication.throttled.replicas"
_TARGETS = "follower.replication.throttled.replicas"

Settings = Mapping[tuple[str, str], Mapping[str, str | None]]
"""Settings by the kind and the name of the resource. None means that there is no setting."""


def set_throttle(
    admin: AdminClient,
    current: Mapping[Place, Sequence[int]],
    plan: Mapping[Place, Sequence[int]],
    rate: int,
    timeout: float,
) -> Settings:
    """Limit the rate at which a plan copies replicas. End the command if it is refused.

    Args:
        admin: a connected client.
        current: the brokers of each partition now.
        plan: the new brokers of partitions.
        rate: bytes a second, for each broker.
        timeout: seconds to wait for the answers.

    Returns:
        The settings before, for take_back().
    """
    topics: dict[str, dict[str, list[str]]] = {}
    for (topic, number), nodes in plan.items():
        old = current[topic, number]
        values = topics.setdefault(topic, {_SOURCES: [], _TARGETS: []})
        values[_SOURCES] += [f"{number}:{node}" for node in old]
        values[_TARGETS] += [f"{number}:{node}" for node in nodes if node not in old]
    of_topics: dict[tuple[str, str], Mapping[str, str | None]] = {
        ("topic", topic): {name: ",".join(items) for name, items in values.items() if items}
        for topic, values in topics.items()
    }
    # A broker that is down copies nothing, and librdkafka would wait for it until the timeout.
    brokers = {node for place, nodes in plan.items() for node in (*nodes, *current[place])}
    brokers &= admin.list_topics(timeout=timeout).brokers.keys()
    of_brokers: dict[tuple[str, str], Mapping[str, str | None]] = {
        ("broker", str(node)): dict.fromkeys(RATES, str(rate)) for node in sorted(brokers)
    }
    wanted = of_topics | of_brokers
    own = _own_settings(admin, topics, brokers, timeout)
    before = {
        key: {name: own.get(key, {}).get(name) for name in values} for key, values in wanted.items()
    }
    try:
        # Topics first: a broker applies its rate only to the replicas that the topics name.
        for part in (of_topics, of_brokers):
            if failures := _alter(admin, part, timeout):
                fail(*failures)
    except BaseException:
        _alter(admin, before, timeout)
        raise
    return before


def take_back(
    admin: AdminClient,
    before: Settings,
    current: Mapping[Place, Sequence[int]],
    moves: Mapping[Place, Sequence[int]],
    timeout: float,
) -> list[str]:
    """Give topics and brokers their earlier settings if no move needs the throttle.

    Args:
        admin: a connected client.
        before: what set_throttle() has returned.
        current: the brokers of each partition before the moves.
        moves: the new brokers of the partitions that are being moved.
        timeout: seconds to wait for the answers.

    Returns:
        A line for each topic or broker that keeps the throttle because of an error.
    """
    needed = {("topic", topic) for topic, _ in moves} | {
        ("broker", str(node))
        for place, nodes in moves.items()
        for node in (*nodes, *current[place])
    }
    return _alter(
        admin, {key: values for key, values in before.items() if key not in needed}, timeout
    )


def remove_throttle(
    admin: AdminClient, topics: Iterable[str], brokers: Iterable[int], timeout: float
) -> list[str]:
    """Remove the limits of topics and brokers, and return the resources that had a limit.

    Args:
        admin: a connected client.
        topics: names of topics.
        brokers: ids of brokers.
        timeout: seconds to wait for the answers.
    """
    found = _own_settings(admin, topics, brokers, timeout)
    if failures := _alter(
        admin, {key: dict.fromkeys(names) for key, names in found.items()}, timeout
    ):
        fail(*failures)
    return [f"{kind} {name}" for kind, name in found]


def _own_settings(
    admin: AdminClient, topics: Iterable[str], brokers: Iterable[int], timeout: float
) -> Settings:
    """Return the limits that topics and brokers have. End the command if a request is refused."""
    from confluent_kafka.admin import ConfigResource, ConfigSource

    resources = [
        *(ConfigResource("topic", name) for name in topics),
        *(ConfigResource("broker", node) for node in brokers),
    ]
    broker = answering_broker(admin, timeout)
    # librdkafka takes one broker in a request, and asks this broker.
    futures = {
        _key(each): admin.describe_configs(
            [each],
            request_timeout=timeout,
            broker=broker if each.restype.name == "TOPIC" else None,
        )[each]
        for each in resources
    }
    found, failures = settled("throttle of", futures)
    if failures:
        fail(*failures)
    own = (ConfigSource.DYNAMIC_TOPIC_CONFIG, ConfigSource.DYNAMIC_BROKER_CONFIG)
    settings: dict[tuple[str, str], Mapping[str, str | None]] = {}
    for each in resources:
        entries = found[_key(each)]
        names = sorted({*RATES, _SOURCES, _TARGETS} & entries.keys())
        given = {name: entries[name].value for name in names if entries[name].source in own}
        if given:
            settings[each.restype.name.lower(), each.name] = given
    return settings


def _alter(admin: AdminClient, settings: Settings, timeout: float) -> list[str]:
    """Set settings of topics and brokers, and return a line for each failure.

    None removes a setting.
    """
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource

    def entry(name: str, value: str | None) -> ConfigEntry:
        operation = AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
        return ConfigEntry(name, value, incremental_operation=operation)

    resources = [
        ConfigResource(kind, name, incremental_configs=[entry(*each) for each in values.items()])
        for (kind, name), values in settings.items()
    ]
    futures = {
        _key(each): admin.incremental_alter_configs([each], request_timeout=timeout)[each]
        for each in resources
    }
    return settled("throttle of", futures)[1]


def _key(resource: ConfigResource) -> str:
    return f"{resource.restype.name.lower()} {resource.name}"
