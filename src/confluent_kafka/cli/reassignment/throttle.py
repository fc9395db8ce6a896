"""A limit for the bytes that brokers copy while partitions move.

As for kafka-reassign-partitions.sh, brokers have a rate, and topics name the replicas that it
applies to: replicas that are copied from, and replicas that are copied to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import settled
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ConfigResource

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
_SOURCES = "leader.replication.throttled.replicas"
_TARGETS = "follower.replication.throttled.replicas"


def set_throttle(
    admin: AdminClient,
    current: Mapping[Place, Sequence[int]],
    plan: Mapping[Place, Sequence[int]],
    rate: int,
    timeout: float,
) -> None:
    """Limit the rate at which a plan copies replicas. End the command if it is refused.

    Args:
        admin: a connected client.
        current: the brokers of each partition now.
        plan: the new brokers of partitions.
        rate: bytes a second, for each broker.
        timeout: seconds to wait for the answers.
    """
    topics: dict[str, dict[str, list[str]]] = {}
    for (topic, number), nodes in plan.items():
        before = current[topic, number]
        values = topics.setdefault(topic, {_SOURCES: [], _TARGETS: []})
        values[_SOURCES] += [f"{number}:{node}" for node in before]
        values[_TARGETS] += [f"{number}:{node}" for node in nodes if node not in before]
    brokers = {node for place, nodes in plan.items() for node in (*nodes, *current[place])}
    settings: dict[tuple[str, str], dict[str, str | None]] = {
        ("topic", topic): {name: ",".join(items) for name, items in values.items() if items}
        for topic, values in topics.items()
    }
    # Topics first: a broker with a rate limits nothing before it knows the replicas.
    _alter(admin, settings, timeout)
    _alter(
        admin, {("broker", str(node)): dict.fromkeys(RATES, str(rate)) for node in brokers}, timeout
    )


def remove_throttle(
    admin: AdminClient, topics: Iterable[str], brokers: Iterable[int], timeout: float
) -> list[str]:
    """Remove the limits of topics and brokers, and return what had one.

    Args:
        admin: a connected client.
        topics: names of topics.
        brokers: ids of brokers.
        timeout: seconds to wait for the answers.
    """
    from confluent_kafka.admin import ConfigResource, ConfigSource

    names = {*RATES, _SOURCES, _TARGETS}
    resources = [
        *(ConfigResource("topic", name) for name in topics),
        *(ConfigResource("broker", node) for node in brokers),
    ]
    # librdkafka takes one broker in a request.
    futures = {
        _key(each): admin.describe_configs([each], request_timeout=timeout)[each]
        for each in resources
    }
    found, failures = settled("throttle of", futures)
    if failures:
        fail(*failures)
    own = (ConfigSource.DYNAMIC_TOPIC_CONFIG, ConfigSource.DYNAMIC_BROKER_CONFIG)
    settings: dict[tuple[str, str], dict[str, str | None]] = {}
    for each in resources:
        entries = found[_key(each)]
        given = [name for name in names & entries.keys() if entries[name].source in own]
        if given:
            settings[each.restype.name.lower(), each.name] = dict.fromkeys(given)
    _alter(admin, settings, timeout)
    return [f"{kind} {name}" for kind, name in settings]


def _alter(
    admin: AdminClient, settings: Mapping[tuple[str, str], Mapping[str, str | None]], timeout: float
) -> None:
    """Set settings of topics and brokers. None removes a setting."""
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
    _, failures = settled("throttle of", futures)
    if failures:
        fail(*failures)


def _key(resource: ConfigResource) -> str:
    return f"{resource.restype.name.lower()} {resource.name}"
