"""Describes and alters configurations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, Self

from confluent_kafka import protocol

from .. import errors
from .._enums import EnumHelper, answered
from ._wire import ANY, Target, Wire, broker, check, failure, only, plain


class ConfigResourceType(EnumHelper, IntEnum):
    """Kinds of resources that have a configuration."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigType(EnumHelper, IntEnum):
    """Kinds of values."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigSourceType(EnumHelper, IntEnum):
    """The source of a value."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8

    def is_modified(self) -> bool:
        """Return whether the value was set for this resource itself."""
        return self in _MODIFIED.values()

    @classmethod
    def dynamic_for_resource_type(cls, resource_type: Any) -> Self:
        """Return the source of the values that alter_configs() sets for a kind of resource.

        Args:
            resource_type: a ConfigResourceType, or its name.
        """
        return cls(_MODIFIED[ConfigResourceType.build_from(resource_type)])


_MODIFIED = {
    ConfigResourceType.TOPIC: ConfigSourceType.DYNAMIC_TOPIC_CONFIG,
    ConfigResourceType.BROKER: ConfigSourceType.DYNAMIC_BROKER_CONFIG,
    ConfigResourceType.BROKER_LOGGER: ConfigSourceType.DYNAMIC_BROKER_LOGGER_CONFIG,
    ConfigResourceType.CLIENT_METRICS: ConfigSourceType.DYNAMIC_CLIENT_METRICS_CONFIG,
    ConfigResourceType.GROUP: ConfigSourceType.DYNAMIC_GROUP_CONFIG,
}


class ConfigFilterType(EnumHelper, IntEnum):
    """Which values describe_configs() returns."""

    ALL = 0
    DYNAMIC = 1
    """Values that can be changed while the broker runs."""
    MODIFIED = 2
    """Values that were set for this resource itself."""
    DEFAULT = 3
    """Values that were not set for this resource itself."""
    STATIC = 4
    """Values of the broker's configuration file."""


_FILTERS: dict[ConfigFilterType, Callable[[Any], bool]] = {
    ConfigFilterType.ALL: lambda value: True,
    ConfigFilterType.DYNAMIC: lambda value: not value.read_only,
    ConfigFilterType.MODIFIED: lambda value: _source(value).is_modified(),
    ConfigFilterType.DEFAULT: lambda value: not _source(value).is_modified(),
    ConfigFilterType.STATIC: (
        lambda value: _source(value) is ConfigSourceType.STATIC_BROKER_CONFIG
    ),
}


