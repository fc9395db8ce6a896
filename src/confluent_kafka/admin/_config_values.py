"""Configurations, and the resources that have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import total_ordering
from typing import Any, ClassVar

from confluent_kafka.admin._enums import AlterConfigOpType, ConfigSource, ResourceType
from confluent_kafka.admin._requests import checked, enum_of, maybe_empty
from confluent_kafka.cimpl import KafkaError


@dataclass(eq=False)
class ConfigEntry:
    """One configuration.

    Attributes:
        name: its name.
        value: its value, or None if it has none or is sensitive.
        source: the source of the value, a ConfigSource.
        is_read_only: whether it cannot be changed.
        is_default: whether the value is the default.
        is_sensitive: whether it is a secret; brokers do not return the value of a secret.
        is_synonym: whether this entry is one of another entry's synonyms.
        synonyms: the configurations that the value can come from, as a dict by name.
        incremental_operation: the operation for incremental_alter_configs().

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


def config_source(number: int) -> ConfigSource:
    """Return the source for a number; UNKNOWN_CONFIG if the number is unknown."""
    known = number in ConfigSource.__members__.values()
    return ConfigSource(number) if known else ConfigSource.UNKNOWN_CONFIG


@total_ordering
class ConfigResource:
    """A resource with configurations: a topic, a broker ... Equal if type and name are equal.

    Args:
        restype: ResourceType (or its name or number).
        name: the name of the topic, group or client metrics. For a broker or its loggers, the id of
            the broker.
        set_config: for alter_configs(): a dict of names to values to set.
        described_configs: its configurations, as a dict of name to ConfigEntry.
        error: the reason why it could not be described or altered, or None.
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
            value: the new value. A number, bool, UUID, Decimal or path is converted with str().
            overwrite: False keeps a value that was set before.
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
