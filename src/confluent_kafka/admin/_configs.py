"""Configurations: describe, alter."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, ClassVar

from confluent_kafka.admin._enums import AlterConfigOpType, ConfigSource, ResourceType
from confluent_kafka.admin._requests import (
    AdminRequests,
    checked,
    enum_of,
    items_of,
    maybe_empty,
    new_futures,
)
from confluent_kafka.cimpl import KafkaError


@dataclass(eq=False)
class ConfigEntry:
    """One configuration.

    Attributes:
        name: its name.
        value: its value, or None when it has none or is sensitive.
        source: where the value comes from, a ConfigSource.
        is_read_only: whether it cannot be changed.
        is_default: whether the value is the default.
        is_sensitive: whether it is a secret, which brokers do not reveal.
        is_synonym: whether this is one of another entry's synonyms.
        synonyms: other configurations that the value may come from, by name.
        incremental_operation: for incremental_alter_configs(): what to do with it.

    librdkafka: rd_kafka_ConfigEntry_t.
    """

    name: str
    value: str | None
    source: ConfigSource = ConfigSource.UNKNOWN_CONFIG
    is_read_only: bool = False
    is_default: bool = False
    is_sensitive: bool = False
    is_synonym: bool = False
    synonyms: dict[str, ConfigEntry] = field(default_factory=dict)
    incremental_operation: AlterConfigOpType | None = None

    def __str__(self) -> str:
        return f'{self.name}="{self.value}"'


@total_ordering
class ConfigResource:
    """A topic, broker or group with configurations. Equal when type and name are equal.

    Args:
        restype: ResourceType (or its name or number).
        name: the topic's or group's name, the broker's id.
        set_config: for alter_configs(): the configurations to set, name to value.
        described_configs: its configurations, name to ConfigEntry.
        error: why it could not be described or altered, or None.
        incremental_configs: for incremental_alter_configs(): a list of ConfigEntry.

    Raises:
        TypeError, ValueError: restype is not a ResourceType, or another argument is wrong.

    librdkafka: rd_kafka_ConfigResource_t.
    """

    __slots__ = (
        "configs",
        "error",
        "incremental_configs",
        "name",
        "restype",
        "restype_int",
        "set_config_dict",
    )

    Type: ClassVar[type[ResourceType]] = ResourceType

    def __init__(
        self,
        restype: ResourceType | str | int,
        name: str | int,
        set_config: dict[str, Any] | None = None,
        described_configs: dict[str, ConfigEntry] | None = None,
        error: KafkaError | None = None,
        incremental_configs: list[ConfigEntry] | None = None,
    ) -> None:
        if name is None:
            raise ValueError("name must be str, not None")
        self.restype: ResourceType = enum_of(ResourceType, restype, "restype")
        self.restype_int: int = self.restype.value
        self.name: str = str(name)
        self.set_config_dict: dict[str, Any] = (
            {} if set_config is None else checked(set_config, dict, "set_config")
        )
        self.incremental_configs: list[ConfigEntry] = maybe_empty(
            [] if incremental_configs is None else incremental_configs,
            ConfigEntry,
            "incremental_configs",
        )
        self.configs: dict[str, ConfigEntry] | None = described_configs
        self.error: KafkaError | None = error

    def set_config(self, name: str, value: object, overwrite: bool = True) -> None:
        """Set a configuration for alter_configs().

        Args:
            name: the configuration's name.
            value: its new value: a text, or a number, bool, UUID, Decimal or path as its str().
            overwrite: when False, a value that was set before is kept.
        """
        if overwrite or name not in self.set_config_dict:
            self.set_config_dict[name] = value

    def add_incremental_config(self, config_entry: ConfigEntry) -> None:
        """Add a change for incremental_alter_configs().

        Args:
            config_entry: ConfigEntry with an incremental_operation.
        """
        self.incremental_configs.append(checked(config_entry, ConfigEntry, "config_entry"))

    def __len__(self) -> int:
        return len(self.set_config_dict)

    def __bool__(self) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfigResource):
            return NotImplemented
        return (self.restype, self.name) == (other.restype, other.name)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, ConfigResource):
            return NotImplemented
        return (self.restype, self.name) < (other.restype, other.name)

    def __hash__(self) -> int:
        return hash((self.restype, self.name))

    def __repr__(self) -> str:
        error = "" if self.error is None else f", {self.error}"
        return f"ConfigResource({self.restype},{self.name}{error})"


class ConfigRequests(AdminRequests):
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
            broker: the id of the broker to ask; any when None. A broker's own configuration is
                always requested from that broker.

        Returns:
            A future for each resource; its result is a dict of name to ConfigEntry.
            It fails with UNKNOWN_TOPIC_OR_PART, TOPIC_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeConfigs().
        """
        items = items_of(resources, ConfigResource, "resources", ValueError)
        futures = new_futures(items)
        options = {"request_timeout": request_timeout, "broker": broker}
        argument = [_name_of(item) for item in items]
        self._ask_each("describe_configs", argument, options, futures, _entries)
        return futures

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

        librdkafka: rd_kafka_IncrementalAlterConfigs() (KIP-339).
        """
        items = items_of(resources, ConfigResource, "resources")
        futures = new_futures(items)
        argument = [(*_name_of(item), _changes_of(item)) for item in items]
        options = {
            "request_timeout": request_timeout,
            "validate_only": validate_only,
            "broker": broker,
        }
        self._ask_each("incremental_alter_configs", argument, options, futures, _errors)
        return futures

    def alter_configs(
        self,
        resources: list[ConfigResource],
        *,
        request_timeout: float | None = None,
        validate_only: bool = False,
        broker: int | None = None,
    ) -> dict[ConfigResource, Future[None]]:
        """Replace all configurations: those that are not given are reset to their defaults.

        Deprecated, because two clients that use it undo each other's changes: use
        incremental_alter_configs().

        Args:
            resources: a list of ConfigResource with set_config.
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
            "alter_configs() resets what is not given: use incremental_alter_configs()",
            DeprecationWarning,
            stacklevel=2,
        )
        items = items_of(resources, ConfigResource, "resources", ValueError)
        futures = new_futures(items)
        argument = [(*_name_of(item), list(item.set_config_dict.items())) for item in items]
        options = {
            "request_timeout": request_timeout,
            "validate_only": validate_only,
            "broker": broker,
        }
        self._ask_each("alter_configs", argument, options, futures, _errors)
        return futures


def _name_of(resource: ConfigResource) -> tuple[int, str]:
    return resource.restype.value, resource.name


def _changes_of(resource: ConfigResource) -> list[tuple[str, int, str | None]]:
    """The incremental configurations of a resource, checked."""
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
    known = source in ConfigSource.__members__.values()
    return ConfigEntry(
        name,
        value,
        ConfigSource(source) if known else ConfigSource.UNKNOWN_CONFIG,
        is_read_only,
        is_default,
        is_sensitive,
        is_synonym,
        _by_name(synonyms),
    )