class AlterConfigOp(EnumHelper, IntEnum):
    """How alter_configs() changes a value."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ConfigResource:
    """A topic, a broker or another resource, to describe or to configure.

    Args:
        resource_type: a ConfigResourceType, or its name.
        name: the topic's name, the broker's id (as text or an int) and so on; "" means all brokers.
        configs: to alter, the new values by name, each a text or (AlterConfigOp, text); to describe
            or to reset, the names. None means all.
    """

    def __init__(self, resource_type: Any, name: str | int, configs: Any = None) -> None:
        if not isinstance(resource_type, ConfigResourceType):
            resource_type = ConfigResourceType[str(resource_type).upper().replace("-", "_")]
        self.resource_type: ConfigResourceType = resource_type
        self.name = name
        self.configs = configs

    def __repr__(self) -> str:
        return f"ConfigResource({self.resource_type.name}, {self.name!r}, {self.configs!r})"


class ConfigAdminMixin:
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def describe_configs(
        self,
        config_resources: Iterable[ConfigResource],
        include_synonyms: bool = False,
        config_filter: Any = "modified",
    ) -> dict[str, dict[str, dict[str, Any]]]:
        """Read configurations.

        Args:
            config_resources: the resources.
            include_synonyms: whether to return all sources of each value.
            config_filter: a ConfigFilterType, or its name.

        Returns:
            The value and its details, by kind and name of the resource and by name of the value.
        """
        is_wanted = _FILTERS[ConfigFilterType.build_from(config_filter)]
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for resource in config_resources:
            result = self._described(resource, include_synonyms)
            values = {one.name: _value(one) for one in result.configs if is_wanted(one)}
            found.setdefault(_kind(resource), {})[str(resource.name)] = values
        return found

    def alter_configs(
        self,
        config_resources: Iterable[ConfigResource],
        validate_only: bool = False,
        raise_on_unknown: bool = True,
        incremental: bool | None = None,
    ) -> dict[str, dict[str, str]]:
        """Change configurations; values that are not given stay the same.

        Args:
            config_resources: the resources, with their new ``configs``.
            validate_only: whether to check the request only, without a change.
            raise_on_unknown: whether to raise ValueError for names that the resource does not have.
            incremental: with False, whole configurations are replaced, by a request that Kafka 4
                and newer do not support.

        Returns:
            "OK" or the error, by kind and name of the resource.
        """
        resources = list(config_resources)
        if raise_on_unknown:
            self._check_names(resources)
        return self._alter(resources, set_all, validate_only, incremental)

    def reset_configs(
        self,
        config_resources: Iterable[ConfigResource],
        validate_only: bool = False,
        raise_on_unknown: bool = True,
        incremental: bool | None = None,
    ) -> dict[str, dict[str, str]]:
        """Reset values to their defaults; see alter_configs().

        Args:
            config_resources: the resources, with the names in ``configs``.
            validate_only: whether to check the request only, without a change.
            raise_on_unknown: whether to raise ValueError for names that the resource does not have.
            incremental: must be True, because only the incremental request can reset values.
        """
        resources = list(config_resources)
        if incremental is False:
            raise errors.UnsupportedVersionError("only incremental requests reset configurations")
        if raise_on_unknown:
            self._check_names(resources)
        return self._alter(resources, _deletions, validate_only, None)

    def list_config_resources(
        self, resource_types: Iterable[Any] | None = None
    ) -> dict[str, list[str]]:
        """Return the resources that have a configuration, by kind.

        Args:
            resource_types: ConfigResourceTypes, or their names; None means all.
        """
        kinds = [ConfigResourceType.value_for(one) for one in resource_types or ()]
        answer = self._wire.ask(protocol.ListConfigResourcesRequest(resource_types=kinds))
        check(answer)
        found: dict[str, list[str]] = {}
        for one in answer.config_resources:
            kind = answered(ConfigResourceType, one.resource_type).name.lower()
            found.setdefault(kind, []).append(one.resource_name)
        return found

    def _described(self, resource: ConfigResource, synonyms: bool = False) -> Any:
        target = _target(resource)
        kind = protocol.DescribeConfigsRequest
        keys = None if resource.configs is None else list(resource.configs)
        asked = kind.DescribeConfigsResource(
            resource_type=int(resource.resource_type),
            resource_name=str(resource.name),
            configuration_keys=keys,
        )
        request = kind(resources=[asked], include_synonyms=synonyms)
        return only(self._wire.ask(request, target).results)

    def _check_names(self, resources: list[ConfigResource]) -> None:
        unknown: set[str] = set()
        for resource in resources:
            everything = ConfigResource(resource.resource_type, resource.name)
            known = {one.name for one in self._described(everything).configs}
            unknown |= set(resource.configs or ()) - known  # all names, if the topic is missing
        if unknown:
            raise ValueError(f"Unrecognized configs: {', '.join(sorted(unknown))}")

    def _alter(
        self,
        resources: list[ConfigResource],
        changes: Any,
        validate_only: bool,
        incremental: bool | None,
    ) -> dict[str, dict[str, str]]:
        kind: Any = protocol.IncrementalAlterConfigsRequest
        if incremental is False:
            kind, changes = protocol.AlterConfigsRequest, _values
        found: dict[str, dict[str, str]] = {}
        for resource in resources:
            configs = changes(kind, resource.configs or {})
            result = self._altered(kind, resource, configs, validate_only)
            text = str(failure(result)) if result.error_code else "OK"
            found.setdefault(_kind(resource), {})[str(resource.name)] = text
        return found

    def _altered(
        self, kind: Any, resource: ConfigResource, configs: list[Any], validate_only: bool
    ) -> Any:
        target = _target(resource)
        altered = kind.AlterConfigsResource(
            resource_type=int(resource.resource_type),
            resource_name=str(resource.name),
            configs=configs,
        )
        request = kind(resources=[altered], validate_only=validate_only)
        return only(self._wire.ask(request, target).responses)


def _kind(resource: ConfigResource) -> str:
    return resource.resource_type.name.lower()


def _target(resource: ConfigResource) -> Target:
    """Return the broker to ask about a resource: each broker knows only its own configuration."""
    own = (ConfigResourceType.BROKER, ConfigResourceType.BROKER_LOGGER)
    if resource.resource_type not in own or resource.name == "":
        return ANY
    try:
        return broker(int(resource.name))
    except ValueError:
        raise ValueError(
            "Broker resource names must be an integer or a string represented integer, not "
            f"{resource.name!r}"
        ) from None


def _source(value: Any) -> ConfigSourceType:
    return answered(ConfigSourceType, value.config_source)


def _name_of_source(number: int) -> str:
    return answered(ConfigSourceType, number).name


def _value(value: Any) -> dict[str, Any]:
    synonyms = [
        {
            "name": one.name,
            "value": one.value,
            "source": _name_of_source(one.source),
        }
        for one in value.synonyms
    ]
    return plain(value, "name") | {
        "config_source": _source(value).name,
        "synonyms": synonyms,
        "config_type": answered(ConfigType, value.config_type).name,
    }


def set_all(kind: Any, configs: Mapping[str, Any]) -> list[Any]:
    """Return the changes of an incremental request."""
    changes = []
    for name, given in configs.items():
        operation, value = given if isinstance(given, tuple) else (AlterConfigOp.SET, given)
        changes.append(_change(kind, name, AlterConfigOp.value_for(operation), value))
    return changes


def _deletions(kind: Any, names: Iterable[str]) -> list[Any]:
    return [_change(kind, name, AlterConfigOp.DELETE.value, None) for name in names]


def _values(kind: Any, configs: Mapping[str, Any]) -> list[Any]:
    return [kind.AlterableConfig(name=name, value=str(value)) for name, value in configs.items()]


def _change(kind: Any, name: str, operation: int, value: Any) -> Any:
    text = None if value is None else str(value)
    return kind.AlterableConfig(name=name, config_operation=operation, value=text)
