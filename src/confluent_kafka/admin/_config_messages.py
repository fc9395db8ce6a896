"""Messages for configurations of resources that have no type in librdkafka, and for listing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin._config_values import ConfigEntry, ConfigResource, config_source
from confluent_kafka.admin._enums import CONFIGURATIONS_ONLY, ConfigSource, ResourceType
from confluent_kafka.admin._protocol import ANY, Target, error_of, raise_error_of
from confluent_kafka.admin._protocol import broker as node
from confluent_kafka.admin._requests import node_id
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.protocol import Request

Change = tuple[str, int, str | None]  # the name, the number of the operation, and the value

# The protocol's numbers of the types that have configurations. In ACLs, groups have another number.
NUMBERS = {
    ResourceType.TOPIC: 2,
    ResourceType.BROKER: 4,
    ResourceType.BROKER_LOGGER: 8,
    ResourceType.CLIENT_METRICS: 16,
    ResourceType.GROUP: 32,
}
_TYPES = {number: kind for kind, number in NUMBERS.items()}


@dataclass(frozen=True)
class Asked:
    """A message about some resources.

    Attributes:
        target: the broker to ask.
        request: the message.
        resources: the resources that the message concerns.
    """

    target: Target
    request: Request
    resources: list[ConfigResource]


def needs_message(resource: ConfigResource) -> bool:
    """Return whether librdkafka has no type for this resource."""
    return resource.restype in CONFIGURATIONS_ONLY


def describing(resources: Sequence[ConfigResource], broker: int | None) -> list[Asked]:
    """Return messages that read the configurations of resources that librdkafka cannot name."""
    message = protocol.DescribeConfigsRequest
    parts = [
        message.DescribeConfigsResource(
            resource_type=NUMBERS[each.restype],
            resource_name=each.name,
            configuration_keys=None,
        )
        for each in resources
    ]
    return _by_target(
        resources, parts, broker, lambda some: message(resources=some, include_synonyms=True)
    )


def altering(
    changes: Sequence[tuple[ConfigResource, list[Change]]], broker: int | None, validate_only: bool
) -> list[Asked]:
    """Return messages that change the configurations of resources that librdkafka cannot name."""
    message = protocol.IncrementalAlterConfigsRequest
    parts = [
        message.AlterConfigsResource(
            resource_type=NUMBERS[each.restype],
            resource_name=each.name,
            configs=[
                message.AlterableConfig(name=name, config_operation=operation, value=value)
                for name, operation, value in configs
            ],
        )
        for each, configs in changes
    ]
    return _by_target(
        [each for each, _ in changes],
        parts,
        broker,
        lambda some: message(resources=some, validate_only=validate_only),
    )


def listing(types: Collection[ResourceType]) -> Request:
    """Return a message that lists the resources of these types, or of all types."""
    # Name all types explicitly, so that a broker that supports only client metrics fails. Without
    # types, such a broker would list only client metrics.
    return protocol.ListConfigResourcesRequest(
        resource_types=[NUMBERS[each] for each in types or NUMBERS]
    )


def _by_target(
    resources: Iterable[ConfigResource],
    parts: Iterable[Any],
    broker: int | None,
    request: Callable[[list[Any]], Request],
) -> list[Asked]:
    """Make one message for each broker to ask. Only the broker itself knows its loggers."""
    anywhere = ANY if broker is None else node(node_id(broker, "broker"))
    groups: dict[Target, list[tuple[ConfigResource, Any]]] = {}
    for each, part in zip(resources, parts, strict=True):
        if not each.name:
            raise ValueError(f"the name of {each!r} must not be empty")
        of_broker = each.restype is ResourceType.BROKER_LOGGER
        target = node(_broker_of(each)) if of_broker else anywhere
        groups.setdefault(target, []).append((each, part))
    return [
        Asked(target, request([part for _, part in group]), [each for each, _ in group])
        for target, group in groups.items()
    ]


def _broker_of(logger: ConfigResource) -> int:
    if not (logger.name.isascii() and logger.name.isdecimal()):
        raise ValueError(f"the name of {logger!r} must be a broker's id")
    return node_id(int(logger.name), f"the name of {logger!r}")


# ---- answers


def listed(response: protocol.ListConfigResourcesResponse) -> list[ConfigResource]:
    """Return the resources that a broker listed."""
    raise_error_of(response)
    return [_resource(each) for each in response.config_resources]


def described(
    response: protocol.DescribeConfigsResponse,
) -> Iterator[tuple[ConfigResource, dict[str, ConfigEntry] | KafkaError]]:
    """Return the configurations, or the error, of each resource."""
    for one in response.results:
        entries = {each.name: _entry(each) for each in one.configs}
        yield _resource(one), error_of(one) or entries


def altered(
    response: protocol.IncrementalAlterConfigsResponse,
) -> Iterator[tuple[ConfigResource, KafkaError | None]]:
    """Return the error, or None, of each resource."""
    for one in response.responses:
        yield _resource(one), error_of(one)


def _resource(found: Any) -> ConfigResource:
    kind = _TYPES.get(found.resource_type, ResourceType.UNKNOWN)
    return ConfigResource(kind, found.resource_name)


def _entry(found: protocol.DescribeConfigsResponse.DescribeConfigsResourceResult) -> ConfigEntry:
    source = config_source(found.config_source)
    return ConfigEntry(
        found.name,
        found.value,
        source,
        is_read_only=found.read_only,
        is_default=source is ConfigSource.DEFAULT_CONFIG,
        is_sensitive=found.is_sensitive,
        synonyms={
            each.name: ConfigEntry(
                each.name, each.value, config_source(each.source), is_synonym=True
            )
            for each in found.synonyms
        },
    )
