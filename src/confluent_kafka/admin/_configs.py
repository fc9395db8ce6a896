"""Describes and alters configurations, and lists the resources that have a configuration."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

from confluent_kafka.admin._config_messages import (
    NUMBERS,
    Asked,
    altered,
    altering,
    described,
    describing,
    listed,
    listing,
    needs_message,
)
from confluent_kafka.admin._config_values import ConfigEntry, ConfigResource, config_source
from confluent_kafka.admin._enums import AlterConfigOpType, ResourceType
from confluent_kafka.admin._protocol import ANY, ProtocolRequests
from confluent_kafka.admin._requests import check_once, checked, items_of, new_futures, set_of
from confluent_kafka.cimpl import KafkaError

T = TypeVar("T")


class ConfigRequests(ProtocolRequests):
    """Requests about configurations."""

    __slots__ = ()

    def describe_configs(
        self,
        resources: list[ConfigResource],
        *,
        request_timeout: float | None = None,
        broker: int | None = None,
    ) -> dict[ConfigResource, Future[dict[str, ConfigEntry]]]:
        """Read configurations.

        Args:
            resources: a list of ConfigResource.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.
            broker: the id of the broker to ask. If None, the call waits for the controller, and
                asks it. The configuration of a broker and of its loggers is always requested from
                that broker.

        Returns:
            A future for each resource; its result is a dict of name to ConfigEntry.
            It fails with UNKNOWN_TOPIC_OR_PART, TOPIC_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeConfigs(). For other resource types, Kafka: DescribeConfigs.
        """
        items = list(dict.fromkeys(items_of(resources, ConfigResource, "resources", ValueError)))
        own, others = _divided(items)
        messages = describing(others, broker)
        futures = new_futures(own)
        if own:
            options = {"request_timeout": request_timeout, "broker": broker}
            argument = [_name_of(item) for item in own]
            self._ask_each("describe_configs", argument, options, futures, _entries)
        every = futures | self._exchange_all(messages, request_timeout, described)
        return {item: every[item] for item in items}

    def incremental_alter_configs(
        self,
        resources: list[ConfigResource],
        *,
        request_timeout: float | None = None,
        validate_only: bool = False,
        broker: int | None = None,
    ) -> dict[ConfigResource, Future[None]]:
        """Change some configurations and leave all others as they are.

        Args:
            resources: a list of ConfigResource with incremental_configs.
            request_timeout: as for describe_configs().
            validate_only: only check whether the request could be carried out.
            broker: as for describe_configs().

        Returns:
            A future for each resource; its result is None. It fails with
            UNKNOWN_TOPIC_OR_PART, INVALID_CONFIG, TOPIC_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_IncrementalAlterConfigs() (KIP-339). For other resource types, Kafka:
        IncrementalAlterConfigs.
        """
        items = items_of(resources, ConfigResource, "resources")
        check_once(items, "resources")
        own, others = _divided(items)
        own_changes = [(*_name_of(item), _changes_of(item)) for item in own]
        messages = altering([(item, _changes_of(item)) for item in others], broker, validate_only)
        futures = new_futures(own)
        if own:
            options = {
                "request_timeout": request_timeout,
                "validate_only": validate_only,
                "broker": broker,
            }
            self._ask_each("incremental_alter_configs", own_changes, options, futures, _errors)
        every = futures | self._exchange_all(messages, request_timeout, altered)
        return {item: every[item] for item in items}

    def alter_configs(
        self,
        resources: list[ConfigResource],
        *,
        request_timeout: float | None = None,
        validate_only: bool = False,
        broker: int | None = None,
    ) -> dict[ConfigResource, Future[None]]:
        """Replace all configurations. Those that you do not give are reset to their defaults.

        Deprecated, because two clients that use it undo each other's changes: use
        incremental_alter_configs().

        Args:
            resources: topics, brokers and groups, as a list of ConfigResource with set_config.
            request_timeout: as for describe_configs().
            validate_only: only check whether the request could be carried out.
            broker: as for describe_configs().

        Returns:
            A future for each resource; its result is None.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_AlterConfigs().
        """
        warnings.warn(
            "alter_configs() resets configurations that you do not give: "
            "use incremental_alter_configs()",
            DeprecationWarning,
            stacklevel=3,  # the caller's line, not the wrapper around every request
        )
        items = items_of(resources, ConfigResource, "resources", ValueError)
        check_once(items, "resources")
        for index, item in enumerate(items):
            if needs_message(item):
                raise ValueError(
                    f"resources[{index}] must be a topic, broker or group, not {item!r}: use "
                    "incremental_alter_configs()"
                )
        futures = new_futures(items)
        argument = [(*_name_of(item), list(item.set_config_dict.items())) for item in items]
        options = {
            "request_timeout": request_timeout,
            "validate_only": validate_only,
            "broker": broker,
        }
        self._ask_each("alter_configs", argument, options, futures, _errors)
        return futures

    def list_config_resources(
        self,
        config_resource_types: set[ResourceType] | None = None,
        *,
        request_timeout: float | None = None,
    ) -> Future[list[ConfigResource]]:
        """List the resources that have a configuration, or can have one.

        Args:
            config_resource_types: list only these types: a set of ResourceType.TOPIC, BROKER,
                BROKER_LOGGER, CLIENT_METRICS and GROUP. None or an empty set lists all types.
            request_timeout: as for describe_configs().

        Returns:
            A future; its result is a list of ConfigResource: every topic and broker, and the groups
            and client metrics that have a configuration. It fails with CLUSTER_AUTHORIZATION_FAILED
            if this client may not describe the cluster's configuration, and with
            _UNSUPPORTED_FEATURE if the broker is older than 4.1; list_client_metrics_resources()
            works with brokers from 3.7 on.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ListConfigResources (KIP-1142).
        """
        request = listing(_checked_types(config_resource_types))
        return self._exchange(request, ANY, request_timeout, listed)

    def _exchange_all(
        self,
        messages: list[Asked],
        request_timeout: float | None,
        split: Callable[[Any], Iterable[tuple[ConfigResource, T | KafkaError]]],
    ) -> dict[ConfigResource, Future[T]]:
        """Send messages that concern several resources each. Return a future for each resource."""
        futures: dict[ConfigResource, Future[T]] = {}
        for asked in messages:
            some = new_futures(asked.resources)
            self._exchange_each(asked.request, asked.target, request_timeout, some, split)
            futures |= some
        return futures


def _divided(
    resources: Iterable[ConfigResource],
) -> tuple[list[ConfigResource], list[ConfigResource]]:
    """Divide resources into those that have a type in librdkafka, and all others."""
    own: list[ConfigResource] = []
    others: list[ConfigResource] = []
    for each in resources:
        (others if needs_message(each) else own).append(each)
    return own, others


def _checked_types(given: object) -> set[ResourceType]:
    types = set_of(set() if given is None else given, ResourceType, "config_resource_types")
    for each in types:
        if each not in NUMBERS:
            raise ValueError(
                f"config_resource_types must be of {', '.join(kind.name for kind in NUMBERS)}, "
                f"not {each.name}"
            )
    return types


def _name_of(resource: ConfigResource) -> tuple[int, str]:
    return resource.restype.value, resource.name


def _changes_of(resource: ConfigResource) -> list[tuple[str, int, str | None]]:
    """Check and return the incremental configurations of a resource."""
    name = f"incremental_configs of {resource!r}"
    entries = items_of(resource.incremental_configs, ConfigEntry, name)
    return [(entry.name, _operation_of(entry).value, entry.value) for entry in entries]


def _operation_of(entry: ConfigEntry) -> AlterConfigOpType:
    operation = checked(
        entry.incremental_operation,
        AlterConfigOpType,
        f"incremental_operation of {entry.name!r}",
    )
    if operation is not AlterConfigOpType.DELETE:
        checked(entry.value, str, f"the value of {entry.name!r}")
    return operation


def _entries(
    result: list[tuple[Any, ...]],
) -> Iterator[tuple[ConfigResource, dict[str, ConfigEntry] | KafkaError]]:
    for restype, name, error, entries in result:
        yield ConfigResource(restype, name), error or _by_name(entries)


def _errors(result: list[tuple[Any, ...]]) -> Iterator[tuple[ConfigResource, KafkaError | None]]:
    for restype, name, error, _ in result:
        yield ConfigResource(restype, name), error


def _by_name(entries: list[tuple[Any, ...]]) -> dict[str, ConfigEntry]:
    return {entry[0]: _entry(*entry) for entry in entries}


def _entry(
    name: str,
    value: str | None,
    source: int,
    is_read_only: bool,
    is_default: bool,
    is_sensitive: bool,
    is_synonym: bool,
    synonyms: list[tuple[Any, ...]],
) -> ConfigEntry:
    return ConfigEntry(
        name,
        value,
        config_source(source),
        is_read_only,
        is_default,
        is_sensitive,
        is_synonym,
        _by_name(synonyms),
    )
